package db

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"toolledger/chain"
)

// A wreck is a ledger of two blocks and a tail, as a writer that was killed leaves it and
// as one that was closed does, and what every entry is, by its digest.
type wreck struct {
	killed, closed string
	args           map[string]string
}

func makeWreck(t *testing.T, key []byte) wreck {
	t.Helper()
	dir := t.TempDir()
	w := wreck{killed: filepath.Join(dir, "killed"), closed: filepath.Join(dir, "closed"), args: map[string]string{}}
	l := open(t, w.closed, Options{Key: key})
	for part := range uint64(3) {
		var texts [][]byte
		for i := range uint64(200) {
			texts = append(texts, made(fmt.Sprint("s", i%5), part*40+i/5))
		}
		if _, err := l.AppendJSON(t.Context(), texts...); err != nil {
			t.Fatal(err)
		}
		if part < 2 {
			packNow(t, l)
		}
		if part == 0 { // so that there is a table, and a log that goes on
			closeLedger(t, l)
			l = open(t, w.closed, Options{Key: key})
		}
	}
	s, err := l.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	for r, err := range s.Records(t.Context(), Range{}) {
		if err != nil {
			t.Fatal(err)
		}
		w.args[fmt.Sprintf("%x", r.Digest[:])] = string(r.Members[chain.Args])
	}
	s.Close()
	if err := copyTree(w.killed, w.closed); err != nil {
		t.Fatal(err)
	}
	closeLedger(t, l)
	return w
}

// TestRecover recovers ledgers that lack this and that: what is in the new one was in the
// old one, all of it where only what Badger keeps beside its data is gone.
func TestRecover(t *testing.T) {
	files := func(pattern string) func(dir string) []string {
		return func(dir string) []string {
			list, _ := filepath.Glob(filepath.Join(dir, pattern))
			return list
		}
	}
	remove := func(path string) error { return os.Remove(path) }
	flip := func(path string) error {
		b, err := os.ReadFile(path)
		if err == nil {
			b[len(bytes.TrimRight(b, "\x00"))/3] ^= 4
			err = os.WriteFile(path, b, 0o600)
		}
		return err
	}
	cut := func(path string) error {
		info, err := os.Stat(path)
		if err == nil {
			err = os.Truncate(path, info.Size()-7)
		}
		return err
	}
	for _, key := range []string{"", "0123456789abcdef"} {
		w := makeWreck(t, []byte(key))
		for _, test := range []struct {
			name    string
			killed  bool
			files   func(string) []string
			do      func(string) error
			all     bool // whether nothing is lost
			nothing bool // whether there is nothing to recover from
		}{
			{"nothing", false, files("none"), remove, true, false},
			{"killed", true, files("none"), remove, true, false},
			{"CURRENT is gone", false, files("CURRENT"), remove, true, false},
			{"heads is gone", false, files("heads"), remove, true, false},
			{"heads is flipped", true, files("heads"), flip, true, false},
			{"MANIFEST is gone", false, files("badger.1/MANIFEST"), remove, true, false},
			{"MANIFEST is cut", false, files("badger.1/MANIFEST"), cut, true, false},
			{"MANIFEST is gone, killed", true, files("badger.1/MANIFEST"), remove, true, false},
			{"a table is flipped", false, files("badger.1/*.sst"), flip, false, false},
			{"a table is flipped, killed", true, files("badger.1/*.sst"), flip, false, false},
			{"a table is cut, killed", true, files("badger.1/*.sst"), cut, false, false},
			{"a log is flipped, killed", true, files("badger.1/*.mem"), flip, false, false},
			{"no store", false, files("badger.1"), os.RemoveAll, false, true},
		} {
			t.Run(fmt.Sprintf("%s/key of %d", test.name, len(key)), func(t *testing.T) {
				dir := t.TempDir()
				from, to := filepath.Join(dir, "old"), filepath.Join(dir, "new")
				source := w.closed
				if test.killed {
					source = w.killed
				}
				if err := copyTree(from, source); err != nil {
					t.Fatal(err)
				}
				for _, file := range test.files(from) {
					if err := test.do(file); err != nil {
						t.Fatal(err)
					}
				}
				done, err := Recover(t.Context(), from, to, Options{Key: []byte(key)})
				if test.nothing {
					if !isDamaged(err) {
						t.Fatalf("Recover = %v, want a DamagedError", err)
					}
					return
				}
				var lost uint64
				for _, gap := range done.Gaps {
					lost += gap.To - gap.From
				}
				if err != nil || test.all && lost > 0 || done.Entries+lost < 600 && !errors.Is(err, ErrNoLedger) {
					t.Fatalf("Recover = %d entries, gaps %v, %v", done.Entries, done.Gaps, err)
				}
				w.check(t, to, key, done.Entries)
				if list, _ := os.ReadDir(dir); len(list) != 2 {
					t.Errorf("there is more than the old ledger and the new one: %v", list)
				}
			})
		}
	}
}

// check requires all entries of a recovered ledger to be of the old one.
func (w *wreck) check(t *testing.T, dir, key string, entries uint64) {
	t.Helper()
	l := open(t, dir, Options{Key: []byte(key)})
	defer l.Close()
	intact(t, l)
	s, err := l.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	var seen []string
	for r, err := range s.Records(t.Context(), Range{}) {
		if err != nil {
			t.Fatal(err)
		}
		if r.Session == OwnSession {
			continue
		}
		digest := ""
		for name, value := range chain.Members(r.Members[chain.Metadata]) {
			if string(name) == sourceDigest {
				digest = chain.Unquote(value)
			}
		}
		if args, ok := w.args[digest]; !ok || args != string(r.Members[chain.Args]) || slices.Contains(seen, digest) {
			t.Fatalf("%s was not in the old ledger, or is twice in the new one", r.JSON())
		}
		seen = append(seen, digest)
	}
	if uint64(len(seen)) != entries {
		t.Errorf("there are %d entries, want %d", len(seen), entries)
	}
}
