package audit

import (
	"bufio"
	"fmt"
	"io"
	"strconv"
	"strings"

	"toolledger/chain"
	"toolledger/query"
)

// A diffWriter writes the rows of diff for people: both sessions side by side, below a pair
// where it differs, and of calls that are the same those next to one that is not.
type diffWriter struct {
	w       *bufio.Writer
	width   int // 0: nothing is cut
	cell    int // width of a side
	names   [2]string
	context int

	counts  map[string]int
	skipped int      // calls that are the same, since the last line
	waiting []string // the last of them, up to context
	after   int      // how many more are written
}

// diffSigns stand between the sides.
var diffSigns = map[string]string{sameCall: "=", differentArgs: "≠", differentResponse: "~", onlyA: "<", onlyB: ">", unknownRemoved: "?"}

// diffKinds are the kinds with their words in the last line.
var diffKinds = []struct{ kind, words string }{
	{sameCall, "the same"}, {differentArgs, "≠ with other args"}, {differentResponse, "~ with another response"}, {onlyA, "< only in a"}, {onlyB, "> only in b"},
	{unknownRemoved, "? unknown (removed)"},
}

// The width of a side where there is no terminal, and the least.
const (
	plainCell = 58
	leastCell = 20
)

// shownChanges is how many changes of a pair people see.
const shownChanges = 12

func newDiffWriter(w io.Writer, width int, a, b string, context int) query.Writer {
	d := &diffWriter{w: bufio.NewWriter(w), width: width, cell: plainCell, names: [2]string{a, b}, context: context, counts: map[string]int{}}
	if width > 0 {
		d.cell = max((width-3)/2, leastCell)
	}
	return d
}

func (d *diffWriter) Begin([]query.Field) error {
	_, err := d.w.WriteString(d.line("a: "+query.Visible(d.names[0]), " ", "b: "+query.Visible(d.names[1])))
	return err
}

func (d *diffWriter) Rows(b *query.Batch) error {
	if err := b.Fill(); err != nil {
		return err
	}
	for row := range b.N {
		d.row(b.Row(row))
	}
	return d.w.Flush()
}

// row writes a row, whose values are those of diffFields.
func (d *diffWriter) row(v []query.Value) {
	kind := v[0].S
	d.counts[kind]++
	if kind == sameCall {
		line := d.pair(v)
		if d.after > 0 {
			d.after--
			d.w.WriteString(line)
			return
		}
		d.waiting = append(d.waiting, line)
		if len(d.waiting) > d.context {
			d.waiting = d.waiting[1:]
			d.skipped++
		}
		return
	}
	d.skip()
	for _, line := range d.waiting {
		d.w.WriteString(line)
	}
	d.waiting, d.after = nil, d.context
	if v[1].Bool() {
		rule := "── first divergence "
		d.w.WriteString(rule + strings.Repeat("─", max(2*d.cell+3-query.Width(rule), 2)) + "\n")
	}
	d.w.WriteString(d.pair(v))
	d.changes(v[9])
}

// skip says how many calls are not shown.
func (d *diffWriter) skip() {
	if d.skipped > 0 {
		fmt.Fprintf(d.w, "%s … %s the same …\n", strings.Repeat(" ", 5), callsAre(d.skipped))
	}
	d.skipped = 0
}

func callsAre(n int) string {
	if n == 1 {
		return "1 call is"
	}
	return fmt.Sprintf("%d calls are", n)
}

// pair returns the line of a row.
func (d *diffWriter) pair(v []query.Value) string {
	side := func(index, args query.Value, other string) string {
		if v[0].S == other {
			return ""
		}
		at := "∅"
		if !index.Null {
			at = strconv.FormatInt(index.N, 10)
		}
		text := fmt.Sprintf("%5s %s", at, query.Visible(front(v[2].S)))
		if !args.Null && args.S != "{}" {
			text += " " + query.Visible(front(args.S))
		}
		return text
	}
	return d.line(side(v[3], v[5], onlyB), diffSigns[v[0].S], side(v[4], v[6], onlyA))
}

// mostShown is how much of a value is looked at where it is cut.
const mostShown = 4 << 10

// front returns as much of a text as can be shown.
func front(text string) string {
	if len(text) > mostShown {
		return strings.ToValidUTF8(text[:mostShown], "") + "…"
	}
	return text
}

// line returns two sides with a sign between them.
func (d *diffWriter) line(a, sign, b string) string {
	if d.width > 0 {
		a, b = query.Cut(a, d.cell), query.Cut(b, d.cell)
	}
	return strings.TrimRight(a+strings.Repeat(" ", max(d.cell-query.Width(a), 0))+" "+sign+" "+b, " ") + "\n"
}

// changes writes where a pair differs, one place a line.
func (d *diffWriter) changes(list query.Value) {
	if list.Null {
		return
	}
	n := 0
	for i, c := range chain.Elements([]byte(list.S)) {
		var path, a, b, more string
		a, b = "(absent)", "(absent)"
		for name, value := range chain.Members(c) {
			switch string(name) {
			case `"path"`:
				path = chain.Unquote(value)
			case `"a"`:
				a = string(value)
			case `"b"`:
				b = string(value)
			case `"more"`:
				more = string(value)
			}
		}
		if i >= shownChanges || more != "" {
			n++
			continue
		}
		d.w.WriteString(d.change(query.Visible(front(path)), query.Visible(front(a)), query.Visible(front(b))))
	}
	if n > 0 {
		d.w.WriteString(strings.Repeat(" ", 8) + "… and more\n")
	}
}

// change returns the line of a place: path: a → b. Where it is too long, both values are cut,
// the shorter one less.
func (d *diffWriter) change(path, a, b string) string {
	const indent = 8
	if d.width > 0 {
		path = query.Cut(path, max(d.width/2, leastCell))
		room := max(d.width-indent-query.Width(path)-len(": ")-len(" → ")+2, leastCell)
		half := room / 2
		wa, wb := query.Width(a), query.Width(b)
		switch {
		case wa+wb <= room:
		case wa <= half:
			b = query.Cut(b, room-wa)
		case wb <= half:
			a = query.Cut(a, room-wb)
		default:
			a, b = query.Cut(a, half), query.Cut(b, half)
		}
	}
	return strings.Repeat(" ", indent) + path + ": " + a + " → " + b + "\n"
}

func (d *diffWriter) End() error {
	d.skipped += len(d.waiting)
	d.skip()
	var parts []string
	for _, k := range diffKinds {
		if n := d.counts[k.kind]; n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, k.words))
		}
	}
	fmt.Fprintf(d.w, "(%s)\n", strings.Join(parts, ", "))
	return d.w.Flush()
}
