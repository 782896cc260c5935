package db

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"toolledger/db/internal/guard"
)

// salvage opens a copy of a ledger that cannot be opened as it is, because of why: as a
// damaged one. The copy stands beside the ledger to until that is closed.
func salvage(from, to string, opt Options, why error) (l *Ledger, err error) {
	number, err := guard.ReadCurrent(from)
	if err != nil {
		if number = newestStore(from); number == 0 {
			return nil, why
		}
	}
	l = &Ledger{dir: from, opt: opt, log: new(guard.Log), queue: newQueue(), failed: ErrReadOnly}
	defer func() {
		if err != nil {
			err = fmt.Errorf("%w; and what is left of it cannot be read: %w", why, err)
			l.Close()
			l = nil
		}
	}()
	l.stop = make(chan struct{})
	l.damaged = &DamagedError{why.Error()}
	if l.lock, err = guard.Lock(from, true); err != nil {
		return l, err
	}
	if l.salvaged, err = os.MkdirTemp(filepath.Dir(to), filepath.Base(to)+".salvage-"); err != nil {
		return l, err
	}
	if l.heads, err = guard.OpenHeads(filepath.Join(from, "heads"), true); err != nil {
		l.heads = nil // a ledger without its witness
	}
	left, err := guard.Salvage(l.salvaged, guard.StoreDir(from, number), opt.Key)
	if err != nil {
		return l, err
	}
	if len(left) > 0 {
		l.damaged.What += "; left behind: " + strings.Join(left, ", ")
	}
	writing := opt
	writing.ReadOnly = false
	if err := l.openStore(guard.RecoveryOptions(writing.badgerOptions(l.salvaged, l.log))); err != nil {
		return l, err
	}
	s, err := l.Snapshot() // has the store a state at all?
	if err == nil {
		s.Close()
	}
	return l, err
}

// newestStore returns the number of the newest store in the folder of a ledger that has
// lost its CURRENT, 0 if there is none.
func newestStore(dir string) uint64 {
	stores, err := filepath.Glob(filepath.Join(dir, "badger.*"))
	if err != nil || len(stores) == 0 {
		return 0
	}
	var numbers []uint64
	for _, store := range stores {
		var n uint64
		if _, err := fmt.Sscanf(filepath.Base(store), "badger.%d", &n); err == nil {
			numbers = append(numbers, n)
		}
	}
	return slices.Max(append(numbers, 0))
}
