//go:build linux || darwin || freebsd

package db

import (
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"
)

// TestOpenBusyStore opens a ledger while a process that has just been started still has the
// store's lock, as between fork and exec: until it is given back.
func TestOpenBusyStore(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "l")
	if err := open(t, dir, Options{}).Close(); err != nil {
		t.Fatal(err)
	}
	held, err := os.Open(filepath.Join(dir, "badger.1"))
	if err != nil {
		t.Fatal(err)
	}
	if err := unix.Flock(int(held.Fd()), unix.LOCK_EX|unix.LOCK_NB); err != nil {
		t.Fatal(err)
	}
	waited := 0
	defer func(before func(string) error) { testHook = before }(testHook)
	testHook = func(step string) error {
		if step == "open: store is busy" {
			if waited++; waited == 3 {
				return held.Close()
			}
		}
		return nil
	}
	if err := open(t, dir, Options{}).Close(); err != nil {
		t.Fatal(err)
	}
	if waited != 3 {
		t.Errorf("the lock was asked for %d times, want 3 in vain", waited)
	}
}
