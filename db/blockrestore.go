package db

import (
	"fmt"
	"strconv"

	"toolledger/chain"
	"toolledger/db/internal/column"
)

// A restorer restores rows. It keeps its memory: what it restored is valid until its
// text is taken away, by [restorer.reset] or by a caller who keeps it.
//
// Rows that follow each other mostly have much in common, so a member whose columns
// have the same codes as in the row before is not restored again.
type restorer struct {
	text   []byte
	value  []byte
	fields []field

	block   *Block          // of the row before
	rows    []uint16        // of it, those that are wanted, in order; nil: all
	columns [][]uint16      // of it: the codes of each column for these rows, nil for one of integers
	index   []uint64        // of these rows; who wants some gives them
	at      [2][]chain.Time // of these rows; nil for all
	codes   []uint16        // of the row before
	times   [2]chain.Time
	last    *chain.Entry
}

// row returns the row of the block that is the i-th of those that are wanted.
func (x *restorer) row(i int) int {
	if x.rows != nil {
		return int(x.rows[i])
	}
	return i
}

// reset takes the text away.
func (x *restorer) reset() { x.text, x.block = x.text[:0], nil }

// A field is a member of an object, in canonical form.
type field struct{ name, value []byte }

// members restores the entry of a row, which counts among those that x wants, into m.
// m must stay until the next is restored, in another place.
func (b *Block) members(x *restorer, place int, m *chain.Entry) error {
	if x.block != b {
		if err := x.begin(b); err != nil {
			return err
		}
	}
	*m = chain.Entry{}
	cols := b.dir.cols
	for i := 0; i < len(cols); {
		end, same := i, true // the columns of one member
		for ; end < len(cols) && cols[end].member == cols[i].member; end++ {
			if codes := x.columns[end]; codes != nil {
				same = same && codes[place] == x.codes[end]
				x.codes[end] = codes[place]
			}
		}
		member := cols[i].member
		if m[member] = x.last[member]; !same {
			var err error
			if m[member], err = b.member(x, i, end); err != nil {
				return err
			}
		}
		i = end
	}
	start := len(x.text)
	x.text = strconv.AppendUint(x.text, x.index[place], 10)
	m[chain.Index] = x.text[start:len(x.text):len(x.text)]
	for i, member := range [...]chain.Member{chain.At, chain.Recorded} {
		t, err := chain.Time{}, error(nil)
		if x.rows != nil {
			t = x.at[i][place]
		} else if t, err = b.time(member, place); err != nil {
			return err
		}
		if m[member] = x.last[member]; m[member] == nil || t != x.times[i] {
			start := len(x.text)
			x.text = appendQuotedTime(x.text, t)
			m[member], x.times[i] = x.text[start:len(x.text):len(x.text)], t
		}
	}
	x.last = m
	return nil
}

// begin begins with a block: no row of it has been restored.
func (x *restorer) begin(b *Block) error {
	x.block, x.last = b, new(chain.Entry)
	x.codes = make([]uint16, len(b.dir.cols)) // 0: absent everywhere, as in last
	x.columns = make([][]uint16, len(b.dir.cols))
	var memo column.CodeMemo
	for i := range b.dir.cols {
		if kind := b.dir.cols[i].kind; kind != colText && kind != colJSON {
			continue
		}
		r, err := b.reader(i)
		if err == nil && x.rows != nil {
			x.columns[i], err = r.CodesAt(make([]uint16, 0, len(x.rows)), x.rows, &memo)
		} else if err == nil {
			x.columns[i], err = r.Codes()
		}
		if err != nil {
			return b.damaged(i, err)
		}
	}
	var err error
	if x.rows == nil {
		x.index, err = b.indexes()
		return err
	}
	for i, member := range [...]chain.Member{chain.At, chain.Recorded} {
		if x.at[i], err = b.timesAt(member, x.rows); err != nil {
			return err
		}
	}
	return nil
}

// member restores a member from its columns, i to end, at the codes in x.
func (b *Block) member(x *restorer, i, end int) (whole []byte, err error) {
	x.fields = x.fields[:0]
	for ; i < end; i++ {
		d := &b.dir.cols[i]
		if x.codes[i] == 0 || d.kind != colText && d.kind != colJSON {
			continue
		}
		r, err := b.reader(i)
		if err != nil {
			return nil, err
		}
		if int(x.codes[i]) > r.Distinct() {
			return nil, b.damaged(i, fmt.Errorf("code %d of %d", x.codes[i], r.Distinct()))
		}
		if x.value, err = r.Value(x.value[:0], x.codes[i]); err != nil {
			return nil, b.damaged(i, err)
		}
		start := len(x.text)
		x.text = restore(x.text, d.kind, x.value)
		value := x.text[start:len(x.text):len(x.text)]
		if d.sub == "" {
			whole = value
			continue
		}
		x.fields = append(x.fields, field{d.name, value})
	}
	if len(x.fields) > 0 {
		whole = x.object(x.fields, whole)
	}
	return whole, nil
}

// object makes an object of fields, which are in order, and of those that the rest
// has, if it is not nil.
func (x *restorer) object(fields []field, rest []byte) []byte {
	start := len(x.text)
	x.text = append(x.text, '{')
	add := func(name, value []byte) {
		if len(x.text) > start+1 {
			x.text = append(x.text, ',')
		}
		x.text = append(append(append(x.text, name...), ':'), value...)
	}
	for name, value := range chain.Members(rest) {
		for len(fields) > 0 && chain.CompareNames(fields[0].name, name) < 0 {
			add(fields[0].name, fields[0].value)
			fields = fields[1:]
		}
		add(name, value)
	}
	for _, f := range fields {
		add(f.name, f.value)
	}
	x.text = append(x.text, '}')
	return x.text[start:len(x.text):len(x.text)]
}
