package query

import (
	"cmp"
	"io"
	"strings"
)

// A markdownWriter writes markdown: a table of GitHub's dialect.
type markdownWriter struct {
	output
	null string
	bare bool // without the names of columns
	cell []byte
}

func newMarkdown(w io.Writer, opt FormatOptions) Writer {
	return &markdownWriter{output: output{w: w}, null: cmp.Or(opt.Null, nullSign), bare: opt.NoHead}
}

func (m *markdownWriter) Begin(fields []Field) error {
	if len(fields) == 0 {
		return nil
	}
	for _, f := range fields {
		if m.bare { // the dialect has no table without a head
			f.Name = ""
		}
		m.write(StringOf(f.Name))
	}
	m.buf = append(m.buf, "|\n"...)
	for _, f := range fields {
		if f.Kind.isNumber() {
			m.buf = append(m.buf, "| ---: "...)
		} else {
			m.buf = append(m.buf, "| --- "...)
		}
	}
	m.buf = append(m.buf, "|\n"...)
	return nil
}

func (m *markdownWriter) Rows(b *Batch) error {
	if len(b.Cols) == 0 {
		return nil
	}
	return m.rows(b, func(row int) {
		for _, col := range b.Cols {
			m.write(col.At(row))
		}
		m.buf = append(m.buf, "|\n"...)
	})
}

func (m *markdownWriter) End() error { return m.flush() }

// write appends a cell.
func (m *markdownWriter) write(v Value) {
	m.buf = append(m.buf, "| "...)
	if v.Null {
		v = StringOf(m.null)
	}
	v.S = strings.ReplaceAll(v.S, "\r\n", "\n")
	m.cell = appendShown(m.cell[:0], v, "\n")
	slashes := 0 // in a row
	for _, c := range m.cell {
		switch c {
		case '\n':
			m.buf = append(m.buf, "<br>"...)
		case '<': // or it could begin a comment, or be a <br> of its own
			m.buf = append(m.buf, "&lt;"...)
		case '|': // the \ before it are doubled, or the last would escape ours
			m.buf = append(m.buf, strings.Repeat(`\`, slashes+1)...)
			fallthrough
		default:
			m.buf = append(m.buf, c)
		}
		if slashes++; c != '\\' {
			slashes = 0
		}
	}
	m.buf = append(m.buf, ' ')
}
