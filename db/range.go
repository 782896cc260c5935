package db

import (
	"context"
	"errors"
	"iter"
	"math"

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

// errStop ends a walk whose consumer wants no more.
var errStop = errors.New("db: stop")

// A walk goes through the records of a range.
type walk struct {
	s     *Snapshot
	ctx   context.Context
	r     Range
	prev  map[string]chain.Hash // the last digest of each session that was met
	yield func(*Record, error) bool
}

func (w *walk) blocks() error {
	to := min(w.r.to(), w.s.state.packed)
	if w.r.From >= to {
		return nil
	}
	first, err := w.s.blockNumber(w.r.From)
	if err != nil {
		return err
	}
	for number := first; number < w.s.state.blocks; number++ {
		b, err := w.s.block(number)
		if err != nil {
			return err
		}
		if b.First() >= to {
			return nil
		}
		skip, err := w.r.excludes(b)
		if err == nil && !skip {
			err = w.rows(b, to)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// rows goes through a block.
func (w *walk) rows(b *Block, to uint64) error {
	if w.r.Session != "" {
		t, err := w.s.sessionsOf(b.number)
		if err != nil {
			return err
		}
		rows, _ := t.rowsOf(w.r.Session)
		for _, row := range rows {
			if err := w.row(b, int(row), to); err != nil {
				return err
			}
		}
		return nil
	}
	for row := range b.Rows() {
		if err := w.row(b, row, to); err != nil {
			return err
		}
	}
	return nil
}

func (w *walk) row(b *Block, row int, to uint64) error {
	seq := b.First() + uint64(row)
	if seq < w.r.From || seq >= to {
		return nil
	}
	t, err := b.time(chain.At, row)
	if err != nil || !w.r.inTime(t) {
		return err
	}
	r, err := w.s.recordOf(b, row)
	if err != nil {
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

func (w *walk) tail() error {
	for seq := max(w.r.From, w.s.state.packed); seq < min(w.r.to(), w.s.state.size); seq++ {
		r, err := readTail(w.s.txn, seq)
		if err != nil {
			return err
		}
		if w.r.Session != "" && r.Session != w.r.Session {
			continue
		}
		at, err := chain.ParseTime(unquoted(r.Members[chain.At]))
		if err != nil {
			return damaged("entry %d: %v", seq, err)
		}
		if w.r.inTime(at) {
			if err := w.give(r); err != nil {
				return err
			}
		}
	}
	return nil
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
			e := &chain.Evidence{Entry: record.Members, Seq: record.Seq, Prev: record.Prev, Digest: record.Digest, Salt: of.of(record.Seq)}
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
		b, err := s.blockOf(seq)
		if err != nil {
			return nil, 0, err
		}
		first, end = b.First(), b.First()+uint64(b.Rows())
	}
	of, err := readSalts(s.txn, first)
	return of, end, err
}
