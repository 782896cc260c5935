package query

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"unicode/utf8"
)

func isNull(v Value) bool { return v.Null && v.Kind != String }

func isEmpty(v Value) bool {
	switch v.Kind {
	case String:
		return v.S == ""
	case Dynamic:
		return v.Null || toString(v) == ""
	}
	return v.Null
}

func isUTF8(a []Value) Value { return BoolOf(utf8.ValidString(toString(a[0]))) }

// atMost is a Result of a kind, for so many arguments.
func atMost(name string, n int, k Kind) func([]Arg) (Kind, error) {
	return func(args []Arg) (Kind, error) {
		if len(args) > n {
			return 0, fmt.Errorf("%s: expected at most %d arguments, found %d", name, n, len(args))
		}
		return k, nil
	}
}

// constLong returns the value of an argument that is known to be a number.
func constLong(args []Arg, i int) (n int64, ok bool) {
	if i >= len(args) || args[i].Const == nil || args[i].Const.Null {
		return 0, false
	}
	return args[i].Const.N, true
}

func strlen(a []Value) Value { return LongOf(int64(utf8.RuneCountInString(toString(a[0])))) }

func toLower(a []Value) Value { return StringOf(strings.ToLower(toString(a[0]))) }
func toUpper(a []Value) Value { return StringOf(strings.ToUpper(toString(a[0]))) }

func reverse(a []Value) Value {
	text := toString(a[0])
	b := make([]byte, 0, len(text))
	for text != "" {
		_, size := utf8.DecodeLastRuneInString(text)
		b = append(b, text[len(text)-size:]...)
		text = text[:len(text)-size]
	}
	return StringOf(string(b))
}

func strcmp(a []Value) Value {
	return LongOf(int64(strings.Compare(toString(a[0]), toString(a[1]))))
}

func replaceString(a []Value) Value {
	text, search := toString(a[0]), toString(a[1])
	if search == "" {
		return StringOf(text)
	}
	return StringOf(strings.ReplaceAll(text, search, toString(a[2])))
}

// runeStart returns where rune n of a text begins, or the text's length beyond its end.
func runeStart(text string, n int64) int {
	if n >= int64(len(text)) {
		return len(text)
	}
	for i := range text {
		if n == 0 {
			return i
		}
		n--
	}
	return len(text)
}

// substring: what begins before the text or beyond it is empty.
func substring(a []Value) Value {
	if a[1].Null || len(a) > 2 && a[2].Null {
		return StringOf("")
	}
	text, start, length := toString(a[0]), a[1].N, int64(math.MaxInt64)
	if len(a) > 2 {
		length = a[2].N
	}
	if start < 0 {
		start += int64(utf8.RuneCountInString(text))
	}
	if start < 0 || length <= 0 {
		return StringOf("")
	}
	text = text[runeStart(text, start):]
	return StringOf(text[:runeStart(text, length)])
}

// indexofKind refuses an occurrence whose meaning is not known.
func indexofKind(args []Arg) (Kind, error) {
	if n, ok := constLong(args, 4); ok && n < 1 {
		return 0, fmt.Errorf("indexof: occurrence %d is not supported here", n)
	}
	return Long, nil
}

func indexof(a []Value) Value {
	numbers := [3]int64{0, -1, 1} // start, length, occurrence
	for i, v := range a[2:] {
		if v.Null {
			return NullOf(Long)
		}
		numbers[i] = v.N
	}
	text, search := toString(a[0]), toString(a[1])
	start, length, occurrence := numbers[0], numbers[1], numbers[2]
	if start < 0 {
		start += int64(utf8.RuneCountInString(text))
	}
	if search == "" || start < 0 || length < -1 || occurrence < 0 {
		return NullOf(Long)
	}
	text = text[runeStart(text, start):]
	for place := start; ; place++ {
		k := strings.Index(text, search)
		if k < 0 {
			return LongOf(-1)
		}
		place += int64(utf8.RuneCountInString(text[:k]))
		if length >= 0 && place-start >= length {
			return LongOf(-1)
		}
		if occurrence--; occurrence <= 0 {
			return LongOf(place)
		}
		_, size := utf8.DecodeRuneInString(text[k:])
		text = text[k+size:]
	}
}

// splitKind refuses an empty delimiter, of which nothing is recorded.
func splitKind(args []Arg) (Kind, error) {
	if d := args[1].Const; d != nil && toString(*d) == "" {
		return 0, errors.New("split: an empty delimiter is not supported here")
	}
	return Dynamic, nil
}

func split(a []Value) Value {
	text, delimiter := toString(a[0]), toString(a[1])
	parts := []string{text}
	if delimiter != "" {
		parts = strings.Split(text, delimiter)
	}
	if len(a) > 2 {
		i := a[2].N
		if a[2].Null || i < 0 || i >= int64(len(parts)) {
			return DynamicOf("[]")
		}
		parts = parts[i : i+1]
	}
	return arrayOfStrings(parts)
}

// arrayOfStrings returns an array of strings.
func arrayOfStrings(list []string) Value {
	size := 2
	for _, s := range list {
		size += len(s) + 3
	}
	b := append(make([]byte, 0, size), '[')
	for i, s := range list {
		if i > 0 {
			b = append(b, ',')
		}
		b = appendQuoted(b, s)
	}
	return DynamicOf(string(append(b, ']')))
}

func strcat(a []Value) Value {
	var list [64]string
	for i, v := range a {
		list[i] = toString(v)
	}
	return StringOf(strings.Join(list[:len(a)], ""))
}

func strcatDelim(a []Value) Value {
	var list [64]string
	for i, v := range a[1:] {
		list[i] = toString(v)
	}
	return StringOf(strings.Join(list[:len(a)-1], toString(a[0])))
}

func strcatArray(a []Value) Value {
	var list []string
	for v := range elements(a[0]) {
		list = append(list, toString(v))
	}
	return StringOf(strings.Join(list, toString(a[1])))
}

const maxRepeat = 1024

func strrepKind(args []Arg) (Kind, error) {
	if n, ok := constLong(args, 1); ok && (n < 1 || n > maxRepeat) {
		return 0, fmt.Errorf("strrep: %d times is not supported here, 1 to %d is", n, maxRepeat)
	}
	return String, nil
}

// maxRepeated is how long a repeated text may be: calls in calls would fill the memory.
const maxRepeated = 64 << 20

func strrep(a []Value) Value {
	if a[1].Null || a[1].N < 1 {
		return StringOf("")
	}
	text, delimiter := toString(a[0]), ""
	if len(a) > 2 {
		delimiter = toString(a[2])
	}
	n := int(min(a[1].N, maxRepeat))
	if (len(text)+len(delimiter))*n > maxRepeated {
		n = max(1, maxRepeated/(len(text)+len(delimiter)))
	}
	return StringOf(strings.Repeat(text+delimiter, n-1) + text)
}

// A piece is part of a text in which strings are replaced.
type piece struct {
	text string
	done bool // it was matched
}

// replaceStrings goes through the text once for each search, in their order; what was
// matched is not looked at again. A rewrite that is no string leaves its match as it is.
func replaceStrings(a []Value) Value {
	pieces := []piece{{text: toString(a[0])}}
	var rewrites []Value
	for v := range elements(a[2]) {
		rewrites = append(rewrites, scalarOf(v))
	}
	i := -1
	for v := range elements(a[1]) {
		i++
		search := scalarOf(v)
		if search.Kind != String || search.S == "" || i >= len(rewrites) {
			continue
		}
		rewrite := rewrites[i]
		if rewrite.Kind != String {
			rewrite = search
		}
		pieces = replacePieces(pieces, search.S, rewrite.S)
	}
	var b strings.Builder
	for _, p := range pieces {
		b.WriteString(p.text)
	}
	return StringOf(b.String())
}

func replacePieces(pieces []piece, search, rewrite string) []piece {
	var out []piece
	for _, p := range pieces {
		for !p.done {
			before, after, found := strings.Cut(p.text, search)
			if !found {
				break
			}
			out = append(out, piece{text: before}, piece{rewrite, true})
			p.text = after
		}
		out = append(out, p)
	}
	return out
}
