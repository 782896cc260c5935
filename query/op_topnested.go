package query

import (
	"fmt"
	"slices"

	"github.com/alecthomas/participle/v2/lexer"
)

func init() {
	register(Op{Name: "top-nested", Usage: "top-nested [N] of [NAME =] EXPRESSION [with others = VALUE] by [NAME =] AGGREGATION [asc|desc], top-nested ...",
		Doc:     "chooses the N values with the greatest aggregations, within each of them the N values of the next level, and so on; with others adds a row of what is left, if there is any",
		Example: `datatable(k:string, v:long)["a", 1, "b", 2, "c", 4] | top-nested 1 of k with others="rest" by sum(v)`, Parse: parseTopNested})
}

// nestedStage: top-nested of ... by ..., top-nested of ... by ....
type nestedStage struct{ levels []nestedClause }

// A nestedClause is a level as it was written.
type nestedClause struct {
	n      node // nil: all values
	of, by NamedExpr
	others node // nil: what is left has no row
	asc    bool
}

func parseTopNested(lex *lexer.PeekingLexer) (Stage, error) {
	p := &exprParser{lex: lex}
	st := &nestedStage{}
	for {
		c, err := parseNestedClause(p)
		if err != nil {
			return nil, err
		}
		st.levels = append(st.levels, c)
		if !p.accept(",") {
			return st, nil
		}
		if err := p.expect("top-nested", "and the next level"); err != nil {
			return nil, err
		}
	}
}

// parseNestedClause reads what stands behind top-nested.
func parseNestedClause(p *exprParser) (c nestedClause, err error) {
	if !p.is("of") {
		if c.n, err = p.expr(0); err != nil {
			return c, err
		}
	}
	if err = p.expect("of", "and an expression, as top-nested 3 of tool by count()"); err != nil {
		return c, err
	}
	if err = c.of.Parse(p.lex); err != nil {
		return c, err
	}
	if p.accept("with") {
		if err = p.expect("others", "after with"); err != nil {
			return c, err
		}
		if err = p.expect("=", "and a value, as with others = 'rest'"); err != nil {
			return c, err
		}
		if c.others, err = p.expr(0); err != nil {
			return c, err
		}
	}
	if err = p.expect("by", "and an aggregation, as by count()"); err != nil {
		return c, err
	}
	if err = c.by.Parse(p.lex); err != nil {
		return c, err
	}
	if c.asc = p.accept("asc"); !c.asc {
		p.accept("desc")
	}
	if p.is("with") {
		return c, unexpected(p.peek(), "expected 'with others' before 'by'")
	}
	return c, nil
}

// A nestedLevel is a level that is bound.
type nestedLevel struct {
	n      int64 // -1: all values
	of     int   // which of the columns that are held
	others *Value
	kinds  [2]Kind // of the columns
	sum    *summary
	args   [][]int // of each aggregation, among the columns that are held
	key    sortKey
}

func (st *nestedStage) Bind(b *binder, in *relation) (*relation, error) {
	m := &nester{}
	taken := func(name string) bool {
		return slices.ContainsFunc(m.fields, func(f Field) bool { return f.Name == name })
	}
	var holds []string
	for i := range st.levels {
		c := &st.levels[i]
		l, err := c.bind(b.scope(in), m)
		if err != nil {
			return nil, err
		}
		name := c.of.Name
		if name == "" {
			name = b.scope(in).resultName(c.of.X)
		}
		if n, ok := c.of.X.(*nameNode); ok && l.kinds[0] == unknown {
			name = n.name // of a column that is at fault, what follows may ask for it
		}
		if name == "" {
			name = numbered("Column", 1, taken)
		}
		name = unique(name, taken)
		m.fields = append(m.fields, Field{name, l.kinds[0]})
		by := c.by.Name
		if by == "" {
			by = "aggregated_" + name
		}
		m.fields = append(m.fields, Field{unique(by, taken), l.kinds[1]})
		m.levels = append(m.levels, l)
		if l.n >= 0 {
			holds = append(holds, fmt.Sprint(l.n))
		} else {
			holds = append(holds, "all")
		}
	}
	rel := &relation{fields: m.fields, ordered: true, open: func(r *run) Batches { return m.open(r, in) }}
	return rel.by(planStep{in: from(in), needs: needsOnly(in, m.exprs...), notes: []string{
		"holds all rows, with nothing but what it computes of them", "keeps of each level " + joined(holds)}}), nil
}

// bind binds a level, and adds what it computes of a row to what is held.
func (c *nestedClause) bind(s *scope, m *nester) (*nestedLevel, error) {
	l := &nestedLevel{n: -1, key: sortKey{asc: c.asc, nullsFirst: c.asc}, sum: &summary{}}
	var err error
	if c.n != nil {
		before := s.guesses()
		if l.n, err = s.number(c.n, "top-nested"); err != nil && !s.take(err, before) {
			return nil, err
		}
	}
	if err = c.of.single(); err != nil {
		return nil, err
	}
	of, err := s.expr(c.of.X)
	if err != nil {
		return nil, err
	}
	l.of, l.kinds[0] = m.hold(of), of.kind()
	if c.others != nil {
		before := s.guesses()
		if l.others, err = c.rest(s.binder, of.kind()); err != nil && !s.take(err, before) {
			return nil, err
		}
	}
	if err = c.by.single(); err != nil {
		return nil, err
	}
	a := &aggScope{scope: s, sum: l.sum}
	by, err := s.orUnknown(func() (expr, error) {
		e, err := a.bind(c.by.X)
		if err == nil && e.kind() == Dynamic {
			err = errorAt(c.by.X, "a dynamic has no order; top-nested wants an aggregation that has one")
		}
		return e, err
	})
	if err != nil {
		return nil, err
	}
	l.kinds[1], l.sum.exprs, l.sum.fields = by.kind(), []expr{by}, []Field{{Kind: by.kind()}}
	for _, call := range l.sum.calls {
		var args []int
		for _, e := range call.args {
			args = append(args, m.hold(e))
		}
		l.args = append(l.args, args)
	}
	return l, nil
}

// rest binds the value that stands for what is left, of the kind of the others.
func (c *nestedClause) rest(b *binder, k Kind) (*Value, error) {
	v, err := constantOf(b, c.others)
	if err != nil || v == nil || k == unknown {
		return v, err
	}
	if v.Kind != k && !(v.Kind == Int && k == Long || v.Kind == Long && k == Int || k == Real && v.Kind.isNumber()) {
		return nil, errorAt(c.others, "others are of type %s, as %s is; found %s of type %s", k, c.of.X, c.others, v.Kind)
	}
	w := convert(*v, k)
	if !v.Null && (w.Null || v.Kind != k && compare(w, *v) != 0) {
		return nil, errorAt(c.others, "%s is no value of type %s, as %s is", c.others, k, c.of.X)
	}
	return &w, nil
}
