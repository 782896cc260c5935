package query

import (
	"cmp"
	"math"
	"strconv"
	"strings"
)

// A Kind is the type of a column or a value.
type Kind uint8

// The kinds of Kusto that we have.
const (
	Bool Kind = iota
	Int
	Long
	Real
	String
	Datetime
	Timespan
	Dynamic
	Guid
	Decimal
	NumKinds = iota

	// unknown is the kind of what depends on something that is at fault. No value has it.
	unknown Kind = NumKinds
)

var kindNames = [NumKinds]string{"bool", "int", "long", "real", "string", "datetime", "timespan", "dynamic", "guid", "decimal"}

func (k Kind) String() string {
	if k == unknown {
		return "unknown type"
	}
	return kindNames[k]
}

// kindOf returns the kind of that name, with Kusto's other names for it.
func kindOf(name string) (Kind, bool) {
	switch name {
	case "boolean":
		return Bool, true
	case "double":
		return Real, true
	case "date":
		return Datetime, true
	case "time":
		return Timespan, true
	case "uuid", "uniqueid":
		return Guid, true
	}
	for k, n := range kindNames {
		if n == name {
			return Kind(k), true
		}
	}
	return 0, false
}

// isNumber tells int, long and real from the others.
func (k Kind) isNumber() bool { return k == Int || k == Long || k == Real }

// hasText tells the kinds whose values are texts.
func (k Kind) hasText() bool { return k == String || k == Dynamic || k == Guid }

// A Value is one value. Strings are never null.
type Value struct {
	Kind Kind
	Null bool
	Rest uint8  // of a datetime: nanoseconds beyond its ticks, 0 to 99; of a null or the empty text: removedRest, if a value was removed there
	N    int64  // bool 0 or 1; int, long; ticks of 100 ns since 0001-01-01 of a datetime, or of a timespan; the bits of a real
	S    string // string; guid in lower case; decimal: its digits; dynamic: JSON without white space
}

// NullOf returns the null of a kind; of strings, the empty one.
func NullOf(k Kind) Value { return Value{Kind: k, Null: k != String} }

// removedRest marks the null, or the empty text, in place of a value that was removed by policy.
const removedRest = 255

// removedOf returns what stands in place of a removed value: a null of the kind, of strings the
// empty one, which people are shown as removed.
func removedOf(k Kind) Value {
	v := NullOf(k)
	v.Rest = removedRest
	return v
}

// isRemoved tells what removedOf returned from other values.
func (v Value) isRemoved() bool { return v.Rest == removedRest && v.S == "" }

// BoolOf and the others make values.
func BoolOf(b bool) Value {
	if b {
		return Value{Kind: Bool, N: 1}
	}
	return Value{Kind: Bool}
}
func IntOf(n int32) Value      { return Value{Kind: Int, N: int64(n)} }
func LongOf(n int64) Value     { return Value{Kind: Long, N: n} }
func RealOf(f float64) Value   { return Value{Kind: Real, N: int64(math.Float64bits(f))} }
func StringOf(s string) Value  { return Value{Kind: String, S: s} }
func TimespanOf(n int64) Value { return Value{Kind: Timespan, N: n} }
func DynamicOf(s string) Value { return Value{Kind: Dynamic, S: s, Null: s == "null"} }
func GuidOf(s string) Value    { return Value{Kind: Guid, S: strings.ToLower(s)} }

// maxTicks is the last tick of the year 9999.
const maxTicks = 3155378975999999999

// DatetimeOf returns a datetime, null beyond the years 1 to 9999.
func DatetimeOf(ticks int64, rest uint8) Value {
	if ticks < 0 || ticks > maxTicks {
		return NullOf(Datetime)
	}
	return Value{Kind: Datetime, N: ticks, Rest: rest}
}

// Bool tells whether v is true; a null is not.
func (v Value) Bool() bool { return !v.Null && v.N != 0 }

// Real returns a number as a real.
func (v Value) Real() float64 {
	if v.Kind == Real {
		return math.Float64frombits(uint64(v.N))
	}
	if v.Kind == Decimal {
		f, _ := strconv.ParseFloat(v.S, 64)
		return f
	}
	return float64(v.N)
}

// compare orders two values of one kind, of which none is null, as < does; int, long and
// real compare with each other, int, long and decimal too. NaN is before all other numbers.
func compare(a, b Value) int {
	switch {
	case a.Kind == Real || b.Kind == Real:
		if a.Kind != Real || b.Kind != Real {
			return compareMixed(a, b)
		}
		return cmp.Compare(a.Real(), b.Real())
	case a.Kind == Decimal || b.Kind == Decimal:
		return compareDecimals(a, b)
	case a.Kind == String || a.Kind == Guid || a.Kind == Dynamic:
		return strings.Compare(a.S, b.S)
	case a.N != b.N:
		return cmp.Compare(a.N, b.N)
	}
	return cmp.Compare(a.Rest, b.Rest)
}

// compareMixed compares a long with a real, without losing digits.
func compareMixed(a, b Value) int {
	if a.Kind == Real {
		return -compareMixed(b, a)
	}
	f := b.Real()
	switch {
	case math.IsNaN(f):
		return 1
	case f >= math.MaxInt64:
		return -1
	case f < math.MinInt64:
		return 1
	}
	whole := math.Trunc(f)
	if c := cmp.Compare(a.N, int64(whole)); c != 0 {
		return c
	}
	return cmp.Compare(whole, f)
}

// A key identifies a value in a group, a set or a join: equal values have equal keys, and
// nulls are equal.
type key struct {
	kind Kind
	null bool
	rest uint8
	n    int64
	s    string
}

func (v Value) key() key {
	k := key{v.Kind, v.Null, v.Rest, v.N, v.S}
	switch {
	case v.Null && v.Kind == Int:
		return key{kind: Long, null: true}
	case v.Null:
		return key{kind: v.Kind, null: true}
	case v.Kind == String:
		k.rest = 0
	case v.Kind == Int:
		k.kind = Long
	case v.Kind == Real:
		f := v.Real()
		if f == math.Trunc(f) && math.Abs(f) < 1<<53 {
			return key{kind: Long, n: int64(f)}
		}
		if math.IsNaN(f) {
			k.n = int64(math.Float64bits(math.NaN()))
		}
	}
	return k
}
