package db

import (
	"fmt"
	"strconv"

	"toolledger/chain"
	"toolledger/db/internal/column"
)

// A row is an entry on its way into the ledger.
type row struct {
	m chain.Entry
	position
}

// A position is where an entry stands in the ledger, and the hashes that hold it there.
type position struct {
	session  string
	head     *headChange
	index    uint64
	seq      uint64
	at       chain.Time
	recorded chain.Time
	untimed  bool   // at is to be recorded: the entry has no time
	begins   uint32 // in a rowSet: the members whose value is not that of the row before, a bit each
	size     int    // bytes of its canonical form
	payload  chain.Hash
	prev     chain.Hash
	digest   chain.Hash
	want     chain.Hash // the digest that must come out, of a row that has been in a ledger
	removal  *removal   // what is left of values that were removed; nil: none was
	line     int        // that it stands on, of a row that is restored
	wave     int        // see linker.link
}

func newRow(in *Input) *row { return &row{in.m, in.position()} }

func (in *Input) position() position {
	return position{session: in.session, at: in.at, untimed: in.m[chain.At] == nil, size: in.size}
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
	last    *headChange                         // that was asked for
	load    func(session string) (*Head, error) // from the store, nil if there is none

	committer chain.Committer
	digester  chain.Digester
	digests   []chain.Hash
	leaves    []chain.Hash
	placed    []placedRow           // by append, which wait for each other to be hashed
	text      []byte                // of indexes and times; full, it is left to the rows
	positions [linkWindow]*position // of the rows that are linked together, and
	entries   [linkWindow]*chain.Entry
	window    [linkWindow]chain.Entry // of a rowSet
	complete  [len(placed)][]column.Run

	recordedTime chain.Time // that was written last
	recordedText []byte
}

// A headChange is the head of a session as it is and as it is stored.
type headChange struct {
	head    *Head // nil: the session has no entry
	stored  *Head
	changed bool // since it was stored
	wave    int  // see linker.link
}

// maxHeads is how many heads are kept in memory when none of them has changed.
const maxHeads = 1 << 16

func (l *linker) head(session string) (*headChange, error) {
	if l.last != nil && l.last.head != nil && l.last.head.Session == session { // of a call, mostly
		return l.last, nil
	}
	if h := l.heads[session]; h != nil {
		l.last = h
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

// forget drops what is known of heads, all of which must be stored.
func (l *linker) forget() { l.heads, l.last = map[string]*headChange{}, nil }

// place gives r its places in the session and the ledger, and the time at which the
// ledger took it.
func (l *linker) place(r *position, recorded chain.Time) error {
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
	if r.untimed {
		r.at = recorded
	}
	h.head.Count++
	l.state.size++
	return nil
}

// setPlaced sets the members that an entry has of its position.
func (l *linker) setPlaced(r *position, m *chain.Entry) {
	m[chain.Index] = l.indexText(r.index)
	if l.recordedText == nil || r.recorded != l.recordedTime {
		l.recordedTime, l.recordedText = r.recorded, quoteTime(r.recorded)
	}
	m[chain.Recorded] = l.recordedText
	if r.untimed {
		m[chain.At] = m[chain.Recorded]
	}
}

func (l *linker) indexText(index uint64) []byte {
	if cap(l.text)-len(l.text) < 20 {
		l.text = make([]byte, 0, 16<<10)
	}
	start := len(l.text)
	l.text = strconv.AppendUint(l.text, index, 10)
	return l.text[start:len(l.text):len(l.text)]
}

// hashPayloads computes the hashes of the payload of rows that follow each other in
// a range, whose salts are s.
func hashPayloads(c *chain.Committer, s *salts, rows *rowSet) {
	if len(rows.rows) == 0 {
		return
	}
	salts := s.slice(c, rows.rows[0].seq, len(rows.rows))
	for r, m := range rows.entries() {
		r.addPayload(c, &salts[0], m)
		salts = salts[1:]
	}
	c.Flush()
}

// addPayload adds the payload of a row to those that c computes the hashes of.
func (p *position) addPayload(c *chain.Committer, salt *chain.Salt, m *chain.Entry) {
	if p.removal != nil {
		p.payload = p.removal.evidence(m).Payload(c)
		return
	}
	c.Add(&p.payload, salt, m)
}

// linkWindow is how many rows are linked together.
const linkWindow = 128

// link sets the members that rows have of their places, chains them to the entries before
// them in their sessions and puts them into the tree. What a digest depends on is the
// digest before it in its session alone: rows of different sessions are hashed together,
// in waves.
func (l *linker) link(rows []placedRow) {
	for i, r := range rows {
		n := i % linkWindow
		l.setPlaced(&r.position, &r.m)
		l.positions[n], l.entries[n] = &r.position, &r.m
		if n+1 == linkWindow || i+1 == len(rows) {
			l.linkWindow(l.positions[:n+1], l.entries[:n+1])
		}
	}
}

// linkSet is link for many rows.
func (l *linker) linkSet(rows *rowSet) {
	for k := range l.complete {
		l.complete[k] = l.complete[k][:0]
	}
	i := 0
	for r, m := range rows.entries() {
		n := i % linkWindow
		l.window[n] = *m
		m = &l.window[n]
		l.setPlaced(r, m)
		for k, member := range placed {
			l.complete[k] = appendRun(l.complete[k], i, m[member])
		}
		l.positions[n], l.entries[n] = r, m
		if i++; n+1 == linkWindow || i == len(rows.rows) {
			l.linkWindow(l.positions[:n+1], l.entries[:n+1])
		}
	}
	rows.setPlaced(&l.complete)
}

func (l *linker) linkWindow(rows []*position, entries []*chain.Entry) {
	waves := 0
	for _, r := range rows {
		r.wave = r.head.wave
		waves = max(waves, r.wave+1)
		if r.want == (chain.Hash{}) { // else the next one need not wait
			r.head.wave++
		}
	}
	for wave := range waves {
		for i, r := range rows {
			if r.wave == wave {
				r.prev = r.head.head.Digest
				l.digester.Add(entries[i], &r.payload, &r.prev)
				r.head.head.Digest = r.want
			}
		}
		l.digests = l.digester.Flush(l.digests[:0])
		next := 0
		for _, r := range rows {
			if r.wave == wave {
				r.digest = l.digests[next]
				next++
				if r.want == (chain.Hash{}) {
					r.head.head.Digest = r.digest
				}
			}
		}
	}
	l.leaves = l.leaves[:0]
	for _, r := range rows {
		h := r.head.head
		if r.index == 0 || r.at.Compare(h.First) < 0 {
			h.First = r.at
		}
		if r.index == 0 || r.at.Compare(h.Last) > 0 {
			h.Last = r.at
		}
		h.seq = r.seq
		r.head.wave = 0
		l.leaves = append(l.leaves, r.digest)
	}
	l.digester.AppendAll(&l.state.edge, l.leaves, l.tiles.add)
}

// sameDigest tells whether a row that is restored has the digest it must have.
func (r *position) sameDigest() error {
	if r.want == (chain.Hash{}) || r.want == r.digest {
		return nil
	}
	return &RefusedError{r.line, fmt.Errorf("session %q, index %d: its digest is %x, the line says %x", r.session, r.index, r.digest[:], r.want[:])}
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
		l.forget()
	}
}

// clone returns a linker that may be thrown away.
func (l *linker) clone() *linker {
	return &linker{state: l.state.clone(), tiles: l.tiles.clone(), salts: l.salts, heads: map[string]*headChange{}, load: l.load}
}
