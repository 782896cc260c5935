package db

import (
	"slices"
)

// derived compares state, tiles, heads and runs with those of the ledger that was
// made again.
func (v *verifier) derived() error {
	st := &v.s.state
	if v.link.state.size != st.size {
		if len(v.report.Faults) == 0 {
			v.fault(1, "%d entries are there, the ledger has %d", v.link.state.size, st.size)
		}
		return v.unread()
	}
	if v.link.state.edge.Root() != st.edge.Root() && len(v.report.Broken) == 0 {
		v.fault(4, "the tree has root %x, stored is %x", v.link.state.edge.Root(), st.edge.Root())
	}
	for i, check := range []func() error{v.sameTiles, v.sameHeads, v.sameRuns} {
		if err := check(); err != nil {
			if !isDamaged(err) {
				return err
			}
			v.fault(4+i, "%v", err)
		}
	}
	return nil
}

// unread finds the sessions that were not read to their end.
func (v *verifier) unread() error {
	v.report.unread = map[string]uint64{}
	err := v.s.eachHead(func(h *Head) bool {
		verified := uint64(0)
		if is := v.link.heads[h.Session]; is != nil {
			verified = is.head.Count
		}
		if verified < h.Count {
			v.report.unread[h.Session] = verified
		}
		return true
	})
	if isDamaged(err) { // then it is known of those before it
		v.fault(5, "%v", err)
		return nil
	}
	return err
}

// wholeTiles compares the tiles that have become whole.
func (v *verifier) wholeTiles() error {
	for _, w := range v.link.tiles.whole {
		stored, err := tileReader{v.s.txn}.Tile(w.level, w.n, len(w.hashes))
		if err != nil && !isDamaged(err) {
			return err
		}
		if !slices.Equal(stored, w.hashes) && len(v.report.Broken) == 0 && !v.badTile {
			v.badTile = true
			v.fault(4, "tile %d of level %d is not what the entries make", w.n, w.level)
		}
	}
	v.link.tiles.whole = nil
	return nil
}

func (v *verifier) sameTiles() error {
	t := v.link.tiles
	for level, hashes := range t.open {
		stored, err := v.s.Tile(level, t.first[level], len(hashes))
		if len(hashes) > 0 && err != nil {
			return err
		}
		if len(hashes) > 0 && !slices.Equal(stored, hashes) && len(v.report.Broken) == 0 {
			return damaged("tile %d of level %d is not what the entries make", t.first[level], level)
		}
	}
	return nil
}

func (v *verifier) sameHeads() error {
	n := 0
	for h, err := range v.s.Sessions() {
		if err != nil {
			return err
		}
		n++
		want := v.link.heads[h.Session]
		if want == nil {
			return damaged("session %q has a head and no entry", h.Session)
		}
		if *h != *want.head {
			v.headFault(want.head)
		}
	}
	if n != len(v.link.heads) {
		return damaged("%d sessions have heads, %d have entries", n, len(v.link.heads))
	}
	return nil
}

// headFault says that a session has a head that its entries, whose head is h, do not make.
func (v *verifier) headFault(h *Head) {
	v.faultOf(h.Session, h.Count-1, 5, "the head of session %q is not what its entries make", h.Session)
}

// sameRuns makes the runs of every group again.
func (v *verifier) sameRuns() error {
	for group := range v.s.state.groups {
		runs, err := groupRuns(v.s.txn, group)
		if err != nil {
			return err
		}
		if err := checkRuns(v.s.txn, group, runs); err != nil {
			return err
		}
	}
	return nil
}
