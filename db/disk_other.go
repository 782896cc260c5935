//go:build !unix

package db

import "io/fs"

func allocated(info fs.FileInfo) int64 { return info.Size() }
