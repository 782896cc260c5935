package db

import (
	"context"
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"toolledger/chain"
)

// TestRestore makes a ledger of a whole export again, blocks and tail; one that is not as
// it was leaves nothing that would be in the way.
func TestRestore(t *testing.T) {
	ctx, dir := context.Background(), t.TempDir()
	l := open(t, filepath.Join(dir, "old"), Options{})
	var texts [][]byte
	for i := range uint64(2*blockRows + 100) {
		texts = append(texts, made([]string{"a", "b", "c"}[i%3], i/3))
	}
	if _, err := load(l, texts); err != nil {
		t.Fatal(err)
	}
	s, err := l.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	var lines []*chain.Evidence
	for e, err := range s.Evidence(ctx, Range{}) {
		if err != nil {
			t.Fatal(err)
		}
		lines = append(lines, e)
	}
	root := s.Root()
	s.Close()
	l.Close()

	restore := func(lines []*chain.Evidence) error {
		led := open(t, filepath.Join(dir, "new"), Options{Restore: true})
		defer led.Close()
		w, err := led.NewLoader(ctx)
		if err != nil {
			t.Fatal(err)
		}
		for i, e := range lines {
			if err := w.Restore(e, i+1); err != nil {
				w.Abort()
				return err
			}
		}
		return w.Finish("", "")
	}
	changed := *lines[blockRows+7]
	changed.Entry[chain.Tool] = []byte(`"another"`)
	forged := append(append(append([]*chain.Evidence{}, lines[:blockRows+7]...), &changed), lines[blockRows+8:]...)
	var refused *RefusedError
	for range 2 {
		if err := restore(forged); !errors.As(err, &refused) || !strings.Contains(err.Error(), "its digest is") || refused.Line != blockRows+8 {
			t.Fatalf("restoring what was changed gives %v", err)
		}
	}
	without := *lines[3]
	if without.Remove("/args") == 0 {
		t.Fatal("nothing was removed")
	}
	if err := restore(append(append([]*chain.Evidence{}, lines[:3]...), &without)); !errors.As(err, &refused) || !strings.Contains(err.Error(), "whole export") {
		t.Fatalf("restoring an entry without some values gives %v", err)
	}
	if err := restore(lines); err != nil {
		t.Fatal(err)
	}
	l = open(t, filepath.Join(dir, "new"), Options{})
	defer l.Close()
	r, err := l.Verify(ctx, nil)
	if err != nil || !r.Intact() || r.Root != root || r.Entries != uint64(len(lines)) {
		t.Errorf("the restored ledger has %d entries, root %x, %v %v %v; want %d, root %x", r.Entries, r.Root, r.Broken, r.Faults, err, len(lines), root)
	}
}
