package column

import (
	"encoding/binary"
	"unicode/utf8"

	"github.com/cespare/xxhash/v2"
)

// A filter answers "certainly not" for items that were not added: a split block
// Bloom filter, of blocks of 256 bits in which each item sets a bit in each of
// eight words. What was added: which kinds of items, is its first byte.
//
//	kinds (1), blocks of 32 bytes
type filter struct {
	kinds  byte
	blocks []byte
}

const (
	hasTerms   byte = 1 << iota // words
	hasTriple                   // three ASCII bytes, folded
	hasPairs                    // two signs beside each other
	hasLetters                  // two other letters beside each other that are not ASCII
)

const (
	bitsPerItem    = 10
	blockSize      = 32
	maxFilterItems = 64 << 10
)

var salts = [8]uint32{0x47b6137b, 0x44974d91, 0x8824ad5b, 0xa2b7289d, 0x705495c7, 0x2df1424b, 0x9efc4947, 0x5c6bfb31}

// appendFilter appends a filter of the items, which are hashes.
func appendFilter(dst []byte, kinds byte, items []uint64) []byte {
	dst = append(dst, kinds)
	start := len(dst)
	n := max(1, (len(items)*bitsPerItem+8*blockSize-1)/(8*blockSize))
	dst = append(dst, make([]byte, n*blockSize)...)
	for _, h := range items {
		b := blockOf(dst[start:], h)
		for i, salt := range salts {
			w := b[4*i:]
			binary.LittleEndian.PutUint32(w, binary.LittleEndian.Uint32(w)|1<<(uint32(h)*salt>>27))
		}
	}
	return dst
}

func blockOf(blocks []byte, h uint64) []byte {
	n := uint64(len(blocks) / blockSize)
	return blocks[(h>>32)*n>>32*blockSize:][:blockSize]
}

// parseFilter reads a filter; an empty one holds no kind, so it rules nothing out.
func parseFilter(data []byte) (filter, error) {
	if len(data) == 0 {
		return filter{}, nil
	}
	f := filter{kinds: data[0], blocks: data[1:]}
	if len(f.blocks) == 0 || len(f.blocks)%blockSize != 0 {
		return filter{}, corrupt("filter")
	}
	return f, nil
}

func (f filter) has(h uint64) bool {
	b := blockOf(f.blocks, h)
	for i, salt := range salts {
		if binary.LittleEndian.Uint32(b[4*i:])>>(uint32(h)*salt>>27)&1 == 0 {
			return false
		}
	}
	return true
}

// may reports whether the filter lets a value with q's text be.
func (f filter) may(q query) bool {
	if f.kinds&hasTerms != 0 {
		for _, p := range q.pieces {
			if p.class == word && p.left && p.right && !f.has(termHash(p.text)) {
				return false
			}
		}
	}
	may := true
	grams(q.text, func(kind byte, gram uint64) {
		may = may && (f.kinds&kind == 0 || f.has(gramHash(kind, gram)))
	})
	return may
}

func termHash(folded []byte) uint64 { return xxhash.Sum64(folded) }

// gramHash mixes as xxhash and others do at their end.
func gramHash(kind byte, gram uint64) uint64 {
	h := gram ^ uint64(kind)<<56
	h = (h ^ h>>33) * 0xff51afd7ed558ccd
	h = (h ^ h>>33) * 0xc4ceb9fe1a85ec53
	return h ^ h>>33
}

// grams calls emit with each triple of ASCII bytes and each pair of letters beyond
// ASCII in text, whatever its case.
func grams(text []byte, emit func(kind byte, gram uint64)) {
	var triple uint64
	ascii := 0 // bytes in a row
	var before rune
	var beforeClass class
	for i := 0; i < len(text); {
		r, size := rune(text[i]), 1
		if r >= utf8.RuneSelf {
			r, size = utf8.DecodeRune(text[i:])
		}
		i += size
		if r = fold(r); r < utf8.RuneSelf {
			triple = (triple<<7 | uint64(r)) & (1<<21 - 1)
			beforeClass = gap
			if ascii++; ascii >= 3 {
				emit(hasTriple, triple)
			}
			continue
		}
		ascii = 0
		c := runeClass(r)
		if c == sign && beforeClass == sign {
			emit(hasPairs, pair(before, r))
		} else if c != gap && beforeClass != gap {
			emit(hasLetters, pair(before, r))
		}
		before, beforeClass = r, c
	}
}

func pair(a, b rune) uint64 { return uint64(a)<<32 | uint64(b) }
