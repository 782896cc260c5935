package guard

import (
	"os"

	"golang.org/x/sys/unix"
)

// datasync makes the content of a file of unchanged size durable, without a
// write to the file system's journal for the time of the change.
func datasync(f *os.File) error { return unix.Fdatasync(int(f.Fd())) }
