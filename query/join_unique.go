package query

// Of the left rows with the same key an innerunique join takes one. In Kusto a where that
// stands right behind it, with a condition on columns of the left, says from which: it is
// applied to the left rows before. So it is here.

// uniqueRelation is the relation of an innerunique join.
func (j *join) uniqueRelation(b *binder) *relation {
	rel := j.relation()
	rel.left = len(j.left.fields)
	rel.filterLeft = func(cond node) (*relation, error) {
		left, err := (&whereStage{Expr{cond}}).Bind(b, j.left)
		if err != nil {
			return nil, err
		}
		narrowed := *j
		narrowed.left = left.titled(j.left, "where "+cond.String())
		return narrowed.uniqueRelation(b).titled(nil, rel.plan.title), nil
	}
	return rel
}

// intoJoin binds a where behind an innerunique join.
func (st *whereStage) intoJoin(b *binder, in *relation) (*relation, error) {
	left, rest := in.parted(st.Cond.node, nil, nil)
	if left != nil {
		var err error
		if in, err = in.filterLeft(left); err != nil {
			return nil, err
		}
		if rest == nil {
			out := *in
			return out.by(planStep{in: from(in), needs: needsAlso(), notes: []string{"is done on the left table, before the join"}}), nil
		}
		st = &whereStage{Expr{rest}}
	}
	out, err := st.filter(b, in)
	if err != nil {
		return nil, err
	}
	out.left = in.left
	out.filterLeft = func(cond node) (*relation, error) {
		inner, err := in.filterLeft(cond)
		if err != nil {
			return nil, err
		}
		return st.intoJoin(b, inner)
	}
	return out, nil
}

// parted adds the parts of a condition with and between them to those that are about left
// columns alone and to the rest.
func (r *relation) parted(n node, left, rest node) (node, node) {
	both, ok := n.(*binaryNode)
	switch {
	case ok && both.op == "and":
		left, rest = r.parted(both.l, left, rest)
		return r.parted(both.r, left, rest)
	case r.ofLeft(n):
		return conjoined(left, n), rest
	}
	return left, conjoined(rest, n)
}

// conjoined is a and b; a may be nil.
func conjoined(a, b node) node {
	if a == nil {
		return b
	}
	from, _ := a.span()
	_, to := b.span()
	return &binaryNode{place{from, to}, "and", a, b}
}

// ofLeft tells whether an expression names columns of the left, and no others.
func (r *relation) ofLeft(n node) bool {
	some, others := r.names(n)
	return some && !others
}

// namesColumns are the functions of columns that do not stand among their arguments as names.
var namesColumns = words("column_ifexists columnifexists pack_all")

// names tells whether an expression names columns of the left, and whether it has others,
// or parts that may name any.
func (r *relation) names(n node) (left, others bool) {
	switch n := n.(type) {
	case *nameNode:
		i := r.field(n.name)
		return i >= 0 && i < r.left, i >= r.left
	case *callNode:
		others = namesColumns[n.name]
	case *starNode, *tableNode:
		return false, true
	}
	for _, c := range children(n) {
		l, o := r.names(c)
		left, others = left || l, others || o
	}
	return left, others
}
