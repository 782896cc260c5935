package query

import (
	"errors"
	"math"
	"regexp"
	"slices"
	"unicode/utf8"
)

// formatFuncs write numbers and texts for people and for regular expressions, and find
// places by these.
var formatFuncs = []Func{
	{
		Name: "around", Usage: "around(value, center, delta)", Doc: "Whether a value is at most delta away from the center.",
		Example: `around(datetime(2021-01-01 01:31), datetime(2021-01-01 01:30), 1min) == true`,
		Params:  []kinds{aroundKinds, aroundKinds, aroundKinds}, Result: aroundKind,
		Eval: func(a []Value) Value {
			if a[0].Kind == Datetime || a[0].Kind == Timespan {
				lo, hi := addTicks(a[1], -a[2].N), addTicks(a[1], a[2].N)
				if lo.Null || hi.Null {
					return NullOf(Bool)
				}
				return BoolOf(compare(lo, a[0]) <= 0 && compare(a[0], hi) <= 0)
			}
			return BoolOf(math.Abs(a[0].Real()-a[1].Real()) <= a[2].Real())
		},
	},
	{
		Name: "format_bytes", Usage: "format_bytes(size [, precision [, units]])", Doc: "A number of bytes in Bytes, KB, MB, GB, TB, PB or EB, each 1,024 of the one before.",
		Example: `format_bytes(20010332, 2) == "19.08 MB"`,
		Params:  []kinds{of(Real), longs, strs}, Min: 1, Result: formatBytesKind, Eval: formatBytes,
	},
	{
		Name: "indexof_regex", Usage: "indexof_regex(text, regex [, start [, length [, occurrence]]])", Doc: "Where a match of a regular expression begins, from 0; -1 if there is none.",
		Example: `indexof_regex("abcabc", "b.") == 1`,
		Params:  []kinds{strs, strs, longs, longs, longs}, Min: 2, Result: fixed(Long), Bind: bindIndexofRegex,
	},
	{
		Name: "regex_quote", Usage: "regex_quote(text)", Doc: "A regular expression that matches the text.",
		Example: `regex_quote("a.b") == @"a\.b"`,
		Params:  []kinds{strs}, Result: fixed(String),
		Eval: func(a []Value) Value { return StringOf(regexp.QuoteMeta(a[0].S)) },
	},
}

var aroundKinds = of(Int, Long, Real, Datetime, Timespan)

func aroundKind(args []Arg) (Kind, error) {
	v, center, delta := args[0].Kind, args[1].Kind, args[2].Kind
	numbers := v.isNumber() && center.isNumber() && delta.isNumber()
	if !numbers && (v != center || v.isNumber() || delta != Timespan) {
		return 0, errors.New("around: expected three numbers, or two datetimes or timespans and a timespan")
	}
	return Bool, nil
}

var byteUnits = []string{"Bytes", "KB", "MB", "GB", "TB", "PB", "EB"}

func formatBytesKind(args []Arg) (Kind, error) {
	if len(args) > 2 && args[2].Const != nil && args[2].Const.S != "" && !slices.Contains(byteUnits, args[2].Const.S) {
		return 0, errors.New("format_bytes: the units are Bytes, KB, MB, GB, TB, PB or EB")
	}
	return String, nil
}

func formatBytes(a []Value) Value {
	size, digits, unit := a[0].Real(), int64(0), -1
	if math.IsNaN(size) || math.IsInf(size, 0) {
		return StringOf("")
	}
	if len(a) > 1 {
		digits = a[1].N
	}
	if len(a) > 2 && a[2].S != "" {
		if unit = slices.Index(byteUnits, a[2].S); unit < 0 {
			return StringOf("")
		}
	}
	for i := 0; i < unit || unit < 0; i++ {
		if unit < 0 && (math.Abs(size) < 1024 || i == len(byteUnits)-1) {
			unit = i
			break
		}
		size /= 1024
	}
	text := toString(roundDigits([]Value{RealOf(size), LongOf(digits)}))
	if n := len(text); n > 2 && text[n-2:] == ".0" {
		text = text[:n-2]
	}
	return StringOf(text + " " + byteUnits[unit])
}

// bindIndexofRegex compiles the regular expression once.
func bindIndexofRegex(args []Arg) (func([]Value) Value, error) {
	re, err := constRegex("indexof_regex", args, 1)
	if err != nil {
		return nil, err
	}
	return func(a []Value) Value {
		numbers := [3]int64{0, -1, 1} // start, length, occurrence
		for i, v := range a[2:] {
			numbers[i] = v.N
		}
		start, length, occurrence := numbers[0], numbers[1], numbers[2]
		if start < 0 || length < -1 || occurrence < 1 {
			return NullOf(Long)
		}
		if start > int64(utf8.RuneCountInString(a[0].S)) {
			return LongOf(-1)
		}
		text := a[0].S[runeStart(a[0].S, start):]
		if length >= 0 {
			text = text[:runeStart(text, length)]
		}
		matches := re.findAll(text)
		if int64(len(matches)) < occurrence {
			return LongOf(-1)
		}
		return LongOf(start + int64(utf8.RuneCountInString(text[:matches[occurrence-1][0]])))
	}, nil
}
