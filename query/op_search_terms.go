package query

import (
	"fmt"
	"strings"
)

// The condition of search: terms that any column may have, beside conditions as where has
// them.

// A searchParser reads it.
type searchParser struct{ exprParser }

// A termNode is COLUMN:"term".
type termNode struct {
	place
	column *nameNode
	text   string
}

func (n *termNode) String() string { return n.column.String() + ":" + Quote(n.text) }

func (p *searchParser) or() (node, error)  { return p.joined("or", p.and) }
func (p *searchParser) and() (node, error) { return p.joined("and", p.atom) }

func (p *searchParser) joined(op string, operand func() (node, error)) (node, error) {
	left, err := operand()
	for err == nil && p.accept(op) {
		var right node
		if right, err = operand(); err == nil {
			from, _ := left.span()
			left = &binaryNode{place{from, p.end()}, op, left, right}
		}
	}
	return left, err
}

// atom reads what and and or stand between.
func (p *searchParser) atom() (node, error) {
	if p.depth++; p.depth > maxDepth {
		return nil, unexpected(p.peek(), fmt.Sprintf("an expression may be nested %d deep", maxDepth))
	}
	defer func() { p.depth-- }()
	if n := p.group(); n != nil {
		return n, nil
	}
	n, err := p.expr(2) // what binds more than and
	if err != nil || !p.is(":") {
		return n, err
	}
	column, ok := n.(*nameNode)
	if !ok {
		return nil, unexpected(p.peek(), "expected the name of a column before ':'")
	}
	p.lex.Next()
	if p.peek().Type != tokenString {
		return nil, unexpected(p.peek(), "expected a term in quotes after ':'")
	}
	text, err := p.text()
	if err != nil {
		return nil, err
	}
	return &termNode{place{column.from, p.end()}, column, text.(*literalNode).value.S}, nil
}

// group reads a condition in parentheses, with not before it or without. It returns nil,
// and takes nothing, where they are part of something larger, as (a + b) > 1.
func (p *searchParser) group() node {
	cp := p.lex.MakeCheckpoint()
	from := p.peek().Pos.Offset
	not := p.accept("not")
	if p.accept("(") {
		if n, err := p.or(); err == nil && p.accept(")") {
			t := p.peek()
			if t.EOF() || t.Value == "and" || t.Value == "or" || t.Type == tokenPunct && strings.Contains(")|;},", t.Value) {
				if not {
					return &callNode{place{from, p.end()}, "not", []argNode{{node: n}}}
				}
				return n
			}
		}
	}
	p.lex.LoadCheckpoint(cp)
	return nil
}

// A searchBinder binds it.
type searchBinder struct {
	*scope
	exact bool // kind=case_sensitive
}

func (s *searchBinder) bind(n node) (expr, error) {
	switch n := n.(type) {
	case *starNode:
		return &constExpr{BoolOf(true)}, nil
	case *literalNode:
		switch {
		case n.value.Kind == String:
			return s.anywhere(n, n.value.S)
		case n.value.Kind.isNumber():
			s.hint(`search finds no row by a number alone; it finds the term "%s" in quotes`, n.text)
			return &constExpr{BoolOf(false)}, nil
		}
	case *nameNode:
		if d := s.names.find(n.name); s.rel.field(n.name) < 0 && d != nil && d.value != nil && d.value.Kind == String {
			return s.anywhere(n, d.value.S)
		}
	case *termNode:
		c, err := s.column(n.column)
		if err != nil {
			return nil, err
		}
		return s.term(n, n.text, c)
	case *binaryNode:
		if n.op == "and" || n.op == "or" {
			return s.both(n)
		}
		if _, ok := n.l.(*starNode); ok {
			return s.anyColumn(n)
		}
	case *callNode:
		if n.name == "not" && len(n.args) == 1 {
			x, err := s.bind(n.args[0].node)
			if err != nil {
				return nil, err
			}
			return s.apply(Bool, func(a []Value) Value { return BoolOf(!a[0].Bool()) }, false, x), nil
		}
	}
	if s.exact {
		var err error
		if n, err = exactly(n); err != nil {
			return nil, err
		}
	}
	return s.condition(n)
}

// both binds and and or.
func (s *searchBinder) both(n *binaryNode) (expr, error) {
	l, err := s.orUnknown(func() (expr, error) { return s.bind(n.l) })
	if err != nil {
		return nil, err
	}
	r, err := s.orUnknown(func() (expr, error) { return s.bind(n.r) })
	if err != nil {
		return nil, err
	}
	return s.logic(n, l, r)
}

// anywhere looks for a term in all columns.
func (s *searchBinder) anywhere(n node, term string) (expr, error) {
	return s.term(n, term, s.all()...)
}

func (s *searchBinder) all() (columns []expr) {
	for i, f := range s.rel.fields {
		columns = append(columns, &colExpr{i, f.Kind})
	}
	return columns
}

// anyColumn is * has "x" and the like.
func (s *searchBinder) anyColumn(n *binaryNode) (expr, error) {
	r, err := s.expr(n.r)
	if err != nil {
		return nil, err
	}
	op := n.op
	if s.exact {
		op = exactOps[op]
	}
	if v := constant(r); v != nil && v.Kind == String {
		if match := matcher(op, v.S); match != nil {
			return &termExpr{s.all(), match}, nil
		}
	}
	return nil, errorAt(n, "* before '%s' is not supported here", n.op)
}

// exactOps are the operators that kind=case_sensitive puts in the place of others.
var exactOps = map[string]string{"=~": "==", "!~": "!=", "in~": "in", "!in~": "!in"}

func init() {
	for _, op := range []string{"has", "hasprefix", "hassuffix", "contains", "startswith", "endswith"} {
		for _, not := range []string{"", "!"} {
			exactOps[not+op] = not + op + "_cs"
			exactOps[not+op+"_cs"] = not + op + "_cs"
		}
	}
}

// exactly returns a condition with operators that regard case.
func exactly(n node) (node, error) {
	var err error
	switch n := n.(type) {
	case *binaryNode:
		c := *n
		if op := exactOps[n.op]; op != "" {
			c.op = op
		}
		if c.l, err = exactly(n.l); err == nil {
			c.r, err = exactly(n.r)
		}
		return &c, err
	case *listNode:
		c := *n
		if strings.Contains(n.op, "has_") {
			return nil, errorAt(n, "'%s' in search kind=case_sensitive is not supported here", n.op)
		}
		if op := exactOps[n.op]; op != "" {
			c.op = op
		}
		return &c, nil
	case *callNode:
		c := *n
		c.args = append([]argNode(nil), n.args...)
		for i := range c.args {
			if c.args[i].node, err = exactly(c.args[i].node); err != nil {
				return nil, err
			}
		}
		return &c, nil
	}
	return n, nil
}
