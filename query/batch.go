package query

import "iter"

// A Field is a column's name and kind.
type Field struct {
	Name string
	Kind Kind
}

// A Batch is rows that follow each other, by columns. Nobody changes a batch that
// somebody else has.
type Batch struct {
	N    int // rows
	Cols []*Vector
	from *blockAt // that the columns are of, if they are of one; see release
}

// release gives back the memory of what the batch was read from. No vector of it, and of what
// was computed from it, may be used any more.
func (b *Batch) release() {
	if b.from != nil {
		b.from.release()
	}
}

// Batches is a table on its way: the rows in their order, or an error that ends it.
type Batches = iter.Seq2[*Batch, error]

// A Vector is a column of a batch. Where rows repeat values, each stands once, and the
// rows have codes: what depends on one column is then computed once a value.
//
// A vector may be filled only when it is asked for, so that a column that no operator
// looks at is never decoded.
type Vector struct {
	Kind Kind

	values []Value  // one a row; or with codes, the distinct values; or with one, of all rows
	codes  []uint16 // in values, of each row; nil: none
	ints   []int64  // instead of values: the N of each row's, none of which is null or has a Rest
	one    bool
	parts  bool                     // texts may be parts of longer ones
	fill   func(v *Vector) error    // nil: it is filled, or has a column
	take   func(rows []int) *Vector // how to take rows of one that is not filled; nil: fill it
	from   columnSource             // nil: it is filled, or has a fill
	rows   []int                    // of the column; nil: all
}

// A columnSource fills vectors of its rows, nil for all, when they are needed.
type columnSource interface {
	fill(v *Vector, rows []int) error
}

// VectorOf returns a vector of one value a row.
func VectorOf(k Kind, values []Value) *Vector { return &Vector{Kind: k, values: values} }

// intsOf returns a vector of one value a row: its N.
func intsOf(k Kind, ints []int64) *Vector { return &Vector{Kind: k, ints: ints} }

// Repeated returns a vector that has the same value in all rows.
func Repeated(v Value) *Vector { return &Vector{Kind: v.Kind, values: []Value{v}, one: true} }

// Coded returns a vector of up to 65,536 values and a code for each row.
func Coded(k Kind, values []Value, codes []uint16) *Vector {
	return &Vector{Kind: k, values: values, codes: codes}
}

// Lazy returns a vector that fill makes when it is needed. take, if it is not nil,
// returns some rows of it without the others.
func Lazy(k Kind, fill func(*Vector) error, take func(rows []int) *Vector) *Vector {
	return &Vector{Kind: k, fill: fill, take: take}
}

// Fill makes sure that the values are there.
func (v *Vector) Fill() error {
	switch {
	case v.from != nil:
		from, rows := v.from, v.rows
		v.from, v.rows = nil, nil
		return from.fill(v, rows)
	case v.fill != nil:
		fill := v.fill
		v.fill, v.take = nil, nil
		return fill(v)
	}
	return nil
}

// isLazy tells whether the values are not there yet.
func (v *Vector) isLazy() bool { return v.fill != nil || v.from != nil }

// boxed returns the vector with its values as such, not as ints.
func (v *Vector) boxed() *Vector {
	if v.ints == nil {
		return v
	}
	values := make([]Value, len(v.ints))
	for i, n := range v.ints {
		values[i] = Value{Kind: v.Kind, N: n}
	}
	return VectorOf(v.Kind, values)
}

// At returns the value of a row. The vector must be filled.
func (v *Vector) At(row int) Value {
	switch {
	case v.one:
		return v.values[0]
	case v.codes != nil:
		return v.values[v.codes[row]]
	case v.ints != nil:
		return Value{Kind: v.Kind, N: v.ints[row]}
	}
	return v.values[row]
}

// Take returns some rows of v.
func (v *Vector) Take(rows []int) *Vector {
	out := v.someRows(rows)
	out.parts = v.parts
	return out
}

func (v *Vector) someRows(rows []int) *Vector {
	switch {
	case v.from != nil:
		return &Vector{Kind: v.Kind, from: v.from, rows: placesOf(v.rows, rows)}
	case v.fill != nil && v.take != nil:
		return v.take(rows)
	case v.fill != nil:
		return Lazy(v.Kind, func(out *Vector) error {
			if err := v.Fill(); err != nil {
				return err
			}
			*out = *v.Take(rows)
			return nil
		}, nil)
	case v.one:
		return v
	case v.codes != nil:
		codes := make([]uint16, len(rows))
		for i, row := range rows {
			codes[i] = v.codes[row]
		}
		return Coded(v.Kind, v.values, codes)
	case v.ints != nil:
		ints := make([]int64, len(rows))
		for i, row := range rows {
			ints[i] = v.ints[row]
		}
		return intsOf(v.Kind, ints)
	}
	values := make([]Value, len(rows))
	for i, row := range rows {
		values[i] = v.values[row]
	}
	return VectorOf(v.Kind, values)
}

// Take returns some rows of b.
func (b *Batch) Take(rows []int) *Batch {
	out := &Batch{N: len(rows), Cols: make([]*Vector, len(b.Cols)), from: b.from}
	lazy := make([]Vector, len(b.Cols)) // those that have a column: mostly all of the same rows
	var before, places []int
	for i, v := range b.Cols {
		if v.from == nil {
			out.Cols[i] = v.Take(rows)
			continue
		}
		if places == nil || !sameRows(before, v.rows) {
			before, places = v.rows, placesOf(v.rows, rows)
		}
		lazy[i] = Vector{Kind: v.Kind, from: v.from, rows: places}
		out.Cols[i] = &lazy[i]
	}
	return out
}

// sameRows tells whether two lists of rows are one piece of memory.
func sameRows(a, b []int) bool {
	return len(a) == len(b) && (len(a) == 0 && (a == nil) == (b == nil) || len(a) > 0 && &a[0] == &b[0])
}

// placesOf returns the rows that are at places among rows, nil for all.
func placesOf(rows, places []int) []int {
	if rows == nil {
		return places
	}
	out := make([]int, len(places))
	for i, p := range places {
		out[i] = rows[p]
	}
	return out
}

// Head returns the first n rows of b.
func (b *Batch) Head(n int) *Batch {
	if n >= b.N {
		return b
	}
	rows := make([]int, n)
	for i := range rows {
		rows[i] = i
	}
	return b.Take(rows)
}

// Fill makes sure that all columns are there.
func (b *Batch) Fill() error {
	for _, v := range b.Cols {
		if err := v.Fill(); err != nil {
			return err
		}
	}
	return nil
}

// Row returns the values of a row of a filled batch.
func (b *Batch) Row(row int) []Value {
	values := make([]Value, len(b.Cols))
	for i, v := range b.Cols {
		values[i] = v.At(row)
	}
	return values
}

// batchRows is how many rows a batch has at most that we make from rows.
const batchRows = 1024

// batchesOf returns rows as batches.
func batchesOf(fields []Field, rows [][]Value) Batches {
	return func(yield func(*Batch, error) bool) {
		for len(rows) > 0 {
			n := min(len(rows), batchRows)
			if !yield(batchOf(fields, rows[:n]), nil) {
				return
			}
			rows = rows[n:]
		}
	}
}

func batchOf(fields []Field, rows [][]Value) *Batch {
	b := &Batch{N: len(rows), Cols: make([]*Vector, len(fields))}
	for c, f := range fields {
		values := make([]Value, len(rows))
		for i, row := range rows {
			values[i] = row[c]
		}
		b.Cols[c] = VectorOf(f.Kind, values)
	}
	return b
}
