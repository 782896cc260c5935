package db

import (
	"github.com/dgraph-io/badger/v4"

	"toolledger/chain"
)

const hashSize = len(chain.Hash{})

// tiles are the tiles at the right edge of the tree, a row of hashes a level. Level
// 0, the digests of the entries, is stored when its tile is whole, and at the end
// of a block: until then the tail has the digests. The others are stored whenever
// they grow, once in 256 entries.
type tiles struct {
	open  [][]chain.Hash // of each level, the tile that is not whole
	first []uint64       // its number
	whole []wholeTile    // not written yet
	grown []bool         // whether open has hashes that are not written
}

type wholeTile struct {
	level  int
	n      uint64
	hashes []chain.Hash
}

// add takes a node, as [chain.Edge.Append] gives it.
func (t *tiles) add(level int, n uint64, h chain.Hash) {
	for len(t.open) <= level {
		t.open, t.first, t.grown = append(t.open, nil), append(t.first, 0), append(t.grown, false)
	}
	t.open[level] = append(t.open[level], h)
	t.first[level] = n >> chain.TileHeight
	t.grown[level] = true
	if len(t.open[level]) == chain.TileWidth {
		t.whole = append(t.whole, wholeTile{level, n >> chain.TileHeight, t.open[level]})
		t.open[level], t.grown[level] = nil, false
		t.first[level]++
	}
}

// write puts the tiles that are whole or grew into b, of level 0 the open one only
// if asked.
func (t *tiles) write(b *batch, level0 bool) {
	for _, w := range t.whole {
		b.set(tileKey(w.level, w.n), encodeTile(w.hashes))
	}
	t.whole = nil
	for level, hashes := range t.open {
		if len(hashes) > 0 && t.grown[level] && (level > 0 || level0) {
			b.set(tileKey(level, t.first[level]), encodeTile(hashes))
			t.grown[level] = false
		}
	}
}

// clone returns tiles that do not change with t.
func (t *tiles) clone() tiles {
	c := tiles{first: append([]uint64(nil), t.first...), grown: append([]bool(nil), t.grown...)}
	for _, hashes := range t.open {
		c.open = append(c.open, append([]chain.Hash(nil), hashes...))
	}
	return c
}

func encodeTile(hashes []chain.Hash) []byte {
	value := make([]byte, 0, len(hashes)*hashSize+checksumSize)
	for i := range hashes {
		value = append(value, hashes[i][:]...)
	}
	return value
}

func decodeTile(value []byte) []chain.Hash {
	hashes := make([]chain.Hash, len(value)/hashSize)
	for i := range hashes {
		hashes[i] = chain.Hash(value[i*hashSize:])
	}
	return hashes
}

// A tileReader reads tiles of the tree as a transaction sees it.
type tileReader struct{ txn *badger.Txn }

// Tile implements [chain.NodeReader].
func (r tileReader) Tile(level int, n uint64, width int) ([]chain.Hash, error) {
	value, err := must(r.txn, tileKey(level, n))
	if err != nil {
		return nil, err
	}
	if len(value) < width*hashSize {
		return nil, damaged("tile %d of level %d has %d bytes, not the %d of %d hashes", n, level, len(value), width*hashSize, width)
	}
	return decodeTile(value[:width*hashSize]), nil
}

// readTiles returns the tiles at the right edge of a tree. Of level 0, the digests
// from packed on are taken from the tail.
func readTiles(txn *badger.Txn, st *state) (tiles, error) {
	var t tiles
	for level := 0; st.size>>(chain.TileHeight*level) > 0; level++ {
		nodes := st.size >> (chain.TileHeight * level)
		n, width := nodes>>chain.TileHeight, int(nodes%chain.TileWidth)
		t.first, t.grown = append(t.first, n), append(t.grown, level == 0)
		stored := width
		if level == 0 {
			stored = int(max(st.packed, n*chain.TileWidth) - n*chain.TileWidth)
		}
		var hashes []chain.Hash
		if stored > 0 {
			var err error
			if hashes, err = (tileReader{txn}).Tile(level, n, stored); err != nil {
				return t, err
			}
		}
		for seq := n*chain.TileWidth + uint64(stored); level == 0 && seq < st.size; seq++ {
			digest, err := readTailDigest(txn, seq)
			if err != nil {
				return t, err
			}
			hashes = append(hashes, digest)
		}
		t.open = append(t.open, hashes)
	}
	return t, nil
}
