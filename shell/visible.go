package shell

import (
	"io"
	"strings"
	"unicode/utf8"

	"toolledger/query"
)

// A visibleWriter escapes what acts on a terminal in the data formats, which keep every
// character elsewhere: a name of a tool may move the cursor or set the window's title.
type visibleWriter struct {
	w    io.Writer
	rest []byte // the front of a character whose end was not written yet
}

func (v *visibleWriter) Write(b []byte) (int, error) {
	text := append(v.rest, b...)
	whole := len(text)
	for n := 1; n <= min(utf8.UTFMax-1, len(text)); n++ {
		if from := len(text) - n; utf8.RuneStart(text[from]) {
			if !utf8.FullRune(text[from:]) {
				whole = from
			}
			break
		}
	}
	v.rest = append([]byte(nil), text[whole:]...)
	var out strings.Builder
	for line := range strings.SplitAfterSeq(string(text[:whole]), "\n") {
		line, newline := strings.CutSuffix(line, "\n")
		for i, cell := range strings.Split(line, "\t") {
			if i > 0 {
				out.WriteByte('\t')
			}
			out.WriteString(query.Visible(cell))
		}
		if newline {
			out.WriteByte('\n')
		}
	}
	if _, err := io.WriteString(v.w, out.String()); err != nil {
		return 0, err
	}
	return len(b), nil
}
