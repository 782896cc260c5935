package query

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// A string literal is "…" or '…' with escapes, @"…" or @'…' in which a doubled quote is a
// quote, or ```…``` or ~~~…~~~ over many lines; h or H in front hides it from Kusto's logs.

// stringPrefix returns how many bytes stand before the quote of a string literal, -1 if
// text does not begin with one.
func stringPrefix(text string) int {
	n := 0
	if text[0] == 'h' || text[0] == 'H' {
		n = 1
	}
	if n < len(text) && text[n] == '@' {
		n++
	}
	if n < len(text) && (text[n] == '"' || text[n] == '\'') || strings.HasPrefix(text[n:], "```") || strings.HasPrefix(text[n:], "~~~") {
		return n
	}
	return -1
}

// stringSize returns the length of a string literal, or what is wrong with it. Its quote
// stands behind prefix bytes.
func stringSize(text string, prefix int) (size int, wrong string) {
	body := text[prefix:]
	if strings.HasPrefix(body, "```") || strings.HasPrefix(body, "~~~") {
		end := strings.Index(body[3:], body[:3])
		if end < 0 {
			return 0, "a string that does not end, " + body[:3] + " is missing"
		}
		return prefix + end + 6, ""
	}
	quote, verbatim := body[0], prefix > 0 && text[prefix-1] == '@'
	for i := 1; i < len(body); i++ {
		switch b := body[i]; {
		case b == quote && verbatim && i+1 < len(body) && body[i+1] == quote:
			i++
		case b == quote:
			return prefix + i + 1, ""
		case b == '\\' && !verbatim:
			i++
		case b == '\n' && !verbatim:
			return 0, "a string that does not end on its line"
		}
	}
	return 0, "a string that does not end"
}

// unquoteLiteral returns the characters of a string literal, which is the whole text.
func unquoteLiteral(text string) (string, bool) {
	prefix := stringPrefix(text)
	if size, wrong := stringSize(text, prefix); wrong != "" || size != len(text) {
		return "", false
	}
	body := text[prefix:]
	if strings.HasPrefix(body, "```") || strings.HasPrefix(body, "~~~") {
		return body[3 : len(body)-3], true
	}
	quote, inner := body[:1], body[1:len(body)-1]
	if prefix > 0 && text[prefix-1] == '@' {
		return strings.ReplaceAll(inner, quote+quote, quote), true
	}
	if strings.IndexByte(inner, '\\') < 0 {
		return inner, true
	}
	var b strings.Builder
	b.Grow(len(inner))
	for len(inner) > 0 {
		i := strings.IndexByte(inner, '\\')
		if i < 0 {
			break
		}
		b.WriteString(inner[:i])
		r, n, ok := escape(inner[i:])
		if !ok {
			return "", false
		}
		b.WriteRune(r)
		inner = inner[i+n:]
	}
	b.WriteString(inner)
	return b.String(), true
}

// escape returns the character of the escape that text begins with, and its length.
func escape(text string) (r rune, n int, ok bool) {
	if len(text) < 2 {
		return 0, 0, false
	}
	digits := 0
	switch c := text[1]; c {
	case '\'', '"', '\\':
		return rune(c), 2, true
	case 'a', 'b', 'f', 'n', 'r', 't', 'v':
		return rune("\a\b\f\n\r\t\v"[strings.IndexByte("abfnrtv", c)]), 2, true
	case 'x':
		digits = 2
	case 'u':
		digits = 4
	case 'U':
		digits = 8
	default:
		n := 1
		for n < len(text) && n < 4 && text[n]-'0' < 8 {
			n++
		}
		v, err := strconv.ParseUint(text[1:n], 8, 32)
		return rune(v), n, err == nil
	}
	if len(text) < 2+digits {
		return 0, 0, false
	}
	v, err := strconv.ParseUint(text[2:2+digits], 16, 32)
	if err != nil || v > utf8.MaxRune {
		return 0, 0, false
	}
	return rune(v), 2 + digits, true
}

// Quote returns text as a string literal.
func Quote(text string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range text {
		switch {
		case r == '"' || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\t':
			b.WriteString(`\t`)
		case acts(r) || r == utf8.RuneError:
			b.WriteString(`\u` + strconv.FormatUint(uint64(0x10000+r), 16)[1:])
		default:
			b.WriteRune(r)
		}
	}
	b.WriteByte('"')
	return b.String()
}
