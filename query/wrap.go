package query

import (
	"strings"

	"github.com/rivo/uniseg"
)

// Shown returns a value for people, as the formats for them have it: nothing in it can act on
// a terminal. newline stands for each newline, which may be one.
func Shown(v Value, newline string) string { return string(appendShown(nil, v, newline)) }

// JSON returns a value in JSON, as the format json has it.
func (v Value) JSON() string { return string(appendJSONValue(nil, v)) }

// TextWidth returns how many columns of a terminal a text takes.
func TextWidth(text string) int {
	width, _ := measure([]byte(text))
	return width
}

// CutText returns text, or the front of it and a … , no wider than width.
func CutText(text string, width int) string {
	if TextWidth(text) <= width {
		return text
	}
	n, _ := cutText([]byte(text), width)
	return text[:n] + "…"
}

// A Line is where a line of a wrapped text is in it.
type Line struct{ From, To int }

// WrapText breaks a text into lines no wider than width, at newlines and where Unicode allows
// a break; a word that is wider is broken between characters. Spaces at a break are in no
// line, and a newline at the end begins none. An empty text is one line.
func WrapText(text string, width int) (lines []Line) {
	at := 0 // of the segment
	line, w := Line{0, 0}, 0
	for rest, state := text, -1; len(rest) > 0; {
		var segment string
		var ends bool
		segment, rest, ends, state = uniseg.FirstLineSegmentInString(rest, state)
		word := strings.TrimRight(segment, " \n")
		more := TextWidth(word)
		gap := at - line.To // spaces before it
		if w > 0 && w+gap+more > width {
			lines = append(lines, line)
			line, w, gap = Line{at, at}, 0, 0
		}
		w += gap + more
		line.To = at + len(word)
		for w > width { // a word that has no line
			n, cut := cutText([]byte(text[line.From:line.To]), width+1)
			if n == 0 {
				break
			}
			lines = append(lines, Line{line.From, line.From + n})
			line.From += n
			w -= cut
		}
		at += len(segment)
		if ends && (len(rest) > 0 || strings.HasSuffix(segment, "\n")) {
			lines = append(lines, line)
			line, w = Line{at, at}, 0
			if len(rest) == 0 {
				return lines
			}
		}
	}
	return append(lines, line)
}
