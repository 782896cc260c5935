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

// openBlock reads the directory of a block.
func openBlock(txn *badger.Txn, number uint64) (*Block, error) {
	page := func(col, page uint16) ([]byte, error) { return must(txn, columnKey(number, col, page)) }
	return newBlock(number, page)
}

func newBlock(number uint64, page func(col, page uint16) ([]byte, error)) (*Block, error) {
	text, err := page(0, 0)
	for n := uint16(1); err == nil && len(text)%maxValue == 0; n++ {
		var more []byte
		more, err = page(0, n)
		text = append(text[:len(text):len(text)], more...)
	}
	if err != nil {
		return nil, err
	}
	dir, err := decodeBlockDir(number, text)
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

// indexes returns the index of every row: a session's follow each other.
func (b *Block) indexes() ([]uint64, error) {
	if b.index != nil {
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
	next := make([]uint64, r.Distinct()+1)
	seen := make([]bool, r.Distinct()+1)
	index := make([]uint64, b.dir.rows)
	for i, c := range codes {
		if int(c) >= len(next) {
			return nil, damaged("block %d has session code %d of %d", b.number, c, r.Distinct())
		}
		if !seen[c] {
			seen[c], next[c] = true, uint64(starts[i])
		}
		index[i] = next[c]
		next[c]++
	}
	b.index = index
	return index, nil
}

// A restorer restores rows. It keeps its memory, so what it restored is valid until
// its text is taken away: by a caller who sets it to text[:0], or keeps it.
type restorer struct {
	text   []byte
	value  []byte
	fields [chain.NumMembers][]field
}

// A field is a member of an object, in canonical form.
type field struct{ name, value []byte }

// members restores the entry of a row.
func (b *Block) members(x *restorer, row int) (m chain.Entry, err error) {
	for i := range b.dir.cols {
		d := &b.dir.cols[i]
		if d.kind != colText && d.kind != colJSON {
			continue
		}
		r := b.cols[i]
		if r == nil {
			if r, err = b.reader(i); err != nil {
				return m, err
			}
		}
		var ok bool
		if x.value, ok, err = r.Row(x.value[:0], row); err != nil {
			return m, b.damaged(i, err)
		}
		if !ok {
			continue
		}
		start := len(x.text)
		x.text = restore(x.text, d.kind, x.value)
		value := x.text[start:len(x.text):len(x.text)]
		if d.sub == "" {
			m[d.member] = value
			continue
		}
		x.fields[d.member] = append(x.fields[d.member], field{d.name, value})
	}
	for _, member := range [...]chain.Member{chain.Args, chain.Metadata, chain.Response} {
		if fields := x.fields[member]; len(fields) > 0 {
			m[member] = x.object(fields, m[member])
			x.fields[member] = fields[:0]
		}
	}
	index, err := b.indexes()
	if err != nil {
		return m, err
	}
	start := len(x.text)
	x.text = strconv.AppendUint(x.text, index[row], 10)
	m[chain.Index] = x.text[start:len(x.text):len(x.text)]
	for _, member := range [...]chain.Member{chain.At, chain.Recorded} {
		t, err := b.time(member, row)
		if err != nil {
			return m, err
		}
		start := len(x.text)
		x.text = append(t.Append(append(x.text, '"')), '"')
		m[member] = x.text[start:len(x.text):len(x.text)]
	}
	return m, nil
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
	for i := range rows {
		x.text = x.text[:0]
		m, err := b.members(&x, i)
		if err != nil {
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
