package db

import (
	"slices"

	"toolledger/chain"
)

// indexes returns the index of each row: a session's follow each other.
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
	index := make([]uint64, 0, b.dir.rows)
	next := make([]uint64, r.Distinct()+1) // of each session, plus one; 0: not seen yet
	for i, c := range codes {
		if int(c) >= len(next) {
			return nil, damaged("block %d has session code %d of %d", b.number, c, r.Distinct())
		}
		if next[c] == 0 {
			next[c] = uint64(starts[i]) + 1
		}
		index = append(index, next[c]-1)
		next[c]++
	}
	b.index = index
	return index, nil
}

// indexesAt returns the indexes of some rows, which are in order. Of a few, only the sessions
// up to the last of them are counted, and no index is made of a row that nobody wants.
func (b *Block) indexesAt(rows []uint16) ([]uint64, error) {
	if len(rows) == 0 {
		return nil, nil
	}
	out := make([]uint64, len(rows))
	if b.index != nil || len(rows) > b.dir.rows/manyRows || !slices.IsSorted(rows) {
		index, err := b.indexes()
		if err != nil {
			return nil, err
		}
		for k, row := range rows {
			out[k] = index[row]
		}
		return out, nil
	}
	codes, r, err := b.sessions()
	if err != nil {
		return nil, err
	}
	before := make([]uint16, r.Distinct()+1) // rows of each session so far
	starts := make([]uint16, r.Distinct()+1) // the first of them
	first := make([]uint16, len(rows))       // of the session of each that is wanted
	at := 0
	for k, row := range rows {
		for ; at <= int(row); at++ {
			c := codes[at]
			if int(c) >= len(before) {
				return nil, damaged("block %d has session code %d of %d", b.number, c, r.Distinct())
			}
			if before[c]++; before[c] == 1 {
				starts[c] = uint16(at)
			}
		}
		c := codes[row]
		out[k], first[k] = uint64(before[c]-1), starts[c]
	}
	asked := slices.Compact(slices.Sorted(slices.Values(first)))
	begins, err := b.integersAt(colName{member: chain.Index, kind: colIndex}, asked)
	if err != nil {
		return nil, err
	}
	if begins == nil {
		return nil, damaged("block %d has no column index", b.number)
	}
	for k := range out {
		i, _ := slices.BinarySearch(asked, first[k])
		out[k] += uint64(begins[i])
	}
	return out, nil
}
