package query

import (
	"slices"
	"strings"

	"github.com/alecthomas/participle/v2/lexer"
)

// mv-expand makes rows of the elements of arrays and of the members of bags. Several
// columns are walked side by side; a shorter one is filled up with nulls.

func init() {
	register(
		Op{Name: "mv-expand", Usage: "mv-expand [kind=bag|array] [with_itemindex=NAME] [NAME =] EXPRESSION [to typeof(TYPE)], ... [limit N]",
			Doc:     "makes a row of each element of an array, or of each member of a bag",
			Example: "print a = dynamic([1, 2]) | mv-expand a to typeof(long)", Parse: parseExpand(0)},
		Op{Name: "mvexpand", Usage: "mvexpand [NAME =] EXPRESSION [to typeof(TYPE)], ... [limit N]",
			Doc:     "is the old name of mv-expand: without a limit it makes 128 rows of a row at most",
			Example: "print a = dynamic([1, 2]) | mvexpand a", Parse: parseExpand(128)},
	)
}

// expandStage: mv-expand and mvexpand.
type expandStage struct {
	arrays bool   // bagexpansion=array: a member becomes [name, value], not a bag of one
	index  string // the column that with_itemindex names
	items  []expandItem
	limit  node
	most   int64 // rows of a row, where there is no limit; 0: all
}

// An expandItem is one column to expand.
type expandItem struct {
	NamedExpr
	kind Kind
}

func parseExpand(most int64) func(*lexer.PeekingLexer) (Stage, error) {
	return func(lex *lexer.PeekingLexer) (Stage, error) {
		p := &exprParser{lex: lex}
		st := &expandStage{most: most}
		for more := true; more; {
			var err error
			if more, err = st.option(p); err != nil {
				return nil, err
			}
		}
		if cp := p.lex.MakeCheckpoint(); p.accept("limit") {
			if p.peek().Type == tokenNumber {
				st.limit, _ = p.primary()
			} else {
				p.lex.LoadCheckpoint(cp)
			}
		}
		for {
			item, err := parseExpandItem(p)
			if err != nil {
				return nil, err
			}
			st.items = append(st.items, item)
			if !p.accept(",") {
				break
			}
		}
		if p.accept("limit") {
			var err error
			if st.limit, err = p.expr(0); err != nil {
				return nil, err
			}
		}
		return st, nil
	}
}

// option reads kind=array and the like, if one is next. A column may be named so: what
// follows an option is a column.
func (st *expandStage) option(p *exprParser) (bool, error) {
	cp := p.lex.MakeCheckpoint()
	name := p.lex.Next()
	if name.Type == tokenIdent && p.accept("=") {
		value := p.lex.Next()
		next := p.peek()
		if last := next.EOF() || strings.Contains(",|;)", next.Value) || next.Value == "to"; !last && value.Type == tokenIdent {
			switch name.Value {
			case "kind", "bagexpansion":
				if value.Value != "bag" && value.Value != "array" {
					return false, unexpected(value, "expected bag or array")
				}
				st.arrays = value.Value == "array"
				return true, nil
			case "with_itemindex":
				st.index = value.Value
				return true, nil
			}
		}
	}
	p.lex.LoadCheckpoint(cp)
	return false, nil
}

// parseExpandItem reads "[NAME =] EXPRESSION [to typeof(TYPE)]".
func parseExpandItem(p *exprParser) (item expandItem, err error) {
	item.kind = Dynamic
	if err = item.Parse(p.lex); err != nil || !p.accept("to") {
		return item, err
	}
	if err = p.expect("typeof", "after to"); err != nil {
		return item, err
	}
	if err = p.expect("(", "after typeof"); err != nil {
		return item, err
	}
	if item.kind, err = parseKind(p); err != nil {
		return item, err
	}
	return item, p.expect(")", "after the type")
}

func (st *expandStage) Bind(b *binder, in *relation) (*relation, error) {
	e := &expander{operator: "mv-expand", fields: slices.Clone(in.fields), most: st.most, arrays: st.arrays, index: -1}
	for range in.fields {
		e.from = append(e.from, -1)
	}
	taken := func(name string) bool {
		return slices.ContainsFunc(e.fields, func(f Field) bool { return f.Name == name })
	}
	s := b.scope(in)
	for _, item := range st.items {
		if item.Names != nil {
			return nil, errorAt(item.X, "mv-expand gives one name to a column")
		}
		x, err := s.expr(item.X)
		if err != nil {
			return nil, err
		}
		if x.kind() != Dynamic && x.kind() != unknown {
			return nil, errorAt(item.X, "mv-expand wants a dynamic, found %s of type %s", item.X, x.kind())
		}
		name := item.Name
		if name == "" {
			if name = s.resultName(item.X); name == "" {
				name = numbered("Column", 1, taken)
			}
		}
		e.add(Field{name, item.kind}, x)
	}
	if st.index != "" {
		e.index = len(e.fields)
		e.fields = append(e.fields, Field{unique(st.index, taken), Long})
	}
	switch {
	case st.limit != nil:
		n, err := b.number(st.limit, "limit")
		if err != nil {
			return nil, err
		}
		e.most = max(n, 1)
		if n == 0 {
			return nil, errorAt(st.limit, "a limit of 0 is not supported here")
		}
	case st.most > 0:
		b.hint("mvexpand makes %d rows of a row at most; mv-expand makes all", st.most)
	}
	return in.derived(e.fields, e.over(in)).by(e.step(in)), nil
}
