package query

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
)

// aggregate gives rows to an aggregation. Its first row tells the kinds of the arguments.
func aggregate(name string, rows ...[]Value) (Value, error) {
	for _, a := range coreAggs {
		if a.Name != name {
			continue
		}
		args := make([]Arg, len(rows[0]))
		for i := range args {
			args[i] = Arg{Kind: rows[0][i].Kind, Const: &rows[0][i]}
		}
		if err := checkArgs(a.Name, a.Usage, a.Params, a.Min, a.Variadic, args); err != nil {
			return Value{}, err
		}
		kind, err := a.Result(args)
		if err != nil {
			return Value{}, err
		}
		acc := a.New(args)
		for _, row := range rows[1:] {
			acc.Add(row)
		}
		v := acc.Value()
		if v.Kind != kind || acc.Size() == 0 {
			err = fmt.Errorf("%s gave %s instead of %s, size %d", name, v.Kind, kind, acc.Size())
		}
		return v, err
	}
	return Value{}, fmt.Errorf("no aggregation %s", name)
}

func column(values ...Value) [][]Value {
	rows := [][]Value{{values[0]}}
	for _, v := range values[1:] {
		rows = append(rows, []Value{v})
	}
	return rows
}

func longColumn(list ...int64) [][]Value {
	values := []Value{LongOf(0)}
	for _, n := range list {
		values = append(values, LongOf(n))
	}
	return column(values...)
}

// realColumn has the kind of a real first, then the reals.
func realColumn(list ...float64) [][]Value {
	values := []Value{RealOf(0)}
	for _, f := range list {
		values = append(values, RealOf(f))
	}
	return column(values...)
}

func TestCoreAggs(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	odd, ten := realColumn(inf, -inf, 1.5), longColumn(1, 2, 3, 4, 5, 6, 7, 8, 9, 10)
	nulls := column(IntOf(0), NullOf(Int), NullOf(Int))
	for _, tt := range []struct {
		name string
		rows [][]Value
		want Value
	}{
		{"sum", nulls, LongOf(0)},
		{"avg", nulls, RealOf(nan)},
		{"min", nulls, NullOf(Int)},
		{"max", nulls, NullOf(Int)},
		{"count", nulls, LongOf(2)},
		{"dcount", nulls, LongOf(0)},
		{"stdev", nulls, RealOf(0)},
		{"percentile", [][]Value{{IntOf(0), LongOf(50)}, {NullOf(Int), LongOf(50)}}, NullOf(Long)},
		{"binary_all_and", nulls, NullOf(Long)},
		{"sum", longColumn(math.MaxInt64, 1), LongOf(math.MinInt64)},
		{"sum", column(TimespanOf(0), TimespanOf(3), NullOf(Timespan), TimespanOf(4)), TimespanOf(7)},
		{"sum", odd, RealOf(nan)},
		{"max", odd, RealOf(inf)},
		{"min", odd, RealOf(-inf)},
		{"avg", odd, RealOf(nan)},
		{"stdev", odd, RealOf(nan)},
		{"variance", odd, RealOf(nan)},
		{"max", realColumn(1, nan, 3), RealOf(nan)},
		{"min", realColumn(nan, 3), RealOf(nan)},
		{"avg", realColumn(-5.5, 0, 0.1, 3.25), RealOf(-0.5375000000000001)},
		{"avg", realColumn(1e300, 1e300, -1e300), RealOf(3.3333333333333335e299)},
		{"avg", longColumn(math.MaxInt64-1, 1, math.MaxInt64), RealOf(-2.0 / 3)},
		{"avg", column(TimespanOf(0), TimespanOf(10), TimespanOf(21)), TimespanOf(15)},
		{"avg", column(DatetimeOf(0, 0), DatetimeOf(maxTicks, 0), DatetimeOf(maxTicks-2, 0)), DatetimeOf(maxTicks-1, 0)},
		{"avg", column(DatetimeOf(0, 0), NullOf(Datetime)), NullOf(Datetime)},
		{"min", column(StringOf(""), StringOf("b"), StringOf("Z")), StringOf("Z")},
		{"max", column(DatetimeOf(0, 0), DatetimeOf(5, 1), DatetimeOf(5, 2)), DatetimeOf(5, 2)},
		{"max", column(BoolOf(true), BoolOf(false), BoolOf(true)), BoolOf(true)},
		{"binary_all_and", longColumn(0xFFFFFFFF, 0xFFFFF00F, 0xCFFFFFFD, 0xFAFEFFFF), LongOf(0xCAFEF00D)},
		{"binary_all_xor", longColumn(1, 1), LongOf(0)},
		{"dcount", column(StringOf(""), StringOf(""), StringOf("a"), StringOf("a")), LongOf(2)},
		{"stdev", ten, RealOf(3.027650354102996)},
		{"variance", ten, RealOf(9.1666666667)},
		{"stdevp", ten, RealOf(2.8722813232690143)},
		{"variancep", ten, RealOf(8.25)},
		{"stdev", longColumn(7), RealOf(0)},
		{"variancep", longColumn(7), RealOf(0)},
		{"stdev", realColumn(1.5, 3.5), RealOf(1.4142135623730951)},
		{"variancep", realColumn(1, 2, 3, 4, 5, 6), RealOf(2.9166666667)},
	} {
		got, err := aggregate(tt.name, tt.rows...)
		if err != nil || got.key() != tt.want.key() {
			t.Errorf("%s(%+v) = %s, %v, want %s", tt.name, tt.rows, toString(got), err, toString(tt.want))
		}
	}
}

func TestAggsWithPredicate(t *testing.T) {
	rows := [][]Value{{LongOf(0), BoolOf(false)}}
	for i, b := range []Value{BoolOf(true), BoolOf(false), NullOf(Bool), BoolOf(true)} {
		rows = append(rows, []Value{LongOf(int64(i)), b}) // 0 and 3 count
	}
	for name, want := range map[string]Value{
		"sumif": LongOf(3), "avgif": RealOf(1.5), "minif": LongOf(0), "maxif": LongOf(3), "dcountif": LongOf(2),
		"count_distinctif": LongOf(2), "varianceif": RealOf(4.5), "variancepif": RealOf(2.25), "stdevif": RealOf(2.1213203435596424),
	} {
		if got, err := aggregate(name, rows...); err != nil || got != want {
			t.Errorf("%s = %s, %v, want %s", name, toString(got), err, toString(want))
		}
	}
	got, err := aggregate("countif", column(BoolOf(false), BoolOf(true), NullOf(Bool), BoolOf(false))...)
	if err != nil || got != LongOf(1) {
		t.Errorf("countif = %s, %v", toString(got), err)
	}
}

// TestAggTable looks for rows that are out of order or say nothing.
func TestAggTable(t *testing.T) {
	if !slices.IsSortedFunc(coreAggs, func(a, b Agg) int { return strings.Compare(a.Name, b.Name) }) {
		t.Error("the table is out of order")
	}
	for _, a := range coreAggs {
		if a.Usage == "" || a.Doc == "" || a.Example == "" || a.Result == nil || a.New == nil {
			t.Errorf("%s is not complete", a.Name)
		}
	}
}
