package db

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/dgraph-io/badger/v4"

	"toolledger/db/internal/guard"
)

// # Vacuum
//
// Badger keeps deleted bytes in its files. A vacuum writes what is left into the next folder, in
// steps that a crash may cut anywhere:
//
//  1. What is visible is copied, key by key, into the store with the next number. Until CURRENT
//     names that, the next opening removes it.
//  2. The copy is verified whole, as the ledger was: every digest, chain and tree.
//  3. CURRENT is replaced.
//  4. The old store is removed; the next opening does what is left of that.

// A Vacuumed is what a vacuum did.
type Vacuumed struct {
	Before, After int64 // bytes on disk
}

// Vacuum writes the store of a ledger anew, that nobody has open, so that what was removed is in
// no file any more. It needs the space for another store. A copy of the folder that was made
// before, a snapshot of the disk and the disk's own spare blocks keep what they have.
func Vacuum(ctx context.Context, dir string, opt Options) (done Vacuumed, err error) {
	if opt.ReadOnly || opt.late() {
		return done, errors.New("db: vacuum writes a ledger that there is")
	}
	if _, err := os.Stat(filepath.Join(dir, "CURRENT")); err != nil {
		return done, fmt.Errorf("%w at %s", ErrNoLedger, dir)
	}
	opt.Checkpoint, opt.Retention = Checkpointing{}, Retention{} // nothing else happens meanwhile
	l, err := Open(dir, opt)
	if l == nil {
		return done, err
	}
	if err != nil {
		return done, errors.Join(err, l.Close())
	}
	if err := l.shut(); err != nil {
		return done, err
	}
	left, err := guard.Quarantines(dir)
	if err == nil && len(left) > 0 {
		err = fmt.Errorf("db: vacuum: %s has copies of the store: %s; remove them once you are sure that nothing is missing", filepath.Join(dir, "quarantine"), strings.Join(left, ", "))
	}
	if err == nil {
		done.Before, err = storeBytes(dir)
	}
	if err == nil {
		var number uint64
		number, err = l.copyStore(ctx)
		l.closing = func() error { return l.swap(number) }
	}
	if err != nil {
		l.closing = nil
	}
	if err := errors.Join(err, l.release()); err != nil {
		return done, err
	}
	done.After, err = storeBytes(dir)
	return done, err
}

// storeBytes returns how much is on disk of all stores of a ledger.
func storeBytes(dir string) (total int64, err error) {
	of, err := diskUse(dir)
	for _, n := range of {
		total += n
	}
	return total, err
}

// copyStore writes what is visible into the next store, and verifies that.
func (l *Ledger) copyStore(ctx context.Context) (number uint64, err error) {
	s, err := newSnapshot(l.store)
	if err != nil {
		return 0, err
	}
	defer s.discard()
	s.l = l
	report, err := s.Verify(ctx, nil)
	if err != nil {
		return 0, err
	}
	if !report.Intact() {
		return 0, errors.New("db: vacuum: the ledger does not verify, and what it has would be copied as it is; 'verify' says what is wrong")
	}
	if number, err = guard.ReadCurrent(l.dir); err != nil {
		return 0, err
	}
	number++
	to := guard.StoreDir(l.dir, number)
	if err := errors.Join(os.RemoveAll(to), os.Mkdir(to, 0o700)); err != nil {
		return 0, fmt.Errorf("db: vacuum: %w", err)
	}
	size, err := storeBytes(l.dir)
	if err == nil {
		err = l.checkSpace(int(size))
	}
	if err != nil {
		return 0, err
	}
	writing := l.opt
	writing.NoSync = true // until it is closed nobody reads it
	c := &Ledger{dir: l.dir, opt: writing, log: new(guard.Log), heads: l.heads}
	if err := c.openStore(writing.badgerOptions(to, c.log)); err != nil {
		return 0, err
	}
	err = errors.Join(copyKeys(ctx, s.txn, c.store), testHook("vacuum: copied"), c.store.Close())
	if err == nil {
		err = c.log.Failed()
	}
	if err == nil {
		err = guard.SyncTree(to)
	}
	if err != nil {
		return 0, fmt.Errorf("db: vacuum: %w", err)
	}
	if err := testHook("vacuum: closed"); err != nil {
		return 0, err
	}
	return number, c.sameAsBefore(ctx, to, s)
}

// copyKeys copies all keys that a transaction sees. Each value is checked.
func copyKeys(ctx context.Context, from *badger.Txn, to *badger.DB) error {
	var b batch
	err := each(from, nil, nil, func(key []byte, value func() ([]byte, error)) error {
		v, err := value()
		if err != nil {
			return err
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		b.set(append([]byte(nil), key...), append(make([]byte, 0, len(v)+checksumSize), v...))
		return b.flush(to, false)
	})
	if err != nil {
		return err
	}
	return b.flush(to, true)
}

// sameAsBefore opens a copy of a store to be read, and requires it to verify, with the size and
// the root of the ledger that was copied.
func (l *Ledger) sameAsBefore(ctx context.Context, dir string, before *Snapshot) (err error) {
	l.opt.ReadOnly, l.opt.NoSync = true, false
	if err := l.openStore(l.opt.badgerOptions(dir, l.log)); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, l.store.Close()) }()
	s, err := l.Snapshot()
	if err != nil {
		return err
	}
	defer s.Close()
	report, err := s.Verify(ctx, nil)
	if err != nil {
		return err
	}
	if !report.Intact() || s.state.size != before.state.size || s.Root() != before.Root() {
		return fmt.Errorf("db: vacuum: the copy does not verify: %+v %+v", report.Broken, report.Faults)
	}
	return nil
}

// swap makes the next store the one that counts, and removes the one before.
func (l *Ledger) swap(number uint64) error {
	if err := testHook("vacuum: before swap"); err != nil {
		return err
	}
	if err := guard.WriteCurrent(l.dir, number); err != nil {
		return fmt.Errorf("db: vacuum: %w", err)
	}
	if err := testHook("vacuum: swapped"); err != nil {
		return err
	}
	return guard.RemoveOtherStores(l.dir, number)
}
