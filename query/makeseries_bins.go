package query

import (
	"math"
	"slices"
)

// maxSeries is how many elements an array of make-series may have, as in Kusto.
const maxSeries = 1 << 20

// axisBins are the bins of an axis: that of index i begins at start + i * step. Without
// from, start is 0, so that bins are those of bin().
type axisBins struct {
	kind        Kind // of the axis
	start, step Value
	lo, hi      *int64 // the first and the last index; nil: those that have rows
	to          *Value // what is at it or behind it is not asked for; nil: there is no end
	closed      bool   // in range(...): the bin that to is in is the last
}

// An index that no bin has.
const (
	farBin    = math.MinInt64     // it is too far from the start to be computed
	beyondBin = math.MinInt64 + 1 // it is in the last bin, but not before to
)

// bindAxis binds the axis with its bounds and returns it.
func (st *seriesStage) bindAxis(s *scope, x *axisBins) (expr, error) {
	if err := st.axis.single(); err != nil {
		return nil, err
	}
	axis, err := s.expr(st.axis.X)
	if err != nil {
		return nil, err
	}
	known := true
	values := map[node]*Value{}
	for _, n := range []node{st.from, st.to, st.step} {
		if n == nil {
			continue
		}
		if values[n], err = constantOf(s.binder, n); err != nil {
			return nil, err
		}
		known = known && values[n] != nil
	}
	k := axis.kind()
	if k == unknown {
		return axis, nil
	}
	if !k.isNumber() && k != Datetime && k != Timespan {
		return nil, errorAt(st.axis.X, "the axis of make-series is a number, a datetime or a timespan, found %s of type %s", st.axis.X, k)
	}
	x.kind = k
	for _, n := range []node{st.from, st.to, st.step} {
		v := values[n]
		if v == nil {
			continue
		}
		want := k
		if k == Datetime && n == st.step {
			want = Timespan
		}
		switch {
		case v.Kind != want && !(v.Kind.isNumber() && want.isNumber()):
			return nil, errorAt(n, "expected a value of type %s for an axis of type %s, found %s of type %s", want, k, n, v.Kind)
		case v.Null || v.Kind == Real && (math.IsNaN(v.Real()) || math.IsInf(v.Real(), 0)):
			return nil, errorAt(n, "expected a value, found %s, which is none", n)
		case k.isNumber():
			x.kind = max(x.kind, v.Kind)
		}
	}
	if step := values[st.step]; step != nil && compare(*step, Value{Kind: step.Kind}) <= 0 {
		return nil, errorAt(st.step, "expected a step above 0, found %s", st.step)
	}
	if !known {
		return axis, nil
	}
	return axis, st.place(x, values)
}

// place sets the bins by the values of from, to and step.
func (st *seriesStage) place(x *axisBins, values map[node]*Value) error {
	for n, v := range values {
		c := *v
		if v.Kind.isNumber() {
			c = convert(c, x.kind)
		}
		c.Rest = 0 // bins are of whole ticks
		values[n] = &c
	}
	x.start, x.step = Value{Kind: x.kind}, *values[st.step]
	from, to := values[st.from], values[st.to]
	if from != nil {
		if !st.inRange {
			x.start = *from
		}
		i, ok := x.bin(*from)
		if !ok || compare(x.at(i), *from) != 0 {
			return errorAt(st.from, "in range(...) is not supported here with a start that is no multiple of the step; write from %s to an end step %s", st.from, st.step)
		}
		x.lo = &i
	}
	if to == nil {
		return nil
	}
	x.to = to
	i, ok := x.bin(*to)
	if !ok {
		return errorAt(st.to, "expected an end that is nearer to the start, found %s", st.to)
	}
	if !x.closed && compare(x.at(i), *to) >= 0 {
		i--
	}
	x.hi = &i
	if x.lo == nil {
		return nil
	}
	if *x.hi < *x.lo {
		return errorAt(st.to, "expected an end behind the start, found %s", st.to)
	}
	if *x.hi-*x.lo >= maxSeries {
		return errorAt(st.step, "make-series makes arrays of up to %d elements; a step of %s makes %d", maxSeries, st.step, *x.hi-*x.lo+1)
	}
	return nil
}

// index returns the index of the bin of a value, null for one that does not count.
func (x *axisBins) index(v Value) Value {
	if v.Kind.isNumber() {
		v = convert(v, x.kind)
	}
	if isNaN(v) {
		return NullOf(Long)
	}
	i, ok := x.bin(v)
	switch {
	case x.lo != nil && compare(v, x.start) < 0 && (!ok || !x.closed), !ok && x.hi != nil && compare(v, x.start) > 0:
		return NullOf(Long)
	case !ok:
		return LongOf(farBin)
	case x.lo != nil && i < *x.lo, x.hi != nil && i > *x.hi:
		return NullOf(Long)
	case x.hi != nil && !x.closed && compare(v, *x.to) >= 0:
		return LongOf(beyondBin)
	}
	return LongOf(i)
}

// bin returns the index of the bin that a value is in, unless it is too far from the start.
func (x *axisBins) bin(v Value) (int64, bool) {
	const exact, most = 1 << 53, 1 << 62
	if x.kind == Real {
		f := math.Floor((v.Real() - x.start.Real()) / x.step.Real())
		return int64(f), math.Abs(f) < exact
	}
	n, start, step := v.N, x.start.N, uint64(x.step.N)
	if n >= start { // the distance fits 64 bits without a sign
		i := (uint64(n) - uint64(start)) / step
		return int64(i), i < most
	}
	d := uint64(start) - uint64(n)
	i := (d-1)/step + 1
	lowest := uint64(start) - (1 << 63) // how far the least number is from the start
	return -int64(i), i < most && i <= lowest/step
}

// at returns where a bin begins.
func (x *axisBins) at(i int64) Value {
	if x.kind == Real {
		return RealOf(x.start.Real() + float64(i)*x.step.Real())
	}
	return Value{Kind: x.kind, N: x.start.N + i*x.step.N}
}

// span returns the first and the last index of a series whose rows have some.
func (x *axisBins) span(places []int64) (lo, hi int64) {
	if x.lo != nil {
		lo = *x.lo
	} else {
		lo = slices.Min(places)
	}
	if x.hi != nil {
		hi = *x.hi
	} else {
		hi = slices.Max(places)
	}
	return lo, hi
}
