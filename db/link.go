package db

import (
	"fmt"
	"strconv"

	"toolledger/chain"
)

// A row is an entry on its way into the ledger.
type row struct {
	m        chain.Entry
	session  string
	head     *headChange
	index    uint64
	seq      uint64
	at       chain.Time
	recorded chain.Time
	size     int // bytes of its canonical form
	payload  chain.Hash
	prev     chain.Hash
	digest   chain.Hash
	want     chain.Hash // the digest that must come out, of a row that is restored
}

func newRow(in *Input) *row {
	return &row{m: in.m, session: in.session, at: in.at, size: in.size}
}

// A linker puts rows at the end of the ledger: a state and the heads that go with
// it, changed in memory alone until somebody writes them. Rows are placed, hashed
// and linked, each step for a row after the one before; hashing may happen
// elsewhere and for many rows at once.
type linker struct {
	state   state
	tiles   tiles
	salts   salts // of the open range
	heads   map[string]*headChange
	changed []*headChange
	load    func(session string) (*Head, error) // from the store, nil if there is none

	committer chain.Committer
	header    []byte
	placed    []placedRow // by append, which wait for each other to be hashed

	recordedTime chain.Time // that was written last
	recordedText []byte
}

// A headChange is the head of a session as it is and as it is stored.
type headChange struct {
	head    *Head // nil: the session has no entry
	stored  *Head
	changed bool // since it was stored
}

// maxHeads is how many heads are kept in memory when none of them has changed.
const maxHeads = 1 << 16

func (l *linker) head(session string) (*headChange, error) {
	if h := l.heads[session]; h != nil {
		return h, nil
	}
	stored, err := l.load(session)
	if err != nil {
		return nil, err
	}
	h := &headChange{stored: stored}
	if stored != nil {
		c := *stored
		h.head = &c
	}
	l.heads[session] = h
	return h, nil
}

// place gives r its places in the session and the ledger, and the time at which the
// ledger took it.
func (l *linker) place(r *row, recorded chain.Time) error {
	h, err := l.head(r.session)
	if err != nil {
		return err
	}
	if h.head == nil {
		h.head = &Head{Session: r.session}
		l.state.sessions++
	}
	if !h.changed {
		h.changed = true
		l.changed = append(l.changed, h)
	}
	if recorded.Compare(l.state.recorded) < 0 {
		recorded = l.state.recorded // the clock went back; the ledger does not
	}
	l.state.recorded = recorded
	r.head = h
	r.session, r.index, r.seq, r.recorded = h.head.Session, h.head.Count, l.state.size, recorded
	r.m[chain.Index] = strconv.AppendUint(nil, r.index, 10)
	if l.recordedText == nil || recorded != l.recordedTime {
		l.recordedTime, l.recordedText = recorded, quoteTime(recorded)
	}
	r.m[chain.Recorded] = l.recordedText
	if r.m[chain.At] == nil {
		r.m[chain.At], r.at = r.m[chain.Recorded], recorded
	}
	h.head.Count++
	l.state.size++
	return nil
}

// hashPayloads computes the hashes of the payload of rows that follow each other in
// a range, whose salts are s.
func hashPayloads(c *chain.Committer, s *salts, rows []row) {
	if len(rows) == 0 {
		return
	}
	salts := s.slice(c, rows[0].seq, len(rows))
	for i := range rows {
		c.Add(&rows[i].payload, &salts[i], &rows[i].m)
	}
	c.Flush()
}

// link chains r to the entry before it in its session and puts it into the tree.
func (l *linker) link(r *row) error {
	h := r.head.head
	r.prev = h.Digest
	l.header = chain.AppendHeader(l.header[:0], &r.m, &r.payload, &r.prev)
	r.digest = chain.Digest(l.header)
	if r.index == 0 || r.at.Compare(h.First) < 0 {
		h.First = r.at
	}
	if r.index == 0 || r.at.Compare(h.Last) > 0 {
		h.Last = r.at
	}
	h.Digest, h.seq = r.digest, r.seq
	l.state.edge.Append(r.digest, l.tiles.add)
	if r.want != (chain.Hash{}) && r.want != r.digest {
		return &RefusedError{fmt.Errorf("session %q, index %d: its digest is %x, the line says %x", r.session, r.index, r.digest[:], r.want[:])}
	}
	return nil
}

// writeHeads writes the heads that changed.
func (l *linker) writeHeads(b *batch) {
	for _, h := range l.changed {
		b.set(sessionKey(spaceSession, h.head.Session), appendHeads(nil, h.head, h.stored))
		c := *h.head
		h.stored, h.changed = &c, false
	}
	l.changed = nil
	if len(l.heads) > maxHeads {
		clear(l.heads)
	}
}

// clone returns a linker that may be thrown away.
func (l *linker) clone() *linker {
	return &linker{state: l.state.clone(), tiles: l.tiles.clone(), salts: l.salts, heads: map[string]*headChange{}, load: l.load}
}
