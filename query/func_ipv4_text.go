package query

import (
	"iter"
	"strings"
	"unicode/utf8"
)

// The functions here look for IPv4 addresses in a text, where neither a letter nor a digit
// stands next to them.

// listed returns the texts that arguments are, or that stand in their arrays.
func listed(args []Value) iter.Seq[string] {
	return func(yield func(string) bool) {
		for _, a := range args {
			if a.Kind == String {
				if !yield(a.S) {
					return
				}
				continue
			}
			for e := range elements(a) {
				if !yield(toString(e)) {
					return
				}
			}
		}
	}
}

// hasIPv4 looks for any of the addresses listed in the arguments after the first.
func hasIPv4(args []Value) Value {
	for want := range listed(args[1:]) {
		address, _, ok := parseIPv4(want)
		if !ok || strings.Contains(want, "/") {
			continue
		}
		for found := range addressesIn(args[0].S) {
			if a, _, _ := parseIPv4(found); a == address {
				return BoolOf(true)
			}
		}
	}
	return BoolOf(false)
}

// hasIPv4Prefix looks for an address that is one of those listed, or begins with one that
// ends with a point.
func hasIPv4Prefix(args []Value) Value {
	for want := range listed(args[1:]) {
		whole, ok := prefixIPv4(want)
		if !ok {
			continue
		}
		for found := range addressesIn(args[0].S) {
			if found == want || !whole && strings.HasPrefix(found, want) {
				return BoolOf(true)
			}
		}
	}
	return BoolOf(false)
}

// prefixIPv4 tells whether a text is a whole address or the beginning of one as "192.168.".
func prefixIPv4(text string) (whole, ok bool) {
	if !strings.HasSuffix(text, ".") {
		_, _, ok = parseIPv4(text)
		return true, ok && !strings.Contains(text, "/")
	}
	rest := strings.Repeat("0.", max(0, 4-strings.Count(text, ".")))
	_, _, ok = parseIPv4(text + strings.TrimSuffix(rest, "."))
	return false, ok
}

// addressesIn returns the addresses in a text, from left to right.
func addressesIn(text string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for i := 0; i < len(text); i++ {
			if text[i] < '0' || text[i] > '9' || i > 0 && endsWord(text[:i]) {
				continue
			}
			n := addressLength(text[i:])
			if n > 0 && !beginsWord(text[i+n:]) && !yield(text[i:i+n]) {
				return
			}
		}
	}
}

// addressLength returns how many bytes at the beginning of a text are an address, or 0.
func addressLength(text string) int {
	n := 0
	for part := range 4 {
		if part > 0 {
			if n == len(text) || text[n] != '.' {
				return 0
			}
			n++
		}
		from := n
		for n < len(text) && text[n] >= '0' && text[n] <= '9' {
			n++
		}
		if v, ok := parseSmall(text[from:n]); !ok || v > 255 {
			return 0
		}
	}
	return n
}

func endsWord(text string) bool {
	r, _ := utf8.DecodeLastRuneInString(text)
	return isTermRune(r)
}

func beginsWord(text string) bool {
	r, _ := utf8.DecodeRuneInString(text)
	return isTermRune(r)
}
