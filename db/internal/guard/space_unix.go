//go:build linux || darwin || freebsd

package guard

import (
	"errors"
	"math"

	"golang.org/x/sys/unix"
)

// freeSpace returns the bytes and files left. File systems that make files as they
// go report none in all: they have no limit.
func freeSpace(dir string) (bytes, files uint64, err error) {
	var st unix.Statfs_t
	for {
		err = unix.Statfs(dir, &st)
		if !errors.Is(err, unix.EINTR) {
			break
		}
	}
	if err != nil {
		return 0, 0, err
	}
	files = uint64(st.Ffree)
	if st.Files == 0 {
		files = math.MaxUint64
	}
	return uint64(st.Bavail) * uint64(st.Bsize), files, nil
}
