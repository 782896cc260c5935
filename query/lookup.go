package query

// A Lookup is a look at rows of a table of the source beside the input of an operator.
type Lookup struct {
	Table  string                          // such as entries
	Where  []Condition                     // blocks that can have no row for which all are true are not read
	Keys   []Field                         // what Keep looks at
	Keep   func(keys *Batch, row int) bool // tells whether a row is wanted; several goroutines ask
	Fields []Field                         // of the rows that are wanted
}

// A Condition is one on a column: that it is equal to one of some values.
type Condition struct {
	Column string
	In     []Value
}

// HasTable tells whether the query has a table of that name to look at.
func (r *Run) HasTable(name string) bool { return r.lang.table(name) != nil }

// Each row of a table that Keep wants is given to use, in the order of the table. The
// columns are filled.
func (r *Run) Look(l *Lookup, use func(*Batch) error) error {
	rel := r.lang.table(l.Table)
	sc := *rel.scan
	for _, c := range l.Where {
		op := "in"
		if len(c.In) == 1 {
			op = "=="
		}
		sc.filters = append(sc.filters, filter{column: c.Column, op: op, values: c.In})
	}
	keys, fields := placesIn(rel, l.Keys), placesIn(rel, l.Fields)
	rel = rel.over(&sc, []step{func(run *run, b *Batch) (*Batch, error) {
		out := b.only(keys)
		if err := run.fill(out); err != nil {
			return nil, err
		}
		var rows []int
		for row := range out.N {
			if l.Keep(out, row) {
				rows = append(rows, row)
			}
		}
		if len(rows) == 0 {
			b.release()
			return &Batch{}, nil
		}
		out = b.only(fields).Take(rows)
		return out, run.fill(out)
	}}, false)
	return r.run.each(rel.open(r.run), use)
}

// placesIn returns where a relation has columns.
func placesIn(rel *relation, fields []Field) []int {
	places := make([]int, len(fields))
	for i, f := range fields {
		places[i] = rel.field(f.Name)
	}
	return places
}

// only returns some columns of b.
func (b *Batch) only(columns []int) *Batch {
	out := &Batch{N: b.N, Cols: make([]*Vector, len(columns)), from: b.from}
	for i, c := range columns {
		out.Cols[i] = b.Cols[c]
	}
	return out
}
