package chain

import (
	"encoding/base64"
	"encoding/json"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// grow returns the tiles of a tree, and its edges at every size.
func grow(size uint64) (*memory, []Edge) {
	m := &memory{tiles: map[[2]uint64][]Hash{}}
	edges := make([]Edge, 1, size+1)
	var e Edge
	for i := range size {
		e.Append(leaf(i), func(level int, n uint64, h Hash) {
			key := [2]uint64{uint64(level), n >> TileHeight}
			m.tiles[key] = append(m.tiles[key], h)
		})
		edges = append(edges, e.Clone())
	}
	return m, edges
}

// spoil calls check with every way in which a proof of up to 300 leaves may be damaged:
// where all is set, each bit flipped; else one, which differs by turn.
func spoil(proof []Hash, all bool, turn int, check func(spoilt []Hash, how string)) {
	p := slices.Clone(proof)
	flip := func(i, bit int) {
		p[i][bit/8] ^= 1 << (bit % 8)
		check(p, "a bit flipped")
		p[i][bit/8] ^= 1 << (bit % 8)
	}
	switch {
	case all:
		for bit := range len(p) * 256 {
			flip(bit/256, bit%256)
		}
	case len(p) > 0:
		flip(turn%len(p), turn*37%256)
	}
	if len(p) > 0 {
		check(p[:len(p)-1], "the last hash left out")
		check(p[1:], "the first hash left out")
	}
	check(append(p, Hash{}), "a hash more")
}

// TestProofs proves every entry of every tree up to 300, and that every tree begins with
// each smaller one; no proof holds that has a bit flipped, or is of something else. Of
// trees from 24 on each bit is flipped in one proof, of an entry or of growth in turn, and
// in the others one bit; with PROOF_BITS=all each in all.
func TestProofs(t *testing.T) {
	const most = 300
	m, edges := grow(most)
	turn, every := 0, os.Getenv("PROOF_BITS") == "all"
	for size := range uint64(most + 1) {
		c := Checkpoint{"o", size, edges[size].Root()}
		for i := range size {
			turn++
			p, err := Prove(i, size, m)
			if err == nil {
				err = Check(p, i, leaf(i), &c)
			}
			if err != nil {
				t.Fatalf("entry %d of %d: %v", i, size, err)
			}
			spoil(p, every || size < 24 || size%2 == 0 && i == size*7%(size-1), turn, func(spoilt []Hash, how string) {
				if Check(spoilt, i, leaf(i), &c) == nil {
					t.Fatalf("entry %d of %d is proven with %s", i, size, how)
				}
			})
			for _, other := range []uint64{i + 1, i ^ 1, size, math.MaxUint64} {
				if other != i && Check(p, other, leaf(i), &c) == nil {
					t.Fatalf("the proof of entry %d of %d proves that it is entry %d", i, size, other)
				}
			}
			if Check(p, i, leaf(i+1), &c) == nil {
				t.Fatalf("the proof of entry %d of %d proves another entry", i, size)
			}
		}
		for old := range size + 1 {
			turn++
			was := Checkpoint{"o", old, edges[old].Root()}
			p, err := ProveTree(old, size, m)
			if err != nil {
				t.Fatal(err)
			}
			if err := CheckTree(p, &was, &c); (err == nil) != (old > 0) {
				t.Fatalf("from %d to %d: %v", old, size, err)
			}
			spoil(p, every || size < 24 || size%2 == 1 && old == size*5%(size-1), turn, func(spoilt []Hash, how string) {
				if CheckTree(spoilt, &was, &c) == nil {
					t.Fatalf("from %d to %d is proven with %s", old, size, how)
				}
			})
			for _, wrong := range [...]Checkpoint{{"o", old, leaf(1)}, {"o", old + 1, was.Root}, {"p", old, was.Root}} {
				if size > 1 && old > 0 && wrong != was && CheckTree(p, &wrong, &c) == nil {
					t.Fatalf("from %d to %d is proven for %+v", old, size, wrong)
				}
			}
		}
	}
	if _, err := Prove(5, 5, m); err == nil {
		t.Error("an entry that is not there is proven")
	}
	if _, err := ProveTree(6, 5, m); err == nil {
		t.Error("a tree is proven to begin with a larger one")
	}
	if _, err := Prove(5, most+1, m); err == nil {
		t.Error("a proof is made from tiles that are not there")
	}
}

// TestMerkleVectors uses the vectors of github.com/transparency-dev/merkle. Hashes that
// are none are refused where a proof is read.
func TestMerkleVectors(t *testing.T) {
	type vector struct {
		LeafIdx, TreeSize, Size1, Size2 uint64
		Root, Root1, Root2, LeafHash    string
		Proof                           []string
		Desc                            string
		WantErr                         bool
	}
	hash := func(text string) (h Hash, ok bool) {
		data, err := base64.StdEncoding.DecodeString(text)
		if err != nil || len(data) != len(h) {
			return h, false
		}
		return Hash(data), true
	}
	holds := func(v *vector, inclusion bool) bool {
		var proof []Hash
		for _, p := range v.Proof {
			h, ok := hash(p)
			if !ok {
				return false
			}
			proof = append(proof, h)
		}
		if inclusion {
			leaf, ok1 := hash(v.LeafHash)
			root, ok2 := hash(v.Root)
			return ok1 && ok2 && Check(proof, v.LeafIdx, leaf, &Checkpoint{"", v.TreeSize, root}) == nil
		}
		root1, ok1 := hash(v.Root1)
		root2, ok2 := hash(v.Root2)
		return ok1 && ok2 && CheckTree(proof, &Checkpoint{"", v.Size1, root1}, &Checkpoint{"", v.Size2, root2}) == nil
	}
	for _, kind := range []string{"inclusion", "consistency"} {
		n := 0
		err := filepath.WalkDir(shared(t, "vectors/merkle-rfc6962/"+kind), func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			n++
			text, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			var v vector
			if err := json.Unmarshal(text, &v); err != nil {
				return err
			}
			if v.Desc == "sizes are equal (one) and proof is empty" { // whose roots are no hashes, which no checkpoint can have
				v.WantErr = true
			}
			if got := holds(&v, kind == "inclusion"); got == v.WantErr {
				t.Errorf("%s: %s: holds: %v, want error: %v", path, v.Desc, got, v.WantErr)
			}
			return nil
		})
		if err != nil || n != 98 {
			t.Errorf("%d vectors of %s, %v", n, kind, err)
		}
	}
}

// TestProofText flips every bit of the text of a proof, with evidence and a checkpoint.
func TestProofText(t *testing.T) {
	a := testKey(t, "example.com/a", 1, false)
	e := evidence(t, evidenceText)
	e.Seq = 3
	if err := e.Keep("/args/path"); err != nil {
		t.Fatal(err)
	}
	m := &memory{tiles: map[[2]uint64][]Hash{}}
	var edge Edge
	for i := range uint64(7) {
		h := leaf(i)
		if i == e.Seq {
			h = e.Digest
		}
		edge.Append(h, func(level int, n uint64, h Hash) {
			key := [2]uint64{uint64(level), n >> TileHeight}
			m.tiles[key] = append(m.tiles[key], h)
		})
	}
	note, err := a.SignCheckpoint(&Checkpoint{"example.com/a", edge.Size(), edge.Root()})
	if err != nil {
		t.Fatal(err)
	}
	p := Proof{Extra: e.Append(nil), Index: e.Seq, Note: note}
	if p.Hashes, err = Prove(e.Seq, edge.Size(), m); err != nil {
		t.Fatal(err)
	}
	text := string(p.Append(nil))
	if !IsProof(text) {
		t.Error("the text is not known as a proof")
	}
	trust := TrustKeys(a.Key())
	if _, _, err := checkProof(text, trust); err != nil {
		t.Fatal(err)
	}
	for i := range len(text) * 8 {
		changed := []byte(text)
		changed[i/8] ^= 1 << (i % 8)
		if _, _, err := checkProof(string(changed), trust); err == nil {
			t.Fatalf("with a bit of byte %d flipped the proof holds:\n%s", i/8, changed)
		}
	}
	for _, test := range []struct{ name, from, to, want string }{
		{"another format", "tlog-proof@v1", "tlog-proof@v2", "expected c2sp.org/tlog-proof@v1"},
		{"extra", "extra ", "extra !", "extra: expected base64"},
		{"no index", "index 3", "3", "expected a line 'index N'"},
		{"leading zero", "index 3", "index 03", "without leading zeros"},
		{"negative", "index 3", "index -3", "without leading zeros"},
		{"short hash", "index 3\n", "index 3\nAAAA\n", "hash 1 of the proof: expected 32 bytes"},
		{"too many hashes", "index 3\n", "index 3\n" + strings.Repeat(base64.StdEncoding.EncodeToString(make([]byte, 32))+"\n", 64), "at most 63"},
		{"no checkpoint", "\n\n" + note, "\n", "expected an empty line"},
		{"no evidence", text[strings.Index(text, "extra"):strings.Index(text, "index")], "", "no evidence"},
	} {
		if _, _, err := checkProof(strings.Replace(text, test.from, test.to, 1), trust); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v, want %s", test.name, err, test.want)
		}
	}
}

func checkProof(text string, trust *Trust) (*Evidence, *SignedCheckpoint, error) {
	p, err := ParseProof(text)
	if err != nil {
		return nil, nil, err
	}
	return p.Check(trust)
}

// TestKeep shows some values of an entry: what is left says nothing of the others.
func TestKeep(t *testing.T) {
	for _, test := range []struct {
		keep []string
		want string // of the payload, or the error
	}{
		{nil, `{}`},
		{[]string{"/args/path", "/reasoning"}, `{"args":{"path":"x"},"reasoning":"because"}`},
		{[]string{"/metadata"}, `{"metadata":{"k":1}}`},
		{[]string{"/args/q~0"}, `{"args":{"q~":[1,{"z":null}]}}`},
		{[]string{"/response/0"}, "/response/0 is no value of the entry that can be shown by itself"},
		{[]string{"/args/pat"}, "/args/pat is no value"},
		{[]string{"/agent"}, "those are: /args/a~1b, /args/path"},
	} {
		e := evidence(t, evidenceText)
		err := e.Keep(test.keep...)
		var payload Entry
		for _, m := range payloadMembers {
			payload[m] = e.Entry[m]
		}
		got := string(payload.Append(nil))
		if err != nil {
			got = err.Error()
		}
		if !strings.Contains(got, test.want) {
			t.Errorf("Keep(%q) leaves %s, want %s", test.keep, got, test.want)
		}
		if err == nil && (e.Check(new(Committer)) != nil || e.Salt != Salt{}) {
			t.Errorf("Keep(%q): it does not verify, or has the salt from which the others follow", test.keep)
		}
	}
}
