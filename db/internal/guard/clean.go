package guard

import (
	"bytes"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/cespare/xxhash/v2"
)

const cleanName = "clean"

// Clean is what was durable when a ledger was closed: one line of text,
//
//	size 1000 root <64 hex digits> sum <16 hex digits>
//
// whose sum is the xxhash64 of what stands before " sum".
type Clean struct {
	Size uint64
	Root [32]byte
}

func (c Clean) line() []byte {
	text := fmt.Appendf(nil, "size %d root %x", c.Size, c.Root)
	return fmt.Appendf(text, " sum %016x\n", xxhash.Sum64(text))
}

// WriteClean marks a ledger as closed cleanly. Badger is closed by then and all
// it wrote is durable.
func WriteClean(dir string, c Clean) error {
	if err := replaceFile(filepath.Join(dir, cleanName), c.line()); err != nil {
		return fmt.Errorf("mark as closed: %w", err)
	}
	return nil
}

// ReadClean returns the mark of a clean close, and false if there is none: the
// ledger is open, or its last writer was stopped.
func ReadClean(dir string) (Clean, bool, error) {
	path := filepath.Join(dir, cleanName)
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return Clean{}, false, nil
	}
	if err != nil {
		return Clean{}, false, err
	}
	var c Clean
	var root []byte
	var sum string
	_, err = fmt.Sscanf(string(data), "size %d root %x sum %s\n", &c.Size, &root, &sum)
	copy(c.Root[:], root)
	// Writing it again is the whole check: digits, lengths, spaces, sum.
	if err != nil || !bytes.Equal(c.line(), data) {
		return Clean{}, false, damage(path, "is not the mark of a clean close (%s); delete it, and the ledger is opened as after a crash", hex.EncodeToString(data[:min(len(data), 16)]))
	}
	return c, true, nil
}

// RemoveClean takes the mark away, durably, before a writer changes anything.
func RemoveClean(dir string) error {
	err := os.Remove(filepath.Join(dir, cleanName))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err == nil {
		err = syncDir(dir)
	}
	if err != nil {
		return fmt.Errorf("remove mark of clean close: %w", err)
	}
	return nil
}
