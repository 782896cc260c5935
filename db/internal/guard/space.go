package guard

import (
	"errors"
	"fmt"
)

// ErrNoSpace is a disk too full to write to. Badger writes through memory maps of
// sparse files: on a full disk that is a signal that ends the process, and a
// compaction that cannot make its file drops the rows meant for it, silently.
var ErrNoSpace = errors.New("not enough free space")

// minFiles is how many new files must be possible. A compaction makes a few dozen.
const minFiles = 1000

// FreeSpace returns how many bytes this user may still write below dir.
func FreeSpace(dir string) (uint64, error) {
	bytes, _, err := freeSpace(dir)
	return bytes, err
}

// NeedSpace returns what must be free before a commit of batch bytes: the tables
// and logs that Badger may have under way, and a margin.
func NeedSpace(memTableSize, batch int64) uint64 {
	return 4*uint64(memTableSize) + 64<<20 + uint64(batch)
}

// CheckSpace returns an [ErrNoSpace] with the numbers if fewer than need bytes are
// free, or if the file system has hardly a file left to give.
func CheckSpace(dir string, need uint64) error {
	free, files, err := freeSpace(dir)
	if err != nil {
		return fmt.Errorf("free space of %s: %w", dir, err)
	}
	return enough(dir, free, files, need)
}

func enough(dir string, free, files, need uint64) error {
	switch {
	case free < need:
		return fmt.Errorf("%w in %s: %d bytes free, %d needed", ErrNoSpace, dir, free, need)
	case files < minFiles:
		return fmt.Errorf("%w in %s: the file system can hold only %d more files, %d needed", ErrNoSpace, dir, files, minFiles)
	}
	return nil
}
