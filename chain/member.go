package chain

import (
	"bytes"
	"encoding/binary"
	"iter"
)

// Members walks the members of an object in canonical form, in their order.
// Name and value are fragments of the text, in canonical form themselves: the
// name is in quotes, and [Unquote] gives its characters. The text is trusted to
// be what [Canonical] made; of any other text, the walk ends where it stops
// making sense. A text that is no object has no members.
func Members(object []byte) iter.Seq2[[]byte, []byte] {
	return func(yield func(name, value []byte) bool) {
		rest := object
		if len(rest) == 0 || rest[0] != '{' {
			return
		}
		for len(rest) > 3 && rest[1] == '"' {
			rest = rest[1:]
			n := stringEnd(rest)
			if n == len(rest) || rest[n] != ':' {
				return
			}
			v := valueEnd(rest[n+1:])
			if !yield(rest[:n], rest[n+1:n+1+v]) {
				return
			}
			rest = rest[n+1+v:]
		}
	}
}

// A Text is a JSON text in canonical form. Of one that [Text.Canonical] made, the members
// are known without looking for them again.
type Text struct {
	Bytes  []byte
	starts []uint32 // of the members of an object, from the first one's; nil: not known
}

// TextOf returns a text that is in canonical form already.
func TextOf(canonical []byte) *Text { return &Text{Bytes: canonical} }

// Canonical is [Canonical]; t becomes what was appended. Its memory is used again.
func (t *Text) Canonical(dst, text []byte) ([]byte, error) {
	t.starts = t.starts[:0]
	out, err := canonical(dst, text, compareUTF16, &t.starts)
	t.Bytes = out[len(dst):len(out):len(out)]
	return out, err
}

// Members is [Members] of the text.
func (t *Text) Members() iter.Seq2[[]byte, []byte] {
	return func(yield func(name, value []byte) bool) {
		if len(t.starts) == 0 {
			Members(t.Bytes)(yield)
			return
		}
		for i, start := range t.starts {
			end := len(t.Bytes)
			if i+1 < len(t.starts) {
				end = 1 + int(t.starts[i+1])
			}
			member := t.Bytes[1+start : end-1] // behind it stands a comma, or the brace
			n := stringEnd(member)
			if !yield(member[:n], member[n+1:]) {
				return
			}
		}
	}
}

// stringEnd returns the length of the string that text begins with. It goes from
// quote to quote: in texts that agents write, other escapes are far more common
// than escaped quotes.
func stringEnd(text []byte) int {
	for i := 1; i < len(text); i++ {
		n := bytes.IndexByte(text[i:], '"')
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

// valueEnd returns the length of the canonical value that text begins with.
func valueEnd(text []byte) int {
	depth := 0
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '"':
			if i += stringEnd(text[i:]) - 1; depth == 0 {
				return min(i+1, len(text))
			}
		case '{', '[':
			depth++
		case '}', ']':
			if depth == 0 { // that of the container around the value
				return i
			}
			if depth--; depth == 0 {
				return i + 1
			}
		case ',':
			if depth == 0 {
				return i
			}
		}
	}
	return len(text)
}

// Unquote returns the characters of a string in canonical form.
func Unquote(quoted []byte) string {
	return string(unescape(inner(quoted)))
}

// inner returns a string in quotes without them.
func inner(quoted []byte) []byte { return quoted[1 : len(quoted)-1] }

// unescape undoes the escapes of canonical text, where \u stands for a control character
// only.
func unescape(text []byte) []byte {
	i := bytes.IndexByte(text, '\\')
	if i < 0 {
		return text
	}
	dst := make([]byte, 0, len(text))
	for ; i >= 0; i = bytes.IndexByte(text, '\\') {
		dst = append(dst, text[:i]...)
		b := text[i+1]
		text = text[i+2:]
		switch b {
		case 'u':
			r, _ := hex4(text)
			dst, text = append(dst, byte(r)), text[4:]
		case 'b':
			dst = append(dst, '\b')
		case 'f':
			dst = append(dst, '\f')
		case 'n':
			dst = append(dst, '\n')
		case 'r':
			dst = append(dst, '\r')
		case 't':
			dst = append(dst, '\t')
		default:
			dst = append(dst, b)
		}
	}
	return append(dst, text...)
}

// Elements walks the elements of an array in canonical form, with their places
// from 0. It trusts the text as [Members] does.
func Elements(array []byte) iter.Seq2[int, []byte] {
	return func(yield func(i int, value []byte) bool) {
		rest := array
		if len(rest) == 0 || rest[0] != '[' {
			return
		}
		for i := 0; len(rest) > 2; i++ {
			n := valueEnd(rest[1:])
			if n == 0 || !yield(i, rest[1:1+n]) {
				return
			}
			rest = rest[1+n:]
		}
	}
}

// Quote returns text, which must be valid UTF-8, as a string in canonical form.
func Quote(text string) []byte { return AppendQuote(nil, []byte(text)) }

// AppendQuote appends the canonical form of text, which must be valid UTF-8, as a
// string.
func AppendQuote(dst, text []byte) []byte {
	dst = append(dst, '"')
	for len(text) > 0 {
		n := plainPrefix(text)
		dst = append(dst, text[:n]...)
		if text = text[n:]; len(text) > 0 {
			dst = spell(dst, rune(text[0])) // a quote, a backslash or a control character
			text = text[1:]
		}
	}
	return append(dst, '"')
}

// plainPrefix returns how many bytes of text stand for themselves in a string.
func plainPrefix(text []byte) int {
	i := 0
	for ; i+8 <= len(text); i += 8 {
		if m := special(binary.LittleEndian.Uint64(text[i:])) &^ (binary.LittleEndian.Uint64(text[i:]) & tops); m != 0 {
			break
		}
	}
	for ; i < len(text); i++ {
		if b := text[i]; b < ' ' || b == '"' || b == '\\' {
			return i
		}
	}
	return i
}

// CompareNames orders two names in canonical form as the members of an object are.
func CompareNames(a, b []byte) int { return names.compare(a, b, false) }

var names = canonizer{compareNames: compareUTF16}
