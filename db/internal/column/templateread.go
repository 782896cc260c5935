package column

import (
	"bytes"
	"slices"
	"strconv"
	"unicode/utf8"
)

// A templateReader reads what a templatePacker wrote.
type templateReader struct {
	r       *Reader
	shape   section
	streams []numberStream

	parts []readPart // nil until needed
	asked int        // values, since the last release
}

// A numberStream is where the integers of one part are.
type numberStream struct {
	least, most int64
	section     section
}

type readPart struct {
	part
	words   [][]byte // choice
	stream  int
	packed  *packedInts // one for each value; nil until needed
	numbers []int64     // the same; nil until many are needed
}

// fewValues is how many values are taken from packed integers before all are made.
const fewValues = 16

func parseTemplate(r *Reader, c *cursor) *templateReader {
	t := &templateReader{r: r, shape: c.section(r.pages)}
	for len(c.data) > 0 {
		s := numberStream{least: c.varint(), most: c.varint(), section: c.section(r.pages)}
		if t.streams = append(t.streams, s); len(t.streams) > maxParts {
			c.fail()
		}
	}
	return t
}

func (t *templateReader) loadShape() error {
	if t.parts != nil {
		return nil
	}
	data, err := t.r.read(t.shape)
	if err != nil {
		return err
	}
	c := cursor{data: data}
	count := c.uvarint(maxParts)
	parts := make([]readPart, 0, count)
	streams := 0
	for range count {
		p := readPart{part: part{kind: partKind(c.byte())}, stream: streams}
		p.width = c.uvarint(maxDecimal)
		switch p.kind {
		case literal:
			p.text = c.bytes(c.uvarint(uint64(len(c.data))))
			streams--
		case choice:
			for range c.uvarint(maxChoice) {
				p.words = append(p.words, c.bytes(c.uvarint(uint64(len(c.data)))))
			}
		}
		if p.kind > choice || p.width > maxHex && p.kind != padded {
			c.fail()
		}
		streams++
		parts = append(parts, p)
	}
	if !c.end() || streams != len(t.streams) {
		return corrupt("template")
	}
	t.parts = parts
	return nil
}

// load reads the streams.
func (t *templateReader) load() error {
	if err := t.loadShape(); err != nil {
		return err
	}
	for i := range t.parts {
		p := &t.parts[i]
		if p.kind == literal || p.packed != nil {
			continue
		}
		data, err := t.r.read(t.streams[p.stream].section)
		if err != nil {
			return err
		}
		c := cursor{data: data}
		packed := c.packedInts()
		if !c.end() || packed.count != t.r.distinct {
			packed.release()
			return corrupt("numbers of a template")
		}
		p.packed = &packed
	}
	return nil
}

// loadAll reads the streams and makes all their numbers.
func (t *templateReader) loadAll() error {
	if err := t.load(); err != nil {
		return err
	}
	for i := range t.parts {
		if p := &t.parts[i]; p.kind != literal && p.numbers == nil {
			p.numbers = p.packed.all(nil)
		}
	}
	return nil
}

func (t *templateReader) release() {
	t.asked = 0
	for i := range t.parts {
		p := &t.parts[i]
		ReleaseInts(p.numbers)
		if p.packed != nil {
			p.packed.release()
		}
		p.numbers, p.packed = nil, nil
	}
}

func (t *templateReader) appendValue(dst []byte, ordinal int) ([]byte, error) {
	if t.asked++; t.asked == fewValues {
		if err := t.loadAll(); err != nil {
			return dst, err
		}
	} else if err := t.load(); err != nil {
		return dst, err
	}
	for i := range t.parts {
		p := &t.parts[i]
		switch p.kind {
		case literal:
			dst = append(dst, p.text...)
		case choice:
			n := p.number(ordinal)
			if n < 0 || n >= int64(len(p.words)) {
				return dst, corrupt("word of a template")
			}
			dst = append(dst, p.words[n]...)
		default:
			dst = p.append(dst, p.number(ordinal))
		}
	}
	return dst, nil
}

func (p *readPart) number(ordinal int) int64 {
	if p.numbers != nil {
		return p.numbers[ordinal]
	}
	return p.packed.at(ordinal)
}

const hexDigits = "0123456789abcdef0123456789ABCDEF"

// append writes a number as the part's kind says.
func (p *part) append(dst []byte, n int64) []byte {
	switch p.kind {
	case number, signed:
		return strconv.AppendInt(dst, n, 10)
	case padded:
		start := len(dst)
		dst = append(dst, "000000000000000000"[:p.width]...)
		for i, u := len(dst)-1, uint64(n); i >= start; i-- {
			dst[i] = '0' + byte(u%10)
			u /= 10
		}
		return dst
	}
	digits := hexDigits[:16]
	if p.kind == hexUpper {
		digits = hexDigits[16:]
	}
	for shift := 4 * (p.width - 1); shift >= 0; shift -= 4 {
		dst = append(dst, digits[uint64(n)>>shift&15])
	}
	return dst
}

// mayEqual is exact.
func (t *templateReader) mayEqual(value []byte) (bool, error) {
	_, found, err := t.find(value)
	return found || err != nil, err
}

// find takes the value apart, and only if all its numbers are in the range of their part
// it looks for them among those of the values.
func (t *templateReader) find(value []byte) (ordinal int, found bool, err error) {
	if err := t.loadShape(); err != nil {
		return 0, false, err
	}
	want, ok := t.parse(value)
	if !ok {
		return 0, false, nil
	}
	if err := t.loadAll(); err != nil {
		return 0, false, err
	}
	for ordinal := range t.r.distinct {
		equal := true
		for i := range t.parts {
			p := &t.parts[i]
			if p.kind != literal && p.numbers[ordinal] != want[p.stream] {
				equal = false
				break
			}
		}
		if equal {
			return ordinal, true, nil
		}
	}
	return 0, false, nil
}

// parse returns the number of each stream that a value equal to v would have.
func (t *templateReader) parse(v []byte) (numbers []int64, ok bool) {
	for i := range t.parts {
		p := &t.parts[i]
		if p.kind == literal {
			if v, ok = bytes.CutPrefix(v, p.text); !ok {
				return nil, false
			}
			continue
		}
		n, size := p.parseAny(v)
		s := t.streams[p.stream]
		if size == 0 || n < s.least || n > s.most {
			return nil, false
		}
		numbers = append(numbers, n)
		v = v[size:]
	}
	return numbers, len(v) == 0
}

func (p *readPart) parseAny(v []byte) (n int64, size int) {
	if p.kind != choice {
		return p.parse(v)
	}
	for size < len(v) && byteClasses[v[size]] == word {
		size++
	}
	i := slices.IndexFunc(p.words, func(w []byte) bool { return bytes.Equal(w, v[:size]) })
	if i < 0 {
		return 0, 0
	}
	return int64(i), size
}

// may rules out what has letters that no literal and no word of a choice has:
// numbers can have any digits, and hexadecimal ones their letters.
func (t *templateReader) may(q query) (bool, error) {
	if err := t.loadShape(); err != nil {
		return true, err
	}
	var folded []byte
	hex := false
	for i := range t.parts {
		p := &t.parts[i]
		hex = hex || p.kind == hexLower || p.kind == hexUpper
		folded = append(appendFold(folded, p.text), 0)
		for _, w := range p.words {
			folded = append(appendFold(folded, w), 0)
		}
	}
	for _, p := range q.pieces {
		for rest := p.text; len(rest) > 0; {
			n := letters(rest, hex)
			if !bytes.Contains(folded, rest[:n]) {
				return false, nil
			}
			rest = rest[max(n, 1):]
		}
	}
	return true, nil
}

// letters returns how many bytes at the start of folded text must be of one part:
// they are not in numbers, and either all ASCII or none, since only literals are not.
func letters(text []byte, hex bool) int {
	for n, b := range text {
		if b-'0' <= 9 || hex && b-'a' <= 5 || b >= utf8.RuneSelf != (text[0] >= utf8.RuneSelf) {
			return n
		}
	}
	return len(text)
}
