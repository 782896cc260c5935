// Package interop holds what a ledger gives to others against programs that nobody of
// this project wrote.
package interop

import (
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	fnote "github.com/transparency-dev/formats/note"
	"github.com/transparency-dev/formats/proof"
	"github.com/transparency-dev/formats/witness"
	"github.com/transparency-dev/merkle/rfc6962"
	"github.com/transparency-dev/tessera/api"
	"github.com/transparency-dev/tessera/client"
	"github.com/transparency-dev/tessera/fsck"
	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"

	"toolledger/chain"
	"toolledger/db"
)

const origin = "example.com/ledger"

// ledger makes a ledger and what signs it.
func ledger(t *testing.T) (led *db.Ledger, signer *db.Signer, w *db.Witness) {
	t.Helper()
	dir := t.TempDir()
	if _, err := db.CreateKey(filepath.Join(dir, "key"), origin, false); err != nil {
		t.Fatal(err)
	}
	signer, err := db.OpenSigner(filepath.Join(dir, "key"))
	if err == nil {
		_, err = db.CreateWitness(filepath.Join(dir, "w"), "witness.example/w", signer.Key())
	}
	if err == nil {
		w, err = db.OpenWitness(filepath.Join(dir, "w"))
	}
	if err == nil {
		led, err = db.Open(filepath.Join(dir, "led"), db.Options{Checkpoint: db.Checkpointing{Signer: signer, Witnesses: []*db.Witness{w}}})
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { led.Close() })
	return led, signer, w
}

// load adds entries of a session from an index on.
func load(t *testing.T, led *db.Ledger, from, n int) {
	t.Helper()
	w, err := led.NewLoader(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for i := range n {
		canonical, err := chain.Canonical(nil, fmt.Appendf(nil, `{"session":"s","index":%d,"tool":"t","args":{"n":%[1]d,"secret":"hush"}}`, from+i))
		if err != nil {
			t.Fatal(err)
		}
		in, err := db.ParseInput(chain.TextOf(canonical))
		if err == nil {
			_, err = w.Add(&in)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Finish("import", `{}`); err != nil {
		t.Fatal(err)
	}
}

// TestTiles has the client and the fsck of transparency-dev/tessera, and the tile reader of
// x/mod, audit what export --format tiles writes: of a small ledger, and into the same
// folder of one that has a tile of the third level.
func TestTiles(t *testing.T) {
	led, signer, _ := ledger(t)
	dir := t.TempDir()
	verifier, err := note.NewVerifier(signer.Key().String())
	if err != nil {
		t.Fatal(err)
	}
	var before *chain.SignedCheckpoint
	loaded := 0
	for _, n := range []int{300, 700, 66_000} {
		load(t, led, loaded, n-loaded)
		loaded = n
		if _, err := led.Checkpoint(t.Context()); err != nil {
			t.Fatal(err)
		}
		s, err := led.Snapshot()
		if err != nil {
			t.Fatal(err)
		}
		c, err := s.WriteTiles(t.Context(), dir, "")
		s.Close()
		if err != nil {
			t.Fatal(err)
		}
		if err := check(t.Context(), dir, verifier); err != nil {
			t.Errorf("fsck of %d entries: %v", c.Size, err)
		}
		files := client.FileFetcher{Root: dir}
		builder, err := client.NewProofBuilder(t.Context(), c.Size, files.ReadTile)
		if err != nil {
			t.Fatal(err)
		}
		for _, index := range []uint64{0, 255, 256, c.Size - 1} {
			bundle, err := client.GetEntryBundle(t.Context(), files.ReadEntryBundle, index/256, c.Size)
			if err != nil {
				t.Fatal(err)
			}
			hashes, err := builder.InclusionProof(t.Context(), index)
			if err != nil {
				t.Fatal(err)
			}
			header := bundle.Entries[index%256]
			if err := chain.Check(ours(hashes), index, chain.Digest(header), &c.Checkpoint); err != nil {
				t.Errorf("their proof of entry %d: %v", index, err)
			}
			if bytes.Contains(header, []byte("hush")) {
				t.Errorf("payload went out: %s", header)
			}
		}
		if before != nil {
			hashes, err := builder.ConsistencyProof(t.Context(), before.Size, c.Size)
			if err == nil {
				err = chain.CheckTree(ours(hashes), &before.Checkpoint, &c.Checkpoint)
			}
			if err != nil {
				t.Errorf("their proof from %d to %d: %v", before.Size, c.Size, err)
			}
		}
		tree := tlog.TileHashReader(tlog.Tree{N: int64(c.Size), Hash: c.Root}, tileFiles(dir))
		if _, err := tlog.ProveRecord(int64(c.Size), int64(c.Size/2), tree); err != nil {
			t.Errorf("x/mod reads the tiles: %v", err)
		}
		before = c
	}
	// An auditor sees one byte that is otherwise.
	path := filepath.Join(dir, chain.BundlePath(3, chain.TileWidth))
	bundle, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	bundle[100] ^= 1
	if err := os.WriteFile(path, bundle, 0o600); err != nil {
		t.Fatal(err)
	}
	if check(t.Context(), dir, verifier) == nil {
		t.Error("fsck does not see a changed entry")
	}
}

func ours(hashes [][]byte) (list []chain.Hash) {
	for _, h := range hashes {
		list = append(list, chain.Hash(h))
	}
	return list
}

func check(ctx context.Context, dir string, verifier note.Verifier) error {
	leaves := func(data []byte) (hashes [][]byte, err error) {
		var b api.EntryBundle
		if err := b.UnmarshalText(data); err != nil {
			return nil, err
		}
		for _, entry := range b.Entries {
			hashes = append(hashes, rfc6962.DefaultHasher.HashLeaf(entry))
		}
		return hashes, nil
	}
	// It waits for ever once it has found faults in as many files as it has workers.
	return fsck.New(origin, verifier, client.FileFetcher{Root: dir}, leaves, fsck.Opts{N: 16}).Check(ctx)
}

// tileFiles gives the files of tlog-tiles to x/mod.
type tileFiles string

func (dir tileFiles) Height() int                     { return chain.TileHeight }
func (dir tileFiles) SaveTiles([]tlog.Tile, [][]byte) {}
func (dir tileFiles) ReadTiles(tiles []tlog.Tile) (list [][]byte, err error) {
	for _, tile := range tiles {
		data, err := os.ReadFile(filepath.Join(string(dir), chain.TilePath(tile.L, uint64(tile.N), tile.W)))
		if err != nil {
			return nil, err
		}
		list = append(list, data)
	}
	return list, nil
}

// TestFormats reads checkpoints, cosignatures, proofs and policies with
// transparency-dev/formats.
func TestFormats(t *testing.T) {
	led, signer, w := ledger(t)
	load(t, led, 0, 500)
	c, err := led.Checkpoint(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	policy := fmt.Sprintf("log %s\nwitness W %s https://witness.example/\ngroup G 1 W\nquorum G\n", signer.Key(), w.Key())
	theirs, err := witness.ParsePolicy([]byte(policy))
	if err != nil || !theirs.Satisfied([]byte(c.Note)) {
		t.Errorf("they read the policy: %v, and the cosignature: %v", err, err == nil)
	}
	if _, err := chain.ParseTrust(policy); err != nil {
		t.Error(err)
	}
	cosigner, err := fnote.NewVerifierForCosignatureV1(w.Key().String())
	if err != nil {
		t.Fatal(err)
	}
	n, err := note.Open([]byte(c.Note), note.VerifierList(cosigner))
	if err != nil {
		t.Fatal(err)
	}
	if at, err := fnote.CoSigV1Timestamp(n.Sigs[0]); err != nil || time.Since(at) > time.Hour {
		t.Errorf("they read the time %v, %v", at, err)
	}
	s, err := led.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	p, err := s.Prove("s", 17, "", "/args/n")
	if err != nil {
		t.Fatal(err)
	}
	text := p.Append(nil)
	var read proof.TLogProof
	if err := read.Unmarshal(text); err != nil || read.Index != p.Index || string(read.Checkpoint) != p.Note || !bytes.Equal(read.ExtraData, p.Extra) || len(read.Hashes) != len(p.Hashes) {
		t.Errorf("they read the proof: %+v, %v", read, err)
	}
	if again := read.Marshal(); !bytes.Equal(again, text) {
		t.Errorf("they write the proof\n%s, we\n%s", again, text)
	}
}

// TestCosigner takes a cosignature that transparency-dev/formats makes.
func TestCosigner(t *testing.T) {
	_, signer, _ := ledger(t)
	c := chain.Checkpoint{Origin: origin, Size: 7, Root: sha256.Sum256(nil)}
	text, err := signer.SignCheckpoint(&c)
	if err != nil {
		t.Fatal(err)
	}
	w, err := chain.GenerateKey(bytes.NewReader(make([]byte, 32)), "w.example", true)
	if err != nil {
		t.Fatal(err)
	}
	theirs, err := fnote.NewSignerForCosignatureV1(string(bytes.TrimSpace(w.KeyFile())))
	if err != nil {
		t.Fatal(err)
	}
	verifier, err := note.NewVerifier(signer.Key().String())
	if err != nil {
		t.Fatal(err)
	}
	n, err := note.Open([]byte(text), note.VerifierList(verifier))
	if err != nil {
		t.Fatal(err)
	}
	cosigned, err := note.Sign(n, theirs)
	if err != nil {
		t.Fatal(err)
	}
	opened, err := chain.OpenNote(string(cosigned), signer.Key(), w.Key())
	if err != nil || len(opened.By) != 2 || time.Since(opened.By[1].Time) > time.Hour {
		t.Errorf("we read their cosignature: %+v, %v", opened, err)
	}
}
