package query

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/bits"
	"strconv"
	"strings"

	"github.com/cespare/xxhash/v2"
)

// mathFuncs are the functions of numbers and bits, and those that choose one of their
// arguments. What C's mathematics has no answer for is NaN.
var mathFuncs = []Func{
	{
		Name: "abs", Usage: "abs(number)", Doc: "The number without its sign.", Example: `abs(-5) == 5`,
		Params: []kinds{of(Int, Long, Real, Timespan)}, Result: absKind, Eval: evalAbs, KeepsName: true,
	},
	keepName(realFunc("acos", "The angle in radians that has this cosine.", `acos(1) == 0.0`, math.Acos)),
	keepName(realFunc("asin", "The angle in radians that has this sine.", `asin(0) == 0.0`, math.Asin)),
	keepName(realFunc("atan", "The angle in radians that has this tangent.", `atan(0) == 0.0`, math.Atan)),
	keepName(realFunc2("atan2", "y, x", "The angle in radians between the x axis and the point x, y.", `atan2(0, 1) == 0.0`, math.Atan2)),
	bitFunc("binary_and", "a, b", "The bits that both have.", `binary_and(7, 12) == 4`, func(n []Value) Value { return LongOf(n[0].N & n[1].N) }),
	bitFunc("binary_not", "a", "All bits turned over.", `binary_not(100) == -101`, func(n []Value) Value { return LongOf(^n[0].N) }),
	bitFunc("binary_or", "a, b", "The bits that one of them has.", `binary_or(5, 3) == 7`, func(n []Value) Value { return LongOf(n[0].N | n[1].N) }),
	bitFunc("binary_shift_left", "a, count", "The bits of a, count modulo 64 places to the left.", `binary_shift_left(1, 2) == 4`, shiftLeft),
	bitFunc("binary_shift_right", "a, count", "The bits of a, count modulo 64 places to the right.", `binary_shift_right(8, 2) == 2`, shiftRight),
	bitFunc("binary_xor", "a, b", "The bits that only one of them has.", `binary_xor(5, 3) == 6`, func(n []Value) Value { return LongOf(n[0].N ^ n[1].N) }),
	bitFunc("bitset_count_ones", "a", "How many bits are set.", `bitset_count_ones(42) == 3`,
		func(n []Value) Value { return LongOf(int64(bits.OnesCount64(uint64(n[0].N)))) }),
	{
		Name: "case", Usage: "case(predicate, result [, predicate, result ...], default)",
		Doc:     "The result after the first predicate that is true, or the default.",
		Example: `case(false, "a", 1 < 2, "b", "c") == "b"`,
		Params:  []kinds{anyKind}, Min: 3, Variadic: true, Result: caseResult("case"), Bind: bindCase("case"), Nulls: true,
	},
	keepName(realFunc("ceiling", "The least whole number that is not less.", `ceiling(-1.1) == -1.0`, math.Ceil)),
	{
		Name: "coalesce", Usage: "coalesce(a, b [, ...])", Doc: "The first that is neither null nor an empty string.",
		Example: `coalesce(long(null), 5, 7) == 5`,
		Params:  []kinds{anyKind}, Min: 2, Variadic: true, Result: commonResult("coalesce"), Bind: bindCoalesce, Nulls: true,
	},
	keepName(realFunc("cos", "The cosine of an angle in radians.", `cos(0) == 1.0`, math.Cos)),
	realFunc("cot", "The cotangent of an angle in radians.", `round(cot(1), 3) == 0.642`, func(f float64) float64 { return 1 / math.Tan(f) }),
	realFunc("degrees", "An angle in radians as degrees.", `degrees(pi()) == 180.0`, func(f float64) float64 { return f * 180 / math.Pi }),
	keepName(realFunc("exp", "e to a power.", `exp(0) == 1.0`, math.Exp)),
	keepName(realFunc("exp10", "10 to a power.", `exp10(2) == 100.0`, func(f float64) float64 { return math.Pow(10, f) })),
	keepName(realFunc("exp2", "2 to a power.", `exp2(3) == 8.0`, math.Exp2)),
	keepName(realFunc("gamma", "The gamma function.", `gamma(5) == 24.0`, math.Gamma)),
	hashFunc("hash"),
	hashFunc("hash_xxhash64"),
	iffFunc("iff"),
	iffFunc("iif"),
	testFunc("isfinite", "Whether the number is neither infinite nor NaN.", `isfinite(1.0) == true`,
		func(f float64) bool { return !math.IsInf(f, 0) && !math.IsNaN(f) }),
	testFunc("isinf", "Whether the number is infinite.", `isinf(-1.0 / 0.0) == true`, func(f float64) bool { return math.IsInf(f, 0) }),
	testFunc("isnan", "Whether the number is NaN.", `isnan(0.0 / 0.0) == true`, math.IsNaN),
	{
		Name: "log", Usage: "log(number)", Doc: "The natural logarithm; null if the number is negative.", Example: `log(1) == 0.0`,
		Params: []kinds{of(Real)}, Result: fixed(Real), Eval: evalLog, KeepsName: true,
	},
	keepName(realFunc("log10", "The logarithm to base 10.", `log10(1000) == 3.0`, log10Of)),
	keepName(realFunc("log2", "The logarithm to base 2.", `log2(8) == 3.0`, math.Log2)),
	keepName(realFunc("loggamma", "The logarithm of the gamma function.", `loggamma(1) == 0.0`, logGamma)),
	extremeFunc("max_of", "The greatest; nulls do not count.", `max_of(10, 1, -3, 17) == 17`, 1),
	extremeFunc("min_of", "The least; nulls do not count.", `min_of(10, 1, -3, 17) == -3`, -1),
	{
		Name: "not", Usage: "not(predicate)", Doc: "Whether the predicate is false.", Example: `not(1 > 2) == true`,
		Params: []kinds{of(Bool)}, Result: fixed(Bool), Eval: func(args []Value) Value { return BoolOf(args[0].N == 0) },
	},
	{
		Name: "pi", Usage: "pi()", Doc: "The number pi.", Example: `round(pi(), 4) == 3.1416`,
		Result: fixed(Real), Eval: func([]Value) Value { return RealOf(math.Pi) },
	},
	keepName(realFunc2("pow", "base, exponent", "A number to a power.", `pow(2, 10) == 1024.0`, math.Pow)),
	realFunc("radians", "An angle in degrees as radians.", `radians(180) == pi()`, func(f float64) float64 { return f / 180 * math.Pi }),
	{
		Name: "round", Usage: "round(number [, digits])",
		Doc:     "The number with so many digits after the point, half away from zero; digits below 0 round to tens.",
		Example: `round(2.98765, 3) == 2.988`,
		Params:  []kinds{of(Real), longs}, Min: 1, Result: roundKind, Eval: roundDigits, KeepsName: true,
	},
	realFunc("sign", "-1, 0 or 1: the sign of the number.", `sign(-42) == -1.0`, signOf),
	keepName(realFunc("sin", "The sine of an angle in radians.", `sin(0) == 0.0`, math.Sin)),
	keepName(realFunc("sqrt", "The square root.", `sqrt(9) == 3.0`, math.Sqrt)),
	keepName(realFunc("tan", "The tangent of an angle in radians.", `tan(0) == 0.0`, math.Tan)),
	{
		Name: "tohex", Usage: "tohex(number [, length])",
		Doc:     "The number in hexadecimal digits, with zeros in front up to a length of 1 to 16.",
		Example: `tohex(256, 8) == "00000100"`,
		Params:  []kinds{longs, longs}, Min: 1, Result: fixed(String), Eval: toHex, KeepsName: true,
	},
}

// keepName marks a function whose result has the name of its argument.
func keepName(f Func) Func {
	f.KeepsName = true
	return f
}

func realFunc(name, doc, example string, f func(float64) float64) Func {
	return Func{
		Name: name, Usage: name + "(number)", Doc: doc, Example: example,
		Params: []kinds{of(Real)}, Result: fixed(Real),
		Eval: func(args []Value) Value { return RealOf(f(args[0].Real())) },
	}
}

func realFunc2(name, usage, doc, example string, f func(x, y float64) float64) Func {
	return Func{
		Name: name, Usage: name + "(" + usage + ")", Doc: doc, Example: example,
		Params: []kinds{of(Real), of(Real)}, Result: fixed(Real),
		Eval: func(args []Value) Value { return RealOf(f(args[0].Real(), args[1].Real())) },
	}
}

func testFunc(name, doc, example string, f func(float64) bool) Func {
	return Func{
		Name: name, Usage: name + "(number)", Doc: doc, Example: example,
		Params: []kinds{of(Real)}, Result: fixed(Bool),
		Eval: func(args []Value) Value { return BoolOf(f(args[0].Real())) },
	}
}

// bitFunc is a function of as many longs as its usage names.
func bitFunc(name, usage, doc, example string, eval func([]Value) Value) Func {
	params := []kinds{longs}
	if strings.Contains(usage, ",") {
		params = []kinds{longs, longs}
	}
	return keepName(Func{
		Name: name, Usage: name + "(" + usage + ")", Doc: doc, Example: example,
		Params: params, Result: fixed(Long), Eval: eval,
	})
}

func iffFunc(name string) Func {
	return Func{
		Name: name, Usage: name + "(predicate, then, else)",
		Doc:     "The second argument if the predicate is true, the third if it is false or null.",
		Example: name + `(2 > 1, "yes", "no") == "yes"`,
		Params:  []kinds{of(Bool), anyKind, anyKind}, Result: caseResult(name), Bind: bindCase(name), Nulls: true,
	}
}

func extremeFunc(name, doc, example string, direction int) Func {
	return Func{
		Name: name, Usage: name + "(a, b [, ...])", Doc: doc, Example: example,
		Params: []kinds{of(Int, Long, Real, Datetime, Timespan)}, Min: 2, Variadic: true,
		Result: commonResult(name), Bind: bindExtreme(name, direction), Nulls: true,
	}
}

func commonResult(name string) func([]Arg) (Kind, error) {
	return func(args []Arg) (Kind, error) { return commonKind(name, args) }
}

func absKind(args []Arg) (Kind, error) {
	if args[0].Kind == Int {
		return Long, nil
	}
	return args[0].Kind, nil
}

func evalAbs(args []Value) Value {
	v := args[0]
	switch {
	case v.Kind == Real:
		return RealOf(math.Abs(v.Real()))
	case v.Kind == Int:
		v.Kind = Long
	}
	if v.N < 0 {
		v.N = -v.N
	}
	return v
}

func evalLog(args []Value) Value {
	f := args[0].Real()
	if f < 0 {
		return NullOf(Real)
	}
	return RealOf(math.Log(f))
}

// log10Of is exact for the powers of ten, of which math.Log10 misses some by a digit.
func log10Of(f float64) float64 {
	l := math.Log10(f)
	if whole := math.Round(l); math.Pow10(int(whole)) == f {
		return whole
	}
	return l
}

func logGamma(f float64) float64 {
	f, _ = math.Lgamma(f)
	return f
}

func signOf(f float64) float64 {
	switch {
	case f > 0:
		return 1
	case f < 0:
		return -1
	}
	return 0
}

// maxRound is how many digits a real can be rounded to.
const maxRound = 15

func roundKind(args []Arg) (Kind, error) {
	if len(args) > 1 {
		digits := args[1].Const
		if digits == nil {
			return 0, fmt.Errorf("round: a number of digits that is no constant is not supported here")
		}
		if !digits.Null && (digits.N > maxRound || digits.N < -maxRound) {
			return 0, fmt.Errorf("round: more than %d digits is not supported here", maxRound)
		}
	}
	return Real, nil
}

func roundDigits(args []Value) Value {
	f, digits := args[0].Real(), int64(0)
	if len(args) > 1 {
		digits = args[1].N
	}
	scale := math.Pow10(int(max(digits, -digits)))
	if digits < 0 {
		return RealOf(math.Round(f/scale) * scale)
	}
	if math.Abs(f) >= 1<<53 { // it has no fraction, and f*scale might be infinite
		return RealOf(f)
	}
	return RealOf(math.Round(f*scale) / scale)
}

// shiftLeft and shiftRight are null if the count is negative. The sign moves in from the
// left.
func shiftLeft(args []Value) Value {
	if args[1].N < 0 {
		return NullOf(Long)
	}
	return LongOf(args[0].N << (args[1].N % 64))
}

func shiftRight(args []Value) Value {
	if args[1].N < 0 {
		return NullOf(Long)
	}
	return LongOf(args[0].N >> (args[1].N % 64))
}

// toHex writes an int as 32 bits, a long as 64.
func toHex(args []Value) Value {
	n := uint64(args[0].N)
	if args[0].Kind == Int {
		n = uint64(uint32(n))
	}
	text := strconv.FormatUint(n, 16)
	if len(args) > 1 {
		if zeros := min(args[1].N, 16) - int64(len(text)); zeros > 0 {
			text = strings.Repeat("0", int(zeros)) + text
		}
	}
	return StringOf(text)
}

func hashFunc(name string) Func {
	return Func{
		Name: name, Usage: name + "(value [, modulus])", Doc: "A hash of the value, XXH64; with a modulus, from 0 to modulus - 1.",
		Example: name + `("World", 100) == 51`,
		Params:  []kinds{of(String, Datetime), longs}, Min: 1, Result: fixed(Long), Eval: evalHash,
	}
}

func evalHash(args []Value) Value {
	var n int64
	if args[0].Kind == String {
		n = int64(xxhash.Sum64String(args[0].S))
	} else {
		var b [8]byte
		binary.LittleEndian.PutUint64(b[:], uint64(args[0].N))
		n = int64(xxhash.Sum64(b[:]))
	}
	if len(args) == 1 {
		return LongOf(n)
	}
	m := args[1].N
	if m <= 0 {
		return NullOf(Long)
	}
	if n %= m; n < 0 {
		n += m
	}
	return LongOf(n)
}
