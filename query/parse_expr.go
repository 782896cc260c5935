package query

import (
	"fmt"
	"math"
	"strings"
	"sync"

	"github.com/alecthomas/participle/v2/lexer"
)

// maxDepth is how deep expressions and queries in them may nest.
const maxDepth = 200

// An Expr is an expression in the grammar of an operator. It is parsed by precedence
// climbing, below.
type Expr struct{ node }

// Parse implements participle's Parseable.
func (e *Expr) Parse(lex *lexer.PeekingLexer) (err error) {
	e.node, err = (&exprParser{lex: lex}).expr(0)
	return err
}

// levels are the operators between two operands, from those that bind least.
var levels = []map[string]bool{
	words("or"),
	words("and"),
	words("== != <> in !in in~ !in~ has_any has_all !has_any !has_all between !between"),
	words("< > <= >="),
	words("+ -"),
	words("* / %"),
	words("=~ !~ has !has has_cs !has_cs hasprefix !hasprefix hasprefix_cs !hasprefix_cs hassuffix !hassuffix hassuffix_cs !hassuffix_cs " +
		"contains !contains contains_cs !contains_cs containscs startswith !startswith startswith_cs !startswith_cs endswith !endswith endswith_cs !endswith_cs matches " +
		"like notlike likecs notlikecs"),
}

func words(list string) map[string]bool {
	m := map[string]bool{}
	for _, w := range strings.Fields(list) {
		m[w] = true
	}
	return m
}

// lateWords makes a long list of words when it is first asked for: not every command asks.
func lateWords(list string) func() map[string]bool {
	return sync.OnceValue(func() map[string]bool { return words(list) })
}

// An exprParser reads an expression from tokens.
type exprParser struct {
	lex   *lexer.PeekingLexer
	depth int
}

func (p *exprParser) peek() *lexer.Token { return p.lex.Peek() }

// is tells whether the next token is a sign or a word.
func (p *exprParser) is(text string) bool {
	t := p.peek()
	return t.Value == text && (t.Type == tokenPunct || t.Type == tokenIdent)
}

// accept takes the next token if it is a sign or a word.
func (p *exprParser) accept(text string) bool {
	if !p.is(text) {
		return false
	}
	p.lex.Next()
	return true
}

func (p *exprParser) expect(text, what string) error {
	if p.accept(text) {
		return nil
	}
	return unexpected(p.peek(), fmt.Sprintf("expected '%s' %s", text, what))
}

// unexpected is the error of a token that cannot stand where it does.
func unexpected(t *lexer.Token, expected string) *Error {
	found := "'" + t.Value + "'"
	if t.EOF() {
		found = "the end of the query"
	} else if len(t.Value) > 40 {
		found = "'" + t.Value[:40] + "…'"
	}
	return &Error{Msg: expected + ", found " + found, Offset: t.Pos.Offset, End: t.Pos.Offset + len(t.Value)}
}

// unsupported is the error of what Kusto has and we lack.
func unsupported(t *lexer.Token, what string) *Error {
	return lacking(place{t.Pos.Offset, t.Pos.Offset + len(t.Value)}, what)
}

// end is where the token that was taken last ends.
func (p *exprParser) end() int {
	tokens := p.lex.Range(0, p.lex.RawCursor())
	if len(tokens) == 0 {
		return 0
	}
	t := tokens[len(tokens)-1]
	return t.Pos.Offset + len(t.Value)
}

// expr reads operands and operators from a level on.
func (p *exprParser) expr(level int) (node, error) {
	if p.depth++; p.depth > maxDepth {
		return nil, unexpected(p.peek(), fmt.Sprintf("an expression may be nested %d deep", maxDepth))
	}
	defer func() { p.depth-- }()
	left, err := p.unary()
	for err == nil {
		t := p.peek()
		at := -1
		for i := level; i < len(levels); i++ {
			if (t.Type == tokenPunct || t.Type == tokenIdent) && levels[i][t.Value] {
				at = i
			}
		}
		if at < 0 {
			return left, nil
		}
		p.lex.Next()
		left, err = p.operator(left, t.Value, at)
	}
	return nil, err
}

// operator reads what comes behind an operator of a level.
func (p *exprParser) operator(left node, op string, level int) (node, error) {
	from, _ := left.span()
	at := func() place { return place{from, p.end()} }
	switch strings.TrimPrefix(op, "!") {
	case "between":
		if err := p.expect("(", "after "+op); err != nil {
			return nil, err
		}
		lo, err := p.expr(0)
		if err == nil {
			err = p.expect("..", "between the bounds")
		}
		if err != nil {
			return nil, err
		}
		hi, err := p.expr(0)
		if err == nil {
			err = p.expect(")", "after the bounds of "+op)
		}
		return &betweenNode{at(), op, left, lo, hi}, err
	case "in", "in~", "has_any", "has_all":
		if !p.is("(") {
			return nil, unexpected(p.peek(), "expected '(' and a list after "+op)
		}
		p.lex.Next()
		list, err := p.list(")")
		return &listNode{at(), op, left, list}, err
	case "matches":
		if !p.accept("regex") {
			return nil, unexpected(p.peek(), "expected 'regex' after matches")
		}
		op = "matches regex"
	case "containscs":
		op = strings.Replace(op, "containscs", "contains_cs", 1)
	}
	if op == "<>" {
		op = "!="
	}
	right, err := p.expr(level + 1)
	return &binaryNode{at(), op, left, right}, err
}

// list reads expressions, or a query, up to a closing bracket, which it takes.
func (p *exprParser) list(closing string) (list []node, err error) {
	for !p.accept(closing) {
		x, err := p.valueOrQuery()
		if err != nil {
			return nil, err
		}
		list = append(list, x)
		if !p.accept(",") && !p.is(closing) {
			return nil, unexpected(p.peek(), fmt.Sprintf("expected ',' or '%s'", closing))
		}
	}
	return list, nil
}

// valueOrQuery reads an expression, or a query where one may stand.
func (p *exprParser) valueOrQuery() (node, error) {
	from := p.peek().Pos.Offset
	if isSource(p.lex) {
		q, err := parsePipeline(p.lex, nil, p.depth)
		return &tableNode{place{from, p.end()}, q}, err
	}
	x, err := p.expr(0)
	if err == nil && p.is("|") {
		q, err := parsePipeline(p.lex, x, p.depth)
		return &tableNode{place{from, p.end()}, q}, err
	}
	return x, err
}

func (p *exprParser) unary() (node, error) {
	t := p.peek()
	if t.Type == tokenPunct && (t.Value == "-" || t.Value == "+") {
		p.lex.Next()
		if p.depth++; p.depth > maxDepth {
			return nil, unexpected(p.peek(), fmt.Sprintf("an expression may be nested %d deep", maxDepth))
		}
		x, err := p.unary()
		p.depth--
		return &unaryNode{place{t.Pos.Offset, p.end()}, t.Value, x}, err
	}
	x, err := p.primary()
	for err == nil {
		from, _ := x.span()
		switch {
		case p.is("."):
			p.lex.Next()
			if p.accept("[") { // args.['p']
				x, err = p.element(x, from)
				continue
			}
			name := p.lex.Next()
			if name.Type != tokenIdent && name.Type != tokenNumber {
				return nil, unexpected(name, "expected a member's name after '.'")
			}
			if call, ok := x.(*callNode); ok && kqlTables()[call.name] && p.is("(") { // cluster("x").database("y")
				return nil, lacking(call, call.name)
			}
			x = &memberNode{place{from, p.end()}, x, name.Value}
		case p.is("["):
			p.lex.Next()
			x, err = p.element(x, from)
		default:
			return x, nil
		}
	}
	return nil, err
}

// element reads what stands in brackets behind x.
func (p *exprParser) element(x node, from int) (node, error) {
	i, err := p.expr(0)
	if err == nil {
		err = p.expect("]", "after an index")
	}
	if l, ok := i.(*literalNode); ok && err == nil && l.value.Kind == String {
		return &memberNode{place{from, p.end()}, x, l.value.S}, nil
	}
	return &elementNode{place{from, p.end()}, x, i}, err
}

func (p *exprParser) primary() (node, error) {
	t := p.peek()
	switch {
	case t.Type == tokenString:
		return p.text()
	case t.Type == tokenNumber || t.Type == tokenTimespan || t.Type == tokenLiteral:
		p.lex.Next()
		v, err := literalValue(t)
		return &literalNode{place: place{t.Pos.Offset, p.end()}, value: v, text: t.Value, wrong: err}, nil
	case t.Type == tokenIdent:
		p.lex.Next()
		if p.is("(") {
			if t.Value == "externaldata" || t.Value == "external_data" { // its columns are no arguments
				return nil, unsupported(t, t.Value)
			}
			return p.call(t)
		}
		at := place{t.Pos.Offset, p.end()}
		switch t.Value {
		case "true", "True", "TRUE":
			return &literalNode{place: at, value: BoolOf(true), text: "true"}, nil
		case "false", "False", "FALSE":
			return &literalNode{place: at, value: BoolOf(false), text: "false"}, nil
		}
		return &nameNode{at, t.Value}, nil
	case t.Value == "(":
		p.lex.Next()
		x, err := p.valueOrQuery()
		if err == nil {
			err = p.expect(")", fmt.Sprintf("for the '(' at %d:%d", t.Pos.Line, t.Pos.Column))
		}
		return x, err
	case t.Value == "[":
		return p.bracketName()
	case t.Type == tokenSkipped:
		p.lex.Next()
		return &skippedNode{place{t.Pos.Offset, p.end()}}, nil
	case t.Value == "*":
		p.lex.Next()
		return &starNode{place{t.Pos.Offset, p.end()}}, nil
	}
	return nil, unexpected(t, "expected a value")
}

// text reads string literals, which are joined where they stand side by side.
func (p *exprParser) text() (node, error) { return p.texts(math.MaxInt) }

// texts reads at most some string literals as one.
func (p *exprParser) texts(most int) (node, error) {
	first := p.peek()
	var b strings.Builder
	for ; p.peek().Type == tokenString && most > 0; most-- {
		t := p.lex.Next()
		s, ok := unquoteLiteral(t.Value)
		if !ok {
			return nil, &Error{Msg: "a string with an escape that is none; write \\\\ for a backslash, or @ before the quote", Offset: t.Pos.Offset, End: t.Pos.Offset + len(t.Value)}
		}
		b.WriteString(s)
	}
	value := b.String()
	return &literalNode{place: place{first.Pos.Offset, p.end()}, value: StringOf(value), text: Quote(value)}, nil
}

// bracketName reads ['a name'].
func (p *exprParser) bracketName() (node, error) {
	open := p.lex.Next()
	if p.peek().Type != tokenString {
		return nil, unexpected(p.peek(), "expected a name in quotes after '['")
	}
	s, err := p.text()
	if err == nil {
		err = p.expect("]", "after a name")
	}
	if err != nil {
		return nil, err
	}
	return &nameNode{place{open.Pos.Offset, p.end()}, s.(*literalNode).value.S}, nil
}

// name reads the name of something that a query makes, plain or in brackets.
func (p *exprParser) name(what string) (string, error) {
	switch t := p.peek(); {
	case t.Type == tokenIdent:
		return p.lex.Next().Value, nil
	case t.Value != "[":
		return "", unexpected(t, "expected "+what)
	}
	n, err := p.bracketName()
	if err != nil {
		return "", err
	}
	return n.(*nameNode).name, nil
}

// call reads the arguments of a function.
func (p *exprParser) call(name *lexer.Token) (node, error) {
	open := p.lex.Next()
	n := &callNode{name: name.Value}
	for !p.accept(")") {
		a := argNode{}
		if cp := p.lex.MakeCheckpoint(); p.peek().Type == tokenIdent {
			t := p.lex.Next()
			if p.accept("=") {
				a.name = t.Value
			} else {
				p.lex.LoadCheckpoint(cp)
			}
		}
		var err error
		if a.node, err = p.valueOrQuery(); err != nil {
			return nil, err
		}
		n.args = append(n.args, a)
		if !p.accept(",") && !p.is(")") {
			if p.peek().EOF() {
				return nil, unexpected(p.peek(), fmt.Sprintf("expected ')' for the '(' at %d:%d", open.Pos.Line, open.Pos.Column))
			}
			return nil, unexpected(p.peek(), fmt.Sprintf("expected ',' or ')' in the arguments of %s", n.name))
		}
	}
	n.place = place{name.Pos.Offset, p.end()}
	return n, nil
}

// leastLong is the least long without its sign. Kusto takes it in a datatable alone.
const leastLong = "9223372036854775808"
