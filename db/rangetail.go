package db

import (
	"slices"

	"toolledger/chain"
)

// tail goes through the entries of the tail.
func (w *walk) tail() error {
	if w.r.Session != "" {
		return w.sessionTail()
	}
	for seq := max(w.r.From, w.s.state.packed); seq < min(w.r.to(), w.s.state.size); seq++ {
		if err := w.tailEntry(seq); err != nil {
			return err
		}
	}
	return nil
}

// sessionTail goes through a session's entries of the tail, which it looks for from the
// last on.
func (w *walk) sessionTail() error {
	if w.r.to() <= w.s.state.packed {
		return nil
	}
	h, err := w.s.head(w.r.Session)
	if err != nil || h == nil || h.seq < w.s.state.packed {
		return err
	}
	var places []uint64
	for index := h.Count; index > w.end; index-- {
		seq, err := w.s.tailSeq(w.r.Session, index-1)
		if err == errNoKey || err == nil && seq < w.s.state.packed {
			// Its block was not read. If it is in none, it is missing.
			if _, _, err = w.s.find(w.r.Session, index-1); err != nil {
				return err
			}
			break
		}
		if err != nil {
			return err
		}
		places = append(places, seq)
	}
	for _, seq := range slices.Backward(places) {
		if seq < w.r.From || seq >= w.r.to() {
			continue
		}
		if err := w.tailEntry(seq); err != nil {
			return err
		}
	}
	return nil
}

// tailEntry gives an entry of the tail, if it is in the range.
func (w *walk) tailEntry(seq uint64) error {
	r, err := readTail(w.s.txn, seq)
	if err != nil {
		return err
	}
	if w.r.Session != "" && r.Session != w.r.Session {
		return damaged("entry %d is of session %q, not of %q", seq, r.Session, w.r.Session)
	}
	at, err := chain.ParseTime(unquoted(r.Members[chain.At]))
	if err != nil {
		return damaged("entry %d: %v", seq, err)
	}
	if !w.r.inTime(at) {
		return nil
	}
	return w.give(r)
}
