package db

import (
	"fmt"
	"slices"

	"toolledger/chain"
)

// A loadRemovals is what an export that is restored tells of removals: the entries that say what was
// removed come behind those that it was removed from.
type loadRemovals struct {
	controls []*Control
	gone     []goneValues
}

// A goneValues is entries of a session that follow each other and have lost the same values.
type goneValues struct {
	session  string
	from, to uint64
	last     uint64 // seq of the last of them
	pointers []string
}

// add takes the next entry.
func (x *loadRemovals) add(e *chain.Evidence, recorded chain.Time) error {
	session, index := e.Entry.SessionName(), e.Entry.IndexNumber()
	if session == OwnSession {
		entry := e.Entry
		entry[chain.Args] = slices.Clone(entry[chain.Args]) // the line may be read over
		c, err := controlOf(&Record{Session: session, Index: index, Seq: e.Seq, Recorded: recorded, Digest: e.Digest, Members: entry})
		if c != nil {
			x.controls = append(x.controls, c)
		}
		return err
	}
	if e.Salts == nil {
		return nil
	}
	pointers := removalOf(e).pointers()
	if n := len(x.gone); n > 0 {
		if g := &x.gone[n-1]; g.session == session && g.to == index && slices.Equal(g.pointers, pointers) {
			g.to, g.last = index+1, e.Seq
			return nil
		}
	}
	x.gone = append(x.gone, goneValues{session, index, index + 1, e.Seq, pointers})
	return nil
}

// check refuses an export of which values were left out that the ledger had not removed.
func (x *loadRemovals) check() error {
	all := grantsOf(x.controls...)
	for i := range x.gone {
		g := &x.gone[i]
		for index := g.from; index < g.to; index++ {
			pointers := pointersOf(all.of(g.session, index, g.last))
			for _, p := range g.pointers {
				if !chain.Covers(pointers, p) {
					return &RefusedError{0, fmt.Errorf("session %q, index %d: %s was left out: %w", g.session, index, p, ErrPartial)}
				}
			}
		}
	}
	return nil
}

// pending are the removals that the next opening looks whether they are done: the export may have
// been made before they were.
func (x *loadRemovals) pending() (seqs []uint64) {
	for _, c := range x.controls {
		seqs = append(seqs, c.Seq)
	}
	return seqs
}
