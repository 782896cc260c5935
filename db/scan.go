package db

import (
	"context"
	"iter"

	"toolledger/chain"
	"toolledger/db/internal/column"
)

// A Column is the values of one member in the rows of a block: which rows have the
// same, each distinct value once, and what tells without decoding that no value can
// match. See package column.
type Column = column.Reader

// Scan walks the blocks of a range in the order of the ledger, and what the tail has
// as blocks behind them. A block that can have no row of the range is left out; a block
// may still have rows that are outside of it. Columns are read when they are asked for.
// Blocks may be worked on by several goroutines, each block by one, until the snapshot
// is closed.
func (s *Snapshot) Scan(ctx context.Context, r Range) iter.Seq2[*Block, error] {
	return func(yield func(*Block, error) bool) {
		parts, err := s.Parts(r)
		if err != nil {
			yield(nil, err)
			return
		}
		for _, p := range parts {
			b, err := p.Open(ctx)
			if b == nil && err == nil {
				continue
			}
			if !yield(b, err) || err != nil {
				return
			}
		}
	}
}

// A Part is a block of a scan that is not read yet.
type Part struct {
	First uint64 // place of its first row in the ledger
	Rows  int    // 0: it is not known
	All   bool   // all rows are in the range
	Own   bool   // one of them may be of the ledger's own session
	// Open reads it; nil if no row of it can be in the range.
	Open func(context.Context) (*Block, error)
}

// tailPart is how many rows of the tail are a part: several cores read a long one.
const tailPart = 1024

// Parts returns what Scan walks: several goroutines may open blocks at a time.
func (s *Snapshot) Parts(r Range) (parts []Part, err error) {
	numbers, err := s.blocksOf(&r)
	if err != nil {
		return nil, err
	}
	own, err := s.blocksOf(&Range{Session: OwnSession})
	unknown := err != nil // a ledger whose runs are damaged is looked through
	add := func(p Part, open func() (*Block, error)) {
		p.All = p.Rows > 0 && r.Session == "" && r.Since == nil && r.Until == nil && p.First >= r.From && p.First+uint64(p.Rows) <= r.to()
		p.Open = func(ctx context.Context) (*Block, error) {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			b, err := open()
			if err != nil {
				return nil, err
			}
			if skip, err := r.excludes(b); skip || err != nil {
				b.release()
				return nil, err
			}
			return b, nil
		}
		parts = append(parts, p)
	}
	for _, number := range numbers {
		h, err := s.readBlockHead(number)
		if err != nil { // is met again, when the blocks before it were read
			h = blockHead{}
		}
		for len(own) > 0 && own[0] < number {
			own = own[1:]
		}
		if h.rows > 0 && r.beside(&h) {
			continue
		}
		isOwn := unknown || len(own) > 0 && own[0] == number
		add(Part{First: h.first, Rows: h.rows, Own: isOwn}, func() (*Block, error) { return s.block(number) })
	}
	for i, from := range s.state.ranges {
		to := s.state.size
		if i+1 < len(s.state.ranges) {
			to = s.state.ranges[i+1]
		}
		for first := from; first < to; first += tailPart {
			end := min(first+tailPart, to)
			add(Part{First: first, Rows: int(end - first), Own: true}, func() (*Block, error) { return s.tailBlock(s.state.blocks+uint64(i), first, end) })
		}
	}
	return parts, nil
}

// excludes tells whether no row of a block can be in the range.
func (r *Range) excludes(b *Block) (bool, error) {
	if b.First() >= r.to() || b.First()+uint64(b.Rows()) <= r.From {
		return true, nil
	}
	if r.Session != "" {
		c, err := b.Column(chain.Session, "")
		if err != nil {
			return false, err
		}
		may, err := c.MayEqual([]byte(r.Session))
		if err != nil || !may {
			return !may && err == nil, err
		}
	}
	if r.Since == nil && r.Until == nil {
		return false, nil
	}
	ticks, rest, err := b.Times(chain.At)
	if err != nil {
		return false, err
	}
	for row, n := range ticks {
		t := chain.Time{Ticks: n}
		if rest != nil {
			t.Rest = uint8(rest[row])
		}
		if r.inTime(t) {
			return false, nil
		}
	}
	return true, nil
}

// beside tells whether the times of a block are all outside of the range.
func (r *Range) beside(h *blockHead) bool {
	before := r.Since != nil && h.greatest < r.Since.Ticks
	behind := r.Until != nil && (h.least > r.Until.Ticks || h.least == r.Until.Ticks && r.Until.Rest == 0)
	return before || behind
}

func (r *Range) inTime(t chain.Time) bool {
	return (r.Since == nil || t.Compare(*r.Since) >= 0) && (r.Until == nil || t.Compare(*r.Until) < 0)
}

// Column returns the column of a member, or with sub of a member of args, metadata or
// response; nil if no row has it. Values of header members, reasoning and prompt are
// the characters of strings or the tokens of numbers. Of the others they are canonical
// JSON, but that a string is a quote and its characters. Without sub, a row of args,
// metadata or response has only what no column with a sub has: see [Block.Subs].
// Index, time and recorded have no column: see Index and Time.
func (b *Block) Column(m chain.Member, sub string) (*Column, error) {
	name := colName{member: m, kind: kindOf(m)}
	if sub != "" {
		name.sub = string(chain.Quote(sub))
	}
	i := b.find(name)
	if i < 0 {
		return nil, nil
	}
	return b.reader(i)
}

// Subs returns the members of args, metadata or response that have a column of their
// own, in canonical order.
func (b *Block) Subs(m chain.Member) []string {
	var subs []string
	for i := range b.dir.cols {
		if d := &b.dir.cols[i]; d.member == m && d.sub != "" {
			subs = append(subs, chain.Unquote(d.name))
		}
	}
	return subs
}

// Time returns the time of a row, or with [chain.Recorded] when the ledger took it.
func (b *Block) Time(m chain.Member, row int) (chain.Time, error) { return b.time(m, row) }

// Index returns the place of a row in its session.
func (b *Block) Index(row int) (uint64, error) {
	index, err := b.indexes()
	if err != nil {
		return 0, err
	}
	return index[row], nil
}

// Indexes returns the places of all rows in their sessions. They belong to the block.
func (b *Block) Indexes() ([]uint64, error) { return b.indexes() }

// IndexesAt returns the places of some rows, which are mostly in order. For a few rows it costs
// less than Indexes.
func (b *Block) IndexesAt(rows []uint16) ([]uint64, error) { return b.indexesAt(rows) }

// Entry restores a row.
func (b *Block) Entry(row int) (m chain.Entry, err error) {
	err = b.members(new(restorer), row, &m)
	return m, err
}

// Members restores one member of some rows, which are in order; nil where it is absent.
// Rows that follow each other and have the same value share it.
func (b *Block) Members(m chain.Member, rows []uint16) ([][]byte, error) {
	first := -1
	end := 0
	for i := range b.dir.cols {
		if b.dir.cols[i].member == m {
			if first < 0 {
				first = i
			}
			end = i + 1
		}
	}
	out := make([][]byte, len(rows))
	if first < 0 {
		return out, nil
	}
	x := &restorer{codes: make([]uint16, len(b.dir.cols))}
	columns := make([][]uint16, end)
	for i := first; i < end; i++ {
		r, err := b.reader(i)
		if err == nil {
			columns[i], err = r.CodesAt(make([]uint16, 0, len(rows)), rows, nil)
		}
		if err != nil {
			return nil, b.damaged(i, err)
		}
	}
	for row := range rows {
		same := row > 0
		for i := first; i < end; i++ {
			same = same && columns[i][row] == x.codes[i]
			x.codes[i] = columns[i][row]
		}
		if same {
			out[row] = out[row-1]
			continue
		}
		var err error
		if out[row], err = b.member(x, first, end); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// Times returns the times of all rows: ticks, and nanoseconds beyond them, nil if there are
// none. They belong to the block.
func (b *Block) Times(m chain.Member) (ticks, rest []int64, err error) {
	if _, err := b.time(m, 0); err != nil {
		return nil, nil, err
	}
	t := &b.times[0]
	if m == chain.Recorded {
		t = &b.times[1]
	}
	return t[0], t[1], nil
}
