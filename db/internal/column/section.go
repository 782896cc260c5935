package column

import (
	"encoding/binary"
	"sort"
)

// A section is a part of a column that is read as a whole. Short ones stand in the
// meta, others in pages: several share a page as long as it stays under a limit,
// and what is longer than a page may be fills as many as it needs.
//
// In the meta a section is
//
//	size (uvarint), then up to maxInline: the bytes
//	                else:                 page (uvarint) offset (uvarint)
const (
	maxInline  = 256
	maxPage    = 512 << 10
	sharedPage = 64 << 10
)

// A sectionWriter lays sections out.
type sectionWriter struct {
	meta  []byte
	pages []byte // one after the other
	cuts  []int  // where in pages each page begins
	out   [][]byte
}

func (w *sectionWriter) reset() {
	w.meta, w.pages, w.cuts = w.meta[:0], w.pages[:0], w.cuts[:0]
}

// add appends a section. One with a page of its own can be read without others.
func (w *sectionWriter) add(data []byte, ownPage bool) {
	w.meta = binary.AppendUvarint(w.meta, uint64(len(data)))
	if len(data) <= maxInline {
		w.meta = append(w.meta, data...)
		return
	}
	used := 0
	if len(w.cuts) > 0 {
		used = len(w.pages) - w.cuts[len(w.cuts)-1]
	}
	if len(w.cuts) == 0 || ownPage || used+len(data) > sharedPage {
		w.cuts = append(w.cuts, len(w.pages))
		used = 0
	}
	w.meta = binary.AppendUvarint(w.meta, uint64(len(w.cuts)-1))
	w.meta = binary.AppendUvarint(w.meta, uint64(used))
	for at := maxPage; at < len(data); at += maxPage {
		w.cuts = append(w.cuts, len(w.pages)+at)
	}
	w.pages = append(w.pages, data...)
}

// finish returns the pages, which the next reset makes invalid.
func (w *sectionWriter) finish() [][]byte {
	clear(w.out)
	w.out = w.out[:0]
	for i, start := range w.cuts {
		end := len(w.pages)
		if i+1 < len(w.cuts) {
			end = w.cuts[i+1]
		}
		w.out = append(w.out, w.pages[start:end:end])
	}
	return w.out
}

// A section says where its bytes are.
type section struct {
	inline             []byte
	page, offset, size int
}

// section reads where a section is, in a column with that many pages.
func (c *cursor) section(pages int) section {
	size := c.uvarint(uint64(pages+1) * maxPage)
	if size <= maxInline {
		return section{inline: c.bytes(size), size: size}
	}
	s := section{page: c.uvarint(uint64(max(pages-1, 0))), offset: c.uvarint(maxPage), size: size}
	// Only a section that begins a page goes on in the next.
	if s.page >= pages || s.offset > 0 && s.offset+size > maxPage || size > (pages-s.page)*maxPage {
		c.fail()
		return section{}
	}
	return s
}

// read returns the bytes of a section, which must not be written to.
func (r *Reader) read(s section) ([]byte, error) {
	if s.size <= maxInline {
		return s.inline, nil
	}
	data, err := r.data, error(nil)
	if r.data == nil || r.page != s.page {
		if data, err = r.fetch(s.page); err != nil {
			return nil, err
		}
		r.page, r.data = s.page, data
	}
	if s.offset+s.size <= len(data) {
		return data[s.offset:][:s.size:s.size], nil
	}
	var all []byte
	for p := s.page; ; p++ {
		all = append(all, data...)
		if len(all) >= s.size {
			break
		}
		if len(data) != maxPage || p+1 >= r.pages {
			return nil, corrupt("page is short")
		}
		if data, err = r.fetch(p + 1); err != nil {
			return nil, err
		}
	}
	if s.offset != 0 || len(all) != s.size {
		return nil, corrupt("page is long")
	}
	return all, nil
}

// A pageRef is a section that holds some of the distinct values.
type pageRef struct {
	first, values int // ordinals
	section       section
}

// pageRefs reads how many pages there are, and for each how many values it has and
// where it is. No page is empty, and together they have all values.
func (c *cursor) pageRefs(r *Reader) []pageRef {
	var refs []pageRef
	values := 0
	for range c.uvarint(uint64(r.distinct)) {
		p := pageRef{first: values, values: c.uvarint(uint64(r.distinct - values))}
		p.section = c.section(r.pages)
		if values += p.values; c.failed || p.values == 0 {
			c.fail()
			return nil
		}
		refs = append(refs, p)
	}
	if values != r.distinct {
		c.fail()
	}
	return refs
}

// findPage returns the page that has a value.
func findPage(pages []pageRef, ordinal int) int {
	return sort.Search(len(pages), func(i int) bool { return pages[i].first > ordinal }) - 1
}
