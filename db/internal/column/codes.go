package column

import (
	"encoding/binary"
	"slices"
)

// Which value a row has is stored as runs of equal rows. A run's symbol is
//
//	0        a value that no row before had: the next ordinal
//	1        absent
//	2 + d    the value with the ordinal d below the newest
//
// since what comes again mostly came lately. Runs end with each codeRows rows, so that a few
// rows can be had without the others:
//
//	of each codeRows rows: size (uvarint) of what follows
//	    newest code before them, times 4, and layout (uvarint)
//	    what the layout says
//
// In two layouts runs are bits (codebits.go): of all rows, or of those that have a value. In
// layoutPacked a symbol, and the length of a run less one, is a byte; from 255 on it is the
// byte 255 and, in a list of its own, what exceeds 255:
//
//	runs (uvarint), symbols, lengths: packed streams of one byte a run
//	excess of symbols, excess of lengths: as integers
//
// Bits are read some ten times as fast: they are taken where they are short, or not much
// longer than what is packed. In a ledger of tool calls that makes columns of few values,
// which queries filter and group by, bits, and those of thousands packed: all in all the
// ledger is 0.2 % longer, and to count what passes a filter by another column takes two thirds
// of the time.
const (
	symbolNew    = 0
	symbolAbsent = 1
	symbolOld    = 2
	symbolLong   = 255

	codeRows = 1024
)

const (
	layoutPacked = iota
	layoutBits
	layoutSparse
)

const (
	bitsAlways = codeRows/4 + 16 // bytes, two bits a row: what is shorter as bits is not packed
	bitsMore   = 128             // bytes that bits may have more than what is packed
)

// A codePacker packs codes. It keeps its buffers; its zero value is ready.
type codePacker struct {
	symbols, lengths     []byte
	symbolMore, longMore []int64
	ints                 intPacker
	runs                 bitRuns
	present              []uint16
	bits, sparse, buf    []byte
}

// append appends codes, numbered in order of first appearance, to dst.
func (p *codePacker) append(dst []byte, codes []uint16, pack *packer) []byte {
	newest := uint16(0)
	symbols, lengths := learner{e: best}, learner{e: best}
	for len(codes) > 0 {
		n := min(len(codes), codeRows)
		before := newest
		part, layout := p.asBits(codes[:n], newest), layoutBits
		if sparse := p.asSparse(codes[:n], newest); sparse != nil && len(sparse) < len(part) {
			part, layout = sparse, layoutSparse
		}
		newest = max(newest, slices.Max(codes[:n]))
		if len(part) > bitsAlways {
			p.packedRuns(codes[:n], before)
			p.buf = binary.AppendUvarint(p.buf[:0], uint64(len(p.symbols)))
			p.buf = symbols.append(p.buf, p.symbols, pack)
			p.buf = lengths.append(p.buf, p.lengths, pack)
			p.buf = p.ints.append(p.buf, p.symbolMore, pack)
			p.buf = p.ints.append(p.buf, p.longMore, pack)
			if len(p.buf)+bitsMore < len(part) {
				part, layout = p.buf, layoutPacked
			}
		}
		codes = codes[n:]
		head := binary.AppendUvarint(make([]byte, 0, binary.MaxVarintLen32), uint64(before)<<2|uint64(layout))
		dst = binary.AppendUvarint(dst, uint64(len(head)+len(part)))
		dst = append(append(dst, head...), part...)
	}
	return dst
}

// asBits returns codes in layoutBits.
func (p *codePacker) asBits(codes []uint16, newest uint16) []byte {
	p.runs.set(codes, newest)
	p.bits = p.runs.append(p.bits[:0])
	return p.bits
}

// asSparse returns codes in layoutSparse, nil if all are of values, or none.
func (p *codePacker) asSparse(codes []uint16, newest uint16) []byte {
	p.present = p.present[:0]
	for _, code := range codes {
		if code != 0 {
			p.present = append(p.present, code)
		}
	}
	if len(p.present) == 0 || len(p.present) == len(codes) {
		return nil
	}
	p.runs.set(p.present, newest)
	p.sparse = p.runs.append(presence(p.sparse[:0], codes))
	return p.sparse
}

// packedRuns leaves the runs of codes in p as layoutPacked has them.
func (p *codePacker) packedRuns(codes []uint16, newest uint16) {
	p.symbols, p.lengths = p.symbols[:0], p.lengths[:0]
	p.symbolMore, p.longMore = p.symbolMore[:0], p.longMore[:0]
	for i := 0; i < len(codes); {
		code, start := codes[i], i
		for i++; i < len(codes) && codes[i] == code; i++ {
		}
		symbol := symbolAbsent
		if code > newest {
			symbol = symbolNew
			newest = code
		} else if code > 0 {
			symbol = symbolOld + int(newest-code)
		}
		p.symbols = append(p.symbols, byte(min(symbol, symbolLong)))
		if symbol >= symbolLong {
			p.symbolMore = append(p.symbolMore, int64(symbol-symbolLong))
		}
		length := i - start - 1
		p.lengths = append(p.lengths, byte(min(length, symbolLong)))
		if length >= symbolLong {
			p.longMore = append(p.longMore, int64(length-symbolLong))
		}
	}
}

// decodeCodes appends the codes of a column with that many rows and distinct values to
// dst: those of some rows, which are in order, or with nil of all.
//
// memo, if it is not nil, has what was decoded of columns whose rows go the same way.
func decodeCodes(dst []uint16, data []byte, rows, distinct int, at []uint16, memo *CodeMemo) ([]uint16, error) {
	c := cursor{data: data}
	newest, all := 0, at == nil
	for first := 0; first < rows; first += codeRows {
		part := cursor{data: c.bytes(c.uvarint(uint64(len(c.data))))}
		n := min(rows-first, codeRows)
		wanted := at // of this part
		if at != nil {
			k := 0
			for k < len(at) && int(at[k]) < first+n {
				k++
			}
			if wanted, at = at[:k], at[k:]; k == 0 {
				continue
			}
		}
		known := memo.find(part.data, first, wanted, distinct)
		if known != nil {
			dst = append(dst, known...)
			continue
		}
		packed, start := part.data, len(dst)
		before, layout := part.codeHead(distinct)
		if c.failed || wanted == nil && before != newest {
			return dst, corrupt("codes")
		}
		var err error
		if dst, newest, err = part.layoutCodes(dst, layout, n, before, distinct, first, wanted, 0); err != nil {
			return dst, err
		}
		memo.add(packed, first, wanted, dst[start:])
	}
	if !c.end() || all && newest != distinct {
		return dst, corrupt("codes")
	}
	return dst, nil
}

// codeHead reads the newest code before a part, and its layout.
func (c *cursor) codeHead(distinct int) (newest, layout int) {
	head := c.uvarint(uint64(distinct)<<2 | 3)
	return head >> 2, head & 3
}

// decodeRows appends the rows that have a code, which is not 0, to dst.
func decodeRows(dst []uint16, data []byte, rows, distinct int, code uint16) ([]uint16, error) {
	c := cursor{data: data}
	newest := 0
	for first := 0; first < rows; first += codeRows {
		part := cursor{data: c.bytes(c.uvarint(uint64(len(c.data))))}
		before, layout := part.codeHead(distinct)
		if c.failed || before != newest {
			return dst, corrupt("codes")
		}
		var err error
		if dst, newest, err = part.layoutCodes(dst, layout, min(rows-first, codeRows), newest, distinct, first, nil, code); err != nil {
			return dst, err
		}
	}
	if !c.end() || newest != distinct {
		return dst, corrupt("codes")
	}
	return dst, nil
}

// layoutCodes is packedCodes of a part in any layout.
func (c *cursor) layoutCodes(dst []uint16, layout, rows, newest, distinct, first int, wanted []uint16, only uint16) ([]uint16, int, error) {
	if layout == layoutPacked {
		return c.packedCodes(dst, rows, newest, distinct, first, wanted, only)
	}
	if wanted == nil && only == 0 {
		dst = slices.Grow(dst, rows+runSlack)
		out := dst[len(dst) : len(dst)+rows]
		newest, err := c.bitLayout(out, layout, newest, distinct)
		return dst[:len(dst)+rows], newest, err
	}
	part := codeParts.Get().(*[codeRows + runSlack]uint16)
	defer codeParts.Put(part)
	out := part[:rows]
	newest, err := c.bitLayout(out, layout, newest, distinct)
	if err != nil {
		return dst, 0, err
	}
	for _, row := range wanted {
		dst = append(dst, out[int(row)-first])
	}
	if only != 0 {
		for i, code := range out {
			if code == only {
				dst = append(dst, uint16(first+i))
			}
		}
	}
	return dst, newest, nil
}

// bitLayout fills out with the codes of a part in a layout of bits, and returns the newest
// after them.
func (c *cursor) bitLayout(out []uint16, layout, newest, distinct int) (int, error) {
	switch layout {
	case layoutBits:
		newest = c.bitCodes(out, newest, distinct)
	case layoutSparse:
		newest = c.sparseCodes(out, newest, distinct)
	default:
		c.fail()
	}
	if !c.end() {
		return 0, corrupt("codes")
	}
	return newest, nil
}

// packedCodes appends the codes of the rows from first on, all of them or those that are wanted,
// and returns the newest after them. With a code only, it appends the rows that have it.
func (c *cursor) packedCodes(dst []uint16, rows, newest, distinct, first int, wanted []uint16, only uint16) ([]uint16, int, error) {
	runs := c.uvarint(uint64(rows))
	symbolStream, lengthStream := c.stream(runs), c.stream(runs)
	defer symbolStream.release()
	defer lengthStream.release()
	symbols, lengths := symbolStream.raw, lengthStream.raw
	symbolMore := c.ints(nil)
	longMore := c.ints(nil)
	if !c.end() || len(symbols) != runs || len(lengths) != runs {
		return dst, 0, corrupt("codes")
	}
	if wanted == nil && only == 0 {
		dst = slices.Grow(dst, rows)
	}
	end, last := first, first+rows
	for i := range runs {
		symbol, length := int(symbols[i]), int(lengths[i])
		if symbol == symbolLong || length == symbolLong {
			var ok1, ok2 = true, true
			if symbol == symbolLong {
				symbol, ok1 = long(&symbolMore)
			}
			if length == symbolLong {
				length, ok2 = long(&longMore)
			}
			if !ok1 || !ok2 {
				return dst, 0, corrupt("codes")
			}
		}
		code := newest - (symbol - symbolOld)
		if symbol < symbolOld {
			code = 0
			if symbol == symbolNew {
				newest++
				code = newest
			}
		}
		if uint(code) > uint(distinct) || code == 0 && symbol != symbolAbsent || length >= last-end {
			return dst, 0, corrupt("codes")
		}
		end += length + 1
		if only > 0 {
			if code == int(only) {
				for row := end - length - 1; row < end; row++ {
					dst = append(dst, uint16(row))
				}
			}
			continue
		}
		if wanted == nil {
			for ; length >= 0; length-- {
				dst = append(dst, uint16(code))
			}
			continue
		}
		for int(wanted[0]) < end {
			dst = append(dst, uint16(code))
			if wanted = wanted[1:]; len(wanted) == 0 {
				return dst, 0, nil // the rest is nobody's business
			}
		}
	}
	if end != last || len(symbolMore)+len(longMore) > 0 {
		return dst, 0, corrupt("codes")
	}
	return dst, newest, nil
}

// long completes a symbolLong with the next number of more.
func long(more *[]int64) (int, bool) {
	if len(*more) == 0 || (*more)[0] < 0 || (*more)[0] > MaxRows {
		return 0, false
	}
	v := symbolLong + int((*more)[0])
	*more = (*more)[1:]
	return v, true
}
