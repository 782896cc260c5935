package column

import (
	"bytes"
	"encoding/binary"
	"hash/maphash"
	"math/bits"
	"slices"
)

var seed = maphash.MakeSeed()

// A valueTable numbers the distinct values of a block in order of first appearance.
// It holds up to MaxRows of them.
type valueTable struct {
	values [][]byte
	// A slot is the ordinal plus one in the low half, a part of the hash in the
	// high one; 0 is free.
	slots []uint32
}

const valueSlots = 4 * MaxRows

func (t *valueTable) reset() {
	if t.slots == nil {
		t.slots = make([]uint32, valueSlots)
	}
	clear(t.slots)
}

// release forgets the values, or they would keep the caller's memory.
func (t *valueTable) release() {
	clear(t.values)
	t.values = t.values[:0]
}

// ordinal returns the number of v, which the table keeps. It panics if v is too long.
func (t *valueTable) ordinal(v []byte) int {
	if len(v) > MaxValue {
		panic("column: value over the limit")
	}
	h := maphash.Bytes(seed, v)
	tag := uint32(h>>48) << 16
	for i := h % valueSlots; ; i = (i + 1) % valueSlots {
		s := t.slots[i]
		if s == 0 {
			t.values = append(t.values, v)
			t.slots[i] = tag | uint32(len(t.values))
			return len(t.values) - 1
		}
		if s>>16<<16 == tag {
			if o := int(s&0xFFFF) - 1; bytes.Equal(t.values[o], v) {
				return o
			}
		}
	}
}

// A wordTable numbers distinct words, and keeps their bytes one after the other.
type wordTable struct {
	slots []wordSlot // a power of two of them
	text  []byte
	ends  []uint32 // in text
}

// A wordSlot is free where its key is 0.
type wordSlot struct {
	key   uint64 // see wordKey
	id    uint32
	count uint32 // how often the word came
}

const shortWord = 7

func (t *wordTable) reset() {
	if t.slots == nil || len(t.slots) > 1<<16 { // clearing a large one costs too much
		t.slots = make([]wordSlot, 1<<10)
	}
	clear(t.slots)
	t.text, t.ends = t.text[:0], t.ends[:0]
}

// counts sets count to how often each word came.
func (t *wordTable) counts(count []uint32) []uint32 {
	count = slices.Grow(count[:0], len(t.ends))[:len(t.ends)]
	for _, s := range t.slots {
		if s.key != 0 {
			count[s.id] = s.count
		}
	}
	return count
}

func (t *wordTable) word(id int) []byte {
	start := uint32(0)
	if id > 0 {
		start = t.ends[id-1]
	}
	return t.text[start:t.ends[id]]
}

// wordKey identifies s[start:end], unless it is longer than shortWord: then words
// of one key still may differ. Such keys have the top bit; others have their length
// in the top byte, plus one since 0 is free.
func wordKey(s []byte, start, end int) uint64 {
	n := end - start
	if n > shortWord {
		return maphash.Bytes(seed, s[start:end]) | 1<<63
	}
	var key uint64
	if start+8 <= len(s) {
		key = binary.LittleEndian.Uint64(s[start:]) & (1<<(8*n) - 1)
	} else {
		for i := end - 1; i >= start; i-- {
			key = key<<8 | uint64(s[i])
		}
	}
	return key | uint64(n+1)<<56
}

// spread makes it hard to choose words which collide.
var spread = maphash.String(seed, "") | 1

// id returns the number of the word s[start:end], and counts it.
func (t *wordTable) id(s []byte, start, end int) int {
	return t.idOf(wordKey(s, start, end), s, start, end)
}

// idOf is id of a word whose key is known.
func (t *wordTable) idOf(key uint64, s []byte, start, end int) int {
	mask := uint64(len(t.slots) - 1)
	hi, lo := bits.Mul64(key, spread)
	for i := (hi ^ lo) & mask; ; i = (i + 1) & mask {
		slot := &t.slots[i]
		if slot.key == key && (end-start <= shortWord || bytes.Equal(t.word(int(slot.id)), s[start:end])) {
			slot.count++
			return int(slot.id)
		}
		if slot.key == 0 {
			*slot = wordSlot{key, uint32(len(t.ends)), 1}
			return t.add(s[start:end])
		}
	}
}

func (t *wordTable) add(w []byte) int {
	t.text = append(t.text, w...)
	t.ends = append(t.ends, uint32(len(t.text)))
	if 2*len(t.ends) > len(t.slots) {
		t.grow()
	}
	return len(t.ends) - 1
}

func (t *wordTable) grow() {
	old := t.slots
	t.slots = make([]wordSlot, 4*len(old))
	mask := uint64(len(t.slots) - 1)
	for _, s := range old {
		if s.key == 0 {
			continue
		}
		hi, lo := bits.Mul64(s.key, spread)
		i := (hi ^ lo) & mask
		for t.slots[i].key != 0 {
			i = (i + 1) & mask
		}
		t.slots[i] = s
	}
}

// A hashSet is a set of hashes, except that 0 may be among its items more than once.
type hashSet struct {
	slots []uint64
	items []uint64
}

func (t *hashSet) reset() {
	if t.slots == nil || len(t.slots) > 1<<16 {
		t.slots = make([]uint64, 1<<10)
	}
	clear(t.slots)
	t.items = t.items[:0]
}

func (t *hashSet) add(h uint64) {
	mask := uint64(len(t.slots) - 1)
	i := h & mask
	for ; t.slots[i] != 0; i = (i + 1) & mask {
		if t.slots[i] == h {
			return
		}
	}
	t.slots[i] = h
	t.items = append(t.items, h)
	if 2*len(t.items) > len(t.slots) {
		t.slots = make([]uint64, 4*len(t.slots))
		items := t.items
		t.items = t.items[:0]
		for _, h := range items {
			t.add(h)
		}
	}
}
