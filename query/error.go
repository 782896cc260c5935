package query

import (
	"fmt"
	"slices"
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

	operator     *malformed // that the parser does not know
	line, column int        // of the place
	start        int        // of its line, in bytes
}

// spanned is what stands somewhere in a text: a node, or a place alone.
type spanned interface{ span() (from, to int) }

func errorAt(n spanned, format string, args ...any) *Error {
	from, to := n.span()
	return &Error{Msg: fmt.Sprintf(format, args...), Offset: from, End: to}
}

// lacking is the error of what Kusto has and we lack.
func lacking(n spanned, name string) *Error {
	return errorAt(n, "'%s' is KQL but not supported here", name)
}

// Faults are all that is wrong with a text, in its order.
type Faults []*Error

func (f Faults) Error() string {
	texts := make([]string, len(f))
	for i, e := range f {
		texts[i] = e.Error()
	}
	return strings.Join(texts, "\n")
}

// Unwrap returns each of them.
func (f Faults) Unwrap() []error {
	list := make([]error, len(f))
	for i, e := range f {
		list[i] = e
	}
	return list
}

// locate gives faults, in the order of a text, the text and their place in it. first is the
// number of its first line.
func locate(faults Faults, text string, first int) Faults {
	line, start, at, column := first, 0, 0, 1 // of at; start is that of its line
	for _, e := range faults {
		e.Text = text
		offset := min(e.Offset, len(text))
		if offset < at {
			line, start, at, column = first, 0, 0, 1
		}
		if i := strings.LastIndexByte(text[at:offset], '\n'); i >= 0 {
			line += strings.Count(text[at:offset], "\n")
			start, column = at+i+1, 1
			at = start
		}
		column += utf8.RuneCountInString(text[at:offset])
		at = offset
		e.line, e.column, e.start = line, column, start
	}
	return faults
}

// Line returns the line and the column of the place, in characters, from 1.
func (e *Error) Line() (line, column int) { return e.line, e.column }

// Error returns place and message, and the line with what is meant underlined.
func (e *Error) Error() string {
	at := min(e.Offset, len(e.Text))
	text, indent := e.excerpt(at)
	marks := "^"
	if e.End > at+1 && e.End <= len(e.Text) {
		meant, _, _ := strings.Cut(e.Text[at:min(e.End, at+4*mostShown)], "\n")
		marks += strings.Repeat("~", max(0, min(Width(shown(meant)), mostShown-indent)-1))
	}
	msg := strings.NewReplacer("\n", `\n`, "\r", `\r`).Replace(e.Msg) // of a name or a literal
	return fmt.Sprintf("%d:%d: %s\n    %s\n    %s%s", e.line, e.column, msg, text, strings.Repeat(" ", indent), marks)
}

// mostShown is how many columns of a line are shown: with what stands before it, it fits a
// terminal of 80.
const mostShown = 72

// excerpt returns the line of a place as it is shown, or a part of a long one about the place,
// and how many columns of it are before the place.
func (e *Error) excerpt(at int) (text string, indent int) {
	line, _, _ := strings.Cut(e.Text[e.start:min(len(e.Text), at+4*mostShown)], "\n")
	line = strings.TrimRight(line, "\r")
	at = min(at-e.start, len(line))
	before, after := lastColumns(line[:at], mostShown), firstColumns(line[at:], mostShown)
	if Width(before)+Width(after) > mostShown {
		before = lastColumns(line[:at], max(mostShown/2, mostShown-Width(after)))
		after = firstColumns(line[at:], mostShown-Width(before))
	}
	return before + after, Width(before)
}

// shown is a part of a line such that nothing in it acts on a terminal.
func shown(text string) string { return string(appendVisible(nil, text, " ", " ")) }

// firstColumns returns what is shown of the front of a text in a number of columns.
func firstColumns(text string, columns int) string {
	to := 0
	for to < len(text) {
		_, n := utf8.DecodeRuneInString(text[to:])
		if Width(shown(text[:to+n])) > columns {
			break
		}
		to += n
	}
	return shown(text[:to])
}

// lastColumns returns what is shown of the end of a text in a number of columns.
func lastColumns(text string, columns int) string {
	from := len(text)
	for from > 0 {
		_, n := utf8.DecodeLastRuneInString(text[:from])
		if Width(shown(text[from-n:])) > columns {
			break
		}
		from -= n
	}
	return shown(text[from:])
}

// Nearest returns the name that is few edits away, "" if none is. Of several it prefers one
// that is as long, and then one that begins the same.
func Nearest(name string, names []string) string {
	best, least := "", 0
	for _, n := range names {
		a, b := strings.ToLower(name), strings.ToLower(n)
		d := levenshtein.ComputeDistance(a, b)
		if d > max(1, (len(a)+1)/3) || d >= len(a) || b == "" {
			continue
		}
		cost := 4 * d
		if len(a) != len(b) {
			cost += 2
		}
		if a[0] != b[0] {
			cost++
		}
		if best == "" || cost < least {
			best, least = n, cost
		}
	}
	return best
}

// DidYouMean is the end of a message about a name that does not exist.
func DidYouMean(name string, names ...[]string) string {
	if near := Nearest(name, slices.Concat(names...)); near != "" {
		return ", did you mean '" + near + "'?"
	}
	return ""
}
