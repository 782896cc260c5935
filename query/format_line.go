package query

import (
	"cmp"
	"io"
)

// A lineWriter writes line: the whole of each value, for people.
type lineWriter struct {
	output
	names [][]byte // with the colon after
	null  string
	color bool
	n     int
}

func newLine(w io.Writer, opt FormatOptions) Writer { return newLineWriter(w, opt) }

func newLineWriter(w io.Writer, opt FormatOptions) *lineWriter {
	return &lineWriter{output: output{w: w}, null: cmp.Or(Visible(opt.Null), nullSign), color: opt.Color}
}

func (l *lineWriter) Begin(fields []Field) error {
	l.n = 0
	l.names = make([][]byte, len(fields))
	for i, f := range fields {
		l.names[i] = append(appendVisible(nil, f.Name, newlineSign, " "), ": "...)
	}
	return nil
}

func (l *lineWriter) Rows(b *Batch) error {
	return l.rows(b, func(row int) {
		if l.n++; l.n > 1 {
			l.buf = append(l.buf, '\n')
		}
		for i, col := range b.Cols {
			l.buf = append(l.buf, l.names[i]...)
			v, style := col.At(row), ""
			if l.color {
				style = styleOf(v)
			}
			l.buf = append(l.buf, style...)
			switch {
			case v.isRemoved():
				l.buf = append(l.buf, removedSign...)
			case v.Null:
				l.buf = append(l.buf, l.null...)
			default:
				l.buf = appendShown(l.buf, v, newlineSign)
			}
			if style != "" {
				l.buf = append(l.buf, ansiOff...)
			}
			l.buf = append(l.buf, '\n')
		}
	})
}

func (l *lineWriter) End() error { return l.flush() }

// A rawWriter writes raw: values and nothing else.
type rawWriter struct{ output }

func newRaw(w io.Writer, _ FormatOptions) Writer { return &rawWriter{output{w: w}} }

func (r *rawWriter) Begin([]Field) error { return nil }

func (r *rawWriter) Rows(b *Batch) error {
	return r.rows(b, func(row int) {
		for i, col := range b.Cols {
			if i > 0 {
				r.buf = append(r.buf, '\t')
			}
			if v := col.At(row); !v.Null {
				r.buf = appendText(r.buf, v)
			}
		}
		r.buf = append(r.buf, '\n')
	})
}

func (r *rawWriter) End() error { return r.flush() }
