package db

import (
	"bytes"
	"slices"
	"strconv"

	"toolledger/chain"
)

// checkBlock decodes a block as it is about to be stored and compares every value of
// every row with that of the entry that was hashed. A buffer that is used again too early
// spoils a block in a way that nothing else sees before an auditor does.
//
// It goes column by column: each distinct value is decoded once.
func checkBlock(number uint64, pages []page, rows *rowSet) error {
	b, err := blockOf(number, pages)
	if err != nil {
		return err
	}
	defer b.release()
	if b.Rows() != len(rows.rows) || b.First() != rows.rows[0].seq {
		return damaged("block %d has %d rows from %d, not %d from %d", number, b.Rows(), b.First(), len(rows.rows), rows.rows[0].seq)
	}
	if least, greatest := rows.span(); least != b.dir.least || greatest != b.dir.greatest { // a scan of a time would leave rows out
		return damaged("block %d has times from tick %d to %d, not from %d to %d", number, b.dir.least, b.dir.greatest, least, greatest)
	}
	c := blockCheck{b: b, rows: rows}
	cols := b.dir.cols
	for i := 0; i < len(cols); {
		m, end := cols[i].member, i+1 // the columns of one member
		for end < len(cols) && cols[end].member == m {
			end++
		}
		if c.seen[m] {
			return damaged("block %d has columns of %s in two places", number, m)
		}
		c.seen[m] = true
		if err := c.member(m, i, end); err != nil {
			return err
		}
		i = end
	}
	for m, seen := range c.seen {
		if !seen && rows.has(chain.Member(m)) {
			return damaged("block %d has no column of %s", number, chain.Member(m))
		}
	}
	return nil
}

// A blockCheck compares a block with its rows.
type blockCheck struct {
	b    *Block
	rows *rowSet
	seen [chain.NumMembers]bool // members that have columns
	x    restorer
	text []byte
}

// member checks a member, whose columns are i to end.
func (c *blockCheck) member(m chain.Member, i, end int) error {
	switch {
	case m == chain.Index:
		if err := c.index(); err != nil {
			return err
		}
		return c.removals()
	case m == chain.At || m == chain.Recorded:
		return c.times(m)
	case end == i+1 && c.b.dir.cols[i].sub == "":
		return c.column(m, i)
	}
	return c.object(m, i, end)
}

func (c *blockCheck) differs(m chain.Member, row int, got, want []byte) error {
	return damaged("block %d, row %d: %s is %.100q, not %.100q", c.b.number, row, m, got, want)
}

func (c *blockCheck) index() error {
	index, err := c.b.indexes()
	if err != nil {
		return err
	}
	for run, end := range c.rows.values(chain.Index) {
		for row := run.First; row < end; row++ {
			if c.text = strconv.AppendUint(c.text[:0], index[row], 10); !bytes.Equal(c.text, run.Value) {
				return c.differs(chain.Index, row, c.text, run.Value)
			}
		}
	}
	return nil
}

// removals checks what is left in place of values that were removed.
func (c *blockCheck) removals() error {
	removals, err := c.b.removals()
	if err != nil {
		return err
	}
	for row := range c.rows.rows {
		if got, want := removals.at(row).encode(), c.rows.rows[row].removal.encode(); !bytes.Equal(got, want) {
			return damaged("block %d, row %d: what stands in place of removed values is not what was made of them", c.b.number, row)
		}
	}
	return nil
}

func (c *blockCheck) times(m chain.Member) error {
	for run, end := range c.rows.values(m) {
		t, err := c.b.time(m, run.First)
		if err != nil {
			return err
		}
		if c.text = appendQuotedTime(c.text[:0], t); !bytes.Equal(c.text, run.Value) {
			return c.differs(m, run.First, c.text, run.Value)
		}
		for row := run.First + 1; row < end; row++ {
			if same, _ := c.b.time(m, row); same != t {
				return c.differs(m, row, quoteTime(same), run.Value)
			}
		}
	}
	return nil
}

// codes returns the codes of column i, and of its values how many there are.
func (c *blockCheck) codes(i int) (codes []uint16, distinct int, err error) {
	r, err := c.b.reader(i)
	if err != nil {
		return nil, 0, err
	}
	if codes, err = r.Codes(); err != nil {
		return nil, 0, c.b.damaged(i, err)
	}
	return codes, r.Distinct(), nil
}

// column checks a member that column i has all of.
func (c *blockCheck) column(m chain.Member, i int) error {
	codes, distinct, err := c.codes(i)
	if err != nil {
		return err
	}
	known := make([][]byte, distinct+1) // what each code stands for
	for run, end := range c.rows.values(m) {
		code, want := codes[run.First], run.Value
		if known[code] == nil && code > 0 {
			r, err := c.b.reader(i)
			if err != nil {
				return err
			}
			if c.x.value, err = r.Value(c.x.value[:0], code); err != nil {
				return c.b.damaged(i, err)
			}
			if !c.restores(c.b.dir.cols[i].kind, c.x.value, want) {
				return c.differs(m, run.First, c.x.value, want)
			}
			known[code] = want
		}
		if !bytes.Equal(known[code], want) {
			return c.differs(m, run.First, known[code], want)
		}
		for row := run.First + 1; row < end; row++ {
			if codes[row] != code {
				return c.differs(m, row, known[codes[row]], want)
			}
		}
	}
	return nil
}

// restores tells whether restore makes want, which is canonical, of a value.
func (c *blockCheck) restores(kind colKind, value, want []byte) bool {
	text, quoted := value, kind == colText
	if kind == colJSON && len(value) > 0 && value[0] == '"' {
		text, quoted = value[1:], true
	}
	// Mostly nothing in a string has to be escaped.
	if quoted && len(want) == len(text)+2 && bytes.IndexByte(text, '\\') < 0 {
		return want[0] == '"' && bytes.Equal(unquoted(want), text)
	}
	c.text = restore(c.text[:0], kind, value)
	return bytes.Equal(c.text, want)
}

// object checks a member whose objects are taken apart, into columns i to end.
func (c *blockCheck) object(m chain.Member, i, end int) error {
	columns := make([][]uint16, end-i)
	for k := range columns {
		var err error
		if columns[k], _, err = c.codes(i + k); err != nil {
			return err
		}
	}
	codes := make([]uint16, len(columns)) // of the run
	c.x.codes = append(make([]uint16, i), codes...)
	var before []byte
	for run, last := range c.rows.values(m) {
		for k, column := range columns {
			codes[k] = column[run.First]
			for row := run.First + 1; row < last; row++ {
				if column[row] != codes[k] {
					return damaged("block %d, row %d: %s is not that of the row before", c.b.number, row, m)
				}
			}
		}
		got := before
		if !slices.Equal(codes, c.x.codes[i:]) {
			copy(c.x.codes[i:], codes)
			c.x.reset()
			var err error
			if got, err = c.b.member(&c.x, i, end); err != nil {
				return err
			}
		}
		if !bytes.Equal(got, run.Value) { // no value is empty
			return c.differs(m, run.First, got, run.Value)
		}
		before = run.Value
	}
	return nil
}
