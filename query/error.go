package query

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/agnivade/levenshtein"
)

// An Error says what is wrong with a query, and where.
type Error struct {
	Msg    string
	Offset int    // of the place in the text, in bytes
	End    int    // of its end
	Text   string // the query
}

func errorAt(n node, format string, args ...any) *Error {
	from, to := n.span()
	return &Error{Msg: fmt.Sprintf(format, args...), Offset: from, End: to}
}

// Line returns the line and the column of the place, in characters, from 1.
func (e *Error) Line() (line, column int) {
	before := e.Text[:min(e.Offset, len(e.Text))]
	line = 1 + strings.Count(before, "\n")
	return line, 1 + utf8.RuneCountInString(before[strings.LastIndexByte(before, '\n')+1:])
}

// Error returns place and message, and the line with what is meant underlined.
func (e *Error) Error() string {
	line, column := e.Line()
	text := ""
	if lines := strings.Split(e.Text, "\n"); line <= len(lines) {
		text = strings.TrimRight(strings.ReplaceAll(lines[line-1], "\t", " "), "\r")
	}
	marks := "^"
	if offset := min(e.Offset, len(e.Text)); e.End > offset+1 && e.End <= len(e.Text) {
		marks += strings.Repeat("~", max(0, utf8.RuneCountInString(strings.SplitN(e.Text[offset:e.End], "\n", 2)[0])-1))
	}
	const most = 120 // characters of the line that are shown
	indent := max(column-1, 0)
	if runes := []rune(text); len(runes) > most {
		from := max(0, min(column-most/2, len(runes)-most))
		text = string(runes[from:min(len(runes), from+most)])
		indent -= from
	}
	marks = marks[:min(len(marks), most)]
	msg := strings.NewReplacer("\n", `\n`, "\r", `\r`).Replace(e.Msg) // of a name or a literal
	return fmt.Sprintf("%d:%d: %s\n    %s\n    %s%s", line, column, msg, text, strings.Repeat(" ", max(indent, 0)), marks)
}

// nearest returns the name that is few edits away, "" if none is.
func nearest(name string, names []string) string {
	best, least := "", 1+len(name)/3
	for _, n := range names {
		if d := levenshtein.ComputeDistance(strings.ToLower(name), strings.ToLower(n)); d <= least && d < len(name) {
			best, least = n, d-1
		}
	}
	return best
}

// didYouMean is the end of a message about a name that does not exist.
func didYouMean(name string, names []string) string {
	if near := nearest(name, names); near != "" {
		return ", did you mean '" + near + "'?"
	}
	return ""
}
