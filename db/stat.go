package db

import (
	"time"

	"toolledger/chain"
)

// Stats is what there is to say of a ledger without reading its entries.
type Stats struct {
	Entries     uint64
	Sessions    uint64 // the ledger's own included
	Blocks      uint64
	Tail        uint64 // entries that are in no block yet
	Root        chain.Hash
	Bytes       map[string]int64 // on disk, by kind: tables, logs, heads, other
	First, Last chain.Time       // least and greatest time of the entries; zero if there is none
	Recorded    chain.Time       // of the last entry
	Encrypted   bool
	Commit      time.Duration // median of the last commits of this process, 0 if there was none
}

// Stats returns what there is to say of the ledger. It costs a look at each session.
func (l *Ledger) Stats() (Stats, error) {
	s, err := l.Snapshot()
	if err != nil {
		return Stats{}, err
	}
	defer s.Close()
	st := &s.state
	out := Stats{Entries: st.size, Sessions: st.sessions, Blocks: st.blocks, Tail: st.size - st.packed, Root: st.edge.Root(),
		Recorded: st.recorded, Encrypted: len(l.opt.Key) > 0, Commit: l.commits.median()}
	first := true
	for h, err := range s.Sessions() {
		if err != nil {
			return out, err
		}
		if h.Session == OwnSession {
			continue
		}
		if first || h.First.Compare(out.First) < 0 {
			out.First = h.First
		}
		if first || h.Last.Compare(out.Last) > 0 {
			out.Last = h.Last
		}
		first = false
	}
	out.Bytes, err = diskUse(l.dir)
	return out, err
}
