package chain

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
)

// object reads an object. Its members are put in order only where they are
// not: until one comes that does not follow the one before, comparing the two
// names is all that order and duplicates cost.
func (c *canonizer) object(depth int) error {
	c.pos++
	base := c.mark() // of the first member
	open := len(c.members)
	ordered := true
	var last member
	var lastPlain bool
	c.space()
	if c.pos < len(c.src) && c.src[c.pos] == '}' {
		c.pos++
		return nil
	}
	for {
		m := member{start: uint32(c.mark() - base), src: uint32(c.pos)}
		if c.pos == len(c.src) || c.src[c.pos] != '"' {
			return c.errorf(c.pos, "expected a member name in quotes, found %s", c.found())
		}
		plain, err := c.str()
		if err != nil {
			return err
		}
		nameEnd := uint32(c.mark() - base)
		if ordered && len(c.members) > open {
			order := c.compare(c.at(base+int(last.start), base+int(last.end)), c.at(base+int(m.start), base+int(nameEnd)), lastPlain && plain)
			if order == 0 {
				return c.duplicate(m, base, nameEnd)
			}
			ordered = order < 0
		}
		last, lastPlain = member{start: m.start, end: nameEnd}, plain
		c.space()
		if c.pos == len(c.src) || c.src[c.pos] != ':' {
			return c.errorf(c.pos, "expected ':' after a member name, found %s", c.found())
		}
		c.pos++
		c.space()
		if err := c.value(depth); err != nil {
			return err.(*SyntaxError).within(Unquote(c.at(base+int(m.start), base+int(nameEnd))))
		}
		m.end = uint32(c.mark() - base)
		c.members = append(c.members, m)
		c.space()
		more, err := c.next('}')
		if err != nil {
			return err
		}
		if !more {
			break
		}
		c.space()
	}
	if !ordered {
		if err := c.sort(base, c.members[open:]); err != nil {
			return err
		}
	}
	c.members = c.members[:open]
	return nil
}

// sort puts the members of the object that was just read in order, in out.
func (c *canonizer) sort(base int, members []member) error {
	c.flush()
	text := c.out[base:]
	slices.SortFunc(members, func(a, b member) int {
		return c.compare(name(text, a), name(text, b), false)
	})
	c.sorted = c.sorted[:0]
	for i, m := range members {
		if i > 0 {
			if prev := members[i-1]; bytes.Equal(name(text, prev), name(text, m)) {
				if prev.src > m.src {
					m = prev
				}
				return c.duplicate(m, base, m.start+uint32(len(name(text, m))))
			}
			c.sorted = append(c.sorted, ',')
		}
		c.sorted = append(c.sorted, text[m.start:m.end]...)
	}
	c.out = append(c.out[:base], c.sorted...)
	c.out = append(c.out, '}')
	return nil
}

// name returns the name of m, quotes included.
func name(text []byte, m member) []byte {
	t := text[m.start:m.end]
	return t[:stringEnd(t)]
}

func (c *canonizer) duplicate(m member, base int, nameEnd uint32) error {
	n := Unquote(c.at(base+int(m.start), base+int(nameEnd)))
	return c.errorf(int(m.src), "duplicate member %q", n)
}

// compare orders two canonical names: by UTF-16 code units (RFC 8785, 3.2.3),
// or by code points in the ASCII spelling. Plain names, which have no escape
// and nothing but ASCII, compare as they are.
func (c *canonizer) compare(a, b []byte, plain bool) int {
	a, b = inner(a), inner(b)
	if plain {
		return bytes.Compare(a, b)
	}
	if bytes.IndexByte(a, '\\') >= 0 || bytes.IndexByte(b, '\\') >= 0 {
		a, b = unescape(a), unescape(b)
	}
	if c.ascii {
		return bytes.Compare(a, b)
	}
	return compareUTF16(a, b)
}

// compareUTF16 orders UTF-8 text by its UTF-16 code units. That differs from
// the order of bytes only between U+E000 to U+FFFF (first byte EE or EF) and the
// supplementary characters (F0 to F4), whose surrogates are smaller.
func compareUTF16(a, b []byte) int {
	for i := range min(len(a), len(b)) {
		if x, y := a[i], b[i]; x != y {
			if x >= 0xEE && y >= 0xEE && (x >= 0xF0) != (y >= 0xF0) {
				x, y = y, x
			}
			return int(x) - int(y)
		}
	}
	return len(a) - len(b)
}

// A SyntaxError says where a text is not JSON, or not JSON that a chain can
// carry.
type SyntaxError struct {
	Offset  int    // bytes before the place, from the start of the text
	Pointer string // RFC 6901, to the value around the place
	Msg     string // what was expected and what was found
}

func (e *SyntaxError) Error() string {
	if e.Pointer == "" {
		return fmt.Sprintf("byte %d: %s", e.Offset, e.Msg)
	}
	return fmt.Sprintf("byte %d, in %s: %s", e.Offset, e.Pointer, e.Msg)
}

// within puts the token of a container in front of the pointer, as the error
// passes it on its way up. So a text without an error pays nothing for it.
func (e *SyntaxError) within(token string) error {
	e.Pointer = "/" + pointerEscaper.Replace(token) + e.Pointer
	return e
}

var pointerEscaper = strings.NewReplacer("~", "~0", "/", "~1")

func (c *canonizer) errorf(offset int, format string, args ...any) error {
	return &SyntaxError{Offset: offset, Msg: fmt.Sprintf(format, args...)}
}

// found names what stands at pos.
func (c *canonizer) found() string {
	rest := c.src[c.pos:]
	switch {
	case len(rest) == 0:
		return "the end of the text"
	case bytes.HasPrefix(rest, []byte("\ufeff")):
		return "a byte order mark"
	case rest[0] == 0:
		return "a NUL byte"
	case rest[0] > ' ' && rest[0] < 0x7f:
		return fmt.Sprintf("'%c'", rest[0])
	}
	return fmt.Sprintf("byte 0x%02x", rest[0])
}
