package query

import (
	"math"
	"strconv"
	"strings"
	"unicode/utf8"
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

// ANSI sequences. Colour never tells anything alone.
const (
	ansiDim  = "\x1b[2m"
	ansiBold = "\x1b[1m"
	ansiOff  = "\x1b[0m"
)

// appendShown appends a value for people: nothing in it can act on a terminal.
func appendShown(dst []byte, v Value, newline string) []byte {
	switch {
	case v.Null:
		return append(dst, nullSign...)
	case v.Kind == Datetime:
		return append(dst, shortDatetime(formatDatetime(v))...)
	case v.Kind == String || v.Kind == Dynamic || v.Kind == Guid:
		return appendVisible(dst, v.S, newline)
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

// acts tells the characters that could act on a terminal: control characters, line
// separators and those that change the direction of writing.
func acts(r rune) bool {
	return r < 0x20 || r >= 0x7f && r <= 0x9f || r == 0x061c || r == 0x200e || r == 0x200f ||
		r >= 0x2028 && r <= 0x202e || r >= 0x2066 && r <= 0x2069
}

// newlineSign stands for a newline in text that has to stay on a line.
const newlineSign = "⏎"

const lowerHex = "0123456789abcdef"

// appendVisible appends text on one line, with newline for each newline and a space for a
// tab. Every other character that acts, and what is not UTF-8, is escaped as \xNN or \uNNNN.
func appendVisible(dst []byte, text, newline string) []byte {
	start := 0
	for i := 0; i < len(text); {
		r, n := rune(text[i]), 1
		if r >= utf8.RuneSelf {
			r, n = utf8.DecodeRuneInString(text[i:])
		}
		broken := r == utf8.RuneError && n == 1
		if !broken && !acts(r) {
			i += n
			continue
		}
		dst = append(dst, text[start:i]...)
		switch {
		case r == '\n':
			dst = append(dst, newline...)
		case r == '\t':
			dst = append(dst, ' ')
		case broken:
			dst = append(dst, '\\', 'x', lowerHex[text[i]>>4], lowerHex[text[i]&15])
		case r <= 0xff:
			dst = append(dst, '\\', 'x', lowerHex[r>>4], lowerHex[r&15])
		default:
			dst = append(dst, '\\', 'u', lowerHex[r>>12&15], lowerHex[r>>8&15], lowerHex[r>>4&15], lowerHex[r&15])
		}
		i += n
		start = i
	}
	return append(dst, text[start:]...)
}
