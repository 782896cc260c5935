//go:build unix

package db

import (
	"io/fs"
	"syscall"
)

// allocated returns the bytes that a file takes on disk: logs are sparse.
func allocated(info fs.FileInfo) int64 {
	if st, ok := info.Sys().(*syscall.Stat_t); ok {
		return int64(st.Blocks) * 512
	}
	return info.Size()
}
