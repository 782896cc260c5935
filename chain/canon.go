package chain

import (
	"fmt"
	"slices"
	"sync"
)

// Limits of a JSON text. A text over one of them is refused, never cut.
const (
	MaxDepth = 512       // nesting of arrays and objects
	MaxText  = 1<<31 - 1 // bytes: positions are kept in 32 bits
	maxPool  = 1 << 20   // a scratch buffer over this size is not kept for later calls
	hexLower = "0123456789abcdef"
)

// Canonical appends the canonical form of one JSON text to dst. The form is
// that of the package's doc: RFC 8785 with the bytes of number tokens kept.
// It is never longer than the text. On an error, which is a [*SyntaxError],
// dst is returned as it was given.
func Canonical(dst, text []byte) ([]byte, error) {
	return canonical(dst, text, compareUTF16, nil)
}

// canonical is Canonical with names in the order of compare. Where top is not nil, it
// gets the places of the members of the outermost object, from the first one's, unless
// they are very many.
func canonical(dst, text []byte, compare func(a, b []byte) int, top *[]uint32) ([]byte, error) {
	c := canonizers.Get().(*canonizer)
	c.src, c.compareNames, c.pos, c.kept, c.top = text, compare, 0, 0, top
	c.out = slices.Grow(dst, len(text))
	err := c.text()
	out := c.out
	c.src, c.out, c.top = nil, nil, nil
	if cap(c.sorted) > maxPool || cap(c.starts) > maxPool/4 {
		c.sorted, c.starts = nil, nil
	}
	canonizers.Put(c)
	if err != nil {
		return dst, err
	}
	return out, nil
}

var canonizers = sync.Pool{New: func() any { return new(canonizer) }}

// A canonizer reads a text once. What it has read stands in two parts: out,
// and src[kept:pos], which is canonical as it is and not copied yet. So text
// that is canonical already is copied in one piece, and a deviation (white
// space, another spelling of a string) costs only itself.
//
// A place in the canonical text, its mark, counts both parts; it stays the
// same when src[kept:pos] moves to out.
type canonizer struct {
	src  []byte
	pos  int
	out  []byte
	kept int

	compareNames func(a, b []byte) int // of characters, where they are not all plain

	starts []uint32    // of the members of all open objects, from each one's first member
	sorted []byte      // members of one object, put in order
	top    *[]uint32   // where the places of the outermost members go, or nil
	orders [64][]uint8 // of the last objects, by number of members and length of the first name: which came where
}

func (c *canonizer) mark() int { return len(c.out) + c.pos - c.kept }

// at returns a string of the canonical text, which stands in one piece.
func (c *canonizer) at(s span) []byte {
	if n := len(c.out); s.start >= n {
		return c.src[c.kept+s.start-n : c.kept+s.end-n]
	}
	return c.out[s.start:s.end]
}

// flush copies what was kept.
func (c *canonizer) flush() {
	c.out = append(c.out, c.src[c.kept:c.pos]...)
	c.kept = c.pos
}

func (c *canonizer) text() error {
	if len(c.src) > MaxText {
		return &SyntaxError{Msg: fmt.Sprintf("a text of %d bytes is over the limit of %d", len(c.src), MaxText)}
	}
	c.starts = c.starts[:0]
	c.space()
	if c.pos == len(c.src) {
		return c.errorf(c.pos, "expected a JSON value, found nothing")
	}
	if err := c.value(0); err != nil {
		return err
	}
	c.space()
	if c.pos < len(c.src) {
		return c.errorf(c.pos, "expected the end after the value, found %s", c.found())
	}
	c.flush()
	return nil
}

// space drops white space.
func (c *canonizer) space() {
	if c.pos < len(c.src) && c.src[c.pos] > ' ' {
		return
	}
	// One space, as most writers put, is worth a test of its own.
	n := 1
	if c.pos+1 >= len(c.src) || c.src[c.pos] != ' ' || c.src[c.pos+1] <= ' ' {
		if n = spaces(c.src[c.pos:]); n == 0 {
			return
		}
	}
	c.flush()
	c.pos += n
	c.kept = c.pos
}

// spaces returns how many bytes of white space text begins with.
func spaces(text []byte) int {
	for i, b := range text {
		if b != ' ' && b != '\n' && b != '\t' && b != '\r' {
			return i
		}
	}
	return len(text)
}

// value reads the value at pos, with depth containers around it.
func (c *canonizer) value(depth int) error {
	if c.pos == len(c.src) {
		return c.errorf(c.pos, "expected a value, found the end of the text")
	}
	switch b := c.src[c.pos]; b {
	case '"':
		_, err := c.str()
		return err
	case '{', '[':
		if depth == MaxDepth {
			return c.errorf(c.pos, "nested deeper than %d", MaxDepth)
		}
		if b == '{' {
			return c.object(depth + 1)
		}
		return c.array(depth + 1)
	case 't':
		return c.literal("true")
	case 'f':
		return c.literal("false")
	case 'n':
		return c.literal("null")
	case '-', '0', '1', '2', '3', '4', '5', '6', '7', '8', '9':
		return c.number()
	}
	return c.errorf(c.pos, "expected a value, found %s", c.found())
}

func (c *canonizer) literal(word string) error {
	end := c.pos + len(word)
	if end > len(c.src) || string(c.src[c.pos:end]) != word {
		return c.errorf(c.pos, "expected a value, found %s", c.found())
	}
	c.pos = end
	return nil
}

// number reads a number token, whose bytes are kept.
func (c *canonizer) number() error {
	start := c.pos
	if c.src[c.pos] == '-' {
		c.pos++
	}
	if c.pos < len(c.src) && c.src[c.pos] == '0' {
		c.pos++
	} else if c.digits() == 0 {
		return c.numberError(start)
	}
	if c.pos < len(c.src) && c.src[c.pos] == '.' {
		c.pos++
		if c.digits() == 0 {
			return c.numberError(start)
		}
	}
	if c.pos < len(c.src) && c.src[c.pos]|0x20 == 'e' {
		c.pos++
		if c.pos < len(c.src) && (c.src[c.pos] == '+' || c.src[c.pos] == '-') {
			c.pos++
		}
		if c.digits() == 0 {
			return c.numberError(start)
		}
	}
	// A digit here follows a leading zero.
	if c.pos < len(c.src) && (c.src[c.pos]-'0' <= 9) {
		return c.numberError(start)
	}
	return nil
}

func (c *canonizer) digits() int {
	start := c.pos
	for c.pos < len(c.src) && c.src[c.pos]-'0' <= 9 {
		c.pos++
	}
	return c.pos - start
}

func (c *canonizer) numberError(start int) error {
	return c.errorf(start, "not a number of JSON, at its character %d", c.pos-start+1)
}

func (c *canonizer) array(depth int) error {
	c.pos++
	c.space()
	if c.pos < len(c.src) && c.src[c.pos] == ']' {
		c.pos++
		return nil
	}
	for i := 0; ; i++ {
		if err := c.value(depth); err != nil {
			return err.(*SyntaxError).within(fmt.Sprint(i))
		}
		c.space()
		more, err := c.next(']')
		if err != nil || !more {
			return err
		}
		c.space()
	}
}

// next reads a comma, or the closing bracket that ends a container.
func (c *canonizer) next(closing byte) (more bool, err error) {
	if c.pos < len(c.src) {
		switch c.src[c.pos] {
		case ',':
			c.pos++
			return true, nil
		case closing:
			c.pos++
			return false, nil
		}
	}
	return false, c.errorf(c.pos, "expected ',' or '%c', found %s", closing, c.found())
}
