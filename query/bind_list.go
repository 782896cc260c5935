package query

import "strings"

// list binds x in (...), has_any and has_all.
func (s *scope) list(n *listNode) (expr, error) {
	x, err := s.expr(n.x)
	if err != nil {
		return nil, err
	}
	values, exprs, err := s.listValues(n)
	if err != nil {
		return nil, err
	}
	op, negative := strings.CutPrefix(n.op, "!")
	if op == "has_any" || op == "has_all" {
		return s.hasList(n, x, values, exprs, op, negative)
	}
	if len(exprs) > 0 {
		return s.inExprs(n, x, values, exprs, op, negative)
	}
	set, err := s.inSet(n, x.kind(), values, op == "in~")
	if err != nil {
		return nil, err
	}
	return s.apply(Bool, func(a []Value) Value { return BoolOf(set(a[0]) != negative) }, true, x), nil
}

// inSet returns what tells whether a value of kind k is among values.
func (s *scope) inSet(n *listNode, k Kind, values []Value, fold bool) (func(Value) bool, error) {
	set := make(map[key]bool, len(values))
	norm := func(v Value) key {
		if v.Kind == Dynamic {
			v = scalarOf(v)
		}
		if fold {
			v.S = foldString(v.S)
		}
		return v.key()
	}
	for _, v := range values {
		if v.Null {
			continue
		}
		inner := v
		if inner.Kind == Dynamic {
			inner = scalarOf(inner)
		}
		ik := inner.Kind
		if k != Dynamic && ik != k && !(ik.isNumber() && k.isNumber()) {
			c := convert(inner, k)
			if (v.Kind != Dynamic || c.Null) && !(k == Decimal && isWhole(ik)) {
				if v.Kind == Dynamic {
					continue
				}
				return nil, errorAt(n, "%s and %s do not compare with '%s'; convert one of them", k, ik, n.op)
			}
			inner = c
		}
		set[norm(inner)] = true
	}
	return func(v Value) bool { return !v.Null && set[norm(v)] }, nil
}

// listValues returns what a list holds: constants, also of arrays and of queries, and
// expressions that differ by row.
func (s *scope) listValues(n *listNode) (values []Value, exprs []expr, err error) {
	for _, item := range n.list {
		if s.isTable(item) {
			rel, err := s.table(item)
			if err != nil {
				return nil, nil, err
			}
			if s.check != nil {
				continue
			}
			found, err := s.lang.firstColumn(s.binder, rel)
			if err != nil {
				return nil, nil, errorAt(item, "%v", err)
			}
			values = append(values, found...)
			continue
		}
		e, err := s.expr(item)
		if err != nil {
			return nil, nil, err
		}
		v := constant(e)
		switch {
		case v == nil:
			exprs = append(exprs, e)
		case v.Kind == Dynamic && isArray(*v):
			for x := range elements(*v) {
				values = append(values, x)
			}
		default:
			values = append(values, *v)
		}
	}
	return values, exprs, nil
}

// inExprs is in with a list that differs by row.
func (s *scope) inExprs(n *listNode, x expr, values []Value, exprs []expr, op string, negative bool) (expr, error) {
	args := append([]expr{x}, exprs...)
	k := x.kind()
	return s.apply(Bool, func(a []Value) Value {
		list := append([]Value(nil), values...)
		for _, v := range a[1:] {
			if v.Kind == Dynamic && isArray(v) {
				for e := range elements(v) {
					list = append(list, e)
				}
				continue
			}
			list = append(list, v)
		}
		set, err := s.inSet(n, k, list, op == "in~")
		return BoolOf((err == nil && set(a[0])) != negative)
	}, true, args...), nil
}

// hasList is has_any and has_all.
func (s *scope) hasList(n *listNode, x expr, values []Value, exprs []expr, op string, negative bool) (expr, error) {
	if len(exprs) > 0 {
		return nil, errorAt(n, "a list that differs by row is not supported here behind '%s'", n.op)
	}
	x, err := s.text(n.x, x, n.op)
	if err != nil {
		return nil, err
	}
	var texts []string
	for _, v := range values {
		texts = append(texts, toString(v))
		s.hintWords(op, toString(v))
	}
	has := hasAll(texts)
	if op == "has_any" {
		has = hasAny(texts)
	}
	return s.apply(Bool, func(a []Value) Value { return BoolOf(has(a[0].S) != negative) }, false, x), nil
}
