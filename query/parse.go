package query

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/alecthomas/participle/v2"
	"github.com/alecthomas/participle/v2/lexer"
)

// MaxText is how many bytes a query may have.
const MaxText = 1 << 20

// A script is statements, in their order.
type script struct{ statements []statement }

// A statement gives a name a meaning, or is a query.
type statement struct {
	let    *letStatement
	params *paramsStatement
	query  *pipeline
	plan   bool // explain: what is asked for is the plan of query
}

// A pipeline is a query: a source, and stages that rows go through.
type pipeline struct {
	from, to int
	source   sourceNode
	stages   []stageNode
}

// A sourceNode is where rows come from: an operator such as print, or an expression that
// names a table.
type sourceNode struct {
	stage Stage // nil: expr
	expr  node
}

// A stageNode is an operator with what stands behind its name.
type stageNode struct {
	place
	name   string
	tokens []lexer.Token
	stage  Stage
}

func (q *pipeline) String() string {
	var b strings.Builder
	if q.source.stage != nil {
		b.WriteString(q.stages[0].String())
	} else {
		b.WriteString(wrapped(q.source.expr))
	}
	for i, s := range q.stages {
		if i > 0 || q.source.stage == nil {
			b.WriteString(" | " + s.String())
		}
	}
	return b.String()
}

// String returns the operator again, with one space where some was.
func (s *stageNode) String() string {
	var b strings.Builder
	end := 0
	for i, t := range s.tokens {
		if i > 0 && end < t.Pos.Offset {
			b.WriteByte(' ')
		}
		b.WriteString(t.Value)
		end = t.Pos.Offset + len(t.Value)
	}
	return b.String()
}

// parse reads a script. The first error ends it; parseAll goes on behind it.
func parse(text string) (*script, error) {
	if err := checkText(text); err != nil {
		return nil, err
	}
	list, err := lex(text)
	if err != nil {
		return nil, err
	}
	s := new(script)
	_, err = parseStatements(list, s)
	return s, err
}

// checkText refuses a text that is too long, or not UTF-8: in a message or in JSON another
// character would stand for a byte that is none.
func checkText(text string) *Error {
	if len(text) > MaxText {
		return &Error{Msg: fmt.Sprintf("a query may have %d bytes, this has %d", MaxText, len(text))}
	}
	for i, r := range text {
		if r != utf8.RuneError {
			continue
		}
		if _, n := utf8.DecodeRuneInString(text[i:]); n == 1 {
			return &Error{Msg: fmt.Sprintf("a query is UTF-8, and the byte %#x here is not", text[i]), Offset: i, End: i + 1}
		}
	}
	return nil
}

// nextStatement tells whether there is another statement.
func (p *exprParser) nextStatement() bool {
	for p.accept(";") {
	}
	return !p.peek().EOF()
}

// wholeStatement reads a statement up to what ends it.
func (p *exprParser) wholeStatement(s *script) (statement, error) {
	st, err := parseExplained(p, s)
	if err == nil && !p.is(";") && !p.peek().EOF() {
		err = afterStatement(p.peek())
	}
	return st, err
}

// afterStatement is the error of a token behind a query that is whole.
func afterStatement(t *lexer.Token) error {
	if t.Type == tokenIdent && operatorNamed(t.Value) != nil {
		return unexpected(t, fmt.Sprintf("expected '|' before %s", t.Value))
	}
	instead := map[string]string{"=": "use == to compare; ", "&&": "use and; ", "||": "use or; "}[t.Value]
	return unexpected(t, instead+"expected '|', ';' or the end of the query")
}

func parseStatement(p *exprParser) (st statement, err error) {
	switch {
	case p.is("let"):
		st.let, err = parseLet(p)
	case p.is("declare"):
		if next := p.after(); next == "pattern" {
			return st, unsupported(p.peek(), "declare pattern")
		}
		st.params, err = parseParams(p)
	case p.startsStatement():
		return st, unsupported(p.peek(), p.peek().Value)
	case p.peek().Value == "." && p.after() != "" && isWord(p.after()[0]) && !isDigit(p.after()[0]): // .show tables
		return st, unsupported(p.peek(), "."+p.after())
	default:
		st.query, err = parsePipeline(p.lex, nil, p.depth)
	}
	return st, err
}

// startsStatement tells whether a statement is next that is no query: a table may have the
// name of one.
func (p *exprParser) startsStatement() bool {
	t := p.peek()
	if t.Type != tokenIdent || !kqlStatements[t.Value] {
		return false
	}
	cp := p.lex.MakeCheckpoint()
	defer p.lex.LoadCheckpoint(cp)
	p.lex.Next()
	return p.peek().Type == tokenIdent
}

// after returns the token behind the next one.
func (p *exprParser) after() string {
	cp := p.lex.MakeCheckpoint()
	defer p.lex.LoadCheckpoint(cp)
	p.lex.Next()
	return p.lex.Peek().Value
}

// isSource tells whether an operator that rows come from is next.
func isSource(lex *lexer.PeekingLexer) bool {
	t := lex.Peek()
	if t.Type != tokenIdent {
		return false
	}
	op := operatorNamed(t.Value)
	if op != nil && !op.Source {
		return false
	}
	cp := lex.MakeCheckpoint()
	defer lex.LoadCheckpoint(cp)
	lex.Next()
	next := lex.Peek()
	if op == nil { // one that the core has not, as diff "a" "b"; an identifier alone may be a table
		return next.Type == tokenString
	}
	switch t.Value {
	case "range": // the function of that name is a list of values
		return next.Type == tokenIdent
	case "datatable":
		return next.Value == "("
	}
	// A column may have the name of an operator.
	return next.Type != tokenPunct && !next.EOF() || next.Type == tokenPunct && strings.Contains("(+-*", next.Value) || next.Value == "[" && t.Value == "print"
}

// parsePipeline reads a query. source, if it is not nil, has been read already.
func parsePipeline(lex *lexer.PeekingLexer, source node, depth int) (*pipeline, error) {
	p := &exprParser{lex: lex, depth: depth + 1}
	if p.depth > maxDepth {
		return nil, unexpected(p.peek(), fmt.Sprintf("queries may be nested %d deep", maxDepth))
	}
	q := &pipeline{from: p.peek().Pos.Offset}
	switch {
	case source != nil:
		q.from, _ = source.span()
		q.source.expr = source
	case isSource(lex):
		s, err := parseStage(p)
		if err != nil {
			return nil, err
		}
		q.source.stage, q.stages = s.stage, []stageNode{s}
	default:
		x, err := p.valueOrTable()
		if err != nil {
			return nil, err
		}
		q.source.expr = x
	}
	for p.accept("|") {
		s, err := parseStage(p)
		if err != nil {
			return nil, err
		}
		q.stages = append(q.stages, s)
	}
	q.to = p.end()
	return q, nil
}

// valueOrTable reads the name of a table, a call that gives one, or a query in parentheses.
func (p *exprParser) valueOrTable() (node, error) {
	t := p.peek()
	if t.EOF() {
		return nil, unexpected(t, "expected a query, as entries | take 10")
	}
	if t.Type == tokenIdent && kqlOperators()[t.Value] && operatorNamed(t.Value) == nil && p.startsOperator() { // find, evaluate
		return nil, unsupported(t, t.Value)
	}
	return p.unary()
}

// startsOperator tells whether what is next is an operator with what belongs to it, and no
// name of a table.
func (p *exprParser) startsOperator() bool {
	cp := p.lex.MakeCheckpoint()
	defer p.lex.LoadCheckpoint(cp)
	p.lex.Next()
	t := p.peek()
	return t.Type == tokenString || t.Type == tokenIdent && operatorNamed(t.Value) == nil
}

// parseStage reads an operator and what belongs to it.
func parseStage(p *exprParser) (stageNode, error) {
	t := p.peek()
	if t.Type == tokenSkipped {
		p.lex.Next()
		return stageNode{place: place{t.Pos.Offset, p.end()}, name: t.Value, stage: &skippedStage{t.Value}}, nil
	}
	if t.Type != tokenIdent {
		return stageNode{}, unexpected(t, "expected an operator after '|', as where or summarize")
	}
	op := operatorNamed(t.Value)
	start := p.lex.RawCursor()
	p.lex.Next()
	var stage Stage
	var err error
	if op == nil {
		stage, err = parseOperator(p, t)
	} else if stage, err = op.Parse(p.lex); err != nil {
		err = rewritten(err, op)
	}
	if err != nil {
		return stageNode{}, err
	}
	s := stageNode{place: place{t.Pos.Offset, p.end()}, name: t.Value, stage: stage}
	s.tokens = p.lex.Range(start, p.lex.RawCursor())
	return s, nil
}

// grammar makes the parser of an operator from the tags of its struct, when it is first
// needed.
func grammar[T any, P interface {
	*T
	Stage
}]() func(*lexer.PeekingLexer) (Stage, error) {
	build := sync.OnceValue(func() *participle.Parser[T] {
		return participle.MustBuild[T](participle.Lexer(lexDefinition{}), participle.UseLookahead(2))
	})
	return func(lex *lexer.PeekingLexer) (Stage, error) {
		v, err := build().ParseFromLexer(lex, participle.AllowTrailing(true))
		if err != nil {
			return nil, err
		}
		return P(v), nil
	}
}

// rewritten makes an error of participle one of ours.
func rewritten(err error, op *Op) error {
	var own *Error
	var token *participle.UnexpectedTokenError
	var other participle.Error
	switch {
	case errors.As(err, &own):
		return own
	case errors.As(err, &token):
		return unexpected(&token.Unexpected, "expected "+op.Usage)
	case errors.As(err, &other):
		at := other.Position()
		return &Error{Msg: "expected " + op.Usage, Offset: at.Offset, End: at.Offset + 1}
	}
	return err
}
