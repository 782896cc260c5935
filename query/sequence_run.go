package query

import (
	"slices"
	"strings"
)

// A sequence is scan with bound expressions.
//
// Each step has a state, which is that of at most one sequence: of each step up to it the last
// row, as far as expressions name it. A row is tried at the steps from the last to the
// first. If it meets the condition of a step with the state of the step before, that state
// moves on, in the place of what the step had; if not, but with the step's own state, or at
// the first step, it becomes the last row of the step.
type sequence struct {
	in      *relation
	fields  []Field // those of in, then the declared ones
	empty   []Value // of a step without a row; of the declared fields, what is not assigned
	steps   []sequenceStep
	matchID bool
	used    []bool // of the row, and of those of the steps behind it: which are named
	read    []bool // of in: which are looked at in some rows
}

type sequenceStep struct {
	output string
	free   []expr // conditions on the row alone
	conds  []expr // the others
	assign []sequenceAssignment
	needed []int // the fields that are named of its last row
}

type sequenceAssignment struct {
	field int // among the declared ones
	x     expr
}

// finish finds out what the expressions name.
func (sq *sequence) finish() {
	width := len(sq.fields)
	none := make(columnSet, width*(1+len(sq.steps)))
	used := slices.Clone(none)
	for i := range sq.steps {
		step := &sq.steps[i]
		conds := step.conds
		step.conds = nil
		for _, c := range conds {
			used.add(c)
			if slices.ContainsFunc(none.with(c)[width:], columnUse.any) {
				step.conds = append(step.conds, c)
			} else {
				step.free = append(step.free, c)
			}
		}
		for _, a := range step.assign {
			used.add(a.x)
		}
	}
	for _, u := range used { // the frame holds columns as a whole
		sq.used = append(sq.used, u.any())
	}
	sq.read = slices.Clone(sq.used[:len(sq.in.fields)])
	for i := range sq.steps {
		for c := range width {
			if !sq.used[(1+i)*width+c] {
				continue
			}
			sq.steps[i].needed = append(sq.steps[i].needed, c)
			if c < len(sq.read) {
				sq.read[c] = true
			}
		}
	}
}

func (sq *sequence) open(r *run) Batches {
	return func(yield func(*Batch, error) bool) {
		s := &sequencer{sequence: sq, run: r, states: make([]sequenceState, len(sq.steps)), yield: yield}
		s.frame = s.newFrame()
		defer s.release()
		for b, err := range sq.in.open(r) {
			if err == nil {
				err = s.batch(b)
			}
			if err != nil {
				yield(nil, err)
				return
			}
			if s.stopped {
				return
			}
		}
		s.end()
	}
}

// A sequencer reads the rows.
type sequencer struct {
	*sequence
	run    *run
	states []sequenceState
	frame  *Batch // of one row: the row, and the last ones of the steps
	loaded int    // the row of the batch that is in the frame, -1 for none
	b      *Batch
	row    int
	count  int64 // sequences so far
	sequenceOut
	yield   func(*Batch, error) bool
	stopped bool
}

// A sequenceState is the state of a step; without rows, none.
type sequenceState struct {
	rows [][]Value // of each step, what is needed of its last row
	id   int64
	last *sequenceRow // that comes out if no other does
}

// release gives back what the states hold.
func (s *sequencer) release() {
	for _, st := range s.states {
		for _, row := range st.rows {
			if row != nil {
				s.run.release(rowSize(row))
			}
		}
	}
}

// newFrame makes a batch of one row that has the columns that are named.
func (s *sequencer) newFrame() *Batch {
	b := &Batch{N: 1, Cols: make([]*Vector, len(s.used))}
	for i, used := range s.used {
		if used {
			b.Cols[i] = VectorOf(s.fields[i%len(s.fields)].Kind, []Value{s.empty[i%len(s.fields)]})
		}
	}
	return b
}

// batch tries all rows of a batch.
func (s *sequencer) batch(b *Batch) error {
	if err := s.run.ctx.Err(); err != nil {
		return err
	}
	s.b, s.loaded = b, -1
	passes, some, err := s.passing()
	if err != nil || !some {
		return err
	}
	for c, read := range s.read {
		if !read {
			continue
		}
		if err := b.Cols[c].Fill(); err != nil {
			return err
		}
	}
	for s.row = 0; s.row < b.N && !s.stopped; s.row++ {
		if s.row%1024 == 1023 {
			if err := s.run.ctx.Err(); err != nil {
				return err
			}
		}
		for k := len(s.steps) - 1; k >= 0; k-- {
			if passes[k] != nil && !passes[k][s.row] {
				continue
			}
			if err := s.try(k); err != nil {
				return err
			}
		}
	}
	s.flush(s.b)
	return s.keepLast()
}

// passing tells which rows meet the conditions of each step that ask for the row alone, nil
// for all, and whether any does.
func (s *sequencer) passing() (passes [][]bool, some bool, err error) {
	all := &Batch{N: s.b.N, Cols: slices.Clone(s.b.Cols)}
	for _, v := range s.empty[len(s.in.fields):] {
		all.Cols = append(all.Cols, Repeated(v))
	}
	passes = make([][]bool, len(s.steps))
	for k, step := range s.steps {
		for _, c := range step.free {
			rows, err := selected(c, all)
			if err != nil {
				return nil, false, err
			}
			if len(rows) == s.b.N {
				continue
			}
			meets := make([]bool, s.b.N)
			for _, row := range rows {
				meets[row] = passes[k] == nil || passes[k][row]
			}
			passes[k] = meets
		}
		some = some || passes[k] == nil || slices.Contains(passes[k], true)
	}
	return passes, some, nil
}

// try tries the row at a step.
func (s *sequencer) try(k int) error {
	if k > 0 && s.states[k-1].rows != nil {
		s.load(&s.states[k-1], k)
		ok, err := s.meets(k)
		if err != nil {
			return err
		}
		if ok {
			s.endSeries(k)
			s.endSeries(k - 1)
			for _, row := range s.states[k].rows {
				s.run.release(rowSize(row))
			}
			s.states[k] = s.states[k-1]
			s.states[k].rows = append(s.states[k].rows, nil)
			s.states[k-1] = sequenceState{}
			return s.match(k)
		}
	}
	if k > 0 && s.states[k].rows == nil {
		return nil
	}
	s.load(&s.states[k], k)
	ok, err := s.meets(k)
	if err != nil || !ok {
		return err
	}
	if s.states[k].rows == nil { // at the first step, another sequence begins
		s.states[k] = sequenceState{rows: [][]Value{nil}, id: s.count}
		s.count++
	}
	return s.match(k)
}

// load puts the row and a state into the frame, for the expressions of a step.
func (s *sequencer) load(st *sequenceState, k int) {
	if s.loaded != s.row {
		for c := range s.in.fields {
			if s.used[c] {
				s.frame.Cols[c].values[0] = s.b.Cols[c].At(s.row)
			}
		}
		s.loaded = s.row
	}
	for i := range k + 1 {
		var row []Value
		if i < len(st.rows) {
			row = st.rows[i]
		}
		for j, c := range s.steps[i].needed {
			v := s.empty[c]
			if row != nil {
				v = row[j]
			}
			s.frame.Cols[(1+i)*len(s.fields)+c].values[0] = v
		}
	}
}

// meets tells whether the frame meets the conditions of a step that are left.
func (s *sequencer) meets(k int) (bool, error) {
	for _, c := range s.steps[k].conds {
		v, err := c.eval(s.frame)
		if err != nil || !v.At(0).Bool() {
			return false, err
		}
	}
	return true, nil
}

// match makes the row, which is in the frame, the last one of a step.
func (s *sequencer) match(k int) error {
	step, st := &s.steps[k], &s.states[k]
	own := slices.Clone(s.empty[len(s.in.fields):])
	for _, a := range step.assign {
		v, err := a.x.eval(s.frame)
		if err != nil {
			return err
		}
		own[a.field] = v.At(0)
		own[a.field].S = strings.Clone(own[a.field].S) // it may be a part of a longer text
	}
	last := make([]Value, len(step.needed))
	for i, c := range step.needed {
		if c >= len(s.in.fields) {
			last[i] = own[c-len(s.in.fields)]
			continue
		}
		last[i] = s.b.Cols[c].At(s.row)
		last[i].S = strings.Clone(last[i].S)
	}
	if st.rows[k] != nil {
		s.run.release(rowSize(st.rows[k]))
	}
	st.rows[k] = last
	if err := s.run.hold("scan", rowSize(last)); err != nil {
		return err
	}
	if step.output == "none" {
		return nil
	}
	row := &sequenceRow{row: s.row, own: own, id: st.id}
	if err := s.run.hold("scan", rowSize(own)); err != nil {
		return err
	}
	if step.output == "all" {
		s.add(row)
		return nil
	}
	if st.last != nil {
		s.run.release(st.last.size())
	}
	st.last = row
	return nil
}
