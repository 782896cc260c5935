package query

import "iter"

// A scan is how a table of a source is read: what can be left out, since a filter behind
// it would drop it, is not read.
type scan struct {
	name    string
	fields  []Field
	filters []filter
	source  scanner
}

// A scanner reads a table. What filters exclude may be left out, and may come.
type scanner interface {
	parts(r *run, filters []filter) iter.Seq[part]
}

// A part reads one batch of a table, on any goroutine; nil if it has no row.
type part func() (*Batch, error)

// partsOf returns batches that are read one behind the other.
func partsOf(in Batches) iter.Seq[part] {
	return func(yield func(part) bool) {
		for b, err := range in {
			if !yield(func() (*Batch, error) { return b, err }) || err != nil {
				return
			}
		}
	}
}

// A filter is a condition on one column that a scan can use.
type filter struct {
	column string
	member string // of a dynamic column
	op     string // == in has contains startswith < <= > >= and others
	values []Value
}

func (sc *scan) relation() *relation {
	rel := &relation{fields: sc.fields, ordered: true, name: sc.name}
	return rel.over(sc, nil, true).by(planStep{title: sc.name})
}

func (sc *scan) parts(r *run) iter.Seq[part] { return sc.source.parts(r, sc.filters) }

// narrowed returns a scan that also leaves out what a condition excludes.
func (sc *scan) narrowed(s *scope, cond node) *scan {
	out := *sc
	out.filters = append(append([]filter(nil), sc.filters...), conjuncts(s, cond)...)
	return &out
}

// conjuncts returns the filters that all rows for which a condition is true pass.
func conjuncts(s *scope, n node) []filter {
	b, ok := n.(*binaryNode)
	if ok && b.op == "and" {
		return append(conjuncts(s, b.l), conjuncts(s, b.r)...)
	}
	var f filter
	switch n := n.(type) {
	case *binaryNode:
		f = filter{op: n.op}
		if !f.setColumn(n.l) || !f.addValue(s, n.r) {
			return nil
		}
	case *listNode:
		f = filter{op: n.op}
		if !f.setColumn(n.x) {
			return nil
		}
		for _, x := range n.list {
			if !f.addValue(s, x) {
				return nil
			}
		}
	case *betweenNode:
		lo, hi := filter{op: ">="}, filter{op: "<="}
		if n.op != "between" || !lo.setColumn(n.x) || !hi.setColumn(n.x) || !lo.addValue(s, n.lo) || !hi.addValue(s, n.hi) {
			return nil
		}
		if hi.values[0].Kind == Timespan {
			hi.values[0] = addTicks(lo.values[0], hi.values[0].N)
		}
		return []filter{lo, hi}
	default:
		return nil
	}
	return []filter{f}
}

func (f *filter) setColumn(n node) bool {
	switch n := n.(type) {
	case *nameNode:
		f.column = n.name
		return true
	case *memberNode:
		if base, ok := n.x.(*nameNode); ok && base.name[0] != '$' {
			f.column, f.member = base.name, n.name
			return true
		}
	case *callNode: // tostring(args.path)
		if n.name == "tostring" && len(n.args) == 1 {
			return f.setColumn(n.args[0].node)
		}
	}
	return false
}

func (f *filter) addValue(s *scope, n node) bool {
	if s.isTable(n) {
		return false // in (TABLE): what it holds is known when its rows are
	}
	e, err := s.expr(n) // with the columns in sight: their names come before those of let
	if err != nil {
		return false
	}
	v := constant(e)
	if v == nil {
		return false
	}
	f.values = append(f.values, *v)
	return true
}
