package db

import (
	"context"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"testing"
)

// TestDigests: digests of some rows of a block, in any order, are those of their entries, and
// the ones before them those of the entries before in the session, in whatever block that is.
func TestDigests(t *testing.T) {
	l := open(t, filepath.Join(t.TempDir(), "l"), Options{})
	var texts [][]byte
	for i := range blockRows + 3000 { // each session goes on in both blocks
		texts = append(texts, fmt.Appendf(nil, `{"session":"%c","args":{"n":%d}}`, "abc"[i%7%3], i))
	}
	if _, err := load(l, texts); err != nil {
		t.Fatal(err)
	}
	if _, err := l.AppendJSON(context.Background(), []byte(`{"session":"a"}`), []byte(`{"session":"new"}`)); err != nil {
		t.Fatal(err)
	}
	s, err := l.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	rng := rand.New(rand.NewPCG(5, 5))
	blocks := 0
	for b, err := range s.Scan(context.Background(), Range{}) {
		if err != nil {
			t.Fatal(err)
		}
		blocks++
		for _, rows := range [][]int{nil, {}, {0}, {b.Rows() - 1, 0}, rng.Perm(b.Rows())[:min(40, b.Rows())]} {
			digests, err := s.Digests(b, rows)
			if err != nil {
				t.Fatal(err)
			}
			prevs, err := s.Prevs(b, rows)
			if err != nil || len(prevs) != len(digests) || len(digests) != b.someRows(rows) {
				t.Fatalf("%d and %d digests of %v, %v", len(digests), len(prevs), rows, err)
			}
			i := 0
			for row := range b.eachOf(rows) {
				if rows == nil && row%97 > 0 { // an entry is looked for each time
					i++
					continue
				}
				session, index := placeOf(t, b, row)
				r, err := s.Entry(session, index)
				if err != nil {
					t.Fatal(err)
				}
				if digests[i] != r.Digest || prevs[i] != r.Prev {
					t.Fatalf("row %d of the block from %d: %x, %x, want %x, %x", row, b.First(), digests[i], prevs[i], r.Digest, r.Prev)
				}
				i++
			}
		}
		b.Release()
	}
	if blocks < 3 {
		t.Errorf("%d blocks", blocks)
	}
}

// placeOf returns where the entry of a row stands.
func placeOf(t *testing.T, b *Block, row int) (session string, index uint64) {
	t.Helper()
	names, err := b.sessionNames()
	if err != nil {
		t.Fatal(err)
	}
	codes, _, err := b.sessions()
	if err != nil {
		t.Fatal(err)
	}
	indexes, err := b.indexes()
	if err != nil {
		t.Fatal(err)
	}
	return names[codes[row]], indexes[row]
}
