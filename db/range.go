package db

import (
	"context"
	"iter"
	"math"
	"runtime"
	"sync"

	"toolledger/chain"
)

// A Range selects entries. Its zero value selects all.
type Range struct {
	Session string      // "": all sessions, the ledger's own included
	From    uint64      // seq of the first
	To      uint64      // seq after the last; 0: no bound
	Since   *chain.Time // not before, by the entry's time
	Until   *chain.Time // before
}

func (r *Range) to() uint64 {
	if r.To == 0 {
		return math.MaxUint64
	}
	return r.To
}

// Records walks the entries of a range in the order of the ledger. Their digests are
// those that are stored; verification recomputes them. What a record points to is its
// own.
func (s *Snapshot) Records(ctx context.Context, r Range) iter.Seq2[*Record, error] {
	return func(yield func(*Record, error) bool) {
		w := &walk{s: s, ctx: ctx, r: r, prev: map[string]chain.Hash{}, yield: yield}
		if err := w.blocks(); err == nil {
			err = w.tail()
			if err != nil && err != errStop {
				yield(nil, err)
			}
		} else if err != errStop {
			yield(nil, err)
		}
	}
}

// A walk goes through the records of a range.
type walk struct {
	s     *Snapshot
	ctx   context.Context
	r     Range
	prev  map[string]chain.Hash // the last digest of each session that was met
	end   uint64                // index after the last that a block has of the session of r
	yield func(*Record, error) bool
}

// blocks goes through the blocks. While the records of one are given, those of the next
// are restored on the other cores.
func (w *walk) blocks() error {
	to := min(w.r.to(), w.s.state.packed)
	if w.r.From >= to {
		return nil
	}
	numbers, err := w.s.blocksOf(&w.r)
	if err != nil {
		return err
	}
	var reading sync.WaitGroup
	defer reading.Wait()
	var queue []chan restored
	for {
		for len(queue) < 2*runtime.GOMAXPROCS(0) && len(numbers) > 0 {
			number, out := numbers[0], make(chan restored, 1)
			numbers = numbers[1:]
			queue = append(queue, out)
			reading.Go(func() { out <- w.restore(number, to) })
		}
		if len(queue) == 0 {
			return nil
		}
		read := <-queue[0]
		queue = queue[1:]
		if read.end > 0 {
			if w.end > 0 && w.end != read.first {
				return damaged("session %q has index %d in a block, expected is %d", w.r.Session, read.first, w.end)
			}
			w.end = read.end
		}
		for _, r := range read.records {
			if err := w.complete(r); err != nil {
				return err
			}
		}
		if read.err != nil || read.last {
			return read.err
		}
	}
}

// A restored is the records of a block that are in the range, but for Digest and Prev,
// up to an error.
type restored struct {
	records    []*Record
	err        error
	first, end uint64 // indexes that the block has of the range's session; end is 0 if none
	last       bool   // the range ends in or before the block
}

// restore restores the rows of a block. It uses nothing of the snapshot but what several
// goroutines may use.
func (w *walk) restore(number, to uint64) (out restored) {
	if out.err = w.ctx.Err(); out.err != nil {
		return out
	}
	open := w.s.block
	if w.r.Session != "" {
		open = w.s.cachedBlock
	}
	b, err := open(number)
	if err != nil {
		return restored{err: err}
	}
	defer b.release()
	out.last = b.First()+uint64(b.Rows()) >= to
	if b.First() >= to || b.First()+uint64(b.Rows()) <= w.r.From {
		return out
	}
	x, err := w.rowsOf(b, to, &out)
	if err != nil || x == nil {
		out.err = err
		return out
	}
	count := b.Rows()
	if x.rows != nil {
		count = len(x.rows)
	}
	x.text = make([]byte, 0, 256*count)
	out.records = make([]*Record, 0, count)
	for i := range count {
		r, err := b.record(x, i)
		if err != nil {
			out.err = err
			return out
		}
		out.records = append(out.records, r)
	}
	return out
}

// rowsOf returns a restorer of the rows of a block that are in the range, nil if there are
// none. It sets the indexes of out.
func (w *walk) rowsOf(b *Block, to uint64, out *restored) (x *restorer, err error) {
	var rows []uint16
	var index []uint64 // of these rows; nil: not known yet
	timed := w.r.Since != nil || w.r.Until != nil
	switch {
	case w.r.Session != "":
		rows, out.first, err = w.s.sessionRows(b, w.r.Session)
		out.end = out.first + uint64(len(rows))
		index = make([]uint64, len(rows))
		for i := range index {
			index[i] = out.first + uint64(i)
		}
	case b.First() >= w.r.From && b.First()+uint64(b.Rows()) <= to && !timed:
		return new(restorer), nil // all
	default:
		rows = make([]uint16, b.Rows())
		for i := range rows {
			rows[i] = uint16(i)
		}
	}
	var times []chain.Time
	if err == nil && timed {
		times, err = b.timesAt(chain.At, rows)
	}
	x = &restorer{rows: make([]uint16, 0, len(rows))}
	for i, row := range rows {
		seq := b.First() + uint64(row)
		if seq >= w.r.From && seq < to && (times == nil || w.r.inTime(times[i])) {
			if x.rows = append(x.rows, row); index != nil {
				x.index = append(x.index, index[i])
			}
		}
	}
	if err != nil || len(x.rows) == 0 {
		return nil, err
	}
	if index == nil {
		if index, err = b.indexes(); err != nil {
			return nil, err
		}
		for _, row := range x.rows {
			x.index = append(x.index, index[row])
		}
	}
	return x, nil
}

// complete gives a record of a block, with its digest and the one before it.
func (w *walk) complete(r *Record) (err error) {
	if r.Digest, err = w.s.digest(r.Seq); err != nil {
		return err
	}
	var ok bool
	if r.Prev, ok = w.prev[r.Session]; r.Index > 0 && (!ok || w.r.Since != nil || w.r.Until != nil) {
		// The entry before was not met, or perhaps not.
		if r.Prev, err = w.s.digestAt(r.Session, r.Index-1); err != nil {
			return err
		}
	}
	return w.give(r)
}

func (w *walk) give(r *Record) error {
	if err := w.ctx.Err(); err != nil {
		return err
	}
	w.prev[r.Session] = r.Digest
	if !w.yield(r, nil) {
		return errStop
	}
	return nil
}

// Evidence walks the entries of a range as lines that stand alone, their digests
// recomputed.
func (s *Snapshot) Evidence(ctx context.Context, r Range) iter.Seq2[*chain.Evidence, error] {
	return func(yield func(*chain.Evidence, error) bool) {
		var of *salts
		end := uint64(0) // of the range of salts
		var c chain.Committer
		for record, err := range s.Records(ctx, r) {
			if err == nil && (of == nil || record.Seq < of.first || record.Seq >= end) {
				of, end, err = s.saltsOf(record.Seq)
			}
			if err != nil {
				yield(nil, err)
				return
			}
			e := record.evidence(of)
			if broken := e.Check(&c); broken != nil {
				yield(nil, damaged("%v", broken))
				return
			}
			if !yield(e, nil) {
				return
			}
		}
	}
}

// saltsOf returns the salts of the range that an entry is in, and where it ends.
func (s *Snapshot) saltsOf(seq uint64) (*salts, uint64, error) {
	first, end := uint64(0), s.state.size
	if seq >= s.state.packed {
		first = s.state.rangeOf(seq)
		for _, next := range s.state.ranges {
			if next > seq {
				end = next
				break
			}
		}
	} else {
		_, h, err := s.blockHead(seq)
		if err != nil {
			return nil, 0, err
		}
		first, end = h.first, h.first+uint64(h.rows)
	}
	of, err := readSalts(s.txn, first)
	return of, end, err
}
