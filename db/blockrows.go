package db

import (
	"strconv"

	"toolledger/chain"
	"toolledger/db/internal/column"
)

// addBlock adds all rows of a block. It goes member by member, as the columns lie, and touches
// of each only where it changes: a member that one column has is decoded once for each of its
// distinct values. The values are those of x, which must not be reset while the set has them.
func (s *rowSet) addBlock(b *Block, x *restorer) error {
	if err := x.begin(b); err != nil {
		return err
	}
	s.generation = b.dir.generation
	removals, err := b.removals()
	if err != nil {
		return err
	}
	names, err := b.sessionNames()
	if err != nil {
		return err
	}
	sessions, _, err := b.sessions()
	if err != nil {
		return err
	}
	for row := range b.Rows() {
		p := position{seq: b.First() + uint64(row), session: names[sessions[row]], index: x.index[row], removal: removals.at(row)}
		if p.at, err = b.time(chain.At, row); err == nil {
			p.recorded, err = b.time(chain.Recorded, row)
		}
		if err != nil {
			return err
		}
		s.rows = append(s.rows, p)
	}
	s.addPlaces(x)
	cols := b.dir.cols
	for i, end := 0, 0; i < len(cols); i = end {
		for end = i + 1; end < len(cols) && cols[end].member == cols[i].member; end++ {
		}
		switch m := cols[i].member; {
		case m == chain.Index || m == chain.At || m == chain.Recorded:
		case end == i+1 && cols[i].sub == "":
			err = s.addColumn(b, x, i)
		default:
			err = s.addObjects(b, x, i, end)
		}
		if err != nil {
			return err
		}
	}
	for m := range s.runs {
		if len(s.runs[m]) == 0 {
			s.addRun(chain.Member(m), 0, nil)
		}
	}
	return nil
}

// addRun begins a run of a member.
func (s *rowSet) addRun(m chain.Member, row int, v []byte) {
	s.runs[m] = append(s.runs[m], column.Run{First: row, Value: v})
	s.rows[row].begins |= 1 << m
}

// addPlaces adds the members that say where the rows stand.
func (s *rowSet) addPlaces(x *restorer) {
	for row := range s.rows {
		p, before := &s.rows[row], &s.rows[max(row-1, 0)]
		if row == 0 || p.index != before.index {
			s.addRun(chain.Index, row, x.appended(func(dst []byte) []byte { return strconv.AppendUint(dst, p.index, 10) }))
		}
		if row == 0 || p.at != before.at {
			s.addRun(chain.At, row, x.appended(func(dst []byte) []byte { return appendQuotedTime(dst, p.at) }))
		}
		if row == 0 || p.recorded != before.recorded {
			s.addRun(chain.Recorded, row, x.appended(func(dst []byte) []byte { return appendQuotedTime(dst, p.recorded) }))
		}
	}
}

// appended returns a text of its own.
func (x *restorer) appended(text func(dst []byte) []byte) []byte {
	start := len(x.text)
	x.text = text(x.text)
	return x.text[start:len(x.text):len(x.text)]
}

// addColumn adds a member that column i has all of.
func (s *rowSet) addColumn(b *Block, x *restorer, i int) error {
	r, err := b.reader(i)
	if err != nil {
		return err
	}
	m, codes := b.dir.cols[i].member, x.columns[i]
	known := make([][]byte, r.Distinct()+1) // what each code stands for
	for row, code := range codes {
		if row > 0 && code == codes[row-1] {
			continue
		}
		if code > 0 && int(code) < len(known) && known[code] == nil || int(code) >= len(known) {
			x.codes[i] = code
			v, err := b.member(x, i, i+1)
			if err != nil {
				return err
			}
			known[code] = v
		}
		s.addRun(m, row, known[code])
	}
	return nil
}

// addObjects adds a member whose objects are taken apart, into columns i to end.
func (s *rowSet) addObjects(b *Block, x *restorer, i, end int) error {
	for row := range s.rows {
		same := row > 0
		for k := i; k < end; k++ {
			if codes := x.columns[k]; codes != nil && codes[row] != x.codes[k] {
				x.codes[k], same = codes[row], false
			}
		}
		if same {
			continue
		}
		v, err := b.member(x, i, end)
		if err != nil {
			return err
		}
		s.addRun(b.dir.cols[i].member, row, v)
	}
	return nil
}
