package query

import (
	"math"
	"strconv"
	"strings"
)

// toString returns a value as tostring does: a null is the empty string.
func toString(v Value) string {
	if v.Null {
		return ""
	}
	switch v.Kind {
	case Bool:
		if v.N != 0 {
			return "True"
		}
		return "False"
	case Int, Long:
		return strconv.FormatInt(v.N, 10)
	case Real:
		return formatReal(v.Real())
	case Datetime:
		return formatDatetime(v)
	case Timespan:
		return formatTimespan(v.N)
	case Dynamic:
		return dynamicText(v)
	}
	return v.S
}

// dynamicText returns a string of JSON as its bare text and all else as its JSON. A number
// with a fraction is written as a real is, unless a real cannot hold all its digits.
func dynamicText(v Value) string {
	if v.S == "" {
		return ""
	}
	switch c := v.S[0]; {
	case c == '"':
		return scalarOf(v).S
	case c == '-' || c >= '0' && c <= '9':
		if !strings.ContainsAny(v.S, ".eE") || len(v.S) > 17 {
			return v.S
		}
		if f, err := strconv.ParseFloat(v.S, 64); err == nil {
			return formatReal(f)
		}
	}
	return v.S
}

// formatReal returns the shortest text that is read back as f, always told from an
// integer: 1.0, 0.30000000000000007, 1e16, 1.5e-6, inf, NaN.
func formatReal(f float64) string {
	switch {
	case math.IsNaN(f):
		return "NaN"
	case math.IsInf(f, 1):
		return "inf"
	case math.IsInf(f, -1):
		return "-inf"
	}
	if a := math.Abs(f); a == 0 || a >= 1e-5 && a < 1e16 {
		text := strconv.FormatFloat(f, 'f', -1, 64)
		if !strings.Contains(text, ".") {
			text += ".0"
		}
		return text
	}
	digits, exponent, _ := strings.Cut(strconv.FormatFloat(f, 'e', -1, 64), "e")
	n, _ := strconv.Atoi(exponent)
	return digits + "e" + strconv.Itoa(n)
}

// convert returns v as a value of another kind, null where it does not fit.
func convert(v Value, to Kind) Value {
	switch {
	case v.Null:
		return NullOf(to)
	case v.Kind == to:
		return v
	case to == String:
		return StringOf(toString(v))
	case to == Dynamic:
		return toDynamic(v)
	case v.Kind == Dynamic:
		return fromDynamic(v, to)
	case to == Decimal:
		return toDecimal(v)
	case v.Kind == String:
		return fromString(v.S, to)
	case v.Kind == Decimal:
		return decimalTo(v, to)
	}
	switch to {
	case Bool:
		if v.Kind.isNumber() {
			return BoolOf(v.Real() != 0)
		}
	case Int, Long:
		return toWhole(v, to)
	case Real:
		if v.Kind != Guid {
			return RealOf(v.Real())
		}
	case Datetime:
		if v.Kind.isNumber() {
			ticks := toWhole(v, Long)
			if !ticks.Null {
				return DatetimeOf(ticks.N, 0)
			}
		}
	case Timespan:
		if v.Kind.isNumber() {
			ticks := toWhole(v, Long)
			return Value{Kind: Timespan, Null: ticks.Null, N: ticks.N}
		}
	}
	return NullOf(to)
}

// toWhole converts to int or long: a real loses its fraction and stops at the ends of the
// range, while a long that is too long for an int loses its upper half.
func toWhole(v Value, to Kind) Value {
	if v.Kind == Guid {
		return NullOf(to)
	}
	if v.Kind != Real {
		if to == Int {
			return IntOf(int32(v.N))
		}
		return LongOf(v.N)
	}
	f := v.Real()
	low, high := int64(math.MinInt64), int64(math.MaxInt64)
	if to == Int {
		low, high = math.MinInt32, math.MaxInt32
	}
	switch {
	case math.IsNaN(f):
		return NullOf(to)
	case f >= float64(high):
		return Value{Kind: to, N: high}
	case f <= float64(low):
		return Value{Kind: to, N: low}
	}
	return Value{Kind: to, N: int64(f)}
}

// toDynamic returns a string that is JSON as what it says, all else as one JSON value.
func toDynamic(v Value) Value {
	if v.Kind == String {
		if text, ok := parseJSON(v.S); ok {
			return DynamicOf(text)
		}
	}
	return DynamicOf(jsonOf(v))
}

// fromDynamic converts a scalar of JSON as its own kind would be.
func fromDynamic(v Value, to Kind) Value {
	if to == Decimal && isNumberText(v.S) {
		d, _ := parseDecimal(v.S)
		return d
	}
	inner := scalarOf(v)
	if inner.Kind == Dynamic { // null, an array or a bag
		return NullOf(to)
	}
	return convert(inner, to)
}

func fromString(text string, to Kind) Value {
	switch to {
	case Bool:
		return parseBool(text)
	case Int:
		if n, ok := parseWhole(text, 32); ok {
			return IntOf(int32(n))
		}
	case Long:
		if n, ok := parseWhole(text, 64); ok {
			return LongOf(n)
		}
	case Real:
		if f, ok := parseReal(text); ok {
			return RealOf(f)
		}
	case Datetime:
		if v, ok := parseDatetime(text); ok {
			return v
		}
	case Timespan:
		if n, ok := parseTimespan(text); ok {
			return TimespanOf(n)
		}
	case Guid:
		return parseGuid(text)
	}
	return NullOf(to)
}

// blanks is what may stand around a number.
const blanks = " \t\r\n\v\f"

// parseWhole reads a decimal number with or without a sign, or hexadecimal digits after
// 0x, which are the bits of the number: 0xFFFFFFFFFFFFFFFF is -1.
func parseWhole(text string, bits int) (int64, bool) {
	text = strings.Trim(text, blanks)
	if len(text) > 2 && text[0] == '0' && text[1]|0x20 == 'x' {
		n, err := strconv.ParseUint(text[2:], 16, bits)
		if bits == 32 {
			return int64(int32(uint32(n))), err == nil
		}
		return int64(n), err == nil
	}
	n, err := strconv.ParseInt(text, 10, bits)
	return n, err == nil
}

// parseReal reads a decimal number, with or without an exponent, nan or inf.
func parseReal(text string) (float64, bool) {
	text = strings.Trim(text, blanks)
	bare := text
	if bare != "" && (bare[0] == '+' || bare[0] == '-') {
		bare = bare[1:]
	}
	switch bare {
	case "nan", "NaN":
		return math.NaN(), true
	case "inf", "Inf", "Infinity":
		if text[0] == '-' {
			return math.Inf(-1), true
		}
		return math.Inf(1), true
	}
	for i := range len(text) {
		if c := text[i]; (c < '0' || c > '9') && c != '.' && c != '+' && c != '-' && c|0x20 != 'e' {
			return 0, false // as 0x1p3, which ParseFloat reads
		}
	}
	f, err := strconv.ParseFloat(text, 64)
	return f, err == nil || math.IsInf(f, 0)
}

// parseBool reads true or false in any case, without blanks, or a whole number.
func parseBool(text string) Value {
	switch {
	case strings.EqualFold(text, "true"):
		return BoolOf(true)
	case strings.EqualFold(text, "false"):
		return BoolOf(false)
	}
	n, ok := parseWhole(text, 64)
	return Value{Kind: Bool, Null: !ok, N: BoolOf(n != 0).N}
}

// parseGuid takes the first 32 hexadecimal digits and lets hyphens between them go; what
// follows does not count.
func parseGuid(text string) Value {
	var b [36]byte
	n := 0
	for i := 0; i < len(text) && n < len(b); i++ {
		c := text[i]
		if c == '-' && n > 0 {
			continue
		}
		if c >= 'A' && c <= 'F' {
			c |= 0x20
		}
		if (c < '0' || c > '9') && (c < 'a' || c > 'f') {
			return NullOf(Guid)
		}
		if n == 8 || n == 13 || n == 18 || n == 23 {
			b[n] = '-'
			n++
		}
		b[n] = c
		n++
	}
	if n < len(b) {
		return NullOf(Guid)
	}
	return Value{Kind: Guid, S: string(b[:])}
}
