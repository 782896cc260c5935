package query

import (
	"cmp"
	"slices"
)

// A sequenceRow is a row that scan gives out, or may.
type sequenceRow struct {
	row  int     // of the batch that is read
	own  []Value // of the declared fields
	id   int64
	kept *Batch // the row alone, once the batch it is of was read
	held int    // what kept takes
}

func (r *sequenceRow) size() int { return r.held + rowSize(r.own) }

// A sequenceOut collects rows of the batch that is read.
type sequenceOut struct{ rows []*sequenceRow }

// add gives a row out.
func (s *sequencer) add(row *sequenceRow) {
	if row.kept != nil { // of another batch: what is before it goes first
		s.flush(s.b)
		s.rows = append(s.rows, row)
		s.flush(row.kept)
		return
	}
	if s.rows = append(s.rows, row); len(s.rows) == batchRows {
		s.flush(s.b)
	}
}

// flush passes on the rows that were collected, which are of b.
func (s *sequencer) flush(b *Batch) {
	if len(s.rows) == 0 {
		return
	}
	out := &Batch{N: len(s.rows), Cols: make([]*Vector, 0, len(s.fields)+1)}
	rows := make([]int, len(s.rows))
	ids := make([]int64, len(s.rows))
	for i, row := range s.rows {
		rows[i], ids[i] = row.row, row.id
	}
	for c := range s.in.fields {
		out.Cols = append(out.Cols, again(b.Cols[c], rows))
	}
	for c, f := range s.fields[len(s.in.fields):] {
		values := make([]Value, len(s.rows))
		for i, row := range s.rows {
			values[i] = row.own[c]
		}
		out.Cols = append(out.Cols, VectorOf(f.Kind, values))
	}
	if s.matchID {
		out.Cols = append(out.Cols, intsOf(Long, ids))
	}
	if !s.stopped {
		s.stopped = !s.yield(out, nil)
	}
	for _, row := range s.rows {
		s.run.release(row.size())
	}
	s.rows = nil
}

// endSeries gives out the last row of a step with output=last, before its state moves on
// or goes.
func (s *sequencer) endSeries(k int) {
	if st := &s.states[k]; st.last != nil {
		s.add(st.last)
		st.last = nil
	}
}

// keepLast keeps the rows of the batch that may still come out.
func (s *sequencer) keepLast() error {
	for i := range s.states {
		row := s.states[i].last
		if row == nil || row.kept != nil {
			continue
		}
		kept, size, err := s.run.keep(s.b.Take([]int{row.row}))
		if err == nil {
			err = s.run.hold("scan", size)
		}
		if err != nil {
			return err
		}
		row.kept, row.held, row.row = kept, size, 0
	}
	return nil
}

// end gives out the rows that nothing followed, the sequence that began first before others.
func (s *sequencer) end() {
	var left []*sequenceRow
	for _, st := range s.states {
		if st.last != nil {
			left = append(left, st.last)
		}
	}
	slices.SortStableFunc(left, func(a, b *sequenceRow) int { return cmp.Compare(a.id, b.id) })
	for _, row := range left {
		s.add(row)
	}
}
