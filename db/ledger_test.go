package db

import (
	"context"
	"fmt"
	"path/filepath"
	"testing"
)

func open(t testing.TB, dir string, opt Options) *Ledger {
	t.Helper()
	l, err := Open(dir, opt)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func TestAppendReopen(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "l")
	ctx := context.Background()
	l := open(t, dir, Options{})
	for i := range 300 {
		r, err := l.Append(ctx, Entry{Session: fmt.Sprint("s", i%3), Tool: "ls", Args: []byte(fmt.Sprintf(`{"i":%d}`, i))})
		if err != nil {
			t.Fatal(err)
		}
		if r.Index != uint64(i/3) || r.Seq != uint64(i+1) {
			t.Fatalf("receipt %+v for entry %d", r, i)
		}
	}
	check := func() {
		rep, err := l.Verify(ctx, nil)
		if err != nil || !rep.Intact() {
			t.Fatalf("%+v %v", rep, err)
		}
		if rep.Entries != 301 || rep.Sessions != 4 {
			t.Errorf("%+v", rep)
		}
		s, _ := l.Snapshot()
		defer s.Close()
		n := 0
		for r, err := range s.Records(ctx, Range{}) {
			if err != nil {
				t.Fatal(err)
			}
			e, err := s.Entry(r.Session, r.Index)
			if err != nil || string(e.JSON()) != string(r.JSON()) || e.Digest != r.Digest || e.Prev != r.Prev {
				t.Fatalf("%s %v", r.JSON(), err)
			}
			n++
		}
		if n != 301 {
			t.Errorf("%d records", n)
		}
	}
	check()
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	l = open(t, dir, Options{ReadOnly: true})
	check()
	l.Close()
	l = open(t, dir, Options{})
	check()
	l.write.Lock()
	l.packing.Lock()
	if err := l.packTail(); err != nil {
		t.Fatal(err)
	}
	l.packing.Unlock()
	l.write.Unlock()
	check()
	l.Close()
	l = open(t, dir, Options{ReadOnly: true})
	check()
	l.Close()
}
