package db

import (
	"encoding/binary"
	"slices"
	"sync"

	"github.com/dgraph-io/badger/v4"

	"toolledger/chain"
)

// # Packing
//
// A range of the tail that is full becomes a block, in steps that a crash may cut
// anywhere:
//
//  1. The block's pages are written, under a number that no state covers: they are
//     invisible, and written over if the pack begins again.
//  2. The state that covers the block is written, in one transaction with its head and the
//     open tile of level 0: from here on its rows are read from the block.
//  3. The rows are deleted from the tail, in any number of transactions; opening
//     does what is left of it.
//  4. When a group of blocks is whole, its runs are written, and then the state that
//     covers them.

// wakePacker tells the packer to look.
func (l *Ledger) wakePacker() {
	select {
	case l.toPack <- struct{}{}:
	default:
	}
}

// packLoop is the goroutine that packs.
func (l *Ledger) packLoop() {
	for {
		select {
		case <-l.stop:
			return
		case <-l.toPack:
		}
		for {
			more, err := l.packOne()
			if err != nil {
				l.write.Lock()
				l.fail(err)
				l.write.Unlock()
			}
			if err != nil || !more {
				break
			}
			select {
			case <-l.stop:
				return
			default:
			}
		}
	}
}

// packOne makes a block of the oldest range that is full, if there is one.
func (l *Ledger) packOne() (bool, error) {
	l.packing.Lock()
	defer l.packing.Unlock()
	s, err := newSnapshot(l.store)
	if err != nil {
		return false, err
	}
	defer s.Close()
	if len(s.state.ranges) < 2 {
		return false, l.groupRuns()
	}
	if err := l.checkSpace(blockBytes); err != nil {
		return false, nil // the tail can wait until there is space again
	}
	rows, err := s.tailRows(s.state.ranges[0], s.state.ranges[1])
	if err != nil {
		return false, err
	}
	if err := l.packRows(s.state.blocks, rows, &l.write); err != nil {
		return false, err
	}
	return true, l.groupRuns()
}

// packRows makes a block of the rows of the oldest range. The lock is taken for the
// switch alone.
func (l *Ledger) packRows(number uint64, rows *rowSet, lock sync.Locker) error {
	if err := testHook("pack: before pages"); err != nil {
		return err
	}
	head, err := writePages(l.store, number, rows)
	if err == nil {
		err = checkBeside(l.store, rows, nil)
	}
	if err != nil {
		return err
	}
	if err := testHook("pack: before switch"); err != nil {
		return err
	}
	if err := l.switchBlock(lock, number, head); err != nil {
		return err
	}
	if err := testHook("pack: before deletes"); err != nil {
		return err
	}
	return deleteTail(l.store, rows)
}

// packTail makes blocks of the whole tail; l.packing and l.write are held.
func (l *Ledger) packTail() error {
	st := &l.link.state
	if st.size > st.ranges[len(st.ranges)-1] {
		var b batch
		l.link.beginRange(&b)
		b.set(stateKey, st.encode())
		if err := b.commit(l.store); err != nil {
			return l.fail(err)
		}
	}
	for len(st.ranges) > 1 {
		s, err := newSnapshot(l.store)
		if err != nil {
			return err
		}
		rows, err := s.tailRows(st.ranges[0], st.ranges[1])
		s.Close()
		if err == nil {
			err = l.packRows(st.blocks, rows, noLock{})
		}
		if err != nil {
			return l.fail(err)
		}
	}
	return nil
}

// A noLock is the lock of somebody who holds it already.
type noLock struct{}

func (noLock) Lock()   {}
func (noLock) Unlock() {}

// testHook is called between every two steps of a pack, a removal and a vacuum, to stop there, and where opening waits.
var testHook = func(step string) error { return nil }

// writePages encodes and checks a block of rows, and writes its pages. It returns its head, without
// which nobody reads them.
func writePages(store *badger.DB, number uint64, rows *rowSet) (head []byte, err error) {
	pages := new(blockEncoder).encode(rows)
	if err := checkBlock(number, pages, rows); err != nil {
		return nil, err
	}
	var b batch
	for _, p := range pages {
		if p.column == 0 && p.page == 0 {
			head = p.value
			continue
		}
		b.set(columnKey(number, rows.generation, p.column, p.page), p.value)
	}
	return head, b.flush(store, true)
}

// switchBlock makes a block of the oldest range visible, whose head is given.
func (l *Ledger) switchBlock(lock sync.Locker, number uint64, head []byte) error {
	lock.Lock()
	defer lock.Unlock()
	if l.failed != nil {
		return l.failed
	}
	st := &l.link.state
	st.blocks++
	st.ranges = st.ranges[1:]
	st.packed = st.ranges[0]
	var b batch
	// The digests of the block's last rows are in no whole tile yet, perhaps.
	l.link.tiles.write(&b, st.packed>>chain.TileHeight == st.size>>chain.TileHeight && st.packed%chain.TileWidth != 0)
	b.set(blockKey(number), head)
	b.set(stateKey, st.encode())
	if err := b.commit(l.store); err != nil {
		return l.fail(err)
	}
	return l.syncHeads()
}

// deleteTail deletes the rows of a block from the tail.
func deleteTail(store *badger.DB, rows *rowSet) error {
	var b batch
	for r, m := range rows.entries() {
		for part := range tailParts(m) {
			b.delete(tailKey(r.seq, uint32(part)))
		}
		b.delete(indexKey(spaceIndex, r.session, r.index))
	}
	return b.flush(store, true)
}

// tailParts returns in how many parts a row stands in the tail.
func tailParts(m *chain.Entry) int {
	n := tailHead + len(m.Append(nil))
	return max(1, (n+maxValue-1)/maxValue)
}

// groupRuns writes the runs of blocks whose group is whole.
func (l *Ledger) groupRuns() error {
	for {
		s, err := newSnapshot(l.store)
		if err != nil {
			return err
		}
		group := s.state.groups
		if s.state.blocks < (group+1)*groupBlocks {
			s.Close()
			return nil
		}
		err = writeRuns(s.txn, l.store, group)
		s.Close()
		if err == nil {
			err = testHook("group: before switch")
		}
		if err == nil {
			err = l.switchGroup(group + 1)
		}
		if err != nil {
			return err
		}
	}
}

func (l *Ledger) switchGroup(groups uint64) error {
	l.write.Lock()
	defer l.write.Unlock()
	if l.failed != nil {
		return l.failed
	}
	l.link.state.groups = groups
	var b batch
	b.set(stateKey, l.link.state.encode())
	if err := b.commit(l.store); err != nil {
		return l.fail(err)
	}
	return nil
}

// dropInvisible removes what a crash, or a load that was dropped, left of something that
// was never visible, and finishes what it left of something that is: rows of the tail
// below packed, and entries from size on.
func (l *Ledger) dropInvisible(s *Snapshot) error {
	var b batch
	for _, find := range []func(*Snapshot, *batch) error{dropTail, dropIndex, dropColumns, dropHeads} {
		if err := find(s, &b); err != nil {
			return err
		}
	}
	return b.flush(l.store, true)
}

func dropTail(s *Snapshot, b *batch) error {
	drop := func(key []byte, _ func() ([]byte, error)) error {
		if seq, _, ok := parseTailKey(key); ok && seq >= s.state.packed && seq < s.state.size {
			return errStop
		}
		b.delete(slices.Clone(key))
		return nil
	}
	prefix := []byte{spaceTail}
	if err := each(s.txn, prefix, prefix, drop); err != nil {
		return err
	}
	return each(s.txn, prefix, tailKey(s.state.size, 0), drop)
}

func dropIndex(s *Snapshot, b *batch) error {
	prefix := []byte{spaceIndex}
	return each(s.txn, prefix, prefix, func(key []byte, value func() ([]byte, error)) error {
		v, err := value()
		if err != nil || len(v) != 8 {
			return err
		}
		if seq := binary.BigEndian.Uint64(v); seq < s.state.packed || seq >= s.state.size {
			b.delete(slices.Clone(key))
		}
		return nil
	})
}

func dropColumns(s *Snapshot, b *batch) error {
	drop := func(key []byte, _ func() ([]byte, error)) error {
		b.delete(slices.Clone(key))
		return nil
	}
	if err := each(s.txn, []byte{spaceBlock}, blockKey(s.state.blocks), drop); err != nil {
		return err
	}
	return each(s.txn, []byte{spaceColumn}, columnKey(s.state.blocks, 0, 0, 1), drop)
}

// dropHeads puts the heads that count in the place of those that never will: later
// entries would make them look visible.
func dropHeads(s *Snapshot, b *batch) error {
	prefix := []byte{spaceSession}
	return each(s.txn, prefix, prefix, func(key []byte, value func() ([]byte, error)) error {
		v, err := value()
		if err != nil {
			return err
		}
		session, ok := parseSessionKey(key)
		if !ok || len(v) < headSize {
			return damaged("the head at key %s has %d bytes", keyText(key), len(v))
		}
		if first := parseHead(session, v); first.seq < s.state.size {
			return nil
		}
		h, err := parseHeads(session, v, s.state.size)
		switch {
		case err != nil:
			return err
		case h == nil:
			b.delete(slices.Clone(key))
		default:
			b.set(slices.Clone(key), appendHeads(nil, h, nil))
		}
		return nil
	})
}
