package query

import (
	"crypto/md5"
	"crypto/sha1"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"strconv"
	"strings"
	"unicode/utf8"
)

func base64Encode(a []Value) Value {
	return StringOf(base64.StdEncoding.EncodeToString([]byte(toString(a[0]))))
}

func base64Decode(a []Value) Value {
	b, err := base64.StdEncoding.DecodeString(toString(a[0]))
	if err != nil || !utf8.Valid(b) {
		return StringOf("")
	}
	return StringOf(string(b))
}

// The hashes are of the text of a value, even if it is a date or a number.

func hashMD5(a []Value) Value {
	sum := md5.Sum([]byte(toString(a[0])))
	return StringOf(hex.EncodeToString(sum[:]))
}

func hashSHA1(a []Value) Value {
	sum := sha1.Sum([]byte(toString(a[0])))
	return StringOf(hex.EncodeToString(sum[:]))
}

func hashSHA256(a []Value) Value {
	sum := sha256.Sum256([]byte(toString(a[0])))
	return StringOf(hex.EncodeToString(sum[:]))
}

// urlEncode escapes as .NET does: all but letters, digits and seven marks, in lower case.
func urlEncode(v Value, space string) Value {
	text := toString(v)
	b := make([]byte, 0, len(text)+len(text)/2)
	for i := range len(text) {
		switch c := text[i]; {
		case c < utf8.RuneSelf && isTermRune(rune(c)), strings.IndexByte("-_.!*()", c) >= 0:
			b = append(b, c)
		case c == ' ':
			b = append(b, space...)
		default:
			b = append(b, '%', hexDigits[c>>4], hexDigits[c&15])
		}
	}
	return StringOf(string(b))
}

const hexDigits = "0123456789abcdef"

// urlDecode leaves a % that no two hexadecimal digits follow.
func urlDecode(a []Value) Value {
	text := toString(a[0])
	if !strings.ContainsAny(text, "%+") {
		return StringOf(text)
	}
	b := make([]byte, 0, len(text))
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '+':
			b = append(b, ' ')
		case c == '%' && i+2 < len(text):
			if n, err := strconv.ParseUint(text[i+1:i+3], 16, 8); err == nil {
				c, i = byte(n), i+2
			}
			b = append(b, c)
		default:
			b = append(b, c)
		}
	}
	return StringOf(strings.ToValidUTF8(string(b), "\ufffd"))
}

func toCodePoints(a []Value) Value {
	text := toString(a[0])
	b := append(make([]byte, 0, 2+5*len(text)), '[')
	for i, r := range text {
		if i > 0 {
			b = append(b, ',')
		}
		b = strconv.AppendInt(b, int64(r), 10)
	}
	return DynamicOf(string(append(b, ']')))
}

// fromCodePoints takes numbers and arrays of numbers.
func fromCodePoints(a []Value) Value {
	var b []byte
	valid := true
	add := func(v Value) {
		if v.Null || !v.Kind.isNumber() || v.Kind == Real || v.N < 0 || v.N > utf8.MaxRune || !utf8.ValidRune(rune(v.N)) {
			valid = false
			return
		}
		b = utf8.AppendRune(b, rune(v.N))
	}
	for _, v := range a {
		if !isArray(v) {
			add(scalarOf(v))
			continue
		}
		for e := range elements(v) {
			add(scalarOf(e))
		}
	}
	if !valid {
		return StringOf("")
	}
	return StringOf(string(b))
}

// parseCSV reads one record: fields between commas, with what is quoted taken as it is and
// a quote in it doubled.
func parseCSV(a []Value) Value {
	text := toString(a[0])
	var fields []string
	var field []byte
	for i := 0; ; i++ {
		switch {
		case i >= len(text), text[i] == '\n', text[i] == '\r':
			return arrayOfStrings(append(fields, string(field)))
		case text[i] == ',':
			fields, field = append(fields, string(field)), field[:0]
		case text[i] == '"' && len(field) == 0:
			for i++; i < len(text); i++ {
				if text[i] == '"' {
					if i+1 == len(text) || text[i+1] != '"' {
						break
					}
					i++
				}
				field = append(field, text[i])
			}
		default:
			field = append(field, text[i])
		}
	}
}

// bindTranslate prepares the characters to replace, if they are the same for all rows.
func bindTranslate(args []Arg) (func([]Value) Value, error) {
	if args[0].Const == nil || args[1].Const == nil {
		return func(a []Value) Value { return translate(replacements(a[0].S, a[1].S), toString(a[2])) }, nil
	}
	from, to := args[0].Const.S, args[1].Const.S
	if n := utf8.RuneCountInString(to); n > 1 && n < utf8.RuneCountInString(from) {
		return nil, errors.New("translate: fewer replacements than characters, except one or none, are not supported here")
	}
	m := replacements(from, to)
	return func(a []Value) Value { return translate(m, toString(a[2])) }, nil
}

// replacements has -1 for what is left out. The last replacement is that of all the
// characters that have none in their place.
func replacements(from, to string) map[rune]rune {
	m := map[rune]rune{}
	list := []rune(to)
	for i, r := range []rune(from) {
		if _, twice := m[r]; twice {
			continue
		}
		if m[r] = -1; len(list) > 0 {
			m[r] = list[min(i, len(list)-1)]
		}
	}
	return m
}

func translate(m map[rune]rune, text string) Value {
	return StringOf(strings.Map(func(r rune) rune {
		if to, ok := m[r]; ok {
			return to
		}
		return r
	}, text))
}
