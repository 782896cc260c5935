package column

import (
	"encoding/binary"
	"errors"
	"fmt"
)

// ErrCorrupt is wrapped by every error about bytes that no Encoder made.
var ErrCorrupt = errors.New("column: corrupt")

func corrupt(what string) error { return fmt.Errorf("%w: %s", ErrCorrupt, what) }

// A cursor reads bytes that may be wrong. After a failure it only returns zeros,
// so a reader may check once at its end, before it trusts what it read.
type cursor struct {
	data   []byte // what is not read yet
	failed bool
}

func (c *cursor) fail() {
	c.failed = true
	c.data = nil
}

func (c *cursor) byte() byte {
	if len(c.data) == 0 {
		c.fail()
		return 0
	}
	b := c.data[0]
	c.data = c.data[1:]
	return b
}

// uvarint reads a number that is at most limit.
func (c *cursor) uvarint(limit uint64) int { return int(c.uint64(limit)) }

func (c *cursor) uint64(limit uint64) uint64 {
	v, n := binary.Uvarint(c.data)
	if n <= 0 || v > limit {
		c.fail()
		return 0
	}
	c.data = c.data[n:]
	return v
}

func (c *cursor) varint() int64 {
	v, n := binary.Varint(c.data)
	if n <= 0 {
		c.fail()
		return 0
	}
	c.data = c.data[n:]
	return v
}

// bytes reads n bytes, as a part of the data.
func (c *cursor) bytes(n int) []byte {
	if n > len(c.data) {
		c.fail()
		return nil
	}
	b := c.data[:n:n]
	c.data = c.data[n:]
	return b
}

// stream reads a packed stream of at most limit bytes.
func (c *cursor) stream(limit int) stream {
	if c.failed {
		return stream{}
	}
	s, rest, err := unpack(c.data, limit)
	if err != nil {
		c.fail()
		return stream{}
	}
	c.data = rest
	return s
}

// end reports whether everything was read, and nothing failed.
func (c *cursor) end() bool { return !c.failed && len(c.data) == 0 }
