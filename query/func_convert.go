package query

import (
	"fmt"
	"math"
	"strings"
)

// convertFuncs are the functions that make a value of another kind. Where a value does not
// fit the result is null.
var convertFuncs = []Func{
	{
		Name: "parse_version", Usage: "parse_version(text)", Doc: "A version of one to four numbers of at most eight digits, with points between them, as a decimal that compares as it does.",
		Example: `parse_version("1.10") > parse_version("1.9.5")`,
		Params:  []kinds{strs}, Result: fixed(Decimal), Eval: parseVersion,
	},
	converter("tobool", Bool, toBools, `tobool("true") == true`),
	converter("toboolean", Bool, toBools, `toboolean(2) == true`),
	converter("todatetime", Datetime, toDatetimes, `todatetime("2015-12-31") == datetime(2015-12-31)`),
	converter("todecimal", Decimal, toNumbers, `todecimal("0.1") + todecimal("0.2") == decimal(0.3)`),
	converter("todouble", Real, toNumbers, `todouble("1e3") == 1000.0`),
	converter("toguid", Guid, of(String, Dynamic, Guid),
		`toguid("0123456789abcdef0123456789abcdef") == guid(01234567-89ab-cdef-0123-456789abcdef)`),
	converter("toint", Int, toNumbers, `toint(" 0x1F ") == 31`),
	converter("tolong", Long, toNumbers, `tolong(-2.5) == -2`),
	converter("toreal", Real, toNumbers, `toreal(true) == 1.0`),
	converter("tostring", String, anyKind, `tostring(100000000000.0) == "100000000000.0"`),
	converter("totimespan", Timespan, toTimespans, `totimespan("1.02:03:04") == 1d + 2h + 3m + 4s`),
}

var (
	toBools     = of(Bool, Int, Long, Real, Decimal, String, Dynamic)
	toDatetimes = of(Int, Long, Real, String, Datetime, Dynamic)
	toNumbers   = anyKind &^ of(Guid)
	toTimespans = of(Int, Long, String, Timespan, Dynamic)
)

func converter(name string, to Kind, from kinds, example string) Func {
	f := Func{
		Name: name, Usage: name + "(value)", Doc: "The value as " + to.String() + ", null where it does not fit.",
		Example: example, Params: []kinds{from}, Result: fixed(to), KeepsName: true,
		Eval: func(args []Value) Value { return convert(args[0], to) },
	}
	if to == String {
		f.Doc = "The value as string; a null is the empty string."
	}
	if to == Int || to == Long {
		f.Bind = func(args []Arg) (func([]Value) Value, error) { return bindWhole(args[0], to, f.Eval) }
	}
	return f
}

// bindWhole makes a constant real that is out of range the least number, as Kusto does
// when it computes a constant; that of a column stops at the end of the range.
func bindWhole(arg Arg, to Kind, eval func([]Value) Value) (func([]Value) Value, error) {
	if arg.Kind != Real || arg.Const == nil || arg.Const.Null {
		return eval, nil
	}
	least := int64(math.MinInt64)
	if to == Int {
		least = math.MinInt32
	}
	if f := math.Trunc(arg.Const.Real()); f < float64(least) || f >= -float64(least) {
		return func([]Value) Value { return Value{Kind: to, N: least} }, nil
	}
	return eval, nil
}

func parseVersion(a []Value) Value {
	parts := strings.Split(a[0].S, ".")
	if len(parts) > 4 {
		return NullOf(Decimal)
	}
	digits := ""
	for i := range 4 {
		part := "0"
		if i < len(parts) {
			part = parts[i]
		}
		if part == "" || len(part) > 8 || strings.Trim(part, "0123456789") != "" {
			return NullOf(Decimal)
		}
		digits += fmt.Sprintf("%08s", part)
	}
	v, _ := parseDecimal(digits)
	return v
}
