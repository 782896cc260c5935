package query

import "github.com/alecthomas/participle/v2/lexer"

// parseLet reads "let NAME = VALUE".
func parseLet(p *exprParser) (*letStatement, error) {
	start := p.lex.Next().Pos.Offset
	name, err := p.name("a name after let")
	if err != nil {
		return nil, err
	}
	if err := p.expect("=", "after the name that let gives"); err != nil {
		return nil, err
	}
	l := &letStatement{name: name}
	if isFunction(p.lex) {
		l.function, err = parseFunction(p)
	} else {
		l.value, err = p.valueOrQuery()
	}
	l.place = place{start, p.end()}
	return l, err
}

// isFunction tells whether parameters and a body in braces are next.
func isFunction(lex *lexer.PeekingLexer) bool {
	cp := lex.MakeCheckpoint()
	defer lex.LoadCheckpoint(cp)
	if lex.Peek().Value == "view" {
		lex.Next()
	}
	if lex.Peek().Value != "(" {
		return false
	}
	for depth := 0; ; {
		t := lex.Next()
		switch {
		case t.EOF():
			return false
		case t.Type != tokenPunct:
		case t.Value == "(":
			depth++
		case t.Value == ")":
			if depth--; depth == 0 {
				return lex.Peek().Value == "{"
			}
		}
	}
}

func parseFunction(p *exprParser) (*function, error) {
	f := &function{place: place{p.peek().Pos.Offset, 0}}
	p.accept("view")
	p.lex.Next()
	for !p.accept(")") {
		a, err := parseParam(p)
		if err != nil {
			return nil, err
		}
		f.params = append(f.params, a)
		if !p.accept(",") && !p.is(")") {
			return nil, unexpected(p.peek(), "expected ',' or ')' in parameters")
		}
	}
	p.lex.Next() // {
	for p.is("let") {
		l, err := parseLet(p)
		if err == nil {
			err = p.expect(";", "after let")
		}
		if err != nil {
			return nil, err
		}
		f.lets = append(f.lets, l)
	}
	var err error
	if f.body, err = p.valueOrQuery(); err != nil {
		return nil, err
	}
	p.accept(";")
	if err := p.expect("}", "at the end of a function"); err != nil {
		return nil, err
	}
	f.to = p.end()
	return f, nil
}

// parseParam reads "NAME:TYPE" or "NAME:(COLUMN:TYPE, ...)", and a value behind "=".
func parseParam(p *exprParser) (a param, err error) {
	t := p.lex.Next()
	if t.Type != tokenIdent {
		return a, unexpected(t, "expected the name of a parameter")
	}
	a.name = t.Value
	if err := p.expect(":", "and a type after the parameter"); err != nil {
		return a, err
	}
	if p.accept("(") {
		a.table = true
		if p.accept("*") {
			return a, p.expect(")", "after *")
		}
		a.fields, err = parseColumns(p)
		return a, err
	}
	if a.kind, err = parseKind(p); err != nil {
		return a, err
	}
	if p.accept("=") {
		a.fallback, err = p.expr(0)
	}
	return a, err
}

// parseKind reads the name of a type.
func parseKind(p *exprParser) (Kind, error) {
	t := p.lex.Next()
	k, ok := kindOf(t.Value)
	if !ok {
		return 0, unexpected(t, "expected a type, as string or long")
	}
	return k, nil
}

// parseColumns reads "NAME:TYPE, ...)".
func parseColumns(p *exprParser) (fields []Field, err error) {
	for !p.accept(")") {
		name, err := p.name("the name of a column")
		if err != nil {
			return nil, err
		}
		if err := p.expect(":", "and a type after the column"); err != nil {
			return nil, err
		}
		k, err := parseKind(p)
		if err != nil {
			return nil, err
		}
		fields = append(fields, Field{name, k})
		if !p.accept(",") && !p.is(")") {
			return nil, unexpected(p.peek(), "expected ',' or ')' between columns")
		}
	}
	return fields, nil
}

func parseParams(p *exprParser) (*paramsStatement, error) {
	start := p.lex.Next().Pos.Offset
	if err := p.expect("query_parameters", "after declare"); err != nil {
		return nil, err
	}
	if err := p.expect("(", "after query_parameters"); err != nil {
		return nil, err
	}
	st := &paramsStatement{place: place{start, 0}}
	for !p.accept(")") {
		a, err := parseParam(p)
		if err != nil {
			return nil, err
		}
		st.params = append(st.params, a)
		if !p.accept(",") && !p.is(")") {
			return nil, unexpected(p.peek(), "expected ',' or ')' in parameters")
		}
	}
	st.to = p.end()
	return st, nil
}
