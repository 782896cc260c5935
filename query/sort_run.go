package query

import (
	"context"
	"slices"
	"strings"
)

// StableSort sorts a list as slices.SortStableFunc does, but looks at ctx every few
// thousand steps: it sorts short runs, and puts two of them together at a time.
func StableSort[T any](ctx context.Context, list []T, compare func(a, b T) int) error {
	const run = 2048
	for from := 0; from < len(list); from += run {
		if err := ctx.Err(); err != nil {
			return err
		}
		slices.SortStableFunc(list[from:min(from+run, len(list))], compare)
	}
	if len(list) <= run {
		return nil
	}
	from, to := list, make([]T, len(list))
	for width := run; width < len(list); width *= 2 {
		for i := 0; i < len(list); i += 2 * width {
			middle, end := min(i+width, len(list)), min(i+2*width, len(list))
			if err := merge(ctx, to[i:end], from[i:middle], from[middle:end], compare); err != nil {
				return err
			}
		}
		from, to = to, from
	}
	copy(list, from)
	return nil
}

// merge puts two sorted lists together; of equal values those of a come first.
func merge[T any](ctx context.Context, out, a, b []T, compare func(a, b T) int) error {
	if len(a) == 0 || len(b) == 0 || compare(a[len(a)-1], b[0]) <= 0 {
		copy(out[copy(out, a):], b)
		return ctx.Err()
	}
	for i := range out {
		if i%4096 == 0 {
			if err := ctx.Err(); err != nil {
				return err
			}
		}
		if len(b) == 0 || len(a) > 0 && compare(a[0], b[0]) <= 0 {
			out[i], a = a[0], a[1:]
		} else {
			out[i], b = b[0], b[1:]
		}
	}
	return nil
}

// A sorter puts rows in order.
type sorter struct {
	run      *run
	in       *relation
	operator string
	exprs    []expr // the keys
	keys     []sortKey
}

// open gives out the first rows, or with a limit below 0 all.
func (s *sorter) open(limit int64) Batches {
	switch {
	case limit == 0:
		return batchesOf(nil, nil)
	case limit < 0:
		sorted, err := s.all()
		if err != nil {
			return failed(err)
		}
		return sorted
	}
	rows, err := s.first(limit)
	if err != nil {
		return failed(err)
	}
	return batchesOf(s.in.fields, rows)
}

// eval computes the keys of the rows of a batch, one row after the other.
func (s *sorter) eval(b *Batch) ([]Value, error) {
	values := make([]Value, b.N*len(s.exprs))
	for i, e := range s.exprs {
		v, err := e.eval(b)
		if err != nil {
			return nil, err
		}
		for row := range b.N {
			values[row*len(s.exprs)+i] = v.At(row)
		}
	}
	return values, nil
}

// texts returns how long the texts of keys are that are not those of columns.
func (s *sorter) texts(keys []Value) (n int) {
	for i, e := range s.exprs {
		if _, column := e.(*colExpr); column || !e.kind().hasText() {
			continue
		}
		for ; i < len(keys); i += len(s.exprs) {
			n += len(keys[i].S)
		}
	}
	return n
}

func (s *sorter) compare(a, b []Value) int {
	for i, k := range s.keys {
		if c := compareForSort(a[i], b[i], k); c != 0 {
			return c
		}
	}
	return 0
}

// A sortPlace is where a row is: in which batch, and in which row.
type sortPlace struct{ batch, row uint32 }

// all sorts all rows: the batches are held as they came, and their rows given out in order.
func (s *sorter) all() (Batches, error) {
	var batches []*Batch
	var keys [][]Value
	var rows Chunks[sortPlace]
	err := s.run.each(s.in.filled().open(s.run), func(b *Batch) error {
		b, size, err := s.run.keep(b)
		if err != nil {
			return err
		}
		k, err := s.eval(b)
		if err != nil {
			return err
		}
		for row := range b.N {
			rows.Append(sortPlace{uint32(len(batches)), uint32(row)})
		}
		batches, keys = append(batches, b), append(keys, k)
		// Of the places there are the chunks, the list, and what is sorted into.
		return s.run.hold(s.operator, size+len(k)*valueSize+s.texts(k)+b.N*3*8)
	})
	if err != nil {
		return nil, err
	}
	n, places := len(s.exprs), rows.Slice()
	err = StableSort(s.run.ctx, places, func(a, b sortPlace) int {
		return s.compare(keys[a.batch][int(a.row)*n:], keys[b.batch][int(b.row)*n:])
	})
	return s.inOrder(batches, places), err
}

// inOrder gives out rows of batches.
func (s *sorter) inOrder(batches []*Batch, places []sortPlace) Batches {
	return func(yield func(*Batch, error) bool) {
		for some := range slices.Chunk(places, batchRows) {
			if err := s.run.ctx.Err(); err != nil {
				yield(nil, err)
				return
			}
			b := &Batch{N: len(some), Cols: make([]*Vector, len(s.in.fields))}
			for c, f := range s.in.fields {
				values := make([]Value, len(some))
				for i, p := range some {
					values[i] = batches[p.batch].Cols[c].At(int(p.row))
				}
				b.Cols[c] = VectorOf(f.Kind, values)
			}
			if !yield(b, nil) {
				return
			}
		}
	}
}

// A topRow is a row with its keys.
type topRow struct{ keys, row []Value }

func (t *topRow) size() int { return rowSize(t.keys) + rowSize(t.row) + 2*rowSlice }

// first returns the first n rows, and holds never many more than twice as many.
func (s *sorter) first(n int64) ([][]Value, error) {
	var list []topRow
	sorted := false // the first n of the list are those so far
	cut := func() error {
		err := StableSort(s.run.ctx, list, func(a, b topRow) int { return s.compare(a.keys, b.keys) })
		if err == nil && int64(len(list)) > n {
			for i := range list[n:] {
				s.run.release(list[int(n)+i].size())
			}
			clear(list[n:])
			list, sorted = list[:n], true
		}
		return err
	}
	err := s.run.each(s.in.open(s.run), func(b *Batch) error {
		keys, err := s.eval(b)
		if err != nil {
			return err
		}
		key := func(row int) []Value { return keys[row*len(s.exprs) : (row+1)*len(s.exprs)] }
		var rows []int // that may be among the first; the others are not looked at
		for row := range b.N {
			if !sorted || s.compare(key(row), list[n-1].keys) < 0 {
				rows = append(rows, row)
			}
		}
		if len(rows) == 0 {
			return nil
		}
		b, _, err = s.run.keep(b.Take(rows))
		if err != nil {
			return err
		}
		for i, row := range rows {
			t := topRow{slices.Clone(key(row)), b.Row(i)}
			for k := range t.keys {
				t.keys[k].S = strings.Clone(t.keys[k].S) // it may be a part of what is not held
			}
			if err := s.run.hold(s.operator, t.size()); err != nil {
				return err
			}
			if list = append(list, t); (int64(len(list))-batchRows)/2 > n {
				if err := cut(); err != nil {
					return err
				}
			}
		}
		return nil
	})
	if err == nil {
		err = cut()
	}
	rows := make([][]Value, len(list))
	for i := range list {
		rows[i] = list[i].row
	}
	return rows, err
}
