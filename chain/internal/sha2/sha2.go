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
	// Longer messages are hashed alone, after the others.
	maxBlocks = 64
)

// A Batch computes the SHA-256 of messages, all at once when it is flushed:
//
//	text, i := b.Message(7)
//	copy(text, "message")
//	...
//	b.Flush()
//	sum := b.Sums[i]
//	b.Reset()
//
// Its zero value is ready.
type Batch struct {
	Sums [][sha256.Size]byte // of the messages, in order

	buf   []byte // the messages, padded
	list  []message
	first [maxBlocks + 1]int32 // plus one, in list, by number of blocks; 0: none. At 0 are the longer ones
	most  int                  // blocks
}

// A message has not been hashed yet.
type message struct {
	at, size int   // in buf
	sum      int   // in Sums
	next     int32 // plus one, in list: of those with as many blocks
}

// Reset forgets the messages and their sums.
func (b *Batch) Reset() { b.buf, b.Sums = b.buf[:0], b.Sums[:0] }

// Message adds a message of that size, and returns where its bytes are to be put
// before the next call, and the place of its sum.
func (b *Batch) Message(size int) (text []byte, sum int) {
	start := len(b.buf)
	end := b.pad(start, size)
	return b.buf[start : start+size : end], b.add(start, size)
}

// Open returns the end of a buffer, to which a message of any size is to be appended
// before Close.
func (b *Batch) Open() []byte { return b.buf[len(b.buf):] }

// Close adds the message that was appended to what Open returned.
func (b *Batch) Close(text []byte) (sum int) {
	start := len(b.buf)
	if cap(b.buf)-start < len(text) { // it has grown out of buf
		b.buf = append(b.buf, text...)[:start]
	}
	b.pad(start, len(text))
	return b.add(start, len(text))
}

// Put adds a sum that was computed elsewhere.
func (b *Batch) Put(sum [sha256.Size]byte) int {
	b.Sums = append(b.Sums, sum)
	return len(b.Sums) - 1
}

// pad makes a message of size bytes at start whole: behind it stand a bit, zeros, and
// its length. It returns where that ends, and leaves the message's bytes alone.
func (b *Batch) pad(start, size int) (end int) {
	end = start + blocksOf(size)*blockSize
	if end > cap(b.buf) {
		b.buf = append(make([]byte, 0, 2*end), b.buf[:start+min(size, cap(b.buf)-start)]...)
	}
	b.buf = b.buf[:end]
	b.buf[start+size] = 0x80
	clear(b.buf[start+size+1 : end-8])
	binary.BigEndian.PutUint64(b.buf[end-8:], uint64(size)*8)
	return end
}

func blocksOf(size int) int { return (size + 1 + 8 + blockSize - 1) / blockSize }

func (b *Batch) add(start, size int) (sum int) {
	sum = b.Put([sha256.Size]byte{})
	blocks := blocksOf(size)
	if !pairs || blocks > maxBlocks {
		blocks = 0
	}
	b.list = append(b.list, message{start, size, sum, b.first[blocks]})
	b.first[blocks] = int32(len(b.list))
	b.most = max(b.most, blocks)
	return sum
}

// Flush computes the sums of the messages that were added since the last time.
func (b *Batch) Flush() {
	for i := b.first[0]; i > 0; {
		m := &b.list[i-1]
		b.Sums[m.sum] = sha256.Sum256(b.buf[m.at:][:m.size])
		i = m.next
	}
	b.first[0] = 0
	var waits *message // for another one, of at least as many blocks
	size := 0          // of it, in blocks
	for blocks := 1; blocks <= b.most; blocks++ {
		for i := b.first[blocks]; i > 0; {
			m := &b.list[i-1]
			i = m.next
			if waits == nil {
				waits, size = m, blocks
				continue
			}
			sum2(&b.Sums[waits.sum], &b.Sums[m.sum], &b.buf[waits.at], &b.buf[m.at], size, blocks-size)
			waits = nil
		}
		b.first[blocks] = 0
	}
	if waits != nil { // twice
		sum2(&b.Sums[waits.sum], &b.Sums[waits.sum], &b.buf[waits.at], &b.buf[waits.at], size, 0)
	}
	b.list, b.most = b.list[:0], 0
}
