package db

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"testing"
)

// TestCrashFlips flips a bit of a byte of a small ledger and holds it against a checkpoint
// from elsewhere: that names the damage, or every answer is what it was. FLIPS says how
// many bytes of its files are flipped, each alone; at 0 it is all of them. FLIP_SEED chooses others. Left out are
// Badger's DISCARD, in which it only counts what it may throw away, and holes.
func TestCrashFlips(t *testing.T) {
	if testing.Short() {
		t.Skip("what it tests runs in other processes")
	}
	s := signedSubject(t)
	s.read(t)
	rng := rand.New(rand.NewPCG(uint64(envCount("FLIP_SEED", 1)), 1))
	var all []damage
	for _, f := range s.file {
		if filepath.Base(f.path) == "DISCARD" {
			continue
		}
		for at := range f.data {
			d := flip(at, rng.IntN(8))
			d.file, d.reading = f.path, rng.IntN(2) == 0
			all = append(all, d)
		}
	}
	bytes := len(all)
	if n := envCount("FLIPS", 500); n > 0 {
		all = sample(rng, all, n)
	}
	table := newFaultTable()
	s.suffer(t, all, table)
	t.Logf("%d of %d bytes\n%s", len(all), bytes, table)
	if table.outcomes()[reported] == 0 {
		t.Error("no flip was named")
	}
}

// sample takes n of damages at random, as many of each file as it has, up to a share.
func sample(rng *rand.Rand, all []damage, n int) (some []damage) {
	rng.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	files, taken := map[string]bool{}, map[string]int{}
	for _, d := range all {
		files[d.file] = true
	}
	var rest []damage
	for _, d := range all {
		if taken[d.file] < n/len(files) {
			taken[d.file]++
			some = append(some, d)
		} else {
			rest = append(rest, d)
		}
	}
	return append(some, rest[:min(n-len(some), len(rest))]...)
}

// signedSubject makes a ledger of a block and a tail, both under its last checkpoint.
func signedSubject(t *testing.T) *subject {
	t.Helper()
	parent := t.TempDir()
	s := &subject{name: "signed", dir: filepath.Join(parent, "l")}
	signer := newSigner(t, filepath.Join(parent, "key"))
	l := openSigned(t, s.dir, Checkpointing{Signer: signer})
	note := ""
	for n := range 2 {
		var texts [][]byte
		for i := range 12 {
			texts = append(texts, made(fmt.Sprint("s", i%3), uint64(n*4+i/3)))
		}
		if _, err := l.AppendJSON(t.Context(), texts...); err != nil {
			t.Fatal(err)
		}
		note = checkpoint(t, l).Note
		if n == 0 {
			packNow(t, l)
		}
	}
	intact(t, l)
	s.want = goldenOf(t, l)
	s.want.Note, s.want.Key = note, signer.Key().String()
	closeLedger(t, l)
	return s
}
