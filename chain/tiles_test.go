package chain

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"testing"
)

// A folder is a log of some size in the layout of C2SP tlog-tiles.
type folder struct {
	dir  string
	size uint64
}

// Tile implements NodeReader.
func (f folder) Tile(level int, n uint64, width int) ([]Hash, error) {
	there := int(min(TileWidth, f.size>>(TileHeight*level)-n*TileWidth))
	data, err := os.ReadFile(filepath.Join(f.dir, TilePath(level, n, there)))
	if err != nil {
		return nil, err
	}
	var hashes []Hash
	for ; len(data) > 0; data = data[len(Hash{}):] {
		hashes = append(hashes, Hash(data))
	}
	if len(hashes) != there {
		return nil, fmt.Errorf("tile %d %d has %d hashes, not %d", level, n, len(hashes), there)
	}
	return hashes[:width], nil
}

// TestTesseraLog reads the log that the tests of transparency-dev/tessera have: each of its
// checkpoints, from its entries.
func TestTesseraLog(t *testing.T) {
	dir := shared(t, "vectors/tessera-log")
	text, err := os.ReadFile(dir + "/vkey.txt")
	if err != nil {
		t.Fatal(err)
	}
	key, err := ParseKey(string(text))
	if err != nil {
		t.Fatal(err)
	}
	trust := TrustKeys(key)
	var before *SignedCheckpoint
	for size := range 16 {
		note, err := os.ReadFile(fmt.Sprintf("%s/checkpoint.%d", dir, size))
		if err != nil {
			t.Fatal(err)
		}
		c, err := trust.Open(string(note))
		if err != nil || c.Size != uint64(size) {
			t.Fatalf("checkpoint %d: %+v, %v", size, c, err)
		}
		var e Edge
		if size > 0 {
			bundle, err := os.ReadFile(filepath.Join(dir, BundlePath(0, size)))
			if err != nil {
				t.Fatal(err)
			}
			for len(bundle) > 0 {
				n := binary.BigEndian.Uint16(bundle)
				e.Append(Digest(bundle[2:2+n]), nil)
				bundle = bundle[2+n:]
			}
		}
		if e.Size() != c.Size || e.Root() != c.Root {
			t.Errorf("checkpoint %d: its entries have another root", size)
		}
		edge, err := ReadEdge(c.Size, folder{dir, c.Size})
		if err != nil || edge.Root() != c.Root {
			t.Errorf("checkpoint %d: its tiles have another root, %v", size, err)
		}
		if before != nil && before.Size > 0 {
			p, err := ProveTree(before.Size, c.Size, folder{dir, c.Size})
			if err == nil {
				err = CheckTree(p, &before.Checkpoint, &c.Checkpoint)
			}
			if err != nil {
				t.Errorf("from checkpoint %d to %d: %v", before.Size, c.Size, err)
			}
		}
		before = c
	}
}

// TestMirroredTiles reads the tiles that the tests of FiloSottile/sunlight have, under a
// checkpoint that carries the cosignature of a mirror alone.
func TestMirroredTiles(t *testing.T) {
	dir := shared(t, "vectors/tiles-300")
	note, err := os.ReadFile(dir + "/checkpoint")
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(dir + "/mirror.v0.json")
	if err != nil {
		t.Fatal(err)
	}
	var mirror struct {
		Keys []string `json:"verifier_keys"`
	}
	if err := json.Unmarshal(text, &mirror); err != nil || len(mirror.Keys) != 1 {
		t.Fatal(mirror, err)
	}
	key, err := ParseKey(mirror.Keys[0])
	if err != nil {
		t.Fatal(err)
	}
	n, err := OpenNote(string(note), key)
	if err != nil || len(n.By) != 1 || n.By[0].Time.IsZero() {
		t.Fatalf("the mirror's cosignature: %+v, %v", n, err)
	}
	c, err := ParseCheckpoint(n.Text)
	if err != nil || c.Size != 300 {
		t.Fatal(c, err)
	}
	edge, err := ReadEdge(300, folder{dir, 300})
	if err != nil || edge.Root() != c.Root {
		t.Errorf("the tiles have root %v, the checkpoint %v, %v", edge.Root(), c.Root, err)
	}
	for i := range uint64(300) {
		leaves, err := folder{dir, 300}.Tile(0, i/256, int(i%256+1))
		if err != nil {
			t.Fatal(err)
		}
		p, err := Prove(i, 300, folder{dir, 300})
		if err == nil {
			err = Check(p, i, leaves[i%256], &c)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

func TestTilePath(t *testing.T) {
	for _, test := range []struct{ got, want string }{
		{TilePath(0, 0, 256), "tile/0/000"},
		{TilePath(1, 1234067, 256), "tile/1/x001/x234/067"},
		{TilePath(0, 1000, 17), "tile/0/x001/000.p/17"},
		{BundlePath(273, 112), "tile/entries/273.p/112"},
		{BundlePath(999, 256), "tile/entries/999"},
	} {
		if test.got != test.want {
			t.Errorf("path %s, want %s", test.got, test.want)
		}
	}
}
