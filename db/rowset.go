package db

import (
	"bytes"
	"iter"
	"math/bits"

	"toolledger/chain"
	"toolledger/db/internal/column"
)

// A rowSet is rows that follow each other, as those of a block: where each stands, and the
// values of each member in runs of rows that share one. Such rows mostly have much in
// common: who goes through the runs of a member touches what is new in it, one piece
// behind the other, and nothing else. Whole entries, of 800 bytes a row, made every column
// of a block wait for memory: a load took 14 % longer.
type rowSet struct {
	rows []position
	runs [chain.NumMembers][]column.Run
	last chain.Entry // of the last row

	generation uint32 // of the block that the rows make
}

// reset forgets the rows and makes room for n, whose positions then stay where they are.
func (s *rowSet) reset(n int) {
	if cap(s.rows) < n {
		s.rows = make([]position, 0, n)
	}
	s.rows = s.rows[:0]
	for m := range s.runs {
		s.runs[m] = s.runs[m][:0]
	}
	s.last, s.generation = chain.Entry{}, 0
}

// add adds a row. keep returns what the set is to have of a value that the row before
// has not got.
func (s *rowSet) add(m *chain.Entry, p position, keep func(m chain.Member, v []byte) []byte) *position {
	row := len(s.rows)
	for k, v := range m {
		last := s.last[k]
		if row > 0 && bytes.Equal(v, last) { // no value is empty
			continue
		}
		if v != nil {
			v = keep(chain.Member(k), v)
		}
		s.last[k] = v
		s.runs[k] = append(s.runs[k], column.Run{First: row, Value: v})
		p.begins |= 1 << k
	}
	s.rows = append(s.rows, p)
	return &s.rows[row]
}

// asIs is for values that stay.
func asIs(_ chain.Member, v []byte) []byte { return v }

// values yields the runs of a member, each with the row after its last.
func (s *rowSet) values(m chain.Member) iter.Seq2[column.Run, int] {
	return func(yield func(run column.Run, end int) bool) {
		runs := s.runs[m]
		for i, run := range runs {
			end := len(s.rows)
			if i+1 < len(runs) {
				end = runs[i+1].First
			}
			if !yield(run, end) {
				return
			}
		}
	}
}

// span returns the ticks of the least and the greatest time of the rows, of which there are some.
func (s *rowSet) span() (least, greatest int64) {
	least, greatest = s.rows[0].at.Ticks, s.rows[0].at.Ticks
	for i := range s.rows {
		least, greatest = min(least, s.rows[i].at.Ticks), max(greatest, s.rows[i].at.Ticks)
	}
	return least, greatest
}

// has tells whether a row has the member.
func (s *rowSet) has(m chain.Member) bool {
	for _, run := range s.runs[m] {
		if run.Value != nil {
			return true
		}
	}
	return false
}

// entries yields the entry of each row, which is valid until the next. Who sets members in
// placed there must do so in each.
func (s *rowSet) entries() iter.Seq2[*position, *chain.Entry] {
	return func(yield func(*position, *chain.Entry) bool) {
		var next [chain.NumMembers]int
		var m chain.Entry
		for i := range s.rows {
			p := &s.rows[i]
			for begins := p.begins; begins != 0; begins &= begins - 1 {
				k := bits.TrailingZeros32(begins)
				m[k] = s.runs[k][next[k]].Value
				next[k]++
			}
			if !yield(p, &m) {
				return
			}
		}
	}
}

// placed are the members that a row has of its position.
var placed = [...]chain.Member{chain.Index, chain.At, chain.Recorded}

// setPlaced puts the values of the members in placed into the place of those that the rows have.
func (s *rowSet) setPlaced(values *[len(placed)][]column.Run) {
	for k, m := range placed {
		s.runs[m], values[k] = values[k], s.runs[m]
		for i := range s.rows {
			s.rows[i].begins &^= 1 << m
		}
		for _, run := range s.runs[m] {
			s.rows[run.First].begins |= 1 << m
		}
	}
}

// appendRun appends the value of a row, unless it is shared with that of the row before.
func appendRun(runs []column.Run, row int, v []byte) []column.Run {
	if n := len(runs); n > 0 && shared(runs[n-1].Value, v) {
		return runs
	}
	return append(runs, column.Run{First: row, Value: v})
}

// shared tells whether two values are one piece of memory.
func shared(a, b []byte) bool {
	return len(a) == len(b) && (len(a) == 0 || &a[0] == &b[0])
}
