package chain

import (
	"strings"
	"testing"
)

// FuzzProofText reads texts of proofs, growths, checkpoints and trusts: what is read has
// one spelling, and nothing panics.
func FuzzProofText(f *testing.F) {
	a := testKey(f, "example.com/a", 1, false)
	c := Checkpoint{"example.com/a", 7, Hash{1}}
	note, err := a.SignCheckpoint(&c)
	if err != nil {
		f.Fatal(err)
	}
	p := Proof{Extra: []byte(`{"digest":"x"}`), Index: 3, Hashes: []Hash{{1}, {2}}, Note: note}
	g := Growth{Old: 3, Hashes: []Hash{{1}}, Note: note}
	for _, seed := range []string{string(p.Append(nil)), string(g.Append(nil)), note, note + note, c.Text(), "", "old 0\n\n", "log " + a.Key().String() + "\nquorum none\n",
		"witness W " + testKey(f, "w", 2, true).Key().String() + "\ngroup G 1 W\nquorum G\n"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if p, err := ParseProof(text); err == nil {
			if again := string(p.Append(nil)); again != text {
				t.Errorf("a proof has two spellings: %q, %q", text, again)
			}
			p.Check(TrustKeys(a.Key()))
		}
		if g, err := ParseGrowth(text); err == nil {
			if again := string(g.Append(nil)); again != text {
				t.Errorf("a growth has two spellings: %q, %q", text, again)
			}
		}
		if c, err := ParseCheckpoint(text); err == nil && !strings.HasPrefix(text, c.Text()) {
			t.Errorf("a checkpoint has two spellings: %q, %q", text, c.Text())
		}
		if trust, err := ParseTrust(text); err == nil {
			trust.Open(text)
		}
		notes, rest := SplitNotes(text)
		if strings.Join(notes, "")+rest != text {
			t.Errorf("notes and rest are not the text %q", text)
		}
		whole := text[:WholeNotes([]byte(text))]
		if whole != "" && !strings.HasSuffix(whole, "\n") {
			t.Errorf("whole notes end within a line: %q", whole)
		}
		if last := LastNote(text); rest == "" && len(notes) > 0 && last != notes[len(notes)-1] {
			t.Errorf("the last note of %q is %q", text, last)
		}
		if signed, err := TrustKeys(a.Key()).Open(text); err == nil && signed.Checkpoint != c {
			t.Errorf("a key signed what it did not: %+v", signed)
		}
	})
}
