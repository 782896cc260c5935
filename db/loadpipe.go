package db

import (
	"errors"

	"toolledger/chain"
)

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
		hashPayloads(&c.hasher, &c.salts, &c.rowSet)
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
		w.link.linkSet(&c.rowSet)
		for i := range c.rows {
			if err := c.rows[i].sameDigest(); err != nil {
				w.fail(err)
				break
			}
		}
		w.link.tiles.write(&c.tiles, len(c.rows)%chain.TileWidth != 0)
		go func() {
			c.coder = w.coders.get()
			c.pages = c.coder.encode(&c.rowSet)
			c.coded <- checkBlock(c.number, c.pages, &c.rowSet)
		}()
		w.toWrite <- c
	}
}

func (w *Loader) writeLoop() {
	defer w.done.Done()
	for c := range w.toWrite {
		err := <-c.coded
		if err == nil && w.failed() == nil {
			for _, p := range c.pages {
				c.tiles.set(columnKey(c.number, 0, p.column, p.page), p.value)
			}
			if err = w.l.checkSpace(c.tiles.size); err == nil {
				if err = c.tiles.flush(w.l.store, true); err != nil {
					err = &commitError{err}
				}
			}
			if err == nil {
				err = checkBeside(w.l.store, &c.rowSet, &c.salts)
			}
		}
		w.coders.put(c.coder)
		if err != nil {
			w.fail(err)
		}
		if c.room() <= 2*blockBytes {
			w.chunks.put(c)
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
