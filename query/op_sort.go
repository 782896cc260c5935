package query

import (
	"fmt"

	"github.com/alecthomas/participle/v2/lexer"
)

func init() {
	register(
		Op{Name: "sort", Aliases: []string{"order"}, Usage: "sort by EXPRESSION [asc|desc] [nulls first|last], ...", Doc: "puts the rows in order, the greatest first unless asc is said; equal rows stay in their order",
			Example: "range x from 1 to 3 step 1 | sort by x desc", Parse: parseSort},
		Op{Name: "top", Usage: "top N by EXPRESSION [asc|desc] [nulls first|last], ...", Doc: "passes the first N rows on, in the order of sort",
			Example: "range x from 1 to 5 step 1 | top 2 by x", Parse: parseTop},
	)
}

// A sortKey is what rows are ordered by.
type sortKey struct {
	x          node
	asc        bool
	nullsFirst bool
}

// parseSortKeys reads "by EXPRESSION [asc|desc] [nulls first|last], ...".
func parseSortKeys(p *exprParser) (keys []sortKey, err error) {
	if err := p.expect("by", "and what to sort by"); err != nil {
		return nil, err
	}
	for {
		x, err := p.expr(0)
		if err != nil {
			return nil, err
		}
		k := sortKey{x: x}
		if p.accept("asc") {
			k.asc, k.nullsFirst = true, true
		} else {
			p.accept("desc")
		}
		if p.accept("nulls") {
			switch {
			case p.accept("first"):
				k.nullsFirst = true
			case p.accept("last"):
				k.nullsFirst = false
			default:
				return nil, unexpected(p.peek(), "expected first or last after nulls")
			}
		}
		keys = append(keys, k)
		if !p.accept(",") {
			return keys, nil
		}
	}
}

// sortStage: sort by ..., and top N by ....
type sortStage struct {
	n    node // of top; else nil
	keys []sortKey
}

func parseSort(lex *lexer.PeekingLexer) (Stage, error) {
	keys, err := parseSortKeys(&exprParser{lex: lex})
	return &sortStage{keys: keys}, err
}

func parseTop(lex *lexer.PeekingLexer) (Stage, error) {
	p := &exprParser{lex: lex}
	n, err := p.expr(0)
	if err != nil {
		return nil, err
	}
	keys, err := parseSortKeys(p)
	return &sortStage{n, keys}, err
}

func (st *sortStage) Bind(b *binder, in *relation) (*relation, error) {
	s := b.scope(in)
	exprs := make([]expr, len(st.keys))
	for i, k := range st.keys {
		e, err := s.expr(k.x)
		if err != nil {
			return nil, err
		}
		if e.kind() == Dynamic {
			return nil, errorAt(k.x, "a dynamic has no order; convert it with tostring() or tolong()")
		}
		exprs[i] = e
	}
	limit, operator := int64(-1), "sort"
	if st.n != nil {
		n, err := b.number(st.n, "top")
		if err != nil {
			return nil, err
		}
		limit, operator = n, "top"
	}
	out := in.derived(in.fields, func(r *run) Batches {
		return (&sorter{run: r, in: in, operator: operator, exprs: exprs, keys: st.keys}).open(limit)
	})
	out.ordered = true
	switch {
	case limit < 0:
		return out.by(planStep{in: from(in), notes: []string{"holds all rows, with all columns"}}), nil
	case limit == 0:
		return out.by(planStep{in: from(in), notes: []string{"keeps no row, and reads none"}, needs: needsOnly(in)}), nil
	}
	return out.by(planStep{in: from(in), notes: []string{fmt.Sprintf("keeps the first %d rows, with all columns", limit)}}), nil
}

// compareForSort orders two values; NaN stands beside null.
func compareForSort(a, b Value, k sortKey) int {
	rank := func(v Value) int { // of nulls and NaN against values
		switch {
		case v.Null:
			return 2
		case isNaN(v):
			return 1
		}
		return 0
	}
	if x, y := rank(a), rank(b); x > 0 || y > 0 {
		if x == y {
			return 0
		}
		if k.nullsFirst {
			return y - x
		}
		return x - y
	}
	c := compare(a, b)
	if !k.asc {
		return -c
	}
	return c
}
