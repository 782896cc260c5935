package query

import (
	"fmt"
	"slices"
	"strings"

	"github.com/alecthomas/participle/v2/lexer"
)

// Operators that choose, compute and name columns.

func init() {
	register(
		Op{Name: "project", Usage: "project [NAME =] EXPRESSION, ...", Doc: "chooses and computes columns", Example: "print a = 1, b = 2 | project b, c = a + b", Parse: grammar[projectStage]()},
		Op{Name: "extend", Usage: "extend [NAME =] EXPRESSION, ...", Doc: "adds columns, or computes those of the names anew", Example: "print a = 1 | extend b = a + 1", Parse: grammar[extendStage]()},
		Op{Name: "project-away", Usage: "project-away NAME, ...", Doc: "leaves columns out; a name may have *", Example: "print a = 1, b = 2 | project-away a", Parse: parseNames("away")},
		Op{Name: "project-keep", Usage: "project-keep NAME, ...", Doc: "leaves all columns but those out", Example: "print a = 1, b = 2 | project-keep b", Parse: parseNames("keep")},
		Op{Name: "project-rename", Usage: "project-rename NEW = OLD, ...", Doc: "gives columns other names", Example: "print a = 1 | project-rename b = a", Parse: grammar[renameStage]()},
		Op{Name: "project-reorder", Usage: "project-reorder NAME [asc|desc], ...", Doc: "puts columns first", Example: "print a = 1, b = 2 | project-reorder b", Parse: parseNames("reorder")},
	)
}

// A NamedExpr is an expression with the name that its result gets, if one is given.
type NamedExpr struct {
	Name  string
	Names []string // of (a, b) = f(x)
	X     node
}

// Parse implements participle's Parseable.
func (e *NamedExpr) Parse(lex *lexer.PeekingLexer) (err error) {
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
	e.X, err = p.expr(0)
	return err
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

// projectStage: project [NAME =] EXPRESSION, ...
type projectStage struct {
	Cols []NamedExpr `parser:"@@ (',' @@)*"`
}

func (st *projectStage) Bind(b *binder, in *relation) (*relation, error) {
	var fields []Field
	var exprs []expr
	var windows []*windowExpr
	s := b.scope(in)
	s.windows, s.made = &windows, st.Cols
	taken := func(name string) bool {
		return slices.ContainsFunc(fields, func(f Field) bool { return f.Name == name })
	}
	for _, c := range st.Cols {
		if _, ok := c.X.(*starNode); ok {
			return nil, errorAt(c.X, "* cannot stand in project; extend keeps all columns")
		}
		e, err := s.expr(c.X)
		if err != nil {
			return nil, err
		}
		name := c.Name
		if name == "" {
			if name = s.resultName(c.X); name == "" {
				name = numbered("Column", len(fields)+1, taken)
			} else {
				name = unique(name, taken)
			}
		} else if taken(name) {
			return nil, errorAt(c.X, "the column '%s' is named twice", name)
		}
		fields, exprs = append(fields, Field{name, e.kind()}), append(exprs, e)
	}
	rel := windowed(in, "project", windows)
	out := rel.derived(fields, mapped(rel.open, func(r *run, b *Batch) (*Batch, error) { return evalAll(exprs, b) }))
	out.loose = false
	return out, nil
}

// numbered returns prefix with the first free number.
func numbered(prefix string, from int, taken func(string) bool) string {
	for i := 1; ; i++ {
		if name := fmt.Sprint(prefix, i); !taken(name) {
			return name
		}
	}
}

// evalAll computes columns. One that is a column as it is stays lazy.
func evalAll(exprs []expr, b *Batch) (*Batch, error) {
	out := &Batch{N: b.N, Cols: make([]*Vector, len(exprs))}
	for i, e := range exprs {
		if c, ok := e.(*colExpr); ok {
			out.Cols[i] = b.Cols[c.i]
			continue
		}
		v, err := e.eval(b)
		if err != nil {
			return nil, err
		}
		out.Cols[i] = v
	}
	return out, nil
}

// extendStage: extend [NAME =] EXPRESSION, ...
type extendStage struct {
	Cols []NamedExpr `parser:"@@ (',' @@)*"`
}

func (st *extendStage) Bind(b *binder, in *relation) (*relation, error) {
	return extended(b, in, st.Cols, "extend")
}

// extended adds columns. The expressions do not see each other.
func extended(b *binder, in *relation, cols []NamedExpr, operator string) (*relation, error) {
	fields := slices.Clone(in.fields)
	exprs := make([]expr, len(fields))
	for i, f := range fields {
		exprs[i] = &colExpr{i, f.Kind}
	}
	var windows []*windowExpr
	s := b.scope(in)
	s.windows, s.made = &windows, cols
	taken := func(name string) bool {
		return slices.ContainsFunc(fields, func(f Field) bool { return f.Name == name })
	}
	for _, c := range cols {
		e, err := s.expr(c.X)
		if err != nil {
			return nil, err
		}
		name := c.Name
		if name == "" {
			if name = s.resultName(c.X); name == "" || taken(name) {
				if name == "" {
					name = numbered("Column", 1, taken)
				} else {
					name = unique(name, taken)
				}
			}
		}
		f := Field{name, e.kind()}
		if i := slices.IndexFunc(fields, func(f Field) bool { return f.Name == name }); i >= 0 {
			fields[i], exprs[i] = f, e
			continue
		}
		fields, exprs = append(fields, f), append(exprs, e)
	}
	rel := windowed(in, operator, windows)
	return rel.derived(fields, mapped(rel.open, func(r *run, b *Batch) (*Batch, error) { return evalAll(exprs, b) })), nil
}

// serializeStage: serialize [NAME =] EXPRESSION, ...
type serializeStage struct{ cols []NamedExpr }

func parseSerialize(lex *lexer.PeekingLexer) (Stage, error) {
	st := &serializeStage{}
	p := &exprParser{lex: lex}
	for t := p.peek(); !t.EOF() && t.Value != "|" && t.Value != ";" && t.Value != ")" && t.Value != "}"; {
		var c NamedExpr
		if err := c.Parse(lex); err != nil {
			return nil, err
		}
		st.cols = append(st.cols, c)
		if !p.accept(",") {
			break
		}
	}
	return st, nil
}

func (st *serializeStage) Bind(b *binder, in *relation) (*relation, error) {
	ordered := *in
	ordered.ordered = true
	if len(st.cols) == 0 {
		return &ordered, nil
	}
	return extended(b, &ordered, st.cols, "serialize")
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
		var found []int
		for i, f := range in.fields {
			if matchesPattern(n.pattern, f.Name) && !matched[i] {
				found = append(found, i)
			}
		}
		if len(found) == 0 && !strings.Contains(n.pattern, "*") && !slices.ContainsFunc(in.fields, func(f Field) bool { return f.Name == n.pattern }) {
			if !in.loose {
				if err := noColumn(n, n.pattern, in); !b.take(err, b.guesses()) {
					return nil, err
				}
			}
			missing = append(missing, Field{n.pattern, unknown})
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
	if st.how == "keep" && len(missing) > 0 {
		out.fields = append(out.fields, missing...)
	}
	out.loose = in.loose && (st.how != "keep" || !exact)
	return out, nil
}

// chosen returns some columns of a relation.
func chosen(in *relation, keep []int) *relation {
	fields, exprs := make([]Field, len(keep)), make([]expr, len(keep))
	for i, k := range keep {
		fields[i], exprs[i] = in.fields[k], &colExpr{k, in.fields[k].Kind}
	}
	return in.derived(fields, mapped(in.open, func(r *run, b *Batch) (*Batch, error) { return evalAll(exprs, b) }))
}

// renameStage: project-rename NEW = OLD, ...
type renameStage struct {
	Cols []NamedExpr `parser:"@@ (',' @@)*"`
}

func (st *renameStage) Bind(b *binder, in *relation) (*relation, error) {
	fields := slices.Clone(in.fields)
	for _, c := range st.Cols {
		old, ok := c.X.(*nameNode)
		if !ok || c.Name == "" {
			return nil, errorAt(c.X, "expected NEW = OLD, both names of columns")
		}
		i := in.field(old.name)
		switch {
		case i >= 0:
			fields[i].Name = c.Name
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
	return in.derived(fields, in.open), nil
}
