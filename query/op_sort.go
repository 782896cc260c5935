package query

import (
	"fmt"
	"slices"

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
		rows, err := st.sorted(r, in, exprs, limit, operator)
		if err != nil {
			return failed(err)
		}
		return batchesOf(in.fields, rows)
	})
	out.ordered = true
	switch {
	case limit < 0:
		return out.by(step{in: from(in), notes: []string{"holds all rows, with all columns"}}), nil
	case limit == 0:
		return out.by(step{in: from(in), notes: []string{"keeps no row, and reads none"}, needs: needsOnly(in)}), nil
	}
	return out.by(step{in: from(in), notes: []string{fmt.Sprintf("keeps the first %d rows, with all columns", limit)}}), nil
}

// A sortRow is a row with its keys.
type sortRow struct{ keys, row []Value }

// sorted reads all rows, of top never many more than it needs.
func (st *sortStage) sorted(r *run, in *relation, exprs []expr, limit int64, operator string) ([][]Value, error) {
	if limit == 0 {
		return nil, nil
	}
	var list []sortRow
	cut := func() {
		slices.SortStableFunc(list, st.compare)
		if limit >= 0 && int64(len(list)) > limit {
			clear(list[limit:])
			list = list[:limit]
		}
	}
	err := r.each(in.open(r), func(b *Batch) error {
		keys := make([]*Vector, len(exprs))
		for i, e := range exprs {
			v, err := e.eval(b)
			if err != nil {
				return err
			}
			keys[i] = v
		}
		for row := range b.N {
			k := make([]Value, len(keys))
			for i, v := range keys {
				k[i] = v.At(row)
			}
			if limit >= 0 && int64(len(list)) >= 2*limit && st.compare(sortRow{keys: k}, list[limit-1]) >= 0 {
				continue
			}
			values := b.Row(row)
			if limit < 0 {
				if err := r.hold(operator, rowSize(values)+rowSize(k)); err != nil {
					return err
				}
			}
			if list = append(list, sortRow{k, values}); limit >= 0 && int64(len(list)) > 2*limit+batchRows {
				cut()
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	cut()
	rows := make([][]Value, len(list))
	for i := range list {
		rows[i] = list[i].row
	}
	return rows, nil
}

func (st *sortStage) compare(a, b sortRow) int {
	for i, k := range st.keys {
		if c := compareForSort(a.keys[i], b.keys[i], k); c != 0 {
			return c
		}
	}
	return 0
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
