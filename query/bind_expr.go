package query

import (
	"slices"
	"strings"
)

// A scope is the columns that an expression may name.
type scope struct {
	*binder
	rel     *relation      // nil: none
	right   *relation      // of a join: behind $right
	offset  int            // of right's columns in a batch
	windows *[]*windowExpr // where row_number and the like may be used; else nil
	made    []NamedExpr    // what the operator makes, which its expressions do not see
	steps   *stepScope     // of scan; else nil
}

// scope returns a scope over the columns of rel.
func (b *binder) scope(rel *relation) *scope { return &scope{binder: b, rel: rel} }

// expr binds an expression.
func (s *scope) expr(n node) (expr, error) {
	if s.check == nil {
		return s.bindExpr(n)
	}
	return s.orUnknown(func() (expr, error) { return s.bindExpr(n) })
}

func (s *scope) bindExpr(n node) (expr, error) {
	switch n := n.(type) {
	case *skippedNode:
		return s.unknown(unknown), nil
	case *literalNode:
		if n.wrong != nil {
			return nil, n.wrong
		}
		if n.text == leastLong {
			return nil, errorAt(n, "%s does not fit a long", n.text)
		}
		return &constExpr{n.value}, nil
	case *nameNode:
		return s.column(n)
	case *unaryNode:
		return s.unary(n)
	case *binaryNode:
		return s.binary(n)
	case *memberNode:
		return s.member(n)
	case *elementNode:
		return s.element(n)
	case *callNode:
		return s.call(n)
	case *listNode:
		return s.list(n)
	case *betweenNode:
		return s.between(n)
	case *starNode:
		return nil, errorAt(n, "* cannot stand here")
	case *tableNode:
		return nil, errorAt(n, "a query cannot stand here; toscalar(...) makes a value of it")
	}
	return nil, errorAt(n, "expected a value")
}

// condition binds an expression that must be a bool.
func (s *scope) condition(n node) (expr, error) {
	e, err := s.expr(n)
	if err == nil && e.kind() != Bool {
		if e.kind() == Dynamic || e.kind().isNumber() {
			return s.apply(Bool, func(a []Value) Value { return convert(a[0], Bool) }, false, e), nil
		}
		return nil, errorAt(n, "expected a condition, found %s of type %s", n, e.kind())
	}
	return e, err
}

func (s *scope) column(n *nameNode) (expr, error) {
	if s.rel != nil {
		if i := s.rel.field(n.name); i >= 0 {
			if s.steps != nil {
				if err := s.assignedBefore(n); err != nil {
					return nil, err
				}
			}
			return s.columnAt(s.rel, i, 0), nil
		}
	}
	if d := s.names.find(n.name); d != nil {
		switch {
		case d.value != nil:
			return &constExpr{*d.value}, nil
		case isUnknown(d.bound):
			return s.unknown(d.bound.kind()), nil
		case d.bound != nil:
			return d.bound, nil
		case d.function != nil:
			return s.callScalar(n, d.function, nil)
		}
		return nil, errorAt(n, "'%s' is a table, expected a value", n.name)
	}
	if s.rel != nil && s.rel.loose {
		return s.unknown(unknown), nil
	}
	return nil, s.noName(n)
}

// noName is the fault of a name that means nothing here.
func (s *scope) noName(n *nameNode) error {
	switch {
	case slices.ContainsFunc(s.made, func(c NamedExpr) bool { return c.Name == n.name }):
		return errorAt(n, "unknown column '%s': what an operator makes is a column behind it", n.name)
	case n.name == "null":
		return errorAt(n, "unknown column 'null'; a null has a type, as in long(null)")
	case n.name != "" && isDigit(n.name[0]):
		return errorAt(n, "unknown column '%s', which is no number and no timespan either", n.name)
	case s.rel == nil:
		return errorAt(n, "unknown column '%s'%s", n.name, DidYouMean(n.name, s.names.given()))
	}
	return errorAt(n, "unknown column '%s'%s", n.name, DidYouMean(n.name, s.rel.columns(), s.names.given()))
}

// noColumn is the fault of a name that no column of rel has.
func noColumn(n node, name string, rel *relation) error {
	return errorAt(n, "unknown column '%s'%s", name, DidYouMean(name, rel.columns()))
}

// columnAt is a column of rel, whose columns stand in a batch from offset on.
func (s *scope) columnAt(rel *relation, i, offset int) expr {
	if rel.fields[i].Kind == unknown {
		return s.unknown(unknown)
	}
	return &colExpr{offset + i, rel.fields[i].Kind}
}

// member binds x.name. What is no dynamic may be $left or $right of a join.
func (s *scope) member(n *memberNode) (expr, error) {
	if s.steps != nil {
		if e, err := s.stepColumn(n); e != nil || err != nil {
			return e, err
		}
	}
	if side, ok := n.x.(*nameNode); ok && (side.name == "$left" || side.name == "$right") {
		rel, offset := s.rel, 0
		if side.name == "$right" {
			rel, offset = s.right, s.offset
		}
		if rel == nil {
			return nil, errorAt(n, "%s is for the condition of a join", side.name)
		}
		i := rel.field(n.name)
		switch {
		case i >= 0:
			return s.columnAt(rel, i, offset), nil
		case rel.loose:
			return s.unknown(unknown), nil
		}
		return nil, noColumn(n, n.name, rel)
	}
	x, err := s.expr(n.x)
	if err != nil {
		return nil, err
	}
	if x.kind() != Dynamic {
		return nil, errorAt(n, "%s is of type %s and has no members; parse_json(%[1]s) makes a dynamic of a string", n.x, x.kind())
	}
	return memberExprOf(x, n.name), nil
}

func (s *scope) element(n *elementNode) (expr, error) {
	x, err := s.expr(n.x)
	if err != nil {
		return nil, err
	}
	i, err := s.expr(n.i)
	if err != nil {
		return nil, err
	}
	if x.kind() != Dynamic {
		return nil, errorAt(n, "%s is of type %s and has no elements", n.x, x.kind())
	}
	switch i.kind() {
	case Int, Long:
		return s.apply(Dynamic, func(a []Value) Value { return elementOf(a[0], a[1].N) }, false, x, i), nil
	case String, Dynamic:
		return s.apply(Dynamic, func(a []Value) Value {
			at := scalarOf(a[1])
			if at.Kind == Long {
				return elementOf(a[0], at.N)
			}
			return memberOf(a[0], toString(at))
		}, false, x, i), nil
	}
	return nil, errorAt(n.i, "an index is an integer or a string, found %s", i.kind())
}

// apply makes an expression of a function.
func (s *scope) apply(k Kind, f func([]Value) Value, nulls bool, args ...expr) expr {
	return folded(&applyExpr{k, args, f, nulls, nil})
}

// call binds a function with its arguments.
func (s *scope) call(n *callNode) (expr, error) {
	if d := s.names.find(n.name); d != nil && d.function != nil {
		return s.callScalar(n, d.function, n.args)
	} else if d != nil && isUnknown(d.bound) {
		return s.unknown(unknown), nil
	}
	if special := specialFuncs[n.name]; special != nil {
		return special(s, n)
	}
	f := s.lang.funcs[n.name]
	if f == nil {
		return nil, s.noFunction(n)
	}
	args := make([]expr, len(n.args))
	for i, a := range n.args {
		var err error
		if args[i], err = s.expr(a.node); err != nil {
			return nil, err
		}
	}
	e, err := bindFunc(f, args, s.lang.budget)
	if err != nil {
		return nil, errorAt(n, "%v", err)
	}
	return e, nil
}

func (s *scope) noFunction(n *callNode) error {
	switch {
	case s.lang.aggs[n.name] != nil || multiAggs[n.name]:
		return errorAt(n, "%s is an aggregation: it stands in summarize", n.name)
	case isKQL(n.name):
		return lacking(n, n.name)
	}
	return errorAt(n, "no function named '%s'%s", n.name, DidYouMean(n.name, s.lang.callNames(), s.names.given()))
}

// bindFunc applies a function to arguments, which are converted to what it takes. The texts
// that it makes of one batch may have budget bytes.
func bindFunc(f *Func, args []expr, budget int64) (expr, error) {
	known := make([]Arg, len(args))
	for i, a := range args {
		known[i] = argOf(a)
	}
	if err := checkArgs(f.Name, f.Usage, f.Params, f.Min, f.Variadic, known); err != nil {
		return nil, err
	}
	askValues(args)
	for i := range args {
		if p := f.Params[min(i, len(f.Params)-1)]; !p.has(known[i].Kind) && p.has(Real) {
			args[i] = folded(&applyExpr{Real, []expr{args[i]}, func(a []Value) Value { return RealOf(a[0].Real()) }, false, nil})
			known[i] = argOf(args[i])
		}
	}
	k, err := f.Result(known)
	if err != nil {
		return nil, err
	}
	eval := f.Eval
	if f.Bind != nil {
		if eval, err = f.Bind(known); err != nil {
			return nil, err
		}
	}
	return folded(&applyExpr{k, args, eval, f.Nulls, &textLimit{f.Name, budget}}), nil
}

// resultName returns the name of a result to which none is given, "" for one that is
// numbered.
func (s *scope) resultName(n node) string {
	switch n := n.(type) {
	case *nameNode:
		if s.rel != nil && (s.rel.field(n.name) >= 0 || s.rel.loose && s.names.find(n.name) == nil) {
			return n.name
		}
		return "" // a name that let gave
	case *memberNode:
		if side, ok := n.x.(*nameNode); ok && strings.HasPrefix(side.name, "$") {
			return n.name
		}
		if left := s.resultName(n.x); left != "" {
			return left + "_" + n.name
		}
	case *elementNode:
		if l, ok := n.i.(*literalNode); ok {
			if left := s.resultName(n.x); left != "" {
				return left + "_" + strings.Trim(l.text, `"`)
			}
		}
	case *callNode:
		if f := s.lang.funcs[n.name]; f != nil && f.KeepsName && len(n.args) > 0 {
			return s.resultName(n.args[0].node)
		}
	}
	return ""
}
