package query

import (
	"fmt"
	"slices"
	"strings"

	"github.com/alecthomas/participle/v2/lexer"
)

// Operators that choose columns by name, or give them other names.

func init() {
	register(
		Op{Name: "project-away", Usage: "project-away NAME, ...", Doc: "leaves columns out; a name may have *", Example: "print a = 1, b = 2 | project-away a", Parse: parseNames("away")},
		Op{Name: "project-keep", Usage: "project-keep NAME, ...", Doc: "leaves all columns but those out", Example: "print a = 1, b = 2 | project-keep b", Parse: parseNames("keep")},
		Op{Name: "project-rename", Usage: "project-rename NEW = OLD, ...", Doc: "gives columns other names", Example: "print a = 1 | project-rename b = a", Parse: grammar[renameStage]()},
		Op{Name: "project-reorder", Usage: "project-reorder NAME [asc|desc], ...", Doc: "puts columns first", Example: "print a = 1, b = 2 | project-reorder b", Parse: parseNames("reorder")},
	)
}

// A namesStage is project-away, project-keep or project-reorder: patterns of names.
type namesStage struct {
	how   string
	names []patternNode
}

type patternNode struct {
	place
	pattern string
	order   string // asc or desc, of project-reorder
}

// parseNames reads patterns.
func parseNames(how string) func(*lexer.PeekingLexer) (Stage, error) {
	return func(lex *lexer.PeekingLexer) (Stage, error) {
		p := &exprParser{lex: lex}
		st := &namesStage{how: how}
		for {
			n, err := p.pattern()
			if err != nil {
				return nil, err
			}
			if how == "reorder" {
				switch {
				case p.is("asc"), p.is("desc"):
					n.order = p.lex.Next().Value
				case p.is("granny-asc"), p.is("granny-desc"):
					return nil, unsupported(p.peek(), p.peek().Value)
				}
			}
			st.names = append(st.names, n)
			if !p.accept(",") {
				return st, nil
			}
		}
	}
}

// pattern reads a name in which * may stand for any characters.
func (p *exprParser) pattern() (n patternNode, err error) {
	n.from = p.peek().Pos.Offset
	end := n.from
	for {
		t := p.peek()
		if t.Pos.Offset != end || t.Type != tokenIdent && t.Type != tokenNumber && t.Value != "*" && t.Value != "[" {
			break
		}
		if t.Value == "[" {
			name, err := p.bracketName()
			if err != nil {
				return n, err
			}
			n.pattern = name.(*nameNode).name
			break
		}
		p.lex.Next()
		n.pattern += t.Value
		end = t.Pos.Offset + len(t.Value)
	}
	if n.pattern == "" {
		return n, unexpected(p.peek(), "expected the name of a column")
	}
	n.to = p.end()
	return n, nil
}

func (n patternNode) String() string { return n.pattern }

func (st *namesStage) Bind(b *binder, in *relation) (*relation, error) {
	matched := make([]bool, len(in.fields))
	var first []int
	var missing []Field // of a table whose columns are not all known
	exact := true       // no name has *
	for _, n := range st.names {
		exact = exact && !strings.Contains(n.pattern, "*")
		found, any := n.columns(in, matched)
		if !any && !strings.Contains(n.pattern, "*") {
			if err := noColumn(n, n.pattern, in); !in.loose && !b.take(err, b.guesses()) {
				return nil, err
			}
			missing = append(missing, Field{n.pattern, unknown})
		}
		for _, i := range found {
			matched[i] = true
		}
		first = append(first, found...)
	}
	var keep []int
	switch st.how {
	case "reorder":
		keep = first
		for i := range in.fields {
			if !matched[i] {
				keep = append(keep, i)
			}
		}
	default:
		for i := range in.fields {
			if matched[i] == (st.how == "keep") {
				keep = append(keep, i)
			}
		}
	}
	out := chosen(in, keep)
	if st.how == "keep" {
		out.fields, out.loose = append(out.fields, missing...), in.loose && !exact
	}
	return out, nil
}

// columns returns the columns that a pattern names and that are not matched yet, in its
// order, and whether it names any at all.
func (n patternNode) columns(in *relation, matched []bool) (found []int, any bool) {
	for i, f := range in.fields {
		if matchesPattern(n.pattern, f.Name) {
			any = true
			if !matched[i] {
				found = append(found, i)
			}
		}
	}
	if n.order != "" {
		slices.SortStableFunc(found, func(a, b int) int {
			c := strings.Compare(in.fields[a].Name, in.fields[b].Name)
			if n.order == "desc" {
				return -c
			}
			return c
		})
	}
	return found, any
}

// chosen returns some columns of a relation.
func chosen(in *relation, keep []int) *relation {
	fields, exprs := make([]Field, len(keep)), make([]expr, len(keep))
	for i, k := range keep {
		fields[i], exprs[i] = in.fields[k], &colExpr{k, in.fields[k].Kind}
	}
	return evaluated(in, fields, exprs)
}

// renameStage: project-rename NEW = OLD, ...
type renameStage struct {
	Cols []NamedExpr `parser:"@@ (',' @@)*"`
}

func (st *renameStage) Bind(b *binder, in *relation) (*relation, error) {
	fields, renamed := slices.Clone(in.fields), make([]bool, len(in.fields))
	for _, c := range st.Cols {
		old, ok := c.X.(*nameNode)
		if !ok || c.Name == "" {
			return nil, errorAt(c.X, "expected NEW = OLD, both names of columns")
		}
		i := in.field(old.name)
		switch {
		case i >= 0 && renamed[i]:
			return nil, errorAt(old, "the column '%s' is renamed twice", old.name)
		case i >= 0:
			fields[i].Name, renamed[i] = c.Name, true
		case in.loose:
			fields = append(fields, Field{c.Name, unknown})
		default:
			if err := noColumn(old, old.name, in); !b.take(err, b.guesses()) {
				return nil, err
			}
			fields = append(fields, Field{c.Name, unknown})
		}
	}
	for i, f := range fields {
		if slices.IndexFunc(fields, func(g Field) bool { return g.Name == f.Name }) != i {
			return nil, fmt.Errorf("two columns would be named '%s'", f.Name)
		}
	}
	out := in.stepped(fields, func(_ *run, b *Batch) (*Batch, error) { return b, nil }, false)
	return out.by(planStep{in: from(in), needs: needsAlso(), same: true}), nil
}
