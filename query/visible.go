package query

import "unicode/utf8"

// acts tells the characters that could act on a terminal: control characters, line
// separators and those that change the direction of writing.
func acts(r rune) bool {
	return r < 0x20 || r >= 0x7f && r <= 0x9f || r == 0x061c || r == 0x200e || r == 0x200f ||
		r >= 0x2028 && r <= 0x202e || r >= 0x2066 && r <= 0x2069
}

const lowerHex = "0123456789abcdef"

// appendUnicode appends \uNNNN for a character of the basic plane.
func appendUnicode(dst []byte, r rune) []byte {
	return append(dst, '\\', 'u', lowerHex[r>>12&15], lowerHex[r>>8&15], lowerHex[r>>4&15], lowerHex[r&15])
}

// Visible returns text with every character escaped that could act on a terminal, as \xNN or
// \uNNNN; also what is not UTF-8, byte by byte.
func Visible(text string) string {
	return string(appendVisible(nil, text, `\x0a`, `\x09`))
}

// appendVisible appends text on one line, with newline for each newline and tab for each
// tab. Every other character that acts, and what is not UTF-8, is escaped as \xNN or \uNNNN.
func appendVisible(dst []byte, text, newline, tab string) []byte {
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
			dst = append(dst, tab...)
		case broken:
			dst = append(dst, '\\', 'x', lowerHex[text[i]>>4], lowerHex[text[i]&15])
		case r <= 0xff:
			dst = append(dst, '\\', 'x', lowerHex[r>>4], lowerHex[r&15])
		default:
			dst = appendUnicode(dst, r)
		}
		i += n
		start = i
	}
	return append(dst, text[start:]...)
}
