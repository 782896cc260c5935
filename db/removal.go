package db

import (
	"encoding/binary"
	"slices"
	"strings"

	"toolledger/chain"
	"toolledger/db/internal/column"
)

// A removal is what an entry has in place of its salt when values of it were removed: the
// commitments to those, and the salts of the values that are left. It stands in a column of the
// entry's block:
//
//	of each removed value, by pointer: length of the pointer (uvarint, plus one) pointer commitment(32)
//	0 salt(16) of each value that is left, in canonical order
type removal struct {
	removed []removedValue // in the order of their pointers
	salts   []chain.Salt
}

type removedValue struct {
	pointer    string
	commitment chain.Hash
}

// removalOf returns what is left of an entry in place of its salt; nil if it has that.
func removalOf(e *chain.Evidence) *removal {
	if e.Salts == nil {
		return nil
	}
	r := new(removal)
	for pointer, commitment := range e.Removed {
		r.removed = append(r.removed, removedValue{pointer, commitment})
	}
	slices.SortFunc(r.removed, func(a, b removedValue) int { return strings.Compare(a.pointer, b.pointer) })
	for pointer := range new(chain.Committer).Pointers(&e.Entry) {
		r.salts = append(r.salts, e.Salts[string(pointer)])
	}
	return r
}

// evidence returns an entry with what is left in place of its salt. Salts that are too few are
// found to be so by the digest.
func (r *removal) evidence(m *chain.Entry) *chain.Evidence {
	e := &chain.Evidence{Entry: *m, Salts: map[string]chain.Salt{}, Removed: make(map[string]chain.Hash, len(r.removed))}
	for _, v := range r.removed {
		e.Removed[v.pointer] = v.commitment
	}
	salts := r.salts
	for pointer := range new(chain.Committer).Pointers(m) {
		if len(salts) > 0 {
			e.Salts[string(pointer)], salts = salts[0], salts[1:]
		}
	}
	return e
}

// pointers returns where the removed values were, none of a nil removal.
func (r *removal) pointers() (list []string) {
	if r == nil {
		return nil
	}
	for _, v := range r.removed {
		list = append(list, v.pointer)
	}
	return list
}

// encode returns what is stored, nil of a nil removal.
func (r *removal) encode() (b []byte) {
	if r == nil {
		return nil
	}
	for i := range r.removed {
		v := &r.removed[i]
		b = binary.AppendUvarint(b, uint64(len(v.pointer))+1)
		b = append(append(b, v.pointer...), v.commitment[:]...)
	}
	b = append(b, 0)
	for i := range r.salts {
		b = append(b, r.salts[i][:]...)
	}
	return b
}

// decodeRemoval is the opposite of encode; nil if b is nothing that encode returns.
func decodeRemoval(b []byte) *removal {
	r := new(removal)
	for {
		size, n := binary.Uvarint(b)
		if n <= 0 {
			return nil
		}
		if b = b[n:]; size == 0 {
			break
		}
		if size--; uint64(len(b)) < size || uint64(len(b))-size < uint64(hashSize) {
			return nil
		}
		pointer := string(b[:size])
		if n := len(r.removed); n > 0 && r.removed[n-1].pointer >= pointer || chain.CheckPointer(pointer) != nil {
			return nil
		}
		r.removed = append(r.removed, removedValue{pointer, chain.Hash(b[size:])})
		b = b[size+uint64(hashSize):]
	}
	if len(r.removed) == 0 || len(b)%len(chain.Salt{}) != 0 {
		return nil
	}
	for ; len(b) > 0; b = b[len(chain.Salt{}):] {
		r.salts = append(r.salts, chain.Salt(b))
	}
	return r
}

// removedColumn has the removals of a block's rows. A block without one has no such column.
var removedColumn = colName{member: chain.Index, kind: colRemoved}

// removals returns what the column of removals stores.
func (e *blockEncoder) removals(rows *rowSet) []column.Run {
	e.runs = e.runs[:0]
	for row := range rows.rows {
		if r := rows.rows[row].removal; row == 0 || r != nil || rows.rows[row-1].removal != nil {
			e.runs = append(e.runs, column.Run{First: row, Value: r.encode()})
		}
	}
	return e.runs
}

// rowRemovals are the removals of a block by row; nil if there are none.
type rowRemovals []*removal

func (r rowRemovals) at(row int) *removal {
	if r == nil {
		return nil
	}
	return r[row]
}

// removedReader returns the column of removals and its reader, nil if the block has none.
func (b *Block) removedReader() (i int, r *column.Reader, err error) {
	if i = b.find(removedColumn); i < 0 {
		return i, nil, nil
	}
	r, err = b.reader(i)
	return i, r, err
}

// removals returns the removals of all rows.
func (b *Block) removals() (rowRemovals, error) {
	i, r, err := b.removedReader()
	if r == nil || err != nil {
		return nil, err
	}
	codes, err := r.Codes()
	if err != nil {
		return nil, b.damaged(i, err)
	}
	list := make(rowRemovals, len(codes))
	for row, code := range codes {
		if list[row], err = b.removalOf(i, r, code); err != nil {
			return nil, err
		}
	}
	return list, nil
}

// removal returns the removal of a row, nil if it has none.
func (b *Block) removal(row int) (*removal, error) {
	i, r, err := b.removedReader()
	if r == nil || err != nil {
		return nil, err
	}
	codes, err := r.CodesAt(nil, []uint16{uint16(row)}, nil)
	if err != nil {
		return nil, b.damaged(i, err)
	}
	return b.removalOf(i, r, codes[0])
}

// removalOf returns the removal that a code of column i stands for.
func (b *Block) removalOf(i int, r *column.Reader, code uint16) (*removal, error) {
	if code == 0 {
		return nil, nil
	}
	if int(code) > r.Distinct() {
		return nil, damaged("block %d has removal %d of %d", b.number, code, r.Distinct())
	}
	value, err := r.Value(nil, code)
	if err != nil {
		return nil, b.damaged(i, err)
	}
	out := decodeRemoval(value)
	if out == nil {
		return nil, damaged("block %d: what stands in place of removed values cannot be read", b.number)
	}
	return out, nil
}

// Removed returns the pointers of the values that were removed from the rows of the block, in
// order; nil if it has them all.
func (b *Block) Removed() ([][]string, error) {
	removals, err := b.removals()
	if removals == nil || err != nil {
		return nil, err
	}
	list := make([][]string, len(removals))
	for row, r := range removals {
		list[row] = r.pointers()
	}
	return list, nil
}
