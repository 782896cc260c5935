//go:build linux || darwin || freebsd

package guard

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// tryLock uses flock: unlike fcntl's locks it belongs to the open file, so it
// works between two parts of one process and no other close releases it.
func tryLock(f *os.File, shared bool) error {
	how := unix.LOCK_EX
	if shared {
		how = unix.LOCK_SH
	}
	for {
		err := unix.Flock(int(f.Fd()), how|unix.LOCK_NB)
		switch {
		case errors.Is(err, unix.EINTR):
			continue
		case errors.Is(err, unix.EWOULDBLOCK):
			return errLocked
		}
		return err
	}
}

// alive reports whether there is a process of this number, ours or not.
func alive(pid int) bool { return !errors.Is(unix.Kill(pid, 0), unix.ESRCH) }

// unlock gives the lock back. Closing the file is not enough: a process that is just being begun
// has a copy of it, until it runs its own program.
func unlock(f *os.File) error { return unix.Flock(int(f.Fd()), unix.LOCK_UN) }
