package db

import (
	"slices"

	"toolledger/chain"
	"toolledger/db/internal/column"
)

// A range of the tail is scanned as a block is. Its columns are made of the rows when they
// are asked for, and are not packed; no member of args, metadata or response has one of
// its own.

// tailBlock makes a block, in memory, of a range of the tail.
func (s *Snapshot) tailBlock(number, from, to uint64) (*Block, error) {
	rows, err := s.tailRows(from, to)
	if err != nil {
		return nil, err
	}
	d := &blockDir{blockHead: blockHead{first: from, rows: len(rows.rows)}}
	var rest [2]bool
	for i := range rows.rows {
		r := &rows.rows[i]
		rest[0], rest[1] = rest[0] || r.at.Rest != 0, rest[1] || r.recorded.Rest != 0
	}
	add := func(m chain.Member, k colKind) { d.cols = append(d.cols, colDir{colName: colName{member: m, kind: k}}) }
	add(chain.Index, colIndex)
	for i, m := range [...]chain.Member{chain.At, chain.Recorded} {
		add(m, colTicks)
		if rest[i] {
			add(m, colRest)
		}
	}
	for m := chain.Member(0); m < chain.NumMembers; m++ {
		if !slices.Contains(placed[:], m) && rows.has(m) {
			add(m, kindOf(m))
		}
	}
	return &Block{number: number, dir: d, tail: rows, cols: make([]*column.Reader, len(d.cols)), ints: make([][]int64, len(d.cols))}, nil
}

// tailColumn makes the column of a member.
func (b *Block) tailColumn(m chain.Member) *column.Reader {
	return column.Plain(b.dir.rows, new(blockEncoder).members(b.tail, m))
}

// tailInts makes a column of integers.
func (b *Block) tailInts(name colName) []int64 {
	if name.kind == colIndex {
		return indexStarts(b.tail.rows)
	}
	values := make([]int64, len(b.tail.rows))
	for i := range b.tail.rows {
		t := b.tail.rows[i].at
		if name.member == chain.Recorded {
			t = b.tail.rows[i].recorded
		}
		if values[i] = t.Ticks; name.kind == colRest {
			values[i] = int64(t.Rest)
		}
	}
	return values
}
