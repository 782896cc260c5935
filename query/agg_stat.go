package query

import (
	"fmt"
	"math"
	"slices"
)

// distinctAgg counts different values, exactly. Of the arguments least must be there;
// dcount and dcountif may have one more, how exact Kusto's estimate is to be.
func distinctAgg(name string, least int, predicate bool) Agg {
	a := Agg{
		Name: name, Usage: name + "(value)", Doc: "How many different values there are, nulls left out; exact.",
		Example: `range x from 1 to 4 step 1 | summarize ` + name + `(x % 2) == 2`,
		Params:  []kinds{anyKind}, Min: least, Result: fixed(Long), Prefix: name + "_",
		New: func([]Arg) Accumulator { return &distinctCount{seen: map[key]struct{}{}} },
	}
	a = withPredicate(a, predicate)
	if predicate {
		a.Example = `range x from 1 to 4 step 1 | summarize ` + name + `(x % 2, x < 2) == 1`
	}
	if name[0] == 'd' {
		a.Usage = a.Usage[:len(a.Usage)-1] + " [, accuracy])"
		a.Params = append(a.Params, longs)
	}
	return a
}

type distinctCount struct {
	seen map[key]struct{}
	size int
}

func (d *distinctCount) Add(args []Value) {
	if args[0].Null {
		return
	}
	k := args[0].key()
	if _, ok := d.seen[k]; !ok {
		d.seen[k] = struct{}{}
		d.size += 64 + len(k.s)
	}
}
func (d *distinctCount) Value() Value { return LongOf(int64(len(d.seen))) }
func (d *distinctCount) Size() int    { return 48 + d.size }

// spreadAgg is a variance or its root, of a sample or of a whole population.
func spreadAgg(name string, predicate, root, population bool) Agg {
	doc, value := "The variance", "2.5"
	switch {
	case root && population:
		value = "1.4142135623730951"
	case root:
		value = "1.5811388300841898"
	case population:
		value = "2.0"
	}
	if root {
		doc = "The standard deviation"
	}
	if population {
		doc += " of a whole population, 0 if there is nothing."
	} else {
		doc += " of a sample, 0 of less than two values."
	}
	call := name + "(x)"
	if predicate {
		call = name + "(x, x < 6)"
	}
	return withPredicate(Agg{
		Name: name, Doc: doc, Example: "range x from 1 to 5 step 1 | summarize " + call + " == " + value,
		Params: []kinds{numbers}, Result: fixed(Real), Prefix: name + "_",
		New: func([]Arg) Accumulator { return &deviation{root: root, population: population} },
	}, predicate)
}

// A deviation follows the mean and the sum of the squared distances from it (Welford).
type deviation struct {
	root, population bool
	n, mean, squares float64
}

func (s *deviation) Add(args []Value) {
	if args[0].Null {
		return
	}
	f := args[0].Real()
	s.n++
	d := f - s.mean
	s.mean += d / s.n
	s.squares += d * (f - s.mean)
}

// Value rounds the variance to ten digits after the point, as Kusto does, also before it
// takes the root.
func (s *deviation) Value() Value {
	n := s.n
	if !s.population {
		n--
	}
	if n < 1 {
		return RealOf(0)
	}
	variance := round10(s.squares / n)
	if s.root {
		variance = math.Sqrt(variance)
	}
	return RealOf(variance)
}
func (s *deviation) Size() int { return 32 }

func round10(f float64) float64 {
	if math.Abs(f) >= 1e16 {
		return f
	}
	return math.RoundToEven(f*1e10) / 1e10
}

var percentileAgg = Agg{
	Name: "percentile", Usage: "percentile(value, percent)",
	Doc:     "The least value that is not less than so many percent of the values; exact.",
	Example: `range x from 1 to 4 step 1 | summarize percentile(x, 50) == 2`,
	Params:  []kinds{of(Int, Long, Real, Datetime, Timespan), of(Real)},
	Result:  percentileKind, New: newPercentile, Prefix: "percentile_",
}

func percentileKind(args []Arg) (Kind, error) {
	for _, p := range args[1:] {
		if p.Const == nil || p.Const.Null {
			return 0, fmt.Errorf("percentile: expected a constant percentage")
		}
		if f := p.Const.Real(); !(f >= 0 && f <= 100) {
			return 0, fmt.Errorf("percentile: %s is not between 0 and 100", toString(*p.Const))
		}
	}
	return sumKind(args)
}

func newPercentile(args []Arg) Accumulator {
	kind, _ := sumKind(args)
	return &percentileRank{kind: kind, percent: args[1].Const.Real()}
}

type percentileRank struct {
	kind    Kind
	percent float64
	values  []Value
}

func (p *percentileRank) Add(args []Value) {
	if !args[0].Null {
		p.values = append(p.values, args[0])
	}
}

func (p *percentileRank) Value() Value {
	if len(p.values) == 0 {
		return NullOf(p.kind)
	}
	slices.SortFunc(p.values, compare)
	return convert(nearestRank(p.values, p.percent), p.kind)
}
func (p *percentileRank) Size() int { return 48 + cap(p.values)*40 }

// nearestRank returns the value of sorted values, of which there is at least one, that p
// percent of them are not greater than.
func nearestRank(sorted []Value, p float64) Value {
	// A hair less, so that 99.9 percent of 1000 are 999 although 99.9 is no exact number.
	rank := int(math.Ceil(p*float64(len(sorted))/100 - 1e-9))
	return sorted[min(max(rank, 1), len(sorted))-1]
}
