package query

import (
	"fmt"
	"math"
)

// coreAggs are the aggregations that keep one number, value or set of a group. Those of a
// sample are in agg_stat.go and agg_percentile.go. Nulls do not count, except in count.
var coreAggs = []Agg{
	avgAgg("avg", false),
	avgAgg("avgif", true),
	bitsAgg("binary_all_and", "The bits that all have.", `range x from 6 to 7 step 1 | summarize binary_all_and(x) == 6`,
		func(a, b int64) int64 { return a & b }),
	bitsAgg("binary_all_or", "The bits that one at least has.", `range x from 1 to 4 step 1 | summarize binary_all_or(x) == 7`,
		func(a, b int64) int64 { return a | b }),
	bitsAgg("binary_all_xor", "The bits that an odd number of them has.", `range x from 1 to 4 step 1 | summarize binary_all_xor(x) == 4`,
		func(a, b int64) int64 { return a ^ b }),
	{
		Name: "count", Usage: "count()", Doc: "The number of rows, nulls or not.",
		Example: `range x from 1 to 4 step 1 | summarize count() == 4`,
		Params:  []kinds{anyKind}, Variadic: true, Result: countKind, New: newCount, Partial: countsByGroup, Prefix: "count_",
	},
	distinctAgg("count_distinct", 1, false),
	distinctAgg("count_distinctif", 2, true),
	{
		Name: "countif", Usage: "countif(predicate)", Doc: "The number of rows where the predicate is true.",
		Example: `range x from 1 to 4 step 1 | summarize countif(x > 1) == 3`,
		Params:  []kinds{of(Bool)}, Result: fixed(Long), New: filtered(newCount, 0), Partial: filteredPartial(countsByGroup, 0), Prefix: "countif_",
	},
	covarianceAgg("covariance", false, false),
	covarianceAgg("covarianceif", true, false),
	covarianceAgg("covariancep", false, true),
	covarianceAgg("covariancepif", true, true),
	distinctAgg("dcount", 1, false),
	distinctAgg("dcountif", 2, true),
	extremeAgg("max", "greatest", `range x from 1 to 4 step 1 | summarize max(x) == 4`, false, 1),
	extremeAgg("maxif", "greatest", `range x from 1 to 4 step 1 | summarize maxif(x, x < 3) == 2`, true, 1),
	extremeAgg("min", "least", `range x from 1 to 4 step 1 | summarize min(x) == 1`, false, -1),
	extremeAgg("minif", "least", `range x from 1 to 4 step 1 | summarize minif(x, x > 2) == 3`, true, -1),
	percentileAgg("percentile", false, false),
	percentileAgg("percentiles_array", false, true),
	percentileAgg("percentilesw_array", true, true),
	percentileAgg("percentilew", true, false),
	spreadAgg("stdev", false, true, false),
	spreadAgg("stdevif", true, true, false),
	spreadAgg("stdevp", false, true, true),
	spreadAgg("stdevpif", true, true, true),
	sumAgg("sum", false),
	sumAgg("sumif", true),
	spreadAgg("variance", false, false, false),
	spreadAgg("varianceif", true, false, false),
	spreadAgg("variancep", false, false, true),
	spreadAgg("variancepif", true, false, true),
}

// A filteredRows passes the rows on whose predicate, an argument of the aggregation, is true.
type filteredRows struct {
	Accumulator
	predicate int
}

func (f filteredRows) Add(args []Value) {
	if args[f.predicate].Bool() {
		f.Accumulator.Add(args[:f.predicate])
	}
}

// filtered makes a New of an aggregation with a predicate.
func filtered(begin func([]Arg) Accumulator, predicate int) func([]Arg) Accumulator {
	return func(args []Arg) Accumulator { return filteredRows{begin(args[:predicate]), predicate} }
}

// withPredicate adds to an aggregation of one argument a predicate, if it is to have one.
func withPredicate(a Agg, predicate bool) Agg {
	a.Usage = a.Name + "(value)"
	if predicate {
		a.Usage = a.Name + "(value, predicate)"
		a.Doc += " Only rows where the predicate is true count."
		a.Params = append(a.Params[:1:1], of(Bool))
		a.New, a.Partial = filtered(a.New, 1), filteredPartial(a.Partial, 1)
	}
	return a
}

type rowCount struct{ n int64 }

func newCount([]Arg) Accumulator { return &rowCount{} }

func (c *rowCount) Add([]Value)  { c.n++ }
func (c *rowCount) Value() Value { return LongOf(c.n) }
func (c *rowCount) Size() int    { return 8 }

func countKind(args []Arg) (Kind, error) {
	if len(args) > 1 {
		return 0, fmt.Errorf("count: expected count(), found %d arguments", len(args))
	}
	return Long, nil
}

func sumAgg(name string, predicate bool) Agg {
	example := `range x from 1 to 4 step 1 | summarize sum(x) == 10`
	if predicate {
		example = `range x from 1 to 4 step 1 | summarize sumif(x, x > 2) == 7`
	}
	return withPredicate(Agg{
		Name: name, Doc: "The sum, 0 if there is nothing. A sum of longs that is too great wraps around.", Example: example,
		Params: []kinds{of(Int, Long, Real, Decimal, Timespan)}, Result: sumKind, New: newSum, Partial: numbersByGroup, Prefix: name + "_",
	}, predicate)
}

func sumKind(args []Arg) (Kind, error) {
	if args[0].Kind == Int {
		return Long, nil
	}
	return args[0].Kind, nil
}

func newSum(args []Arg) Accumulator {
	switch args[0].Kind {
	case Real:
		return &realSum{}
	case Decimal:
		return &decimalSum{sum: decimalOf(LongOf(0))}
	}
	kind, _ := sumKind(args)
	return &longSum{kind: kind}
}

type longSum struct {
	kind Kind
	n    int64
}

func (s *longSum) Add(args []Value) {
	if !args[0].Null {
		s.n += args[0].N
	}
}
func (s *longSum) addNumbers(numbers []int64) {
	for _, n := range numbers {
		s.n += n
	}
}
func (s *longSum) Value() Value { return Value{Kind: s.kind, N: s.n} }
func (s *longSum) Size() int    { return 16 }

// A realSum has the sum of numbers and, for avg, how many they are.
type realSum struct {
	sum  float64
	n    int64
	mean bool
}

func (s *realSum) Add(args []Value) {
	if !args[0].Null {
		s.sum += args[0].Real()
		s.n++
	}
}

func (s *realSum) addNumbers(numbers []int64) {
	for _, n := range numbers {
		s.sum += math.Float64frombits(uint64(n))
	}
	s.n += int64(len(numbers))
}

// Value of a mean of nothing is NaN.
func (s *realSum) Value() Value {
	if s.mean {
		return RealOf(s.sum / float64(s.n))
	}
	return RealOf(s.sum)
}
func (s *realSum) Size() int { return 24 }

func avgAgg(name string, predicate bool) Agg {
	example := `range x from 1 to 4 step 1 | summarize avg(x) == 2.5`
	if predicate {
		example = `range x from 1 to 4 step 1 | summarize avgif(x, x > 2) == 3.5`
	}
	return withPredicate(Agg{
		Name: name, Doc: "The mean; of no numbers NaN, of no decimals or times null.", Example: example,
		Params: []kinds{of(Int, Long, Real, Decimal, Datetime, Timespan)}, Result: avgKind, New: newAvg, Partial: numbersByGroup, Prefix: name + "_",
	}, predicate)
}

func avgKind(args []Arg) (Kind, error) {
	if args[0].Kind.isNumber() {
		return Real, nil
	}
	return args[0].Kind, nil
}

func newAvg(args []Arg) Accumulator {
	switch kind := args[0].Kind; kind {
	case Int, Long:
		return &longMean{}
	case Real:
		return &realSum{mean: true}
	case Decimal:
		return &decimalSum{sum: decimalOf(LongOf(0)), mean: true}
	default:
		return &timeMean{kind: kind}
	}
}

// A longMean sums longs as sum does: a sum that is too great wraps around.
type longMean struct{ sum, n int64 }

func (m *longMean) Add(args []Value) {
	if !args[0].Null {
		m.sum += args[0].N
		m.n++
	}
}
func (m *longMean) addNumbers(numbers []int64) {
	for _, n := range numbers {
		m.sum += n
	}
	m.n += int64(len(numbers))
}
func (m *longMean) Value() Value { return RealOf(float64(m.sum) / float64(m.n)) }
func (m *longMean) Size() int    { return 16 }

// A timeMean sums seconds and the ticks beyond them apart, so that no sum overflows.
type timeMean struct {
	kind           Kind
	seconds, ticks int64
	n              int64
}

func (m *timeMean) Add(args []Value) {
	if v := args[0]; !v.Null {
		m.seconds += v.N / ticksSecond
		m.ticks += v.N % ticksSecond
		m.n++
	}
}

func (m *timeMean) addNumbers(numbers []int64) {
	for _, n := range numbers {
		m.seconds += n / ticksSecond
		m.ticks += n % ticksSecond
	}
	m.n += int64(len(numbers))
}

func (m *timeMean) Value() Value {
	if m.n == 0 {
		return NullOf(m.kind)
	}
	return Value{Kind: m.kind, N: m.seconds/m.n*ticksSecond + (m.seconds%m.n*ticksSecond+m.ticks)/m.n}
}
func (m *timeMean) Size() int { return 32 }

func extremeAgg(name, which, example string, predicate bool, sign int) Agg {
	return withPredicate(Agg{
		Name: name, Doc: "The " + which + " value; NaN if one is NaN.", Example: example,
		Params: []kinds{anyKind &^ of(Dynamic, Guid)}, Result: likeArg(0), Prefix: name + "_",
		New:     func(args []Arg) Accumulator { return &extremeValue{best: NullOf(args[0].Kind), sign: sign} },
		Partial: extremesByGroup(sign),
	}, predicate)
}

// An extremeValue keeps the greatest value, with sign -1 the least.
type extremeValue struct {
	best Value
	any  bool
	sign int
}

func (e *extremeValue) Add(args []Value) {
	v := args[0]
	switch {
	case v.Null:
	case !e.any:
		e.best, e.any = v, true
	case e.best.Kind != Real:
		if compare(v, e.best)*e.sign > 0 {
			e.best = v
		}
	default:
		if f, best := v.Real(), e.best.Real(); math.IsNaN(f) || !math.IsNaN(best) && compare(v, e.best)*e.sign > 0 {
			e.best = v
		}
	}
}
func (e *extremeValue) Value() Value { return e.best }
func (e *extremeValue) Size() int    { return 64 + len(e.best.S) }

func bitsAgg(name, doc, example string, f func(a, b int64) int64) Agg {
	return Agg{
		Name: name, Usage: name + "(value)", Doc: doc, Example: example,
		Params: []kinds{longs}, Result: fixed(Long),
		New: func([]Arg) Accumulator { return &foldedBits{f: f} },
	}
}

// A foldedBits puts longs together by a function of two; of nothing it is null.
type foldedBits struct {
	f   func(a, b int64) int64
	n   int64
	any bool
}

func (f *foldedBits) Add(args []Value) {
	switch v := args[0]; {
	case v.Null:
	case f.any:
		f.n = f.f(f.n, v.N)
	default:
		f.n, f.any = v.N, true
	}
}

func (f *foldedBits) Value() Value { return Value{Kind: Long, Null: !f.any, N: f.n} }
func (f *foldedBits) Size() int    { return 32 }
