package query

import (
	"slices"

	"github.com/alecthomas/participle/v2/lexer"
)

func init() {
	register(Op{Name: "make-series", Usage: "make-series [kind=nonempty] [NAME =] AGGREGATION [default=VALUE], ... on [NAME =] AXIS [from A] [to B] step C, or on AXIS in range(A, B, C); [by [NAME =] EXPRESSION, ...]",
		Doc:     "makes arrays of aggregations, one element for each step on an axis, and default, or 0, where there is no row; rows outside from..to do not count, without them each array goes from its first row to its last",
		Example: "datatable(t:long, v:long)[1, 10, 4, 40] | make-series sum(v) default=-1 on t from 1 to 5 step 1", Parse: parseMakeSeries})
}

// seriesStage: make-series.
type seriesStage struct {
	aggs     []seriesAgg
	axis     NamedExpr
	from, to node // nil: not given
	step     node
	inRange  bool         // in range(from, to, step)
	nonempty *lexer.Token // of kind=nonempty
	by       []NamedExpr
}

// A seriesAgg is an aggregation, and what stands where there is no row: nil for 0.
type seriesAgg struct {
	NamedExpr
	missing node
}

func parseMakeSeries(lex *lexer.PeekingLexer) (_ Stage, err error) {
	p := &exprParser{lex: lex}
	st := &seriesStage{}
	p.hints()
	if err = st.kind(p); err != nil {
		return nil, err
	}
	p.hints()
	for {
		var agg seriesAgg
		if err = agg.Parse(lex); err != nil {
			return nil, err
		}
		if p.accept("default") {
			if err = p.expect("=", "and a value, as default=0"); err != nil {
				return nil, err
			}
			if agg.missing, err = p.expr(0); err != nil {
				return nil, err
			}
		}
		st.aggs = append(st.aggs, agg)
		if !p.accept(",") {
			break
		}
	}
	if err = p.expect("on", "and the axis, as on time from A to B step 1h"); err != nil {
		return nil, err
	}
	const aboveIn = 3 // levels: a list behind the axis is no part of it
	if err = st.axis.parse(lex, aboveIn); err != nil {
		return nil, err
	}
	if err = st.bounds(p); err != nil {
		return nil, err
	}
	if p.accept("by") {
		st.by, err = parseNamed(p)
	}
	return st, err
}

// kind reads "kind=nonempty", unless that is an aggregation with a name.
func (st *seriesStage) kind(p *exprParser) error {
	cp := p.lex.MakeCheckpoint()
	if !p.accept("kind") || !p.accept("=") {
		p.lex.LoadCheckpoint(cp)
		return nil
	}
	t := p.lex.Next()
	if t.Type != tokenIdent || p.peek().Type == tokenPunct {
		p.lex.LoadCheckpoint(cp)
		return nil
	}
	if t.Value != "nonempty" {
		return unexpected(t, "expected kind=nonempty")
	}
	st.nonempty = t
	return nil
}

// bounds reads "[from A] [to B] step C" or "in range(A, B, C)".
func (st *seriesStage) bounds(p *exprParser) (err error) {
	if p.accept("in") {
		st.inRange = true
		if err = p.expect("range", "and bounds, as in range(A, B, C)"); err != nil {
			return err
		}
		at := p.peek()
		if err = p.expect("(", "and bounds, as in range(A, B, C)"); err != nil {
			return err
		}
		list, err := p.list(")")
		if err == nil && len(list) != 3 {
			err = unexpected(at, "expected a start, an end and a step, as in range(A, B, C)")
		}
		if err != nil {
			return err
		}
		st.from, st.to, st.step = list[0], list[1], list[2]
		return nil
	}
	if p.accept("from") {
		if st.from, err = p.expr(0); err != nil {
			return err
		}
	}
	if p.accept("to") {
		if st.to, err = p.expr(0); err != nil {
			return err
		}
	}
	if err = p.expect("step", "and the distance of two elements, as step 1h"); err != nil {
		return err
	}
	st.step, err = p.expr(0)
	return err
}

func (st *seriesStage) Bind(b *binder, in *relation) (*relation, error) {
	s := b.scope(in)
	m := &seriesMaker{sum: &summary{}, bins: &axisBins{closed: st.inRange}}
	if err := m.sum.by(s, st.by); err != nil {
		return nil, err
	}
	m.by = len(st.by)
	axis, err := b.orUnknown(func() (expr, error) { return st.bindAxis(s, m.bins) })
	if err != nil {
		return nil, err
	}
	// The last key is where the row is on the axis. It has no name: nothing can ask for it.
	m.sum.keys = append(m.sum.keys, s.apply(Long, func(a []Value) Value { return m.bins.index(a[0]) }, false, axis))
	m.sum.fields = append(m.sum.fields, Field{Kind: Long})
	a := &aggScope{scope: s, sum: m.sum}
	for _, agg := range st.aggs {
		before := b.guesses()
		missing, err := agg.bind(a)
		if err != nil && !b.take(err, before) {
			return nil, err
		}
		m.missing = append(m.missing, missing)
	}
	switch {
	case st.nonempty == nil:
	case st.by != nil || st.from == nil || st.to == nil:
		t := place{st.nonempty.Pos.Offset, st.nonempty.Pos.Offset + len(st.nonempty.Value)}
		return nil, errorAt(t, "kind=nonempty is for make-series with from and to, and without by")
	default:
		m.nonempty = true
	}
	name := st.axis.Name
	if name == "" {
		name = s.resultName(st.axis.X)
	}
	if name == "" {
		name = numbered("Column", 1, m.sum.taken)
	}
	fields := slices.Clone(m.sum.fields[:m.by])
	for _, f := range m.sum.fields[m.by+1:] {
		fields = append(fields, Field{f.Name, Dynamic})
	}
	m.fields = append(fields, Field{unique(name, m.sum.taken), Dynamic})
	rel := &relation{fields: m.fields, open: func(r *run) Batches { return m.open(r, in) }}
	plan := m.sum.step(in, true)
	plan.notes[0] = "holds a group for each key and step"
	return rel.by(plan), nil
}

// bind binds an aggregation, and returns what stands where there is no row.
func (agg *seriesAgg) bind(a *aggScope) (Value, error) {
	n := len(a.sum.fields)
	if err := a.column(agg.NamedExpr, a.sum.taken); err != nil {
		return Value{}, err
	}
	if len(a.sum.fields) != n+1 {
		if a.rel.loose { // it may have columns that are not known
			a.unknown(unknown)
		}
		return Value{}, errorAt(agg.X, "make-series is for aggregations with one result")
	}
	k := a.sum.fields[n].Kind
	switch {
	case k != unknown && !k.isNumber():
		return Value{}, errorAt(agg.X, "make-series is for aggregations that give numbers, found %s of type %s", agg.X, k)
	case agg.missing == nil && k == unknown:
		return Value{}, nil
	case agg.missing == nil:
		return convert(LongOf(0), k), nil
	}
	v, err := constantOf(a.binder, agg.missing)
	if err != nil || v == nil || v.Null || k == unknown {
		return NullOf(k), err
	}
	as := Value{Null: true}
	if v.Kind.isNumber() {
		as = convert(*v, k)
	}
	if as.Null || !isNaN(*v) && compare(as, *v) != 0 {
		return Value{}, errorAt(agg.missing, "default %s is no value of type %s, which %s gives", agg.missing, k, agg.X)
	}
	return as, nil
}

// constantOf binds a value that is the same for all rows. In a check it is nil if it is
// not known.
func constantOf(b *binder, n node) (*Value, error) {
	e, err := b.scope(nil).expr(n)
	if err != nil || isUnknown(e) {
		return nil, err
	}
	v := constant(e)
	if v == nil {
		return nil, errorAt(n, "expected a value that is the same for all rows, found %s", n)
	}
	return v, nil
}
