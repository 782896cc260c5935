package db

import (
	"toolledger/chain"
	"toolledger/db/internal/column"
)

// codeRows tells which rows of a block are whose.
type codeRows struct {
	rows  []uint16 // by session, in the order of their codes
	ends  []uint16 // in rows, of each code from 0 on, which has none
	index []uint64 // of the first row of each code
}

// of returns the rows of a code, and the index of the first. They are not to be changed.
func (t *codeRows) of(code uint16) ([]uint16, uint64) {
	return t.rows[t.ends[code-1]:t.ends[code]], t.index[code]
}

// sessionRows returns the rows of a session, none if the block has not got it, and the index
// of the first: they follow each other. They are not to be changed.
func (s *Snapshot) sessionRows(b *Block, session string) (rows []uint16, index uint64, err error) {
	i := b.find(colName{member: chain.Session, kind: colText})
	if i < 0 {
		return nil, 0, damaged("block %d has no column session", b.number)
	}
	r, err := b.reader(i)
	if err != nil {
		return nil, 0, err
	}
	code, err := r.Find([]byte(session))
	if err != nil {
		return nil, 0, b.damaged(i, err)
	}
	if code == 0 {
		return nil, 0, nil
	}
	if !b.again || s.l == nil {
		return b.rowsWith(i, r, code)
	}
	id := pageID{block: b.number, generation: b.dir.generation, page: placeRows}
	p, ok := s.l.pages.find(id)
	if !ok {
		if p.rows, err = b.codeRows(); err != nil {
			return nil, 0, err
		}
		p.size = 2*len(p.rows.rows) + 10*len(p.rows.ends) + pageOverhead
		s.l.pages.add(id, p)
	}
	rows, index = p.rows.of(code)
	return rows, index, nil
}

// rowsWith returns the rows that have a code in column i, that of the sessions, and the
// index of the first.
func (b *Block) rowsWith(i int, r *column.Reader, code uint16) ([]uint16, uint64, error) {
	rows, err := r.RowsWith(nil, code)
	if err != nil {
		return nil, 0, b.damaged(i, err)
	}
	if len(rows) == 0 {
		return nil, 0, damaged("block %d has no row of session code %d", b.number, code)
	}
	start, err := b.integersAt(colName{member: chain.Index, kind: colIndex}, rows[:1])
	if err != nil {
		return nil, 0, err
	}
	if start == nil {
		return nil, 0, damaged("block %d has no column index", b.number)
	}
	return rows, uint64(start[0]), nil
}

// codeRows makes the table of all sessions of a block.
func (b *Block) codeRows() (*codeRows, error) {
	codes, r, err := b.sessions()
	if err != nil {
		return nil, err
	}
	starts, err := b.integers(colName{member: chain.Index, kind: colIndex})
	if err != nil {
		return nil, err
	}
	if starts == nil {
		return nil, damaged("block %d has no column index", b.number)
	}
	n := r.Distinct() + 1
	t := &codeRows{rows: make([]uint16, len(codes)), ends: make([]uint16, n), index: make([]uint64, n)}
	for row, c := range codes {
		if c == 0 || int(c) >= n {
			return nil, damaged("block %d has session code %d of %d", b.number, c, r.Distinct())
		}
		if t.ends[c]++; t.ends[c] == 1 {
			t.index[c] = uint64(starts[row])
		}
	}
	next := make([]uint16, n) // where the rows of a code go
	for c := 1; c < n; c++ {
		if t.ends[c] == 0 {
			return nil, damaged("block %d names session %d and has no row of it", b.number, c)
		}
		next[c] = t.ends[c-1]
		t.ends[c] += t.ends[c-1]
	}
	for row, c := range codes {
		t.rows[next[c]] = uint16(row)
		next[c]++
	}
	return t, nil
}
