package query

import "slices"

// A planStep is how the rows of a relation come, as explain shows it. An operator makes it
// of the values by which it runs, its bound expressions, filters and limits, so that the
// plan cannot say what is not done.
type planStep struct {
	title string // the operator as it is written
	in    []input
	notes []string // what the text does not say
	same  bool     // the batches are passed on as they are
	// needs returns which columns of each input are filled where those of out are filled
	// behind it; nil: all of all.
	needs func(out columnSet) []columnSet
}

// titled names the step of r as it is written. An operator that says nothing reads in.
func (r *relation) titled(in *relation, title string) *relation {
	var st planStep
	switch {
	case r.plan != nil && (in == nil || r.plan != in.plan):
		st = *r.plan
	case in != nil:
		st.in = from(in)
	}
	out := r
	if r == in {
		out = new(relation)
		*out = *r
	}
	st.title = title
	return out.by(st)
}

// An input is a relation that a step reads.
type input struct {
	rel   *relation
	label string // what it is, if a step has several
	scan  *scan  // that it is read over, if it is not its own
}

// by sets how the rows of r come.
func (r *relation) by(st planStep) *relation {
	r.plan = &st
	return r
}

// from is the input of a step that has one.
func from(rel *relation) []input { return []input{{rel: rel}} }

// A columnSet tells what of the columns of a relation is filled.
type columnSet []columnUse

// A columnUse is what of a column is filled: all of it, or some members of a dynamic.
type columnUse struct {
	all     bool
	members []string
}

func (u columnUse) any() bool { return u.all || len(u.members) > 0 }

// use adds what is filled of a column.
func (s columnSet) use(i int, u columnUse) {
	s[i].all = s[i].all || u.all
	for _, m := range u.members {
		if !slices.Contains(s[i].members, m) {
			s[i].members = append(slices.Clip(s[i].members), m)
		}
	}
}

// fill adds columns as a whole.
func (s columnSet) fill(columns ...int) {
	for _, i := range columns {
		s[i].all = true
	}
}

func allColumns(r *relation) columnSet {
	s := make(columnSet, len(r.fields))
	for i := range s {
		s.fill(i)
	}
	return s
}

// with returns s and the columns of some expressions.
func (s columnSet) with(exprs ...expr) columnSet {
	out := slices.Clone(s)
	for _, e := range exprs {
		out.add(e)
	}
	return out
}

// withAt returns s and the columns at some places.
func (s columnSet) withAt(columns []int) columnSet {
	out := slices.Clone(s)
	out.fill(columns...)
	return out
}

// add adds the columns that an expression fills when it is computed.
func (s columnSet) add(e expr) {
	switch e := e.(type) {
	case *constExpr:
	case *colExpr:
		s.fill(e.i)
	case *applyExpr:
		s.addAll(e.args)
	case *logicExpr:
		s.addAll(e.args)
	case *compareExpr:
		s.addAll(e.args)
	case *memberExpr:
		if i := e.column(); i >= 0 {
			s.use(i, columnUse{members: []string{e.name}})
		} else {
			s.addAll(e.args)
		}
	case *termExpr:
		for _, c := range e.columns {
			s.add(c)
		}
	default:
		for i := range s {
			s.fill(i)
		}
	}
}

func (s columnSet) addAll(exprs []expr) {
	for _, e := range exprs {
		s.add(e)
	}
}

// list returns the names of the columns in s, of those that apart tells of with the
// members alone, if no more is filled.
func (s columnSet) list(fields []Field, apart func(column string) bool) (names []string) {
	for i, u := range s {
		switch name := fields[i].Name; {
		case u.all || u.any() && !apart(name):
			names = append(names, name)
		default:
			for _, m := range u.members {
				names = append(names, memberText(name, m))
			}
		}
	}
	return names
}

// needsAlso is the needs of an operator that passes columns on as they are, and computes
// expressions of them.
func needsAlso(exprs ...expr) func(columnSet) []columnSet {
	return func(out columnSet) []columnSet { return []columnSet{out.with(exprs...)} }
}

// needsOnly is the needs of an operator that makes rows of its own of expressions.
func needsOnly(in *relation, exprs ...expr) func(columnSet) []columnSet {
	return func(columnSet) []columnSet { return []columnSet{make(columnSet, len(in.fields)).with(exprs...)} }
}

// needsEach is the needs of an operator that makes each column by an expression: one that
// is a column as it is stays as lazy as it was.
func needsEach(in *relation, exprs []expr) func(columnSet) []columnSet {
	return func(out columnSet) []columnSet {
		need := make(columnSet, len(in.fields))
		for i, e := range exprs {
			if c, lazy := e.(*colExpr); lazy {
				need.use(c.i, out[i])
			} else {
				need.add(e)
			}
		}
		return []columnSet{need}
	}
}

// needs returns what is filled of each input of the step of r, if out is of r.
func (r *relation) needs(out columnSet) []columnSet {
	if r.plan.needs != nil {
		return r.plan.needs(out)
	}
	var all []columnSet
	for _, in := range r.plan.in {
		all = append(all, allColumns(in.rel))
	}
	return all
}
