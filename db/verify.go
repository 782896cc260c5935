package db

import (
	"context"
	"fmt"
	"runtime"
	"sync"

	"toolledger/chain"
)

// A Report is what [Ledger.Verify] found.
type Report struct {
	Entries  uint64
	Sessions uint64
	Root     chain.Hash         // over the entries as they stand
	Stored   chain.Hash         // the root that the ledger has
	Broken   []chain.BreakError // the first broken link of each session that has one
	Faults   []Fault            // everything else that is not as it should be

	Controls []*Control // the removals that the ledger's own entries tell of, with what was found of each

	removed map[string]uint64      // values, by session
	heads   map[string]*headChange // of the sessions as their entries make them
	unread  map[string]uint64      // sessions that were not read to their end: the index of the first entry that was not
}

// A Fault is an invariant of package db's doc that does not hold.
type Fault struct {
	Invariant int
	What      string
	Session   string // that it is about, if it is about one
	Index     uint64 // where in the session it begins
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
	"the checkpoints in the folder agree with the tree, and a key that the ledger names signed them",
	"values are removed that an entry of the ledger's own says, and no others",
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
	return s.Verify(ctx, progress)
}

// Verify is [Ledger.Verify] of the ledger as it was.
func (s *Snapshot) Verify(ctx context.Context, progress func(done, of uint64)) (*Report, error) {
	v := newVerifier(s)
	if err := v.readControls(ctx); err != nil {
		return nil, err
	}
	if err := v.entries(ctx, progress); err != nil {
		return nil, err
	}
	if s.l.damaged != nil {
		v.fault(9, "%s", s.l.damaged.What)
	}
	if err := v.derived(); err != nil {
		return nil, err
	}
	if err := v.checkpoints(ctx); err != nil {
		return nil, err
	}
	r := v.report
	r.Entries, r.Sessions, r.heads = v.link.state.size, uint64(len(v.link.heads)), v.link.heads
	r.Root, r.Stored = v.link.state.edge.Root(), s.Root()
	return r, nil
}

func newVerifier(s *Snapshot) *verifier {
	v := &verifier{s: s, free: newFree[part](2 * runtime.GOMAXPROCS(0)), report: &Report{removed: map[string]uint64{}}, broken: map[string]bool{}}
	v.link = &linker{heads: map[string]*headChange{}, load: func(string) (*Head, error) { return nil, nil }}
	return v
}

// A verifier makes the ledger again, in memory, and compares.
type verifier struct {
	s       *Snapshot
	link    *linker
	report  *Report
	broken  map[string]bool
	free    free[part] // of blocks
	badTile bool
	grants  grants
	unknown bool // whether what is gone was removed: the ledger's own entries cannot be read
}

func (v *verifier) fault(invariant int, format string, args ...any) {
	v.report.Faults = append(v.report.Faults, Fault{Invariant: invariant, What: fmt.Sprintf(format, args...)})
}

// faultOf is fault of a session.
func (v *verifier) faultOf(session string, index uint64, invariant int, format string, args ...any) {
	v.report.Faults = append(v.report.Faults, Fault{invariant, fmt.Sprintf(format, args...), session, index})
}

// entries goes through all entries: cores read and hash parts, this goroutine links.
func (v *verifier) entries(ctx context.Context, progress func(done, of uint64)) error {
	ctx, cancel := context.WithCancel(ctx)
	var reading sync.WaitGroup
	defer reading.Wait() // nobody may read once the snapshot is closed
	defer cancel()
	parts := make(chan chan *part, runtime.GOMAXPROCS(0)-1)
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
		v.part(p)
		if len(p.x.text) > 0 {
			v.free.put(p)
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

// part links the rows of a part and compares each with what is stored of it.
func (v *verifier) part(p *part) {
	v.removals(p)
	for i := range p.rows {
		r := &p.rows[i]
		r.want = p.digests[i] // one broken link does not break those that follow
		index, recorded := r.index, r.recorded
		if err := v.link.place(r, recorded); err != nil {
			v.fault(1, "entry %d: %v", r.seq, err)
			return
		}
		if r.index != index && v.first(r) {
			v.faultOf(r.session, r.index, 2, "session %q: index %d stands where %d should", r.session, index, r.index)
		}
		if r.recorded != recorded && v.first(r) {
			v.faultOf(r.session, r.index, 8, "session %q: index %d was recorded before the entry before it", r.session, index)
		}
	}
	v.link.linkSet(&p.rowSet)
	for i := range p.rows {
		r := &p.rows[i]
		if r.digest != r.want && v.first(r) {
			v.report.Broken = append(v.report.Broken, chain.BreakError{Session: r.session, Index: r.index, Want: hexOf(r.digest), Got: hexOf(r.want)})
		}
	}
}

// first tells whether nothing was wrong yet with r's session: once is enough.
func (v *verifier) first(r *position) bool {
	if v.broken[r.session] {
		return false
	}
	v.broken[r.session] = true
	return true
}

func hexOf(h chain.Hash) string { return fmt.Sprintf("%x", h[:]) }
