package chain

import (
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"testing"

	"golang.org/x/mod/sumdb/tlog"
)

func sha(in []byte) [32]byte { return sha256.Sum256(in) }

// A memory keeps tiles, and every stored hash for the standard implementation.
type memory struct {
	tiles  map[[2]uint64][]Hash
	hashes []Hash
}

func (m *memory) Tile(level int, n uint64, width int) ([]Hash, error) {
	t := m.tiles[[2]uint64{uint64(level), n}]
	if len(t) < width {
		return nil, fmt.Errorf("tile %d %d has %d hashes, not %d", level, n, len(t), width)
	}
	return t[:width], nil
}

func (m *memory) ReadHashes(indexes []int64) ([]tlog.Hash, error) {
	var list []tlog.Hash
	for _, i := range indexes {
		list = append(list, m.hashes[i])
	}
	return list, nil
}

func leaf(i uint64) Hash { return sha(binary.BigEndian.AppendUint64(nil, i)) }

// TestTree compares with x/mod/sumdb/tlog at every size, and reads the edge of
// every smaller tree from the tiles.
func TestTree(t *testing.T) {
	const most = 1000
	m := &memory{tiles: map[[2]uint64][]Hash{}}
	var e Edge
	for i := range uint64(most) {
		want, err := tlog.TreeHash(int64(i), m)
		if err != nil {
			t.Fatal(err)
		}
		if e.Root() != want || e.Size() != i {
			t.Fatalf("root of %d leaves is %v, want %v", i, e.Root(), want)
		}
		stored, err := tlog.StoredHashesForRecordHash(int64(i), leaf(i), m)
		if err != nil {
			t.Fatal(err)
		}
		m.hashes = append(m.hashes, stored...)
		e.Append(leaf(i), func(level int, n uint64, h Hash) {
			key := [2]uint64{uint64(level), n >> TileHeight}
			if int(n&(TileWidth-1)) != len(m.tiles[key]) {
				t.Fatalf("node %d of tile level %d comes out of order", n, level)
			}
			m.tiles[key] = append(m.tiles[key], h)
		})
	}
	for size := range uint64(most) {
		old, err := ReadEdge(size, m)
		if err != nil {
			t.Fatal(err)
		}
		want, _ := tlog.TreeHash(int64(size), m)
		if old.Root() != want {
			t.Fatalf("root of %d leaves from tiles is %v, want %v", size, old.Root(), want)
		}
		again, err := NewEdge(size, old.Nodes())
		if err != nil || again.Root() != want {
			t.Fatalf("edge of %d leaves made again: %v", size, err)
		}
		if _, err := NewEdge(size+1, old.Nodes()); err == nil && size&(size+1) != 0 {
			if len(old.Nodes()) != len(again.Nodes()) {
				t.Errorf("an edge of the wrong length is accepted at %d", size)
			}
		}
	}
	if _, err := ReadEdge(most+1, m); err == nil {
		t.Error("the edge of a tree that is larger than the tiles is read")
	}
}

func TestLargeTree(t *testing.T) {
	const most = 70_000 // has a second tile level
	m := &memory{tiles: map[[2]uint64][]Hash{}}
	var e Edge
	for i := range uint64(most) {
		e.Append(leaf(i), func(level int, n uint64, h Hash) {
			key := [2]uint64{uint64(level), n >> TileHeight}
			m.tiles[key] = append(m.tiles[key], h)
		})
	}
	if len(m.tiles[[2]uint64{2, 0}]) != 1 {
		t.Fatal("no tile of level 2")
	}
	old, err := ReadEdge(most, m)
	if err != nil || old.Root() != e.Root() {
		t.Errorf("root of %d leaves from tiles: %v, %v, want %v", most, old.Root(), err, e.Root())
	}
}

// TestKnownRoots uses the vectors of github.com/transparency-dev/merkle.
func TestKnownRoots(t *testing.T) {
	text, err := os.ReadFile(shared(t, "vectors/merkle-rfc6962/known-roots/roots.json"))
	if err != nil {
		t.Fatal(err)
	}
	var vectors struct {
		Leaves []string `json:"leaves_hex"`
		Roots  []string `json:"roots_hex_by_size"`
	}
	if err := json.Unmarshal(text, &vectors); err != nil || len(vectors.Leaves) != 8 {
		t.Fatalf("%d leaves, %v", len(vectors.Leaves), err)
	}
	var e Edge
	for i, want := range vectors.Roots {
		if got := e.Root(); hex.EncodeToString(got[:]) != want {
			t.Errorf("root of %d leaves is %x, want %s", i, got, want)
		}
		if i < len(vectors.Leaves) {
			data, _ := hex.DecodeString(vectors.Leaves[i])
			e.Append(Digest(data), nil)
		}
	}
}

// TestAppendAll appends leaves in pieces of all sizes: edge and tiles are those of one leaf
// after the other.
func TestAppendAll(t *testing.T) {
	type node struct {
		level int
		n     uint64
		h     Hash
	}
	var d Digester
	for _, piece := range []int{1, 2, 3, 7, 64, 255, 256, 257, 1000} {
		var one, all Edge
		var nodes, got []node
		for done := 0; done < 3000; {
			var leaves []Hash
			for i := range piece {
				leaves = append(leaves, leaf(uint64(done+i)))
				one.Append(leaves[i], func(level int, n uint64, h Hash) { nodes = append(nodes, node{level, n, h}) })
			}
			d.AppendAll(&all, leaves, func(level int, n uint64, h Hash) { got = append(got, node{level, n, h}) })
			done += piece
			if all.Size() != one.Size() || !slices.Equal(all.Nodes(), one.Nodes()) {
				t.Fatalf("after %d leaves, %d at once, the edge differs", done, piece)
			}
		}
		order := func(a, b node) int { return cmp.Compare(a.level, b.level) } // of one level, they come in order
		slices.SortStableFunc(nodes, order)
		slices.SortStableFunc(got, order)
		if !slices.Equal(nodes, got) {
			t.Fatalf("%d leaves at once make other tiles", piece)
		}
	}
}
