package query

import (
	"iter"
	"math"
	"strconv"
	"strings"
)

// A dynamic value is its JSON text, without white space: a path is followed by scanning
// the text, and a number keeps the digits that were written. In strings only what must be
// escaped is, so that equal strings are equal texts.

var nullDynamic = NullOf(Dynamic)

func isArray(v Value) bool { return v.Kind == Dynamic && len(v.S) > 1 && v.S[0] == '[' }
func isBag(v Value) bool   { return v.Kind == Dynamic && len(v.S) > 1 && v.S[0] == '{' }

// stringEnd returns where the string ends that begins at text[i], behind its quote.
func stringEnd(text string, i int) int {
	for i++; i < len(text); i++ {
		n := strings.IndexByte(text[i:], '"')
		if n < 0 {
			break
		}
		i += n
		slashes := 0
		for text[i-1-slashes] == '\\' {
			slashes++
		}
		if slashes%2 == 0 {
			return i + 1
		}
	}
	return len(text)
}

// valueEnd returns where the value ends that begins at text[i].
func valueEnd(text string, i int) int {
	switch text[i] {
	case '"':
		return stringEnd(text, i)
	case '{', '[':
		return containerEnd(text, i)
	}
	for ; i < len(text); i++ {
		if b := text[i]; b == ',' || b == '}' || b == ']' {
			break
		}
	}
	return i
}

func containerEnd(text string, i int) int {
	for depth := 0; i < len(text); {
		switch text[i] {
		case '"':
			i = stringEnd(text, i)
			continue
		case '{', '[':
			depth++
		case '}', ']':
			if depth--; depth == 0 {
				return i + 1
			}
		}
		i++
	}
	return len(text)
}

// eachMember calls yield with each member of a bag: its name in quotes, and its value.
func eachMember(bag string, yield func(name, value string) bool) {
	for i := 1; i < len(bag) && bag[i] == '"'; {
		colon := stringEnd(bag, i)
		if colon+1 >= len(bag) {
			return
		}
		end := valueEnd(bag, colon+1)
		if !yield(bag[i:colon], bag[colon+1:end]) {
			return
		}
		i = end + 1
	}
}

// eachElement calls yield with each element of an array.
func eachElement(array string, yield func(value string) bool) {
	for i := 1; i < len(array) && array[i] != ']'; {
		end := valueEnd(array, i)
		if !yield(array[i:end]) {
			return
		}
		i = end + 1
	}
}

// memberOf returns the member of a bag, null if there is none.
func memberOf(v Value, name string) Value {
	if !isBag(v) {
		return nullDynamic
	}
	text, quoted := v.S, ""
	if !isPlain(name) {
		quoted = quoteJSON(name)
	} else if !strings.Contains(text, name) { // much faster than to look at each member
		return nullDynamic
	}
	for i := 1; i < len(text) && text[i] == '"'; {
		colon := stringEnd(text, i)
		if colon+1 >= len(text) {
			break
		}
		end := valueEnd(text, colon+1)
		if quoted == "" && text[i+1:colon-1] == name || quoted != "" && text[i:colon] == quoted {
			return DynamicOf(text[colon+1 : end])
		}
		i = end + 1
	}
	return nullDynamic
}

// elementOf returns an element of an array, counted from its end if i is negative; null
// if there is none.
func elementOf(v Value, i int64) Value {
	if !isArray(v) {
		return nullDynamic
	}
	if i < 0 {
		if i += lengthOf(v); i < 0 {
			return nullDynamic
		}
	}
	found := nullDynamic
	eachElement(v.S, func(value string) bool {
		if i == 0 {
			found = DynamicOf(value)
		}
		i--
		return i >= 0
	})
	return found
}

// lengthOf returns how many elements an array has.
func lengthOf(array Value) (n int64) {
	eachElement(array.S, func(string) bool {
		n++
		return true
	})
	return n
}

// elements walks an array; anything else has none.
func elements(v Value) iter.Seq[Value] {
	return func(yield func(Value) bool) {
		if isArray(v) {
			eachElement(v.S, func(value string) bool { return yield(DynamicOf(value)) })
		}
	}
}

// members walks a bag; anything else has none.
func members(v Value) iter.Seq2[string, Value] {
	return func(yield func(string, Value) bool) {
		if isBag(v) {
			eachMember(v.S, func(name, value string) bool {
				return yield(unquoteJSON(name), DynamicOf(value))
			})
		}
	}
}

// elementTexts returns the elements of an array.
func elementTexts(array Value) []string {
	var list Chunks[string]
	eachElement(array.S, func(value string) bool {
		list.Append(value)
		return true
	})
	return list.Slice()
}

// isNumberText tells whether a JSON text is a number.
func isNumberText(text string) bool {
	return text != "" && (text[0] == '-' || text[0]-'0' <= 9)
}

// scalarOf returns the string, long, real or bool that a dynamic value holds. Arrays, bags
// and null stay what they are, as does an integer that no long can hold.
func scalarOf(v Value) Value {
	if v.Kind != Dynamic || v.Null || v.S == "" {
		return v
	}
	switch b := v.S[0]; {
	case b == '"':
		return StringOf(unquoteJSON(v.S))
	case v.S == "true" || v.S == "false":
		return BoolOf(b == 't')
	case !isNumberText(v.S):
		return v
	}
	if n, err := strconv.ParseInt(v.S, 10, 64); err == nil {
		return LongOf(n)
	}
	if !strings.ContainsAny(v.S, ".eE") {
		return v
	}
	f, _ := strconv.ParseFloat(v.S, 64) // beyond the range of a real: infinite
	return RealOf(f)
}

// identity returns the same text for dynamic values that are equal: numbers by what they
// are worth, bags whatever the order of their members.
func identity(text string) string {
	switch {
	case text == "":
		return "null"
	case text[0] == '{' || text[0] == '[':
		return string(appendSorted(nil, text, true))
	case isNumberText(text):
		return numberIdentity(text)
	}
	return text
}

func numberIdentity(text string) string {
	if !strings.ContainsAny(text, ".eE") {
		if text == "-0" {
			return "0"
		}
		return text
	}
	f, err := strconv.ParseFloat(text, 64)
	switch {
	case err != nil:
		return text
	case f == math.Trunc(f) && math.Abs(f) < 1<<53:
		return strconv.FormatInt(int64(f), 10)
	}
	return strconv.FormatFloat(f, 'g', -1, 64)
}
