package query

import (
	"iter"
	"unsafe"
)

// Chunks is a list that grows without being moved: a slice of 100 MB that outgrows its room is
// copied in one go, which takes a tenth of a second and more, and nothing else of the program
// runs meanwhile if a collection of garbage begins, which waits for the copy. The zero value
// is an empty list.
type Chunks[T any] struct {
	full []*[chunkLen]T
	last []T // what is not yet in full; small lists are this alone
}

// chunkLen is how many values a chunk has.
const chunkLen = 1 << chunkBits

const chunkBits = 12

// Len returns how many values there are.
func (c *Chunks[T]) Len() int { return len(c.full)<<chunkBits + len(c.last) }

// Append adds values.
func (c *Chunks[T]) Append(values ...T) {
	for len(values) > 0 {
		n := min(len(values), chunkLen-len(c.last))
		if need := len(c.last) + n; need > cap(c.last) { // append would make more room than a chunk has
			c.last = append(make([]T, 0, min(max(need, 2*cap(c.last), 8), chunkLen)), c.last...)
		}
		c.last = append(c.last, values[:n]...)
		values = values[n:]
		if len(c.last) == chunkLen {
			c.full = append(c.full, (*[chunkLen]T)(c.last))
			c.last = make([]T, 0, chunkLen)
		}
	}
}

// At returns the value at i, 0 <= i < Len. It stays where it is until the list is cut.
func (c *Chunks[T]) At(i int) *T {
	if k := i >> chunkBits; k < len(c.full) {
		return &c.full[k][i&(chunkLen-1)]
	}
	return &c.last[i-len(c.full)<<chunkBits]
}

// Cut leaves the first n values.
func (c *Chunks[T]) Cut(n int) {
	if k := n >> chunkBits; k < len(c.full) {
		c.last, c.full = c.full[k][:], c.full[:k]
	}
	c.last = c.last[:n&(chunkLen-1)]
}

// All returns the values, some at a time.
func (c *Chunks[T]) All() iter.Seq[[]T] {
	return func(yield func([]T) bool) {
		for _, chunk := range c.full {
			if !yield(chunk[:]) {
				return
			}
		}
		if len(c.last) > 0 {
			yield(c.last)
		}
	}
}

// Slice returns the values as one slice; that of a short list is its own.
func (c *Chunks[T]) Slice() []T {
	if len(c.full) == 0 {
		return c.last
	}
	list := make([]T, 0, c.Len())
	for chunk := range c.All() {
		list = append(list, chunk...)
	}
	return list
}

// Size returns the bytes that it takes, without what the values point to.
func (c *Chunks[T]) Size() int {
	var v T
	return (len(c.full)<<chunkBits + cap(c.last)) * int(unsafe.Sizeof(v))
}
