package query

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

// dynamicMakeFuncs make arrays.
var dynamicMakeFuncs = []Func{
	{
		Name:     "pack_array",
		Usage:    "pack_array(value [, …])",
		Doc:      "An array of values of any types.",
		Example:  `tostring(pack_array(1, "a", true)) == '[1,"a",true]'`,
		Params:   []kinds{anyKind},
		Min:      1,
		Variadic: true,
		Result:   fixed(Dynamic),
		Nulls:    true,
		Eval:     arrayOf,
	},
	{
		Name:    "range",
		Usage:   "range(start, stop [, step])",
		Doc:     "An array of values from start to stop, 1,048,576 at most; the step is 1, or an hour, if not given.",
		Example: `tostring(range(1, 8, 3)) == "[1,4,7]"`,
		Params:  []kinds{rangeKinds, rangeKinds, rangeKinds},
		Min:     2,
		Result:  rangeKind,
		Eval:    rangeArray,
	},
	{
		Name:    "repeat",
		Usage:   "repeat(value, count)",
		Doc:     "An array that has a value count times.",
		Example: `tostring(repeat("a", 3)) == '["a","a","a"]'`,
		Params:  []kinds{of(Bool, Int, Long, Real, String, Datetime, Timespan), longs},
		Result:  fixed(Dynamic),
		Eval: func(args []Value) Value {
			if args[1].N < 0 {
				return nullDynamic
			}
			return arrayOfTexts(slices.Repeat([]string{jsonOf(args[0])}, int(min(args[1].N, maxArray))))
		},
	},
	{
		Name:     "zip",
		Usage:    "zip(array, array [, …])",
		Doc:      "An array of arrays: of the first elements, of the second ones, and so on.",
		Example:  `tostring(zip(dynamic([1,3]), dynamic([2,4]))) == "[[1,2],[3,4]]"`,
		Params:   []kinds{dynamics},
		Min:      2,
		Variadic: true,
		Result:   limitedArgs("zip", 64, Dynamic),
		Eval:     zipArrays,
	},
}

// maxArray is how many elements Kusto puts into an array that it makes.
const maxArray = 1 << 20

var rangeKinds = of(Int, Long, Real, Datetime, Timespan)

func rangeKind(args []Arg) (Kind, error) {
	start := args[0].Kind
	for i, a := range args[1:] {
		wanted := start
		if start == Datetime && i == 1 {
			wanted = Timespan
		}
		if a.Kind != wanted && !(a.Kind.isNumber() && wanted.isNumber()) {
			return 0, fmt.Errorf("range: argument %d is of type %s, expected %s", i+2, a.Kind, wanted)
		}
	}
	return Dynamic, nil
}

// rangeArray is null for a step of 0. A negative step goes down.
func rangeArray(args []Value) Value {
	start, stop := args[0], args[1]
	step := LongOf(1)
	if start.Kind == Datetime || start.Kind == Timespan {
		step = TimespanOf(ticksHour)
	}
	if len(args) > 2 {
		step = args[2]
	}
	if start.Kind == Real || stop.Kind == Real || step.Kind == Real {
		return rangeOfReals(start.Real(), stop.Real(), step.Real())
	}
	if step.N == 0 {
		return nullDynamic
	}
	var list Chunks[Value]
	for v := start; list.Len() < maxArray; {
		if step.N > 0 && v.N > stop.N || step.N < 0 && v.N < stop.N {
			break
		}
		list.Append(v)
		next := v.N + step.N
		if (next > v.N) != (step.N > 0) {
			break // beyond what a long holds
		}
		v.N = next
	}
	return arrayOf(list.Slice())
}

func rangeOfReals(start, stop, step float64) Value {
	if step == 0 || math.IsNaN(start+stop) || math.IsNaN(step) {
		return nullDynamic
	}
	var list Chunks[Value]
	for x := start; list.Len() < maxArray; x = start + step*float64(list.Len()) {
		if step > 0 && x > stop || step < 0 && x < stop {
			break
		}
		list.Append(RealOf(x))
	}
	return arrayOf(list.Slice())
}

func zipArrays(args []Value) Value {
	if !allArrays(args) {
		return nullDynamic
	}
	lists, size := make([][]string, len(args)), 0
	for i, v := range args {
		lists[i] = elementTexts(v)
		size = max(size, len(lists[i]))
	}
	rows := make([]string, size)
	row := make([]string, len(args))
	for i := range rows {
		for j, list := range lists {
			row[j] = "null"
			if i < len(list) {
				row[j] = list[i]
			}
		}
		rows[i] = "[" + strings.Join(row, ",") + "]"
	}
	return arrayOfTexts(rows)
}
