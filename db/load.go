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
const chunksAhead = 4 // between the steps; each is some 10 MB

// A Loader loads entries. It is for one goroutine.
type Loader struct {
	l       *Ledger
	ctx     context.Context
	link    *linker
	count   map[string]uint64 // entries of each session, those loaded included
	chunk   *chunk            // that is being filled
	started bool
	before  *Snapshot // of the ledger before the load, for entries that it has; nil: not needed yet
	loaded  uint64

	slots   chan struct{}
	toLink  chan *chunk
	toWrite chan *chunk
	coders  sync.Pool // of block encoders
	chunks  sync.Pool // of chunks that are written
	done    sync.WaitGroup
	mu      sync.Mutex
	err     error // guarded by mu: the first
}

// A chunk is entries on their way.
type chunk struct {
	text   []byte // their canonical forms
	rows   []row
	first  uint64
	salts  salts
	given  []chain.Salt // of restored entries
	number uint64       // of its block
	hashed sync.WaitGroup
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
	w := &Loader{l: l, ctx: ctx, count: map[string]uint64{}}
	w.coders.New = func() any { return new(blockEncoder) }
	w.chunk = w.newChunk()
	if l.failed != nil {
		defer w.end()
		return nil, l.failed
	}
	return w, nil
}

// newChunk returns an empty chunk, in the memory of one that is written if there is one.
func (w *Loader) newChunk() *chunk {
	if c, ok := w.chunks.Get().(*chunk); ok {
		return &chunk{text: c.text[:0], rows: c.rows[:0]}
	}
	return &chunk{text: make([]byte, 0, blockBytes), rows: make([]row, 0, blockRows)}
}

// Next returns the index that the next entry of a session will get.
func (w *Loader) Next(session string) (uint64, error) {
	if n, ok := w.count[session]; ok {
		return n, nil
	}
	h, err := w.l.link.head(session)
	if err != nil {
		return 0, err
	}
	n := uint64(0)
	if h.head != nil {
		n = h.head.Count
	}
	w.count[session] = n
	return n, nil
}

// Loaded returns how many entries were added.
func (w *Loader) Loaded() uint64 { return w.loaded }

// Add takes an entry, whose text is copied. An entry that the ledger has
// already at its index is left out, and false returned; another one in its place, or
// an index that is not the next, is a [*ConflictError].
func (w *Loader) Add(in Input) (bool, error) {
	m, session := &in.m, in.session
	next, err := w.Next(session)
	if err != nil {
		return false, err
	}
	if m[chain.Index] != nil {
		switch index := parseIndex(m[chain.Index]); {
		case index > next:
			return false, &ConflictError{Session: session, Index: index, Next: next}
		case index < next:
			return false, w.compare(m, session, index)
		}
	}
	if err := checkHeader(m); err != nil {
		return false, &RefusedError{err}
	}
	return true, w.add(&in)
}

// compare tells whether an entry that the ledger has is m.
func (w *Loader) compare(m *chain.Entry, session string, index uint64) error {
	if w.before == nil {
		s, err := newSnapshot(w.l.store)
		if err != nil {
			return err
		}
		w.before = s
	}
	_, err := w.before.sameAs(m, session, index)
	if errors.Is(err, ErrNotFound) {
		return &RefusedError{fmt.Errorf("session %q: index %d stands twice in what is loaded", session, index)}
	}
	return err
}

// checkHeader is [chain.CheckHeader] for an entry without the members that the ledger
// sets.
func checkHeader(m *chain.Entry) error {
	full := *m
	full[chain.Index], full[chain.Recorded] = formatIndex(1<<62), quoteTime(chain.Time{Rest: 1})
	if full[chain.At] == nil {
		full[chain.At] = full[chain.Recorded]
	}
	return chain.CheckHeader(&full)
}

// full sends the chunk on its way if another entry does not fit.
func (w *Loader) full(size int) error {
	if c := w.chunk; len(c.rows) == blockRows || len(c.rows) > 0 && len(c.text)+size > blockBytes {
		return w.dispatch()
	}
	return nil
}

func (w *Loader) add(in *Input) error {
	if err := w.full(in.size); err != nil {
		return err
	}
	w.chunk.rows = append(w.chunk.rows, row{session: in.session, at: in.at, size: in.size, m: w.chunk.copy(&in.m)})
	w.count[in.session]++
	w.loaded++
	return nil
}

// Restore takes an entry of another ledger as it is, with all that the ledger had set:
// the entries must come in their order, from the first. That their digests come out the
// same is checked; Finish tells.
func (w *Loader) Restore(e *chain.Evidence) error {
	session := e.Entry.SessionName()
	next, err := w.Next(session)
	if err != nil {
		return err
	}
	if want := w.l.link.state.size + w.loaded; e.Seq != want {
		return &RefusedError{fmt.Errorf("seq: expected %d, found %d: only a whole export can be restored", want, e.Seq)}
	}
	if index := e.Entry.IndexNumber(); index != next {
		return &ConflictError{Session: session, Index: index, Next: next}
	}
	if at := unquoted(e.Entry[chain.At]); !isOneForm(at) {
		return &RefusedError{fmt.Errorf("time: %s is not in the form that a ledger gives it", at)}
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
	c.rows = append(c.rows, row{session: session, at: at, size: size, m: c.copy(&e.Entry), recorded: recorded, digest: e.Digest})
	c.given = append(c.given, e.Salt)
	w.count[session]++
	w.loaded++
	return nil
}

// copy copies the values of an entry into the chunk.
func (c *chunk) copy(m *chain.Entry) (own chain.Entry) {
	for k, v := range m {
		if v == nil || chain.Member(k) == chain.Index {
			continue
		}
		start := len(c.text)
		c.text = append(c.text, v...)
		own[k] = c.text[start:len(c.text):len(c.text)]
	}
	return own
}

// start begins with blocks: the tail goes first, since blocks follow each other.
func (w *Loader) start() error {
	l := w.l
	if err := l.packTail(); err != nil {
		return err
	}
	w.link = l.link.clone()
	w.slots, w.toLink, w.toWrite = make(chan struct{}, chunksAhead), make(chan *chunk, chunksAhead), make(chan *chunk, chunksAhead)
	w.started = true
	w.done.Add(2)
	go w.linkLoop()
	go w.writeLoop()
	return nil
}

// dispatch sends the chunk on its way.
func (w *Loader) dispatch() error {
	if !w.started {
		if err := w.start(); err != nil {
			w.fail(err)
			return err
		}
	}
	if err := w.failed(); err != nil {
		return err
	}
	select {
	case w.slots <- struct{}{}:
	case <-w.ctx.Done():
		return w.ctx.Err()
	}
	c := w.chunk
	w.chunk = w.newChunk()
	if err := w.place(c); err != nil {
		w.fail(err)
		return err
	}
	c.coded = make(chan error, 1)
	c.hashed.Add(1)
	go func() {
		defer c.hashed.Done()
		var committer chain.Committer
		for i := range c.rows {
			hashPayload(&committer, &c.salts, &c.rows[i])
		}
	}()
	w.toLink <- c
	return nil
}

// place gives a chunk's rows their places, and it a range of its own.
func (w *Loader) place(c *chunk) error {
	st := &w.link.state
	c.first, c.number = st.size, st.blocks
	// The first chunk takes the open range, which is empty: another seed under its key
	// would outlive a load that is dropped.
	if st.ranges[len(st.ranges)-1] != st.size {
		w.link.beginRange(&c.tiles)
	}
	if c.given != nil {
		w.link.salts.list = c.given
		c.tiles.set(rangeKey(c.first), w.link.salts.encode())
	}
	c.salts = w.link.salts
	st.ranges = st.ranges[len(st.ranges)-1:]
	st.blocks++
	now := w.l.now()
	for i := range c.rows {
		if c.given != nil {
			now = c.rows[i].recorded
		}
		if err := w.link.place(&c.rows[i], now); err != nil {
			return err
		}
	}
	return nil
}

func (w *Loader) linkLoop() {
	defer w.done.Done()
	defer close(w.toWrite)
	for c := range w.toLink {
		c.hashed.Wait()
		for i := range c.rows {
			if err := w.linkRow(c, &c.rows[i]); err != nil {
				w.fail(err)
				break
			}
		}
		w.link.tiles.write(&c.tiles, len(c.rows)%chain.TileWidth != 0)
		go func() {
			c.coder = w.coders.Get().(*blockEncoder)
			c.pages = c.coder.encode(c.rows)
			c.coded <- checkBlock(c.number, c.pages, c.rows)
		}()
		w.toWrite <- c
	}
}

// linkRow links a row, and checks the digest of one that is restored.
func (w *Loader) linkRow(c *chunk, r *row) error {
	want := r.digest
	w.link.link(r)
	if c.given != nil && r.digest != want {
		return &RefusedError{fmt.Errorf("session %q, index %d: its digest is %x, the line says %x", r.session, r.index, r.digest[:], want[:])}
	}
	return nil
}

func (w *Loader) writeLoop() {
	defer w.done.Done()
	for c := range w.toWrite {
		err := <-c.coded
		if err == nil && w.failed() == nil {
			for _, p := range c.pages {
				c.tiles.set(columnKey(c.number, p.column, p.page), p.value)
			}
			if err = w.l.checkSpace(c.tiles.size); err == nil {
				if err = c.tiles.flush(w.l.store, true); err != nil {
					err = &commitError{err}
				}
			}
		}
		w.coders.Put(c.coder)
		if err != nil {
			w.fail(err)
		}
		if cap(c.text) <= 2*blockBytes {
			w.chunks.Put(c)
		}
		<-w.slots
	}
}

// A commitError is one after which nothing may be written.
type commitError struct{ error }

func (w *Loader) fail(err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.err == nil {
		w.err = err
	}
}

func (w *Loader) failed() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.err
}

// wait ends the loops.
func (w *Loader) wait() error {
	if w.started {
		close(w.toLink)
		w.done.Wait()
	}
	err := w.failed()
	var commit *commitError
	if errors.As(err, &commit) {
		w.l.fail(err)
	}
	return err
}

// Finish makes what was loaded visible, and durable, with an entry of the ledger's own
// session behind it that says what it was: action and args, a JSON object. After
// Restore, action is "".
func (w *Loader) Finish(action string, args string) error {
	defer w.end()
	if err := w.wait(); err != nil {
		return w.drop(err)
	}
	if w.loaded == 0 {
		return nil
	}
	l := w.l
	before := l.link
	if w.started {
		l.link = w.link
		l.link.state.packed = l.link.state.size
	} else {
		l.link = l.link.clone()
	}
	if err := w.finish(action, args); err != nil {
		l.link = before
		return w.drop(err)
	}
	l.link.heads, l.link.load = map[string]*headChange{}, before.load
	l.wakePacker()
	if l.opt.Restore {
		l.restored = true
		return l.writeCurrent()
	}
	return nil
}

// finish appends what is left to the tail and publishes. l.link is the load's.
func (w *Loader) finish(action, args string) error {
	l := w.l
	var b batch
	if err := l.checkSpace(len(w.chunk.text)); err != nil {
		return err
	}
	if w.started { // the tail begins here
		l.link.beginRange(&b)
		l.link.state.ranges = l.link.state.ranges[len(l.link.state.ranges)-1:]
	}
	if err := w.rest(&b); err != nil {
		return err
	}
	if action != "" {
		text := fmt.Sprintf(`{"session":"%s","action":%s,"args":%s}`, OwnSession, chain.Quote(action), args)
		if err := l.appendOwn(&b, text); err != nil {
			return err
		}
	}
	l.link.writeHeads(&b)
	l.link.tiles.write(&b, w.started)
	if err := b.flush(l.store, true); err != nil {
		return l.fail(err)
	}
	return l.publish(&b)
}

// rest appends what makes no whole block to the tail.
func (w *Loader) rest(b *batch) error {
	l, c, now := w.l, w.chunk, w.l.now()
	if c.given != nil {
		l.link.salts.list = c.given
		b.set(rangeKey(l.link.salts.first), l.link.salts.encode())
	}
	for i := range c.rows {
		r := &c.rows[i]
		if c.given != nil { // all of it is the range whose salts are listed
			now, r.size = r.recorded, 0
		}
		want := r.digest
		if err := l.appendRow(b, r, now); err != nil {
			return err
		}
		if c.given != nil && r.digest != want {
			return &RefusedError{fmt.Errorf("session %q, index %d: its digest is %x, the line says %x", r.session, r.index, r.digest[:], want[:])}
		}
		if err := b.flush(l.store, false); err != nil {
			return l.fail(err)
		}
		if i%1024 == 0 && w.ctx.Err() != nil {
			return w.ctx.Err()
		}
	}
	if c.given != nil { // what comes after has a seed again
		l.link.beginRange(b)
	}
	return nil
}

func (w *Loader) end() {
	if w.before != nil {
		w.before.txn.Discard()
	}
	w.l.write.Unlock()
	w.l.packing.Unlock()
	w.l.readers.Done()
}

// Abort ends a load and drops what it wrote.
func (w *Loader) Abort() {
	defer w.end()
	w.wait()
	w.drop(nil)
}

// drop removes what the load wrote, none of which was visible.
func (w *Loader) drop(err error) error {
	s, serr := newSnapshot(w.l.store)
	if serr == nil {
		serr = w.l.dropInvisible(s)
		s.Close()
	}
	if serr != nil {
		w.l.fail(serr)
	}
	return err
}

// clone returns a linker that may be thrown away.
func (l *linker) clone() *linker {
	return &linker{state: l.state.clone(), tiles: l.tiles.clone(), salts: l.salts, heads: map[string]*headChange{}, load: l.load}
}
