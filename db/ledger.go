package db

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/dgraph-io/badger/v4"

	"toolledger/chain"
	"toolledger/db/internal/guard"
)

// A Ledger is a ledger on disk, open in this process. All its methods may be
// called by several goroutines.
type Ledger struct {
	dir      string
	opt      Options
	lock     *guard.LockFile
	heads    *guard.Heads
	mark     guard.Mark // of the store's tables when it was opened
	log      *guard.Log
	store    *badger.DB
	storeDir string
	number   uint64 // of the store
	clean    bool   // it was closed cleanly before
	salvaged string // where the copy is that is read instead, removed by Close
	loaded   bool   // what a late ledger waits for is done; guarded by write
	queue    *queue
	loops    sync.WaitGroup // commit, pack, sync of heads
	stop     chan struct{}  // closed by Close
	closing  func() error   // what Close does last, before it lets others in; nil: nothing
	toPack   chan struct{}

	commits latency

	// blockHeads are the heads of the blocks that there were when the ledger was opened; nil of
	// one that is made again since then, which is asked for.
	blockHeads []atomic.Pointer[blockHead]
	pages      pageCache

	// checkpointing is held by whoever makes a checkpoint. It is taken before write.
	checkpointing sync.Mutex
	checkpoints   *checkpointLoop // nil without Options.Checkpoint.Every

	// packing is held by whoever makes blocks. It is taken before write.
	packing sync.Mutex

	// write is held by whoever changes the ledger; it guards link and failed.
	write  sync.Mutex
	link   *linker
	failed error // why nothing can be written any more

	// mu guards closed; readers counts the snapshots that are open.
	mu      sync.RWMutex
	closed  bool
	readers sync.WaitGroup

	// reached is the size and root that heads has no record of yet, with NoSync. Guarded
	// by reachedMu.
	reachedMu sync.Mutex
	reached   guard.Record

	// counted tells that there are as many heads as sessions, so that a session without
	// one has no entry. Guarded by countMu.
	countMu sync.Mutex
	counted bool

	// damaged says what is wrong with the ledger, if anything: it is open for
	// reading only then, and what is missing is an error where it is asked for.
	damaged *DamagedError
}

// Open opens the ledger in a folder. It returns a ledger beside a [*DamagedError]
// if some of it is missing: what is there can be read.
func Open(dir string, opt Options) (*Ledger, error) {
	if err := opt.check(); err != nil {
		return nil, fmt.Errorf("db: open %s: %w", dir, err)
	}
	_, err := os.Stat(filepath.Join(dir, "CURRENT"))
	exists := err == nil
	if errors.Is(err, syscall.ENOTDIR) {
		return nil, fmt.Errorf("%w at %s: it is a file", ErrNoLedger, dir)
	}
	if !exists && !errors.Is(err, os.ErrNotExist) {
		return nil, fmt.Errorf("db: open %s: %w", dir, err)
	}
	if exists && opt.late() {
		return nil, fmt.Errorf("db: create %s: there is a ledger", dir)
	}
	if !exists && opt.ReadOnly {
		return nil, fmt.Errorf("%w at %s", ErrNoLedger, dir)
	}
	if !exists {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return nil, fmt.Errorf("db: create %s: %w", dir, err)
		}
	}
	if exists && opt.ReadOnly {
		if err := recoverFirst(dir, opt); err != nil {
			return nil, err
		}
	}
	l := &Ledger{dir: dir, opt: opt, log: new(guard.Log), queue: newQueue(), stop: make(chan struct{}), toPack: make(chan struct{}, 1)}
	if err := l.open(exists); err != nil {
		l.failed = err // so that it is not marked as closed cleanly
		l.release()
		return nil, err
	}
	if l.damaged != nil {
		return l, l.damaged
	}
	return l, nil
}

// recoverFirst opens a ledger that was not closed as its writer would, so that it can
// be read: Badger does not recover what it only reads.
func recoverFirst(dir string, opt Options) error {
	if _, clean, err := guard.ReadClean(dir); err != nil || clean {
		return nil // an error is found again
	}
	opt.ReadOnly = false
	l, err := Open(dir, opt)
	if l == nil {
		return err
	}
	l.Close() // one that is damaged is not marked as clean, and is read as it is
	return nil
}

func (l *Ledger) create() error {
	store := guard.StoreDir(l.dir, 1)
	if err := os.RemoveAll(store); err != nil { // of a creation that was cut off
		return err
	}
	if err := os.Mkdir(store, 0o700); err != nil {
		return err
	}
	heads := filepath.Join(l.dir, "heads")
	if err := os.Remove(heads); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	return guard.CreateHeads(heads)
}

// begin writes the first entry of a new ledger, in its own session.
func (l *Ledger) begin() error {
	id := make([]byte, 16)
	rand.Read(id)
	text := fmt.Sprintf(`{"session":"%s","action":"%s","args":{"format":%d,"id":"%s"`, OwnSession, createAction, formatVersion, hex.EncodeToString(id))
	if l.opt.Origin != "" {
		text += `,"origin":` + string(chain.Quote(l.opt.Origin))
	}
	if s := l.opt.Checkpoint.Signer; s != nil {
		text += `,"key":` + string(chain.Quote(s.Key().String()))
	}
	l.link = &linker{heads: map[string]*headChange{}, load: func(string) (*Head, error) { return nil, nil }}
	var b batch
	l.link.beginRange(&b)
	if l.opt.Restore {
		return l.publish(&b)
	}
	if l.opt.first != nil {
		text += "," + string(l.opt.first[1:len(l.opt.first)-1])
	}
	if err := l.appendOwn(&b, text+"}}"); err != nil {
		return err
	}
	return l.publish(&b)
}

// appendOwn appends an entry of the ledger's own session; l.write is held.
func (l *Ledger) appendOwn(b *batch, text string) error {
	canonical, err := chain.Canonical(nil, []byte(text))
	if err != nil {
		return err
	}
	in, err := parseOwn(chain.TextOf(canonical))
	if err != nil {
		return err
	}
	return l.place(b, placedRow{newRow(&in), nil}, l.now())
}

func (l *Ledger) now() chain.Time { return chain.TimeOf(l.opt.Now()) }

// beforeWrite refuses to write what could not be written whole.
func (l *Ledger) beforeWrite(group []*request) error {
	if l.failed != nil {
		return l.failed
	}
	if l.opt.Restore && !l.loaded {
		return errors.New("db: the ledger waits to be restored")
	}
	size := 0
	for _, r := range group {
		size += r.size()
	}
	return l.checkSpace(size)
}

func (l *Ledger) checkSpace(size int) error {
	if err := guard.CheckSpace(l.dir, guard.NeedSpace(memTable, int64(size))); err != nil {
		return fmt.Errorf("db: %w", err)
	}
	return nil
}

// fail stops all writing: after an error in a commit, what the store has is known
// again only when it is opened anew. l.write is held.
func (l *Ledger) fail(err error) error {
	if l.failed == nil {
		l.failed = fmt.Errorf("db: writing has stopped, open the ledger anew: %w", err)
	}
	return l.failed
}

// Close waits for what is being written, and makes all of it durable. Snapshots must
// be closed before. With Options.Checkpoint.Every it makes a last checkpoint.
func (l *Ledger) Close() error {
	checkpointed := l.stopCheckpoints()
	if err := l.shut(); err != nil {
		return err
	}
	return errors.Join(checkpointed, l.release())
}

// shut ends all that goes on: nobody reads or writes any more.
func (l *Ledger) shut() error {
	l.mu.Lock()
	if l.closed {
		l.mu.Unlock()
		return ErrClosed
	}
	l.closed = true
	l.mu.Unlock()
	close(l.stop)
	rest := l.queue.close(ErrClosed)
	answer(rest, ErrClosed)
	l.loops.Wait()
	l.readers.Wait()
	return nil
}

// release closes files, the last opened first.
func (l *Ledger) release() error {
	var errs []error
	writer := l.store != nil && !l.opt.ReadOnly
	if l.store != nil {
		errs = append(errs, l.store.Close())
	}
	if l.heads != nil {
		if writer {
			closed := func() error { return errors.Join(errs...) }
			errs = append(errs, l.appendReached(closed), l.heads.Sync())
		}
		errs = append(errs, l.heads.Close())
	}
	if writer && errors.Join(errs...) == nil {
		errs = append(errs, l.checkTables())
	}
	exists := !l.opt.late() || l.loaded
	if writer && exists && l.link != nil && l.failed == nil && l.damaged == nil && errors.Join(errs...) == nil {
		if err := l.markClosed(); err != nil {
			errs = append(errs, err)
		} else if l.closing != nil {
			errs = append(errs, l.closing())
		}
	}
	if l.salvaged != "" {
		errs = append(errs, os.RemoveAll(l.salvaged))
	}
	if l.lock != nil {
		l.lock.Unlock()
	}
	if err := errors.Join(errs...); err != nil {
		return fmt.Errorf("db: close %s: %w", l.dir, err)
	}
	return nil
}

// markClosed says that the ledger was closed whole, and of one that is made by a load that
// there is one.
func (l *Ledger) markClosed() error {
	if l.opt.late() {
		if err := l.writeCurrent(); err != nil {
			return err
		}
	}
	return guard.WriteClean(l.dir, guard.Clean{Size: l.link.state.size, Root: l.link.state.edge.Root()})
}

// setReached takes note of what was committed: heads may lag behind the store, and never
// leads. So with NoSync it is told only of what was synced.
func (l *Ledger) setReached(r guard.Record) error {
	if !l.opt.NoSync {
		return l.heads.Append(r)
	}
	l.reachedMu.Lock()
	defer l.reachedMu.Unlock()
	l.reached = r
	return nil
}

// syncHeads syncs the ring of heads: that of a late ledger when it is closed.
func (l *Ledger) syncHeads() error {
	if l.opt.late() {
		return nil
	}
	if err := l.appendReached(l.store.Sync); err != nil {
		return err
	}
	return l.heads.Sync()
}

// appendReached tells heads, with NoSync, what was committed, once sync has made it
// durable.
func (l *Ledger) appendReached(sync func() error) error {
	l.reachedMu.Lock()
	defer l.reachedMu.Unlock()
	if l.reached == (guard.Record{}) {
		return nil
	}
	err := sync()
	if err == nil {
		err = l.heads.Append(l.reached)
	}
	l.reached = guard.Record{}
	return err
}

// checkTables looks whether Badger lost a table while it compacted.
func (l *Ledger) checkTables() error {
	lost, err := guard.LostTables(l.storeDir, l.mark)
	if err == nil && len(lost) > 0 {
		err = damaged("the tables %v of the store were lost while it was compacted", lost)
	}
	return err
}

// headsLoop syncs the ring of heads every second under load. An error stays with the ring,
// and with the store, so the next append returns it.
func (l *Ledger) headsLoop() {
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	for {
		select {
		case <-l.stop:
			return
		case <-tick.C:
			l.syncHeads()
		}
	}
}

// Entry returns an entry whole, its digest recomputed.
func (l *Ledger) Entry(ctx context.Context, session string, index uint64) (*Record, error) {
	return read(ctx, l, func(s *Snapshot) (*Record, error) { return s.Entry(session, index) })
}

// Session returns the head of a session.
func (l *Ledger) Session(ctx context.Context, session string) (*Head, error) {
	return read(ctx, l, func(s *Snapshot) (*Head, error) { return s.Session(session) })
}

// read asks a snapshot that is taken for the one question.
func read[T any](ctx context.Context, l *Ledger, ask func(*Snapshot) (*T, error)) (*T, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	s, err := l.Snapshot()
	if err != nil {
		return nil, err
	}
	defer s.Close()
	return ask(s)
}
