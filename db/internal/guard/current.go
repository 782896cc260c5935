package guard

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

const (
	currentName = "CURRENT"
	storePrefix = "badger."
)

// StoreDir returns the folder of a ledger's nth store.
func StoreDir(dir string, n uint64) string {
	return filepath.Join(dir, storePrefix+strconv.FormatUint(n, 10))
}

// ReadCurrent returns the number of the store that counts: 7 for badger.7. A
// folder without CURRENT is no ledger; the error is then an fs.ErrNotExist.
func ReadCurrent(dir string) (uint64, error) {
	path := filepath.Join(dir, currentName)
	data, err := os.ReadFile(path)
	if err != nil {
		return 0, err
	}
	n, ok := parseCurrent(string(data))
	if !ok {
		return 0, damage(path, "is %.40q, not the name of a store such as %q; write the newest badger.N of this folder into it", data, storePrefix+"1\n")
	}
	return n, nil
}

// parseCurrent accepts one spelling of a name, so that no damage yields another.
func parseCurrent(s string) (uint64, bool) {
	digits, ok := strings.CutPrefix(s, storePrefix)
	digits, ok2 := strings.CutSuffix(digits, "\n")
	n, err := strconv.ParseUint(digits, 10, 64)
	return n, ok && ok2 && err == nil && n > 0 && strconv.FormatUint(n, 10) == digits
}

// RemoveOtherStores removes the stores of a ledger that do not count: what a vacuum left that was
// cut off, or the one before it.
func RemoveOtherStores(dir string, current uint64) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	removed := false
	for _, e := range entries {
		n, ok := parseCurrent(e.Name() + "\n")
		if !ok || n == current || !e.IsDir() {
			continue
		}
		if err := os.RemoveAll(filepath.Join(dir, e.Name())); err != nil {
			return fmt.Errorf("remove a store that does not count: %w", err)
		}
		removed = true
	}
	if !removed {
		return nil
	}
	return syncDir(dir)
}

// SyncTree makes the files of a store durable, and their names.
func SyncTree(dir string) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, e := range entries {
		f, err := os.OpenFile(filepath.Join(dir, e.Name()), os.O_RDWR, 0)
		if err != nil {
			return err
		}
		if err := syncAndClose(f, nil); err != nil {
			return err
		}
	}
	return errors.Join(syncDir(dir), syncDir(filepath.Dir(dir)))
}

// WriteCurrent makes the nth store the one that counts. It must be whole and
// durable by then.
func WriteCurrent(dir string, n uint64) error {
	if n == 0 {
		return errors.New("guard: stores are numbered from 1")
	}
	if err := replaceFile(filepath.Join(dir, currentName), fmt.Appendf(nil, "%s%d\n", storePrefix, n)); err != nil {
		return fmt.Errorf("name the current store: %w", err)
	}
	return nil
}
