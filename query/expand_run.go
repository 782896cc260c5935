package query

import (
	"fmt"
	"slices"
)

// An expander makes rows of rows.
type expander struct {
	fields   []Field
	from     []int // of each field: which of exprs it is expanded from, -1 if it is a column as it was
	exprs    []expr
	arrays   bool
	operator string
	index    int   // the field that counts the elements of a row; -1: none
	most     int64 // rows of a row; 0: all
}

// add expands x into a field, which may take the place of a column.
func (e *expander) add(f Field, x expr) {
	e.exprs = append(e.exprs, x)
	i := slices.IndexFunc(e.fields, func(g Field) bool { return g.Name == f.Name })
	if i < 0 {
		i = len(e.fields)
		e.fields, e.from = append(e.fields, f), append(e.from, 0)
	}
	e.fields[i], e.from[i] = f, len(e.exprs)-1
}

// step tells what is read: what is expanded, and of the other columns what is asked for.
func (e *expander) step(in *relation) planStep {
	st := planStep{in: from(in), needs: func(out columnSet) []columnSet {
		need := make(columnSet, len(in.fields)).with(e.exprs...)
		for i := range in.fields {
			if e.from[i] < 0 && out[i].any() { // repeated as a whole
				need.fill(i)
			}
		}
		return []columnSet{need}
	}}
	if e.most > 0 {
		st.notes = append(st.notes, fmt.Sprintf("makes %d rows of a row at most", e.most))
	}
	return st
}

func (e *expander) over(in *relation) func(*run) Batches {
	return func(r *run) Batches {
		return func(yield func(*Batch, error) bool) {
			for b, err := range in.open(r) {
				if err == nil {
					var more bool
					if more, err = e.expand(r, b, yield); err == nil && !more {
						return
					}
				}
				if err != nil {
					yield(nil, err)
					return
				}
			}
		}
	}
}

// expand passes on what the rows of b become, in batches that do not grow with the
// arrays. It returns false if no more is wanted.
func (e *expander) expand(r *run, b *Batch, yield func(*Batch, error) bool) (bool, error) {
	vectors := make([]*Vector, len(e.exprs))
	for i, x := range e.exprs {
		v, err := x.eval(b)
		if err != nil {
			return false, err
		}
		vectors[i] = v
	}
	out := e.chunk()
	lists := make([][]string, len(vectors))
	held := 0
	defer func() { r.release(held) }()
	for row := range b.N {
		r.release(held)
		longest := 0
		held = 0
		for i, v := range vectors {
			lists[i] = expanded(v.At(row), e.arrays)
			longest = max(longest, len(lists[i]))
			held += 16 * cap(lists[i])
		}
		if err := r.hold(e.operator, held); err != nil {
			return false, err
		}
		if e.most > 0 {
			longest = int(min(int64(longest), e.most))
		}
		for n := range longest {
			out.add(row, n, lists)
			if len(out.rows) < batchRows {
				continue
			}
			if err := r.ctx.Err(); err != nil {
				return false, err
			}
			if !yield(out.batch(b), nil) {
				return false, nil
			}
			out = e.chunk()
		}
	}
	if err := r.ctx.Err(); err != nil || len(out.rows) == 0 {
		return true, err
	}
	return yield(out.batch(b), nil), nil
}

// expanded returns the JSON texts that a value becomes: what is no array and no bag stays
// what it is, a null too.
func expanded(v Value, arrays bool) []string {
	switch {
	case v.Null:
		return []string{"null"}
	case isArray(v):
		return elementTexts(v)
	case !isBag(v):
		return []string{v.S}
	}
	var list []string
	eachMember(v.S, func(name, value string) bool {
		if arrays {
			list = append(list, "["+name+","+value+"]")
		} else {
			list = append(list, "{"+name+":"+value+"}")
		}
		return true
	})
	return list
}

// An expandChunk collects rows.
type expandChunk struct {
	*expander
	rows   []int     // of the batch that they come from
	values [][]Value // of each expression
	counts []Value   // for with_itemindex
}

func (e *expander) chunk() *expandChunk {
	return &expandChunk{expander: e, values: make([][]Value, len(e.exprs))}
}

// add adds what is the nth of each list.
func (c *expandChunk) add(row, n int, lists [][]string) {
	c.rows = append(c.rows, row)
	for field, i := range c.from {
		if i < 0 {
			continue
		}
		v := NullOf(c.fields[field].Kind)
		if n < len(lists[i]) {
			v = elementAs(lists[i][n], v.Kind)
		}
		c.values[i] = append(c.values[i], v)
	}
	if c.index >= 0 {
		c.counts = append(c.counts, LongOf(int64(n)))
	}
}

func (c *expandChunk) batch(b *Batch) *Batch {
	out := &Batch{N: len(c.rows), Cols: make([]*Vector, len(c.fields))}
	for field, i := range c.from {
		if i < 0 {
			out.Cols[field] = again(b.Cols[field], c.rows)
		} else {
			out.Cols[field] = VectorOf(c.fields[field].Kind, c.values[i])
			out.Cols[field].parts = c.fields[field].Kind.hasText()
		}
	}
	if c.index >= 0 {
		out.Cols[c.index] = VectorOf(Long, c.counts)
	}
	return out
}

// again returns rows of v, each as often as it is named. Batches share v: if it is not
// filled, it is as a whole, once, when one of them is looked at.
func again(v *Vector, rows []int) *Vector {
	if !v.isLazy() {
		return v.Take(rows)
	}
	return Lazy(v.Kind, func(out *Vector) error {
		if err := v.Fill(); err != nil {
			return err
		}
		*out = *v.Take(rows)
		return nil
	}, func(take []int) *Vector { return again(v, placesOf(rows, take)) })
}

// elementAs casts an element as to typeof(...) does: a string is no number, and what does
// not fit is null. Datetimes, timespans, guids and decimals are strings in JSON, but not all strings
// that could be read as one are.
func elementAs(text string, to Kind) Value {
	v := DynamicOf(text)
	if to == Dynamic || v.Null {
		return convert(v, to)
	}
	inner := scalarOf(v)
	switch {
	case to == String, inner.Kind.isNumber() && (to.isNumber() || to == Decimal), inner.Kind == to:
		return convert(v, to)
	case inner.Kind == String && (to == Datetime || to == Timespan || to == Guid || to == Decimal):
		if c := convert(inner, to); jsonOf(c) == text {
			return c
		}
	}
	return NullOf(to)
}
