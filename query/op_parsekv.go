package query

import (
	"fmt"
	"slices"
	"unicode/utf8"

	"github.com/alecthomas/participle/v2/lexer"
)

func init() {
	register(Op{Name: "parse-kv", Usage: `parse-kv EXPRESSION as (NAME:TYPE, ...) [with (pair_delimiter="TEXT", kv_delimiter="TEXT" [, quote="CHARS"] [, escape="CHAR"]) or with (regex="PATTERN")]`,
		Doc:     "takes values by their keys out of a text; without delimiters, all but letters and digits divide it",
		Example: `print s = "user=alice;age=30" | parse-kv s as (user:string, age:long) with (pair_delimiter=";", kv_delimiter="=")`, Parse: parseKeyValues})
}

// keyValueStage: parse-kv.
type keyValueStage struct {
	x       node
	columns []Field
	options keyValues
	regex   *literalNode
}

func parseKeyValues(lex *lexer.PeekingLexer) (_ Stage, err error) {
	p := &exprParser{lex: lex}
	st := &keyValueStage{}
	if st.x, err = p.expr(0); err != nil {
		return nil, err
	}
	if err = p.expect("as", "and the keys, as (a:long, b:string)"); err != nil {
		return nil, err
	}
	if err = st.keys(p); err != nil {
		return nil, err
	}
	at := p.peek()
	if p.accept("with") {
		if err = st.with(p); err != nil {
			return nil, err
		}
	}
	switch o := st.options; {
	case (o.pair == "") != (o.kv == ""):
		return nil, unexpected(at, "expected pair_delimiter and kv_delimiter, or neither")
	case st.regex != nil && (o.pair != "" || o.quotes != nil || o.escapes != ""):
		return nil, unexpected(at, "expected delimiters or a regex, not both")
	}
	return st, nil
}

// keys reads "(NAME:TYPE, ...)".
func (st *keyValueStage) keys(p *exprParser) error {
	if err := p.expect("(", "and the keys, as (a:long, b:string)"); err != nil {
		return err
	}
	for {
		at := p.peek()
		if at.Value == "true" || at.Value == "false" {
			return unexpected(at, "expected the name of a key, as ['"+at.Value+"'] for a word that is a value")
		}
		name, err := p.name("the name of a key")
		if err != nil {
			return err
		}
		if slices.ContainsFunc(st.columns, func(f Field) bool { return f.Name == name }) {
			return &Error{Msg: fmt.Sprintf("the key '%s' is named twice", name), Offset: at.Pos.Offset, End: p.end()}
		}
		if err := p.expect(":", "and a type, as "+name+":string"); err != nil {
			return err
		}
		kind, err := parseKind(p)
		if err != nil {
			return err
		}
		st.columns = append(st.columns, Field{name, kind})
		if !p.accept(",") {
			return p.expect(")", "after the keys")
		}
	}
}

// with reads "(NAME=VALUE, ...)".
func (st *keyValueStage) with(p *exprParser) error {
	if err := p.expect("(", "and options after with"); err != nil {
		return err
	}
	for !p.accept(")") {
		name := p.lex.Next()
		if err := p.expect("=", "after "+name.Value); err != nil {
			return err
		}
		if name.Value == "greedy" {
			return unsupported(name, "greedy")
		}
		at := p.peek()
		if at.Type != tokenString {
			return unexpected(at, "expected a text in quotes for "+name.Value)
		}
		text, err := p.text()
		if err == nil {
			err = st.option(name, at, text.(*literalNode))
		}
		if err != nil {
			return err
		}
		if !p.accept(",") && !p.is(")") {
			return unexpected(p.peek(), "expected ',' or ')' after an option")
		}
	}
	return nil
}

func (st *keyValueStage) option(name, at *lexer.Token, value *literalNode) error {
	text, o := value.value.S, &st.options
	n := utf8.RuneCountInString(text)
	switch name.Value {
	case "pair_delimiter":
		o.pair = text
	case "kv_delimiter":
		o.kv = text
	case "quote":
		if n != 1 && n != 2 {
			return unexpected(at, "expected one or two characters for quote")
		}
		r := []rune(text)
		o.quotes = append(o.quotes, [2]rune{r[0], r[n-1]})
		return nil
	case "escape":
		if n != 1 {
			return unexpected(at, "expected one character for escape")
		}
		o.escapes += text
		return nil
	case "regex":
		st.regex = value
		return nil
	default:
		return unexpected(name, "expected pair_delimiter, kv_delimiter, quote, escape or regex")
	}
	if text == "" {
		return unexpected(at, "expected a text that is not empty for "+name.Value)
	}
	return nil
}

func (st *keyValueStage) Bind(b *binder, in *relation) (*relation, error) {
	x, err := b.scope(in).expr(st.x)
	if err != nil {
		return nil, err
	}
	if x.kind() != String && x.kind() != Dynamic {
		return nil, errorAt(st.x, "parse-kv: expected a text, found %s of type %s", st.x, x.kind())
	}
	pairs := st.options.pairs
	if st.regex != nil {
		if pairs, err = regexPairs(st.regex); err != nil {
			return nil, err
		}
	} else if st.options.pair == "" {
		pairs = st.options.words(st.columns)
	}
	tp := &textParser{x: x, match: keyMatcher(st.columns, pairs)}
	return tp.stepped(in, st.columns), nil
}
