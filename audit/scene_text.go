package audit

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"toolledger/chain"
	"toolledger/query"
)

// A pageText is the text of a page, wrapped to a width, with the words that the query looked
// for between » and «. Nothing in it can act on a terminal.
type pageText struct {
	buf   []byte
	width int
	color bool
	terms []query.Term
}

const (
	pageBold = "\x1b[1m"
	pageMark = "\x1b[1;33m"
	pageOff  = "\x1b[0m"
)

// title begins a scene.
func (t *pageText) title(text string) { t.rule("━━ ", text, "━") }

// section begins a part of a scene.
func (t *pageText) section(name string) {
	t.buf = append(t.buf, '\n')
	t.rule("── ", name, "─")
}

// rule writes a line with a heading.
func (t *pageText) rule(front, text, line string) {
	text = query.CutText(query.Shown(query.StringOf(text), " "), t.width-6)
	t.buf = append(t.buf, front...)
	t.styled(pageBold, text)
	t.buf = append(t.buf, ' ')
	for range t.width - query.TextWidth(text) - 4 {
		t.buf = append(t.buf, line...)
	}
	t.buf = append(t.buf, '\n')
}

func (t *pageText) styled(style, text string) {
	if t.color {
		text = style + text + pageOff
	}
	t.buf = append(t.buf, text...)
}

// field writes a name and a value, if there is one.
func (t *pageText) field(name, value string) {
	if value != "" {
		t.hanging(2, 12, fmt.Sprintf("%-9s ", name), query.Shown(query.StringOf(value), "⏎"), nil)
	}
}

// line writes a text.
func (t *pageText) line(indent int, text string) {
	t.hanging(indent, indent, "", query.Shown(query.StringOf(text), "⏎"), nil)
}

// item writes a text behind the index of an entry.
func (t *pageText) item(index json.RawMessage, text string) {
	t.hanging(2, 8, fmt.Sprintf("%-5s ", cmp.Or(indexText(index), "#∅")), query.Shown(query.StringOf(text), "⏎"), nil)
}

// values writes a section of values. Each has the index of its entry before it, if there is
// more than one.
func (t *pageText) values(name string, list []valueDoc) {
	if len(list) == 0 {
		return
	}
	t.section(name)
	for _, v := range list {
		if len(list) > 1 {
			t.line(2, indexText(v.Index)+":")
		}
		t.value(v.Value)
	}
}

// value writes a value: an object member by member, an array element by element.
func (t *pageText) value(v json.RawMessage) {
	switch {
	case bytes.HasPrefix(v, []byte("{")) && len(v) > 2:
		for name, x := range chain.Members(v) {
			t.named(chain.Unquote(name), x)
		}
	case bytes.HasPrefix(v, []byte("[")) && len(v) > 2:
		for i, x := range chain.Elements(v) {
			t.named(fmt.Sprint(i+1), x)
		}
	default:
		t.marked(2, 2, "", plain(v), pageValue)
	}
}

// named writes a member of a value.
func (t *pageText) named(name string, v json.RawMessage) {
	name = query.CutText(query.Shown(query.StringOf(name), "⏎"), t.width/3)
	t.marked(2, 4, name+"  ", plain(v), pageValue)
}

// entries writes a section of entries beside the call.
func (t *pageText) entries(name string, list []entryDoc) {
	if len(list) == 0 {
		return
	}
	t.section(name)
	for _, e := range list {
		t.item(e.Index, joined("  ", timeText(e.Time), cmp.Or(e.Tool, "∅"), e.Phase, e.Verdict, e.Request))
		for _, m := range []struct {
			name string
			v    json.RawMessage
		}{{"thought", e.Reasoning}, {"args", e.Args}, {"result", e.Response}} {
			if text := string(m.v); text != "null" && text != `""` {
				t.marked(8, 10, m.name+"  ", plain(m.v), pageBeside)
			}
		}
	}
}

// plain returns the text of a string, or a value's JSON.
func plain(v json.RawMessage) string {
	if bytes.HasPrefix(v, []byte(`"`)) {
		return chain.Unquote(v)
	}
	return string(v)
}

// marked writes a text with its marks. Of a long one it shows the front, and says how much
// there is besides.
func (t *pageText) marked(indent, hang int, front, text string, most int) {
	more := 0
	if n := utf8.RuneCountInString(text); n > most {
		cut := 0
		for range most {
			_, size := utf8.DecodeRuneInString(text[cut:])
			cut += size
		}
		text, more = text[:cut], n-most
	}
	shown, marks := t.mark(text)
	if more > 0 {
		shown += fmt.Sprintf("… (%d more %s)", more, plural(more, "character"))
	}
	t.hanging(indent, hang, front, shown, marks)
}

// mark makes a text visible, with marks around what the query looked for, and returns where
// they are.
func (t *pageText) mark(text string) (shown string, marks []query.Line) {
	var spans []query.Line
	for i := range t.terms {
		for from, to := range t.terms[i].In(text) {
			spans = append(spans, query.Line{From: from, To: to})
		}
	}
	slices.SortFunc(spans, func(a, b query.Line) int { return cmp.Or(cmp.Compare(a.From, b.From), cmp.Compare(b.To, a.To)) })
	var b strings.Builder
	visible := func(text string) { b.WriteString(query.Shown(query.StringOf(text), "\n")) }
	at := 0
	for _, s := range spans {
		if s.From < at {
			continue
		}
		visible(text[at:s.From])
		from := b.Len()
		b.WriteString("»")
		visible(text[s.From:s.To])
		b.WriteString("«")
		marks = append(marks, query.Line{From: from, To: b.Len()})
		at = s.To
	}
	visible(text[at:])
	return b.String(), marks
}

// hanging writes a text that is safe to show behind something in front of it. Its lines but the
// first begin at hang.
func (t *pageText) hanging(indent, hang int, front, text string, marks []query.Line) {
	first := indent + query.TextWidth(front)
	lines := query.WrapText(text, t.width-max(first, hang))
	t.spaces(indent)
	t.buf = append(t.buf, front...)
	for i, l := range lines {
		if i > 0 {
			t.spaces(hang)
		}
		t.colored(text, l, marks)
		t.buf = append(bytes.TrimRight(t.buf, " "), '\n')
	}
}

// colored writes a line of a text; where there are colours, marks have one.
func (t *pageText) colored(text string, l query.Line, marks []query.Line) {
	at := l.From
	for _, m := range marks {
		from, to := max(m.From, at), min(m.To, l.To)
		if !t.color || from >= to {
			continue
		}
		t.buf = append(t.buf, text[at:from]...)
		t.styled(pageMark, text[from:to])
		at = to
	}
	t.buf = append(t.buf, text[at:l.To]...)
}

func (t *pageText) spaces(n int) {
	for range n {
		t.buf = append(t.buf, ' ')
	}
}
