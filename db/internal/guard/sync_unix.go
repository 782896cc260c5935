//go:build !windows

package guard

import (
	"errors"
	"os"
)

// syncDir makes the names in a folder durable: those made, renamed and removed.
func syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}
