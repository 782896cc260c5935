package db

import (
	"crypto/rand"
	"errors"
	"runtime"
	"strconv"
	"sync"
	"time"

	"toolledger/chain"
	"toolledger/db/internal/guard"
)

// # Group commit
//
// What must hold:
//
//  1. Entries become visible in the order of their seq, and all that is true of the
//     ledger at a size (heads, tree, state) becomes visible with the entry that makes
//     it true.
//  2. An append is acknowledged after the disk has it, and after `heads` says so.
//
// The obvious way, a transaction an append under a lock, keeps both and is as slow
// as the disk syncs: some thousand entries a second, however many goroutines append,
// since Badger syncs once a transaction. So one goroutine takes all requests that
// wait, up to groupEntries or groupBytes, and writes them in one transaction. While
// it waits for the disk the next group gathers: the more goroutines append, the
// larger the groups, and nobody waits for a group to fill.
const (
	groupEntries = 256
	groupBytes   = 1 << 20
)

// A queue is the requests that wait.
type queue struct {
	mu     sync.Mutex
	wait   []*request // guarded by mu
	closed error      // guarded by mu: why no more are taken
	filled chan struct{}
}

func newQueue() *queue { return &queue{filled: make(chan struct{}, 1)} }

func (q *queue) push(r *request) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.closed != nil {
		return q.closed
	}
	q.wait = append(q.wait, r)
	q.signal()
	return nil
}

func (q *queue) signal() {
	select {
	case q.filled <- struct{}{}:
	default:
	}
}

// remove takes a request back that has no place yet.
func (q *queue) remove(r *request) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	for i, w := range q.wait {
		if w == r {
			q.wait = append(q.wait[:i], q.wait[i+1:]...)
			return true
		}
	}
	return false
}

// take returns the next group, at least one request if any waits.
func (q *queue) take() (group []*request) {
	q.mu.Lock()
	defer q.mu.Unlock()
	entries, size := 0, 0
	for len(q.wait) > 0 {
		r := q.wait[0]
		entries, size = entries+len(r.entries), size+r.size()
		if len(group) > 0 && (entries > groupEntries || size > groupBytes) {
			break
		}
		group = append(group, r)
		q.wait = q.wait[1:]
	}
	return group
}

// putBack puts requests in front again.
func (q *queue) putBack(rest []*request) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.wait = append(append([]*request(nil), rest...), q.wait...)
	q.signal()
}

// close refuses all that come and returns those that wait.
func (q *queue) close(why error) []*request {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.closed == nil {
		q.closed = why
	}
	rest := q.wait
	q.wait = nil
	q.signal()
	return rest
}

// commitLoop is the goroutine that commits. It ends when the queue is closed and empty.
func (l *Ledger) commitLoop() {
	for range l.queue.filled {
		for {
			// Those whose append has just been answered may have another one ready: let
			// them say so, or they wait for the disk twice.
			runtime.Gosched()
			group := l.queue.take()
			if len(group) == 0 {
				break
			}
			l.write.Lock()
			l.commitGroup(group)
			l.write.Unlock()
		}
		l.queue.mu.Lock()
		closed := l.queue.closed != nil && len(l.queue.wait) == 0
		l.queue.mu.Unlock()
		if closed {
			return
		}
	}
}

// commitGroup appends the requests of a group; l.write is held.
func (l *Ledger) commitGroup(group []*request) {
	start := time.Now()
	var b batch
	var done []*request
	if err := l.beforeWrite(group); err != nil {
		answer(group, err)
		return
	}
	now, size := l.now(), l.link.state.size
	for i, r := range group {
		var err error
		if r.expect != nil { // knows the digest of the entry before
			err = l.settle(&b)
		}
		var there []*Record
		if err == nil {
			there, err = l.check(r)
		}
		if err == nil {
			if err = l.appendRequest(&b, r, there, now); err != nil { // the rows before it are in memory only, and stay there
				err = l.fail(err)
			}
		}
		switch {
		case errors.Is(err, errLater):
			l.queue.putBack(group[i:])
			group = group[:i]
		case err != nil:
			r.err = err
		}
		if i >= len(group) {
			break
		}
		done = append(done, r)
	}
	if l.link.state.size > size {
		if err := l.publish(&b); err != nil {
			for _, r := range done {
				if r.err == nil {
					r.receipts, r.err = nil, err
				}
			}
		}
	}
	l.commits.observe(time.Since(start))
	answer(done, nil)
	l.wakePacker()
}

func answer(group []*request, err error) {
	for _, r := range group {
		if err != nil {
			r.err = err
		}
		close(r.done)
	}
}

// appendRequest places the entries of r that are not there yet.
func (l *Ledger) appendRequest(b *batch, r *request, there []*Record, now chain.Time) error {
	r.receipts = make([]Receipt, len(r.entries))
	for i := range r.entries {
		if there[i] != nil {
			r.receipts[i] = there[i].receipt()
			continue
		}
		w := newRow(&r.entries[i])
		if err := l.place(b, placedRow{w, &r.receipts[i]}, now); err != nil {
			return err
		}
	}
	return nil
}

// A placedRow has a place and no digest yet, which the receipt waits for, if it is
// not nil.
type placedRow struct {
	*row
	receipt *Receipt
}

// place gives a row its place at the end of the tail; settle is to follow.
func (l *Ledger) place(b *batch, r placedRow, now chain.Time) error {
	l.link.openRange(b, r.size)
	if err := l.link.place(&r.position, now); err != nil {
		return err
	}
	salt := l.link.salts.of(r.seq)
	l.link.committer.Add(&r.payload, &salt, &r.m)
	if l.link.placed = append(l.link.placed, r); len(l.link.placed) >= groupEntries {
		return l.settle(b)
	}
	return nil
}

// settle hashes and links the rows that were placed and writes them to the tail: what
// does not fit b goes to the store, where it is invisible until the state is written.
func (l *Ledger) settle(b *batch) error {
	defer func() { l.link.placed = nil }()
	l.link.committer.Flush()
	l.link.link(l.link.placed)
	for _, r := range l.link.placed {
		if err := r.sameDigest(); err != nil {
			return err
		}
		err := setTail(b, l.store, r.row)
		if err == nil {
			err = b.flush(l.store, false)
		}
		if err != nil {
			return l.fail(err)
		}
		if r.receipt != nil {
			*r.receipt = Receipt{r.session, r.index, r.seq, r.digest, r.recorded}
		}
	}
	return nil
}

// openRange closes the open range and begins another if it is full: the entries of
// a range become one block.
func (l *linker) openRange(b *batch, size int) {
	st := &l.state
	first := st.ranges[len(st.ranges)-1]
	if n := st.size - first; n > 0 && (n >= blockRows || st.openSize+uint64(size) > blockBytes) {
		l.beginRange(b)
	}
	st.openSize += uint64(size)
}

// beginRange begins a range, with a seed of its own, at the end of the ledger.
func (l *linker) beginRange(b *batch) {
	l.salts = salts{first: l.state.size}
	rand.Read(l.salts.seed[:])
	l.state.ranges = append(l.state.ranges, l.state.size)
	l.state.openSize = 0
	b.set(rangeKey(l.state.size), l.salts.encode())
}

// recordBatches, if not nil, sees what commits write: benchmarks write the same.
var recordBatches func(*batch)

// publish writes b, and with it the heads, tiles and state that make it visible.
func (l *Ledger) publish(b *batch) error {
	if l.failed != nil {
		return l.failed
	}
	if err := l.settle(b); err != nil {
		return err
	}
	l.link.writeHeads(b)
	l.link.tiles.write(b, false)
	if err := b.flush(l.store, false); err != nil {
		return l.fail(err)
	}
	b.set(stateKey, l.link.state.encode())
	if recordBatches != nil {
		recordBatches(b)
	}
	if err := b.commit(l.store); err != nil {
		return l.fail(err)
	}
	if err := l.log.Failed(); err != nil {
		return l.fail(err)
	}
	head := guard.Record{Size: l.link.state.size, Root: l.link.state.edge.Root(), Time: l.opt.Now()}
	if err := l.setReached(head); err != nil {
		return l.fail(err)
	}
	return nil
}

func parseIndex(token []byte) uint64 {
	n, _ := strconv.ParseUint(string(token), 10, 64) // was checked by chain.ParseEntry
	return n
}

func formatIndex(n uint64) []byte { return strconv.AppendUint(nil, n, 10) }
