package guard

import (
	"encoding/binary"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"
)

// ring makes a ring with records of size 10, 20, ... and returns its path.
func ring(t *testing.T, records int) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "heads")
	if err := CreateHeads(path); err != nil {
		t.Fatal(err)
	}
	h := openRing(t, path)
	for i := range records {
		appendRecord(t, h, i)
	}
	if err := h.Sync(); err != nil {
		t.Fatal(err)
	}
	return path
}

func openRing(t *testing.T, path string) *Heads {
	t.Helper()
	h, err := OpenHeads(path, false)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { h.Close() })
	return h
}

func appendRecord(t *testing.T, h *Heads, i int) {
	t.Helper()
	r := Record{Size: uint64(10 * (i + 1)), Root: [32]byte{byte(i)}, Time: time.Unix(int64(i), 7)}
	if err := h.Append(r); err != nil {
		t.Fatal(err)
	}
}

func TestHeads(t *testing.T) {
	for _, records := range []int{0, 1, 2, 1022, 1023, 1024, 1025, 3000} {
		path := ring(t, records)
		h, err := OpenHeads(path, true)
		if err != nil {
			t.Fatal(err)
		}
		defer h.Close()
		last, ok := h.Last()
		if ok != (records > 0) || h.Damaged != 0 || h.Torn {
			t.Errorf("%d records: Last = %v, damaged %d, torn %v", records, ok, h.Damaged, h.Torn)
		}
		want := Record{Counter: uint64(records), Size: uint64(10 * records), Root: [32]byte{byte(records - 1)}, Time: time.Unix(int64(records-1), 7)}
		if ok && last != want {
			t.Errorf("%d records: Last = %+v, want %+v", records, last, want)
		}
		if ok && h.Append(last) == nil {
			t.Error("Append to a ring opened to be read = nil, want an error")
		}
		if info, err := os.Stat(path); err != nil || info.Size() != 64*1024 {
			t.Errorf("%d records: size %v, %v, want 65536", records, info.Size(), err)
		}
	}
}

func TestHeadsDamage(t *testing.T) {
	slot := func(i int, change func([]byte)) func([]byte) []byte {
		return func(b []byte) []byte { change(b[i*64 : i*64+64]); return b }
	}
	flip := func(at int) func([]byte) { return func(b []byte) { b[at] ^= 1 } }
	zero := func(b []byte) { clear(b) }
	for _, tt := range []struct {
		name    string
		records int
		change  func([]byte) []byte
		last    uint64
		damaged int
		torn    bool
	}{
		{"newest, counter", 20, slot(20, flip(7)), 19, 0, true},
		{"newest, size", 20, slot(20, flip(8)), 19, 0, true},
		{"newest, root", 20, slot(20, flip(47)), 19, 0, true},
		{"newest, time", 20, slot(20, flip(55)), 19, 0, true},
		{"newest, checksum", 20, slot(20, flip(63)), 19, 0, true},
		{"newest zeroed", 20, slot(20, zero), 19, 0, true},
		{"only one zeroed", 1, slot(1, zero), 0, 0, true},
		{"torn append", 20, slot(21, func(b []byte) { b[7] = 21; b[15] = 5 }), 20, 0, true},
		{"torn append, next round", 1500, slot(1501-1024, flip(30)), 1500, 0, true},
		{"older one", 20, slot(7, flip(30)), 20, 1, false},
		{"never used one", 20, slot(500, flip(30)), 20, 1, false},
		{"two of the newest", 20, func(b []byte) []byte { b[20*64]++; b[19*64]++; return b }, 18, 1, true},
		{"a sector", 1500, func(b []byte) []byte { clear(b[512:1024]); return b }, 1500, 8, false},
		{"everything", 1500, func(b []byte) []byte { clear(b); return b }, 0, 1023, true},
		{"newest in another slot", 20, func(b []byte) []byte { copy(b[30*64:31*64], b[20*64:]); clear(b[20*64 : 21*64]); return b }, 19, 1, true},
		{"cut short", 1500, cut(70), 1500, 2, false},
		{"cut before the newest", 1500, func(b []byte) []byte { return b[:1500%1024*64] }, 1499, 548, false},
		{"empty", 20, func(b []byte) []byte { return nil }, 0, 1024, false},
		{"longer", 20, func(b []byte) []byte { return append(b, 0) }, 20, 1, false},
		// A power cut keeps old pages: an earlier round is no damage.
		{"page of the round before", 1500, func(b []byte) []byte { return b }, 1500, 0, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			path := ring(t, tt.records)
			edit(t, path, tt.change)
			h := openRing(t, path)
			last, ok := h.Last()
			if last.Counter != tt.last || ok != (tt.last > 0) || h.Damaged != tt.damaged || h.Torn != tt.torn {
				t.Errorf("last %d, damaged %d, torn %v; want %d, %d, %v", last.Counter, h.Damaged, h.Torn, tt.last, tt.damaged, tt.torn)
			}
		})
	}
}

// TestHeadsEarlierRound puts a page of the round before into a ring, as a power
// cut may: the records around it are the truth.
func TestHeadsEarlierRound(t *testing.T) {
	path := ring(t, 1100)
	old, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	h := openRing(t, path)
	for i := 1100; i < 2100; i++ {
		appendRecord(t, h, i)
	}
	edit(t, path, func(b []byte) []byte { copy(b[8192:], old[8192:12288]); return b })
	h = openRing(t, path)
	if last, _ := h.Last(); last.Counter != 2100 || h.Damaged != 0 || h.Torn {
		t.Errorf("last %d, damaged %d, torn %v; want 2100 and no damage", last.Counter, h.Damaged, h.Torn)
	}
}

// TestHeadsGoOn appends to a torn ring: the record takes the torn slot.
func TestHeadsGoOn(t *testing.T) {
	path := ring(t, 20)
	edit(t, path, flip(func(int) int { return 20*64 + 9 }))
	appendRecord(t, openRing(t, path), 99)
	h := openRing(t, path)
	if last, _ := h.Last(); last.Counter != 20 || last.Size != 1000 || h.Torn || h.Damaged != 0 {
		t.Errorf("last %+v, damaged %d, torn %v; want counter 20, size 1000, no damage", last, h.Damaged, h.Torn)
	}
}

func TestHeadsFile(t *testing.T) {
	path := ring(t, 3)
	if err := CreateHeads(path); !errors.Is(err, fs.ErrExist) {
		t.Errorf("CreateHeads over a ring = %v, want fs.ErrExist", err)
	}
	h := openRing(t, path)
	if last, _ := h.Last(); last.Size != 30 {
		t.Errorf("size %d after a refused CreateHeads, want 30", last.Size)
	}
	_, err := OpenHeads(filepath.Join(t.TempDir(), "heads"), false)
	wantDamage(t, err, "heads", "missing")
}

// TestHeadsFailed: after a failed write nothing is appended or synced any more.
func TestHeadsFailed(t *testing.T) {
	h := openRing(t, ring(t, 3))
	h.f.Close()
	first := h.Append(Record{Size: 4})
	if first == nil {
		t.Fatal("Append to a closed file = nil, want an error")
	}
	if err := h.Sync(); err != first {
		t.Errorf("Sync = %v, want %v", err, first)
	}
	if last, _ := h.Last(); last.Counter != 3 {
		t.Errorf("Last = %d, want 3", last.Counter)
	}
	h = openRing(t, ring(t, 3))
	h.f.Close()
	if h.Sync() == nil || h.Append(Record{}) == nil {
		t.Error("Sync, Append = nil after a failed sync, want errors")
	}
}

func TestHeadsConcurrent(t *testing.T) {
	path := ring(t, 0)
	h := openRing(t, path)
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for i := range 500 {
				if h.Append(Record{Size: uint64(i)}) != nil || i%100 == 0 && h.Sync() != nil {
					t.Error("Append or Sync failed")
				}
				h.Last()
			}
		})
	}
	wg.Wait()
	h = openRing(t, path)
	if last, _ := h.Last(); last.Counter != 2000 || h.Damaged != 0 || h.Torn {
		t.Errorf("last %d, damaged %d, torn %v; want 2000 and no damage", last.Counter, h.Damaged, h.Torn)
	}
}

// TestRecordLayout holds the format: it is on disk.
func TestRecordLayout(t *testing.T) {
	b := Record{Counter: 1, Size: 2, Root: [32]byte{3}, Time: time.Unix(0, 4)}.encode()
	for _, f := range []struct {
		at   int
		want uint64
	}{{0, 1}, {8, 2}, {16, 3 << 56}, {24, 0}, {48, 4}, {56, 0x0c6f8f7bf2d44a2e}} {
		if got := binary.BigEndian.Uint64(b[f.at:]); got != f.want {
			t.Errorf("byte %d: %#x, want %#x", f.at, got, f.want)
		}
	}
}
