package query

import (
	"fmt"
	"slices"
	"strings"

	"github.com/alecthomas/participle/v2/lexer"
)

// parse takes texts apart: what stands between the literals of a pattern becomes columns.

func init() {
	register(
		Op{Name: "parse", Usage: `parse [kind=simple|regex|relaxed [flags=FLAGS]] EXPRESSION with [*] "TEXT" NAME[:TYPE] ... [*]`,
			Doc:     "takes a text apart by a pattern; the columns of a text that has it not are null",
			Example: `print s = "user=alice age=30" | parse s with "user=" user " age=" age:long`, Parse: parsePattern(false)},
		Op{Name: "parse-where", Usage: `parse-where [kind=simple|regex|relaxed [flags=FLAGS]] EXPRESSION with [*] "TEXT" NAME[:TYPE] ... [*]`,
			Doc:     "takes a text apart as parse does, and drops the rows whose text has not the pattern",
			Example: `print s = "user=alice age=30" | parse-where s with "user=" user " age=" age:long`, Parse: parsePattern(true)},
	)
}

// patternStage: parse and parse-where.
type patternStage struct {
	where   bool // drop what does not match
	kind    string
	flags   string // of kind=regex
	x       node
	pattern textPattern
}

// A textPattern is what stands behind with.
type textPattern []patternPart

// A patternPart is a * that skips characters, a literal, or a column.
type patternPart struct {
	place
	what partKind
	text string // the literal, or the name of the column
	kind Kind   // of the column
	col  int    // its number, from 0
}

type partKind uint8

const (
	partStar partKind = iota
	partLiteral
	partColumn
)

func (n patternPart) String() string { return n.text }

func parsePattern(where bool) func(*lexer.PeekingLexer) (Stage, error) {
	return func(lex *lexer.PeekingLexer) (Stage, error) {
		p := &exprParser{lex: lex}
		st := &patternStage{where: where, kind: "simple"}
		err := st.options(p)
		if err != nil {
			return nil, err
		}
		if st.x, err = p.expr(0); err != nil {
			return nil, err
		}
		if err = p.expect("with", "and a pattern after the text to parse"); err != nil {
			return nil, err
		}
		for !st.pattern.atEnd(p) {
			part, err := parsePatternPart(p)
			if err != nil {
				return nil, err
			}
			st.pattern = append(st.pattern, part)
		}
		if len(st.pattern) == 0 {
			return nil, unexpected(p.peek(), "expected a pattern after with")
		}
		return st, nil
	}
}

// regexFlags are the flags of kind=regex: i folds case, m lets ^ and $ be at the ends of
// lines, s lets . be the end of a line, and U makes repeats short.
const regexFlags = "imsU"

// options reads kind=regex flags=i. A column may be named kind.
func (st *patternStage) options(p *exprParser) error {
	cp := p.lex.MakeCheckpoint()
	if !p.accept("kind") {
		return nil
	}
	if !p.accept("=") {
		p.lex.LoadCheckpoint(cp)
		return nil
	}
	t := p.lex.Next()
	switch t.Value {
	case "simple", "regex", "relaxed":
		st.kind = t.Value
	default:
		return unexpected(t, "expected simple, regex or relaxed")
	}
	if st.kind == "regex" && p.accept("flags") {
		if err := p.expect("=", "after flags"); err != nil {
			return err
		}
		t := p.lex.Next()
		if t.Type != tokenIdent {
			return unexpected(t, "expected flags, as i or Ui")
		}
		for _, f := range t.Value {
			if !strings.ContainsRune(regexFlags, f) {
				return &Error{Msg: fmt.Sprintf("the flag %c is not supported here", f), Offset: t.Pos.Offset, End: t.Pos.Offset + len(t.Value)}
			}
		}
		st.flags = t.Value
	}
	return nil
}

func (textPattern) atEnd(p *exprParser) bool {
	t := p.peek()
	return t.EOF() || t.Type == tokenPunct && t.Value != "*" && t.Value != "["
}

// notInPatterns are words that Kusto's grammar keeps from being names here.
var notInPatterns = words("to as by in of has contains where")

func parsePatternPart(p *exprParser) (part patternPart, err error) {
	t := p.peek()
	part.from = t.Pos.Offset
	switch {
	case p.accept("*"):
		part.text = "*"
	case t.Type == tokenString:
		var n node
		if n, err = p.text(); err == nil {
			part.what, part.text = partLiteral, n.(*literalNode).value.S
		}
	case t.Value == "[":
		var n node
		if n, err = p.bracketName(); err == nil {
			part.what, part.text, part.kind = partColumn, n.(*nameNode).name, String
		}
	case t.Type == tokenIdent && !notInPatterns[t.Value]:
		p.lex.Next()
		part.what, part.text, part.kind = partColumn, t.Value, String
	default:
		return part, unexpected(t, "expected a text in quotes, the name of a column, or *")
	}
	if err == nil && part.what == partColumn && p.accept(":") {
		part.kind, err = parseKind(p)
	}
	part.to = p.end()
	return part, err
}

// check refuses patterns that leave open where a column ends, and numbers the columns.
func (pattern textPattern) check() error {
	names := map[string]bool{}
	for i := range pattern {
		part, before := &pattern[i], partLiteral
		if i > 0 {
			before = pattern[i-1].what
		}
		switch {
		case part.what == partColumn && before != partLiteral:
			return errorAt(part, "a column must stand behind a text in quotes")
		case part.what == partStar && before == partStar:
			return errorAt(part, "* must stand before a text in quotes")
		case part.what == partStar && before == partColumn && pattern[i-1].kind == String:
			return errorAt(part, "* behind the string column '%s' leaves open where it ends", pattern[i-1].text)
		case part.what == partStar && before == partColumn && prefixOf[pattern[i-1].kind] == nil:
			return errorAt(part, "* behind a column of type %s is not supported here", pattern[i-1].kind)
		case part.what == partColumn && names[part.text]:
			return errorAt(part, "the column '%s' is named twice", part.text)
		case part.what == partColumn:
			part.col = len(names)
			names[part.text] = true
		}
	}
	return nil
}

// A textMatcher takes a text apart. It sets the values of the columns, and returns false
// if the text has not the pattern.
type textMatcher func(text string, values []Value) bool

func (st *patternStage) Bind(b *binder, in *relation) (*relation, error) {
	if err := st.pattern.check(); err != nil {
		return nil, err
	}
	x, err := b.scope(in).expr(st.x)
	if err != nil {
		return nil, err
	}
	tp := &textParser{x: x, where: st.where, match: st.pattern.simple(st.kind == "relaxed")}
	if st.kind == "regex" {
		if tp.match, err = st.pattern.regex(st.flags); err != nil {
			return nil, err
		}
	}
	var made []Field
	for _, part := range st.pattern {
		if part.what == partColumn {
			made = append(made, Field{part.text, part.kind})
		}
	}
	return tp.stepped(in, made), nil
}

// stepped returns in with the columns that are parsed, in the place of those of their names.
func (tp *textParser) stepped(in *relation, made []Field) *relation {
	fields := slices.Clone(in.fields)
	for _, f := range made {
		at := in.field(f.Name)
		if at < 0 {
			at = len(fields)
			fields = append(fields, f)
		}
		fields[at] = f
		tp.kinds, tp.at = append(tp.kinds, f.Kind), append(tp.at, at)
	}
	tp.width = len(fields)
	return in.stepped(fields, tp.parse, false).by(tp.step(in))
}

// A textParser makes the columns of parse.
type textParser struct {
	x     expr
	match textMatcher
	where bool
	kinds []Kind // of the columns that it makes
	at    []int  // which of the result's columns they are
	width int    // how many columns the result has
}

// step tells what is read: the text, and of the columns that it does not make what is
// asked for.
func (tp *textParser) step(in *relation) planStep {
	return planStep{in: from(in), needs: func(out columnSet) []columnSet {
		need := make(columnSet, len(in.fields)).with(tp.x)
		for i := range in.fields {
			if !slices.Contains(tp.at, i) {
				need.use(i, out[i])
			}
		}
		return []columnSet{need}
	}}
}

func (tp *textParser) parse(_ *run, b *Batch) (*Batch, error) {
	v, err := tp.x.eval(b)
	if err != nil {
		return nil, err
	}
	v = v.boxed()
	if v.codes != nil && len(v.values) > b.N { // most of the values are in no row
		values := make([]Value, b.N)
		for row := range values {
			values[row] = v.At(row)
		}
		v = VectorOf(v.Kind, values)
	}
	matched := make([]Value, len(v.values))
	columns := make([][]Value, len(tp.kinds))
	for i := range columns {
		columns[i] = make([]Value, len(v.values))
	}
	row := make([]Value, len(tp.kinds))
	for i, text := range v.values {
		tp.clear(row)
		ok := tp.match(toString(text), row)
		if !ok {
			tp.clear(row)
		}
		matched[i] = BoolOf(ok)
		for c := range row {
			columns[c][i] = row[c]
		}
	}
	out := &Batch{N: b.N, Cols: append(make([]*Vector, 0, tp.width), b.Cols...)[:tp.width]}
	for c, values := range columns {
		out.Cols[tp.at[c]] = v.with(tp.kinds[c], values)
	}
	if !tp.where {
		return out, nil
	}
	rows, err := selected(vectorExpr{v.with(Bool, matched)}, out)
	if err != nil {
		return nil, err
	}
	return out.Take(rows), nil
}

func (tp *textParser) clear(row []Value) {
	for c, k := range tp.kinds {
		row[c] = NullOf(k)
	}
}

// with returns a vector of other values that stand in the rows in which those of v do.
func (v *Vector) with(k Kind, values []Value) *Vector {
	return &Vector{Kind: k, values: values, codes: v.codes, one: v.one, parts: k.hasText()}
}

// A vectorExpr is a vector that is there already.
type vectorExpr struct{ v *Vector }

func (e vectorExpr) kind() Kind                   { return e.v.Kind }
func (e vectorExpr) eval(*Batch) (*Vector, error) { return e.v, nil }
