package db

import (
	"context"
	"path/filepath"
	"testing"
)

// TestNoSync appends without waiting for the disk: heads says nothing that the disk might
// not have, and all is there after Close, and after a kill.
func TestNoSync(t *testing.T) {
	ctx, dir := context.Background(), filepath.Join(t.TempDir(), "l")
	l := open(t, dir, Options{NoSync: true})
	appendSome := func(n int) {
		for range n {
			if _, err := l.Append(ctx, Entry{Session: "s", Tool: "t"}); err != nil {
				t.Fatal(err)
			}
		}
	}
	reached := func() uint64 {
		last, _ := l.heads.Last()
		return last.Size
	}
	appendSome(5)
	l.reachedMu.Lock() // the loop that syncs every second waits
	if got := max(l.reached.Size, reached()); got != 6 {
		t.Errorf("%d entries are known, want 6", got)
	}
	l.reachedMu.Unlock()
	if err := l.syncHeads(); err != nil {
		t.Fatal(err)
	}
	if got := reached(); got != 6 {
		t.Errorf("heads says %d after a sync, want 6", got)
	}
	appendSome(3)
	killed := filepath.Join(t.TempDir(), "killed") // what a kill would leave
	if err := copyTree(killed, dir); err != nil {
		t.Fatal(err)
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{dir, killed} {
		l := open(t, dir, Options{})
		r, err := l.Verify(ctx, nil)
		if err != nil || !r.Intact() || r.Entries != 9 {
			t.Errorf("%s: %+v, %v, want 9 entries", filepath.Base(dir), r, err)
		}
		if last, _ := l.heads.Last(); last.Size > 9 || dir != killed && last.Size != 9 {
			t.Errorf("%s: heads says %d", filepath.Base(dir), last.Size)
		}
		l.Close()
	}
}
