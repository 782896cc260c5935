package query

import (
	"strings"
	"unicode"
)

// binary binds an operator between two operands.
func (s *scope) binary(n *binaryNode) (expr, error) {
	if _, ok := n.l.(*starNode); ok && s.rel != nil {
		return s.anyColumn(n)
	}
	l, err := s.expr(n.l)
	if err != nil {
		return nil, err
	}
	r, err := s.expr(n.r)
	if err != nil {
		return nil, err
	}
	switch n.op {
	case "and", "or":
		return s.logic(n, l, r)
	case "+", "-", "*", "/", "%":
		return s.arithmetic(n, l, r)
	case "==", "!=", "<", ">", "<=", ">=":
		return s.comparison(n, n.op, l, r)
	}
	return s.textOperator(n, l, r)
}

// anyColumn is an operator whose left operand is *: true if it is for any column of text.
func (s *scope) anyColumn(n *binaryNode) (expr, error) {
	var any expr = &constExpr{BoolOf(false)}
	for i, f := range s.rel.fields {
		if f.Kind != String && f.Kind != Dynamic {
			continue
		}
		one := *n
		one.l = &nameNode{n.place, s.rel.fields[i].Name}
		e, err := s.binary(&one)
		if err == nil {
			any, err = s.logic(&binaryNode{n.place, "or", n, n}, any, e)
		}
		if err != nil {
			return nil, err
		}
	}
	return any, nil
}

// logic is and and or, with three values.
func (s *scope) logic(n *binaryNode, l, r expr) (expr, error) {
	for i, e := range []expr{l, r} {
		if e.kind() != Bool {
			return nil, errorAt([]node{n.l, n.r}[i], "expected a condition beside '%s', found type %s", n.op, e.kind())
		}
	}
	decides := int64(0) // the value that decides whatever the other is
	if n.op == "or" {
		decides = 1
	}
	both := applyExpr{Bool, []expr{l, r}, func(a []Value) Value {
		x, y := a[0], a[1]
		switch {
		case !x.Null && x.N == decides, !y.Null && y.N == decides:
			return Value{Kind: Bool, N: decides}
		case x.Null || y.Null:
			return NullOf(Bool)
		}
		return Value{Kind: Bool, N: 1 - decides}
	}, true, nil}
	if e := folded(&both); constant(e) != nil {
		return e, nil
	}
	return &logicExpr{both, n.op == "and"}, nil
}

func (s *scope) arithmetic(n *binaryNode, l, r expr) (expr, error) {
	kind := func(e expr) Kind {
		if e.kind() == Int {
			return Long
		}
		return e.kind()
	}
	if l.kind() == Dynamic && r.kind().isNumber() {
		l = s.apply(Real, func(a []Value) Value { return convert(a[0], Real) }, false, l)
	} else if r.kind() == Dynamic && l.kind().isNumber() {
		r = s.apply(Real, func(a []Value) Value { return convert(a[0], Real) }, false, r)
	}
	do, ok := arithmetic()[arithKey{n.op[0], kind(l), kind(r)}]
	if lk, rk := l.kind(), r.kind(); !ok && (lk == Decimal && rk == Real || lk == Real && rk == Decimal) {
		return nil, errorAt(n, "'%s' of a decimal and a real is not supported here; todecimal() or todouble() makes them one", n.op)
	}
	if !ok {
		return nil, errorAt(n, "'%s' is not for %s and %s", n.op, l.kind(), r.kind())
	}
	return s.apply(do.k, do.f, false, l, r), nil
}

func (s *scope) unary(n *unaryNode) (expr, error) {
	x, err := s.expr(n.x)
	if err != nil {
		return nil, err
	}
	if !x.kind().isNumber() && x.kind() != Timespan && x.kind() != Decimal {
		return nil, errorAt(n, "'%s' is not for %s", n.op, x.kind())
	}
	if n.op == "+" {
		return x, nil
	}
	return s.apply(x.kind(), func(a []Value) Value { return negated(a[0]) }, false, x), nil
}

// comparison is == != < > <= >=.
func (s *scope) comparison(n node, op string, l, r expr) (expr, error) {
	l, r, err := s.comparable(n, op, l, r)
	if err != nil {
		return nil, err
	}
	compared := func(f func([]Value) Value, nulls bool) (expr, error) {
		c := &compareExpr{applyExpr{Bool, []expr{l, r}, f, nulls, nil}, op}
		if e := folded(&c.applyExpr); e != expr(&c.applyExpr) {
			return e, nil
		}
		return c, nil
	}
	if op == "==" || op == "!=" {
		return compared(equality(op == "=="), true)
	}
	var holds func(c int) bool
	switch op {
	case "<":
		holds = func(c int) bool { return c < 0 }
	case ">":
		holds = func(c int) bool { return c > 0 }
	case "<=":
		holds = func(c int) bool { return c <= 0 }
	default:
		holds = func(c int) bool { return c >= 0 }
	}
	return compared(func(a []Value) Value {
		if isNaN(a[0]) || isNaN(a[1]) {
			return BoolOf(false)
		}
		return BoolOf(holds(compare(a[0], a[1])))
	}, false)
}

func isWhole(k Kind) bool { return k == Int || k == Long }

func isNaN(v Value) bool { return v.Kind == Real && v.Real() != v.Real() }

// comparable brings two operands to kinds that compare, or says that they do not.
func (s *scope) comparable(n node, op string, l, r expr) (expr, expr, error) {
	lk, rk := l.kind(), r.kind()
	switch {
	case lk == rk && lk != Dynamic, lk.isNumber() && rk.isNumber(), lk == Decimal && isWhole(rk), isWhole(lk) && rk == Decimal:
		return l, r, nil
	case lk == Dynamic && rk == Dynamic && constant(r) == nil && constant(l) == nil:
		return nil, nil, errorAt(n, "two dynamics do not compare with '%s'; convert them, with tostring() or tolong()", op)
	case lk == Dynamic && rk == Dynamic:
		return l, r, nil
	case lk == Dynamic:
		return s.converted(l, rk), r, nil
	case rk == Dynamic:
		return l, s.converted(r, lk), nil
	case lk == Bool && rk.isNumber():
		return s.converted(l, Long), r, nil
	case rk == Bool && lk.isNumber():
		return l, s.converted(r, Long), nil
	}
	return nil, nil, errorAt(n, "%s and %s do not compare with '%s'; convert one of them", lk, rk, op)
}

// converted makes a value of a dynamic for a comparison with another kind: null where
// it is not of that kind.
func (s *scope) converted(e expr, to Kind) expr {
	return s.apply(to, func(a []Value) Value {
		v := a[0]
		if v.Kind == Dynamic {
			v = scalarOf(v)
			if to == String && v.Kind == Dynamic {
				return StringOf(v.S)
			}
		}
		if v.Kind == to || v.Kind.isNumber() && to.isNumber() {
			return v
		}
		return convert(v, to)
	}, false, e)
}

// equality is == or !=: a null is neither equal to a value nor to a null, but different
// from a value.
func equality(equal bool) func(a []Value) Value {
	return func(a []Value) Value {
		switch {
		case a[0].Null && a[1].Null:
			return NullOf(Bool)
		case a[0].Null || a[1].Null:
			return BoolOf(!equal)
		case isNaN(a[0]) || isNaN(a[1]):
			return BoolOf(!equal)
		}
		return BoolOf((compare(a[0], a[1]) == 0) == equal)
	}
}

// textOperator binds has, contains, startswith and the others, =~, and matches regex.
func (s *scope) textOperator(n *binaryNode, l, r expr) (expr, error) {
	op, negative := strings.CutPrefix(n.op, "!")
	if op == "~" {
		op = "=~"
	}
	l, err := s.text(n.l, l, n.op)
	if err != nil {
		return nil, err
	}
	if r, err = s.text(n.r, r, n.op); err != nil {
		return nil, err
	}
	if op == "matches regex" {
		return s.regex(n, l, r)
	}
	if pattern := constant(r); pattern != nil {
		match := matcher(op, pattern.S)
		if match == nil {
			return nil, lacking(n, n.op)
		}
		s.hintWords(op, pattern.S)
		return s.apply(Bool, func(a []Value) Value { return BoolOf(match(a[0].S) != negative) }, false, l), nil
	}
	if matcher(op, "") == nil {
		return nil, lacking(n, n.op)
	}
	return s.apply(Bool, func(a []Value) Value { return BoolOf(matcher(op, a[1].S)(a[0].S) != negative) }, false, l, r), nil
}

// text makes an operand a string; only dynamics are made one without being told.
func (s *scope) text(n node, e expr, op string) (expr, error) {
	switch e.kind() {
	case String:
		return e, nil
	case Dynamic:
		return s.apply(String, func(a []Value) Value { return StringOf(toString(a[0])) }, true, e), nil
	}
	return nil, errorAt(n, "'%s' is for strings, found %s; tostring(%s) makes one of it", op, e.kind(), n)
}

func (s *scope) regex(n *binaryNode, l, r expr) (expr, error) {
	pattern := constant(r)
	if pattern == nil {
		return nil, errorAt(n.r, "matches regex wants a constant pattern")
	}
	re, err := newRegex(pattern.S)
	if err != nil {
		return nil, errorAt(n.r, "%v", err)
	}
	return s.apply(Bool, func(a []Value) Value { return BoolOf(re.MatchString(a[0].S)) }, false, l), nil
}

// hintWords tells who looks for a word in a script that has no spaces between words that
// has looks for whole words.
func (s *scope) hintWords(op, pattern string) {
	if !strings.HasPrefix(op, "has") {
		return
	}
	for _, r := range pattern {
		if unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar) {
			s.hint("'%s' looks for whole words, and a text without spaces is one: contains finds '%s' anywhere", op, pattern)
			return
		}
	}
}

// between binds x between (lo .. hi).
func (s *scope) between(n *betweenNode) (expr, error) {
	x, err := s.expr(n.x)
	if err != nil {
		return nil, err
	}
	lo, err := s.expr(n.lo)
	if err != nil {
		return nil, err
	}
	hi, err := s.expr(n.hi)
	if err != nil {
		return nil, err
	}
	if x.kind() == Datetime && hi.kind() == Timespan { // from lo on, so long
		if hi, err = s.arithmetic(&binaryNode{n.place, "+", n.lo, n.hi}, lo, hi); err != nil {
			return nil, err
		}
	}
	from, err := s.comparison(n, ">=", x, lo)
	if err != nil {
		return nil, err
	}
	to, err := s.comparison(n, "<=", x, hi)
	if err != nil {
		return nil, err
	}
	both, err := s.logic(&binaryNode{n.place, "and", n.x, n.x}, from, to)
	if err != nil || n.op == "between" {
		return both, err
	}
	return s.apply(Bool, func(a []Value) Value { return BoolOf(!a[0].Bool()) }, false, both), nil
}
