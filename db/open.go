package db

import (
	"errors"
	"fmt"
	"path/filepath"

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
	if !exists {
		if err := l.create(); err != nil {
			return fmt.Errorf("db: create %s: %w", l.dir, err)
		}
	}
	number, clean := uint64(1), guard.Clean{}
	isClean := !exists
	if exists {
		if number, err = guard.ReadCurrent(l.dir); err != nil {
			return fmt.Errorf("db: open %s: %w", l.dir, err)
		}
		if clean, isClean, err = guard.ReadClean(l.dir); err != nil {
			return fmt.Errorf("db: open %s: %w", l.dir, err)
		}
	}
	if l.heads, err = guard.OpenHeads(filepath.Join(l.dir, "heads"), l.opt.ReadOnly); err != nil {
		return fmt.Errorf("db: open %s: %w", l.dir, err)
	}
	dir := filepath.Join(l.dir, guard.StoreDir("", number))
	if err := guard.CheckStore(dir, guard.Expect{Key: l.opt.Key, Clean: isClean && exists}); err != nil {
		return fmt.Errorf("db: open %s: %w", l.dir, err)
	}
	if !l.opt.ReadOnly {
		if err := guard.RemoveClean(l.dir); err != nil {
			return fmt.Errorf("db: open %s: %w", l.dir, err)
		}
		if err := l.checkSpace(0); err != nil {
			return err
		}
	}
	if l.store, err = badger.Open(l.opt.badgerOptions(dir, l.log)); err != nil {
		return fmt.Errorf("db: open %s: %w", l.dir, err)
	}
	if !exists {
		if err := l.begin(); err != nil {
			return err
		}
		if !l.opt.Restore {
			if err := l.writeCurrent(); err != nil {
				return err
			}
		}
	}
	if err := l.checkReached(isClean && exists, clean); err != nil {
		var d *DamagedError
		if !errors.As(err, &d) {
			return err
		}
		l.damaged, l.failed = d, d
		return nil
	}
	if l.opt.ReadOnly {
		l.failed = ErrReadOnly
		l.queue.close(ErrReadOnly)
		return nil
	}
	return l.startWriter()
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
func (l *Ledger) checkReached(isClean bool, clean guard.Clean) error {
	s, err := newSnapshot(l.store)
	if err != nil {
		return err
	}
	defer s.Close()
	if isClean && (clean.Size != s.state.size || clean.Root != s.state.edge.Root()) {
		return damaged("the ledger was closed with %d entries and has %d, or another root", clean.Size, s.state.size)
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

// checkBlocks looks whether every block has its directory, and whether they follow
// each other: what opening a ledger costs grows with their number, not their bytes.
func (s *Snapshot) checkBlocks() error {
	next := uint64(0)
	for number := range s.state.blocks {
		b, err := s.block(number)
		if err != nil {
			return err
		}
		if b.First() != next {
			return damaged("block %d begins at %d, not %d", number, b.First(), next)
		}
		next += uint64(b.Rows())
	}
	if next != s.state.packed {
		return damaged("the blocks have %d entries, not %d", next, s.state.packed)
	}
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
	t, err := readTiles(s.txn, &s.state)
	if err != nil {
		return nil, err
	}
	if len(t.open[0]) < width {
		return nil, damaged("tile %d has %d hashes, not %d", n, len(t.open[0]), width)
	}
	return t.open[0][:width], nil
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
	if err := l.dropInvisible(s); err != nil {
		return err
	}
	for _, loop := range []func(){l.commitLoop, l.packLoop, l.headsLoop} {
		l.loops.Add(1)
		go func() {
			defer l.loops.Done()
			loop()
		}()
	}
	l.wakePacker()
	return nil
}

func (l *Ledger) loadHead(session string) (*Head, error) {
	s, err := newSnapshot(l.store)
	if err != nil {
		return nil, err
	}
	defer s.Close()
	return readHead(s.txn, session, s.state.size)
}
