package db

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"toolledger/chain"
)

// A Gap is entries of a ledger that could not be recovered.
type Gap struct {
	From uint64 `json:"from"` // seq of the first
	To   uint64 `json:"to"`   // seq after the last
	Why  string `json:"why"`
}

// A Recovered is what [Recover] found.
type Recovered struct {
	Entries uint64 // written into the new ledger, without the old one's own
	Gaps    []Gap
}

// Recover writes what verifies of a ledger into a new one, chained anew. The new
// ledger's first entry names the old one and the gaps. The old one is only read; where
// it cannot be opened, since MANIFEST, CURRENT, or a table with a log before it are
// damaged or gone, a copy beside the new one is.
func Recover(ctx context.Context, from, to string, opt Options) (done Recovered, err error) {
	if _, err := os.Stat(filepath.Join(to, "CURRENT")); err == nil {
		return done, fmt.Errorf("db: recover: %s has a ledger already", to)
	}
	opt.ReadOnly = true
	old, err := Open(from, opt)
	if old == nil && (isDamaged(err) || errors.Is(err, ErrNoLedger)) {
		old, err = salvage(from, to, opt, err)
	}
	if old == nil {
		return done, err
	}
	defer func() { err = errors.Join(err, old.Close()) }()
	s, err := old.Snapshot()
	if err != nil {
		return done, err
	}
	defer s.Close()
	tooLarge := func(e *chain.Evidence) error {
		if e.Entry.SessionName()[0] == OwnSession[0] || len(e.Entry[chain.Args])+len(e.Entry[chain.Response])+len(e.Entry[chain.Metadata]) < chain.MaxEntry/2 {
			return nil
		}
		if in := Rechain(e); in.refused != nil { // with its digest in metadata
			return &gapError{e.Seq + 1, in.refused}
		}
		return nil
	}
	if done.Gaps, err = s.gaps(ctx, tooLarge); err != nil {
		return done, err
	}
	root := s.Root()
	args, err := json.Marshal(map[string]any{"recovered_from": filepath.Base(from), "entries": s.Size(), "root": fmt.Sprintf("%x", root[:]), "gaps": done.Gaps})
	if err != nil {
		return done, err
	}
	opt.ReadOnly, opt.first = false, args
	led, err := Open(to, opt)
	if err != nil {
		return done, err
	}
	defer func() { err = errors.Join(err, led.Close()) }() // without Finish, it is no ledger
	w, err := led.NewLoader(ctx)
	if err != nil {
		return done, err
	}
	_, err = s.gaps(ctx, func(e *chain.Evidence) error {
		if e.Entry.SessionName()[0] == OwnSession[0] {
			return nil
		}
		in := Rechain(e)
		if in.refused != nil {
			return &gapError{e.Seq + 1, in.refused} // was found to be one before
		}
		done.Entries++
		_, err := w.Add(&in)
		return err
	})
	if err != nil {
		w.Abort()
		return done, err
	}
	return done, w.Finish("recover", string(args))
}

// gaps reads every entry by itself and recomputes its digest. It gives those that hold
// to use, if that is not nil, and returns the others; those, too, that were acknowledged
// and are not in the store.
func (s *Snapshot) gaps(ctx context.Context, use func(*chain.Evidence) error) ([]Gap, error) {
	gaps := []Gap{}
	lost := func(from, to uint64, why error) {
		if n := len(gaps); n > 0 && gaps[n-1].To == from { // and the first reason
			gaps[n-1].To = to
			return
		}
		gaps = append(gaps, Gap{from, to, why.Error()})
	}
	for seq := uint64(0); seq < s.state.size; {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		n, err := s.eachEvidence(ctx, seq, use)
		seq += n
		if err == nil {
			continue
		}
		var gap *gapError
		if !errors.As(err, &gap) {
			return nil, err
		}
		to := min(max(gap.to, seq+1), s.state.size)
		lost(seq, to, gap.why)
		seq = to
	}
	if s.l.heads != nil {
		if last, _ := s.l.heads.Last(); last.Size > s.state.size {
			lost(s.state.size, last.Size, errors.New("were acknowledged, and are not in the store"))
		}
	}
	return gaps, nil
}

// A gapError ends a walk over entries at one that cannot be read; what comes after it
// may be, from to on.
type gapError struct {
	to  uint64
	why error
}

func (e *gapError) Error() string { return e.why.Error() }

// eachEvidence goes through entries from seq on, to the end of a block or to the first
// one that does not hold, and returns how many did.
func (s *Snapshot) eachEvidence(ctx context.Context, seq uint64, use func(*chain.Evidence) error) (n uint64, err error) {
	end := seq + 1
	if seq < s.state.packed {
		number, h, err := s.blockHead(seq)
		if err != nil {
			return 0, &gapError{seq + 1, err}
		}
		end = h.first + uint64(h.rows)
		if _, err := s.block(number); err != nil {
			return 0, &gapError{end, err}
		}
	}
	for e, err := range s.Evidence(ctx, Range{From: seq, To: end}) {
		if err != nil {
			if ctx.Err() != nil {
				return n, ctx.Err()
			}
			return n, &gapError{seq + n + 1, err}
		}
		if use != nil {
			if err := use(e); err != nil {
				return n, err
			}
		}
		n++
	}
	return n, nil
}
