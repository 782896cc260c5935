package audit

import (
	"fmt"
	"strings"

	"toolledger/query"
)

// A RuleFault says what is wrong with a file of rules, and where.
type RuleFault struct {
	File         string
	Line, Column int // from 1; 0 of a file as a whole
	Msg          string
	Excerpt      string // the line with the place marked, in two lines, or ""
}

func (e *RuleFault) Error() string {
	where := e.File
	if e.Line > 0 {
		where = fmt.Sprintf("%s:%d:%d", e.File, e.Line, e.Column)
	}
	text := query.Visible(where) + ": " + query.Visible(e.Msg)
	for line := range strings.Lines(e.Excerpt) {
		text += "\n" + query.Visible(strings.TrimRight(line, "\n"))
	}
	return text
}

// RuleFaults are all that is wrong with some files of rules.
type RuleFaults []*RuleFault

func (f RuleFaults) Error() string {
	texts := make([]string, len(f))
	for i, e := range f {
		texts[i] = e.Error()
	}
	return strings.Join(texts, "\n")
}

// Unwrap returns each of them.
func (f RuleFaults) Unwrap() []error {
	list := make([]error, len(f))
	for i, e := range f {
		list[i] = e
	}
	return list
}

// queryFaults returns what is wrong with the query of a rule as places in its file. before is
// how many lines stand in front of the query in the text that the places are of.
func (r *Rule) queryFaults(faults query.Faults, before int) (list RuleFaults) {
	for _, e := range faults {
		f := &RuleFault{File: r.File, Line: r.queryLine, Column: r.queryColumn}
		line, column := e.Line()
		if line -= before; r.queryExact {
			f.Line, f.Column = r.queryLine+line-1, r.queryColumn+column-1
		}
		_, rest, _ := strings.Cut(e.Error(), ": ")
		_, f.Excerpt, _ = strings.Cut(rest, "\n")
		f.Msg = e.Msg
		list = append(list, f)
	}
	return list
}
