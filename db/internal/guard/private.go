package guard

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"time"
)

// ReadPrivate reads a file with a secret. It refuses one that others may read, and one
// in a ledger, whose folder is what is copied, handed out and archived.
func ReadPrivate(path string) ([]byte, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	switch {
	case !info.Mode().IsRegular():
		return nil, fmt.Errorf("%s is no file", path)
	case info.Mode().Perm()&0o077 != 0 && runtime.GOOS != "windows":
		return nil, fmt.Errorf("%s may be read or written by others (mode %04o): chmod 600 it, and if others have read it make a new key", path, info.Mode().Perm())
	}
	if err := OutsideLedgers(path); err != nil {
		return nil, err
	}
	return ReadSmall(path, 1<<20)
}

// CreatePrivate makes a file with a secret, which must not exist, and makes it durable.
func CreatePrivate(path string, data []byte) error {
	if err := OutsideLedgers(path); err != nil {
		return err
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if err = errors.Join(err, syncAndClose(f, err)); err != nil {
		return err
	}
	return syncDir(filepath.Dir(path))
}

// ReadSmall reads a file of at most most bytes, and no pipe or device, which may never end.
func ReadSmall(path string, most int64) ([]byte, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is no file", path)
	}
	if info.Size() > most {
		return nil, fmt.Errorf("%s has %d bytes, more than the %d that are expected", path, info.Size(), most)
	}
	return os.ReadFile(path)
}

// OutsideLedgers refuses a path in the folder of a ledger, however deep, and a link to such.
func OutsideLedgers(path string) error {
	dir, err := filepath.Abs(path)
	if err != nil {
		return err
	}
	if target, err := filepath.EvalSymlinks(dir); err == nil {
		dir = target
	} else if parent, err := filepath.EvalSymlinks(filepath.Dir(dir)); err == nil {
		dir = filepath.Join(parent, filepath.Base(dir))
	}
	for dir != filepath.Dir(dir) {
		dir = filepath.Dir(dir)
		if _, err := ReadCurrent(dir); err == nil {
			return fmt.Errorf("%s is in the ledger %s: beside what it protects it protects nothing; keep it elsewhere", path, dir)
		}
	}
	return nil
}

// Replace gives a file new content: all of it or, after a crash, none. It is durable then.
func Replace(path string, data []byte) error { return replaceFile(path, data) }

// lockPatience is how long WaitLock waits.
const lockPatience = 10 * time.Second

// WaitLock takes the lock of a file that is held for a moment only, and makes it where
// there is none. unlock is to be called.
func WaitLock(path string) (unlock func() error, err error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	for wait, waited := time.Millisecond, time.Duration(0); ; wait, waited = 2*wait, waited+wait {
		err = tryLock(f, false)
		if err == nil {
			return f.Close, nil
		}
		if !errors.Is(err, errLocked) || waited > lockPatience {
			f.Close()
			return nil, &fs.PathError{Op: "lock", Path: path, Err: err}
		}
		time.Sleep(wait)
	}
}

// AppendDurable appends to a file, which it makes where there is none, and cuts what an
// append before left that a crash cut off: whole returns how much of the end of a file,
// given from a line's beginning on, is whole.
func AppendDurable(path string, data []byte, whole func(end []byte) int) error {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	end, at, err := readEnd(f)
	if err == nil {
		at += int64(whole(end))
		err = f.Truncate(at)
	}
	if err == nil {
		_, err = f.WriteAt(data, at)
	}
	if err = errors.Join(err, syncAndClose(f, err)); err != nil {
		return err
	}
	return syncDir(filepath.Dir(path))
}

// endSize is how much of a file readEnd reads.
const endSize = 64 << 10

// readEnd reads the end of a file, and says where it begins.
func readEnd(f *os.File) (end []byte, at int64, err error) {
	info, err := f.Stat()
	if err != nil {
		return nil, 0, err
	}
	at = max(0, info.Size()-endSize)
	end = make([]byte, info.Size()-at)
	_, err = f.ReadAt(end, at)
	return end, at, err
}

// ReadEnd reads up to 64 KiB of the end of a file, nothing if there is none.
func ReadEnd(path string) ([]byte, error) {
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	end, _, err := readEnd(f)
	return end, err
}
