package query

import "errors"

// A join puts left and right rows side by side, in an order that does not depend on
// chance: the left rows as they come, for each its matches in the right's order, then the
// right rows without a match.
//
// The right table is held, the left one passes by.
type join struct {
	operator            string
	left, right         *relation
	leftKeys, rightKeys []int // columns
	columns             []int // of the right, in the result
	unique              bool  // of the left rows with the same key, the first alone takes part
	leftOuter           bool  // left rows without a match stay
	rightOuter          bool  // right rows without a match stay
	lastFirst           bool  // of the matches of a left row, the last comes first
}

// errStopped ends what makes rows for a reader that wants no more.
var errStopped = errors.New("stopped")

// step tells which table is held. The left one is filled as a whole where a row of it has
// several matches.
func (j *join) step() planStep {
	notes := []string{"holds the right table, by " + keyNames(j.right, j.rightKeys)}
	switch {
	case j.unique:
		notes = append(notes, "of left rows with the same key, the first alone")
	case j.leftOuter && j.rightOuter:
		notes = append(notes, "rows of either table without a match too")
	case j.leftOuter:
		notes = append(notes, "left rows without a match too")
	case j.rightOuter:
		notes = append(notes, "right rows without a match too")
	}
	return planStep{in: []input{{rel: j.left}, {rel: j.right, label: "right"}}, notes: notes}
}

func keyNames(rel *relation, keys []int) string {
	var names []string
	for _, c := range keys {
		names = append(names, rel.fields[c].Name)
	}
	return joined(names)
}

func (j *join) open(r *run) Batches {
	return func(yield func(*Batch, error) bool) {
		if err := j.run(r, yield); err != nil && err != errStopped {
			yield(nil, err)
		}
	}
}

func (j *join) run(r *run, yield func(*Batch, error) bool) error {
	right, err := j.hold(r)
	if err != nil {
		return err
	}
	if len(right.rows) == 0 && !j.leftOuter {
		return nil
	}
	p := &pairs{join: j, run: r, yield: yield, from: right.rows}
	err = r.each(j.left.open(r), func(b *Batch) error {
		numbers, err := right.keys.numbers(r, b, j.leftKeys, false)
		if err != nil {
			return err
		}
		return j.match(p, right, b, numbers)
	})
	if err == nil && j.rightOuter {
		err = j.rest(p, right)
	}
	return err
}

// A heldTable is the right table of a join.
type heldTable struct {
	keys  *keySet
	rows  [][]Value
	key   []int   // of each row
	of    [][]int // rows of each key
	taken []bool  // keys that a left row had
}

// hold reads the right table.
func (j *join) hold(r *run) (*heldTable, error) {
	t := &heldTable{keys: newKeySet(j.operator)}
	err := r.each(j.right.open(r), func(b *Batch) error {
		b, size, err := r.keep(b)
		if err != nil {
			return err
		}
		numbers, err := t.keys.numbers(r, b, j.rightKeys, true)
		if err != nil {
			return err
		}
		size += b.N * (valueSize*len(b.Cols) + 2*rowSlice)
		for i, key := range numbers {
			if key == len(t.of) {
				t.of = append(t.of, nil)
				size += 2 * rowSlice
			}
			row := b.Row(i)
			t.of[key] = append(t.of[key], len(t.rows))
			t.rows, t.key = append(t.rows, row), append(t.key, key)
		}
		return r.hold(j.operator, size)
	})
	t.taken = make([]bool, len(t.of))
	return t, err
}

// match adds the pairs of a batch of the left.
func (j *join) match(p *pairs, right *heldTable, b *Batch, numbers []int) error {
	p.left = b
	for row, key := range numbers {
		if key < 0 {
			if j.leftOuter {
				if err := p.add(row, -1); err != nil {
					return err
				}
			}
			continue
		}
		if j.unique && right.taken[key] {
			continue
		}
		right.taken[key] = true
		matches := right.of[key]
		for n := range matches {
			if j.lastFirst {
				n = len(matches) - 1 - n
			}
			if err := p.add(row, matches[n]); err != nil {
				return err
			}
		}
	}
	return p.flush()
}

// rest adds the right rows without a match.
func (j *join) rest(p *pairs, right *heldTable) error {
	p.left = nil
	for i, key := range right.key {
		if right.taken[key] {
			continue
		}
		if err := p.add(-1, i); err != nil {
			return err
		}
	}
	return p.flush()
}

// pairs are rows that stand side by side and wait to be passed on.
type pairs struct {
	*join
	run   *run
	yield func(*Batch, error) bool
	left  *Batch    // nil: there is none beside the right rows
	from  [][]Value // all rows of the right
	l, r  []int     // rows of left and of from; -1: none
}

func (p *pairs) add(l, r int) error {
	p.l, p.r = append(p.l, l), append(p.r, r)
	if len(p.r) < batchRows {
		return nil
	}
	return p.flush()
}

// flush passes a batch on.
func (p *pairs) flush() error {
	if len(p.r) == 0 {
		return nil
	}
	if err := p.run.ctx.Err(); err != nil {
		return err
	}
	b, err := p.batch()
	if err != nil {
		return err
	}
	p.l, p.r = nil, p.r[:0]
	if !p.yield(b, nil) {
		return errStopped
	}
	return nil
}

func (p *pairs) batch() (*Batch, error) {
	b := &Batch{N: len(p.r)}
	if p.left == nil {
		for _, f := range p.join.left.fields {
			b.Cols = append(b.Cols, Repeated(NullOf(f.Kind)))
		}
	} else {
		// A source need not be able to take a row twice.
		if repeats(p.l) {
			if err := p.left.Fill(); err != nil {
				return nil, err
			}
		}
		b.Cols = p.left.Take(p.l).Cols
	}
	for _, c := range p.columns {
		k := p.join.right.fields[c].Kind
		values := make([]Value, len(p.r))
		for i, row := range p.r {
			if row < 0 {
				values[i] = NullOf(k)
			} else {
				values[i] = p.from[row][c]
			}
		}
		b.Cols = append(b.Cols, VectorOf(k, values))
	}
	return b, nil
}

func repeats(rows []int) bool {
	for i := 1; i < len(rows); i++ {
		if rows[i] == rows[i-1] {
			return true
		}
	}
	return false
}

// semiJoined passes the rows of a table on whose keys another table has; or, without has,
// those whose keys it has not.
func semiJoined(in *relation, keys []int, other *relation, otherKeys []int, has bool) *relation {
	rel := &relation{fields: in.fields, loose: in.loose, open: func(r *run) Batches {
		return func(yield func(*Batch, error) bool) {
			set := newKeySet("join")
			err := r.each(other.open(r), func(b *Batch) error {
				_, err := set.numbers(r, b, otherKeys, true)
				return err
			})
			if err != nil {
				yield(nil, err)
				return
			}
			mapped(in.open, func(r *run, b *Batch) (*Batch, error) {
				numbers, err := set.numbers(r, b, keys, false)
				if err != nil {
					return nil, err
				}
				rows := make([]int, 0, b.N)
				for row, key := range numbers {
					if key >= 0 == has {
						rows = append(rows, row)
					}
				}
				if len(rows) == b.N {
					return b, nil
				}
				return b.Take(rows), nil
			})(r)(yield)
		}
	}}
	return rel.by(planStep{in: []input{{rel: in}, {rel: other, label: "keys"}}, needs: func(out columnSet) []columnSet {
		return []columnSet{out.withAt(keys), make(columnSet, len(other.fields)).withAt(otherKeys)}
	}, notes: []string{"holds the keys of the other table: " + keyNames(other, otherKeys)}})
}

// A keySet numbers keys in the order in which they come. Nulls are equal here.
type keySet struct {
	operator string
	of       map[string]int
	text     []byte
	size     int // bytes of the keys that were added since they were last counted
}

func newKeySet(operator string) *keySet { return &keySet{operator: operator, of: map[string]int{}} }

// numbers returns the number of each row's key, which stands in some columns. A key that
// is new is added, or has the number -1.
func (s *keySet) numbers(r *run, b *Batch, columns []int, add bool) ([]int, error) {
	keys := make([]*Vector, len(columns))
	for i, c := range columns {
		keys[i] = b.Cols[c]
		if err := keys[i].Fill(); err != nil {
			return nil, err
		}
	}
	out := make([]int, b.N)
	if v := keys[0]; len(keys) == 1 && v.codes != nil && len(v.values) <= b.N { // once a value
		known := make([]int, len(v.values)) // the number and 2, 0: not known yet
		for row, c := range v.codes {
			if known[c] == 0 {
				known[c] = s.number(keys, row, add) + 2
			}
			out[row] = known[c] - 2
		}
	} else {
		for row := range out {
			out[row] = s.number(keys, row, add)
		}
	}
	size := s.size
	s.size = 0
	return out, r.hold(s.operator, size)
}

func (s *keySet) number(keys []*Vector, row int, add bool) int {
	s.text = s.text[:0]
	for _, v := range keys {
		s.text = joinKey(v.At(row)).append(s.text)
	}
	n, ok := s.of[string(s.text)]
	switch {
	case ok:
		return n
	case !add:
		return -1
	}
	n = len(s.of)
	s.of[string(s.text)] = n
	s.size += 64 + len(s.text)
	return n
}

// joinKey is the key of a value in a join, where int and long are the same, also if null.
func joinKey(v Value) key {
	if v.Null {
		return key{null: true}
	}
	return v.key()
}
