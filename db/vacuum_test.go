package db

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/dgraph-io/badger/v4"

	"toolledger/chain"
	"toolledger/db/internal/guard"
)

// token returns a text that no codec makes smaller and that stands nowhere else.
func token() string {
	b := make([]byte, 20)
	rand.Read(b)
	return hex.EncodeToString(b)
}

// withTokens makes a ledger whose entries have a token in args, and one in the prompt.
func withTokens(t *testing.T, dir string, opt Options, entries int) (tokens []string) {
	t.Helper()
	l := open(t, dir, opt)
	for i := range entries {
		tokens = append(tokens, token())
		text := fmt.Appendf(nil, `{"session":"a","tool":"t","args":{"password":%q,"n":%d},"prompt":"be good"}`, tokens[i], i)
		if _, err := l.AppendJSON(t.Context(), text); err != nil {
			t.Fatal(err)
		}
		if i == entries/2 {
			packNow(t, l)
		}
	}
	closeLedger(t, l)
	return tokens
}

// TestVacuum: removed tokens are found in the files before the removal, and while the ledger is
// open also after it, by reading the files as they are; after a vacuum they are in none. Those
// that stay are found throughout.
func TestVacuum(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "l")
	tokens := withTokens(t, dir, Options{}, 6)
	for _, token := range tokens {
		if len(filesWith(t, dir, token)) == 0 {
			t.Fatal("a token is in no file before the removal: the search is wrong")
		}
	}
	l := open(t, dir, Options{})
	if _, err := l.Remove(t.Context(), redaction("a", 1, 5, "/args/password")); err != nil {
		t.Fatal(err)
	}
	lingering := 0
	for _, token := range tokens[1:5] {
		lingering += len(filesWith(t, dir, token))
	}
	if lingering == 0 {
		t.Fatal("no removed token lingers in the files of the open ledger: the test shows nothing")
	}
	want := mustAnswers(t, l)
	closeLedger(t, l)
	if _, err := Vacuum(t.Context(), dir, Options{}); err != nil {
		t.Fatal(err)
	}
	for i, token := range tokens {
		if files, gone := filesWith(t, dir, token), i >= 1 && i < 5; gone == (len(files) > 0) {
			t.Errorf("token %d is in %q, want it gone %v", i, files, gone)
		}
	}
	l = open(t, dir, Options{})
	defer closeLedger(t, l)
	sameAnswers(t, mustAnswers(t, l), want)
	intact(t, l)
}

// everyVersion returns all versions of all values in the files of a ledger, those of blocks also
// as the rows that they are, whatever generation.
func everyVersion(t *testing.T, dir string, key []byte) (texts [][]byte) {
	t.Helper()
	copied := filepath.Join(t.TempDir(), "copy")
	if err := copyTree(copied, dir); err != nil {
		t.Fatal(err)
	}
	stores, err := filepath.Glob(filepath.Join(copied, "badger.*"))
	if err != nil {
		t.Fatal(err)
	}
	for _, store := range stores {
		opt := Options{Key: key}
		if err := opt.check(); err != nil {
			t.Fatal(err)
		}
		all := guard.RecoveryOptions(opt.badgerOptions(store, new(guard.Log))).WithNumVersionsToKeep(math.MaxInt32)
		db, err := badger.Open(all)
		if err != nil {
			t.Fatal(err)
		}
		txn := db.NewTransaction(false)
		it := txn.NewIterator(badger.IteratorOptions{AllVersions: true})
		type place struct {
			block      uint64
			generation uint32
		}
		pages := map[place]map[string][]byte{}
		heads := map[uint64][][]byte{}
		for it.Rewind(); it.Valid(); it.Next() {
			if it.Item().IsDeletedOrExpired() {
				continue
			}
			value, err := itemValue(it.Item())
			if err != nil {
				t.Fatal(err)
			}
			value = bytes.Clone(value)
			texts = append(texts, value)
			k := it.Item().KeyCopy(nil)
			if block, generation, _, _, ok := parseColumnKey(k); ok {
				at := place{block, generation}
				if pages[at] == nil {
					pages[at] = map[string][]byte{}
				}
				pages[at][string(k)] = value
			} else if k[0] == spaceBlock {
				number := uint64(k[8])
				heads[number] = append(heads[number], value)
			}
		}
		it.Close()
		txn.Discard()
		for number, versions := range heads {
			for _, v := range versions {
				h, err := decodeBlockHead(number, v)
				if err != nil {
					t.Fatal(err)
				}
				stored := pages[place{number, h.generation}]
				if stored == nil {
					continue
				}
				b, err := newBlock(number, h, func(col, page uint16) ([]byte, error) {
					if value := stored[string(columnKey(number, h.generation, col, page))]; value != nil {
						return value, nil
					}
					return nil, errNoKey
				})
				if err != nil {
					t.Fatal(err)
				}
				for row := range b.Rows() {
					m, err := b.Entry(row)
					if err != nil {
						t.Fatal(err)
					}
					texts = append(texts, m.Append(nil))
				}
			}
		}
		if err := db.Close(); err != nil {
			t.Fatal(err)
		}
	}
	return texts
}

// TestVacuumDecoded is TestVacuum for what grep does not see: an encrypted ledger whose texts are
// compressed. Every version in every file is decoded and searched.
func TestVacuumDecoded(t *testing.T) {
	for _, key := range []string{"", "0123456789abcdef"} {
		t.Run(fmt.Sprint("key of ", len(key)), func(t *testing.T) {
			dir, opt := filepath.Join(t.TempDir(), "l"), Options{Key: []byte(key)}
			l := open(t, dir, opt)
			var texts [][]byte
			for i := range 3000 {
				texts = append(texts, fmt.Appendf(nil, `{"session":"s%d","tool":"t","args":{"n":%d,"text":"the secret of number %d is the word owl%d and nothing else"}}`, i%3, i, i, i))
			}
			if _, err := load(l, texts); err != nil {
				t.Fatal(err)
			}
			secret := []byte("owl1500 ")
			has := func() bool {
				for _, text := range everyVersion(t, dir, opt.Key) {
					if bytes.Contains(text, secret) {
						return true
					}
				}
				return false
			}
			closeLedger(t, l)
			if !has() {
				t.Fatal("the secret is not found before the removal: the search is wrong")
			}
			l = open(t, dir, opt)
			if _, err := l.Remove(t.Context(), redaction("s0", 500, 501, "/args/text")); err != nil {
				t.Fatal(err)
			}
			if !has() {
				t.Fatal("the secret does not linger in the files of the open ledger: the test shows nothing")
			}
			closeLedger(t, l)
			if _, err := Vacuum(t.Context(), dir, opt); err != nil {
				t.Fatal(err)
			}
			if has() {
				t.Error("the secret is in a file after the vacuum")
			}
			l = open(t, dir, opt)
			defer closeLedger(t, l)
			intact(t, l)
		})
	}
}

// removeSteps and vacuumSteps are all the places where a removal and a vacuum may stop.
var (
	removeSteps = []string{"remove: packed", "remove: intended", "remove: before switch", "remove: before deletes", "remove: done", "pack: before pages", "pack: before switch", "pack: before deletes"}
	vacuumSteps = []string{"vacuum: copied", "vacuum: closed", "vacuum: before swap", "vacuum: swapped"}
)

// childRemove removes, or vacuums, and is killed at a step.
func childRemove(args []string) error {
	opt := Options{Key: []byte(args[3])}
	stopAt(args[1], 1, func() error { killSelf(); return nil })
	if args[2] == "vacuum" {
		_, err := Vacuum(context.Background(), args[0], opt)
		return err
	}
	l, err := Open(args[0], opt)
	if err != nil {
		return err
	}
	_, err = l.Remove(context.Background(), redaction("a", 1, 5, "/args/password"))
	return err
}

// TestRemoveKilled kills a removal and a vacuum between every two steps. What is left is the
// ledger as it was or as it should become; once the entry that says so is there, the removal is
// done. Then all of it is tried again, and no token that was removed is left after a vacuum.
func TestRemoveKilled(t *testing.T) {
	if testing.Short() {
		t.Skip("what it tests runs in other processes")
	}
	for _, key := range []string{"", "0123456789abcdef"} {
		for _, what := range []string{"remove", "vacuum"} {
			steps := removeSteps
			if what == "vacuum" {
				steps = vacuumSteps
			}
			for _, step := range steps {
				t.Run(fmt.Sprintf("%s key %d", step, len(key)), func(t *testing.T) {
					t.Parallel()
					dir, opt := filepath.Join(t.TempDir(), "l"), Options{Key: []byte(key)}
					tokens := withTokens(t, dir, opt, 8)
					l := open(t, dir, opt)
					before := digestsOf(t, l)
					if what == "vacuum" {
						if _, err := l.Remove(t.Context(), redaction("a", 1, 5, "/args/password")); err != nil {
							t.Fatal(err)
						}
					}
					closeLedger(t, l)
					p := startChild(t, "remove", dir, step, what, key)
					for p.out.Scan() {
					}
					if err := p.cmd.Wait(); err == nil || p.stderr.Len() > 0 {
						t.Fatalf("it ended with %v, %s, want it killed", err, p.stderr)
					}
					l = open(t, dir, opt)
					rep := intact(t, l)
					if stores, _ := filepath.Glob(filepath.Join(dir, "badger.*")); len(stores) != 1 {
						t.Errorf("after the opening there are %q", stores)
					}
					switch _, err := l.Remove(t.Context(), redaction("a", 1, 5, "/args/password")); {
					case len(rep.Controls) == 1 && (rep.Controls[0].Values != 4 || rep.Controls[0].Left > 0 || !errors.Is(err, ErrNothing)):
						t.Errorf("the entry that says what is removed is there, and of it %+v; again: %v", rep.Controls[0], err)
					case len(rep.Controls) == 0 && err != nil:
						t.Errorf("again: %v", err)
					}
					if after := digestsOf(t, l); fmt.Sprint(after) != fmt.Sprint(before) {
						t.Error("digests have changed")
					}
					closeLedger(t, l)
					if _, err := Vacuum(t.Context(), dir, opt); err != nil {
						t.Fatal(err)
					}
					if key != "" {
						return
					}
					for i, token := range tokens {
						if files, gone := filesWith(t, dir, token), i >= 1 && i < 5; gone == (len(files) > 0) {
							t.Errorf("token %d is in %q, want it gone %v", i, files, gone)
						}
					}
				})
			}
		}
	}
}

// TestVacuumRefused: what no vacuum touches.
func TestVacuumRefused(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "l")
	if _, err := Vacuum(t.Context(), dir, Options{}); !errors.Is(err, ErrNoLedger) {
		t.Errorf("no ledger: %v", err)
	}
	withTokens(t, dir, Options{}, 2)
	if err := os.MkdirAll(filepath.Join(dir, "quarantine", "20260102T030405.000000000Z"), 0o700); err != nil {
		t.Fatal(err)
	}
	if _, err := Vacuum(t.Context(), dir, Options{}); err == nil || !bytes.Contains([]byte(err.Error()), []byte("copies of the store")) {
		t.Errorf("beside a quarantine: %v", err)
	}
	if err := os.RemoveAll(filepath.Join(dir, "quarantine")); err != nil {
		t.Fatal(err)
	}
	l := open(t, dir, Options{})
	if _, err := Vacuum(t.Context(), dir, Options{}); err == nil {
		t.Error("of a ledger that is open: no error")
	}
	if err := l.rebuildAll(context.Background(), grantsOf(&Control{Seq: math.MaxUint64, Targets: []Target{{"a", 0, 1, []string{"/prompt"}}}}), &l.write); err != nil {
		t.Fatal(err)
	}
	closeLedger(t, l)
	if _, err := Vacuum(t.Context(), dir, Options{}); err == nil || !bytes.Contains([]byte(err.Error()), []byte("does not verify")) {
		t.Errorf("of a ledger that does not verify: %v", err)
	}
	l = open(t, dir, Options{})
	defer closeLedger(t, l)
	if r, err := l.Entry(t.Context(), "a", 0); err != nil || r.Members[chain.Prompt] != nil {
		t.Errorf("after the vacuum was refused: %v", err)
	}
}
