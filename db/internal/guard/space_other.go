//go:build !(linux || darwin || freebsd || windows)

package guard

import "errors"

func freeSpace(string) (bytes, files uint64, err error) {
	return 0, 0, errors.ErrUnsupported
}
