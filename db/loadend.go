package db

import (
	"fmt"

	"toolledger/chain"
)

// minBlockRows is how many rows at the end of a load make a block of their own: in the tail,
// every query would read all of each. Behind a block of the same load restBlockRows are enough:
// to open a block costs a query 0.03 ms, to read that many rows of the tail ten times as much.
// A load that makes no other block must have more, or many small ones would leave a ledger of
// small blocks, where the tail makes whole ones of them.
const (
	minBlockRows  = 1024
	restBlockRows = 64
)

// restIsBlock tells whether the rows that are left become a block.
func (w *Loader) restIsBlock() bool {
	for i := range w.chunk.rows {
		if w.chunk.rows[i].removal != nil { // no entry of the tail has one
			return true
		}
	}
	if w.started {
		return len(w.chunk.rows) >= restBlockRows
	}
	return len(w.chunk.rows) >= minBlockRows
}

// Finish makes what was loaded visible, and durable, with an entry of the ledger's own
// session behind it that says what it was: action and args, a JSON object. After
// Restore, action is "".
func (w *Loader) Finish(action string, args string) error {
	defer w.end()
	if w.restIsBlock() {
		if err := w.dispatch(); err != nil {
			w.wait()
			return w.drop(err)
		}
	}
	err := w.wait()
	if err == nil {
		err = w.restored.check()
	}
	if err != nil {
		return w.drop(err)
	}
	l := w.l
	if w.loaded == 0 && !l.opt.late() {
		return nil
	}
	before := l.link
	if w.started {
		l.link = w.link
		l.link.state.packed = l.link.state.size
	} else {
		l.link = l.link.clone()
	}
	l.link.state.pending = append(l.link.state.pending, w.restored.pending()...)
	if err := w.finish(action, args); err != nil {
		l.link = before
		return w.drop(err)
	}
	l.link.forget()
	l.link.load = before.load
	l.wakePacker()
	l.loaded = true
	return nil
}

// finish appends what is left to the tail and publishes. l.link is the load's.
func (w *Loader) finish(action, args string) error {
	l := w.l
	var b batch
	if err := l.checkSpace(w.chunk.size); err != nil {
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
	if err := l.settle(&b); err != nil {
		return err
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
	i := 0
	for p, m := range c.entries() {
		r := &row{*m, *p}
		if c.given != nil { // all of it is the range whose salts are listed
			now, r.size = r.recorded, 0
		}
		if err := l.place(b, placedRow{r, nil}, now); err != nil {
			return err
		}
		if i++; i%1024 == 0 && w.ctx.Err() != nil {
			return w.ctx.Err()
		}
	}
	if err := l.settle(b); err != nil {
		return err
	}
	if c.given != nil { // what comes after has a seed again
		l.link.beginRange(b)
	}
	return nil
}

func (w *Loader) end() {
	if w.before != nil {
		w.before.Close()
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
