package chain

import "bytes"

// An EntryDecoder reads entries from lines that resemble each other: most name the
// same members in one order, and repeat values of the line before, which then are
// neither read nor copied again. What it does not read, [Text.Canonical] and
// [ParseEntry] do, or say what is wrong with. Its zero value is ready.
type EntryDecoder struct {
	c      canonizer
	before []gap              // of the last line, in its order
	raw    [NumMembers][]byte // values as they stood in the last line that has the member
	last   Entry              // and in canonical form
}

// A gap is what stands between a value and the next: the name of a member, with white
// space as the writer put it.
type gap struct {
	text []byte
	m    Member
}

// Decode reads an entry whose members are known and of their types. It appends the
// values' canonical form to dst and returns the size of the entry's. The entry has
// values of lines before, so what was appended, and the lines, must stay as they are.
// With ok false, dst is as it was, and nothing is said of the line.
func (d *EntryDecoder) Decode(dst, line []byte) (out []byte, e Entry, size int, ok bool) {
	c := &d.c
	c.compareNames, c.src, c.starts, c.top = compareUTF16, line, c.starts[:0], nil
	c.out = dst
	if cap(dst)-len(dst) < len(line) {
		c.out = append(make([]byte, 0, 2*len(dst)+len(line)), dst...)
	}
	size, ok = d.members(&e)
	if !ok {
		d.Forget()
		return dst, e, 0, false
	}
	return c.out, e, size, true
}

// Forget makes d forget the lines that it has read. It is for who does not keep what was
// appended: a value that is written over must not come again.
func (d *EntryDecoder) Forget() { d.raw = [NumMembers][]byte{} }

func (d *EntryDecoder) members(e *Entry) (size int, ok bool) {
	line := d.c.src
	if len(line) > MaxText {
		return 0, false
	}
	size, pos := 1, 0
	for i := 0; ; i++ {
		m, n, ok := d.gap(line[pos:], i)
		if !ok || e[m] != nil {
			return 0, false
		}
		pos += n
		if n, ok = d.value(e, m, pos); !ok {
			return 0, false
		}
		pos += n
		size += len(members[m].name) + len(`"":,`) + len(e[m])
		end := pos + spaces(line[pos:])
		if end == len(line) {
			return 0, false
		}
		if line[end] == '}' {
			return size, end+1+spaces(line[end+1:]) == len(line)
		}
	}
}

// gap reads up to the i-th value.
func (d *EntryDecoder) gap(text []byte, i int) (m Member, n int, ok bool) {
	if i < len(d.before) {
		if g := &d.before[i]; bytes.HasPrefix(text, g.text) {
			return g.m, len(g.text), true
		}
	}
	expect := func(b byte) bool {
		n += spaces(text[n:])
		n++
		return n <= len(text) && text[n-1] == b
	}
	first := byte(',')
	if i == 0 {
		first = '{'
	}
	if !expect(first) || !expect('"') {
		return 0, 0, false
	}
	name, _, ends := bytes.Cut(text[n:], []byte{'"'})
	m, known := MemberOf(string(name))
	n += len(name) + 1
	if !ends || !known || !expect(':') {
		return 0, 0, false
	}
	n += spaces(text[n:])
	d.before = append(d.before[:i], gap{text[:n], m})
	return m, n, true
}

// value reads the value at pos.
func (d *EntryDecoder) value(e *Entry, m Member, pos int) (n int, ok bool) {
	c := &d.c
	if raw := d.raw[m]; raw != nil && bytes.HasPrefix(c.src[pos:], raw) && endsValue(c.src[pos+len(raw):]) {
		e[m] = d.last[m]
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
	e[m], d.raw[m], d.last[m] = value, c.src[pos:c.pos], value
	return c.pos - pos, true
}

// endsValue tells whether a value that stands in front of text ends there: a number
// could go on.
func endsValue(text []byte) bool {
	return len(text) > 0 && (text[0] == ',' || text[0] == '}' || text[0] <= ' ')
}
