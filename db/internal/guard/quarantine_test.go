package guard

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"
)

// ledger returns a ledger's folder whose store was killed.
func ledger(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	store := killed(t, kinds["plain"])
	if err := os.Rename(store, StoreDir(dir, 1)); err != nil {
		t.Fatal(err)
	}
	if err := WriteCurrent(dir, 1); err != nil {
		t.Fatal(err)
	}
	if err := CreateHeads(filepath.Join(dir, "heads")); err != nil {
		t.Fatal(err)
	}
	return dir
}

func contents(t *testing.T, dir string) map[string][]byte {
	t.Helper()
	files := map[string][]byte{}
	for _, path := range glob(t, dir, "*") {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		files[filepath.Base(path)] = data
	}
	return files
}

func TestQuarantine(t *testing.T) {
	dir := ledger(t)
	store := StoreDir(dir, 1)
	before := contents(t, store)
	now := time.Date(2026, 11, 30, 13, 0, 0, 5, time.FixedZone("", 3600))
	// What a crash left of an earlier attempt.
	if err := os.MkdirAll(filepath.Join(dir, "quarantine", "20261129T120000.000000000Z.partial"), 0o700); err != nil {
		t.Fatal(err)
	}
	name, err := Quarantine(dir, now)
	if err != nil {
		t.Fatal(err)
	}
	if want := "20261130T120000.000000005Z"; name != want {
		t.Errorf("Quarantine = %q, want %q", name, want)
	}
	if got, err := Quarantines(dir); err != nil || !slices.Equal(got, []string{name}) {
		t.Errorf("Quarantines = %v, %v, want %s", got, err, name)
	}
	if left := glob(t, filepath.Join(dir, "quarantine"), "*"); len(left) != 1 {
		t.Errorf("quarantine has %v, want the one", left)
	}
	aside := filepath.Join(dir, "quarantine", name)
	// Badger recovers, compacts nothing, and the copy keeps every byte.
	db := openBadger(t, RecoveryOptions(testOptions(store, kinds["plain"])))
	if n := count(t, db); n != 2100 {
		t.Errorf("%d rows, want 2100", n)
	}
	closeBadger(t, db)
	copied := contents(t, aside)
	if _, ok := copied["heads"]; !ok {
		t.Error("the ring is not in the copy")
	}
	delete(copied, "heads")
	delete(before, "LOCK")
	for name, data := range before {
		if !bytes.Equal(copied[name], data) {
			t.Errorf("%s: %d bytes in the copy, want %d as before", name, len(copied[name]), len(data))
		}
	}
	if len(copied) != len(before) {
		t.Errorf("%d files in the copy, want %d", len(copied), len(before))
	}
	// A copy of the copy is a whole store.
	again := copyDir(t, aside)
	if err := CheckStore(again, Expect{}); err != nil {
		t.Errorf("CheckStore of the copy = %v", err)
	}
	db = openBadger(t, testOptions(again, kinds["plain"]))
	if n := count(t, db); n != 2100 {
		t.Errorf("%d rows in the copy, want 2100", n)
	}
	closeBadger(t, db)

	if err := RemoveQuarantine(dir, name); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(dir, "quarantine")); !os.IsNotExist(err) {
		t.Errorf("quarantine after the last was removed: %v, want none", err)
	}
	if err := CheckStore(store, Expect{Clean: true}); err != nil {
		t.Errorf("CheckStore after the copy was removed = %v", err)
	}
}

// TestQuarantineLinks holds why RecoveryOptions are needed: a compaction empties
// the linked tables.
func TestQuarantineLinks(t *testing.T) {
	dir := ledger(t)
	name, err := Quarantine(dir, time.Unix(0, 0))
	if err != nil {
		t.Fatal(err)
	}
	closeBadger(t, openBadger(t, testOptions(StoreDir(dir, 1), kinds["plain"])))
	emptied := 0
	for name, data := range contents(t, filepath.Join(dir, "quarantine", name)) {
		if filepath.Ext(name) == ".sst" && len(data) == 0 {
			emptied++
		}
	}
	if emptied == 0 {
		t.Error("no table emptied: Badger no longer truncates what it removes, or nothing was compacted")
	}
}

func TestQuarantineTwo(t *testing.T) {
	dir := ledger(t)
	var names []string
	for i := range 2 {
		name, err := Quarantine(dir, time.Unix(int64(i), 0))
		if err != nil {
			t.Fatal(err)
		}
		names = append(names, name)
	}
	if _, err := Quarantine(dir, time.Unix(1, 0)); err == nil {
		t.Error("Quarantine of the same time = nil, want an error")
	}
	if got, err := Quarantines(dir); err != nil || !slices.Equal(got, names) {
		t.Errorf("Quarantines = %v, %v, want %v", got, err, names)
	}
	if err := RemoveQuarantine(dir, names[0]); err != nil {
		t.Error(err)
	}
	if got, err := Quarantines(dir); err != nil || !slices.Equal(got, names[1:]) {
		t.Errorf("Quarantines = %v, %v, want %v", got, err, names[1:])
	}
	for _, name := range []string{"", ".", "..", "../badger.1", names[0]} {
		if err := RemoveQuarantine(dir, name); err == nil {
			t.Errorf("RemoveQuarantine(%q) = nil, want an error", name)
		}
	}
}

func TestQuarantineNone(t *testing.T) {
	if got, err := Quarantines(t.TempDir()); len(got) != 0 || err != nil {
		t.Errorf("Quarantines = %v, %v, want none", got, err)
	}
	if _, err := Quarantine(t.TempDir(), time.Now()); err == nil {
		t.Error("Quarantine of no ledger = nil, want an error")
	}
}

func TestCopyFile(t *testing.T) {
	for _, size := range []int{0, 1, copyChunk - 1, copyChunk, copyChunk + 1, 5 * copyChunk} {
		for _, at := range []int{-1, 0, size / 2, size - 1} {
			data := make([]byte, size)
			if at >= 0 && at < size {
				data[at] = 1
			}
			src := filepath.Join(t.TempDir(), "a")
			if err := os.WriteFile(src, data, 0o600); err != nil {
				t.Fatal(err)
			}
			if err := copyFile(src+"2", src); err != nil {
				t.Fatal(err)
			}
			if got, err := os.ReadFile(src + "2"); err != nil || !bytes.Equal(got, data) {
				t.Errorf("copy of %d bytes with a 1 at %d: %d bytes, %v", size, at, len(got), err)
			}
		}
	}
}
