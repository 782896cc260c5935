package chain

import (
	"bytes"
	"encoding/binary"
	"math/bits"
)

// An EntryDecoder reads entries from lines that resemble each other: most name the
// same members in one order, and repeat values of the line before, which then are
// neither read nor copied again. What it does not read, [Text.Canonical] and
// [ParseEntry] do, or say what is wrong with. Its zero value is ready.
//
// As long as a line goes on as the one before did, its members are those: one comparison
// passes over all of them.
type EntryDecoder struct {
	c      canonizer
	line   []byte             // before this one
	places []place            // of its values, in its order
	next   []place            // of those of this line
	raw    [NumMembers][]byte // values as they stood in the last line that has the member
	last   Entry              // and in canonical form
}

// A place is where in a line the value of a member stands.
type place struct {
	m          Member
	start, end int
}

// Decode reads an entry whose members are known and of their types. It appends the
// values' canonical form to dst and returns the size of the entry's. The entry has
// values of lines before, so what was appended, and the lines, must stay as they are.
// With ok false, dst is as it was, and nothing is said of the line.
func (d *EntryDecoder) Decode(dst, line []byte, e *Entry) (out []byte, size int, ok bool) {
	c := &d.c
	c.compareNames, c.src, c.starts, c.top = compareUTF16, line, c.starts[:0], nil
	c.out = dst
	if cap(dst)-len(dst) < len(line) {
		c.out = append(make([]byte, 0, 2*len(dst)+len(line)), dst...)
	}
	*e = Entry{}
	size, ok = d.members(e)
	if !ok {
		d.Forget()
		return dst, 0, false
	}
	return c.out, size, true
}

// Forget makes d forget the lines that it has read. It is for who does not keep what was
// appended: a value that is written over must not come again.
func (d *EntryDecoder) Forget() { d.raw, d.line, d.places = [NumMembers][]byte{}, nil, d.places[:0] }

func (d *EntryDecoder) members(e *Entry) (size int, ok bool) {
	line := d.c.src
	if len(line) > MaxText {
		return 0, false
	}
	size = 1
	add := func(p place) bool {
		twice := e[p.m] != nil
		e[p.m] = d.last[p.m]
		size += len(members[p.m].name) + len(`"":,`) + len(e[p.m])
		d.next = append(d.next, p)
		return !twice
	}
	d.next = d.next[:0]
	before := d.places   // that are left
	pos, before0 := 0, 0 // in line and in d.line, where a value ended
	for {
		shift, same := pos-before0, before0
		if pos == 0 || before0 > 0 { // both begin, or a value ended in both
			same += commonPrefix(line[pos:], d.line[before0:])
		}
		// What stands behind a value shows that it ends.
		for len(before) > 0 && before[0].end < same {
			p := before[0]
			if !add(place{p.m, p.start + shift, p.end + shift}) {
				return 0, false
			}
			before0, before = p.end, before[1:]
		}
		pos = before0 + shift
		if end := pos + spaces(line[pos:]); len(d.next) > 0 && end < len(line) && line[end] == '}' {
			d.places, d.next, d.line = d.next, d.places, line
			return size, end+1+spaces(line[end+1:]) == len(line)
		}
		var m Member
		if len(before) > 0 && before[0].start <= same {
			m, pos = before[0].m, before[0].start+shift
		} else {
			var n int
			if m, n, ok = gap(line[pos:], len(d.next) == 0); !ok {
				return 0, false
			}
			pos += n
		}
		n, ok := d.value(m, pos)
		if !ok || !add(place{m, pos, pos + n}) {
			return 0, false
		}
		pos += n
		for i := range before {
			if before[i].m == m {
				before0, before = before[i].end, before[i+1:]
				break
			}
		}
	}
}

// commonPrefix returns how many bytes both begin with.
func commonPrefix(a, b []byte) int {
	n, i := min(len(a), len(b)), 0
	for ; i+8 <= n; i += 8 {
		if x := binary.LittleEndian.Uint64(a[i:]) ^ binary.LittleEndian.Uint64(b[i:]); x != 0 {
			return i + bits.TrailingZeros64(x)/8
		}
	}
	for i < n && a[i] == b[i] {
		i++
	}
	return i
}

// gap reads what stands before a value: the name of a member, with white space as the
// writer put it.
func gap(text []byte, first bool) (m Member, n int, ok bool) {
	expect := func(b byte) bool {
		n += spaces(text[n:])
		n++
		return n <= len(text) && text[n-1] == b
	}
	opening := byte(',')
	if first {
		opening = '{'
	}
	if !expect(opening) || !expect('"') {
		return 0, 0, false
	}
	name, _, ends := bytes.Cut(text[n:], []byte{'"'})
	m, known := MemberOf(string(name))
	n += len(name) + 1
	if !ends || !known || !expect(':') {
		return 0, 0, false
	}
	return m, n + spaces(text[n:]), true
}

// value reads the value at pos, which becomes the last of its member.
func (d *EntryDecoder) value(m Member, pos int) (n int, ok bool) {
	c := &d.c
	if raw := d.raw[m]; raw != nil && bytes.HasPrefix(c.src[pos:], raw) && endsValue(c.src[pos+len(raw):]) {
		return len(raw), true
	}
	start := len(c.out)
	c.pos, c.kept = pos, pos
	if c.value(1) != nil {
		return 0, false
	}
	c.flush()
	value := c.out[start:len(c.out):len(c.out)]
	if members[m].check(value) != nil {
		return 0, false
	}
	d.raw[m], d.last[m] = c.src[pos:c.pos], value
	return c.pos - pos, true
}

// endsValue tells whether a value that stands in front of text ends there: a number
// could go on.
func endsValue(text []byte) bool {
	return len(text) > 0 && (text[0] == ',' || text[0] == '}' || text[0] <= ' ')
}
