package chain

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"os"
	"strings"
	"testing"
	"time"

	"golang.org/x/mod/sumdb/note"
)

// TestNoteVectors opens the notes of C2SP signed-note, x/mod and transparency-dev/formats.
func TestNoteVectors(t *testing.T) {
	text, err := os.ReadFile(shared(t, "vectors/signed-note/vectors.json"))
	if err != nil {
		t.Fatal(err)
	}
	var vectors []struct {
		Name, Note, Want     string
		Vkeys                []string
		Verified, Unverified int
	}
	if err := json.Unmarshal(text, &vectors); err != nil || len(vectors) != 7 {
		t.Fatalf("%d vectors, %v", len(vectors), err)
	}
	for _, v := range vectors {
		var keys []*Key
		for _, text := range v.Vkeys {
			k, err := ParseKey(text)
			if (err != nil) != (v.Want == "bad-vkey") {
				t.Errorf("%s: ParseKey(%s): %v", v.Name, text, err)
			}
			if err == nil && k.String() != text {
				t.Errorf("%s: key %s is spelled %s", v.Name, text, k)
			}
			keys = append(keys, k)
		}
		if v.Want == "bad-vkey" {
			continue
		}
		n, err := OpenNote(v.Note, keys...)
		if err != nil || len(n.By) != v.Verified || len(n.Unknown) != v.Unverified {
			t.Errorf("%s: OpenNote: %+v, %v; want %d signatures that hold, %d unknown", v.Name, n, err, v.Verified, v.Unverified)
		}
		for i := range len(v.Note) {
			changed := []byte(v.Note)
			changed[i] ^= 1
			got, err := OpenNote(string(changed), keys...)
			// In a signature line of an unknown key a bit may be lost without a word.
			if err == nil && got.Text == n.Text && len(got.By) == v.Verified && v.Unverified == 0 {
				t.Errorf("%s: with a bit of byte %d flipped it opens", v.Name, i)
			}
			if err == nil && got.Text != n.Text {
				t.Errorf("%s: with a bit of byte %d flipped it has another text", v.Name, i)
			}
		}
	}
}

// A seeded source of key bytes.
type seeded byte

func (s *seeded) Read(p []byte) (int, error) {
	for i := range p {
		*s++
		p[i] = byte(*s)
	}
	return len(p), nil
}

// testKey returns a key that is the same in every run.
func testKey(t testing.TB, name string, seed byte, witness bool) *Signer {
	t.Helper()
	source := seeded(seed)
	s, err := GenerateKey(&source, name, witness)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestKeyFile(t *testing.T) {
	for _, witness := range []bool{false, true} {
		s := testKey(t, "example.com/a", 1, witness)
		again, err := NewSigner(s.KeyFile())
		if err != nil || again.Key().String() != s.Key().String() || again.Key().OfWitness() != witness {
			t.Errorf("read again, %s is %v, %v", s.Key(), again, err)
		}
		public, err := ParseKey(s.Key().String() + "\n")
		if err != nil || !public.same(s.Key()) {
			t.Errorf("ParseKey(%s): %v", s.Key(), err)
		}
		if witness {
			continue
		}
		standard, err := note.NewSigner(strings.TrimSpace(string(s.KeyFile())))
		if err != nil || standard.KeyHash() != s.Key().KeyHash() {
			t.Errorf("x/mod reads the key file: %v", err)
		}
		if _, err := note.NewVerifier(s.Key().String()); err != nil {
			t.Errorf("x/mod reads the public key: %v", err)
		}
	}
	good := string(testKey(t, "example.com/a", 1, false).KeyFile())
	for _, test := range []struct{ name, text, want string }{
		{"public", testKey(t, "example.com/a", 1, false).Key().String(), "expected a private key"},
		{"empty", "", "expected a private key"},
		{"another name", strings.Replace(good, "com/a", "com/b", 1), "its hash should be"},
		{"space in the name", strings.Replace(good, "com/a", "com /a", 1), "is no name of a key"},
		{"cut", good[:len(good)-9], "key example.com/a"},
		{"another algorithm", strings.Replace(good, "+AQ", "+Zg", 1), "of kind 102"},
		{"no hash", "PRIVATE+KEY+a+b", "expected a key, NAME"},
	} {
		if _, err := NewSigner([]byte(test.text)); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v, want %s", test.name, err, test.want)
		}
	}
}

// TestNoteRefused opens notes that are not as they should be.
func TestNoteRefused(t *testing.T) {
	a, b := testKey(t, "example.com/a", 1, false), testKey(t, "example.com/b", 2, false)
	signed, err := a.Sign("text\n")
	if err != nil {
		t.Fatal(err)
	}
	line := signed[len("text\n\n"):]
	forged := "— example.com/a " + base64.StdEncoding.EncodeToString(append(decode(t, line)[:4:4], make([]byte, 64)...)) + "\n"
	for _, test := range []struct {
		name, text string
		keys       []*Key
		want       string
		disproved  bool
	}{
		{"wrong key", signed, []*Key{b.Key()}, "signed by " + a.Key().ID() + "; expected " + b.Key().ID(), true},
		{"no key", signed, nil, "expected a key", true},
		{"same name, other key", signed, []*Key{testKey(t, "example.com/a", 9, false).Key()}, "signed by", true},
		{"signed twice", signed + line, []*Key{a.Key()}, "signed twice", true},
		{"signed twice, once wrong", signed + forged, []*Key{a.Key()}, "signed twice", true},
		{"forged", "text\n\n" + forged, []*Key{a.Key()}, "does not hold", true},
		{"unsigned", "text\n\n", []*Key{a.Key()}, "expected a signed note", false},
		{"no signature line", "text\n", []*Key{a.Key()}, "expected a signed note", false},
		{"cut", signed[:len(signed)-10], []*Key{a.Key()}, "expected a signed note", false},
		{"empty", "", []*Key{a.Key()}, "expected a signed note", false},
		{"control character", "te\x1bxt\n\n" + line, []*Key{a.Key()}, "expected a signed note", false},
	} {
		_, err := OpenNote(test.text, test.keys...)
		var proof *ProofError
		if err == nil || !strings.Contains(err.Error(), test.want) || errors.As(err, &proof) != test.disproved {
			t.Errorf("%s: %v, want %s", test.name, err, test.want)
		}
	}
	if _, err := OpenNote(signed, a.Key(), a.Key()); err != nil {
		t.Errorf("a key that is given twice: %v", err)
	}
	if _, err := a.Sign("no newline"); err == nil {
		t.Error("a text without a newline at its end is signed")
	}
	if _, err := testKey(t, "w", 3, true).Sign("text\n"); err == nil {
		t.Error("a witness signs a text")
	}
}

func decode(t *testing.T, line string) []byte {
	t.Helper()
	words := strings.Fields(line)
	data, err := base64.StdEncoding.DecodeString(words[len(words)-1])
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func TestCosign(t *testing.T) {
	a, w := testKey(t, "example.com/a", 1, false), testKey(t, "witness.example/w", 2, true)
	c := Checkpoint{"example.com/a", 3, Hash{1}}
	signed, err := a.SignCheckpoint(&c)
	if err != nil {
		t.Fatal(err)
	}
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	cosigned, err := w.Cosign(signed, at)
	if err != nil {
		t.Fatal(err)
	}
	n, err := OpenNote(cosigned, a.Key(), w.Key())
	if err != nil || len(n.By) != 2 || !n.By[1].Time.Equal(at) || !n.By[0].Time.IsZero() {
		t.Errorf("cosigned: %+v, %v", n, err)
	}
	later, err := w.Cosign(cosigned, at.Add(time.Hour))
	if err != nil {
		t.Fatal(err)
	}
	if n, err = OpenNote(later, a.Key(), w.Key()); err != nil || len(n.By) != 2 || !n.By[1].Time.Equal(at.Add(time.Hour)) {
		t.Errorf("cosigned again: %+v, %v", n, err)
	}
	// The time is signed too.
	i := strings.LastIndex(cosigned, " ") + 1
	signature := decode(t, cosigned[i:])
	signature[4+7] ^= 1
	if _, err := OpenNote(cosigned[:i]+base64.StdEncoding.EncodeToString(signature)+"\n", a.Key(), w.Key()); err == nil {
		t.Error("a cosignature with another time holds")
	}
	if _, err := a.Cosign(signed, at); err == nil {
		t.Error("a log cosigns")
	}
}

func TestSplitNotes(t *testing.T) {
	a, w := testKey(t, "example.com/a", 1, false), testKey(t, "w", 2, true)
	var all bytes.Buffer
	var want []string
	for size := range uint64(4) {
		c := Checkpoint{"example.com/a", size, Hash{byte(size)}}
		text, err := a.SignCheckpoint(&c)
		if err == nil && size%2 == 0 {
			text, err = w.Cosign(text, time.Unix(1, 0))
		}
		if err != nil {
			t.Fatal(err)
		}
		want = append(want, text)
		all.WriteString(text)
	}
	for cut := range all.Len() + 1 {
		notes, rest := SplitNotes(all.String()[:cut])
		if strings.Join(notes, "")+rest != all.String()[:cut] {
			t.Fatalf("cut at %d, notes and rest are not the text", cut)
		}
		for i, n := range notes {
			if n != want[i] && (i < len(notes)-1 || !strings.HasPrefix(want[i], n)) {
				t.Fatalf("cut at %d, note %d is %q, want %q", cut, i, n, want[i])
			}
		}
		if cut == all.Len() && (len(notes) != len(want) || rest != "") {
			t.Errorf("%d notes, rest %q", len(notes), rest)
		}
	}
}
