package chain

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
)

// object reads an object. Its members are put in order only where they are
// not: until one comes that does not follow the one before, comparing the two
// names is all that order and duplicates cost.
func (c *canonizer) object(depth int) error {
	brace := c.pos
	c.pos++
	c.space()
	if c.pos < len(c.src) && c.src[c.pos] == '}' {
		c.pos++
		return nil
	}
	base := c.mark() // of the first member
	open := len(c.starts)
	count, ordered := 0, true
	var last, name span
	for {
		src := c.pos
		start := c.mark()
		if count++; count <= many {
			c.starts = append(c.starts, uint32(start-base))
		}
		if c.pos == len(c.src) || c.src[c.pos] != '"' {
			return c.errorf(c.pos, "expected a member name in quotes, found %s", c.found())
		}
		plain, err := c.str()
		if err != nil {
			return err
		}
		last, name = name, span{start, c.mark(), plain}
		if ordered && count > 1 {
			order := c.compare(c.at(last), c.at(name), last.plain && plain)
			if order == 0 {
				return c.duplicate(src, c.at(name))
			}
			ordered = order < 0
		}
		c.space()
		if c.pos == len(c.src) || c.src[c.pos] != ':' {
			return c.errorf(c.pos, "expected ':' after a member name, found %s", c.found())
		}
		c.pos++
		c.space()
		if err := c.value(depth); err != nil {
			return err.(*SyntaxError).within(Unquote(c.at(name)))
		}
		c.space()
		more, err := c.next('}')
		if err != nil {
			return err
		}
		if !more {
			break
		}
		c.space()
	}
	var top *[]uint32
	if depth == 1 && count <= many {
		top = c.top
	}
	starts := c.starts[open:]
	switch {
	case ordered && top != nil:
		*top = append((*top)[:0], starts...)
	case !ordered:
		c.flush()
		if count > many {
			starts = findStarts(c.out[base:], count)
		}
		if err := c.sort(base, brace, starts, top); err != nil {
			return err
		}
	}
	c.starts = c.starts[:open]
	return nil
}

// A span is a string in the canonical text, from mark to mark.
type span struct {
	start, end int
	plain      bool
}

// many is how many members of an object have their places noted as they are read.
// Those of a larger one are looked for if it has to be sorted: a list that grows leaves
// as much behind as it holds.
const many = 1 << 12

// findStarts returns the places of the members in the text of an object.
func findStarts(text []byte, count int) []uint32 {
	starts := make([]uint32, 0, count)
	for i := 0; len(starts) < count; i++ {
		starts = append(starts, uint32(i))
		i += stringEnd(text[i:]) + 1
		i += valueEnd(text[i:])
	}
	return starts
}

// few is how many members an object may have to be sorted without looking for
// the end of a member twice.
const few = 32

// An entry is a member of an object that is being sorted.
type entry struct{ start, name, end uint32 }

// sort puts the members of the object that was just read in order, in out, where all
// of it is, and tells top, if that is not nil, where they went. The object begins at brace in src, its members at starts from base on.
//
// What an object of very many members needs for each is its place in starts
// alone: the ends of names and values are found anew where they are needed. Most
// objects have few members and keep all three.
func (c *canonizer) sort(base, brace int, starts []uint32, top *[]uint32) error {
	text := c.out[base:]
	var buf [few]entry
	entries := buf[:0]
	if len(starts) <= few {
		for i, start := range starts {
			end := uint32(len(text))
			if i+1 < len(starts) {
				end = starts[i+1]
			}
			// Behind a member stands a comma, or the brace.
			entries = append(entries, entry{start, start + uint32(stringEnd(text[start:])), end - 1})
		}
		c.sortFew(text, entries)
	} else {
		slices.SortFunc(starts, func(a, b uint32) int {
			nameA, nameB := text[a:], text[b:]
			return c.compare(nameA[:stringEnd(nameA)], nameB[:stringEnd(nameB)], false)
		})
	}
	if cap(c.sorted) < len(text) {
		c.sorted = make([]byte, 0, max(len(text), len(c.src)))
	}
	c.sorted = c.sorted[:0]
	if top != nil {
		*top = (*top)[:0]
	}
	var last entry
	for i, start := range starts {
		var e entry
		if len(entries) > 0 {
			e = entries[i]
		} else {
			e.start, e.name = start, start+uint32(stringEnd(text[start:]))
			e.end = e.name + 1 + uint32(valueEnd(text[e.name+1:]))
		}
		if i > 0 {
			if bytes.Equal(text[last.start:last.name], text[e.start:e.name]) {
				return c.duplicate(c.sourceOf(max(last.start, e.start), brace, starts), text[e.start:e.name])
			}
			c.sorted = append(c.sorted, ',')
		}
		last = e
		if top != nil {
			*top = append(*top, uint32(len(c.sorted)))
		}
		c.sorted = append(c.sorted, text[e.start:e.end]...)
	}
	c.out = append(append(c.out[:base], c.sorted...), '}')
	return nil
}

// sortFew sorts the members of a small object. The lines of a file mostly name their
// members in one order, so the order that the last object like this had is tried
// first: it costs one comparison a member.
func (c *canonizer) sortFew(text []byte, entries []entry) {
	var buf [few]entry
	was := buf[:copy(buf[:], entries)]
	order := &c.orders[(len(entries)+5*int(was[0].name-was[0].start))%len(c.orders)]
	fits := len(*order) == len(entries)
	for i := 0; fits && i < len(entries); i++ {
		entries[i] = was[(*order)[i]]
		fits = i == 0 || c.compare(text[entries[i-1].start:entries[i-1].name], text[entries[i].start:entries[i].name], false) < 0
	}
	if fits {
		return
	}
	copy(entries, was)
	slices.SortFunc(entries, func(a, b entry) int {
		return c.compare(text[a.start:a.name], text[b.start:b.name], false)
	})
	*order = (*order)[:0]
	for _, e := range entries {
		i, _ := slices.BinarySearchFunc(was, e.start, func(e entry, start uint32) int { return int(e.start) - int(start) })
		*order = append(*order, uint8(i))
	}
}

func (c *canonizer) duplicate(src int, name []byte) error {
	return c.errorf(src, "duplicate member %q", elide(Unquote(name)))
}

// sourceOf returns the place in src of the name of the member at start, in the
// object that begins at brace and has members at starts.
func (c *canonizer) sourceOf(start uint32, brace int, starts []uint32) int {
	before := 0 // members
	for _, s := range starts {
		if s < start {
			before++
		}
	}
	i := brace
	for {
		i += 1 + spaces(c.src[i+1:])
		if before == 0 {
			return i
		}
		before--
		i += stringEnd(c.src[i:])
		i += 1 + bytes.IndexByte(c.src[i:], ':')
		i += spaces(c.src[i:])
		i += valueEnd(c.src[i:])
		i += spaces(c.src[i:])
	}
}

// compare orders two canonical names. Plain names, which have no escape and
// nothing but ASCII, compare as they are.
func (c *canonizer) compare(a, b []byte, plain bool) int {
	a, b = inner(a), inner(b)
	if !plain && len(a) > 0 && len(b) > 0 && a[0] != b[0] {
		plain = a[0] < 0x80 && b[0] < 0x80 && a[0] != '\\' && b[0] != '\\'
	}
	if plain {
		return bytes.Compare(a, b)
	}
	if bytes.IndexByte(a, '\\') >= 0 || bytes.IndexByte(b, '\\') >= 0 {
		a, b = unescape(a), unescape(b)
	}
	return c.compareNames(a, b)
}

// compareUTF16 orders UTF-8 text by its UTF-16 code units (RFC 8785, 3.2.3). That differs
// from the order of bytes only between U+E000 to U+FFFF (first byte EE or EF) and the
// supplementary characters (F0 to F4), whose surrogates are smaller.
func compareUTF16(a, b []byte) int {
	for i := range min(len(a), len(b)) {
		if x, y := a[i], b[i]; x != y {
			if x >= 0xEE && y >= 0xEE && (x >= 0xF0) != (y >= 0xF0) {
				x, y = y, x
			}
			return int(x) - int(y)
		}
	}
	return len(a) - len(b)
}

// A SyntaxError says where a text is not JSON, or not JSON that a chain can
// carry.
type SyntaxError struct {
	Offset  int    // bytes before the place, from the start of the text
	Pointer string // RFC 6901, to the value around the place; long names are cut
	Msg     string // what was expected and what was found
}

func (e *SyntaxError) Error() string {
	if e.Pointer == "" {
		return fmt.Sprintf("byte %d: %s", e.Offset, e.Msg)
	}
	return fmt.Sprintf("byte %d, in %s: %s", e.Offset, elide(e.Pointer), e.Msg)
}

// maxShown is how many bytes of a name or a pointer a message shows.
const maxShown = 200

// elide cuts the middle out of a text that is too long to show.
func elide(text string) string {
	if len(text) <= maxShown {
		return text
	}
	half := maxShown / 2
	return strings.ToValidUTF8(text[:half], "") + "…" + strings.ToValidUTF8(text[len(text)-half:], "")
}

// within puts the token of a container in front of the pointer, as the error
// passes it on its way up. So a text without an error pays nothing for it.
func (e *SyntaxError) within(token string) error {
	e.Pointer = "/" + pointerEscaper.Replace(elide(token)) + e.Pointer
	return e
}

var pointerEscaper = strings.NewReplacer("~", "~0", "/", "~1")

func (c *canonizer) errorf(offset int, format string, args ...any) error {
	return &SyntaxError{Offset: offset, Msg: fmt.Sprintf(format, args...)}
}

// found names what stands at pos.
func (c *canonizer) found() string {
	rest := c.src[c.pos:]
	switch {
	case len(rest) == 0:
		return "the end of the text"
	case bytes.HasPrefix(rest, []byte("\ufeff")):
		return "a byte order mark"
	case rest[0] == 0:
		return "a NUL byte"
	case rest[0] > ' ' && rest[0] < 0x7f:
		return fmt.Sprintf("'%c'", rest[0])
	}
	return fmt.Sprintf("byte 0x%02x", rest[0])
}
