package column

import "encoding/binary"

// Which value a row has is stored as runs of equal rows. A run's symbol is
//
//	0        a value that no row before had: the next ordinal
//	1        absent
//	2 + d    the value with the ordinal d below the newest
//
// since what comes again mostly came lately. A symbol, and the length of a run
// less one, is a byte; from 255 on it is the byte 255 and, in a list of its own,
// what exceeds 255.
//
//	runs (uvarint), symbols, lengths: packed streams of one byte a run
//	excess of symbols, excess of lengths: as integers
const (
	symbolNew    = 0
	symbolAbsent = 1
	symbolOld    = 2
	symbolLong   = 255
)

// A codePacker packs codes. It keeps its buffers; its zero value is ready.
type codePacker struct {
	symbols, lengths     []byte
	symbolMore, longMore []int64
	ints                 intPacker
}

// append appends codes, numbered in order of first appearance, to dst.
func (p *codePacker) append(dst []byte, codes []uint16, pack *packer) []byte {
	p.symbols, p.lengths = p.symbols[:0], p.lengths[:0]
	p.symbolMore, p.longMore = p.symbolMore[:0], p.longMore[:0]
	newest := uint16(0)
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
	dst = binary.AppendUvarint(dst, uint64(len(p.symbols)))
	dst = pack.append(dst, p.symbols, best)
	dst = pack.append(dst, p.lengths, best)
	dst = p.ints.append(dst, p.symbolMore, pack)
	return p.ints.append(dst, p.longMore, pack)
}

// decodeCodes appends the codes of a column with that many rows and distinct values to
// dst: those of some rows, which are in order, or with nil of all.
func decodeCodes(dst []uint16, data []byte, rows, distinct int, at []uint16) ([]uint16, error) {
	c := cursor{data: data}
	runs := c.uvarint(uint64(rows))
	symbolStream, lengthStream := c.stream(runs), c.stream(runs)
	defer symbolStream.release()
	defer lengthStream.release()
	symbols, lengths := symbolStream.raw, lengthStream.raw
	symbolMore := c.ints(nil)
	longMore := c.ints(nil)
	if !c.end() || len(symbols) != runs || len(lengths) != runs {
		return dst, corrupt("codes")
	}
	all, next := at == nil, 0 // the next row that is wanted
	if !all {
		next, at = nextRow(at)
	}
	newest, end := 0, 0
	for i := range runs {
		symbol, length, ok1, ok2 := int(symbols[i]), int(lengths[i]), true, true
		if symbol == symbolLong {
			symbol, ok1 = long(&symbolMore)
		}
		if length == symbolLong {
			length, ok2 = long(&longMore)
		}
		code := 0
		switch {
		case symbol == symbolNew:
			newest++
			code = newest
		case symbol >= symbolOld:
			code = newest - (symbol - symbolOld)
		}
		if !ok1 || !ok2 || code < 0 || code > distinct || code == 0 && symbol != symbolAbsent || length >= rows-end {
			return dst, corrupt("codes")
		}
		end += length + 1
		for next < end {
			dst = append(dst, uint16(code))
			if next++; !all {
				if len(at) == 0 {
					return dst, nil // the rest is nobody's business
				}
				next, at = nextRow(at)
			}
		}
	}
	if end != rows || newest != distinct || len(symbolMore)+len(longMore) > 0 {
		return dst, corrupt("codes")
	}
	return dst, nil
}

// nextRow takes a row off rows; behind the last is one that no block has.
func nextRow(rows []uint16) (int, []uint16) {
	if len(rows) == 0 {
		return MaxRows, nil
	}
	return int(rows[0]), rows[1:]
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
