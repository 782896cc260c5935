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
	text, indent := e.excerpt()
	marks := "^"
	if offset := min(e.Offset, len(e.Text)); e.End > offset+1 && e.End <= len(e.Text) {
		meant, _, _ := strings.Cut(e.Text[offset:min(e.End, offset+4*mostShown)], "\n")
		marks += strings.Repeat("~", max(0, min(utf8.RuneCountInString(meant), mostShown)-1))
	}
	msg := strings.NewReplacer("\n", `\n`, "\r", `\r`).Replace(e.Msg) // of a name or a literal
	return fmt.Sprintf("%d:%d: %s\n    %s\n    %s%s", e.line, e.column, msg, text, strings.Repeat(" ", indent), marks)
}

// mostShown is how many characters of a line are shown.
const mostShown = 120

// excerpt returns the line of the place, or a part of a long one, and how many characters
// of it are before the place.
func (e *Error) excerpt() (text string, indent int) {
	at := min(e.Offset, len(e.Text))
	line, _, _ := strings.Cut(e.Text[e.start:min(len(e.Text), at+4*mostShown)], "\n")
	after := []rune(strings.TrimRight(line[min(at-e.start, len(line)):], "\r"))
	var before []rune
	for rest := e.Text[e.start:at]; rest != "" && len(before) < mostShown; {
		r, n := utf8.DecodeLastRuneInString(rest)
		before, rest = append(before, r), rest[:len(rest)-n]
	}
	slices.Reverse(before)
	if all := len(before) + len(after); all > mostShown { // about the middle of what is shown
		left := min(len(before), max(mostShown/2, mostShown-len(after)))
		before = before[len(before)-left:]
		after = after[:min(len(after), mostShown-left)]
	}
	return strings.ReplaceAll(string(before)+string(after), "\t", " "), len(before)
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
