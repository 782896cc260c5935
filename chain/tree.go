package chain

import (
	"fmt"
	"math/bits"
	"slices"

	"golang.org/x/mod/sumdb/tlog"
)

// The tree over a ledger is that of RFC 6962: its leaves are the digests of all
// entries in the order in which they were appended. It is kept in tiles of eight
// levels, as C2SP tlog-tiles has them:
//
//	tile (level, n) = nodes 256n to 256n+255 of tree level 8*level, 32 bytes each
//
// A tile may have fewer nodes while the tree grows; nodes are never changed.

const (
	// TileHeight is how many levels of the tree a tile spans.
	TileHeight = 8
	// TileWidth is how many hashes a whole tile has.
	TileWidth = 1 << TileHeight
)

// A NodeReader gives what of the tree is stored.
type NodeReader interface {
	// Tile returns the first width hashes of a tile.
	Tile(level int, n uint64, width int) ([]Hash, error)
}

// An Edge is a tree without what is below its right edge: the roots of its
// complete subtrees, the largest first. Its zero value is the empty tree.
type Edge struct {
	size  uint64
	nodes []Hash
}

// NewEdge returns the edge of a tree of that size, which has a node for each bit
// of the size that is set.
func NewEdge(size uint64, nodes []Hash) (Edge, error) {
	if len(nodes) != bits.OnesCount64(size) {
		return Edge{}, fmt.Errorf("the right edge of a tree of %d leaves has %d nodes, not %d", size, bits.OnesCount64(size), len(nodes))
	}
	return Edge{size, append([]Hash(nil), nodes...)}, nil
}

// Size returns how many leaves the tree has.
func (e *Edge) Size() uint64 { return e.size }

// Nodes returns the roots of the complete subtrees. The caller must not change them.
func (e *Edge) Nodes() []Hash { return e.nodes }

// Clone returns an edge that does not change with e.
func (e *Edge) Clone() Edge { return Edge{e.size, append([]Hash(nil), e.nodes...)} }

// Append adds a leaf. It calls tile, where that is not nil, for each node that
// belongs in a tile: the leaf itself, and every node that completes a tile below.
func (e *Edge) Append(leaf Hash, tile func(level int, n uint64, h Hash)) {
	n, h := e.size, leaf
	if tile != nil {
		tile(0, n, h)
	}
	for level := 1; n&1 == 1; level++ {
		h = tlog.NodeHash(e.nodes[len(e.nodes)-1], h)
		e.nodes = e.nodes[:len(e.nodes)-1]
		n >>= 1
		if tile != nil && level%TileHeight == 0 {
			tile(level/TileHeight, n, h)
		}
	}
	e.nodes = append(e.nodes, h)
	e.size++
}

// AppendAll is Append for many leaves at once, which are hashed side by side.
func (d *Digester) AppendAll(e *Edge, leaves []Hash, tile func(level int, n uint64, h Hash)) {
	nodes, n := append(d.nodes[:0], leaves...), e.size
	var left []Hash // of each level the node that has no right one, the smallest first
	for level := 0; len(nodes) > 0; level++ {
		for i, h := range nodes {
			if level%TileHeight == 0 && tile != nil {
				tile(level/TileHeight, n+uint64(i), h)
			}
		}
		if n&1 == 1 { // the left one is there
			last := len(e.nodes) - 1
			nodes = append(nodes, Hash{})
			copy(nodes[1:], nodes)
			nodes[0], e.nodes = e.nodes[last], e.nodes[:last]
			n--
		}
		if len(nodes)%2 == 1 {
			left = append(left, nodes[len(nodes)-1])
		}
		nodes, n = d.parents(nodes), n/2
	}
	slices.Reverse(left)
	e.nodes = append(e.nodes, left...)
	e.size += uint64(len(leaves))
}

// parents puts the parent of each pair of nodes in the place of both.
func (d *Digester) parents(nodes []Hash) []Hash {
	for i := range len(nodes) / 2 {
		text, _ := d.batch.Message(1 + 2*len(Hash{}))
		text[0] = nodePrefix
		copy(text[1:], nodes[2*i][:])
		copy(text[1+len(Hash{}):], nodes[2*i+1][:])
	}
	d.nodes = d.Flush(nodes[:0])
	return d.nodes
}

// Root returns the hash of the tree; that of the empty tree is SHA-256 of nothing.
func (e *Edge) Root() Hash {
	if e.size == 0 {
		h, _ := tlog.TreeHash(0, nil)
		return h
	}
	h := e.nodes[len(e.nodes)-1]
	for i := len(e.nodes) - 2; i >= 0; i-- {
		h = tlog.NodeHash(e.nodes[i], h)
	}
	return h
}

// ReadEdge returns the edge of the tree of the first size leaves.
func ReadEdge(size uint64, r NodeReader) (Edge, error) {
	e := Edge{size: size}
	var before uint64 // leaves left of the node
	for level := bits.Len64(size) - 1; level >= 0; level-- {
		if size>>level&1 == 0 {
			continue
		}
		h, err := readNode(level, before>>level, r)
		if err != nil {
			return Edge{}, err
		}
		e.nodes = append(e.nodes, h)
		before += 1 << level
	}
	return e, nil
}

// readNode returns node n of a tree level, which must be complete: from its tile,
// or from the nodes of the tile below.
func readNode(level int, n uint64, r NodeReader) (Hash, error) {
	up := level % TileHeight
	first := n << up // of the tile's level
	width := uint64(1) << up
	tile, err := r.Tile(level/TileHeight, first>>TileHeight, int(first&(TileWidth-1)+width))
	if err != nil {
		return Hash{}, err
	}
	nodes := append([]Hash(nil), tile[first&(TileWidth-1):]...)
	for ; len(nodes) > 1; nodes = nodes[:len(nodes)/2] {
		for i := range len(nodes) / 2 {
			nodes[i] = tlog.NodeHash(nodes[2*i], nodes[2*i+1])
		}
	}
	return nodes[0], nil
}
