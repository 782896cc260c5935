package query

import (
	"fmt"
	"slices"

	"github.com/alecthomas/participle/v2/lexer"
)

// Operators that compute columns.

func init() {
	register(
		Op{Name: "project", Usage: "project [NAME =] EXPRESSION, ...", Doc: "chooses and computes columns", Example: "print a = 1, b = 2 | project b, c = a + b", Parse: grammar[projectStage]()},
		Op{Name: "extend", Usage: "extend [NAME =] EXPRESSION, ...", Doc: "adds columns, or computes those of the names anew", Example: "print a = 1 | extend b = a + 1", Parse: grammar[extendStage]()},
	)
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
		list, err := s.results(c)
		if err != nil {
			return nil, err
		}
		for _, e := range list {
			switch {
			case e.name == "":
				e.name = numbered("Column", len(fields)+1, taken)
			case !e.given:
				e.name = unique(e.name, taken)
			case taken(e.name):
				return nil, errorAt(c.X, "the column '%s' is named twice", e.name)
			}
			fields, exprs = append(fields, Field{e.name, e.kind()}), append(exprs, e.expr)
		}
	}
	rel := windowed(in, "project", windows)
	out := evaluated(rel, fields, exprs)
	out.loose = false
	return out, nil
}

// evaluated returns rel in columns that expressions make.
func evaluated(rel *relation, fields []Field, exprs []expr) *relation {
	out := rel.stepped(fields, func(_ *run, b *Batch) (*Batch, error) { return evalAll(exprs, b) }, false)
	return out.by(planStep{in: from(rel), needs: needsEach(rel, exprs)})
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
	out := &Batch{N: b.N, Cols: make([]*Vector, len(exprs)), from: b.from}
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
		list, err := s.results(c)
		if err != nil {
			return nil, err
		}
		for _, e := range list {
			switch {
			case e.name == "":
				e.name = numbered("Column", 1, taken)
			case !e.given:
				e.name = unique(e.name, taken)
			}
			f := Field{e.name, e.kind()}
			if i := slices.IndexFunc(fields, func(f Field) bool { return f.Name == e.name }); i >= 0 {
				fields[i], exprs[i] = f, e.expr
				continue
			}
			fields, exprs = append(fields, f), append(exprs, e.expr)
		}
	}
	rel := windowed(in, operator, windows)
	return evaluated(rel, fields, exprs), nil
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
		return ordered.by(planStep{in: from(in), needs: needsAlso(), same: true}), nil
	}
	return extended(b, &ordered, st.cols, "serialize")
}
