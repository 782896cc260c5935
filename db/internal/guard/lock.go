package guard

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// A LockFile holds a ledger. The lock is the system's, on the open file: it ends
// with the process, however that ends, and what is written in the file is only
// for people:
//
//	pid 4711 since 2026-11-30T12:00:00Z        padded to 64 bytes
//
// The file stays when the lock goes. Removing it would let two processes lock
// two files of one name.
type LockFile struct {
	f      *os.File
	signed bool // the file names us
}

// A HeldError is the answer to a lock that another process, or another part of
// this one, has. PID is 0 where the holder is not known: it has not yet said, or
// several read.
type HeldError struct {
	Dir   string
	PID   int
	Since time.Time
}

func (e *HeldError) Error() string {
	if e.PID == 0 {
		return e.Dir + ": held by another process"
	}
	return fmt.Sprintf("%s: held by process %d since %s", e.Dir, e.PID, e.Since.UTC().Format(time.RFC3339))
}

// errLocked is what tryLock returns when somebody else has the lock.
var errLocked = errors.New("locked")

const lockName = "lock"

// Lock takes the lock of a ledger's folder, at once or not at all: shared, beside
// others who read, or alone. The error is a *[HeldError] if it is taken.
func Lock(dir string, shared bool) (*LockFile, error) {
	path := filepath.Join(dir, lockName)
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	unwritable := err != nil && shared
	if unwritable { // a reader may stand before a read-only disk
		f, err = os.Open(path)
	}
	if err != nil {
		return nil, fmt.Errorf("lock ledger: %w", err)
	}
	if err := tryLock(f, shared); err != nil {
		defer f.Close()
		if errors.Is(err, errLocked) {
			return nil, holder(dir, f)
		}
		return nil, fmt.Errorf("lock ledger: %w", &fs.PathError{Op: "lock", Path: path, Err: err})
	}
	l := &LockFile{f: f}
	if unwritable || shared && holder(dir, f).PID != 0 {
		return l, nil // one of several readers is named, as long as it lives
	}
	if err := l.sign(); err != nil {
		f.Close()
		return nil, fmt.Errorf("lock ledger: %w", err)
	}
	return l, nil
}

// sign writes who holds the lock, in one write of fixed length so that nobody
// reads half of two.
func (l *LockFile) sign() error {
	line := fmt.Sprintf("pid %d since %s", os.Getpid(), time.Now().UTC().Format(time.RFC3339))
	_, err := l.f.WriteAt(fmt.Appendf(nil, "%-63s\n", line), 0)
	l.signed = err == nil
	return err
}

// holder reads who holds the lock. A process that is gone holds nothing.
func holder(dir string, f *os.File) *HeldError {
	held := &HeldError{Dir: dir}
	var buf [64]byte
	n, _ := f.ReadAt(buf[:], 0)
	var pid int
	var since string
	if _, err := fmt.Sscanf(strings.TrimSpace(string(buf[:n])), "pid %d since %s", &pid, &since); err != nil {
		return held
	}
	t, err := time.Parse(time.RFC3339, since)
	if err != nil || pid <= 0 || !alive(pid) {
		return held
	}
	held.PID, held.Since = pid, t
	return held
}

// Unlock releases the lock.
func (l *LockFile) Unlock() error {
	if l.signed {
		// Whoever comes next and does not get the lock shall not read of us.
		if err := l.f.Truncate(0); err != nil {
			return errors.Join(err, l.f.Close())
		}
	}
	return errors.Join(unlock(l.f), l.f.Close())
}
