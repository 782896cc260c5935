package query

import (
	"fmt"
	"math"
	"testing"
)

// callWith calls a function of a table as a query does, with arguments that are constant
// or not.
func callWith(table []Func, constant bool, name string, values ...Value) (Value, error) {
	for _, f := range table {
		if f.Name != name {
			continue
		}
		args := make([]Arg, len(values))
		for i := range values {
			args[i].Kind = values[i].Kind
			if constant {
				args[i].Const = &values[i]
			}
		}
		if err := checkArgs(f.Name, f.Usage, f.Params, f.Min, f.Variadic, args); err != nil {
			return Value{}, err
		}
		kind, err := f.Result(args)
		if err != nil {
			return Value{}, err
		}
		eval := f.Eval
		if f.Bind != nil {
			if eval, err = f.Bind(args); err != nil {
				return Value{}, err
			}
		}
		for i, v := range values {
			if v.Null && !f.Nulls {
				return NullOf(kind), nil
			}
			if p := f.Params[min(i, len(f.Params)-1)]; !p.has(v.Kind) && p.has(Real) {
				values[i] = RealOf(v.Real())
			}
		}
		v := eval(values)
		if v.Kind != kind {
			err = fmt.Errorf("%s gave %s instead of %s", name, v.Kind, kind)
		}
		return v, err
	}
	return Value{}, fmt.Errorf("no function %s", name)
}

func TestConvertFuncs(t *testing.T) {
	for _, tt := range []struct {
		name     string
		constant bool
		v, want  Value
	}{
		{"tostring", false, NullOf(Real), StringOf("")},
		{"tostring", true, BoolOf(true), StringOf("True")},
		{"tolong", false, RealOf(1e19), LongOf(math.MaxInt64)},
		{"tolong", true, RealOf(1e19), LongOf(math.MinInt64)},
		{"tolong", true, RealOf(2147483648.9), LongOf(2147483648)},
		{"tolong", true, RealOf(math.Copysign(0, -1)), LongOf(0)},
		{"toint", true, RealOf(2147483647), IntOf(2147483647)},
		{"toint", true, StringOf("123"), IntOf(123)},
		{"tobool", false, StringOf("-1"), BoolOf(true)},
		{"toboolean", false, RealOf(0.5), BoolOf(true)},
		{"todouble", false, NullOf(Long), NullOf(Real)},
		{"toreal", false, StringOf("2.5"), RealOf(2.5)},
		{"toguid", false, StringOf("x"), NullOf(Guid)},
	} {
		got, err := callWith(convertFuncs, tt.constant, tt.name, tt.v)
		if err != nil || got != tt.want {
			t.Errorf("%s(%+v) = %+v, %v, want %+v", tt.name, tt.v, got, err, tt.want)
		}
	}
	if _, err := callWith(convertFuncs, false, "totimespan", RealOf(1.5)); err == nil {
		t.Error("totimespan takes a real")
	}
}
