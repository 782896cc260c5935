package db

import (
	"context"
	"slices"
	"sync"

	"toolledger/chain"
)

// # Making a block again
//
//  1. Pages of other generations than that which counts are deleted: a crash left them.
//  2. The rows, without the values that go, are encoded and checked as those of a new block are,
//     and the pages are written as the next generation: they are invisible.
//  3. Every digest is recomputed from what is left.
//  4. The block's head, which names the generation, is written, in one transaction with the
//     salts of the entries that lose nothing, in the place of the seed.
//  5. The pages of the generation before are deleted.

// rebuildAll makes the blocks again that have targets.
func (l *Ledger) rebuildAll(ctx context.Context, g grants, lock sync.Locker) error {
	s, err := newSnapshot(l.store)
	if err != nil {
		return err
	}
	defer s.Close()
	r := Range{}
	for session := range g {
		if r.Session = session; len(g) > 1 {
			r.Session = ""
		}
	}
	numbers, err := s.blocksOf(&r)
	if err != nil {
		return err
	}
	for _, number := range numbers {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := l.rebuild(number, g, lock); err != nil {
			return err
		}
	}
	return nil
}

// rebuild makes a block again, if it has targets.
func (l *Ledger) rebuild(number uint64, g grants, lock sync.Locker) error {
	s, err := newSnapshot(l.store)
	if err != nil {
		return err
	}
	defer s.Close()
	b, err := s.block(number)
	if err != nil {
		return err
	}
	defer b.release()
	names, err := b.sessionNames()
	if err != nil || !slices.ContainsFunc(names, func(name string) bool { return g[name] != nil }) {
		return err
	}
	if err := l.dropOthers(s, number, b.dir.generation); err != nil {
		return err
	}
	rows, of, err := s.without(b, g)
	if rows == nil || err != nil {
		return err
	}
	if err := l.checkSpace(blockBytes); err != nil {
		return err
	}
	head, err := writePages(l.store, number, rows)
	if err == nil {
		err = checkDigests(rows, of)
	}
	if err == nil {
		err = testHook("remove: before switch")
	}
	if err == nil {
		err = l.switchAgain(number, head, of, lock)
	}
	if err == nil {
		err = testHook("remove: before deletes")
	}
	if err != nil {
		return err
	}
	after, err := newSnapshot(l.store)
	if err != nil {
		return err
	}
	defer after.Close()
	return l.dropOthers(after, number, rows.generation)
}

// without returns the rows of a block without the values that go, and the salts that are left of
// its range; nil if nothing goes.
func (s *Snapshot) without(b *Block, g grants) (*rowSet, *salts, error) {
	of, err := readSalts(s.txn, b.First())
	if err != nil {
		return nil, nil, err
	}
	rows, left := new(rowSet), new(rowSet)
	if err := rows.addBlock(b, new(restorer)); err != nil {
		return nil, nil, err
	}
	digests, err := s.Digests(b, nil)
	if err != nil {
		return nil, nil, err
	}
	prevs, err := s.Prevs(b, nil)
	if err != nil {
		return nil, nil, err
	}
	left.reset(b.Rows())
	left.generation = b.dir.generation + 1
	list := of.slice(new(chain.Committer), b.First(), b.Rows())
	changed := false
	row := 0
	for p, m := range rows.entries() {
		at := *p
		at.begins, at.digest, at.prev = 0, digests[row], prevs[row]
		record := Record{Session: at.session, Seq: at.seq, Members: *m, removal: at.removal}
		e := record.evidence(of)
		if e.Remove(pointersOf(g.of(at.session, at.index, at.seq))...) > 0 {
			at.removal, changed = removalOf(e), true
		}
		if at.removal != nil {
			list[row] = chain.Salt{}
		}
		left.add(&e.Entry, at, asIs)
		row++
	}
	if !changed {
		return nil, nil, nil
	}
	return left, &salts{first: b.First(), list: list}, nil
}

// switchAgain makes the next generation of a block the one that counts.
func (l *Ledger) switchAgain(number uint64, head []byte, of *salts, lock sync.Locker) error {
	lock.Lock()
	defer lock.Unlock()
	if l.failed != nil {
		return l.failed
	}
	if number < uint64(len(l.blockHeads)) {
		l.blockHeads[number].Store(nil) // before anybody can see the next one
	}
	var b batch
	b.set(blockKey(number), head)
	b.set(rangeKey(of.first), of.encode())
	if err := b.commit(l.store); err != nil {
		return l.fail(err)
	}
	return nil
}

// dropOthers deletes the pages of a block that are of other generations than one.
func (l *Ledger) dropOthers(s *Snapshot, number uint64, generation uint32) error {
	var b batch
	prefix := columnKey(number, 0, 0, 1)[:9]
	err := each(s.txn, prefix, prefix, func(key []byte, _ func() ([]byte, error)) error {
		if _, is, _, _, ok := parseColumnKey(key); ok && is != generation {
			b.delete(slices.Clone(key))
		}
		return nil
	})
	if err != nil {
		return err
	}
	return b.flush(l.store, true)
}
