package db

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"toolledger/chain"
)

// # Bulk load
//
// A load takes entries by the thousand, straight into blocks. Nothing of it is
// visible until all of it is: Finish writes one state that covers it. While it goes
// on, other appends wait.
//
// A chunk of entries becomes a block, and goes through five steps. Those on the left
// are for one chunk after the other, since each entry depends on the one before it;
// those on the right are for several at once:
//
//	collect and place
//	                          hash the payload
//	link: headers, digests, tree
//	                          encode, check
//	write
//
// The obvious way, all steps of an entry at once, keeps one core busy and reads every
// entry's memory anew for the encoder.
const chunksAhead = 3 // between the steps; each is some 7 MB

// A Loader loads entries. It is for one goroutine.
type Loader struct {
	l        *Ledger
	ctx      context.Context
	link     *linker
	counts   map[string]*sessionCount
	last     *sessionCount // that was asked for
	chunk    *chunk        // that is being filled
	started  bool
	before   *Snapshot // of the ledger before the load, for entries that it has; nil: not needed yet
	loaded   uint64
	restored loadRemovals // what Restore was given of removals

	slots   chan struct{}
	toLink  chan *chunk
	toWrite chan *chunk
	coders  free[blockEncoder]
	chunks  free[chunk] // that are written
	done    sync.WaitGroup
	mu      sync.Mutex
	err     error // guarded by mu: the first
}

// A sessionCount is how many entries a session has, those loaded included.
type sessionCount struct {
	session string
	entries uint64
}

// A chunk is entries on their way.
type chunk struct {
	rowSet
	text   [chain.NumMembers][]byte // the values of each member, one behind the other
	size   int                      // of their canonical forms
	first  uint64
	salts  salts
	given  []chain.Salt // of restored entries
	number uint64       // of its block
	hashed sync.WaitGroup
	hasher chain.Committer
	coded  chan error
	pages  []page
	coder  *blockEncoder
	tiles  batch
}

// NewLoader begins a load. Finish or Abort must end it.
func (l *Ledger) NewLoader(ctx context.Context) (*Loader, error) {
	l.mu.RLock()
	if l.closed {
		l.mu.RUnlock()
		return nil, ErrClosed
	}
	l.readers.Add(1) // Close waits for it, from before it has the locks
	l.mu.RUnlock()
	l.packing.Lock()
	l.write.Lock()
	w := &Loader{l: l, ctx: ctx, counts: map[string]*sessionCount{}}
	w.coders, w.chunks = newFree[blockEncoder](chunksAhead), newFree[chunk](chunksAhead)
	w.chunk = w.newChunk()
	if l.failed != nil {
		defer w.end()
		return nil, l.failed
	}
	return w, nil
}

// newChunk returns an empty chunk, in the memory of one that is written if there is one.
func (w *Loader) newChunk() *chunk {
	old := w.chunks.get()
	c := &chunk{rowSet: old.rowSet, text: old.text, hasher: old.hasher}
	c.reset(blockRows)
	for m := range c.text {
		c.text[m] = c.text[m][:0]
	}
	return c
}

// count returns the count of a session, which is often that of the entry before.
func (w *Loader) count(session string) (*sessionCount, error) {
	if w.last != nil && w.last.session == session {
		return w.last, nil
	}
	c := w.counts[session]
	if c == nil {
		h, err := w.l.link.head(session)
		if err != nil {
			return nil, err
		}
		c = &sessionCount{session: session}
		if h.head != nil {
			c.entries = h.head.Count
		}
		w.counts[session] = c
	}
	w.last = c
	return c, nil
}

// Add takes an entry, whose text is copied. An entry that the ledger has
// already at its index is left out, and false returned, as is one that was exported from
// this ledger; another one in its place, or an index that is not the next, is a
// [*ConflictError].
func (w *Loader) Add(in *Input) (bool, error) {
	m, session := &in.m, in.session
	count, err := w.count(session)
	if err != nil {
		return false, err
	}
	next := count.entries
	if m[chain.Index] != nil {
		switch index := parseIndex(m[chain.Index]); {
		case index > next:
			return false, &ConflictError{Session: session, Index: index, Next: next}
		case index < next:
			return false, w.compare(m, session, index)
		}
	}
	if in.source != nil && in.source.index < next {
		if same, err := w.isSource(in); same || err != nil {
			return false, err
		}
	}
	err = in.refused
	if err == nil {
		err = in.CheckHeader()
	}
	if err != nil {
		return false, &RefusedError{0, err}
	}
	return true, w.add(in, count)
}

// isSource tells whether the ledger had, before the load, the very entry that in was.
func (w *Loader) isSource(in *Input) (bool, error) {
	s, err := w.had()
	if err != nil {
		return false, err
	}
	h, err := s.head(in.session)
	if err != nil || h == nil || in.source.index >= h.Count {
		return false, err
	}
	digest, err := s.digestAt(in.session, in.source.index)
	return digest == in.source.digest, err
}

// had returns the ledger as it was before the load.
func (w *Loader) had() (*Snapshot, error) {
	if w.before == nil {
		s, err := newSnapshot(w.l.store)
		if err != nil {
			return nil, err
		}
		w.before = s
	}
	return w.before, nil
}

// compare tells whether an entry that the ledger has is m.
func (w *Loader) compare(m *chain.Entry, session string, index uint64) error {
	s, err := w.had()
	if err != nil {
		return err
	}
	_, err = s.sameAs(m, session, index)
	if errors.Is(err, ErrNotFound) {
		return &RefusedError{0, fmt.Errorf("session %q: index %d stands twice in what is loaded", session, index)}
	}
	return err
}

// CheckHeader is [chain.CheckHeader] for an entry without the members that the ledger
// sets.
func (in *Input) CheckHeader() error {
	if in.size < chain.MaxHeader-1<<10 {
		return nil
	}
	full := in.m
	full[chain.Index], full[chain.Recorded] = formatIndex(1<<62), quoteTime(chain.Time{Rest: 1})
	if full[chain.At] == nil {
		full[chain.At] = full[chain.Recorded]
	}
	return chain.CheckHeader(&full)
}

// full sends the chunk on its way if another entry does not fit.
func (w *Loader) full(size int) error {
	if c := w.chunk; len(c.rows) == blockRows || len(c.rows) > 0 && c.size+size > blockBytes {
		return w.dispatch()
	}
	return nil
}

func (w *Loader) add(in *Input, count *sessionCount) error {
	if err := w.full(in.size); err != nil {
		return err
	}
	p := in.position()
	p.session = count.session
	w.chunk.add(&in.m, p)
	count.entries++
	w.loaded++
	return nil
}

// Restore takes an entry of another ledger as it is, with all that the ledger had set:
// the entries must come in their order, from the first. That their digests come out the
// same is checked; Finish tells.
//
// line is the number of the line that it stands on: that a digest comes out another way
// shows some entries later.
func (w *Loader) Restore(e *chain.Evidence, line int) error {
	session := e.Entry.SessionName()
	count, err := w.count(session)
	if err != nil {
		return err
	}
	if want := w.l.link.state.size + w.loaded; e.Seq != want {
		return &RefusedError{0, fmt.Errorf("seq: expected %d, found %d: %w", want, e.Seq, ErrPartial)}
	}
	if index := e.Entry.IndexNumber(); index != count.entries {
		return &ConflictError{Session: session, Index: index, Next: count.entries}
	}
	if at := unquoted(e.Entry[chain.At]); !isOneForm(at) {
		return &RefusedError{0, fmt.Errorf("time: %s is not in the form that a ledger gives it", at)}
	}
	recorded, err := chain.ParseTime(unquoted(e.Entry[chain.Recorded]))
	if err != nil {
		return err
	}
	at, err := chain.ParseTime(unquoted(e.Entry[chain.At]))
	if err != nil {
		return err
	}
	size := 0
	for _, v := range e.Entry {
		size += len(v) + 16
	}
	if err := w.full(size); err != nil {
		return err
	}
	c := w.chunk
	c.add(&e.Entry, position{session: session, at: at, recorded: recorded, want: e.Digest, line: line, size: size, removal: removalOf(e)})
	c.given = append(c.given, e.Salt)
	if err := w.restored.add(e, recorded); err != nil {
		return err
	}
	count.entries++
	w.loaded++
	return nil
}

// add adds a row with a copy of the values that the row before has not got.
func (c *chunk) add(m *chain.Entry, p position) {
	c.size += p.size
	c.rowSet.add(m, p, c.keep)
}

// keep copies a value to where the chunk has room for it.
func (c *chunk) keep(m chain.Member, v []byte) []byte {
	text := c.text[m]
	if cap(text)-len(text) < len(v) { // what is full is left to the rows
		text = make([]byte, 0, max(2*cap(text), len(v), minText))
	}
	start := len(text)
	text = append(text, v...)
	c.text[m] = text
	return text[start:len(text):len(text)]
}

// room returns how much memory the chunk has for values.
func (c *chunk) room() (size int) {
	for _, text := range c.text {
		size += cap(text)
	}
	return size
}

// minText is room for the values of a member in a chunk, at first.
const minText = 16 << 10
