package column

import (
	"bytes"
	"encoding/binary"
	"slices"
)

// Values that are few and short, or nothing else, are stored as they are.
//
//	exact (1)
//	filter                       section, may be empty
//	pages (uvarint), for each of them
//	    values (uvarint)         section: a packed stream of
//	        the lengths (uvarint) of all values, then their bytes
//
// An exact column, of less than exactValues bytes, has one page, and answers what
// it may hold by looking at all of them. Others have a filter, if they are asked.
//
// Values of up to rawValues bytes are packed only if that leaves a third of them: to read a
// packed page of a kilobyte takes longer than all the codes of a block.
const (
	exactValues = 16 << 10
	valuePage   = 64 << 10
	rawValues   = 4 << 10
)

// A valuePacker packs values. It keeps its buffers; its zero value is ready.
type valuePacker struct {
	hashes hashSet
	raw    []byte
	buf    []byte
	triple []uint64 // bitmap of triples; nil until needed
}

func (p *valuePacker) encode(w *sectionWriter, values [][]byte, total int, filtered bool, pack *packer) {
	w.meta = append(w.meta, byte(encodingValues))
	exact := total < exactValues
	p.buf = p.buf[:0]
	if exact {
		w.meta = append(w.meta, 1)
	} else {
		w.meta = append(w.meta, 0)
	}
	if filtered && !exact {
		p.buf = p.filter(p.buf, values, total)
	}
	w.add(p.buf, true)
	var cuts []int
	for i, size := 0, 0; i < len(values); i++ {
		if size += len(values[i]); size >= valuePage && !exact || i+1 == len(values) {
			cuts = append(cuts, i+1)
			size = 0
		}
	}
	w.meta = binary.AppendUvarint(w.meta, uint64(len(cuts)))
	start := 0
	for _, cut := range cuts {
		p.raw = p.raw[:0]
		for _, v := range values[start:cut] {
			p.raw = binary.AppendUvarint(p.raw, uint64(len(v)))
		}
		for _, v := range values[start:cut] {
			p.raw = append(p.raw, v...)
		}
		w.meta = binary.AppendUvarint(w.meta, uint64(cut-start))
		p.buf = pack.append(p.buf[:0], p.raw, best)
		if len(p.raw) <= rawValues && len(p.buf) > len(p.raw)/3 || len(p.raw) < maxInline-8 {
			p.buf = appendRaw(p.buf[:0], p.raw)
		}
		w.add(p.buf, !exact)
		start = cut
	}
}

const (
	// Above this many bytes, a filter costs more than it can save.
	maxFiltered = 16 << 20
	// Text has fewer different triples. Noise has nearly all there are, so that to
	// know which is of no use.
	maxGrams = 24 << 10
)

// filter appends a filter of the values, of those kinds of items that are few
// enough: it may take an eighth of the space that the values take.
func (p *valuePacker) filter(dst []byte, values [][]byte, total int) []byte {
	if total > maxFiltered {
		return dst
	}
	limit := total / bitsPerItem
	p.hashes.reset()
	var kinds byte
	if p.addTerms(values, min(limit, maxFilterItems)) {
		kinds |= hasTerms
	}
	terms := len(p.hashes.items)
	if p.addGrams(values, min(limit, maxGrams)+terms) {
		kinds |= hasTriple | hasPairs | hasLetters
	}
	if kinds == 0 {
		return dst
	}
	return appendFilter(dst, kinds, p.hashes.items)
}

// addTerms reports whether all words were added; if not, none is.
func (p *valuePacker) addTerms(values [][]byte, limit int) bool {
	for _, v := range values {
		for i := 0; i < len(v); {
			end, c := nextToken(v, i)
			if c == word {
				p.raw = appendFold(p.raw[:0], v[i:end])
				p.hashes.add(termHash(p.raw))
			}
			i = end
		}
		if len(p.hashes.items) > limit {
			p.hashes.reset()
			return false
		}
	}
	return true
}

// addGrams reports whether all triples and pairs were added.
func (p *valuePacker) addGrams(values [][]byte, limit int) bool {
	if p.triple == nil {
		p.triple = make([]uint64, 1<<21/64)
	}
	clear(p.triple)
	before := len(p.hashes.items)
	for _, v := range values {
		grams(v, func(kind byte, gram uint64) {
			if kind == hasTriple {
				bit := &p.triple[gram/64]
				if *bit>>(gram%64)&1 == 1 {
					return
				}
				*bit |= 1 << (gram % 64)
			}
			p.hashes.add(gramHash(kind, gram))
		})
		if len(p.hashes.items) > limit {
			p.hashes.items = p.hashes.items[:before]
			return false
		}
	}
	return true
}

// A valueReader reads what a valuePacker wrote.
type valueReader struct {
	r      *Reader
	exact  bool
	filter section
	pages  []pageRef

	page   int // which one is loaded
	stream stream
	raw    []byte
	starts []int // in raw, of each value of the page, and the end of the last
	folded []byte
}

func parseValues(r *Reader, c *cursor) *valueReader {
	v := &valueReader{r: r, page: -1, exact: c.byte() == 1}
	v.filter = c.section(r.pages)
	v.pages = c.pageRefs(r)
	if v.exact && len(v.pages) != 1 {
		c.fail()
	}
	return v
}

func (v *valueReader) load(page int) error {
	if v.page == page {
		return nil
	}
	p := v.pages[page]
	data, err := v.r.read(p.section)
	if err != nil {
		return err
	}
	v.page = -1
	v.stream.release()
	// The largest page has one value of the largest size after others that fill it.
	s, rest, err := unpack(data, MaxValue+valuePage+MaxRows*binary.MaxVarintLen32)
	if err != nil || len(rest) > 0 {
		return corrupt("page of values")
	}
	v.stream = s
	c := cursor{data: s.raw}
	starts := append(slices.Grow(v.starts[:0], p.values+1), 0)
	for i := range p.values {
		starts = append(starts, starts[i]+c.uvarint(MaxValue))
	}
	v.starts = starts
	if c.failed || starts[p.values] != len(c.data) {
		return corrupt("page of values")
	}
	v.page, v.raw = page, c.data
	return nil
}

func (v *valueReader) release() {
	v.page = -1
	v.stream.release()
}

func (v *valueReader) appendValue(dst []byte, ordinal int) ([]byte, error) {
	page := findPage(v.pages, ordinal)
	if err := v.load(page); err != nil {
		return dst, err
	}
	k := ordinal - v.pages[page].first
	return append(dst, v.raw[v.starts[k]:v.starts[k+1]]...), nil
}

func (v *valueReader) mayEqual(value []byte) (bool, error) {
	if !v.exact {
		return v.may(newQuery(value, true))
	}
	if err := v.load(0); err != nil {
		return true, err
	}
	for k := range v.pages[0].values {
		if bytes.Equal(value, v.raw[v.starts[k]:v.starts[k+1]]) {
			return true, nil
		}
	}
	return false, nil
}

func (v *valueReader) may(q query) (bool, error) {
	if !v.exact {
		data, err := v.r.read(v.filter)
		if err != nil {
			return true, err
		}
		f, err := parseFilter(data)
		return f.may(q), err
	}
	if err := v.load(0); err != nil {
		return true, err
	}
	if v.folded == nil {
		for k := range v.pages[0].values {
			v.folded = append(v.folded, 0)
			v.folded = appendFold(v.folded, v.raw[v.starts[k]:v.starts[k+1]])
		}
		v.folded = append(v.folded, 0)
	}
	if q.whole {
		return hasTerm(v.folded, q.text), nil
	}
	return bytes.Contains(v.folded, q.text), nil
}
