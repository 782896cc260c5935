package query

import (
	"cmp"
	"slices"
)

// A nester chooses values level by level. What is left of a level is aggregated too, which
// cannot be told from the aggregations of its values: so it holds what it computes of all rows.
type nester struct {
	levels []*nestedLevel
	fields []Field
	exprs  []expr // that are held of each row
}

// hold adds an expression to those that are held, and returns its place.
func (m *nester) hold(e expr) int {
	m.exprs = append(m.exprs, e)
	return len(m.exprs) - 1
}

func (m *nester) open(r *run, in *relation) Batches {
	n := &nesting{nester: m, run: r}
	var rows []sortPlace
	err := digested(r, in, m.held, func(b *Batch) error {
		held, size, err := r.keep(b)
		if err != nil {
			return err
		}
		for row := range b.N {
			rows = append(rows, sortPlace{uint32(len(n.batches)), uint32(row)})
		}
		n.batches = append(n.batches, held)
		return r.hold("top-nested", size+b.N*3*8) // with places, as they are and by values
	})
	if err == nil {
		err = n.choose(0, rows, nil)
	}
	if err != nil {
		return failed(err)
	}
	return batchesOf(m.fields, n.out)
}

// held computes what is held of the rows of a batch.
func (m *nester) held(b *Batch) (*Batch, error) {
	out := &Batch{N: b.N, Cols: make([]*Vector, len(m.exprs))}
	for i, e := range m.exprs {
		var err error
		if out.Cols[i], err = e.eval(b); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// A nesting is a nester while it runs.
type nesting struct {
	*nester
	run     *run
	batches []*Batch
	out     [][]Value
}

// A nestedValue is the rows with a value of a level.
type nestedValue struct {
	value, by Value
	rows      []sortPlace
}

// choose makes the rows of the result that begin with prefix, of some rows.
func (n *nesting) choose(at int, rows []sortPlace, prefix []Value) error {
	l := n.levels[at]
	list, err := n.values(l, rows)
	if err != nil {
		return err
	}
	if err := n.aggregate(l, list); err != nil {
		return err
	}
	err = StableSort(n.run.ctx, list, func(a, b *nestedValue) int { return compareForSort(a.by, b.by, l.key) })
	if err != nil {
		return err
	}
	most := len(list)
	if l.n >= 0 && l.n < int64(most) {
		most = int(l.n)
	}
	for _, v := range list[:most] {
		row := append(slices.Clip(prefix), v.value, v.by)
		if at+1 < len(n.levels) {
			err = n.choose(at+1, v.rows, row)
		} else {
			err = n.add(row)
		}
		if err != nil {
			return err
		}
	}
	return n.rest(at, list[most:], prefix)
}

// values puts together the rows with the same value, in the order in which they come.
func (n *nesting) values(l *nestedLevel, rows []sortPlace) (list []*nestedValue, err error) {
	of := map[key]*nestedValue{}
	for i, p := range rows {
		if i%4096 == 0 {
			if err := n.run.ctx.Err(); err != nil {
				return nil, err
			}
		}
		value := n.at(l.of, p)
		k := value.key()
		v := of[k]
		if v == nil {
			v = &nestedValue{value: value}
			of[k] = v
			list = append(list, v)
			if err := n.run.hold("top-nested", groupSize); err != nil {
				return nil, err
			}
		}
		v.rows = append(v.rows, p)
	}
	n.run.release(groupSize * len(list)) // what is left of them is in the result
	return list, nil
}

func (n *nesting) at(column int, p sortPlace) Value {
	return n.batches[p.batch].Cols[column].At(int(p.row))
}

// aggregate computes the aggregation of a level for the rows of each value.
func (n *nesting) aggregate(l *nestedLevel, list []*nestedValue) error {
	g := &grouper{s: l.sum}
	held := 0
	defer func() { n.run.release(held) }()
	for _, v := range list {
		group := g.groups[g.add(nil)]
		for c, args := range l.args {
			values := make([]Value, len(args))
			for i, p := range v.rows {
				if i%4096 == 0 {
					if err := n.run.ctx.Err(); err != nil {
						return err
					}
				}
				for k, column := range args {
					values[k] = n.at(column, p)
				}
				group.accs[c].Add(values)
			}
		}
		size := group.size()
		held += size
		if err := n.run.hold("top-nested", size); err != nil {
			return err
		}
	}
	rows, err := l.sum.results(g.groups)
	for i, row := range rows {
		list[i].by = row[0]
	}
	return err
}

// rest makes the row of the values that were not chosen, if a level from here on asks for it.
func (n *nesting) rest(at int, left []*nestedValue, prefix []Value) error {
	asked := slices.ContainsFunc(n.levels[at:], func(l *nestedLevel) bool { return l.others != nil })
	if !asked || len(left) == 0 {
		return nil
	}
	all := &nestedValue{}
	for _, v := range left {
		all.rows = append(all.rows, v.rows...)
	}
	slices.SortFunc(all.rows, func(a, b sortPlace) int { // as they came
		return cmp.Or(cmp.Compare(a.batch, b.batch), cmp.Compare(a.row, b.row))
	})
	row := slices.Clip(prefix)
	for _, l := range n.levels[at:] {
		if l.others == nil {
			row = append(row, NullOf(l.kinds[0]), NullOf(l.kinds[1]))
			continue
		}
		if err := n.aggregate(l, []*nestedValue{all}); err != nil {
			return err
		}
		row = append(row, *l.others, all.by)
	}
	return n.add(row)
}

func (n *nesting) add(row []Value) error {
	n.out = append(n.out, row)
	return n.run.hold("top-nested", rowSize(row)+rowSlice)
}
