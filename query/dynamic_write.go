package query

import (
	"math"
	"slices"
	"strconv"
	"strings"
)

// jsonOf returns how a value of any kind stands in a dynamic value.
func jsonOf(v Value) string {
	switch {
	case v.Null:
		return "null"
	case v.Kind == Dynamic:
		return v.S
	case v.Kind == Bool && v.N != 0:
		return "true"
	case v.Kind == Bool:
		return "false"
	}
	return string(appendJSON(nil, v))
}

// appendJSON appends [jsonOf] of v.
func appendJSON(dst []byte, v Value) []byte {
	if v.Null {
		return append(dst, "null"...)
	}
	switch v.Kind {
	case Bool:
		return strconv.AppendBool(dst, v.N != 0)
	case Int, Long:
		return strconv.AppendInt(dst, v.N, 10)
	case Real:
		return appendReal(dst, v.Real())
	case String:
		return appendQuoted(dst, v.S)
	case Datetime:
		return append(append(append(dst, '"'), formatDatetime(v)...), '"')
	case Timespan:
		return append(append(append(dst, '"'), formatTimespan(v.N)...), '"')
	case Guid, Decimal:
		return append(append(append(dst, '"'), v.S...), '"')
	}
	return append(dst, v.S...)
}

// appendReal appends the shortest number that reads back as f, and that no reader takes
// for a long. JSON has no numbers for NaN and the infinite ones: Kusto quotes them.
func appendReal(dst []byte, f float64) []byte {
	switch {
	case math.IsNaN(f):
		return append(dst, `"NaN"`...)
	case math.IsInf(f, 1):
		return append(dst, `"Infinity"`...)
	case math.IsInf(f, -1):
		return append(dst, `"-Infinity"`...)
	}
	return append(dst, formatReal(f)...)
}

// arrayOf returns an array of values of any kinds.
func arrayOf(values []Value) Value {
	var b strings.Builder
	b.Grow(2 + 8*len(values))
	var element []byte
	b.WriteByte('[')
	for i, v := range values {
		if i > 0 {
			b.WriteByte(',')
		}
		element = appendJSON(element[:0], v)
		b.Write(element)
	}
	b.WriteByte(']')
	return DynamicOf(b.String())
}

// arrayOfTexts returns an array of JSON texts.
func arrayOfTexts(list []string) Value {
	size := 2 + len(list)
	for _, text := range list {
		size += len(text)
	}
	var b strings.Builder
	b.Grow(size)
	b.WriteByte('[')
	for i, text := range list {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(text)
	}
	b.WriteByte(']')
	return DynamicOf(b.String())
}

// appendSorted appends a JSON text with the members of bags sorted by name; with the
// numbers as [identity] has them, if worth is set.
func appendSorted(dst []byte, text string, worth bool) []byte {
	switch {
	case text[0] == '[':
		dst = append(dst, '[')
		eachElement(text, func(value string) bool {
			dst = append(appendSorted(dst, value, worth), ',')
			return true
		})
		return closeContainer(dst, ']')
	case text[0] == '{':
		type member struct{ name, value string }
		var list []member
		eachMember(text, func(name, value string) bool {
			list = append(list, member{name, value})
			return true
		})
		slices.SortFunc(list, func(a, b member) int {
			return strings.Compare(unquoteJSON(a.name), unquoteJSON(b.name))
		})
		dst = append(dst, '{')
		for _, m := range list {
			dst = append(append(dst, m.name...), ':')
			dst = append(appendSorted(dst, m.value, worth), ',')
		}
		return closeContainer(dst, '}')
	case worth && isNumberText(text):
		return append(dst, numberIdentity(text)...)
	}
	return append(dst, text...)
}

// closeContainer ends an array or a bag, in the place of the last comma.
func closeContainer(dst []byte, end byte) []byte {
	if last := len(dst) - 1; dst[last] == ',' {
		dst[last] = end
		return dst
	}
	return append(dst, end)
}
