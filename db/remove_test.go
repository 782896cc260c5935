package db

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"toolledger/chain"
)

// secretEntry is an entry with a password of three digits, and other values beside it.
func secretEntry(session string, index uint64, password int) []byte {
	return fmt.Appendf(nil, `{"session":%q,"index":%d,"tool":"login","args":{"user":"u%d","password":%d},"reasoning":"because %d","response":{"ok":true,"n":%d}}`, session, index, index, password, index, index)
}

func redaction(session string, from, to uint64, pointers ...string) Removal {
	return Removal{Action: Redact, Targets: []Target{{session, from, to, pointers}}, By: "tester", Reason: "a test"}
}

// TestRemove takes values out of the tail and out of blocks: what is left verifies, tells the
// same digests, and has what was not to go.
func TestRemove(t *testing.T) {
	for _, key := range []string{"", "0123456789abcdef"} {
		for _, packed := range []bool{false, true} {
			t.Run(fmt.Sprintf("key %d packed %v", len(key), packed), func(t *testing.T) {
				ctx, dir := t.Context(), filepath.Join(t.TempDir(), "l")
				l := open(t, dir, Options{Key: []byte(key)})
				for i := range uint64(40) {
					if _, err := l.AppendJSON(ctx, secretEntry([]string{"a", "b"}[i%2], i/2, 123)); err != nil {
						t.Fatal(err)
					}
				}
				if packed {
					packNow(t, l)
				}
				before := digestsOf(t, l)
				c, err := l.Remove(ctx, redaction("a", 3, 5, "/args/password", "/response"))
				if err != nil || c.Values != 6 || c.Entries != 2 {
					t.Fatalf("Remove = %+v, %v, want 6 values of 2 entries", c, err)
				}
				if _, err := l.Remove(ctx, redaction("a", 3, 5, "/args/password")); !errors.Is(err, ErrNothing) {
					t.Errorf("the same again: %v, want ErrNothing", err)
				}
				if c, err = l.Remove(ctx, redaction("a", 3, 4, "/args")); err != nil || c.Values != 1 {
					t.Fatalf("more of the same entry: %+v, %v, want 1 value", c, err)
				}
				check := func(l *Ledger) {
					t.Helper()
					rep := intact(t, l)
					if len(rep.Controls) != 2 || rep.Controls[0].Values != 6 || rep.Controls[0].Left != 0 || rep.Controls[1].Values != 1 {
						t.Errorf("Controls = %+v %+v, want 6 values and 1", rep.Controls[0], rep.Controls[1])
					}
					after := digestsOf(t, l)
					for place, digest := range before {
						if after[place] != digest {
							t.Errorf("%s has another digest", place)
						}
					}
					r, err := l.Entry(ctx, "a", 3)
					want := `"reasoning":"because 3","recorded"`
					if err != nil || !strings.Contains(string(r.JSON()), want) || strings.Contains(string(r.JSON()), "args") || strings.Contains(string(r.JSON()), "response") {
						t.Errorf("the entry is %s, %v", r.JSON(), err)
					}
					if want := []string{"/args/password", "/args/user", "/response/n", "/response/ok"}; err == nil && !slices.Equal(r.Removed(), want) {
						t.Errorf("Removed = %q, want %q", r.Removed(), want)
					}
					if r, err := l.Entry(ctx, "a", 5); err != nil || !strings.Contains(string(r.JSON()), `"password":123`) || r.Removed() != nil {
						t.Errorf("another entry is %s, %v", r.JSON(), err)
					}
				}
				check(l)
				// The same entry again is known, another is not.
				if _, err := l.AppendJSON(ctx, secretEntry("a", 3, 123)); err != nil {
					t.Errorf("the entry again: %v", err)
				}
				var conflict *ConflictError
				if _, err := l.AppendJSON(ctx, bytes.Replace(secretEntry("a", 3, 123), []byte("because"), []byte("since"), 1)); !errors.As(err, &conflict) {
					t.Errorf("another entry: %v, want a ConflictError", err)
				}
				closeLedger(t, l)
				l = open(t, dir, Options{Key: []byte(key), ReadOnly: true})
				check(l)
				closeLedger(t, l)
				l = open(t, dir, Options{Key: []byte(key)})
				check(l)
				closeLedger(t, l)
			})
		}
	}
}

// digestsOf returns the digests of all entries but the ledger's own.
func digestsOf(t *testing.T, l *Ledger) map[string]chain.Hash {
	t.Helper()
	s, err := l.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	of := map[string]chain.Hash{}
	for e, err := range s.Evidence(t.Context(), Range{}) {
		if err != nil {
			t.Fatal(err)
		}
		if e.Entry.SessionName() != OwnSession {
			of[fmt.Sprint(e.Entry.SessionName(), e.Entry.IndexNumber())] = e.Digest
		}
	}
	return of
}

// TestRemoveRefused: what a removal may not name.
func TestRemoveRefused(t *testing.T) {
	l := open(t, filepath.Join(t.TempDir(), "l"), Options{})
	defer closeLedger(t, l)
	if _, err := l.AppendJSON(t.Context(), secretEntry("a", 0, 1)); err != nil {
		t.Fatal(err)
	}
	size := intact(t, l).Entries
	for _, tt := range []struct {
		name string
		r    Removal
		want string
	}{
		{"the ledger's own", redaction(OwnSession, 0, 1, "/args"), "never removed"},
		{"a header member", redaction("a", 0, 1, "/tool"), "expected a pointer into args"},
		{"no pointer", redaction("a", 0, 1), "no pointer"},
		{"no entry", redaction("a", 1, 1, "/args"), "no entry is from"},
		{"an index that is not there", redaction("a", 1, 2, "/args"), "no such entry"},
		{"a session that is not there", redaction("x", 0, 1, "/args"), "no such entry"},
		{"a value that is not there", redaction("a", 0, 1, "/args/token"), "no such value"},
		{"an action", Removal{Action: "forget"}, "expected redact or prune"},
	} {
		if _, err := l.Remove(t.Context(), tt.r); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v, want %s", tt.name, err, tt.want)
		}
	}
	if now := intact(t, l).Entries; now != size {
		t.Errorf("what was refused left %d entries", now-size)
	}
}

// TestRemovedIsNotGuessed tries all thousand passwords against everything that the ledger and
// its export still hold: none is found. Before the removal, each way finds it.
func TestRemovedIsNotGuessed(t *testing.T) {
	ctx, dir := t.Context(), filepath.Join(t.TempDir(), "l")
	l := open(t, dir, Options{})
	const password = 417
	for i := range uint64(20) {
		if _, err := l.AppendJSON(ctx, secretEntry("a", i, password)); err != nil {
			t.Fatal(err)
		}
	}
	packNow(t, l)
	evidence := func() *chain.Evidence {
		t.Helper()
		s, err := l.Snapshot()
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		for e, err := range s.Evidence(ctx, Range{Session: "a", From: 8, To: 9}) {
			if err != nil {
				t.Fatal(err)
			}
			return e
		}
		return nil
	}
	old := evidence()
	held := func() (pieces [][]byte) { // of 16 and of 32 bytes: what may be a salt or a seed
		s, err := l.Snapshot()
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		err = each(s.txn, nil, nil, func(key []byte, value func() ([]byte, error)) error {
			v, err := value()
			if err == nil && (key[0] == spaceRange || key[0] == spaceColumn) {
				for i := 0; i+16 <= len(v); i++ {
					pieces = append(pieces, v[i:min(i+32, len(v))])
				}
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		line := evidence()
		for _, salt := range line.Salts {
			pieces = append(pieces, salt[:])
		}
		return append(pieces, line.Salt[:])
	}
	pointer := []byte("/args/password")
	found := func(e *chain.Evidence) bool {
		commitment := old.Salt.Of(pointer)
		want := commitment.Commit([]byte(fmt.Sprint(password)))
		guesses := map[chain.Hash]bool{}
		for _, piece := range held() {
			salts := []chain.Salt{chain.Salt(piece)}
			if len(piece) == 32 {
				seed := chain.Seed(piece)
				salts = append(salts, seed.Salt(e.Seq))
			}
			for _, salt := range salts {
				of := salt.Of(pointer)
				for _, s := range []chain.Salt{salt, of} {
					guesses[s.Commit([]byte(fmt.Sprint(password)))] = true // the other 999 give what is no commitment of this entry
				}
			}
		}
		return guesses[want]
	}
	if !found(old) {
		t.Fatal("before the removal, the value is not found from the seed: the search is wrong")
	}
	if _, err := l.Remove(ctx, redaction("a", old.Entry.IndexNumber(), old.Entry.IndexNumber()+1, string(pointer))); err != nil {
		t.Fatal(err)
	}
	now := evidence()
	if found(now) {
		t.Error("the removed value can be told from what the ledger still holds")
	}
	// All thousand, with every salt that the line still has.
	line := string(now.Append(nil))
	for guess := range 1000 {
		value := []byte(fmt.Sprint(guess))
		for _, salt := range now.Salts {
			of := salt.Of(pointer)
			for _, s := range []chain.Salt{salt, of, {}} {
				if sum := s.Commit(value); sum == now.Removed[string(pointer)] || strings.Contains(line, fmt.Sprintf("%x", sum)) {
					t.Fatalf("the removed value is found to be %d", guess)
				}
			}
		}
	}
	closeLedger(t, l)
}

// TestRestoreRemoved: a whole export of a ledger with removals makes the same ledger again; one
// of which more was left out does not.
func TestRestoreRemoved(t *testing.T) {
	ctx, dir := context.Background(), t.TempDir()
	l := open(t, filepath.Join(dir, "old"), Options{})
	var texts [][]byte
	for i := range uint64(blockRows + 100) {
		texts = append(texts, secretEntry([]string{"a", "b", "c"}[i%3], i/3, int(i)))
	}
	if _, err := load(l, texts); err != nil {
		t.Fatal(err)
	}
	for _, r := range []Removal{redaction("a", 0, 20, Payload()...), redaction("b", 5, 6, "/args/password"), redaction("c", blockRows/3+10, blockRows/3+12, "/reasoning")} {
		if _, err := l.Remove(ctx, r); err != nil {
			t.Fatal(err)
		}
	}
	lines := evidenceOf(t, l)
	want := intact(t, l)
	closeLedger(t, l)
	restore := func(name string, lines []*chain.Evidence) error {
		led := open(t, filepath.Join(dir, name), Options{Restore: true})
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
	if err := restore("new", lines); err != nil {
		t.Fatal(err)
	}
	for _, opt := range []Options{{ReadOnly: true}, {}} {
		led := open(t, filepath.Join(dir, "new"), opt)
		got := intact(t, led)
		if got.Root != want.Root || got.Entries != want.Entries || got.Controls[0].Values != want.Controls[0].Values {
			t.Errorf("restored: %d entries, root %x, %+v", got.Entries, got.Root, got.Controls[0])
		}
		again := evidenceOf(t, led)
		for i, e := range lines {
			if string(again[i].Append(nil)) != string(e.Append(nil)) {
				t.Fatalf("line %d is %s, want %s", i, again[i].Append(nil), e.Append(nil))
			}
		}
		closeLedger(t, led)
	}
	more := *lines[100]
	more.Remove("/reasoning")
	if err := restore("part", append(append(slices.Clone(lines[:100]), &more), lines[101:]...)); !errors.Is(err, ErrPartial) {
		t.Errorf("restore without a value more: %v, want ErrPartial", err)
	}
}

func evidenceOf(t *testing.T, l *Ledger) (lines []*chain.Evidence) {
	t.Helper()
	s, err := l.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for e, err := range s.Evidence(t.Context(), Range{}) {
		if err != nil {
			t.Fatal(err)
		}
		lines = append(lines, e)
	}
	return lines
}

// TestRemovalForged: a value that is gone without an entry that says so, and one that is there
// again though an entry says that it is gone, are each named.
func TestRemovalForged(t *testing.T) {
	for _, tt := range []struct {
		name string
		do   func(l *Ledger) error
		want string
	}{
		{"gone without a word", func(l *Ledger) error {
			return l.rebuildAll(context.Background(), grantsOf(&Control{Seq: 1 << 40, Targets: redaction("a", 2, 3, "/reasoning").Targets}), &l.write)
		}, `session "a": index 2: /reasoning is gone, and no entry of the ledger's own says that it was removed`},
		{"a word and not gone", func(l *Ledger) error {
			r := redaction("a", 2, 3, "/reasoning")
			if err := l.intend(&r, &Control{Targets: r.Targets}); err != nil {
				return err
			}
			l.write.Lock()
			defer l.write.Unlock()
			l.link.state.pending = nil
			var b batch
			b.set(stateKey, l.link.state.encode())
			return b.commit(l.store)
		}, `session "a": index 2: /reasoning is there, and the ledger's own entry 1 says that it was removed`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			l := open(t, filepath.Join(t.TempDir(), "l"), Options{})
			for i := range uint64(5) {
				if _, err := l.AppendJSON(t.Context(), secretEntry("a", i, 1)); err != nil {
					t.Fatal(err)
				}
			}
			packNow(t, l)
			if err := tt.do(l); err != nil {
				t.Fatal(err)
			}
			rep, err := l.Verify(t.Context(), nil)
			if err != nil || len(rep.Faults) != 1 || rep.Faults[0].What != tt.want || rep.Faults[0].Invariant != 11 || len(rep.Broken) > 0 {
				t.Errorf("Verify = %+v, %v, want %s", rep.Faults, err, tt.want)
			}
			s, err := l.Snapshot()
			if err != nil {
				t.Fatal(err)
			}
			defer s.Close()
			if one, err := s.VerifySession(t.Context(), "a"); err != nil || one.Fault == nil || one.Fault.What != tt.want {
				t.Errorf("VerifySession = %+v, %v, want %s", one, err, tt.want)
			}
		})
	}
}

// filesWith returns the files of a folder that have a text.
func filesWith(t *testing.T, dir, text string) (names []string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		if err == nil && bytes.Contains(data, []byte(text)) {
			names = append(names, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return names
}
