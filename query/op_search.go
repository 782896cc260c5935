package query

import (
	"fmt"
	"slices"

	"github.com/alecthomas/participle/v2/lexer"
)

// search looks for terms in all columns, of one table or of many.

func init() {
	register(Op{Name: "search", Source: true,
		Usage:   `search [kind=case_sensitive] [in (TABLE, ...)] "TERM" [and|or CONDITION ...]`,
		Doc:     `passes the rows on that have a term in any column: "x", "x*", "*x", "*x*", "a*b"; COLUMN:"x" looks in one; $table tells where a row is from`,
		Example: `datatable(s:string)["red fox", "grey wolf"] | search "fox" or s:"wol*"`, Parse: parseSearch})
}

// searchStage: search.
type searchStage struct {
	place
	exact  bool // kind=case_sensitive
	tables []node
	cond   node
}

func parseSearch(lex *lexer.PeekingLexer) (Stage, error) {
	p := &searchParser{exprParser{lex: lex}}
	st := &searchStage{place: place{from: p.peek().Pos.Offset}}
	err := st.kind(p)
	if err != nil {
		return nil, err
	}
	if p.accept("in") {
		if err = p.expect("(", "and tables after in"); err != nil {
			return nil, err
		}
		for more := true; more; more = p.accept(",") {
			t, err := p.tableOrPattern()
			if err != nil {
				return nil, err
			}
			st.tables = append(st.tables, t)
		}
		if err = p.expect(")", "after the tables"); err != nil {
			return nil, err
		}
	}
	st.cond, err = p.or()
	st.to = p.end()
	return st, err
}

func (st *searchStage) String() string { return "search " + st.cond.String() }

// kind reads kind=case_sensitive. A column may be named kind.
func (st *searchStage) kind(p *searchParser) error {
	cp := p.lex.MakeCheckpoint()
	if !p.accept("kind") || !p.accept("=") {
		p.lex.LoadCheckpoint(cp)
		return nil
	}
	switch t := p.lex.Next(); t.Value {
	case "default", "case_insensitive":
	case "case_sensitive":
		st.exact = true
	default:
		return unexpected(t, "expected case_sensitive or case_insensitive")
	}
	return nil
}

// Bind sets the tables to search side by side, as union does, and filters them.
func (st *searchStage) Bind(b *binder, in *relation) (*relation, error) {
	legs, err := st.legs(b, in)
	if err != nil {
		return nil, err
	}
	for _, l := range legs {
		if l.rel.field("$table") >= 0 {
			return nil, errorAt(st, "search behind search is not supported here; join the conditions with 'and'")
		}
	}
	fields, err := (&unionStage{source: "$table"}).columns(legs)
	if err != nil {
		return nil, err
	}
	columns := fields[1:]
	s := b.scope(&relation{fields: columns, loose: anyLoose(legs)})
	cond, err := (&searchBinder{s, st.exact}).bind(st.cond)
	if err != nil {
		return nil, err
	}
	opens, inputs := make([]func(*run) Batches, len(legs)), legInputs(legs)
	for i, l := range legs {
		rel := l.rel.stepped(fields, l.search(columns, cond), false)
		if l.rel.named && len(legs) == 1 && !st.exact {
			inputs[i].scan = rel.scan.narrowed(s, st.cond)
			rel.over(inputs[i].scan, rel.steps, false)
		}
		opens[i] = rel.open
	}
	rel := &relation{fields: fields, ordered: in != nil && in.ordered, loose: s.rel.loose, open: func(r *run) Batches {
		return func(yield func(*Batch, error) bool) {
			for _, open := range opens {
				for batch, err := range open(r) {
					if !yield(batch, err) || err != nil {
						return
					}
				}
			}
		}
	}}
	notes := []string{"one table after the other"}
	if !slices.ContainsFunc(legs, func(l *leg) bool { return l.rel.scan == nil }) {
		notes = append(notes, "on all cores")
	}
	return rel.by(planStep{in: inputs, notes: notes, needs: func(out columnSet) []columnSet {
		return legNeeds(legs, out[1:].with(cond))
	}}), nil
}

// legs are the tables to search: what stands before '|', what is named behind in, or all.
func (st *searchStage) legs(b *binder, in *relation) (legs []*leg, err error) {
	if in != nil {
		if st.tables != nil {
			return nil, errorAt(st, "search in (...) stands first, not behind '|'")
		}
		return []*leg{{rel: in, source: b.searchName(nil, in, 0)}}, nil
	}
	tables := st.tables
	if tables == nil {
		tables = b.searchable(st.place)
	}
	for _, n := range tables {
		nodes := []node{n}
		if pattern, ok := n.(patternNode); ok {
			if nodes = b.tablesLike(pattern); len(nodes) == 0 {
				return nil, errorAt(n, "no table is named as %s", pattern.pattern)
			}
		}
		for _, n := range nodes {
			rel, err := b.table(n)
			if err != nil {
				return nil, err
			}
			legs = append(legs, &leg{rel: rel, source: b.searchName(n, rel, len(legs))})
		}
	}
	if len(legs) == 0 {
		return nil, errorAt(st, "there is no table to search; name some: search in (TABLE, ...)")
	}
	return legs, nil
}

// searchable returns the tables of the source and the functions that give one; where there
// are none of them, the tables that let gave.
func (b *binder) searchable(at place) (tables []node) {
	var given []node
	for _, n := range b.tablesLike(patternNode{place: at, pattern: "*"}) {
		d := b.names.find(n.(*nameNode).name)
		switch {
		case d != nil && d.table != nil:
			given = append(given, n)
		case d == nil || !d.function.active:
			tables = append(tables, n)
		}
	}
	if len(tables) == 0 {
		return given
	}
	return tables
}

// searchName is what $table calls a table.
func (b *binder) searchName(n node, rel *relation, i int) string {
	name := b.sourceName(n, rel, i)
	if name == fmt.Sprint("union_arg", i) {
		return fmt.Sprint("search_arg", i)
	}
	return name
}

// search returns a function that takes the rows for which a condition on all columns is
// true, and adds $table.
func (l *leg) search(columns []Field, cond expr) func(*run, *Batch) (*Batch, error) {
	label := Repeated(StringOf(l.source))
	return func(_ *run, b *Batch) (*Batch, error) {
		wide := l.batch(b, columns, false)
		rows, err := selected(cond, wide)
		if err != nil {
			return nil, err
		}
		if len(rows) < wide.N {
			wide = wide.Take(rows)
		}
		return &Batch{N: wide.N, Cols: append([]*Vector{label}, wide.Cols...)}, nil
	}
}
