package db

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/dgraph-io/badger/v4"

	"toolledger/chain"
)

const testOrigin = "example.com/ledger"

// newSigner makes a key file and opens it.
func newSigner(t testing.TB, path string) *Signer {
	t.Helper()
	if _, err := CreateKey(path, testOrigin, false); err != nil {
		t.Fatal(err)
	}
	return openSigner(t, path)
}

func openSigner(t testing.TB, path string) *Signer {
	t.Helper()
	s, err := OpenSigner(path)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func openSigned(t testing.TB, dir string, c Checkpointing) *Ledger {
	t.Helper()
	l, err := Open(dir, Options{Checkpoint: c})
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// appendMade appends entries of a session from an index on.
func appendMade(t testing.TB, l *Ledger, session string, from, n uint64) {
	t.Helper()
	for i := range n {
		if _, err := l.AppendJSON(context.Background(), made(session, from+i)); err != nil {
			t.Fatal(err)
		}
	}
}

func checkpoint(t testing.TB, l *Ledger) *chain.SignedCheckpoint {
	t.Helper()
	c, err := l.Checkpoint(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func readFile(t testing.TB, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// copyLedger copies a ledger that is closed.
func copyLedger(t testing.TB, from string) string {
	t.Helper()
	to := filepath.Join(t.TempDir(), "copy")
	if err := os.CopyFS(to, os.DirFS(from)); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(to, 0o700); err != nil {
		t.Fatal(err)
	}
	return to
}

func TestCheckpoint(t *testing.T) {
	dir := t.TempDir()
	out := filepath.Join(dir, "out")
	signer := newSigner(t, filepath.Join(dir, "key"))
	c := Checkpointing{Signer: signer, Out: out}
	l := openSigned(t, filepath.Join(dir, "l"), c)
	if last, err := l.LastCheckpoint(); last != nil || err != nil {
		t.Errorf("the last checkpoint of a new ledger is %+v, %v", last, err)
	}
	var notes string
	for i := range uint64(3) {
		appendMade(t, l, "s", i*300, 300)
		if i == 1 {
			packNow(t, l)
		}
		signed := checkpoint(t, l)
		if want := (i+1)*301 + 1; signed.Size != want {
			t.Errorf("checkpoint %d covers %d entries, want %d", i, signed.Size, want)
		}
		opened, err := chain.TrustKeys(signer.Key()).Open(signed.Note)
		if err != nil || opened.Checkpoint != signed.Checkpoint {
			t.Errorf("checkpoint %d opens as %+v, %v", i, opened, err)
		}
		notes += signed.Note
		if got := readFile(t, filepath.Join(dir, "key.last")); got != signed.Note {
			t.Errorf("the signer remembers %q, want %q", got, signed.Note)
		}
	}
	for _, path := range []string{l.checkpointsFile(), out} {
		if got := readFile(t, path); got != notes {
			t.Errorf("%s has\n%s, want\n%s", path, got, notes)
		}
	}
	intact(t, l)
	last, err := l.LastCheckpoint()
	if err != nil || last.Size != 904 || last.By != signer.Key().ID() || last.Time == (chain.Time{}) {
		t.Errorf("LastCheckpoint = %+v, %v", last, err)
	}
	s, err := l.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	id, err := s.Identity()
	if err != nil || id.Origin != testOrigin || id.Key != signer.Key().String() || len(id.ID) != 32 {
		t.Errorf("Identity = %+v, %v", id, err)
	}
	// An entry of the block and one of the tail, shown in part.
	for _, index := range []uint64{5, 899} {
		p, err := s.Prove("s", index, "", "/args/n")
		if err != nil {
			t.Fatal(err)
		}
		again, err := chain.ParseProof(string(p.Append(nil)))
		if err != nil {
			t.Fatal(err)
		}
		e, _, err := again.Check(chain.TrustKeys(signer.Key()))
		if err != nil || string(e.Entry[chain.Args]) != fmt.Sprintf(`{"n":%d}`, index) || len(e.Removed) != 2 {
			t.Errorf("proof of %d: %s, %v", index, p.Extra, err)
		}
	}
	s.Close()
	if _, err := l.LastCheckpoint(); err != nil {
		t.Error(err)
	}
	closeLedger(t, l)
}

// TestSignerRefuses tries to have signed what does not follow from what was.
func TestSignerRefuses(t *testing.T) {
	dir := t.TempDir()
	key := filepath.Join(dir, "key")
	signer := newSigner(t, key)
	led := filepath.Join(dir, "l")
	l := openSigned(t, led, Checkpointing{Signer: signer})
	appendMade(t, l, "s", 0, 10)
	closeLedger(t, l)
	older := copyLedger(t, led)
	l = openSigned(t, led, Checkpointing{Signer: signer})
	appendMade(t, l, "s", 10, 10)
	signed := checkpoint(t, l)
	closeLedger(t, l)

	refused := func(name, dir string, signer *Signer, want string) {
		t.Helper()
		l := openSigned(t, dir, Checkpointing{Signer: signer})
		defer closeLedger(t, l)
		before := readFile(t, key+".last")
		_, err := l.Checkpoint(context.Background())
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", name, err, want)
		}
		var fork *ForkError
		if errors.As(err, &fork) && (fork.Old != signed.Note || !strings.HasPrefix(fork.New, testOrigin+"\n")) {
			t.Errorf("%s: the notes are %q and %q", name, fork.Old, fork.New)
		}
		if readFile(t, key+".last") != before {
			t.Errorf("%s: the signer's memory changed", name)
		}
		if _, err := os.Stat(l.checkpointsFile()); dir == older && err == nil {
			t.Errorf("%s: a checkpoint was written", name)
		}
	}
	refused("an older copy", older, signer, "the ledger has 12 entries, the checkpoint covers 22")
	l = openSigned(t, older, Checkpointing{Signer: signer})
	appendMade(t, l, "another", 0, 30)
	closeLedger(t, l)
	refused("another history", older, signer, "history was rewritten")
	refused("another key", led, newSigner(t, filepath.Join(dir, "other")), "the present key names a new one first")
	if err := os.WriteFile(key+".last", []byte(signed.Note[:len(signed.Note)-5]), 0o600); err != nil {
		t.Fatal(err)
	}
	refused("a damaged memory", led, signer, "is damaged behind 0 checkpoints")
	if err := os.WriteFile(key+".last", []byte(strings.Replace(signed.Note, "\n22\n", "\n21\n", 1)), 0o600); err != nil {
		t.Fatal(err)
	}
	refused("a forged memory", led, signer, "does not hold")
	late := time.Now().Add(-time.Hour)
	l, err := Open(led, Options{Checkpoint: Checkpointing{Signer: signer}, Now: func() time.Time { return late }})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := l.Checkpoint(context.Background()); err == nil || !strings.Contains(err.Error(), "the clock went back") {
		t.Errorf("a clock that went back: %v", err)
	}
	closeLedger(t, l)
}

func TestKeyFiles(t *testing.T) {
	dir := t.TempDir()
	led := filepath.Join(dir, "l")
	l, err := Open(led, Options{})
	if err != nil {
		t.Fatal(err)
	}
	closeLedger(t, l)
	key := filepath.Join(dir, "key")
	newSigner(t, key)
	if info, err := os.Stat(key); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the key has mode %v, %v", info.Mode(), err)
	}
	if _, err := CreateKey(key, testOrigin, false); !errors.Is(err, os.ErrExist) {
		t.Errorf("a key is written over another: %v", err)
	}
	for _, mode := range []os.FileMode{0o640, 0o604, 0o620} {
		if err := os.Chmod(key, mode); err != nil {
			t.Fatal(err)
		}
		if _, err := OpenSigner(key); err == nil || !strings.Contains(err.Error(), "by others") {
			t.Errorf("a key of mode %o: %v", mode, err)
		}
	}
	link := filepath.Join(dir, "link")
	if err := os.Symlink(led, link); err != nil {
		t.Fatal(err)
	}
	for _, inside := range []string{filepath.Join(led, "key"), filepath.Join(led, "badger.1", "key"), filepath.Join(link, "key")} {
		if _, err := CreateKey(inside, testOrigin, false); err == nil || !strings.Contains(err.Error(), "is in the ledger") {
			t.Errorf("a key is made at %s: %v", inside, err)
		}
		if err := os.WriteFile(inside, []byte("PRIVATE+KEY+"), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := OpenSigner(inside); err == nil || !strings.Contains(err.Error(), "is in the ledger") {
			t.Errorf("a key at %s: %v", inside, err)
		}
	}
	if _, err := OpenSigner(dir); err == nil {
		t.Error("a folder is a key")
	}
}

// TestNextKey changes the key: who trusts the old one can check what the new one signed.
func TestNextKey(t *testing.T) {
	dir := t.TempDir()
	old, next := newSigner(t, filepath.Join(dir, "old")), newSigner(t, filepath.Join(dir, "next"))
	led := filepath.Join(dir, "l")
	l := openSigned(t, led, Checkpointing{Signer: old})
	checkpoint(t, l)
	if err := l.NextKey(next.Key()); err != nil {
		t.Fatal(err)
	}
	if _, err := l.Checkpoint(context.Background()); err == nil {
		t.Error("the old key signs on")
	}
	closeLedger(t, l)
	l = openSigned(t, led, Checkpointing{Signer: next})
	signed := checkpoint(t, l)
	intact(t, l)
	s, err := l.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	r, err := s.VerifySigned(chain.TrustKeys(old.Key()), []string{signed.Note}, "")
	if err != nil || r.Checked != 3 || len(r.Against) > 0 {
		t.Errorf("with the old key: %+v, %v", r, err)
	}
	var proof *chain.ProofError
	stranger := newSigner(t, filepath.Join(dir, "stranger"))
	if _, err := s.VerifySigned(chain.TrustKeys(stranger.Key()), []string{signed.Note}, ""); !errors.As(err, &proof) {
		t.Errorf("with another key: %v", err)
	}
	if _, err := s.VerifySigned(chain.TrustKeys(next.Key()), nil, ""); !errors.As(err, &proof) { // it does not vouch for what came before it
		t.Errorf("with the new key alone: %v", err)
	}
	s.Close()
	closeLedger(t, l)
}

// TestWitness has a witness cosign, and shows it two histories.
func TestWitness(t *testing.T) {
	dir := t.TempDir()
	key := filepath.Join(dir, "key")
	signer := newSigner(t, key)
	folder := filepath.Join(dir, "w")
	public, err := CreateWitness(folder, "witness.example/w", signer.Key())
	if err != nil {
		t.Fatal(err)
	}
	w, err := OpenWitness(folder)
	if err != nil {
		t.Fatal(err)
	}
	led := filepath.Join(dir, "l")
	c := Checkpointing{Signer: signer, Witnesses: []*Witness{w}}
	l := openSigned(t, led, c)
	closeLedger(t, l)
	older := copyLedger(t, led)
	l = openSigned(t, led, c)
	policy, err := chain.ParseTrust(fmt.Sprintf("log %s\nwitness W %s\nquorum W\n", signer.Key(), public))
	if err != nil {
		t.Fatal(err)
	}
	for i := range uint64(3) {
		appendMade(t, l, "s", i*10, 10)
		signed := checkpoint(t, l)
		if opened, err := policy.Open(signed.Note); err != nil || len(opened.Cosigned) != 1 {
			t.Errorf("cosigned: %+v, %v", opened, err)
		}
	}
	intact(t, l)
	last, err := w.Last(testOrigin)
	if err != nil || last.Size != 34 {
		t.Errorf("the witness remembers %+v, %v", last, err)
	}
	closeLedger(t, l)
	// Whoever has ledger and key makes another history, and the signer forget.
	if err := os.Remove(key + ".last"); err != nil {
		t.Fatal(err)
	}
	for _, n := range []uint64{5, 50} { // shorter, longer
		l = openSigned(t, older, c)
		appendMade(t, l, fmt.Sprint("other", n), 0, n)
		_, err = l.Checkpoint(context.Background())
		var fork *ForkError
		if !errors.As(err, &fork) || fork.Old != last.Note || !strings.HasPrefix(fork.New, testOrigin) {
			t.Errorf("with %d entries: %v", n, err)
		}
		closeLedger(t, l)
	}
	g := &chain.Growth{Old: 34, Note: last.Note}
	if _, err := w.Cosign(g, time.Now().Add(-time.Hour)); err == nil || !strings.Contains(err.Error(), "the clock went back") {
		t.Errorf("a clock that went back: %v", err)
	}
	if _, err := w.Cosign(&chain.Growth{Old: 33, Note: last.Note}, time.Now()); err == nil || !strings.Contains(err.Error(), "the proof begins at 33") {
		t.Errorf("another old size: %v", err)
	}
	if _, err := w.Cosign(g, time.Now()); err != nil {
		t.Errorf("the same once more: %v", err)
	}
	stranger, err := newSignerOf(t, "example.com/other").Sign("example.com/other\n1\n" + strings.SplitN(last.Note, "\n", 4)[2] + "\n")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Cosign(&chain.Growth{Note: stranger}, time.Now()); err == nil || !strings.Contains(err.Error(), "expected "+signer.Key().ID()) {
		t.Errorf("a ledger that the witness does not know: %v", err)
	}
}

func newSignerOf(t *testing.T, name string) *Signer {
	t.Helper()
	path := filepath.Join(t.TempDir(), "key")
	if _, err := CreateKey(path, name, false); err != nil {
		t.Fatal(err)
	}
	return openSigner(t, path)
}

// TestTornCheckpoints cuts the file checkpoints anywhere: what opens the ledger after a
// crash mends it, and what is damaged otherwise is found.
func TestTornCheckpoints(t *testing.T) {
	dir := t.TempDir()
	led := filepath.Join(dir, "l")
	c := Checkpointing{Signer: newSigner(t, filepath.Join(dir, "key"))}
	l := openSigned(t, led, c)
	one := checkpoint(t, l).Note
	two := checkpoint(t, l).Note
	path := l.checkpointsFile()
	closeLedger(t, l)
	for cut := range len(two) {
		if err := os.WriteFile(path, []byte(one+two[:cut]), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := l.repairCheckpoints(); err != nil {
			t.Fatal(err)
		}
		if got := readFile(t, path); got != one {
			t.Fatalf("cut at %d, the file is mended to %q", cut, got)
		}
		if note, err := l.lastNote(); note != one || err != nil {
			t.Fatalf("cut at %d, the last is %q, %v", cut, note, err)
		}
	}
	for i := range len(one + two) {
		text := []byte(one + two)
		text[i] ^= 1
		if err := os.WriteFile(path, text, 0o600); err != nil {
			t.Fatal(err)
		}
		if i%7 != 0 { // verification is slow
			continue
		}
		l, err := Open(led, Options{ReadOnly: true})
		if err != nil {
			t.Fatal(err)
		}
		r, err := l.Verify(context.Background(), nil)
		if err != nil || len(r.Faults) == 0 || r.Faults[0].Invariant != 10 {
			t.Errorf("with byte %d changed: %+v, %v", i, r, err)
		}
		closeLedger(t, l)
	}
}

func TestEvery(t *testing.T) {
	dir := t.TempDir()
	w := filepath.Join(dir, "w")
	signer := newSigner(t, filepath.Join(dir, "key"))
	c := Checkpointing{Signer: signer, Every: time.Millisecond, Out: filepath.Join(dir, "no", "out")}
	failed := make(chan error, 1)
	c.Failed = func(err error) {
		select {
		case failed <- err:
		default:
		}
	}
	l := openSigned(t, filepath.Join(dir, "l"), c)
	if err := <-failed; !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a checkpoint that cannot be written: %v", err)
	}
	if err := l.Close(); err == nil {
		t.Log("the last checkpoint covered all")
	}
	c.Out, c.Failed, c.Every = "", nil, time.Hour
	l = openSigned(t, filepath.Join(dir, "l"), c)
	appendMade(t, l, "s", 0, 3)
	closeLedger(t, l)
	l = openSigned(t, filepath.Join(dir, "l"), c)
	if done, err := l.covered(); !done || err != nil {
		t.Errorf("the last checkpoint is not made: %v", err)
	}
	size := len(readFile(t, l.checkpointsFile()))
	closeLedger(t, l)
	if err := l.Close(); !errors.Is(err, ErrClosed) {
		t.Errorf("closed twice: %v", err)
	}
	if got := len(readFile(t, l.checkpointsFile())); got != size {
		t.Error("a checkpoint is made though nothing was appended")
	}
	for _, test := range []struct {
		opt  Options
		want string
	}{
		{Options{Checkpoint: Checkpointing{Every: 1}}, "need a Signer"},
		{Options{Checkpoint: Checkpointing{Signer: signer, Every: -1}}, "no time before now"},
		{Options{Origin: "other", Checkpoint: Checkpointing{Signer: signer}}, "has the key of " + testOrigin},
		{Options{Origin: "a b"}, "is no name of a key"},
	} {
		if _, err := Open(w, test.opt); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%+v: %v, want %s", test.opt, err, test.want)
		}
	}
}

// TestReread spoils the store behind the ledger's back: what was appended since the last
// checkpoint is read again before it is signed, and what that covered is not.
func TestReread(t *testing.T) {
	dir := t.TempDir()
	l := openSigned(t, filepath.Join(dir, "l"), Checkpointing{Signer: newSigner(t, filepath.Join(dir, "key"))})
	defer l.Close()
	packNow(t, l)
	appendMade(t, l, "old", 0, 300)
	packNow(t, l)
	checkpoint(t, l)
	spoilKeys(t, l, append([]byte{spaceColumn}, 0, 0, 0, 0, 0, 0, 0, 1)) // all of the second block
	appendMade(t, l, "new", 0, 5)
	two := checkpoint(t, l) // costs what is new
	last, err := l.lastCheckpoint()
	if err != nil || *last != two.Checkpoint {
		t.Fatalf("the last is %+v, %v", last, err)
	}
	text := readFile(t, l.checkpointsFile())
	if err := os.Remove(l.checkpointsFile()); err != nil {
		t.Fatal(err)
	}
	if _, err := l.Checkpoint(context.Background()); !isDamaged(err) { // of all
		t.Errorf("entries that cannot be read are signed: %v", err)
	}
	if err := os.WriteFile(l.checkpointsFile(), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	checkpoint(t, l)
	appendMade(t, l, "new", 5, 5)
	spoilKeys(t, l, tailKey(last.Size+4, 0)[:9])
	if _, err := l.Checkpoint(context.Background()); !isDamaged(err) {
		t.Errorf("new entries that cannot be read are signed: %v", err)
	}
}

// spoilKeys overwrites the value of every key with a prefix.
func spoilKeys(t *testing.T, l *Ledger, prefix []byte) {
	t.Helper()
	n := 0
	err := l.store.Update(func(txn *badger.Txn) error {
		it := txn.NewIterator(badger.DefaultIteratorOptions)
		defer it.Close()
		var keys [][]byte
		for it.Seek(prefix); it.ValidForPrefix(prefix); it.Next() {
			keys = append(keys, it.Item().KeyCopy(nil))
		}
		n = len(keys)
		for _, k := range keys {
			if err := txn.Set(k, make([]byte, 40)); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil || n == 0 {
		t.Fatalf("%d keys spoilt, %v", n, err)
	}
}
