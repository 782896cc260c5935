package db

import (
	"bytes"
	"context"
	"fmt"
	"runtime"
	"slices"
	"sync"

	"toolledger/chain"
)

// A Report is what [Ledger.Verify] found.
type Report struct {
	Entries  uint64
	Sessions uint64
	Root     chain.Hash         // over the entries as they stand
	Broken   []chain.BreakError // the first broken link of each session that has one
	Faults   []Fault            // everything else that is not as it should be
}

// A Fault is an invariant of package db's doc that does not hold.
type Fault struct {
	Invariant int
	What      string
}

// Invariants are those of the package's doc, in short; the first has number 1.
var Invariants = [...]string{
	"entries have the seqs from 0 to size, each in one place",
	"entries of a session have the indexes from 0",
	"digests follow from entries, salts and the digests before them",
	"tiles and right edge are those of the tree",
	"heads are the last entries of their sessions",
	"runs lead to the blocks that have their entries",
	"dictionaries and filters are what the rows make",
	"recorded never falls",
	"size and root reach the last record of heads",
}

// Check tests every invariant and returns what is wrong with each, by number from 1 at
// place 0; it is [Ledger.Verify] under other headings.
func (l *Ledger) Check(ctx context.Context, progress func(done, of uint64)) ([len(Invariants)][]string, error) {
	var found [len(Invariants)][]string
	r, err := l.Verify(ctx, progress)
	if err != nil {
		return found, err
	}
	for _, b := range r.Broken {
		found[2] = append(found[2], b.Error())
	}
	for _, f := range r.Faults {
		found[f.Invariant-1] = append(found[f.Invariant-1], f.What)
	}
	return found, nil
}

// Intact tells whether nothing was found.
func (r *Report) Intact() bool { return len(r.Broken) == 0 && len(r.Faults) == 0 }

// Verify recomputes every digest, chain and tree from the stored bytes, and
// everything that is derived from them: blocks with their dictionaries and filters,
// tiles, heads, runs. progress, if it is not nil, is told how many entries are done.
func (l *Ledger) Verify(ctx context.Context, progress func(done, of uint64)) (*Report, error) {
	s, err := l.Snapshot()
	if err != nil {
		return nil, err
	}
	defer s.Close()
	v := &verifier{s: s, report: new(Report), stored: map[string]chain.Hash{}, broken: map[string]bool{}}
	v.link = &linker{heads: map[string]*headChange{}, load: func(string) (*Head, error) { return nil, nil }}
	v.link.tiles = tiles{}
	if err := v.entries(ctx, progress); err != nil {
		return nil, err
	}
	if l.damaged != nil {
		v.fault(9, "%s", l.damaged.What)
	}
	if err := v.derived(); err != nil {
		return nil, err
	}
	r := v.report
	r.Entries, r.Sessions, r.Root = v.link.state.size, uint64(len(v.link.heads)), v.link.state.edge.Root()
	return r, nil
}

// A verifier makes the ledger again, in memory, and compares.
type verifier struct {
	s       *Snapshot
	link    *linker
	report  *Report
	stored  map[string]chain.Hash // the last digest of each session, as stored
	broken  map[string]bool
	parts   sync.Pool // of blocks
	badTile bool
}

// A part is the rows of a block, or of a piece of the tail, with their payload hashed.
type part struct {
	rows      []row
	digests   []chain.Hash // as stored
	fault     error        // instead
	invariant int          // that the fault breaks
	from      uint64
	count     int

	// Memory that is used again.
	x         restorer
	encoder   blockEncoder
	committer chain.Committer
}

func (v *verifier) fault(invariant int, format string, args ...any) {
	v.report.Faults = append(v.report.Faults, Fault{invariant, fmt.Sprintf(format, args...)})
}

// entries goes through all entries: cores read and hash parts, this goroutine links.
func (v *verifier) entries(ctx context.Context, progress func(done, of uint64)) error {
	ctx, cancel := context.WithCancel(ctx)
	var reading sync.WaitGroup
	defer reading.Wait() // nobody may read once the snapshot is closed
	defer cancel()
	parts := make(chan chan *part, runtime.GOMAXPROCS(0))
	reading.Go(func() {
		defer close(parts)
		for job := range v.jobs() {
			out := make(chan *part, 1)
			select {
			case parts <- out:
			case <-ctx.Done():
				return
			}
			reading.Go(func() { out <- job() })
		}
	})
	for out := range parts {
		p := <-out
		if err := ctx.Err(); err != nil {
			return err
		}
		if p.fault != nil {
			if !isDamaged(p.fault) {
				return p.fault
			}
			// What comes behind hangs on what cannot be read.
			v.fault(p.invariant, "%v; %d entries from %d on cannot be read, what follows was not verified", p.fault, p.count, p.from)
			return nil
		}
		for i := range p.rows {
			v.row(&p.rows[i], p.digests[i])
		}
		if len(p.x.text) > 0 {
			v.parts.Put(p)
		}
		if err := v.wholeTiles(); err != nil {
			return err
		}
		if progress != nil {
			progress(v.link.state.size, v.s.state.size)
		}
	}
	return ctx.Err()
}

// jobs walks what is to be read, in the ledger's order.
func (v *verifier) jobs() func(func(func() *part) bool) {
	return func(yield func(func() *part) bool) {
		next := uint64(0)
		for number := range v.s.state.blocks {
			first := next
			b, err := v.s.block(number)
			if err == nil && b.First() != next {
				err = damaged("block %d begins at %d, not %d", number, b.First(), next)
			}
			if err != nil {
				yield(func() *part { return &part{fault: err, from: first, invariant: 1} })
				return
			}
			if !yield(func() *part { return v.readBlock(b) }) {
				return
			}
			next += uint64(b.Rows())
		}
		if next != v.s.state.packed {
			err := damaged("the blocks have %d entries, not %d", next, v.s.state.packed)
			yield(func() *part { return &part{fault: err, from: next, invariant: 1} })
			return
		}
		for next < v.s.state.size {
			from, to := next, min(next+1024, v.s.state.size)
			if !yield(func() *part { return v.readTail(from, to) }) {
				return
			}
			next = to
		}
	}
}

func (v *verifier) readBlock(b *Block) *part {
	p, _ := v.parts.Get().(*part)
	if p == nil {
		p = new(part)
	}
	p.reset(b.First(), b.Rows())
	if p.fault = p.read(v.s, b); p.fault == nil {
		if p.fault = p.sameBlock(b); p.fault != nil {
			p.invariant = 7
		}
	}
	return p
}

func (p *part) reset(from uint64, count int) {
	p.rows, p.digests, p.fault, p.invariant = p.rows[:0], p.digests[:0], nil, 1
	p.from, p.count = from, count
	p.x.reset()
}

// read restores the rows of a block and hashes their payload.
func (p *part) read(s *Snapshot, b *Block) error {
	salts, err := readSalts(s.txn, b.First())
	if err != nil {
		return err
	}
	names, err := b.sessionNames()
	if err != nil {
		return err
	}
	codes, _, err := b.sessions()
	if err != nil {
		return err
	}
	for i := range b.Rows() {
		r := row{seq: b.First() + uint64(i), session: names[codes[i]]}
		if r.m, err = b.members(&p.x, i); err != nil {
			return err
		}
		r.index = b.index[i] // members has read it
		if r.at, err = b.time(chain.At, i); err == nil {
			r.recorded, err = b.time(chain.Recorded, i)
		}
		if err == nil && uint64(len(p.digests)) == uint64(i) {
			err = p.addTile(s, r.seq, b)
		}
		if err != nil {
			return err
		}
		hashPayload(&p.committer, salts, &r)
		p.rows = append(p.rows, r)
	}
	return nil
}

// sessionNames returns the session of each code.
func (b *Block) sessionNames() ([]string, error) {
	_, r, err := b.sessions()
	if err != nil {
		return nil, err
	}
	names := make([]string, r.Distinct()+1)
	var name []byte
	for c := 1; c < len(names); c++ {
		if name, err = r.Value(name[:0], uint16(c)); err != nil {
			return nil, b.damaged(b.find(colName{member: chain.Session, kind: colText}), err)
		}
		names[c] = string(name)
	}
	return names, nil
}

// addTile reads the digests from seq to the end of its tile or block.
func (p *part) addTile(s *Snapshot, seq uint64, b *Block) error {
	n := seq >> chain.TileHeight
	end := min((n+1)*chain.TileWidth, b.First()+uint64(b.Rows()))
	tile, err := s.Tile(0, n, int(end-n*chain.TileWidth))
	if err != nil {
		return err
	}
	p.digests = append(p.digests, tile[seq%chain.TileWidth:]...)
	return nil
}

func (p *part) add(c *chain.Committer, s *salts, r *Record) error {
	at, err := chain.ParseTime(unquoted(r.Members[chain.At]))
	if err != nil {
		return damaged("entry %d: %v", r.Seq, err)
	}
	w := row{m: r.Members, session: r.Session, index: r.Index, seq: r.Seq, at: at, recorded: r.Recorded}
	hashPayload(c, s, &w)
	p.rows = append(p.rows, w)
	return nil
}

// sameBlock encodes the rows again and compares with what is stored: dictionaries,
// filters and whatever else a scan goes by.
func (p *part) sameBlock(b *Block) error {
	for _, want := range p.encoder.encode(p.rows) {
		got, err := b.page(want.column, want.page)
		if err != nil {
			return err
		}
		if !bytes.Equal(got, want.value) {
			return damaged("block %d, column %d, page %d is not what its rows make", b.number, want.column, want.page)
		}
	}
	return nil
}

func (v *verifier) readTail(from, to uint64) *part {
	p := &part{from: from, count: int(to - from), invariant: 1}
	var c chain.Committer
	var salts *salts
	first := ^uint64(0)
	for seq := from; seq < to; seq++ {
		r, err := readTail(v.s.txn, seq)
		if begins := v.s.state.rangeOf(seq); err == nil && begins != first {
			first = begins
			salts, err = readSalts(v.s.txn, begins)
		}
		if err == nil {
			err = p.add(&c, salts, r)
		}
		if err == nil {
			p.digests = append(p.digests, r.Digest)
			err = v.indexed(r)
		}
		if err != nil {
			p.fault = err
			return p
		}
	}
	return p
}

// indexed checks that the tail's index leads to an entry.
func (v *verifier) indexed(r *Record) error {
	seq, err := v.s.tailSeq(r.Session, r.Index)
	if err == errNoKey || err == nil && seq != r.Seq {
		return damaged("the index of the tail does not lead to entry %d, session %q, index %d", r.Seq, r.Session, r.Index)
	}
	return err
}

// row links one row and compares its digest with the stored one.
func (v *verifier) row(r *row, stored chain.Hash) {
	session, index, recorded := r.session, r.index, r.recorded
	prev, has := v.stored[session]
	if err := v.link.place(r, recorded); err != nil {
		v.fault(1, "entry %d: %v", r.seq, err)
		return
	}
	if has { // one broken link does not break those that follow
		r.head.head.Digest = prev
	}
	v.link.link(r)
	v.stored[session] = stored
	switch {
	case v.broken[session]:
	case r.index != index:
		v.broken[session] = true // once is enough
		v.fault(2, "session %q: index %d stands where %d should", session, index, r.index)
	case r.recorded != recorded:
		v.fault(8, "session %q: index %d was recorded before the entry before it", session, index)
	case r.digest != stored:
		v.broken[session] = true
		v.report.Broken = append(v.report.Broken, chain.BreakError{Session: session, Index: index, Want: hexOf(r.digest), Got: hexOf(stored)})
	}
}

func hexOf(h chain.Hash) string { return fmt.Sprintf("%x", h[:]) }

// derived compares state, tiles, heads and runs with those of the ledger that was
// made again.
func (v *verifier) derived() error {
	st := &v.s.state
	if v.link.state.size != st.size {
		if len(v.report.Faults) == 0 {
			v.fault(1, "%d entries are there, the ledger has %d", v.link.state.size, st.size)
		}
		return nil
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
		got, made := *h, *want.head
		got.Digest, made.Digest = v.stored[h.Session], v.stored[h.Session]
		if got != made || h.Digest != v.stored[h.Session] {
			return damaged("the head of session %q is not what its entries make", h.Session)
		}
	}
	if n != len(v.link.heads) {
		return damaged("%d sessions have heads, %d have entries", n, len(v.link.heads))
	}
	return nil
}

// sameRuns makes the runs of every group again.
func (v *verifier) sameRuns() error {
	for group := range v.s.state.groups {
		runs, err := groupRuns(v.s.txn, group)
		if err != nil {
			return err
		}
		for session, want := range runs {
			value, err := must(v.s.txn, indexKey(spaceRun, session, want.first))
			if err != nil {
				return err
			}
			if !bytes.Equal(value, want.encode(group)) {
				return damaged("the run of session %q from index %d is not what the blocks make", session, want.first)
			}
		}
	}
	return nil
}
