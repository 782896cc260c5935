package query

import (
	"fmt"
	"math"
)

// binFuncs round down. A bin that is not above zero gives null.
var binFuncs = []Func{
	{
		Name: "bin", Usage: "bin(value, size)",
		Doc:     "The value rounded down to a multiple of size. Datetimes are counted from 0001-01-01, a Monday.",
		Example: `bin(-7, 4) == -8`,
		Params:  binKinds, Result: binResult("bin"), Eval: binEval, KeepsName: true,
	},
	{
		Name: "bin_at", Usage: "bin_at(value, size, point)",
		Doc:     "The value rounded down to a multiple of size away from a point.",
		Example: `bin_at(6.5, 2.5, 7) == 4.5`,
		Params:  append(binKinds[:2:2], binKinds[0]), Result: binResult("bin_at"), Eval: binEval, KeepsName: true,
	},
	{
		Name: "floor", Usage: "floor(value, size)",
		Doc:     "The same as bin.",
		Example: `floor(4.7, 0.5) == 4.5`,
		Params:  binKinds, Result: binResult("floor"), Eval: binEval, KeepsName: true,
	},
}

var binKinds = []kinds{numbers | datetimes | timespans, numbers | timespans}

// binResult is the widest kind of numbers, or the kind of a time, whose size must be a
// timespan.
func binResult(name string) func([]Arg) (Kind, error) {
	return func(args []Arg) (Kind, error) {
		value, size, point := args[0].Kind, args[1].Kind, args[len(args)-1].Kind
		if value.isNumber() && size.isNumber() && (point.isNumber() || len(args) == 2) {
			return max(value, size, point), nil
		}
		if value.isNumber() || size != Timespan || len(args) == 3 && point != value {
			return 0, fmt.Errorf("%s: %s with a size of type %s is not supported here", name, value, size)
		}
		return value, nil
	}
}

// binEval computes bin(value, size) or bin_at(value, size, point). A datetime loses what
// is less than a tick.
func binEval(args []Value) Value {
	v, size := args[0], args[1]
	kind, point := v.Kind, Value{}
	if len(args) == 3 {
		point = args[2]
	}
	if v.Kind.isNumber() {
		if kind = max(v.Kind, size.Kind); len(args) == 3 {
			kind = max(kind, point.Kind)
		}
	}
	if kind == Real {
		s, p := size.Real(), 0.0
		if len(args) == 3 {
			p = point.Real()
		}
		if s <= 0 {
			return NullOf(Real)
		}
		return RealOf(math.Floor((v.Real()-p)/s)*s + p)
	}
	n, ok := binTicks(v.N, size.N, point.N)
	switch {
	case !ok:
		return NullOf(kind)
	case kind == Datetime:
		return DatetimeOf(n, 0)
	}
	return Value{Kind: kind, N: n}
}

// binTicks rounds n down to a multiple of size away from point, if there is that number.
func binTicks(n, size, point int64) (int64, bool) {
	if size <= 0 {
		return 0, false
	}
	away, ok := sumTicks(n, -point)
	if !ok || point == math.MinInt64 {
		return 0, false
	}
	past := away % size
	if past < 0 {
		past += size
	}
	return sumTicks(n, -past)
}
