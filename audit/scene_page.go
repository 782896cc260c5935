package audit

import (
	"cmp"
	"encoding/json"
	"fmt"
	"hash/maphash"
	"io"
	"strings"

	"toolledger/chain"
	"toolledger/query"
)

// pages writes scenes as pages that a person reads from top to bottom.
type pages struct {
	w     io.Writer
	page  pageText
	n     int
	seen  map[uint64]int // prompts, hashed with a key of this process, and in which scene each is
	scene int            // the column
}

// How much of a value a page shows, in characters: of the call, and of an entry beside it.
const (
	pageValue  = 2000
	pageBeside = 160
)

// maxPrompts is how many prompts are known again. When there are more, they are forgotten.
const maxPrompts = 10000

func newPages(w io.Writer, opt query.FormatOptions, terms []query.Term) query.Writer {
	p := &pages{w: w, seen: map[uint64]int{}}
	p.page = pageText{width: max(cmp.Or(opt.Width, 80), 24), color: opt.Color, terms: terms}
	return p
}

func (p *pages) Begin(fields []query.Field) error {
	p.n, p.scene = 0, len(fields)-1
	return nil
}

func (p *pages) Rows(b *query.Batch) error {
	if err := b.Fill(); err != nil {
		return err
	}
	for row := range b.N {
		var d sceneDoc
		if err := json.Unmarshal([]byte(b.Cols[p.scene].At(row).S), &d); err != nil {
			return fmt.Errorf("scene: %w", err)
		}
		p.n++
		p.page.buf = p.page.buf[:0]
		p.write(&d)
		if n, err := p.w.Write(p.page.buf); err != nil || n < len(p.page.buf) {
			return cmp.Or(err, io.ErrShortWrite)
		}
	}
	return nil
}

func (p *pages) End() error {
	_, err := fmt.Fprintf(p.w, "(%d %s)\n", p.n, plural(p.n, "scene"))
	return err
}

func plural(n int, noun string) string {
	if n == 1 {
		return noun
	}
	return noun + "s"
}

// write writes a scene.
func (p *pages) write(d *sceneDoc) {
	t := &p.page
	c := &d.Call
	t.title(fmt.Sprintf("%d  %s", p.n, cmp.Or(c.Tool, "∅")))
	t.field("session", c.Session+" "+indexText(c.Index))
	t.field("request", c.Request)
	t.field("agent", joined(" ", c.Agent, parenthesized(c.Role)))
	t.field("action", c.Action)
	t.field("phase", joined(" ", c.Phase, took(c.Duration)))
	t.field("verdict", c.Verdict)
	t.field("runs in", c.Environment)
	t.field("trace", c.Trace)
	t.field("parent", c.Named)
	if up := d.Parent; up != nil {
		t.line(12, joined(" ", cmp.Or(up.Tool, "∅"), "in session", up.Session, indexText(up.Index), up.Phase))
	}
	for _, n := range d.Notes {
		t.field("note", n)
	}
	p.prompt(d.Prompt)
	t.values("conversation", d.Context)
	t.entries("before it in the session", d.Before)
	t.values("reasoning", d.Reasoning)
	t.values("arguments", d.Args)
	if t.section("verdict"); len(d.Verdict) == 0 {
		t.line(2, "none is recorded")
	}
	for _, v := range d.Verdict {
		text := joined(" ", cmp.Or(v.Verdict, "∅"), "by policy", cmp.Or(v.Policy, "∅"))
		t.item(v.Index, text)
	}
	t.section("life")
	for _, ph := range d.Phases {
		after := ""
		if string(ph.After) != "null" && string(ph.After) != "0" {
			after = "+" + string(ph.After) + " ms"
		}
		t.item(ph.Index, joined("  ", timeText(ph.Time), cmp.Or(ph.Phase, "∅"), after))
	}
	result := "result"
	if c.Phase == "ERROR" {
		result = "error"
	}
	t.values(result, d.Result)
	t.values("metadata", d.Metadata)
	if len(d.Children) > 0 {
		t.section("child calls")
	}
	for _, k := range d.Children {
		t.item(k.Index, joined("  ", timeText(k.Start), cmp.Or(k.Tool, "∅"), k.Phase, k.Verdict, took(k.Duration)))
		t.line(8, joined(" ", "session", k.Session, "request", k.Request, k.Agent))
	}
	t.entries("after it in the session", d.After)
	t.buf = append(t.buf, '\n')
}

// prompt shows the system prompt; one that was shown before by the number of its scene.
func (p *pages) prompt(list []valueDoc) {
	for i, v := range list {
		key := maphash.Bytes(sceneSeed, v.Value)
		first, seen := p.seen[key]
		if !seen {
			if len(p.seen) >= maxPrompts {
				clear(p.seen)
			}
			p.seen[key] = p.n
			p.page.values("system prompt", list[i:i+1])
			continue
		}
		p.page.section("system prompt")
		p.page.line(2, fmt.Sprintf("that of scene %d", first))
	}
}

// joined puts a separator between the texts that are not empty.
func joined(between string, texts ...string) string {
	var list []string
	for _, t := range texts {
		if t != "" {
			list = append(list, t)
		}
	}
	return strings.Join(list, between)
}

func parenthesized(text string) string {
	if text == "" {
		return ""
	}
	return "(" + text + ")"
}

func indexText(index json.RawMessage) string {
	if string(index) == "null" {
		return ""
	}
	return "#" + string(index)
}

func took(ms json.RawMessage) string {
	if string(ms) == "null" {
		return ""
	}
	return "in " + string(ms) + " ms"
}

// timeText shows a time without zeros at its end.
func timeText(at json.RawMessage) string {
	if string(at) == "null" {
		return "∅"
	}
	whole, fraction, _ := strings.Cut(strings.TrimSuffix(chain.Unquote(at), "Z"), ".")
	if fraction = strings.TrimRight(fraction, "0"); fraction != "" {
		whole += "." + fraction
	}
	return whole + "Z"
}
