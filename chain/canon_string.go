package chain

import (
	"encoding/binary"
	"math/bits"
	"unicode/utf16"
	"unicode/utf8"
)

// Eight bytes of a string are looked at at once, as in Hacker's Delight 6-1:
// each test sets the top bit of the bytes it finds, and perhaps of bytes above
// the first one found, so that only the lowest set bit counts.
const (
	ones = 0x0101010101010101
	tops = 0x8080808080808080
)

// special finds in w the bytes that need a look: quotes, backslashes, control
// characters, and everything that is not ASCII.
func special(w uint64) uint64 {
	quote, slash := w^(ones*'"'), w^(ones*'\\')
	return (w | (w-ones*0x20)&^w | (quote-ones)&^quote | (slash-ones)&^slash) & tops
}

// str reads the string at pos. It is plain if it holds nothing but ASCII
// without escapes.
func (c *canonizer) str() (plain bool, err error) {
	plain = true
	src, start, i := c.src, c.pos, c.pos+1
	for {
		for i+8 <= len(src) {
			if m := special(binary.LittleEndian.Uint64(src[i:])); m != 0 {
				i += bits.TrailingZeros64(m) / 8
				break
			}
			i += 8
		}
		if i >= len(src) {
			return false, c.errorf(c.pos, "a string that does not end")
		}
		switch b := src[i]; {
		case b == '"':
			c.pos = i + 1
			if c.kept > start { // respelled: bring it into one piece, for [canonizer.at]
				c.flush()
			}
			return plain, nil
		case b == '\\' && i+1 < len(src) && kept[src[i+1]]:
			plain = false
			i += 2
		case b == '\\':
			plain = false
			if i, err = c.escape(i); err != nil {
				return false, err
			}
		case b < ' ':
			return false, c.errorf(i, "a control character (0x%02x) must be escaped in a string", b)
		case b >= utf8.RuneSelf:
			plain = false
			if n := threeByteRunes(src[i:]); n > 0 {
				i += n
				continue
			}
			r, n := utf8.DecodeRune(src[i:])
			if r == utf8.RuneError && n == 1 {
				return false, c.errorf(i, "invalid UTF-8 (byte 0x%02x) in a string", b)
			}
			i += n
		default:
			i++
		}
	}
}

// threeByteRunes returns how many bytes of text are characters of three bytes, such as
// those of Han and Kana, which come in runs. Those that begin with E0 or ED, where not
// every second byte is allowed, are left to package utf8.
func threeByteRunes(text []byte) int {
	i := 0
	for i+3 <= len(text) && text[i]&0xF0 == 0xE0 && text[i] != 0xE0 && text[i] != 0xED && text[i+1]&0xC0 == 0x80 && text[i+2]&0xC0 == 0x80 {
		i += 3
	}
	return i
}

// kept has the characters that stand behind a backslash in canonical form too, but
// for u.
var kept = [256]bool{'"': true, '\\': true, 'b': true, 'f': true, 'n': true, 'r': true, 't': true}

// escape reads the escape at i, which has to be spelled anew, and returns the place
// after it.
func (c *canonizer) escape(i int) (int, error) {
	if i+1 == len(c.src) {
		return 0, c.errorf(c.pos, "a string that does not end")
	}
	switch b := c.src[i+1]; b {
	case '/':
		c.respell(i, i+2, '/')
		return i + 2, nil
	case 'u':
	default:
		return 0, c.errorf(i, "no such escape in JSON: expected one of \\\" \\\\ \\/ \\b \\f \\n \\r \\t \\uXXXX")
	}
	r, ok := hex4(c.src[i+2:])
	if !ok {
		return 0, c.errorf(i, "expected four hexadecimal digits after \\u")
	}
	end := i + 6
	if utf16.IsSurrogate(r) {
		var low rune
		if rest := c.src[end:]; len(rest) >= 2 && rest[0] == '\\' && rest[1] == 'u' {
			low, _ = hex4(rest[2:])
		}
		pair := utf16.DecodeRune(r, low)
		if pair == utf8.RuneError {
			return 0, c.errorf(i, "a surrogate (\\u%04x) without its other half", r)
		}
		r, end = pair, end+6
	}
	c.respell(i, end, r)
	return end, nil
}

func hex4(b []byte) (r rune, ok bool) {
	if len(b) < 4 {
		return 0, false
	}
	for _, d := range b[:4] {
		switch {
		case d-'0' <= 9:
			d -= '0'
		case d|0x20 >= 'a' && d|0x20 <= 'f':
			d = d | 0x20 - 'a' + 10
		default:
			return 0, false
		}
		r = r<<4 | rune(d)
	}
	return r, true
}

// respell writes r in place of src[i:end].
func (c *canonizer) respell(i, end int, r rune) {
	c.out = append(c.out, c.src[c.kept:i]...)
	c.out = spell(c.out, r)
	c.kept = end
}

// spell appends r as it stands in a canonical string.
func spell(dst []byte, r rune) []byte {
	switch r {
	case '"', '\\':
		return append(dst, '\\', byte(r))
	case '\b':
		return append(dst, `\b`...)
	case '\t':
		return append(dst, `\t`...)
	case '\n':
		return append(dst, `\n`...)
	case '\f':
		return append(dst, `\f`...)
	case '\r':
		return append(dst, `\r`...)
	}
	if r >= ' ' {
		return utf8.AppendRune(dst, r)
	}
	return appendHex4(dst, r)
}

func appendHex4(dst []byte, r rune) []byte {
	return append(dst, '\\', 'u', hexLower[r>>12], hexLower[r>>8&15], hexLower[r>>4&15], hexLower[r&15])
}
