package query

import "strings"

// What operators hold is counted before it grows beyond what a query may use: a value by
// its size, a text that rows share once a batch. Texts that are computed may be parts of
// longer ones, which they would keep alive: they are cut out before they are held.

// valueSize is what a Value takes, rowSlice what a slice of them takes beside it.
const (
	valueSize = 32
	rowSlice  = 24
)

// rowSize is about what a row takes that shares nothing.
func rowSize(row []Value) int {
	n := rowSlice + valueSize*len(row)
	for i := range row {
		n += len(row[i].S)
	}
	return n
}

// hold counts bytes that an operator keeps.
func (r *run) hold(operator string, bytes int) error {
	if r.used.Add(int64(bytes)) > r.budget {
		return &BudgetError{operator, r.budget}
	}
	return nil
}

// release counts bytes that are no longer kept.
func (r *run) release(bytes int) { r.used.Add(-int64(bytes)) }

// fill fills a batch, and looks at the context before each column: all of a block may take
// a tenth of a second.
func (r *run) fill(b *Batch) error {
	for _, v := range b.Cols {
		err := r.ctx.Err()
		if err == nil {
			err = v.Fill()
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// keep fills a batch and returns it such that it may be held, with about what it takes.
func (r *run) keep(b *Batch) (kept *Batch, size int, err error) {
	if err := r.fill(b); err != nil {
		return nil, 0, err
	}
	kept = &Batch{N: b.N, Cols: make([]*Vector, len(b.Cols))}
	for i, v := range b.Cols {
		var n int
		kept.Cols[i], n = v.keep(b.N)
		size += n
	}
	return kept, size, nil
}

// keep returns a filled vector without the values that none of its rows has.
func (v *Vector) keep(rows int) (*Vector, int) {
	if v.codes == nil || len(v.values) <= rows && !v.parts {
		return v.whole()
	}
	place := make([]uint32, len(v.values)) // of each value that a row has, plus one
	codes := make([]uint16, len(v.codes))
	var values []Value
	for i, c := range v.codes {
		if place[c] == 0 {
			values = append(values, v.values[c])
			place[c] = uint32(len(values))
		}
		codes[i] = uint16(place[c] - 1)
	}
	out := Coded(v.Kind, values, codes)
	out.parts = v.parts
	return out.whole()
}

// whole cuts texts out of longer ones.
func (v *Vector) whole() (*Vector, int) {
	size := 2*cap(v.codes) + 8*cap(v.ints) + valueSize*len(v.values)
	if v.parts {
		values := make([]Value, len(v.values))
		for i, x := range v.values {
			x.S = strings.Clone(x.S)
			values[i] = x
		}
		v = &Vector{Kind: v.Kind, values: values, codes: v.codes, ints: v.ints, one: v.one}
	}
	for i := range v.values {
		size += len(v.values[i].S)
	}
	return v, size
}

// batches reads all rows of a relation, which count as held by an operator.
func (r *run) batches(operator string, rel *relation) (list []*Batch, err error) {
	err = r.each(rel.filled().open(r), func(b *Batch) error {
		kept, size, err := r.keep(b)
		if err == nil {
			err = r.hold(operator, size)
		}
		list = append(list, kept)
		return err
	})
	return list, err
}

// table reads all rows of a relation into one batch.
func (r *run) table(operator string, rel *relation) (*Batch, error) {
	list, err := r.batches(operator, rel)
	if err != nil {
		return nil, err
	}
	out := &Batch{Cols: make([]*Vector, len(rel.fields))}
	for _, b := range list {
		out.N += b.N
	}
	if err := r.hold(operator, valueSize*out.N*len(rel.fields)); err != nil {
		return nil, err
	}
	for c, f := range rel.fields {
		values := make([]Value, 0, out.N)
		for _, b := range list {
			if err := r.ctx.Err(); err != nil {
				return nil, err
			}
			for row := range b.N {
				values = append(values, b.Cols[c].At(row))
			}
		}
		out.Cols[c] = VectorOf(f.Kind, values)
	}
	return out, nil
}
