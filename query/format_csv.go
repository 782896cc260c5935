package query

import (
	"cmp"
	"io"
	"strings"
	"unicode/utf8"
)

// A separatedWriter writes csv or tsv.
type separatedWriter struct {
	output
	comma byte
	null  string
	text  func(dst []byte, text string) []byte // how a text is written
	safe  bool
	bare  bool // without the names of columns
}

func newCSV(w io.Writer, opt FormatOptions) Writer {
	return &separatedWriter{output: output{w: w}, comma: ',', null: opt.Null, text: appendCSV, safe: opt.CSVSafe, bare: opt.NoHead}
}

func newTSV(w io.Writer, opt FormatOptions) Writer {
	return &separatedWriter{output: output{w: w}, comma: '\t', null: cmp.Or(opt.Null, `\N`), text: appendTSV, safe: opt.CSVSafe, bare: opt.NoHead}
}

func (s *separatedWriter) Begin(fields []Field) error {
	if s.bare {
		return nil
	}
	for i, f := range fields {
		if i > 0 {
			s.buf = append(s.buf, s.comma)
		}
		s.string(f.Name)
	}
	s.buf = append(s.buf, '\n')
	return nil
}

func (s *separatedWriter) Rows(b *Batch) error {
	return s.rows(b, func(row int) {
		for i, col := range b.Cols {
			if i > 0 {
				s.buf = append(s.buf, s.comma)
			}
			switch v := col.At(row); {
			case v.Null:
				s.buf = append(s.buf, s.null...)
			case v.Kind == String:
				s.string(v.S)
			case v.Kind == Dynamic:
				s.buf = s.text(s.buf, v.S)
			default: // nothing in it to escape
				s.buf = appendText(s.buf, v)
			}
		}
		s.buf = append(s.buf, '\n')
	})
}

func (s *separatedWriter) End() error { return s.flush() }

// string writes a name or a value of a string column. Only these are made safe: a
// spreadsheet reads a number such as -5 as what it is.
func (s *separatedWriter) string(text string) {
	if s.safe && isFormula(text) {
		text = "'" + text
	}
	s.buf = s.text(s.buf, text)
}

// isFormula tells what a spreadsheet would compute: some take the wide forms of the signs,
// and what stands behind a line feed, as well.
func isFormula(text string) bool {
	first, _ := utf8.DecodeRuneInString(text)
	return text != "" && strings.ContainsRune("=+-@\t\r\n＝＋－＠", first)
}

// appendCSV quotes a text that needs it, and the empty one: unquoted it is null.
func appendCSV(dst []byte, text string) []byte {
	if text != "" && !strings.ContainsAny(text, "\",\r\n") {
		return append(dst, text...)
	}
	dst = append(dst, '"')
	for {
		before, after, found := strings.Cut(text, `"`)
		dst = append(dst, before...)
		if !found {
			return append(dst, '"')
		}
		dst = append(dst, `""`...)
		text = after
	}
}

// appendTSV escapes a text as ClickHouse does.
func appendTSV(dst []byte, text string) []byte {
	start := 0
	for i := range len(text) {
		if text[i] >= ' ' && text[i] != '\\' {
			continue
		}
		short := tsvEscape(text[i])
		if short == 0 {
			continue
		}
		dst = append(append(dst, text[start:i]...), '\\', short)
		start = i + 1
	}
	return append(dst, text[start:]...)
}

// tsvEscape returns what stands behind the \ for c; 0: c stands as it is.
func tsvEscape(c byte) byte {
	switch c {
	case '\\':
		return '\\'
	case '\t':
		return 't'
	case '\n':
		return 'n'
	case '\r':
		return 'r'
	case '\b':
		return 'b'
	case '\f':
		return 'f'
	case 0:
		return '0'
	}
	return 0
}
