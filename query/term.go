package query

import (
	"iter"
	"slices"
	"strings"
)

// A Term is a text that a query looks for, as `reasoning has "delete"` does.
type Term struct {
	Op   string // such as has or contains
	Text string
	find *needle
}

// In walks the places of the term in a text, from and to, that do not overlap. One at the
// beginning of a text or of a word, as startswith and hasprefix ask, is looked for there.
func (t *Term) In(text string) iter.Seq2[int, int] {
	return func(yield func(int, int) bool) {
		base, _ := strings.CutSuffix(t.Op, "_cs")
		end := 0
		for f := t.find.in(text); ; {
			from, to := f.next()
			switch {
			case from < 0:
				return
			case from < end, // it overlaps the one before
				(base == "has" || base == "hasprefix") && t.find.opens && endsInTerm(text[:from]),
				(base == "has" || base == "hassuffix") && t.find.closes && beginsInTerm(text[to:]),
				base == "startswith" && from > 0, base == "endswith" && to < len(text):
				continue
			}
			end = to
			if !yield(from, to) {
				return
			}
		}
	}
}

// A searching stage looks for terms.
type searching interface{ terms(b *binder) []Term }

func (st *whereStage) terms(b *binder) []Term  { return termsOf(b, st.Cond.node) }
func (st *searchStage) terms(b *binder) []Term { return termsOf(b, st.cond) }

// looking returns the relation that a stage made of another, with the terms of both.
func (b *binder) looking(st Stage, in, out *relation) *relation {
	var terms []Term
	if in != nil {
		terms = in.terms
	}
	if s, ok := st.(searching); ok {
		terms = slices.Concat(terms, s.terms(b))
	}
	if out != in && len(terms) > 0 {
		out.terms = terms
	}
	return out
}

// termsOf returns the terms of a condition that a row may have for it to be true, in order.
func termsOf(b *binder, n node) (list []Term) {
	add := func(op string, n node) {
		if text, ok := termText(b, n); ok && text != "" {
			list = append(list, Term{op, text, newNeedle(text, textOps[op].fold)})
		}
	}
	switch n := n.(type) {
	case *binaryNode:
		switch _, ok := textOps[n.op]; {
		case n.op == "and" || n.op == "or":
			return append(termsOf(b, n.l), termsOf(b, n.r)...)
		case ok && n.op != "=~":
			add(n.op, n.r)
		}
	case *listNode:
		if n.op == "has_any" || n.op == "has_all" {
			for _, x := range n.list {
				add("has", x)
			}
		}
	case *termNode:
		addSearched(add, StringOf(n.text))
	case *literalNode:
		addSearched(add, n.value)
	case *nameNode:
		if text, ok := termText(b, n); ok {
			addSearched(add, StringOf(text))
		}
	}
	return list
}

// addSearched adds a term as search has it, with a * where a word goes on. Of one with a *
// within, it adds nothing.
func addSearched(add func(op string, n node), v Value) {
	inner := strings.Trim(v.S, "*")
	if v.Kind != String || strings.Contains(inner, "*") {
		return
	}
	op := "has"
	switch begins, ends := strings.HasPrefix(v.S, "*"), strings.HasSuffix(v.S, "*"); {
	case begins && ends:
		op = "contains"
	case begins:
		op = "hassuffix"
	case ends:
		op = "hasprefix"
	}
	add(op, &literalNode{value: StringOf(inner)})
}

// termText returns the text that a literal is, or that let gave a name.
func termText(b *binder, n node) (string, bool) {
	switch n := n.(type) {
	case *literalNode:
		return n.value.S, n.value.Kind == String
	case *nameNode:
		if d := b.names.find(n.name); d != nil && d.value != nil {
			return d.value.S, d.value.Kind == String
		}
	}
	return "", false
}
