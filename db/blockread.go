package db

import (
	"fmt"

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
	room   *pageRoom // that pages are in; nil: they are of their own
	again  bool      // it was read before, from this ledger
	tail   *rowSet   // of a range of the tail, which has no pages; see blocktail.go
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
	head, err := readBlockHead(txn, number)
	if err != nil {
		return nil, err
	}
	return openBlockOf(txn, number, head)
}

// openBlockOf reads the directory of a block whose head is known.
func openBlockOf(txn *badger.Txn, number uint64, head blockHead) (*Block, error) {
	return newBlock(number, head, func(col, page uint16) ([]byte, error) {
		return must(txn, columnKey(number, head.generation, col, page))
	})
}

func newBlock(number uint64, head blockHead, page func(col, page uint16) ([]byte, error)) (*Block, error) {
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
	return blockOfDir(number, dir, page), nil
}

// blockOfDir makes a block whose directory is known, and not changed.
func blockOfDir(number uint64, dir *blockDir, page func(col, page uint16) ([]byte, error)) *Block {
	return &Block{number: number, dir: dir, page: page, cols: make([]*column.Reader, len(dir.cols)), ints: make([][]int64, len(dir.cols))}
}

// blockOf makes a block of pages that are in memory.
func blockOf(number uint64, pages []page) (*Block, error) {
	stored := make(map[[2]uint16][]byte, len(pages))
	for _, p := range pages {
		stored[[2]uint16{p.column, p.page}] = p.value
	}
	page := func(col, page uint16) ([]byte, error) {
		value, ok := stored[[2]uint16{col, page}]
		if !ok {
			return nil, fmt.Errorf("no page %d of column %d", page, col)
		}
		return value, nil
	}
	value, err := page(0, 0)
	if err != nil {
		return nil, err
	}
	head, err := decodeBlockHead(number, value)
	if err != nil {
		return nil, err
	}
	return newBlock(number, head, page)
}

// keepPages makes b keep the pages that it reads.
func (b *Block) keepPages() {
	read, kept := b.page, map[[2]uint16][]byte{}
	b.page = func(col, page uint16) ([]byte, error) {
		key := [2]uint16{col, page}
		if value := kept[key]; value != nil {
			return value, nil
		}
		value, err := read(col, page)
		if err == nil {
			kept[key] = value
		}
		return value, err
	}
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
		if b.tail != nil {
			b.cols[i] = b.tailColumn(d.member)
			return b.cols[i], nil
		}
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
	if b.ints[i] == nil && b.tail != nil {
		b.ints[i] = b.tailInts(name)
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

// integersAt returns the values that some rows have in an integer column, nil if there is
// none.
func (b *Block) integersAt(name colName, rows []uint16) ([]int64, error) {
	i := b.find(name)
	if i < 0 {
		return nil, nil
	}
	if b.ints[i] != nil || b.tail != nil || len(rows) > b.dir.rows/manyRows {
		values, err := b.integers(name)
		if err != nil {
			return nil, err
		}
		out := make([]int64, len(rows))
		for k, row := range rows {
			out[k] = values[row]
		}
		return out, nil
	}
	out, err := column.DecodeIntsAt(make([]int64, 0, len(rows)), b.dir.cols[i].meta, rows)
	if err != nil {
		return nil, b.damaged(i, err)
	}
	return out, nil
}

// manyRows is the part of a block's rows from which on all are decoded.
const manyRows = 16

// Release gives back the memory of what was read, for somebody who is done with the block:
// nobody may use it, its columns, times and codes any more. Entries that were restored stay.
func (b *Block) Release() { b.release() }

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
	if b.room != nil {
		b.room.release()
		b.cols, b.ints = nil, nil // of pages that are another's now
	}
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

// timesAt returns the times of some rows.
func (b *Block) timesAt(m chain.Member, rows []uint16) ([]chain.Time, error) {
	ticks, err := b.integersAt(colName{member: m, kind: colTicks}, rows)
	if err != nil {
		return nil, err
	}
	if ticks == nil {
		return nil, damaged("block %d has no column %s", b.number, m)
	}
	rest, err := b.integersAt(colName{member: m, kind: colRest}, rows)
	if err != nil {
		return nil, err
	}
	times := make([]chain.Time, len(rows))
	for k := range rows {
		times[k].Ticks = ticks[k]
		if rest != nil {
			times[k].Rest = uint8(rest[k])
		}
	}
	return times, nil
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
