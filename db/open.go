package db

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"time"

	"github.com/dgraph-io/badger/v4"

	"toolledger/chain"
	"toolledger/db/internal/guard"
)

// open opens what Open has found or is to create: the order is that of package
// guard's doc.
func (l *Ledger) open(exists bool) error {
	var err error
	if l.lock, err = guard.Lock(l.dir, l.opt.ReadOnly); err != nil {
		return fmt.Errorf("db: open %w", err)
	}
	if !exists { // somebody may have made it since
		_, err := os.Stat(filepath.Join(l.dir, "CURRENT"))
		exists = err == nil
	}
	if !exists {
		if err := l.neverExisted(); err != nil {
			return err
		}
		if err := l.create(); err != nil {
			return fmt.Errorf("db: create %s: %w", l.dir, err)
		}
	}
	f, err := l.findStore(exists)
	if err != nil {
		return err
	}
	if exists {
		if err := l.tryStore(f); err != nil {
			return err
		}
	}
	if l.damaged != nil {
		return nil
	}
	if l.opt.ReadOnly {
		l.failed = ErrReadOnly
		l.queue.close(ErrReadOnly)
		return nil
	}
	if err := l.openWriter(f); err != nil {
		return err
	}
	if !exists {
		if err := l.begin(); err != nil {
			return err
		}
		if !l.opt.late() {
			if err := l.syncHeads(); err != nil {
				return err
			}
			if err := l.writeCurrent(); err != nil {
				return err
			}
		}
	}
	if err := l.startWriter(); err != nil {
		return l.readInstead(f, err)
	}
	return nil
}

// readInstead opens a ledger for reading whose damage a writer has met.
func (l *Ledger) readInstead(f found, err error) error {
	if err := l.setDamaged(err); err != nil {
		return err
	}
	if err := l.store.Close(); err != nil {
		return fmt.Errorf("db: open %s: %w", l.dir, err)
	}
	l.store, l.opt.ReadOnly = nil, true
	return l.openStore(l.opt.badgerOptions(f.dir, l.log))
}

// neverExisted refuses to make a ledger over one that has lost its CURRENT. What a
// creation leaves that was cut off has no entry that anybody was told of.
func (l *Ledger) neverExisted() error {
	missing := damaged("%s has a store and no file CURRENT, which should say badger.1 or the number of the store there", l.dir)
	heads, err := guard.OpenHeads(filepath.Join(l.dir, "heads"), true)
	if err == nil {
		defer heads.Close()
		_, isClean, err := guard.ReadClean(l.dir)
		if last, _ := heads.Last(); last.Size > 1 || heads.Damaged > 0 || heads.Torn || isClean || err != nil {
			return missing
		}
		return nil
	}
	tables, err := filepath.Glob(filepath.Join(l.dir, "badger.*", "*.sst"))
	if err == nil && len(tables) > 0 {
		return missing
	}
	return err
}

// setDamaged keeps an error that says that the ledger is damaged, and returns others.
func (l *Ledger) setDamaged(err error) error {
	var d *DamagedError
	if errors.As(err, &d) {
		l.damaged, l.failed = d, d
		l.queue.close(d)
		return nil
	}
	return err
}

// A found is what is known of a store before it is opened.
type found struct {
	dir     string
	exists  bool
	isClean bool // it was closed, with
	clean   guard.Clean
}

// findStore looks at everything that Badger must not see damaged.
func (l *Ledger) findStore(exists bool) (f found, err error) {
	number := uint64(1)
	f.exists = exists
	if exists {
		if number, err = guard.ReadCurrent(l.dir); err == nil {
			f.clean, f.isClean, err = guard.ReadClean(l.dir)
		}
	}
	if err == nil {
		l.heads, err = guard.OpenHeads(filepath.Join(l.dir, "heads"), l.opt.ReadOnly)
	}
	l.clean, l.number = f.isClean, number
	f.dir = guard.StoreDir(l.dir, number)
	l.storeDir = f.dir
	if err == nil {
		err = guard.CheckStore(f.dir, guard.Expect{Key: l.opt.Key, Clean: f.isClean})
	}
	var d *guard.DamageError
	if errors.As(err, &d) {
		return f, damaged("%v", err)
	}
	if err != nil {
		return f, fmt.Errorf("db: open %s: %w", l.dir, err)
	}
	return f, nil
}

// tryStore opens a store so that nothing of it is changed or deleted, and requires it
// to be whole. One that is to be read, or is damaged, stays open like this.
//
// After an unclean stop Badger has to recover it first, from files that are set aside
// until what it found is known to be all.
func (l *Ledger) tryStore(f found) (err error) {
	quarantine := ""
	reading := l.opt
	reading.ReadOnly = true
	opt := reading.badgerOptions(f.dir, l.log)
	if !l.opt.ReadOnly && !f.isClean {
		if err := l.checkSpace(0); err != nil {
			return err
		}
		if quarantine, err = guard.Quarantine(l.dir, l.opt.Now()); err != nil {
			return fmt.Errorf("db: open %s: %w", l.dir, err)
		}
		opt = guard.RecoveryOptions(l.opt.badgerOptions(f.dir, l.log))
	}
	if !f.isClean { // Badger may have ended over a block that it was compacting
		if err := l.setDamaged(l.verifyTables(f)); err != nil {
			return err
		}
	}
	if l.damaged != nil { // Badger must not work on it
		l.opt.ReadOnly, quarantine = true, ""
		opt = reading.badgerOptions(f.dir, l.log)
	}
	if err := l.openStore(opt); err != nil {
		if l.damaged != nil {
			return l.damaged
		}
		return err
	}
	if l.damaged != nil {
		return nil
	}
	if err := l.setDamaged(l.checkReached(f)); err != nil || l.opt.ReadOnly {
		return err
	}
	if l.damaged != nil && quarantine == "" {
		l.opt.ReadOnly = true
		return nil
	}
	if err := l.store.Close(); err != nil {
		return fmt.Errorf("db: open %s: %w", l.dir, err)
	}
	l.store = nil
	if l.damaged != nil {
		l.opt.ReadOnly = true
		return l.openStore(reading.badgerOptions(f.dir, l.log))
	}
	if quarantine != "" {
		err = guard.RemoveQuarantine(l.dir, quarantine)
	}
	if err != nil {
		return fmt.Errorf("db: open %s: %w", l.dir, err)
	}
	return nil
}

// verifyTables reads every block of the store's tables.
func (l *Ledger) verifyTables(f found) error {
	err := guard.VerifyTables(context.Background(), f.dir, l.opt.Key)
	var d *guard.DamageError
	if errors.As(err, &d) {
		return damaged("%v", err)
	}
	return err
}

// openStore opens the store. A process that this one starts has its open files until it
// executes its program, and so Badger's lock of a store that was just closed. The ledger's own
// lock is held, so that it is nobody else who has that one, and it is waited for.
func (l *Ledger) openStore(opt badger.Options) error {
	for wait := time.Millisecond; ; wait *= 2 {
		store, err := badger.Open(opt)
		if err == nil {
			l.store = store
			return nil
		}
		if wait > time.Second || !strings.Contains(err.Error(), "Cannot acquire directory lock") {
			return fmt.Errorf("db: open %s: %w", l.dir, err)
		}
		if err := testHook("open: store is busy"); err != nil {
			return err
		}
		time.Sleep(wait)
	}
}

// openWriter opens a store that is whole, or new, for writing.
func (l *Ledger) openWriter(f found) error {
	if err := l.checkSpace(0); err != nil {
		return err
	}
	err := guard.RemoveClean(l.dir)
	if err == nil && f.exists {
		l.mark, err = guard.MarkTables(f.dir)
	}
	if err != nil {
		return fmt.Errorf("db: open %s: %w", l.dir, err)
	}
	return l.openStore(l.opt.badgerOptions(f.dir, l.log))
}

// writeCurrent makes a new ledger one: until then there is none in the folder.
func (l *Ledger) writeCurrent() error {
	if err := guard.WriteCurrent(l.dir, 1); err != nil {
		return fmt.Errorf("db: create %s: %w", l.dir, err)
	}
	return nil
}

// checkReached requires size and root to reach the last record of the heads, which
// are written after each commit, and to be those of the clean mark if there is one.
func (l *Ledger) checkReached(f found) error {
	s, err := newSnapshot(l.store)
	if err != nil {
		return err
	}
	defer s.discard()
	s.l = l
	if f.isClean && (f.clean.Size != s.state.size || f.clean.Root != s.state.edge.Root()) {
		return damaged("the ledger was closed with %d entries and has %d, or another root", f.clean.Size, s.state.size)
	}
	if l.heads.Torn && f.isClean {
		return damaged("the newest record of the file heads is not as it was written")
	}
	if l.heads.Damaged > 0 {
		return damaged("%d records of the file heads are not as they were written", l.heads.Damaged)
	}
	last, ok := l.heads.Last()
	if !ok {
		return damaged("the file heads has no record")
	}
	if last.Size > s.state.size {
		return damaged("%d entries are missing at the end: %d were acknowledged, %d are there", last.Size-s.state.size, last.Size, s.state.size)
	}
	edge, err := chain.ReadEdge(last.Size, s)
	if err != nil {
		return err
	}
	if edge.Root() != last.Root {
		return damaged("the tree over the first %d entries has another root than was acknowledged", last.Size)
	}
	return s.checkBlocks()
}

// checkBlocks looks whether every block has its head, and whether they follow each other: what opening a ledger costs grows with their number, not their bytes.
func (s *Snapshot) checkBlocks() error {
	next := uint64(0)
	heads := make([]atomic.Pointer[blockHead], s.state.blocks)
	for number := range s.state.blocks {
		h, err := readBlockHead(s.txn, number)
		if err != nil {
			return err
		}
		heads[number].Store(&h)
		if h.first != next {
			return damaged("block %d begins at %d, not %d", number, h.first, next)
		}
		next += uint64(h.rows)
	}
	if next != s.state.packed {
		return damaged("the blocks have %d entries, not %d", next, s.state.packed)
	}
	s.l.blockHeads = heads
	return nil
}

// Tile implements [chain.NodeReader]: of level 0, what no tile has yet is in the tail.
func (s *Snapshot) Tile(level int, n uint64, width int) ([]chain.Hash, error) {
	if level > 0 {
		return tileReader{s.txn}.Tile(level, n, width)
	}
	if (n+1)*chain.TileWidth <= s.state.size {
		return tileReader{s.txn}.Tile(0, n, width)
	}
	t, err := s.edge()
	if err != nil {
		return nil, err
	}
	if len(t.open[0]) < width {
		return nil, damaged("tile %d has %d hashes, not %d", n, len(t.open[0]), width)
	}
	return t.open[0][:width:width], nil
}

// startWriter prepares the ledger for appending.
func (l *Ledger) startWriter() error {
	s, err := newSnapshot(l.store)
	if err != nil {
		return err
	}
	defer s.Close()
	t, err := readTiles(s.txn, &s.state)
	if err != nil {
		return err
	}
	salts, err := readSalts(s.txn, s.state.ranges[len(s.state.ranges)-1])
	if err != nil {
		return err
	}
	l.link = &linker{state: s.state, tiles: t, salts: *salts, heads: map[string]*headChange{}, load: l.loadHead}
	if !l.clean { // a clean close leaves nothing
		if err := l.dropInvisible(s); err != nil {
			return err
		}
		if err := l.repairCheckpoints(); err != nil {
			return err
		}
	}
	if err := l.finishRemovals(context.Background(), noLock{}); err != nil {
		return err
	}
	if l.number > 0 { // the one that counts is known to be whole
		if err := guard.RemoveOtherStores(l.dir, l.number); err != nil {
			return err
		}
	}
	for _, loop := range []func(){l.commitLoop, l.packLoop, l.headsLoop, l.pruneLoop} {
		l.loops.Add(1)
		go func() {
			defer l.loops.Done()
			loop()
		}()
	}
	l.wakePacker()
	l.startCheckpoints()
	return nil
}

func (l *Ledger) loadHead(session string) (*Head, error) {
	s, err := newSnapshot(l.store)
	if err != nil {
		return nil, err
	}
	defer s.discard()
	s.l = l
	return s.head(session)
}
