package column

import (
	"encoding/binary"
	"math/bits"
)

// Runs of codes as bits, which are read in a tenth of the time that symbols and lengths take
// as packed streams, whose tables cost more than their bytes:
//
//	layoutBits    a bit for each row that has a value, the first the lowest of the first
//	              byte; only in layoutSparse
//	runs (uvarint)
//	least (uvarint)   symbol of a run
//	widths (1)        bits of a symbol above the least, at most 15, and 16 times the bits of
//	                  a length less one
//	records           of each run: the symbol, and above it the length
//
// Symbols and lengths are not cut at 255 here. A run that is longer than the bits for lengths
// allow is several, of which all but the first say that the code is that of the newest or an
// older value.
type bitRuns struct {
	symbols, lengths []uint16
	least, most      uint16 // of the symbols
	longestNew       uint16 // of the lengths of new values
}

// set makes b the runs of codes, before which newest was the newest.
func (b *bitRuns) set(codes []uint16, newest uint16) {
	b.symbols, b.lengths = b.symbols[:0], b.lengths[:0]
	b.least, b.most, b.longestNew = MaxRows*2, 0, 0
	for i := 0; i < len(codes); {
		code, start := codes[i], i
		for i++; i < len(codes) && codes[i] == code; i++ {
		}
		length := uint16(i - start)
		symbol := uint16(symbolAbsent)
		switch {
		case code > newest:
			symbol, newest = symbolNew, code
			b.longestNew = max(b.longestNew, length)
		case code > 0:
			symbol = symbolOld + newest - code
		}
		b.least, b.most = min(b.least, symbol), max(b.most, symbol)
		b.symbols, b.lengths = append(b.symbols, symbol), append(b.lengths, length)
	}
}

// layout returns how many bits a symbol and a length should have, and how many records there
// are then.
func (b *bitRuns) layout() (symbol, length, records int) {
	best := -1
	for width := 0; 1<<width < 2*codeRows; width++ {
		n := 0
		for _, l := range b.lengths {
			n += (int(l) + 1<<width - 1) >> width
		}
		s := b.symbolBits(width)
		if size := n * (s + width); best < 0 || size < best {
			best, symbol, length, records = size, s, width, n
		}
		if n == len(b.lengths) {
			break // no run is cut
		}
	}
	return symbol, length, records
}

// symbolBits returns the bits of symbols where lengths have some.
func (b *bitRuns) symbolBits(length int) int {
	least, most := b.symbolRange(length)
	return bits.Len16(most - least)
}

// symbolRange returns the least and the greatest symbol: of a new value that is cut, the rest is
// no new one.
func (b *bitRuns) symbolRange(length int) (least, most uint16) {
	if b.longestNew > 1<<length {
		return b.least, max(b.most, symbolOld)
	}
	return b.least, b.most
}

// append appends the runs to dst.
func (b *bitRuns) append(dst []byte) []byte {
	symbolBits, lengthBits, records := b.layout()
	least, _ := b.symbolRange(lengthBits)
	dst = binary.AppendUvarint(dst, uint64(records))
	dst = binary.AppendUvarint(dst, uint64(least))
	dst = append(dst, byte(symbolBits|lengthBits<<4))
	var acc uint64
	filled := 0
	for i, symbol := range b.symbols {
		for left := int(b.lengths[i]); left > 0; {
			n := min(left, 1<<lengthBits)
			acc |= uint64(symbol-least) << filled
			acc |= uint64(n-1) << (filled + symbolBits)
			filled += symbolBits + lengthBits
			for ; filled >= 8; filled -= 8 {
				dst = append(dst, byte(acc))
				acc >>= 8
			}
			if left -= n; symbol == symbolNew {
				symbol = symbolOld
			}
		}
	}
	if filled > 0 {
		dst = append(dst, byte(acc))
	}
	return dst
}

// presence appends a bit for each code, whether it is of a value.
func presence(dst []byte, codes []uint16) []byte {
	for len(codes) > 0 {
		n := min(len(codes), 8)
		var b byte
		for i, code := range codes[:n] {
			if code != 0 {
				b |= 1 << i
			}
		}
		dst, codes = append(dst, b), codes[n:]
	}
	return dst
}

// bitCodes fills out with the codes of its rows, and returns the newest after them. There is
// room for runSlack codes behind out, which may be written over.
func (c *cursor) bitCodes(out []uint16, newest, distinct int) int {
	b := bitReader{left: c.uvarint(uint64(len(out)))}
	least := c.uvarint(2 * MaxRows)
	widths := uint(c.byte())
	b.symbol, b.length = widths&15, widths>>4
	b.data = c.bytes((b.left*int(b.symbol+b.length) + 7) / 8)
	if c.failed {
		return 0
	}
	ok := false
	switch first := newest + symbolOld - least; {
	case least < symbolOld || first > distinct:
		newest, ok = b.anyRuns(out, least, newest)
		ok = ok && newest <= distinct
	case b.length == 0:
		ok = b.oldRows(out, uint16(first))
	default:
		ok = b.oldRuns(out, uint16(first))
	}
	if !ok {
		c.fail()
	}
	return newest
}

// runSlack is how many codes are written at once.
const runSlack = 4

// A bitReader reads the records of runs.
type bitReader struct {
	data           []byte
	symbol, length uint // bits
	left           int  // records
}

// at returns the up to 57 bits that stand from a bit on.
func (b *bitReader) at(bit uint) uint64 {
	if at := bit >> 3; at+8 <= uint(len(b.data)) {
		return binary.LittleEndian.Uint64(b.data[at:]) >> (bit & 7)
	}
	var v uint64
	for i, x := range b.data[min(bit>>3, uint(len(b.data))):] {
		v |= uint64(x) << (8 * i)
	}
	return v >> (bit & 7)
}

// anyRuns fills out with runs of any symbols, and returns the newest code after them. It is
// false if some code is less than 1, or other rows are filled.
func (b *bitReader) anyRuns(out []uint16, least, newest int) (int, bool) {
	wide := out[:len(out)+runSlack]
	symbolMask, lengthMask := uint64(1)<<b.symbol-1, uint64(1)<<b.length-1
	at, last, wrong := 0, uint64(newest), uint64(0)
	for bit := uint(0); b.left > 0; b.left-- {
		v := b.at(bit)
		bit += b.symbol + b.length
		symbol, length := v&symbolMask+uint64(least), int(v>>(b.symbol&15)&lengthMask)+1
		isNew := (symbol - 1) >> 63 // nobody can foresee which are
		last += isNew
		code := last + symbolOld - symbol - symbolOld*isNew
		if symbol == symbolAbsent {
			code = 0
		} else {
			wrong |= code - 1
		}
		if length > len(out)-at {
			return 0, false
		}
		fillRun(wide[at:], uint16(code), length)
		at += length
	}
	return int(last), at == len(out) && wrong>>63 == 0
}

// fillRun fills the first codes of wide, which has runSlack more.
func fillRun(wide []uint16, code uint16, length int) {
	w := (*[runSlack]uint16)(wide)
	w[0], w[1], w[2], w[3] = code, code, code, code
	for k := runSlack; k < length; k++ {
		wide[k] = code
	}
}

// Where no value is new and none absent, a code is first, that of the least symbol, less what
// is stored. One that would be 0 or less has, less one, the highest bit.

// oldRuns is anyRuns of such.
func (b *bitReader) oldRuns(out []uint16, first uint16) bool {
	wide := out[:len(out)+runSlack]
	symbolMask, lengthMask := uint64(1)<<b.symbol-1, uint64(1)<<b.length-1
	at, wrong := 0, uint16(0)
	for bit := uint(0); b.left > 0; b.left-- {
		v := b.at(bit)
		bit += b.symbol + b.length
		code, length := first-uint16(v&symbolMask), int(v>>(b.symbol&15)&lengthMask)+1
		if length > len(out)-at {
			return false
		}
		fillRun(wide[at:], code, length)
		at += length
		wrong |= code - 1
	}
	return at == len(out) && wrong>>15 == 0
}

// oldRows is oldRuns of records that have no length.
func (b *bitReader) oldRows(out []uint16, first uint16) bool {
	if b.left != len(out) {
		return false
	}
	mask, width := uint16(1)<<b.symbol-1, b.symbol&15
	i, wrong := 0, uint16(0)
	for bit := uint(0); len(out)-i >= 4 && bit>>3+8 <= uint(len(b.data)) && width < 15; i, bit = i+4, bit+4*width { // 4 of 14 bits, and 7 that are passed over
		v := binary.LittleEndian.Uint64(b.data[bit>>3:]) >> (bit & 7)
		o := (*[4]uint16)(out[i:])
		o[0] = first - uint16(v)&mask
		v >>= width
		o[1] = first - uint16(v)&mask
		v >>= width
		o[2] = first - uint16(v)&mask
		v >>= width
		o[3] = first - uint16(v)&mask
		wrong |= (o[0] - 1) | (o[1] - 1) | (o[2] - 1) | (o[3] - 1)
	}
	for ; i < len(out); i++ {
		out[i] = first - uint16(b.at(uint(i)*width))&mask
		wrong |= out[i] - 1
	}
	return wrong>>15 == 0
}

// sparseCodes is bitCodes of rows of which some have no value.
func (c *cursor) sparseCodes(out []uint16, newest, distinct int) int {
	present := c.bytes((len(out) + 7) / 8)
	n := 0
	for _, b := range present {
		n += bits.OnesCount8(b)
	}
	if c.failed || n > len(out) {
		c.fail()
		return 0
	}
	wide := out[:len(out)+runSlack]
	from := len(out) - n // they are put in place from the front on, which never gets ahead
	newest = c.bitCodes(wide[from:len(out)], newest, distinct)
	if c.failed {
		return 0
	}
	i := 0
	for ; i+8 <= len(out); i += 8 {
		o, b := (*[8]uint16)(out[i:]), present[i>>3]
		for k := range o {
			bit := uint16(b>>k) & 1
			o[k] = wide[from] & -bit
			from += int(bit)
		}
	}
	for ; i < len(out); i++ {
		bit := uint16(present[i>>3]>>(i&7)) & 1
		out[i] = wide[from] & -bit
		from += int(bit)
	}
	if from != len(out) {
		c.fail()
	}
	return newest
}
