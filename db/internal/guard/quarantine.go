package guard

import (
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/dgraph-io/badger/v4"
)

const (
	quarantineName = "quarantine"
	quarantineTime = "20060102T150405.000000000Z" // sorts by time; no colon, for Windows
	partial        = ".partial"
)

// Quarantine sets the files of the current store aside before Badger recovers it
// after an unclean stop, and returns the name of the copy:
//
//	quarantine/20261130T120000.000000000Z/   the store's files, and the ring of heads
//
// Logs, MANIFEST and the other small files are copied, since Badger truncates them
// in place. Tables never change, so they are linked; where the file system has no
// links they are copied. A linked table is safe from being removed, but not from a
// compaction: Badger empties a table before it removes it, and the link with it.
// Hence [RecoveryOptions]. For the same reason nobody may write to a copy while
// the ledger lives: take a copy of it first.
//
// It is complete and durable once Quarantine returns. What a crash left of an
// earlier attempt is removed: Badger had not yet opened then.
func Quarantine(dir string, now time.Time) (name string, err error) {
	n, err := ReadCurrent(dir)
	if err != nil {
		return "", err
	}
	name = now.UTC().Format(quarantineTime)
	root := filepath.Join(dir, quarantineName)
	if err := fillQuarantine(root, name, StoreDir(dir, n), filepath.Join(dir, "heads")); err != nil {
		return "", fmt.Errorf("quarantine: %w", err)
	}
	return name, syncDir(dir)
}

func fillQuarantine(root, name, store, heads string) error {
	if err := os.MkdirAll(root, 0o700); err != nil {
		return err
	}
	old, err := os.ReadDir(root)
	if err != nil {
		return err
	}
	for _, e := range old {
		if filepath.Ext(e.Name()) != partial {
			continue
		}
		if err := os.RemoveAll(filepath.Join(root, e.Name())); err != nil {
			return err
		}
	}
	tmp := filepath.Join(root, name+partial)
	if err := os.Mkdir(tmp, 0o700); err != nil {
		return err
	}
	if err := setAside(tmp, store, heads); err != nil {
		return errors.Join(err, os.RemoveAll(tmp)) // gives the space back, of which there may be too little
	}
	if err := os.Rename(tmp, filepath.Join(root, name)); err != nil {
		return err
	}
	return syncDir(root)
}

// setAside copies or links a store's files and the ring into an empty folder.
func setAside(to, store, heads string) error {
	entries, err := os.ReadDir(store)
	if err != nil {
		return err
	}
	for _, e := range entries {
		src, dst := filepath.Join(store, e.Name()), filepath.Join(to, e.Name())
		switch filepath.Ext(e.Name()) {
		case ".sst":
			if os.Link(src, dst) == nil {
				continue
			}
		case ".mem", ".vlog":
		default:
			if !slices.Contains([]string{badger.ManifestFilename, badger.KeyRegistryFileName, "DISCARD"}, e.Name()) {
				continue
			}
		}
		if err := copyFile(dst, src); err != nil {
			return err
		}
	}
	err = copyFile(filepath.Join(to, filepath.Base(heads)), heads)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return syncDir(to)
}

// Quarantines returns the names of the complete copies, oldest first.
func Quarantines(dir string) ([]string, error) {
	entries, err := os.ReadDir(filepath.Join(dir, quarantineName))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	var names []string
	for _, e := range entries {
		if _, err := time.Parse(quarantineTime, e.Name()); err == nil {
			names = append(names, e.Name())
		}
	}
	return names, err
}

// RemoveQuarantine removes a copy: the store was found to have all it should.
func RemoveQuarantine(dir, name string) error {
	if _, err := time.Parse(quarantineTime, name); err != nil {
		return fmt.Errorf("remove quarantine: %q is not the name of one", name)
	}
	root := filepath.Join(dir, quarantineName)
	// Renamed first, so that a crash leaves it whole or not at all.
	tmp := filepath.Join(root, name+partial)
	if err := os.Rename(filepath.Join(root, name), tmp); err != nil {
		return fmt.Errorf("remove quarantine: %w", err)
	}
	if err := errors.Join(syncDir(root), os.RemoveAll(tmp)); err != nil {
		return fmt.Errorf("remove quarantine: %w", err)
	}
	err := os.Remove(root) // if it was the last
	if err != nil && !isNotEmpty(root) {
		return fmt.Errorf("remove quarantine: %w", err)
	}
	return syncDir(dir)
}

func isNotEmpty(dir string) bool {
	entries, err := os.ReadDir(dir)
	return err == nil && len(entries) > 0
}

// RecoveryOptions makes Badger delete no table while the store is compared with
// the ring: no compactor, and no limit to the tables that recovered logs become,
// which would wait for one. Afterwards the store is closed and opened as usual.
func RecoveryOptions(o badger.Options) badger.Options {
	o.NumCompactors = 0
	o.CompactL0OnClose = false
	o.NumLevelZeroTablesStall = math.MaxInt32
	return o
}
