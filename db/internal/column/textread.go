package column

import (
	"bytes"
	"encoding/binary"
	"slices"
)

// Most words are shorter than this: to copy that many bytes, whatever the length,
// is several times as fast as to copy the right number.
const wideCopy = 16

// A textReader reads what a textPacker wrote.
type textReader struct {
	r                  *Reader
	words, short       int
	dictionary, filter section
	pages              []pageRef

	// The tokens, each that is a word with a space before it, and wideCopy bytes
	// that are no token; nil until needed.
	text   []byte
	spans  []wordSpan // in text
	places []byte     // packed, see appendPlaces
	// The tokens, folded, each between zeros, and where each ends; nil until needed.
	folded     []byte
	foldedEnds []uint32

	page   int // which one is loaded
	stream stream
	codes  []byte
	ends   []uint32 // in codes, of each value of the page; none until needed
}

type wordSpan struct {
	start, end uint32 // start is after the space
	isWord     uint32 // 1 or 0
}

func parseText(r *Reader, c *cursor) *textReader {
	t := &textReader{r: r, page: -1}
	t.words, t.short = c.uvarint(maxWords), c.uvarint(255)
	t.dictionary, t.filter = c.section(r.pages), c.section(r.pages)
	t.pages = c.pageRefs(r)
	if t.short > t.words || t.words > t.short+(255-t.short)*255 {
		c.fail()
	}
	return t
}

// load reads the dictionary.
func (t *textReader) load() error {
	if t.spans != nil {
		return nil
	}
	data, err := t.r.read(t.dictionary)
	if err != nil {
		return err
	}
	c := cursor{data: data}
	prefixStream, lengthStream, restStream := c.stream(t.words), c.stream(t.words*binary.MaxVarintLen32), c.stream(maxDictionary)
	defer prefixStream.release()
	defer lengthStream.release()
	defer restStream.release()
	prefixes, lengths, rests := prefixStream.raw, cursor{data: lengthStream.raw}, cursor{data: restStream.raw}
	if c.failed || len(prefixes) != t.words {
		return corrupt("dictionary")
	}
	text := make([]byte, 0, 2*(len(rests.data)+len(prefixes))+wideCopy)
	spans := make([]wordSpan, len(prefixes))
	var before []byte
	for i, shared := range prefixes {
		v := lengths.uvarint(2*maxDictionary + 1)
		rest := rests.bytes(v >> 1)
		if rests.failed || int(shared) > len(before) || int(shared)+len(rest) == 0 {
			return corrupt("dictionary")
		}
		if v&1 == 1 {
			text = append(text, ' ')
		}
		start := len(text)
		text = append(append(text, before[:shared]...), rest...)
		before = text[start:]
		spans[i] = wordSpan{uint32(start), uint32(len(text)), uint32(v & 1)}
	}
	if !lengths.end() || !rests.end() {
		return corrupt("dictionary")
	}
	t.text, t.spans, t.places = append(text, make([]byte, wideCopy)...), spans, c.data
	return nil
}

// loadPage reads the page of a value.
func (t *textReader) loadPage(ordinal int) error {
	if t.page >= 0 {
		if p := t.pages[t.page]; ordinal >= p.first && ordinal < p.first+p.values {
			t.splitPage()
			return nil
		}
	}
	err := t.readPage(findPage(t.pages, ordinal))
	if err == nil {
		t.splitPage()
	}
	return err
}

// readPage reads the bytes of a page, and counts its values.
func (t *textReader) readPage(i int) error {
	if t.page == i {
		return nil
	}
	data, err := t.r.read(t.pages[i].section)
	if err != nil {
		return err
	}
	t.page, t.ends = -1, t.ends[:0]
	t.stream.release()
	s, rest, err := unpack(data, 2*(MaxValue+textPage))
	if err != nil || len(rest) > 0 {
		return corrupt("page of text")
	}
	n := len(s.raw)
	if n == 0 || s.raw[n-1] != 0 || bytes.Count(s.raw, []byte{0}) != t.pages[i].values {
		s.release()
		return corrupt("page of text")
	}
	t.page, t.stream, t.codes = i, s, s.raw
	return nil
}

// splitPage returns where the values of the page end.
func (t *textReader) splitPage() []uint32 {
	t.ends = slices.Grow(t.ends, t.pages[t.page].values-len(t.ends))
	for at := 0; len(t.ends) < t.pages[t.page].values; {
		at += bytes.IndexByte(t.codes[at:], 0)
		t.ends = append(t.ends, uint32(at))
		at++
	}
	return t.ends
}

func (t *textReader) release() {
	t.page = -1
	t.stream.release()
}

func (t *textReader) appendValue(dst []byte, ordinal int) ([]byte, error) {
	if err := t.load(); err != nil {
		return dst, err
	}
	if err := t.loadPage(ordinal); err != nil {
		return dst, err
	}
	k, start := ordinal-t.pages[t.page].first, 0
	if k > 0 {
		start = int(t.ends[k-1]) + 1
	}
	return t.decode(dst, t.codes[start:t.ends[k]])
}

// decode appends the text of codes, which hold no 0.
func (t *textReader) decode(dst, codes []byte) ([]byte, error) {
	limit := len(dst) + MaxValue
	before := uint32(0)
	for i := 0; i < len(codes); i++ {
		n := int(codes[i]) - 1
		if n >= t.short {
			if i++; i == len(codes) {
				return dst, corrupt("code of a word")
			}
			n = t.short + (n-t.short)*255 + int(codes[i]) - 1
		}
		if n >= len(t.spans) {
			return dst, corrupt("code of a word")
		}
		s := t.spans[n]
		start := s.start - s.isWord&before
		size := int(s.end - start)
		before = s.isWord
		if at := len(dst); size <= wideCopy && cap(dst)-at >= wideCopy {
			*(*[wideCopy]byte)(dst[at : at+wideCopy]) = *(*[wideCopy]byte)(t.text[start : start+wideCopy])
			dst = dst[:at+size]
			continue
		}
		dst = append(dst, t.text[start:s.end]...)
		if len(dst) > limit { // a word is short: with wideCopy the check can wait
			return dst, corrupt("value over the limit")
		}
	}
	return dst, nil
}

func (t *textReader) mayEqual(value []byte) (bool, error) {
	return t.may(newQuery(value, true))
}

func (t *textReader) may(q query) (bool, error) {
	data, err := t.r.read(t.filter)
	if err != nil {
		return true, err
	}
	f, err := parseFilter(data)
	if err != nil {
		return true, err
	}
	if !f.may(q) {
		return false, nil
	}
	if err := t.foldWords(); err != nil {
		return true, err
	}
	var text []byte
	for _, p := range q.pieces {
		text = text[:0]
		if p.left {
			text = append(text, 0)
		}
		text = append(text, p.text...)
		if p.right {
			text = append(text, 0)
		}
		if !bytes.Contains(t.folded, text) {
			return false, nil
		}
	}
	return true, nil
}

func (t *textReader) foldWords() error {
	if t.folded != nil {
		return nil
	}
	if err := t.load(); err != nil {
		return err
	}
	t.folded = append(make([]byte, 0, len(t.text)+len(t.spans)+1), 0)
	t.foldedEnds = make([]uint32, len(t.spans))
	for n, s := range t.spans {
		t.folded = appendFold(t.folded, t.text[s.start:s.end])
		t.foldedEnds[n] = uint32(len(t.folded))
		t.folded = append(t.folded, 0)
	}
	return nil
}
