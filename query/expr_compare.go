package query

import (
	"math"
	"slices"
)

// A logicExpr is l and r, or l or r, with three values.
type logicExpr struct {
	applyExpr
	and bool
}

// A compareExpr compares with < and the others.
type compareExpr struct {
	applyExpr
	op string
}

// eval compares integers with a constant as what they are.
func (e *compareExpr) eval(b *Batch) (*Vector, error) {
	l, err := e.args[0].eval(b)
	if err != nil {
		return nil, err
	}
	r, err := e.args[1].eval(b)
	if err != nil {
		return nil, err
	}
	least, most, ok := e.bounds(l, r)
	if !ok {
		return e.over([]*Vector{l, r}, b.N)
	}
	out := make([]int64, len(l.ints))
	for i, n := range l.ints {
		if least <= n && n <= most {
			out[i] = 1
		}
	}
	return intsOf(Bool, out), nil
}

// bounds returns between which integers the comparison of l with r is true, ok if l is
// integers and r the same for all rows, of one kind.
func (e *compareExpr) bounds(l, r *Vector) (least, most int64, ok bool) {
	if l.ints == nil || !r.one || r.values[0].Null || !l.Kind.comparesByN() || !r.Kind.comparesByN() {
		return 0, 0, false
	}
	least, most = math.MinInt64, math.MaxInt64
	n, beyond := r.values[0].N, r.values[0].Rest > 0 // is n and a little more
	switch e.op {
	case "==":
		least, most = n, n
		if beyond {
			least, most = 1, 0
		}
	case "<":
		most = n
		if !beyond {
			if most = n - 1; n == math.MinInt64 {
				least, most = 1, 0
			}
		}
	case "<=":
		most = n
	case ">=":
		least = n
		if beyond { // which no date that has a rest is last of all
			least = n + 1
		}
	case ">":
		if least = n + 1; n == math.MaxInt64 {
			least, most = 1, 0
		}
	default:
		return 0, 0, false
	}
	return least, most, true
}

// comparesByN tells the kinds whose values compare by their N, and by their Rest after that.
func (k Kind) comparesByN() bool {
	return k == Bool || k == Int || k == Long || k == Datetime || k == Timespan
}

// conditionsOf returns the conditions that are all true where one is, those first that cost
// least: comparisons with a constant.
func conditionsOf(e expr) []expr {
	l, ok := e.(*logicExpr)
	if !ok || !l.and {
		return []expr{e}
	}
	list := append(conditionsOf(l.args[0]), conditionsOf(l.args[1])...)
	slices.SortStableFunc(list, func(a, b expr) int { return costOf(a) - costOf(b) })
	return list
}

func costOf(e expr) int {
	if c, ok := e.(*compareExpr); ok && constant(c.args[1]) != nil {
		if _, ok := c.args[0].(*colExpr); ok {
			return 0
		}
	}
	return 1
}

// passing returns the rows of a batch for which all conditions are true. Each is asked
// for those alone that are left by the ones before it.
func passing(conds []expr, b *Batch) (*Batch, error) {
	for _, c := range conds {
		rows, err := selected(c, b)
		if err != nil {
			return nil, err
		}
		if len(rows) < b.N {
			b = b.Take(rows)
		}
		if b.N == 0 {
			break
		}
	}
	return b, nil
}
