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
	records := c.uvarint(uint64(len(out)))
	least := c.uvarint(2 * MaxRows)
	widths := int(c.byte())
	symbolBits, lengthBits := widths&15, widths>>4
	width := symbolBits + lengthBits
	data := c.bytes((records*width + 7) / 8)
	if c.failed {
		return 0
	}
	if lengthBits == 0 && least >= symbolOld && records == len(out) {
		// The greatest code has the least symbol. No value is new.
		first := newest + symbolOld - least
		if last := first - (1<<symbolBits - 1); last > 0 && first <= distinct {
			subtractBits(out, data, symbolBits, uint16(first))
			return newest
		}
	}
	wide := out[:len(out)+runSlack]
	symbolMask, lengthMask := 1<<symbolBits-1, 1<<lengthBits-1
	at := 0
	for i, bit := 0, 0; i < records; i, bit = i+1, bit+width {
		v := int(bitsAt(data, bit))
		symbol, length := v&symbolMask+least, v>>symbolBits&lengthMask+1
		code := newest + symbolOld - symbol
		if symbol < symbolOld {
			code = 0
			if symbol == symbolNew {
				newest++
				code = newest
			}
		}
		if uint(code) > uint(distinct) || code == 0 && symbol != symbolAbsent || length > len(out)-at {
			c.fail()
			return 0
		}
		x := uint16(code)
		w := wide[at : at+runSlack : len(wide)]
		w[0], w[1], w[2], w[3] = x, x, x, x
		for k := runSlack; k < length; k++ {
			wide[at+k] = x
		}
		at += length
	}
	if at != len(out) {
		c.fail()
	}
	return newest
}

// runSlack is how many codes are written at once.
const runSlack = 4

// bitsAt returns the up to 57 bits that stand from a bit on.
func bitsAt(data []byte, bit int) uint64 {
	if at := bit >> 3; at+8 <= len(data) {
		return binary.LittleEndian.Uint64(data[at:]) >> (bit & 7)
	}
	return lastBitsAt(data, bit)
}

func lastBitsAt(data []byte, bit int) (v uint64) {
	for i, b := range data[min(bit>>3, len(data)):] {
		v |= uint64(b) << (8 * i)
	}
	return v >> (bit & 7)
}

// subtractBits sets out to first less the numbers of so many bits that are in data.
func subtractBits(out []uint16, data []byte, width int, first uint16) {
	mask := uint64(1)<<width - 1
	i, bit := 0, 0
	for ; len(out)-i >= 4 && bit>>3+8 <= len(data); i, bit = i+4, bit+4*width { // 4 of 14 bits, and 7 that are passed over
		v := binary.LittleEndian.Uint64(data[bit>>3:]) >> (bit & 7)
		o := out[i : i+4 : i+4]
		o[0] = first - uint16(v&mask)
		o[1] = first - uint16(v>>width&mask)
		o[2] = first - uint16(v>>(2*width)&mask)
		o[3] = first - uint16(v>>(3*width)&mask)
	}
	for ; i < len(out); i, bit = i+1, bit+width {
		out[i] = first - uint16(bitsAt(data, bit)&mask)
	}
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
	for i := range out {
		bit := uint16(present[i>>3]>>(i&7)) & 1
		out[i] = wide[from] & -bit
		from += int(bit)
	}
	if from != len(out) {
		c.fail()
	}
	return newest
}
