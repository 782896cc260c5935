package query

import "github.com/alecthomas/participle/v2/lexer"

// A NamedExpr is an expression with the name that its result gets, if one is given.
type NamedExpr struct {
	Name  string
	Names []string // of (a, b) = f(x)
	X     node
}

// Parse implements participle's Parseable.
func (e *NamedExpr) Parse(lex *lexer.PeekingLexer) error { return e.parse(lex, 0) }

// parse reads an expression of operators from a level on.
func (e *NamedExpr) parse(lex *lexer.PeekingLexer, level int) (err error) {
	p := &exprParser{lex: lex}
	cp := lex.MakeCheckpoint()
	switch t := lex.Peek(); {
	case t.Type == tokenIdent:
		lex.Next()
		if p.accept("=") {
			if reserved[t.Value] {
				return unexpected(t, "a column of this name is written ['"+t.Value+"']; expected another name")
			}
			e.Name = t.Value
		} else {
			lex.LoadCheckpoint(cp)
		}
	case t.Value == "[":
		if n, err := p.bracketName(); err == nil && p.accept("=") {
			e.Name = n.(*nameNode).name
		} else {
			lex.LoadCheckpoint(cp)
		}
	case t.Value == "(":
		if !e.names(p) {
			lex.LoadCheckpoint(cp)
		}
	}
	e.X, err = p.expr(level)
	return err
}

// single gives what has one result its name of (NAME) = EXPRESSION.
func (e *NamedExpr) single() error {
	switch len(e.Names) {
	case 0:
		return nil
	case 1:
		e.Name = e.Names[0]
		return nil
	}
	return errorAt(e.X, "there are %d names for what has one result", len(e.Names))
}

// reserved are the words that no column is named by without brackets.
var reserved = words("and or not has has_cs has_any has_all hasprefix hassuffix contains startswith endswith between in by asc desc first last nulls on from select where matches typeof")

// names reads "(a, b) =".
func (e *NamedExpr) names(p *exprParser) bool {
	p.lex.Next()
	var names []string
	for {
		t := p.lex.Next()
		if t.Type != tokenIdent {
			return false
		}
		names = append(names, t.Value)
		if p.accept(")") {
			break
		}
		if !p.accept(",") {
			return false
		}
	}
	if !p.accept("=") {
		return false
	}
	e.Names = names
	return true
}
