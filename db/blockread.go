package db

import (
	"fmt"
	"strconv"

	"github.com/dgraph-io/badger/v4"

	"toolledger/chain"
	"toolledger/db/internal/column"
)

// A Block is rows of the ledger that follow each other, as columns that are read
// when they are asked for.
type Block struct {
	number uint64
	dir    *blockDir
	page   func(col, page uint16) ([]byte, error)
	cols   []*column.Reader
	ints   [][]int64
	times  [2][2][]int64 // ticks and rest of time and recorded
	index  []uint64      // of each row
}

// readBlockHead reads the head of a block.
func readBlockHead(txn *badger.Txn, number uint64) (blockHead, error) {
	value, err := must(txn, blockKey(number))
	if err != nil {
		return blockHead{}, err
	}
	return decodeBlockHead(number, value)
}

// openBlock reads head and directory of a block.
func openBlock(txn *badger.Txn, number uint64) (*Block, error) {
	page := func(col, page uint16) ([]byte, error) { return must(txn, columnKey(number, col, page)) }
	return newBlock(number, page)
}

func newBlock(number uint64, page func(col, page uint16) ([]byte, error)) (*Block, error) {
	value, err := page(0, 0)
	if err != nil {
		return nil, err
	}
	head, err := decodeBlockHead(number, value)
	if err != nil {
		return nil, err
	}
	var text []byte
	for n := range head.dirs {
		part, err := page(0, uint16(n+1))
		if err != nil {
			return nil, err
		}
		if text == nil {
			text = part[:len(part):len(part)]
		} else {
			text = append(text, part...)
		}
	}
	dir, err := decodeBlockDir(number, head, text)
	if err != nil {
		return nil, err
	}
	return &Block{number: number, dir: dir, page: page, cols: make([]*column.Reader, len(dir.cols)), ints: make([][]int64, len(dir.cols))}, nil
}

// Rows returns how many rows b has, First the place of the first in the ledger.
func (b *Block) Rows() int     { return b.dir.rows }
func (b *Block) First() uint64 { return b.dir.first }

func (b *Block) find(name colName) int {
	for i := range b.dir.cols {
		if b.dir.cols[i].colName == name {
			return i
		}
	}
	return -1
}

// reader opens column i.
func (b *Block) reader(i int) (*column.Reader, error) {
	if b.cols[i] == nil {
		d := &b.dir.cols[i]
		r, err := column.Open(d.meta, func(p int) ([]byte, error) {
			if p < 0 || p >= int(d.pages) {
				return nil, fmt.Errorf("page %d of %d", p, d.pages)
			}
			return b.page(uint16(i+1), uint16(p))
		})
		if err == nil && r.Rows() != b.dir.rows {
			err = fmt.Errorf("%d rows of %d", r.Rows(), b.dir.rows)
		}
		if err != nil {
			return nil, b.damaged(i, err)
		}
		b.cols[i] = r
	}
	return b.cols[i], nil
}

func (b *Block) damaged(i int, err error) error {
	if isDamaged(err) {
		return err
	}
	d := &b.dir.cols[i]
	return damaged("block %d, column %s%s: %v", b.number, d.member, d.sub, err)
}

// integers returns the values of an integer column, nil if there is none.
func (b *Block) integers(name colName) ([]int64, error) {
	i := b.find(name)
	if i < 0 {
		return nil, nil
	}
	if b.ints[i] == nil {
		values, err := column.DecodeInts(nil, b.dir.cols[i].meta)
		if err == nil && len(values) != b.dir.rows {
			err = fmt.Errorf("%d rows of %d", len(values), b.dir.rows)
		}
		if err != nil {
			return nil, b.damaged(i, err)
		}
		b.ints[i] = values
	}
	return b.ints[i], nil
}

// release gives back the memory of what was read. Entries that were restored stay.
func (b *Block) release() {
	for _, r := range b.cols {
		if r != nil {
			r.Release()
		}
	}
	for i, values := range b.ints {
		column.ReleaseInts(values)
		b.ints[i] = nil
	}
	b.times = [2][2][]int64{}
}

// time returns the time of a row.
func (b *Block) time(m chain.Member, row int) (chain.Time, error) {
	t := &b.times[0]
	if m == chain.Recorded {
		t = &b.times[1]
	}
	if t[0] == nil {
		var err error
		if t[0], err = b.integers(colName{member: m, kind: colTicks}); err == nil {
			t[1], err = b.integers(colName{member: m, kind: colRest})
		}
		if err != nil {
			return chain.Time{}, err
		}
		if t[0] == nil {
			return chain.Time{}, damaged("block %d has no column %s", b.number, m)
		}
	}
	if t[1] == nil {
		return chain.Time{Ticks: t[0][row]}, nil
	}
	return chain.Time{Ticks: t[0][row], Rest: uint8(t[1][row])}, nil
}

// sessions returns the codes of the rows' sessions, and the reader of their names.
func (b *Block) sessions() ([]uint16, *column.Reader, error) {
	i := b.find(colName{member: chain.Session, kind: colText})
	if i < 0 {
		return nil, nil, damaged("block %d has no column session", b.number)
	}
	r, err := b.reader(i)
	if err != nil {
		return nil, nil, err
	}
	codes, err := r.Codes()
	if err != nil {
		return nil, nil, b.damaged(i, err)
	}
	return codes, r, nil
}

// indexes returns the index of some rows, or with nil of all: a session's follow each
// other.
func (b *Block) indexes(rows []uint16) ([]uint64, error) {
	if rows == nil && b.index != nil {
		return b.index, nil
	}
	starts, err := b.integers(colName{member: chain.Index, kind: colIndex})
	if err != nil {
		return nil, err
	}
	codes, r, err := b.sessions()
	if err != nil {
		return nil, err
	}
	if starts == nil {
		return nil, damaged("block %d has no column index", b.number)
	}
	count := b.dir.rows
	if rows != nil {
		count = len(rows)
	}
	index := make([]uint64, 0, count)
	next := make([]uint64, r.Distinct()+1) // of each session, plus one; 0: not seen yet
	for i, c := range codes {
		if int(c) >= len(next) {
			return nil, damaged("block %d has session code %d of %d", b.number, c, r.Distinct())
		}
		if next[c] == 0 {
			next[c] = uint64(starts[i]) + 1
		}
		if rows == nil || len(rows) > len(index) && int(rows[len(index)]) == i {
			index = append(index, next[c]-1)
		}
		next[c]++
	}
	if rows == nil {
		b.index = index
	}
	return index, nil
}

// A restorer restores rows. It keeps its memory: what it restored is valid until its
// text is taken away, by [restorer.reset] or by a caller who keeps it.
//
// Rows that follow each other mostly have much in common, so a member whose columns
// have the same codes as in the row before is not restored again.
type restorer struct {
	text   []byte
	value  []byte
	fields []field

	block   *Block     // of the row before
	rows    []uint16   // of it, those that are wanted, in order; nil: all
	columns [][]uint16 // of it: the codes of each column for these rows, nil for one of integers
	index   []uint64   // of these rows
	codes   []uint16   // of the row before
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
	row := x.row(place)
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
		t, err := b.time(member, row)
		if err != nil {
			return err
		}
		if m[member] = x.last[member]; m[member] == nil || t != x.times[i] {
			start := len(x.text)
			x.text = append(t.Append(append(x.text, '"')), '"')
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
	for i := range b.dir.cols {
		if kind := b.dir.cols[i].kind; kind != colText && kind != colJSON {
			continue
		}
		r, err := b.reader(i)
		if err == nil && x.rows != nil {
			x.columns[i], err = r.CodesAt(make([]uint16, 0, len(x.rows)), x.rows)
		} else if err == nil {
			x.columns[i], err = r.Codes()
		}
		if err != nil {
			return b.damaged(i, err)
		}
	}
	var err error
	x.index, err = b.indexes(x.rows)
	return err
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

// checkBlock decodes a block as it is about to be stored and compares every row
// with the entry that was hashed. A buffer that is used again too early spoils a
// block in a way that nothing else sees before an auditor does.
func checkBlock(number uint64, pages []page, rows []row) error {
	stored := make(map[[2]uint16][]byte, len(pages))
	for _, p := range pages {
		stored[[2]uint16{p.column, p.page}] = p.value
	}
	b, err := newBlock(number, func(col, page uint16) ([]byte, error) {
		value, ok := stored[[2]uint16{col, page}]
		if !ok {
			return nil, fmt.Errorf("no page %d of column %d", page, col)
		}
		return value, nil
	})
	if err != nil {
		return err
	}
	if b.Rows() != len(rows) || b.First() != rows[0].seq {
		return damaged("block %d has %d rows from %d, not %d from %d", number, b.Rows(), b.First(), len(rows), rows[0].seq)
	}
	var x restorer
	var entries [2]chain.Entry
	for i := range rows {
		if len(x.text) > 1<<16 {
			x.reset()
		}
		m := &entries[i%2]
		if err := b.members(&x, i, m); err != nil {
			return err
		}
		for k := range m {
			if string(m[k]) != string(rows[i].m[k]) || (m[k] == nil) != (rows[i].m[k] == nil) {
				return damaged("block %d, row %d: %s is %.100q, not %.100q", number, i, chain.Member(k), m[k], rows[i].m[k])
			}
		}
	}
	return nil
}
