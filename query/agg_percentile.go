package query

import (
	"fmt"
	"math"
	"slices"
)

// percentileAgg is percentile, of values with weights or without, one or several in an array.
func percentileAgg(name string, weighted, array bool) Agg {
	usage, doc := "value", "The least value that is not less than so many percent of the values; exact."
	params := []kinds{of(Int, Long, Real, Datetime, Timespan)}
	example := "range x from 1 to 4 step 1 | summarize " + name + "(x, "
	if weighted {
		usage += ", weight"
		doc = "The least value that is not less than so many percent of the values, each of which counts as often as its weight says; exact."
		params = append(params, longs)
		example += "x, "
	}
	a := Agg{Name: name, Usage: name + "(" + usage + ", percent)", Doc: doc, Params: append(params, of(Real)), Result: percentileKind(name), Prefix: "percentile_"}
	a.Example = example + "50) == 3"
	if !weighted {
		a.Example = example + "50) == 2"
	}
	if array {
		a.Usage = name + "(" + usage + ", percent [, ...])"
		a.Doc = "An array with the value for each percentage, or for those of an array." + doc[len("The least value that is not less than so many percent of the values"):]
		a.Params[len(params)] = of(Real, Dynamic)
		a.Variadic, a.Min, a.Prefix = true, len(a.Params), "percentiles_"
		a.Example = example + "25, 100) == dynamic([2,4])"
		if !weighted {
			a.Example = example + "25, 100) == dynamic([1,4])"
		}
	}
	a.New = func(args []Arg) Accumulator {
		percents, _ := percentsOf(name, args[len(params):])
		kind, _ := sumKind(args)
		return &percentileRank{kind: kind, percents: percents, weighted: weighted, array: array}
	}
	if !weighted {
		a.Partial = numbersByGroup
	}
	if array {
		a.Result = func(args []Arg) (Kind, error) {
			_, err := percentsOf(name, args[len(params):])
			return Dynamic, err
		}
	}
	return a
}

func percentileKind(name string) func([]Arg) (Kind, error) {
	return func(args []Arg) (Kind, error) {
		if _, err := percentsOf(name, args[len(args)-1:]); err != nil {
			return 0, err
		}
		return sumKind(args)
	}
}

// percentsOf returns the percentages that arguments are, or that stand in their arrays.
func percentsOf(name string, args []Arg) (percents []float64, err error) {
	add := func(v Value) error {
		if v.Null || !v.Kind.isNumber() {
			return fmt.Errorf("%s: expected a constant percentage", name)
		}
		f := v.Real()
		if !(f >= 0 && f <= 100) {
			return fmt.Errorf("%s: %s is not between 0 and 100", name, toString(v))
		}
		percents = append(percents, f)
		return nil
	}
	for _, p := range args {
		switch {
		case p.Const == nil:
			return nil, fmt.Errorf("%s: expected a constant percentage", name)
		case isArray(*p.Const):
			for e := range elements(*p.Const) {
				if err := add(scalarOf(e)); err != nil {
					return nil, err
				}
			}
		default:
			if err := add(*p.Const); err != nil {
				return nil, err
			}
		}
	}
	return percents, nil
}

// A percentileRank keeps the values of a group.
type percentileRank struct {
	kind            Kind
	percents        []float64
	weighted, array bool
	values          []weightedValue
	total           float64 // of the weights
	// What comes as numbers, without weights, stays so; see orderOf.
	chunks [][]int64
	n      int // in chunks
}

type weightedValue struct {
	v      Value
	weight int64
}

func (p *percentileRank) Add(args []Value) {
	w := weightedValue{args[0], 1}
	if p.weighted {
		if args[1].Null {
			return
		}
		w.weight = args[1].N
	}
	if !args[0].Null && w.weight > 0 {
		p.values = append(p.values, w)
		p.total += float64(w.weight)
	}
}

// orderOf returns a number that stands among others as a value with that N does; NaN is
// the least.
func (p *percentileRank) orderOf(n int64) int64 {
	if p.kind != Real {
		return n
	}
	if f := math.Float64frombits(uint64(n)); f != f {
		return math.MinInt64
	}
	if n < 0 {
		n ^= math.MaxInt64
	}
	return n
}

func (p *percentileRank) valueOf(order int64) Value {
	switch {
	case p.kind == Real && order == math.MinInt64:
		return RealOf(math.NaN())
	case p.kind == Real && order < 0:
		order ^= math.MaxInt64
	}
	return Value{Kind: p.kind, N: order}
}

// addNumbers takes numbers over that are not null; they are changed.
func (p *percentileRank) addNumbers(numbers []int64) {
	if p.kind == Real {
		for i, n := range numbers {
			numbers[i] = p.orderOf(n)
		}
	}
	p.chunks, p.n = append(p.chunks, numbers), p.n+len(numbers)
}

func (p *percentileRank) Value() Value {
	if p.n > 0 && len(p.values) > 0 {
		for _, n := range slices.Concat(p.chunks...) {
			p.values = append(p.values, weightedValue{p.valueOf(n), 1})
		}
		p.total, p.chunks, p.n = p.total+float64(p.n), nil, 0
	}
	if len(p.values)+p.n == 0 {
		if p.array {
			return NullOf(Dynamic)
		}
		return NullOf(p.kind)
	}
	nearest := p.nearest
	if all := slices.Concat(p.chunks...); p.n > 0 {
		nearest = func(percent float64) Value { return p.valueOf(nth(all, PercentileRank(percent, p.n))) }
	} else {
		slices.SortFunc(p.values, func(a, b weightedValue) int { return compare(a.v, b.v) })
	}
	if !p.array {
		return convert(nearest(p.percents[0]), p.kind)
	}
	list := make([]Value, len(p.percents))
	for i, percent := range p.percents {
		list[i] = convert(nearest(percent), p.kind)
	}
	return arrayOf(list)
}

// Size counts numbers twice: for the value they are put together.
func (p *percentileRank) Size() int {
	return 64 + cap(p.values)*48 + cap(p.chunks)*rowSlice + 2*8*p.n
}

// nearest returns the value of the sorted values, of which there is at least one, that so
// many percent of them are not greater than.
func (p *percentileRank) nearest(percent float64) Value {
	if !p.weighted {
		return p.values[PercentileRank(percent, len(p.values))].v
	}
	rank := math.Ceil(percent*p.total/100 - 1e-9)
	sum := 0.0
	for _, w := range p.values {
		if sum += float64(w.weight); sum >= rank {
			return w.v
		}
	}
	return p.values[len(p.values)-1].v
}

// PercentileRank returns at which place, from 0, of n values in order the least stands that so
// many percent of them are not greater than.
func PercentileRank(percent float64, n int) int {
	// A hair less, so that 99.9 percent of 1000 are 999 although 99.9 is no exact number.
	rank := int(math.Ceil(percent*float64(n)/100 - 1e-9))
	return min(max(rank, 1), n) - 1
}

// nth returns what would stand at place k if the numbers were in order. It changes their
// order.
func nth(numbers []int64, k int) int64 {
	for rounds := 0; len(numbers) > 32; rounds++ {
		if rounds > 64 { // somebody made numbers for it
			break
		}
		last := len(numbers) - 1
		a, b, c := numbers[0], numbers[last/2], numbers[last]
		pivot := max(min(a, b), min(max(a, b), c))
		i, j := 0, last
		for i <= j {
			for numbers[i] < pivot {
				i++
			}
			for numbers[j] > pivot {
				j--
			}
			if i <= j {
				numbers[i], numbers[j] = numbers[j], numbers[i]
				i, j = i+1, j-1
			}
		}
		switch { // up to j at most pivot, from i on at least, between them equal
		case k <= j:
			numbers = numbers[:j+1]
		case k >= i:
			numbers, k = numbers[i:], k-i
		default:
			return pivot
		}
	}
	slices.Sort(numbers)
	return numbers[k]
}
