package query

import (
	"cmp"
	"io"
	"strconv"
	"unicode/utf8"
)

// The first rows of a table, up to a number or a size, decide how wide its columns are.
// After them it streams: a wider value makes its column wider while there is room, and is
// cut where there is none.
const (
	sampleRows = 1000
	sampleSize = 64 << 10
)

// maxPad is how wide a column gets where nothing is cut. A wider value stands out of the
// table: one huge text does not make every row huge.
const maxPad = 1000

// shownMost is how much of a value is looked at where values are cut.
const shownMost = 4 << 10

// A tableWriter writes table. Where the terminal is too narrow for the columns, it writes
// line instead.
type tableWriter struct {
	output
	opt    FormatOptions
	fields []Field
	widths []int
	n      int // rows

	started bool        // the head is written
	line    *lineWriter // instead of a table; nil: a table
	sample  [][]Value
	size    int // of the sample, in bytes

	text  []byte // of the row that is written
	cells []tableCell
}

// A tableCell is where a cell is in the text of its row.
type tableCell struct {
	from, to int
	width    int
	style    string // in colour
	cut      bool   // the text is only the front of the value
}

func newTable(w io.Writer, opt FormatOptions) Writer {
	return &tableWriter{output: output{w: w}, opt: opt}
}

func (t *tableWriter) Begin(fields []Field) error {
	*t = tableWriter{output: t.output, opt: t.opt, fields: fields}
	t.widths = make([]int, len(fields))
	t.cells = make([]tableCell, len(fields))
	return nil
}

func (t *tableWriter) Rows(b *Batch) error {
	if err := b.Fill(); err != nil {
		return err
	}
	t.n += b.N
	if t.started {
		return t.write(b)
	}
	for row := range b.N {
		values := b.Row(row)
		t.sample = append(t.sample, values)
		for _, v := range values {
			t.size += 16 + len(v.S)
		}
		if len(t.sample) < sampleRows && t.size < sampleSize {
			continue
		}
		if err := t.start(); err != nil {
			return err
		}
		return t.write(b.Take(rowsFrom(row+1, b.N)))
	}
	return nil
}

// rowsFrom returns the numbers from from to n, without n.
func rowsFrom(from, n int) []int {
	list := make([]int, n-from)
	for i := range list {
		list[i] = from + i
	}
	return list
}

func (t *tableWriter) write(b *Batch) error {
	switch {
	case t.line != nil:
		return t.line.Rows(b)
	case len(t.fields) == 0: // only counted
		return nil
	}
	return t.rows(b, func(row int) {
		t.row(func(c int) Value { return b.Cols[c].At(row) }, "")
	})
}

func (t *tableWriter) End() error {
	if !t.started {
		if err := t.start(); err != nil {
			return err
		}
	}
	if t.line == nil {
		t.rule("└", "┴", "┘")
	} else if t.n > 0 {
		t.buf = append(t.buf, '\n')
	}
	t.buf = append(t.buf, '(')
	t.buf = strconv.AppendInt(t.buf, int64(t.n), 10)
	if t.n == 1 {
		t.buf = append(t.buf, " row)\n"...)
	} else {
		t.buf = append(t.buf, " rows)\n"...)
	}
	return t.flush()
}

// start finds the widths and writes the head and the sample.
func (t *tableWriter) start() error {
	t.started = true
	head := func(c int) Value { return StringOf(t.fields[c].Name) }
	if !t.opt.NoHead {
		t.fit(head)
	}
	for _, values := range t.sample {
		t.fit(func(c int) Value { return values[c] })
	}
	sample := batchOf(t.fields, t.sample)
	t.sample = nil
	if t.opt.Width > 0 && !squeeze(t.widths, t.opt.Width-t.borders()) {
		t.line = newLineWriter(t.w, t.opt)
		if err := t.line.Begin(t.fields); err != nil {
			return err
		}
		return t.line.Rows(sample)
	}
	t.rule("┌", "┬", "┐")
	if len(t.fields) > 0 && !t.opt.NoHead {
		t.row(head, ansiBold)
		t.rule("├", "┼", "┤")
	}
	return t.write(sample)
}

// fit makes the columns as wide as the cells of a row.
func (t *tableWriter) fit(cell func(c int) Value) {
	t.show(cell)
	for c := range t.cells {
		t.widths[c] = min(max(t.widths[c], t.cells[c].width, 1), maxPad)
	}
}

// borders returns how many columns of the terminal are not those of cells.
func (t *tableWriter) borders() int { return 3*len(t.fields) + 1 }

// show makes the text of a row.
func (t *tableWriter) show(cell func(c int) Value) {
	t.text = t.text[:0]
	for c := range t.cells {
		v, at := cell(c), &t.cells[c]
		*at = tableCell{from: len(t.text)}
		if t.opt.Color {
			at.style = styleOf(v)
		}
		if t.opt.Width > 0 && len(v.S) > shownMost {
			v.S, at.cut = frontOf(v.S, shownMost), true
		}
		switch {
		case v.isRemoved():
			v = StringOf(removedSign)
		case v.Null:
			v = StringOf(cmp.Or(t.opt.Null, nullSign))
		}
		t.text = appendShown(t.text, v, newlineSign)
		var last int
		at.width, last = measure(t.text[at.from:])
		if at.cut { // perhaps within a cluster
			t.text = t.text[:at.from+last]
			at.width = shownMost
		}
		at.to = len(t.text)
	}
}

// frontOf returns n bytes of text, or fewer so as not to cut a character.
func frontOf(text string, n int) string {
	for n > 0 && !utf8.RuneStart(text[n]) {
		n--
	}
	return text[:n]
}

// row appends a row.
func (t *tableWriter) row(cell func(c int) Value, style string) {
	t.show(cell)
	t.grow()
	for c, at := range t.cells {
		text, width, more := t.text[at.from:at.to], at.width, false
		if t.opt.Width > 0 && width > t.widths[c] {
			n, w := cutText(text, t.widths[c])
			text, width, more = text[:n], w+1, true
		}
		pad := max(t.widths[c]-width, 0)
		t.buf = append(t.buf, "│ "...)
		if t.fields[c].Kind.isNumber() {
			t.spaces(pad)
			pad = 0
		}
		t.styled(text, more, cmp.Or(style, at.style))
		t.spaces(pad + 1)
	}
	t.buf = append(t.buf, "│\n"...)
}

// grow makes columns wider whose cells need it, as far as there is room.
func (t *tableWriter) grow() {
	room := t.opt.Width - t.borders()
	for _, w := range t.widths {
		room -= w
	}
	for c, at := range t.cells {
		more := at.width - t.widths[c]
		if t.opt.Width == 0 {
			room = maxPad - t.widths[c]
		}
		if more = min(more, room); more > 0 {
			t.widths[c] += more
			room -= more
		}
	}
}

// styled appends the text of a cell, in a style if there are colours.
func (t *tableWriter) styled(text []byte, more bool, style string) {
	if !t.opt.Color {
		style = ""
	}
	t.buf = append(t.buf, style...)
	t.buf = append(t.buf, text...)
	if more {
		t.buf = append(t.buf, "…"...)
	}
	if style != "" {
		t.buf = append(t.buf, ansiOff...)
	}
}

func (t *tableWriter) spaces(n int) {
	for range n {
		t.buf = append(t.buf, ' ')
	}
}

// rule appends a border.
func (t *tableWriter) rule(left, middle, right string) {
	for c, w := range t.widths {
		if c == 0 {
			t.buf = append(t.buf, left...)
		} else {
			t.buf = append(t.buf, middle...)
		}
		for range w + 2 {
			t.buf = append(t.buf, "─"...)
		}
	}
	if len(t.widths) > 0 {
		t.buf = append(t.buf, right+"\n"...)
	}
}
