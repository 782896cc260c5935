package query

import (
	"fmt"
	"slices"
)

// A stepScope is the rows of steps that an expression of scan may name as STEP.COLUMN. In a
// batch they stand one behind the other, behind the row itself.
type stepScope struct {
	steps    []scanStep
	at       int      // the step that the expression is of
	assigned []string // by what stands before it in the step
}

func (s *stepScope) names() (list []string) {
	for _, step := range s.steps {
		list = append(list, step.name)
	}
	return list
}

// stepColumn binds STEP.COLUMN. It returns nil for what names no step.
func (s *scope) stepColumn(n *memberNode) (expr, error) {
	x, ok := n.x.(*nameNode)
	if !ok {
		return nil, nil
	}
	i := slices.IndexFunc(s.steps.steps, func(step scanStep) bool { return step.name == x.name })
	column := s.rel.field(x.name) >= 0
	switch {
	case i < 0 && (column || s.rel.loose || s.names.find(x.name) != nil):
		return nil, nil
	case i < 0:
		return nil, errorAt(x, "unknown step or column '%s'%s", x.name, DidYouMean(x.name, s.steps.names(), s.rel.columns()))
	case column:
		return nil, errorAt(x, "'%s' is a column and a step: give the step another name", x.name)
	case i > s.steps.at:
		return nil, errorAt(x, "'%s' is a step behind '%s', which sees those before it and itself", x.name, s.steps.steps[s.steps.at].name)
	}
	c := s.rel.field(n.name)
	switch {
	case c >= 0:
		return s.columnAt(s.rel, c, (i+1)*len(s.rel.fields)), nil
	case s.rel.loose:
		return s.unknown(unknown), nil
	}
	return nil, noColumn(n, n.name, s.rel)
}

// assignedBefore refuses a column that the step has assigned already: whether it is then
// what it was or what it became is said nowhere.
func (s *scope) assignedBefore(n *nameNode) error {
	if !slices.Contains(s.steps.assigned, n.name) {
		return nil
	}
	step := s.steps.steps[s.steps.at].name
	return errorAt(n, "'%s' is assigned in this step before: write %s.%[1]s for its value in the last row of the step", n.name, step)
}

func (st *scanStage) Bind(b *binder, in *relation) (*relation, error) {
	if !in.ordered { // which hides nothing of what else is at fault
		if err := errorAt(st, "scan needs rows in an order: put serialize or sort before"); !b.take(err, b.guesses()) {
			return nil, err
		}
	}
	sq := &sequence{in: in, fields: slices.Clone(in.fields), matchID: st.matchID.name != ""}
	for _, f := range in.fields {
		sq.empty = append(sq.empty, NullOf(f.Kind))
	}
	rows := &relation{loose: in.loose}
	for _, c := range st.declared {
		v, err := st.column(b, sq, c)
		if err != nil {
			return nil, err
		}
		sq.fields, sq.empty = append(sq.fields, Field{c.name, c.kind}), append(sq.empty, v)
	}
	rows.fields = sq.fields
	fields := slices.Clone(sq.fields)
	if sq.matchID {
		if rows.field(st.matchID.name) >= 0 {
			return nil, errorAt(st.matchID, "there is a column '%s' already", st.matchID.name)
		}
		fields = append(fields, Field{st.matchID.name, Long})
	}
	ordered := in.ordered
	for i, step := range st.steps {
		if slices.ContainsFunc(st.steps[:i], func(s scanStep) bool { return s.name == step.name }) {
			return nil, errorAt(step.scanName, "the step '%s' is named twice", step.name)
		}
		s := b.scope(rows)
		s.steps = &stepScope{steps: st.steps, at: i}
		bound, err := step.bind(s, sq)
		if err != nil {
			return nil, err
		}
		sq.steps = append(sq.steps, bound)
		// When the last row of a series comes out is said nowhere.
		ordered = ordered && step.output != "last"
	}
	out := in.derived(fields, nil)
	if out.ordered = ordered; b.check != nil {
		return out, nil
	}
	sq.finish()
	out.open = sq.open
	return out.by(sq.step()), nil
}

// column returns what a declared column is where no step assigned it.
func (st *scanStage) column(b *binder, sq *sequence, c scanColumn) (Value, error) {
	if i := slices.IndexFunc(sq.fields, func(f Field) bool { return f.Name == c.name }); i >= len(sq.in.fields) {
		return Value{}, errorAt(c.scanName, "the column '%s' is declared twice", c.name)
	} else if i >= 0 {
		return Value{}, errorAt(c.scanName, "there is a column '%s' already", c.name)
	}
	if c.fallback == nil {
		return NullOf(c.kind), nil
	}
	s := b.scope(nil)
	e, err := s.expr(c.fallback)
	if err != nil {
		return Value{}, err
	}
	if e, err = s.assignable(e, c.kind, c.name, c.fallback); err != nil {
		return Value{}, err
	}
	v := constant(e)
	switch {
	case isUnknown(e):
		return NullOf(c.kind), nil
	case v == nil:
		return Value{}, errorAt(c.fallback, "expected a value that is the same for all rows")
	}
	return *v, nil
}

// assignable returns an expression as a kind: it must be of that, but for numbers that it
// holds.
func (s *scope) assignable(e expr, k Kind, name string, n node) (expr, error) {
	from := e.kind()
	switch whole := from == Int || from == Long; {
	case from == k, from == unknown && s.check != nil:
		return e, nil
	case whole && (k == Int || k == Long || k == Real):
		return s.apply(k, func(a []Value) Value { return convert(a[0], k) }, false, e), nil
	}
	return nil, errorAt(n, "'%s' is of type %s, and %s of type %s", name, k, n, from)
}

// bind binds a step. What is at fault in it does not hide what stands behind.
func (step *scanStep) bind(s *scope, sq *sequence) (bound sequenceStep, err error) {
	bound.output = step.output
	cond, err := s.orUnknown(func() (expr, error) {
		e, err := s.expr(step.cond)
		if err == nil && e.kind() != Bool && e.kind() != unknown {
			err = errorAt(step.cond, "expected a condition, found %s of type %s", step.cond, e.kind())
		}
		return e, err
	})
	if err != nil {
		return bound, err
	}
	bound.conds = conditionsOf(cond)
	for _, a := range step.assign {
		if _, err = s.orUnknown(func() (expr, error) {
			at := s.rel.field(a.name)
			switch {
			case slices.Contains(s.steps.assigned, a.name):
				return nil, errorAt(a.scanName, "'%s' is assigned twice in a step", a.name)
			case at < len(sq.in.fields):
				return nil, errorAt(a.scanName, "a step assigns what declare gives, and '%s' is not among it%s", a.name, DidYouMean(a.name, namesOf(sq.fields[len(sq.in.fields):])))
			}
			x, err := s.expr(a.x)
			if err == nil {
				x, err = s.assignable(x, sq.fields[at].Kind, a.name, a.x)
			}
			s.steps.assigned = append(s.steps.assigned, a.name)
			bound.assign = append(bound.assign, sequenceAssignment{at - len(sq.in.fields), x})
			return x, err
		}); err != nil {
			return bound, err
		}
	}
	return bound, nil
}

// step tells what is read.
func (sq *sequence) step() planStep {
	var holds []string
	last := false
	for i, step := range sq.steps {
		if len(step.needed) > 0 {
			var names []string
			for _, c := range step.needed {
				names = append(names, sq.fields[c].Name)
			}
			holds = append(holds, fmt.Sprintf("holds %s of the last row of step %d, in each step from there on", joined(names), i+1))
		}
		last = last || step.output == "last"
	}
	if last {
		holds = append(holds, "holds rows, with all columns, until it is known whether they are the last")
	}
	return planStep{in: from(sq.in), notes: holds, needs: func(out columnSet) []columnSet {
		need := make(columnSet, len(sq.in.fields))
		for i := range need {
			if out[i].any() || sq.read[i] || last {
				need.fill(i)
			}
		}
		return []columnSet{need}
	}}
}
