package query

import "io"

// Formats returns the formats of results, by name.
func Formats() []Format {
	return []Format{
		{"csv", "RFC 4180 with a header; null is empty, the empty text is \"\"", false, newCSV},
		{"json", "an array of objects, one row a line; of each query one array", false, newJSON},
		{"jsonl", "one object a line: the one for pipes", false, newJSONL},
		{"line", "one name: value a line, a blank line between rows", true, newLine},
		{"markdown", "a table for a report", true, newMarkdown},
		{"raw", "values as they are with tabs between, nothing escaped: not for a terminal", false, newRaw},
		{"table", "columns for people, cut to the width of the terminal", true, newTable},
		{"tsv", "tab separated with a header; tab, newline and \\ escaped with \\; null is \\N", false, newTSV},
	}
}

// FormatNamed returns the format of a name, nil if there is none.
func FormatNamed(name string) *Format {
	for _, f := range Formats() {
		if f.Name == name {
			return &f
		}
	}
	return nil
}

// fullOutput is how many bytes an output holds before they are written, though the batch
// is not at its end.
const fullOutput = 256 << 10

// An output collects bytes, so that a batch is one Write.
type output struct {
	w   io.Writer
	buf []byte
}

// flush writes what is held. A disk may be full or the reader gone, so every error counts.
func (o *output) flush() error {
	if len(o.buf) == 0 {
		return nil
	}
	n, err := o.w.Write(o.buf)
	if err == nil && n < len(o.buf) {
		err = io.ErrShortWrite
	}
	o.buf = o.buf[:0]
	return err
}

// rows calls row for each row of b, which appends it to buf, and writes the batch.
func (o *output) rows(b *Batch, row func(i int)) error {
	if err := b.Fill(); err != nil {
		return err
	}
	for i := range b.N {
		row(i)
		if len(o.buf) < fullOutput {
			continue
		}
		if err := o.flush(); err != nil {
			return err
		}
	}
	return o.flush()
}
