package db

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"toolledger/chain"
)

func TestLoadBench(t *testing.T) {
	text, err := os.ReadFile(os.Getenv("LOAD"))
	if err != nil {
		t.Skip(err)
	}
	dir := filepath.Join(t.TempDir(), "l")
	l := open(t, dir, Options{})
	start := time.Now()
	w, err := l.NewLoader(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	var buf []byte
	for line := range bytes.Lines(text) {
		if buf, err = chain.Canonical(buf[:0], line); err != nil {
			t.Fatal(err)
		}
		in, err := ParseInput(buf)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := w.Add(in); err != nil {
			t.Fatal(err)
		}
	}
	t.Log("added", time.Since(start))
	if err := w.Finish("import", `{}`); err != nil {
		t.Fatal(err)
	}
	t.Log("finished", time.Since(start))
	l.Close()
	t.Log("closed", time.Since(start))
	var size int64
	filepath.Walk(dir, func(p string, i os.FileInfo, err error) error { size += i.Size(); return nil })
	t.Log("size", size)
	l = open(t, dir, Options{ReadOnly: true})
	start = time.Now()
	rep, err := l.Verify(context.Background(), nil)
	t.Logf("verify %v %+v %v", time.Since(start), rep, err)
	s, _ := l.Snapshot()
	bytesBy := map[string]int{}
	for n := range s.state.blocks {
		b, _ := s.block(n)
		for i, d := range b.dir.cols {
			k := d.member.String() + d.sub
			bytesBy[k] += len(d.meta)
			for p := range d.pages {
				v, err := b.page(uint16(i+1), p)
				if err != nil {
					t.Fatal(err)
				}
				bytesBy[k] += len(v)
			}
		}
	}
	t.Log(bytesBy)
	s.Close()
	start = time.Now()
	s, _ = l.Snapshot()
	h, err := s.Session("session_00042")
	for i := range h.Count {
		if _, err := s.Entry("session_00042", i); err != nil {
			t.Fatal(err)
		}
	}
	t.Log("session", h.Count, time.Since(start))
	s.Close()
	l.Close()
}
