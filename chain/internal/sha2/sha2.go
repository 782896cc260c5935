// Package sha2 computes the SHA-256 of many short messages. The instructions that
// processors have for it wait for each other within a message: two messages side by
// side take little longer than one.
package sha2

import (
	"crypto/sha256"
	"encoding/binary"
)

const (
	blockSize = 64
	// A longer message is hashed alone, where it stands: it is not worth a copy.
	maxBlocks = 64
)

// A Batch computes the SHA-256 of messages. A message is what is appended to Buf
// between two calls of End, and what is given to End:
//
//	b.Buf = append(b.Buf, "mess"...)
//	i := b.End([]byte("age"))
//	...
//	b.Flush()
//	sum := b.Sums[i]
//	b.Reset()
//
// Its zero value is ready.
type Batch struct {
	Buf  []byte              // the messages, padded
	Sums [][sha256.Size]byte // of the messages, in order, after Flush

	begin   int // of the message that is being written
	waiting [maxBlocks + 1]message
	most    int // blocks of a message that waits
}

// A message waits for another of as many blocks.
type message struct {
	at    int // in Buf
	i     int // in Sums
	waits bool
}

// Reset forgets the messages and their sums.
func (b *Batch) Reset() {
	b.Buf, b.Sums, b.begin = b.Buf[:0], b.Sums[:0], 0
	clear(b.waiting[:b.most+1])
	b.most = 0
}

// End ends a message, with rest as its last bytes, and returns the place of its sum.
func (b *Batch) End(rest []byte) int {
	i := len(b.Sums)
	size := len(b.Buf) - b.begin + len(rest)
	blocks := (size + 1 + 8 + blockSize - 1) / blockSize
	if !pairs || blocks > maxBlocks {
		b.Sums = append(b.Sums, b.one(rest))
		b.Buf = b.Buf[:b.begin]
		return i
	}
	b.Sums = append(b.Sums, [sha256.Size]byte{})
	b.Buf = append(b.Buf, rest...)
	b.Buf = append(b.Buf, padding[:blocks*blockSize-size-8]...)
	b.Buf = binary.BigEndian.AppendUint64(b.Buf, uint64(size)*8)
	m := message{b.begin, i, true}
	b.begin = len(b.Buf)
	if w := &b.waiting[blocks]; w.waits {
		sum2(&b.Sums[w.i], &b.Sums[m.i], &b.Buf[w.at], &b.Buf[m.at], blocks)
		w.waits = false
	} else {
		*w = m
		b.most = max(b.most, blocks)
	}
	return i
}

// padding ends a message: a bit, then zeros up to its size.
var padding = [blockSize + 8]byte{0x80}

// one returns the sum of a message alone.
func (b *Batch) one(rest []byte) (sum [sha256.Size]byte) {
	if len(rest) <= maxBlocks*blockSize {
		b.Buf = append(b.Buf, rest...)
		return sha256.Sum256(b.Buf[b.begin:])
	}
	h := sha256.New()
	h.Write(b.Buf[b.begin:])
	h.Write(rest)
	h.Sum(sum[:0])
	return sum
}

// Flush computes the sums that are not there yet.
func (b *Batch) Flush() {
	for blocks := range b.most + 1 {
		if w := &b.waiting[blocks]; w.waits {
			sum2(&b.Sums[w.i], &b.Sums[w.i], &b.Buf[w.at], &b.Buf[w.at], blocks)
			w.waits = false
		}
	}
}
