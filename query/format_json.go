package query

import (
	"io"
	"strconv"
	"unicode/utf8"
)

// A jsonWriter writes json, an array of rows, or jsonl, rows alone.
type jsonWriter struct {
	output
	array bool
	exact bool
	keys  [][]byte // of each column, with the comma before and the colon after
	n     int      // rows so far
}

func newJSON(w io.Writer, opt FormatOptions) Writer {
	return &jsonWriter{output: output{w: w}, array: true, exact: opt.Exact}
}

func newJSONL(w io.Writer, opt FormatOptions) Writer {
	return &jsonWriter{output: output{w: w}, exact: opt.Exact}
}

func (j *jsonWriter) Begin(fields []Field) error {
	j.n = 0
	j.keys = make([][]byte, len(fields))
	for i, name := range memberNames(fields) {
		var key []byte
		if i > 0 {
			key = append(key, ',')
		}
		j.keys[i] = append(appendJSONString(key, name), ':')
	}
	if j.array {
		j.buf = append(j.buf, "[\n"...)
	}
	return nil
}

func (j *jsonWriter) Rows(b *Batch) error {
	return j.rows(b, func(row int) {
		if j.array && j.n > 0 {
			j.buf = append(j.buf, ",\n"...)
		}
		j.n++
		j.buf = append(j.buf, '{')
		for i, v := range b.Cols {
			j.buf = append(j.buf, j.keys[i]...)
			if value := v.At(row); j.exact && value.Kind.hasText() {
				j.buf = appendJSON(j.buf, value)
			} else {
				j.buf = appendJSONValue(j.buf, value)
			}
		}
		j.buf = append(j.buf, '}')
		if !j.array {
			j.buf = append(j.buf, '\n')
		}
	})
}

func (j *jsonWriter) End() error {
	if j.array && j.n > 0 {
		j.buf = append(j.buf, '\n')
	}
	if j.array {
		j.buf = append(j.buf, "]\n"...)
	}
	return j.flush()
}

// memberNames returns the names of the columns as members of an object. The second of two
// that are the same gets a number that makes it another: an object that has a member twice
// means something else to every reader.
func memberNames(fields []Field) []string {
	names := make([]string, len(fields))
	taken := make(map[string]bool, len(fields))
	for i, f := range fields {
		names[i] = string([]rune(f.Name)) // with U+FFFD for what is not UTF-8, as it is written
		taken[names[i]] = true
	}
	next := make(map[string]int, len(fields)) // the number of the next one; 0: it is the first
	for i, name := range names {
		n := next[name]
		for n > 0 && taken[names[i]] {
			names[i] = name + strconv.Itoa(n)
			n++
		}
		next[name] = max(n, 1)
		taken[names[i]] = true
	}
	return names
}

// appendJSONValue appends a value in JSON. Integers keep their digits; what JSON has no number
// for is a string.
func appendJSONValue(dst []byte, v Value) []byte {
	switch {
	case v.Null:
		return append(dst, "null"...)
	case v.Kind == Dynamic:
		return appendJSONDynamic(dst, v.S)
	case v.Kind == String:
		return appendJSONString(dst, v.S)
	case v.Kind == Bool, v.Kind == Int, v.Kind == Long, v.Kind == Real && v.Real()-v.Real() == 0: // finite
		return appendText(dst, v)
	}
	return append(appendText(append(dst, '"'), v), '"')
}

// appendJSONString appends text as a JSON string. Characters that act on a terminal are
// escaped, which any reader undoes; what is not UTF-8 becomes U+FFFD.
func appendJSONString(dst []byte, text string) []byte {
	dst = append(dst, '"')
	start := 0
	for i := 0; i < len(text); {
		c := text[i]
		if c >= ' ' && c < 0x7f && c != '"' && c != '\\' {
			i++
			continue
		}
		n, same := jsonChar(text[i:])
		if !same {
			dst = appendJSONEscape(append(dst, text[start:i]...), text[i:])
			start = i + n
		}
		i += n
	}
	return append(append(dst, text[start:]...), '"')
}

// jsonChar returns the length of the first character, and whether it may stand in a JSON
// string as it is.
func jsonChar(text string) (n int, same bool) {
	if text[0] == '"' || text[0] == '\\' {
		return 1, false
	}
	r, n := utf8.DecodeRuneInString(text)
	return n, !acts(r) && (r != utf8.RuneError || n > 1)
}

// appendJSONEscape appends the first character of text, which acts or must be escaped.
func appendJSONEscape(dst []byte, text string) []byte {
	r, _ := utf8.DecodeRuneInString(text) // U+FFFD of what is no UTF-8
	if r >= 0x7f {
		return appendUnicode(dst, r)
	}
	return appendEscaped(dst, r)
}

// appendJSONDynamic appends a dynamic, which is JSON already: numbers keep their digits,
// 1e400 too. As in other strings, characters that act are escaped.
func appendJSONDynamic(dst []byte, text string) []byte {
	if text == "" {
		return append(dst, "null"...)
	}
	start, inside := 0, false
	for i := 0; i < len(text); {
		c := text[i]
		switch {
		case c == '"':
			inside = !inside
			i++
		case c == '\\' && inside:
			i += 2
		case c >= ' ' && c < 0x7f && (inside || c != 'N' && c != 'I'):
			i++
		case !inside:
			dst = append(dst, text[start:i]...)
			n := wordLen(text[i:])
			dst = appendJSONNonNumber(dst, text[i:i+n])
			i += n
			start = i
		default:
			n, same := jsonChar(text[i:])
			if !same {
				dst = appendJSONEscape(append(dst, text[start:i]...), text[i:])
				start = i + n
			}
			i += n
		}
	}
	return append(dst, text[start:]...)
}

// wordLen returns the length of the letters at the front, at least 1.
func wordLen(text string) int {
	n := 1
	for n < len(text) && (text[n]|0x20 >= 'a' && text[n]|0x20 <= 'z') {
		n++
	}
	return n
}

// appendJSONNonNumber appends what stands outside of strings and is not JSON: NaN and Infinity
// become strings, all else a space.
func appendJSONNonNumber(dst []byte, word string) []byte {
	if word != "NaN" && word != "Infinity" {
		return append(dst, ' ')
	}
	sign := ""
	if n := len(dst); n > 0 && dst[n-1] == '-' {
		dst, sign = dst[:n-1], "-"
	}
	return append(append(append(append(dst, '"'), sign...), word...), '"')
}
