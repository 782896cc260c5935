package db

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestLoadMakesLedger: a ledger that a load makes is one when it is closed after the load
// has finished, and not before: whoever copies the folder in the meantime, as a crash
// would leave it, has none.
func TestLoadMakesLedger(t *testing.T) {
	ctx, dir := context.Background(), filepath.Join(t.TempDir(), "l")
	isNone := func(when string) {
		t.Helper()
		left := filepath.Join(t.TempDir(), "left")
		if err := os.CopyFS(left, os.DirFS(dir)); err != nil {
			t.Fatal(err)
		}
		if _, err := Open(left, Options{ReadOnly: true}); !errors.Is(err, ErrNoLedger) {
			t.Errorf("%s, opening gives %v, want ErrNoLedger", when, err)
		}
		l := open(t, left, Options{}) // nothing is in the way of a new one
		defer l.Close()
		if n, err := count(l, "a"); n != 0 || err != nil {
			t.Errorf("%s, a new ledger has %d entries of the load, %v", when, n, err)
		}
	}
	var texts [][]byte
	for i := range uint64(blockRows + 10) {
		texts = append(texts, made("a", i))
	}
	l := open(t, dir, Options{Load: true})
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	isNone("closed without a load")
	l = open(t, dir, Options{Load: true})
	isNone("before the load")
	if _, err := load(l, append(texts[:2:2], made("a", 7))); err == nil {
		t.Fatal("a gap was loaded")
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	isNone("after a load that failed")
	l = open(t, dir, Options{Load: true})
	if n, err := load(l, texts); n != len(texts) || err != nil {
		t.Fatal(n, err)
	}
	isNone("before Close")
	root := rootOf(t, l)
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(dir, Options{Load: true}); err == nil || !strings.Contains(err.Error(), "there is a ledger") {
		t.Errorf("making a ledger where one is gives %v", err)
	}
	l = open(t, dir, Options{})
	defer l.Close()
	if r, err := l.Verify(ctx, nil); err != nil || !r.Intact() || r.Root != root || r.Entries != uint64(len(texts)+2) {
		t.Errorf("the ledger is not the one that was loaded: %+v, %v", r, err)
	}
}

func rootOf(t *testing.T, l *Ledger) any {
	t.Helper()
	s, err := l.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	return s.Root()
}
