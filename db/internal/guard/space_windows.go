package guard

import (
	"math"

	"golang.org/x/sys/windows"
)

func freeSpace(dir string) (bytes, files uint64, err error) {
	name, err := windows.UTF16PtrFromString(dir)
	if err != nil {
		return 0, 0, err
	}
	err = windows.GetDiskFreeSpaceEx(name, &bytes, nil, nil)
	return bytes, math.MaxUint64, err
}
