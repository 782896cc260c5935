package query

import (
	"math"
	"slices"
	"strings"
	"testing"
)

func TestMathFuncs(t *testing.T) {
	real, long, str, null := RealOf, LongOf, StringOf, NullOf
	nan, inf := RealOf(math.NaN()), RealOf(math.Inf(1))
	for _, tt := range []struct {
		name string
		args []Value
		want Value
	}{
		{"abs", []Value{IntOf(math.MinInt32)}, long(2147483648)},
		{"abs", []Value{long(-5)}, long(5)},
		{"abs", []Value{RealOf(math.Inf(-1))}, inf},
		{"abs", []Value{TimespanOf(-7)}, TimespanOf(7)},
		{"sign", []Value{long(-42)}, real(-1)},
		{"sign", []Value{nan}, real(0)},
		{"sqrt", []Value{real(-1)}, nan},
		{"log", []Value{real(-1)}, null(Real)},
		{"log", []Value{real(0)}, real(math.Inf(-1))},
		{"log10", []Value{real(-1)}, nan},
		{"log10", []Value{real(1000)}, real(3)},
		{"log10", []Value{real(1e-5)}, real(-5)},
		{"log2", []Value{long(5)}, real(2.321928094887362)},
		{"pow", []Value{long(2), long(-1)}, real(0.5)},
		{"pow", []Value{long(-8), real(1.0 / 3)}, nan},
		{"exp2", []Value{long(3)}, real(8)},
		{"gamma", []Value{long(5)}, real(24)},
		{"loggamma", []Value{long(2)}, real(0)},
		{"degrees", []Value{real(math.Pi / 4)}, real(45)},
		{"radians", []Value{long(90)}, real(math.Pi / 2)},
		{"atan2", []Value{long(-1), long(0)}, real(-math.Pi / 2)},
		{"ceiling", []Value{long(0)}, real(0)},
		{"round", []Value{real(2.5)}, real(3)},
		{"round", []Value{real(-2.5)}, real(-3)},
		{"round", []Value{real(3.25), long(1)}, real(3.3)},
		{"round", []Value{real(100000.5), long(1)}, real(100000.5)},
		{"round", []Value{real(-50.55), long(-2)}, real(-100)},
		{"round", []Value{real(21.5), long(-1)}, real(20)},
		{"round", []Value{inf, long(3)}, inf},
		{"round", []Value{nan, long(3)}, nan},
		{"round", []Value{real(1e300), long(15)}, real(1e300)},
		{"isnan", []Value{null(Real)}, null(Bool)},
		{"isnan", []Value{nan}, BoolOf(true)},
		{"isinf", []Value{real(math.Inf(-1))}, BoolOf(true)},
		{"isfinite", []Value{nan}, BoolOf(false)},
		{"isfinite", []Value{long(1)}, BoolOf(true)},
		{"not", []Value{BoolOf(false)}, BoolOf(true)},
		{"not", []Value{null(Bool)}, null(Bool)},
		{"pi", nil, real(math.Pi)},
		{"binary_not", []Value{long(0)}, long(-1)},
		{"binary_shift_left", []Value{long(1), long(65)}, long(2)},
		{"binary_shift_right", []Value{long(-8), IntOf(1)}, long(-4)},
		{"binary_shift_left", []Value{long(1), long(-1)}, null(Long)},
		{"bitset_count_ones", []Value{long(-1)}, long(64)},
		{"tohex", []Value{long(-256)}, str("ffffffffffffff00")},
		{"tohex", []Value{IntOf(-256), long(8)}, str("ffffff00")},
		{"tohex", []Value{long(256), long(2)}, str("100")},
		{"tohex", []Value{long(1), long(99)}, str("0000000000000001")},
		{"hash", []Value{str("World")}, long(1846988464401551951)},
		{"hash_xxhash64", []Value{DatetimeOf(635556672000000000, 0)}, long(1380966698541616202)},
		{"hash", []Value{str("World"), long(0)}, null(Long)},
	} {
		got, err := callWith(mathFuncs, true, tt.name, tt.args...)
		if err != nil || got.key() != tt.want.key() {
			t.Errorf("%s(%+v) = %+v, %v, want %+v", tt.name, tt.args, got, err, tt.want)
		}
	}
}

func TestChoose(t *testing.T) {
	yes, no, unknown := BoolOf(true), BoolOf(false), NullOf(Bool)
	long, str := LongOf, StringOf
	for _, tt := range []struct {
		name string
		args []Value
		want Value
	}{
		{"iff", []Value{yes, long(1), RealOf(2.5)}, RealOf(1)},
		{"iif", []Value{unknown, str("a"), str("b")}, str("b")},
		{"iff", []Value{no, long(1), NullOf(Int)}, NullOf(Long)},
		{"iff", []Value{yes, DynamicOf(`"x"`), str("none")}, str("x")},
		{"iff", []Value{yes, DynamicOf(`[1]`), NullOf(Dynamic)}, DynamicOf(`[1]`)},
		{"case", []Value{unknown, str("a"), yes, str("b"), str("c")}, str("b")},
		{"case", []Value{no, IntOf(1), no, long(2), IntOf(3)}, long(3)},
		{"coalesce", []Value{NullOf(Int), NullOf(Int), long(5), long(7)}, long(5)},
		{"coalesce", []Value{str(""), str("a")}, str("a")},
		{"coalesce", []Value{str(""), str("")}, str("")},
		{"coalesce", []Value{NullOf(Real), NullOf(Real)}, NullOf(Real)},
		{"max_of", []Value{long(1), NullOf(Long), long(3)}, long(3)},
		{"max_of", []Value{IntOf(1), long(2), RealOf(3)}, RealOf(3)},
		{"max_of", []Value{NullOf(Real), RealOf(math.NaN())}, RealOf(math.NaN())},
		{"min_of", []Value{RealOf(math.NaN()), RealOf(1)}, RealOf(math.NaN())},
		{"min_of", []Value{NullOf(Int), IntOf(3)}, IntOf(3)},
		{"min_of", []Value{NullOf(Int), NullOf(Int)}, NullOf(Int)},
		{"min_of", []Value{long(4), long(3), RealOf(1)}, RealOf(1)},
	} {
		got, err := callWith(mathFuncs, false, tt.name, tt.args...)
		if err != nil || got.key() != tt.want.key() || got.Kind != tt.want.Kind {
			t.Errorf("%s(%+v) = %+v, %v, want %+v", tt.name, tt.args, got, err, tt.want)
		}
	}
}

func TestMathRefusals(t *testing.T) {
	for _, tt := range []struct {
		name  string
		args  []Value
		error string
	}{
		{"iff", []Value{LongOf(1), LongOf(1), LongOf(2)}, "expected bool"},
		{"iff", []Value{BoolOf(true), LongOf(1), StringOf("a")}, "expected one type"},
		{"case", []Value{BoolOf(true), LongOf(1), BoolOf(true), LongOf(2)}, "found 4 arguments"},
		{"coalesce", []Value{LongOf(1), StringOf("")}, "expected one type"},
		{"max_of", []Value{StringOf("a"), StringOf("b")}, "argument 1 is of type string"},
		{"round", []Value{RealOf(1), LongOf(2)}, "not supported here"},
		{"pi", []Value{LongOf(1)}, "expected pi()"},
	} {
		if _, err := callWith(mathFuncs, false, tt.name, tt.args...); err == nil || !strings.Contains(err.Error(), tt.error) {
			t.Errorf("%s(%+v): error %v, want %q", tt.name, tt.args, err, tt.error)
		}
	}
}

// TestFuncTables looks for rows that are out of order or say nothing.
func TestFuncTables(t *testing.T) {
	for _, table := range [][]Func{convertFuncs, mathFuncs, ipv4Funcs} {
		if !slices.IsSortedFunc(table, func(a, b Func) int { return strings.Compare(a.Name, b.Name) }) {
			t.Errorf("the table of %s is out of order", table[0].Name)
		}
		for _, f := range table {
			if f.Usage == "" || f.Doc == "" || f.Example == "" || f.Result == nil || f.Eval == nil && f.Bind == nil {
				t.Errorf("%s is not complete", f.Name)
			}
		}
	}
}
