package guard

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func TestLock(t *testing.T) {
	const none, alone, shared = "", "alone", "shared"
	for _, tt := range []struct {
		name  string
		first string
		then  string
		ok    bool
	}{
		{"nobody, alone", none, alone, true},
		{"nobody, shared", none, shared, true},
		{"a writer, alone", alone, alone, false},
		{"a writer, shared", alone, shared, false},
		{"a reader, alone", shared, alone, false},
		{"a reader, shared", shared, shared, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := t.TempDir()
			if tt.first != none {
				first, err := Lock(dir, tt.first == shared)
				if err != nil {
					t.Fatal(err)
				}
				defer first.Unlock()
			}
			second, err := Lock(dir, tt.then == shared)
			if !tt.ok {
				wantHeld(t, err, os.Getpid())
				return
			}
			if err != nil {
				t.Fatalf("Lock = %v, want no error", err)
			}
			second.Unlock()
		})
	}
}

func wantHeld(t *testing.T, err error, pid int) {
	t.Helper()
	var held *HeldError
	if !errors.As(err, &held) {
		t.Fatalf("Lock = %v, want a HeldError", err)
	}
	if held.PID != pid {
		t.Errorf("%v: PID %d, want %d", err, held.PID, pid)
	}
	if pid != 0 && time.Since(held.Since).Abs() > time.Minute {
		t.Errorf("%v: since %v, want now", err, held.Since)
	}
}

func TestUnlock(t *testing.T) {
	dir := t.TempDir()
	for range 3 {
		l, err := Lock(dir, false)
		if err != nil {
			t.Fatal(err)
		}
		if err := l.Unlock(); err != nil {
			t.Fatal(err)
		}
	}
	one, err := Lock(dir, true)
	if err != nil {
		t.Fatal(err)
	}
	two, err := Lock(dir, true)
	if err != nil {
		t.Fatal(err)
	}
	one.Unlock()
	_, err = Lock(dir, false)
	wantHeld(t, err, 0) // the one that was named has gone
	two.Unlock()
	three, err := Lock(dir, false)
	if err != nil {
		t.Fatal(err)
	}
	three.Unlock()
}

// TestLockOfKilled: another process is named while it holds the lock, and what it
// wrote is no lock once it is gone.
func TestLockOfKilled(t *testing.T) {
	for _, how := range []string{"lock", "read"} {
		dir := t.TempDir()
		cmd, out := startChild(t, how, dir)
		if !out.Scan() {
			t.Fatal("the child got no lock")
		}
		_, err := Lock(dir, false)
		wantHeld(t, err, cmd.Process.Pid)
		if err := cmd.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		cmd.Wait()
		if data, _ := os.ReadFile(filepath.Join(dir, "lock")); !strings.HasPrefix(string(data), "pid ") {
			t.Errorf("lock holds %q after a kill, want what the killed wrote", data)
		}
		l, err := Lock(dir, false)
		if err != nil {
			t.Fatalf("Lock after a kill = %v, want no error", err)
		}
		l.Unlock()
	}
}

func TestHeldErrorText(t *testing.T) {
	since := time.Date(2026, 11, 30, 13, 0, 0, 0, time.FixedZone("", 3600))
	err := &HeldError{Dir: "my.ledger", PID: 4711, Since: since}
	if got, want := err.Error(), "my.ledger: held by process 4711 since 2026-11-30T12:00:00Z"; got != want {
		t.Errorf("Error() = %q, want %q", got, want)
	}
}

func TestLockGarbage(t *testing.T) {
	for _, text := range []string{"", "pid", "pid 0 since 2026-11-30T12:00:00Z", "pid -4 since 2026-11-30T12:00:00Z", "pid 1 since noon", strings.Repeat("x", 100)} {
		dir := t.TempDir()
		l, err := Lock(dir, false)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, "lock"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		_, err = Lock(dir, true)
		wantHeld(t, err, 0)
		l.Unlock()
	}
}
