package query

import (
	"io"
	"strings"
)

// A markdownWriter writes markdown: a table of GitHub's dialect.
type markdownWriter struct {
	output
	cell []byte
}

func newMarkdown(w io.Writer, _ FormatOptions) Writer {
	return &markdownWriter{output: output{w: w}}
}

func (m *markdownWriter) Begin(fields []Field) error {
	if len(fields) == 0 {
		return nil
	}
	for _, f := range fields {
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
