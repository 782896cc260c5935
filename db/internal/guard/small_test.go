package guard

import (
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dgraph-io/badger/v4"
	"github.com/dgraph-io/badger/v4/options"
)

func TestCurrent(t *testing.T) {
	dir := t.TempDir()
	if _, err := ReadCurrent(dir); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("ReadCurrent of an empty folder = %v, want fs.ErrNotExist", err)
	}
	if WriteCurrent(dir, 0) == nil {
		t.Error("WriteCurrent(0) = nil, want an error")
	}
	for _, n := range []uint64{1, 2, 10, math.MaxUint64} {
		if err := WriteCurrent(dir, n); err != nil {
			t.Fatal(err)
		}
		if got, err := ReadCurrent(dir); got != n || err != nil {
			t.Errorf("ReadCurrent = %d, %v, want %d", got, err, n)
		}
	}
	if files := glob(t, dir, "*"); len(files) != 1 {
		t.Errorf("the folder has %v, want CURRENT only", files)
	}
	for _, text := range []string{
		"", "\n", "badger.1", "badger.1\n\n", "badger.0\n", "badger.01\n", "badger.+1\n", "badger.-1\n", "badger.\n",
		"badger.1/\n", "../badger.1\n", "Badger.1\n", " badger.1\n", "badger.1\r\n", "badger.18446744073709551616\n", "badger.1\x00\n", strings.Repeat("\x00", 9),
	} {
		if err := os.WriteFile(filepath.Join(dir, "CURRENT"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		_, err := ReadCurrent(dir)
		wantDamage(t, err, "CURRENT", fmt.Sprintf("is %.40q", text))
	}
}

func TestClean(t *testing.T) {
	dir := t.TempDir()
	if _, ok, err := ReadClean(dir); ok || err != nil {
		t.Errorf("ReadClean = %v, %v, want false", ok, err)
	}
	want := Clean{Size: 1234, Root: [32]byte{1, 0xff}}
	for range 2 {
		if err := WriteClean(dir, want); err != nil {
			t.Fatal(err)
		}
		if got, ok, err := ReadClean(dir); got != want || !ok || err != nil {
			t.Errorf("ReadClean = %v, %v, %v, want %v", got, ok, err, want)
		}
	}
	path := filepath.Join(dir, "clean")
	good, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for i := range good { // every byte counts
		for _, b := range []byte{good[i] ^ 1, good[i] ^ 0x20, 0, ' '} {
			bad := append([]byte(nil), good...)
			if bad[i] = b; b == good[i] {
				continue
			}
			os.WriteFile(path, bad, 0o600)
			_, ok, err := ReadClean(dir)
			if ok {
				t.Errorf("ReadClean of %q = true", bad)
			}
			wantDamage(t, err, "clean", "delete it")
		}
		os.WriteFile(path, good[:i], 0o600)
		_, _, err := ReadClean(dir)
		wantDamage(t, err, "clean", "delete it")
	}
	for range 2 {
		if err := RemoveClean(dir); err != nil {
			t.Fatal(err)
		}
	}
	if _, ok, err := ReadClean(dir); ok || err != nil {
		t.Errorf("ReadClean = %v, %v, want false", ok, err)
	}
}

func TestSpace(t *testing.T) {
	dir := t.TempDir()
	free, err := FreeSpace(dir)
	if err != nil || free == 0 {
		t.Fatalf("FreeSpace = %d, %v", free, err)
	}
	if got, want := NeedSpace(16<<20, 1000), uint64(4*16<<20+64<<20+1000); got != want {
		t.Errorf("NeedSpace = %d, want %d", got, want)
	}
	if err := CheckSpace(dir, 1); err != nil {
		t.Errorf("CheckSpace(1) = %v", err)
	}
	if err := CheckSpace(dir, math.MaxUint64); !errors.Is(err, ErrNoSpace) {
		t.Errorf("CheckSpace(all) = %v, want ErrNoSpace", err)
	}
	if _, err := FreeSpace(filepath.Join(dir, "none")); err == nil {
		t.Error("FreeSpace of no folder = nil, want an error")
	}
	for _, tt := range []struct {
		free, files, need uint64
		want              string
	}{
		{100, 5000, 100, ""},
		{99, 5000, 100, "not enough free space in d: 99 bytes free, 100 needed"},
		{100, 999, 100, "not enough free space in d: the file system can hold only 999 more files, 1000 needed"},
	} {
		if got := enough("d", tt.free, tt.files, tt.need); tt.want != "" && (got == nil || got.Error() != tt.want) || tt.want == "" && got != nil {
			t.Errorf("enough(%d, %d, %d) = %v, want %s", tt.free, tt.files, tt.need, got, tt.want)
		}
	}
}

func TestLog(t *testing.T) {
	var _ badger.Logger = new(Log)
	l := new(Log)
	for i := range 60 {
		l.Infof("line %d\n", i)
	}
	l.Warningf("careful")
	l.Debugf("detail")
	if err := l.Failed(); err != nil || len(l.Lines()) != 50 {
		t.Errorf("Failed = %v, %d lines, want none, 50", err, len(l.Lines()))
	}
	l.Errorf("100% of a ready text")
	l.Errorf("second %d", 2)
	if err := l.Failed(); err == nil || err.Error() != "badger: 100% of a ready text" {
		t.Errorf("Failed = %v, want the first line", err)
	}
	lines := l.Lines()
	if got, want := lines[0], "INFO line 14"; got != want {
		t.Errorf("oldest line %q, want %q", got, want)
	}
	if got, want := lines[49], "ERROR second 2"; got != want {
		t.Errorf("newest line %q, want %q", got, want)
	}
}

// TestLogBadger: what Badger reports when it fails to open arrives. One table, since
// Badger closes the others in a race with opening them.
func TestLogBadger(t *testing.T) {
	dir := t.TempDir()
	fill(t, testOptions(dir, kinds["plain"]), 0, 200)
	edit(t, glob(t, dir, "*.sst")[0], flip(func(n int) int { return n / 3 }))
	l := new(Log)
	db, err := badger.Open(testOptions(dir, kinds["plain"]).WithLogger(l).WithChecksumVerificationMode(options.OnTableRead))
	if err == nil {
		db.Close()
		t.Fatal("Open = nil, want an error")
	}
	if l.Failed() == nil {
		t.Errorf("Failed = nil after %v", err)
	}
}
