package query

// A memberExpr is a member of a dynamic. A table may have it as a column of its own, so
// that the others are not read.
type memberExpr struct {
	applyExpr
	name string
}

func memberExprOf(x expr, name string) expr {
	e := &memberExpr{applyExpr{Dynamic, []expr{x}, func(a []Value) Value { return memberOf(a[0], name) }, false, nil}, name}
	if known := folded(&e.applyExpr); constant(known) != nil {
		return known
	}
	return e
}

// A memberSource is a columnSource of dynamics, of which it has some members apart.
type memberSource interface {
	// fillMember fills a vector with a member of rows, nil for all; false if it has to be
	// taken from the dynamics.
	fillMember(v *Vector, name string, rows []int) (bool, error)
}

func (e *memberExpr) eval(b *Batch) (*Vector, error) {
	if i := e.column(); i >= 0 {
		whole := b.Cols[i]
		if from, ok := whole.from.(memberSource); ok {
			v := &Vector{Kind: Dynamic}
			if ok, err := from.fillMember(v, e.name, whole.rows); ok || err != nil {
				return v, err
			}
		}
	}
	return e.applyExpr.eval(b)
}

// column returns the column of which the member may be read alone, below 0 if it is not of
// a column.
func (e *memberExpr) column() int {
	if c, ok := e.args[0].(*colExpr); ok && e.name != "" && isPlain(e.name) {
		return c.i
	}
	return -1
}
