package audit

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"toolledger/query"
)

// A treeWriter writes the rows of calltree with the tool as a tree with its lines.
type treeWriter struct {
	query.Writer
	levels int // that are drawn; of deeper ones the last
	space  string
	shown  []int // columns
	fields []query.Field

	left []int64 // of each call above: children that are still to come
}

// treeColumns are the columns for people, with the room that they want at least, in the order
// in which a narrow terminal drops them, the last first. Those that are not here are shown
// where there is no terminal, or its width has room for all.
var treeColumns = []struct {
	name string
	room int
}{
	{"tool", 18}, {"verdict", 7}, {"phase", 8}, {"note", 12}, {"agent", 6}, {"duration_ms", 11}, {"request", 8}, {"start", 28}, {"session", 8}, {"index", 5}, {"children", 8}, {"policy", 8},
	{"parent", 8}, {"ordinal", 7}, {"depth", 5}, {"path", 8},
}

func newTreeWriter(f query.Format, w io.Writer, opt query.FormatOptions) query.Writer {
	t := &treeWriter{Writer: f.New(w, opt), levels: 20, space: " ", fields: calltreeFields}
	room := opt.Width - 1
	var names []string
	for _, c := range treeColumns {
		if room -= c.room + 3; f.Name == "table" && opt.Width > 0 && room < 0 && len(names) > 1 {
			break
		}
		names = append(names, c.name)
	}
	for i, field := range t.fields {
		if slices.Contains(names, field.Name) {
			t.shown = append(t.shown, i)
		}
	}
	if f.Name == "table" && opt.Width > 0 {
		t.levels = max(opt.Width/8, 3)
	}
	if f.Name == "markdown" { // which shows several spaces as one
		t.space = "\u00a0"
	}
	return t
}

func (t *treeWriter) Begin([]query.Field) error {
	t.left = nil
	fields := make([]query.Field, len(t.shown))
	for i, c := range t.shown {
		fields[i] = t.fields[c]
	}
	return t.Writer.Begin(fields)
}

func (t *treeWriter) Rows(b *query.Batch) error {
	if err := b.Fill(); err != nil {
		return err
	}
	out := &query.Batch{N: b.N, Cols: make([]*query.Vector, len(t.shown))}
	for i, c := range t.shown {
		out.Cols[i] = b.Cols[c]
		if t.fields[c].Name == "tool" {
			out.Cols[i] = t.tools(b)
		}
	}
	return t.Writer.Rows(out)
}

// tools returns the column of the tools with the lines before them.
func (t *treeWriter) tools(b *query.Batch) *query.Vector {
	column := func(name string) *query.Vector {
		return b.Cols[slices.IndexFunc(t.fields, func(f query.Field) bool { return f.Name == name })]
	}
	depths, tools, children := column("depth"), column("tool"), column("children")
	values := make([]query.Value, b.N)
	for row := range values {
		depth := int(depths.At(row).N)
		t.left = t.left[:depth]
		if depth > 0 {
			t.left[depth-1]--
		}
		values[row] = query.StringOf(t.lines(depth) + treeName(tools.At(row).S))
		t.left = append(t.left, children.At(row).N)
	}
	return query.VectorOf(query.String, values)
}

// lines returns the lines before a call of some depth.
func (t *treeWriter) lines(depth int) string {
	if depth == 0 {
		return ""
	}
	var b strings.Builder
	from := 1
	if depth > t.levels {
		from = depth - t.levels + 1
		fmt.Fprintf(&b, "…%d…", from-1)
	}
	for level := from; level < depth; level++ {
		if t.left[level-1] > 0 {
			b.WriteString("│" + t.space + t.space)
		} else {
			b.WriteString(t.space + t.space + t.space)
		}
	}
	if t.left[depth-1] > 0 {
		b.WriteString("├─" + t.space)
	} else {
		b.WriteString("└─" + t.space)
	}
	return b.String()
}

// treeName returns the name of a tool. One that could be taken for lines of the tree gets
// quotes; none is the sign of what is absent.
func treeName(tool string) string {
	first, _ := utf8.DecodeRuneInString(tool)
	switch {
	case tool == "":
		return "∅"
	case first == '…' || first == '"' || first == '∅' || first >= '─' && first <= '╿' || unicode.IsSpace(first):
		return `"` + tool + `"`
	}
	return tool
}
