package audit

import (
	"cmp"
	"strconv"
	"strings"
)

// A decimal is the number 0.DIGITS times ten to the exponent. Digits of a number have no 0 at
// either end; those of zero are "".
type decimal struct {
	negative bool
	digits   string
	exponent int64
}

// decimalOf reads a number of JSON, of any size, without losing a digit of it.
func decimalOf(text string) decimal {
	var d decimal
	text, d.negative = strings.CutPrefix(text, "-")
	if i := strings.IndexAny(text, "eE"); i >= 0 {
		d.exponent = exponentOf(text[i+1:])
		text = text[:i]
	}
	whole, fraction, _ := strings.Cut(text, ".")
	digits := strings.TrimLeft(whole+fraction, "0")
	d.exponent += int64(len(whole) - (len(whole+fraction) - len(digits)))
	d.digits = strings.TrimRight(digits, "0")
	if d.digits == "" {
		return decimal{}
	}
	return d
}

// exponentOf reads an exponent; one that is beyond all others is cut.
func exponentOf(text string) int64 {
	n, _ := strconv.ParseInt(text, 10, 64)
	return max(-1<<61, min(1<<61, n))
}

// compare orders numbers by what they are worth.
func (d decimal) compare(e decimal) int {
	if c := cmp.Compare(d.sign(), e.sign()); c != 0 || d.digits == "" {
		return c
	}
	c := cmp.Compare(d.exponent, e.exponent)
	if c == 0 {
		c = strings.Compare(d.digits, e.digits)
	}
	if d.negative {
		return -c
	}
	return c
}

func (d decimal) sign() int {
	switch {
	case d.digits == "":
		return 0
	case d.negative:
		return -1
	}
	return 1
}

// isNumber tells whether a text is a number of JSON.
func isNumber(text string) bool {
	digits := func(s string) string { return strings.TrimLeft(s, "0123456789") }
	s := strings.TrimPrefix(text, "-")
	rest := digits(s)
	if len(rest) == len(s) || s[0] == '0' && len(s)-len(rest) > 1 {
		return false
	}
	if fraction, ok := strings.CutPrefix(rest, "."); ok {
		if rest = digits(fraction); len(rest) == len(fraction) {
			return false
		}
	}
	if rest != "" && (rest[0] == 'e' || rest[0] == 'E') {
		exponent := strings.TrimPrefix(strings.TrimPrefix(rest[1:], "+"), "-")
		if exponent == "" || len(exponent) < len(rest)-2 {
			return false
		}
		rest = digits(exponent)
	}
	return rest == ""
}
