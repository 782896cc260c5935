package column

import (
	"bytes"
	"encoding/binary"
)

// Values of one pattern, as ids mostly are, are stored as a template, and one
// stream of integers for each part of it that varies.
//
//	shape      section: parts (uvarint), for each of them
//	    kind (1) width (uvarint)
//	    literal: length (uvarint) bytes
//	    choice:  words (uvarint), for each of them length (uvarint) bytes
//	for each part that varies, in the order of the parts:
//	    least (varint) greatest (varint)
//	    stream  section, see AppendInts
//
// A part's integer is its number, hexadecimal ones modulo 2^64, or the ordinal of
// its word. A number of leading zeros is no number, but all of one width are padded.
type templatePacker struct {
	parts   []part
	numbers [][]int64 // for each part, one for each value
	widths  []widths
	buf     []byte
	ints    intPacker
}

// widths are of the numbers of one part.
type widths struct {
	least, most int
	zero        bool // one with leading zeros
}

// maxLearn is how often the template is learnt anew, with a value that did not fit.
const (
	sampleValues = 32
	maxLearn     = 4
)

// encode writes the values, if they are of one template, and reports whether they are.
func (p *templatePacker) encode(w *sectionWriter, values [][]byte, integers bool, pack *packer) bool {
	if integers {
		p.parts = []part{{kind: signed}}
		if misfit := p.parse(values); misfit != nil {
			panic("column: an integer that is none")
		}
	} else if !p.fit(values) {
		return false
	}
	w.meta = append(w.meta, byte(encodingTemplate))
	w.add(p.appendShape(p.buf[:0]), false)
	for i := range p.parts {
		if p.parts[i].kind == literal {
			continue
		}
		least, most := p.numbers[i][0], p.numbers[i][0]
		for _, n := range p.numbers[i] {
			least, most = min(least, n), max(most, n)
		}
		w.meta = binary.AppendVarint(w.meta, least)
		w.meta = binary.AppendVarint(w.meta, most)
		p.buf = p.ints.append(p.buf[:0], p.numbers[i], pack)
		w.add(p.buf, false)
	}
	return true
}

// fit finds a template and parses the values with it.
func (p *templatePacker) fit(values [][]byte) bool {
	sample := make([][]byte, 0, sampleValues+maxLearn)
	for i := range sampleValues {
		sample = append(sample, values[i*len(values)/sampleValues])
	}
	for range maxLearn {
		if p.parts = learn(sample); p.parts == nil {
			return false
		}
		misfit := p.parse(values)
		if misfit == nil {
			return p.settle()
		}
		sample = append(sample, misfit)
	}
	return false
}

// settle makes numbers of one width padded, and reports whether no others have
// leading zeros.
func (p *templatePacker) settle() bool {
	for i := range p.parts {
		part, w := &p.parts[i], p.widths[i]
		if part.kind != number || !w.zero {
			continue
		}
		if w.least != w.most {
			return false
		}
		part.kind, part.width = padded, w.most
	}
	return true
}

// parse turns the values into numbers. It returns a value that does not fit, if any.
func (p *templatePacker) parse(values [][]byte) (misfit []byte) {
	for len(p.numbers) < len(p.parts) {
		p.numbers = append(p.numbers, nil)
	}
	p.widths = p.widths[:0]
	for i := range p.parts {
		p.numbers[i] = p.numbers[i][:0]
		p.widths = append(p.widths, widths{least: maxDecimal + 1})
		if p.parts[i].kind == choice {
			p.parts[i].choice.reset()
		}
	}
	for _, v := range values {
		if !p.parseValue(v) {
			return v
		}
	}
	return nil
}

func (p *templatePacker) parseValue(v []byte) bool {
	at := 0
	for i := range p.parts {
		part := &p.parts[i]
		var n int64
		size := 0
		switch part.kind {
		case literal:
			if !bytes.HasPrefix(v[at:], part.text) {
				return false
			}
			at += len(part.text)
			continue
		case choice:
			if n, size = part.choose(v, at); size == 0 {
				return false
			}
		case number:
			n, size = decimal(v[at:])
			p.widths[i].add(size, v[at:])
		default:
			n, size = part.parse(v[at:])
		}
		if size == 0 {
			return false
		}
		p.numbers[i] = append(p.numbers[i], n)
		at += size
	}
	return at == len(v)
}

// choose finds or adds the word at v[at].
func (p *part) choose(v []byte, at int) (ordinal int64, size int) {
	end := at
	for end < len(v) && byteClasses[v[end]] == word {
		end++
	}
	if end == at {
		return 0, 0
	}
	id := p.choice.id(v, at, end)
	if id >= maxChoice {
		return 0, 0
	}
	return int64(id), end - at
}

func (w *widths) add(size int, v []byte) {
	w.least, w.most = min(w.least, size), max(w.most, size)
	w.zero = w.zero || size > 1 && v[0] == '0'
}

// parse reads the number at the start of v; its size is 0 if there is none. It
// reads only what [part.append] writes.
func (p *part) parse(v []byte) (n int64, size int) {
	switch p.kind {
	case hexLower, hexUpper:
		return p.parseHex(v)
	case signed:
		return integer(v)
	}
	n, size = decimal(v)
	if p.kind == padded && size != p.width || p.kind == number && size > 1 && v[0] == '0' {
		return 0, 0
	}
	return n, size
}

func (p *part) parseHex(v []byte) (n int64, size int) {
	if len(v) < p.width {
		return 0, 0
	}
	first := byte('a')
	if p.kind == hexUpper {
		first = 'A'
	}
	for _, b := range v[:p.width] {
		switch {
		case b-'0' <= 9:
			n = n<<4 | int64(b-'0')
		case b-first <= 5:
			n = n<<4 | int64(b-first+10)
		default:
			return 0, 0
		}
	}
	return n, p.width
}

// decimal reads all digits at the start of v; its size is 0 if there are none, or
// too many.
func decimal(v []byte) (n int64, size int) {
	for size < len(v) && v[size]-'0' <= 9 {
		if size == maxDecimal {
			return 0, 0
		}
		n = n*10 + int64(v[size]-'0')
		size++
	}
	return n, size
}

// integer reads an integer as JSON writes it, if it fits.
func integer(v []byte) (n int64, size int) {
	digits := v
	negative := len(v) > 0 && v[0] == '-'
	if negative {
		digits = v[1:]
	}
	var u uint64
	for size < len(digits) && digits[size]-'0' <= 9 && size <= maxDecimal {
		u = u*10 + uint64(digits[size]-'0')
		size++
	}
	more := size < len(digits) && digits[size]-'0' <= 9 // over 19 digits
	switch {
	case size == 0 || more || digits[0] == '0' && (size > 1 || negative):
		return 0, 0
	case negative && u <= 1<<63:
		return -int64(u), size + 1
	case !negative && u < 1<<63:
		return int64(u), size
	}
	return 0, 0
}

func (p *templatePacker) appendShape(dst []byte) []byte {
	dst = binary.AppendUvarint(dst, uint64(len(p.parts)))
	for i := range p.parts {
		part := &p.parts[i]
		dst = append(dst, byte(part.kind))
		dst = binary.AppendUvarint(dst, uint64(part.width))
		switch part.kind {
		case literal:
			dst = appendBytes(dst, part.text)
		case choice:
			words := len(part.choice.ends)
			dst = binary.AppendUvarint(dst, uint64(words))
			for id := range words {
				dst = appendBytes(dst, part.choice.word(id))
			}
		}
	}
	return dst
}

func appendBytes(dst, s []byte) []byte {
	return append(binary.AppendUvarint(dst, uint64(len(s))), s...)
}
