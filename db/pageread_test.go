package db

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"sync"
	"testing"
)

// TestPageReader reads the pages of blocks in their order, at random and in several
// goroutines: they are what Get gives, and stay so until the block is released, whatever is
// read after them.
func TestPageReader(t *testing.T) {
	l := open(t, filepath.Join(t.TempDir(), "l"), Options{})
	defer l.Close()
	for b := range 3 {
		var texts [][]byte
		for i := range 2000 {
			texts = append(texts, made(fmt.Sprint("s", i%7), uint64(b*286+i/7)))
		}
		if b == 1 { // with a page that no room is for
			texts[0] = fmt.Appendf(nil, `{"session":"big","tool":"t","reasoning":"%x"}`, randomBytes(200_000))
		}
		for i := range texts {
			texts[i] = bytes.Replace(texts[i], []byte(`"index"`), []byte(`"duration_ms"`), 1)
		}
		if _, err := load(l, texts); err != nil {
			t.Fatal(err)
		}
	}
	s, err := l.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	var keys [][]byte
	large := 0
	err = each(s.txn, []byte{spaceColumn}, []byte{spaceColumn}, func(key []byte, value func() ([]byte, error)) error {
		keys = append(keys, bytes.Clone(key))
		v, err := value()
		large += len(v) / (roomChunk/2 + 1)
		return err
	})
	if err != nil || len(keys) < 30 || large == 0 {
		t.Fatalf("%d pages, %d of them large, %v; want many, and a large one", len(keys), large, err)
	}
	readAll := func(order []int) {
		var room pageRoom
		got := make([][]byte, len(keys))
		for _, i := range order {
			var err error
			if got[i], err = s.pages.read(keys[i], room.keep); err != nil {
				t.Errorf("page %x: %v", keys[i], err)
			}
		}
		for i, key := range keys {
			if want, err := must(s.txn, key); err != nil || !bytes.Equal(got[i], want) {
				t.Errorf("page %x has %d bytes, want %d as Get gives them, %v", key, len(got[i]), len(want), err)
			}
		}
		room.release()
	}
	var inOrder []int
	for i := range keys {
		inOrder = append(inOrder, i)
	}
	readAll(inOrder)
	var readers sync.WaitGroup
	for range 4 {
		readers.Go(func() { readAll(rand.Perm(len(keys))) })
	}
	readers.Wait()
	if n := len(s.pages.free); n > 5 {
		t.Errorf("%d iterators were kept of 5 readings at a time", n)
	}
	if _, err := s.pages.read(columnKey(99, 0, 1, 0), bytes.Clone); !isDamaged(err) {
		t.Errorf("a page that is not there: %v, want a DamagedError", err)
	}
}

// TestReadBesideDamage reads a page whose neighbour is damaged.
func TestReadBesideDamage(t *testing.T) {
	l := open(t, filepath.Join(t.TempDir(), "l"), Options{})
	defer l.Close()
	if _, err := l.Append(context.Background(), Entry{Session: "s", Tool: "t"}); err != nil {
		t.Fatal(err)
	}
	var b batch
	for page := range uint16(3) {
		b.set(columnKey(7, 0, 1, page), []byte{byte(page)})
	}
	b.values[1][0] ^= 1
	if err := b.commit(l.store); err != nil {
		t.Fatal(err)
	}
	s, err := l.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for page := range uint16(3) {
		v, err := s.pages.read(columnKey(7, 0, 1, page), bytes.Clone)
		if ok := err == nil && bytes.Equal(v, []byte{byte(page)}); ok != (page != 1) || page == 1 && !isDamaged(err) {
			t.Errorf("page %d: %v, %v", page, v, err)
		}
	}
}

// TestNextPage: an iterator goes on only to the page that follows in the same column of the same
// generation, and the keys of the two are neighbours.
func TestNextPage(t *testing.T) {
	last := columnKey(7, 2, 3, 4)
	for _, tt := range []struct {
		name string
		key  []byte
		want bool
	}{
		{"next page", columnKey(7, 2, 3, 5), true},
		{"same page", last, false},
		{"page after next", columnKey(7, 2, 3, 6), false},
		{"next column", columnKey(7, 2, 4, 0), false},
		{"same page of the next generation", columnKey(7, 3, 3, 4), false},
		{"next page of the next generation", columnKey(7, 3, 3, 5), false},
		{"next page of the next block", columnKey(8, 2, 3, 5), false},
		{"head", blockKey(7), false},
	} {
		if got := isNextPage(last, tt.key); got != tt.want {
			t.Errorf("%s: isNextPage(%x, %x) = %t, want %t", tt.name, last, tt.key, got, tt.want)
		}
	}
	if isNextPage(nil, columnKey(0, 0, 0, 1)) {
		t.Error("an iterator that stands nowhere is before the first page")
	}
}

func randomBytes(n int) []byte {
	b, rng := make([]byte, n), rand.New(rand.NewPCG(1, 2))
	for i := range b {
		b[i] = byte(rng.Uint32())
	}
	return b
}
