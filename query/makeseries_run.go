package query

import "fmt"

// A seriesMaker makes arrays of the groups of a summary, whose keys are those of the series
// and, behind them, the index of the bin.
type seriesMaker struct {
	sum      *summary
	by       int // how many keys a series has
	bins     *axisBins
	missing  []Value // what stands where there is no row, of each aggregation
	nonempty bool    // a series is made of no row too
	fields   []Field
}

// A seriesRows is the groups of a series.
type seriesRows struct {
	keys   []Value
	groups []*rowGroup
	places []int64 // of the groups
}

// open reads all rows, and gives out the series in the order in which they were first seen.
func (m *seriesMaker) open(r *run, in *relation) Batches {
	groups, err := m.sum.groups(r, in, "make-series", true)
	if err != nil {
		return failed(err)
	}
	list, err := m.series(r, groups)
	if err != nil {
		return failed(err)
	}
	return func(yield func(*Batch, error) bool) {
		const most = 1 << 20 // bytes of a batch, but for one series
		var rows [][]Value
		held := 0
		axis := &seriesAxis{bins: m.bins}
		flush := func() bool {
			ok := len(rows) == 0 || yield(batchOf(m.fields, rows), nil)
			r.release(held)
			rows, held = nil, 0
			return ok
		}
		for _, s := range list {
			row, err := m.arrays(r, s, axis)
			if err == nil {
				size := rowSize(row)
				held += size
				err = r.hold("make-series", size)
			}
			if err != nil {
				yield(nil, err)
				return
			}
			if rows = append(rows, row); (len(rows) == batchRows || held > most) && !flush() {
				return
			}
		}
		flush()
	}
}

// series puts together the groups of each series.
func (m *seriesMaker) series(r *run, groups []*rowGroup) (list []*seriesRows, err error) {
	of := map[string]*seriesRows{}
	var text []byte
	for i, g := range groups {
		if i%batchRows == 0 {
			if err := r.ctx.Err(); err != nil {
				return nil, err
			}
		}
		at := g.keys[m.by]
		switch {
		case at.Null:
			continue
		case at.N == farBin:
			return nil, fmt.Errorf("make-series: a value of the axis is too far from the start for steps of %s", toString(m.bins.step))
		case at.N == beyondBin:
			return nil, fmt.Errorf("make-series: there are rows behind the end in the last step, which begins before it; add a where that leaves them out, or end a multiple of the step behind the start")
		}
		text = text[:0]
		for _, v := range g.keys[:m.by] {
			text = v.key().append(text)
		}
		s := of[string(text)]
		if s == nil {
			s = &seriesRows{keys: g.keys[:m.by:m.by]}
			of[string(text)] = s
			list = append(list, s)
			if err := r.hold("make-series", groupSize+len(text)); err != nil {
				return nil, err
			}
		}
		s.groups, s.places = append(s.groups, g), append(s.places, at.N)
		if err := r.hold("make-series", 3*8); err != nil {
			return nil, err
		}
	}
	if len(list) == 0 && m.nonempty {
		list = append(list, &seriesRows{})
	}
	return list, nil
}

// arrays returns the row of a series.
func (m *seriesMaker) arrays(r *run, s *seriesRows, axis *seriesAxis) ([]Value, error) {
	if err := r.ctx.Err(); err != nil {
		return nil, err
	}
	lo, hi := m.bins.span(s.places)
	n := uint64(hi) - uint64(lo) + 1
	if n-1 >= maxSeries {
		return nil, fmt.Errorf("make-series makes arrays of up to %d elements; steps of %s make %d", maxSeries, toString(m.bins.step), n)
	}
	var rows [][]Value
	if len(s.groups) > 0 {
		var err error
		if rows, err = m.sum.results(s.groups); err != nil {
			return nil, err
		}
	}
	work := valueSize * (2*int(n) + len(rows)*len(m.sum.fields))
	if err := r.hold("make-series", work); err != nil {
		return nil, err
	}
	defer r.release(work)
	out := append(make([]Value, 0, len(m.fields)), s.keys...)
	values := make([]Value, n)
	for c, missing := range m.missing {
		for i := range values {
			values[i] = missing
		}
		for i, at := range s.places {
			values[at-lo] = rows[i][m.by+1+c]
		}
		out = append(out, arrayOf(values))
	}
	return append(out, axis.of(lo, int(n))), nil
}

// A seriesAxis makes the arrays of where bins begin; series that have the same share it.
type seriesAxis struct {
	bins  *axisBins
	lo    int64
	n     int
	array Value
}

func (x *seriesAxis) of(lo int64, n int) Value {
	if x.n == n && x.lo == lo {
		return x.array
	}
	values := make([]Value, n)
	for i := range values {
		values[i] = x.bins.at(lo + int64(i))
	}
	x.lo, x.n, x.array = lo, n, arrayOf(values)
	return x.array
}
