package query

import (
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// isPlain tells whether text stands in a JSON string as it is.
func isPlain(text string) bool {
	for i := range len(text) {
		if b := text[i]; b < ' ' || b == '"' || b == '\\' || b >= utf8.RuneSelf {
			return b >= utf8.RuneSelf && isPlainUTF8(text[i:])
		}
	}
	return true
}

func isPlainUTF8(text string) bool {
	return utf8.ValidString(text) && !strings.ContainsFunc(text, func(r rune) bool {
		return r < ' ' || r == '"' || r == '\\'
	})
}

// quoteJSON returns text as a JSON string.
func quoteJSON(text string) string { return string(appendQuoted(nil, text)) }

func appendQuoted(dst []byte, text string) []byte {
	dst = append(dst, '"')
	if isPlain(text) {
		return append(append(dst, text...), '"')
	}
	for _, r := range text { // what is no UTF-8 becomes U+FFFD
		dst = appendEscaped(dst, r)
	}
	return append(dst, '"')
}

// appendEscaped appends a character of a JSON string, with an escape if it needs one.
func appendEscaped(dst []byte, r rune) []byte {
	switch r {
	case '"', '\\':
		return append(dst, '\\', byte(r))
	case '\b':
		return append(dst, `\b`...)
	case '\f':
		return append(dst, `\f`...)
	case '\n':
		return append(dst, `\n`...)
	case '\r':
		return append(dst, `\r`...)
	case '\t':
		return append(dst, `\t`...)
	}
	if r >= ' ' && !utf16.IsSurrogate(r) {
		return utf8.AppendRune(dst, r)
	}
	return appendUnicode(dst, r)
}

// unquoteJSON returns the characters of a JSON string. Half a surrogate pair becomes U+FFFD.
func unquoteJSON(text string) string {
	if len(text) < 2 {
		return ""
	}
	text = text[1 : len(text)-1]
	i := strings.IndexByte(text, '\\')
	if i < 0 {
		return text
	}
	dst := make([]byte, 0, len(text))
	for ; i >= 0 && i+1 < len(text); i = strings.IndexByte(text, '\\') {
		dst = append(dst, text[:i]...)
		b := text[i+1]
		text = text[i+2:]
		if b != 'u' {
			r, _ := plainEscape(b)
			dst = append(dst, byte(r))
			continue
		}
		r, _ := hexRune(text)
		dst = utf8.AppendRune(dst, r)
		text = text[min(4, len(text)):]
	}
	return string(append(dst, text...))
}

// plainEscape returns the character that stands behind a backslash.
func plainEscape(b byte) (r rune, ok bool) {
	switch b {
	case '"', '\\', '/':
		return rune(b), true
	case 'b':
		return '\b', true
	case 'f':
		return '\f', true
	case 'n':
		return '\n', true
	case 'r':
		return '\r', true
	case 't':
		return '\t', true
	}
	return 0, false
}

// hexRune reads the four digits behind \u.
func hexRune(text string) (r rune, ok bool) {
	if len(text) < 4 {
		return 0, false
	}
	for _, b := range []byte(text[:4]) {
		switch {
		case b-'0' <= 9:
			r = r<<4 | rune(b-'0')
		case b|0x20-'a' < 6:
			r = r<<4 | rune(b|0x20-'a'+10)
		default:
			return 0, false
		}
	}
	return r, true
}
