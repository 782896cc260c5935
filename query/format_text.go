package query

import (
	"math"
	"strconv"
	"strings"
)

// appendText appends a value that is not null as text: numbers with all their digits, a
// dynamic as JSON.
func appendText(dst []byte, v Value) []byte {
	switch v.Kind {
	case Bool:
		return strconv.AppendBool(dst, v.N != 0)
	case Int, Long:
		return strconv.AppendInt(dst, v.N, 10)
	case Real:
		return appendShortest(dst, v.Real())
	case Datetime:
		return append(dst, formatDatetime(v)...)
	case Timespan:
		return append(dst, formatTimespan(v.N)...)
	}
	return append(dst, v.S...)
}

// appendShortest appends the shortest digits that give f again, as JSON writes them.
func appendShortest(dst []byte, f float64) []byte {
	switch abs := math.Abs(f); {
	case math.IsNaN(f):
		return append(dst, "NaN"...)
	case f > math.MaxFloat64:
		return append(dst, "Infinity"...)
	case f < -math.MaxFloat64:
		return append(dst, "-Infinity"...)
	case abs != 0 && abs < 1e-6 || abs >= 1e21:
		dst = strconv.AppendFloat(dst, f, 'e', -1, 64)
		if n := len(dst); dst[n-2] == '0' && dst[n-3] == '-' { // e-07 is e-7
			dst = append(dst[:n-2], dst[n-1])
		}
		return dst
	}
	return strconv.AppendFloat(dst, f, 'f', -1, 64)
}

// nullSign stands for a null where people read. It cannot be taken for a text: strings are
// never null, and those in a dynamic have quotes.
const nullSign = "∅"

// removedSign stands for a value that was removed by policy where people read.
const removedSign = "⟨removed⟩"

// appendShown appends a value that is not null for people: nothing in it can act on a
// terminal.
func appendShown(dst []byte, v Value, newline string) []byte {
	switch {
	case v.Kind == Datetime:
		return append(dst, shortDatetime(formatDatetime(v))...)
	case v.Kind == String || v.Kind == Dynamic || v.Kind == Guid:
		return appendVisible(dst, v.S, newline, " ")
	}
	return appendText(dst, v)
}

// shortDatetime drops zeros at the end of the fraction.
func shortDatetime(text string) string {
	whole, isUTC := strings.CutSuffix(text, "Z")
	if !isUTC || !strings.Contains(whole, ".") {
		return text
	}
	return strings.TrimSuffix(strings.TrimRight(whole, "0"), ".") + "Z"
}

// newlineSign stands for a newline in text that has to stay on a line.
const newlineSign = "⏎"
