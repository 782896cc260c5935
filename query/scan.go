package query

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
	open(r *run, filters []filter) Batches
}

// A filter is a condition on one column that a scan can use.
type filter struct {
	column string
	member string // of a dynamic column
	op     string // == in has contains startswith < <= > >= and others
	values []Value
}

func (sc *scan) relation() *relation {
	rel := &relation{fields: sc.fields, ordered: true, name: sc.name, scan: sc}
	rel.over = func(sc *scan) func(*run) Batches {
		return func(r *run) Batches { return sc.source.open(r, sc.filters) }
	}
	rel.open = rel.over(sc)
	return rel.by(planStep{title: sc.name})
}

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
	if _, ok := n.(*tableNode); ok {
		return false
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
