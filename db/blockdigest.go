package db

import "toolledger/chain"

// Digests returns the digests of some rows of a block, nil for all. As all that a snapshot
// finds, they are for one goroutine at a time.
func (s *Snapshot) Digests(b *Block, rows []int) ([]chain.Hash, error) {
	t := blockTiles{s: s, b: b}
	out := make([]chain.Hash, 0, b.someRows(rows))
	for row := range b.eachOf(rows) {
		h, err := t.digest(row)
		if err != nil {
			return nil, err
		}
		out = append(out, h)
	}
	return out, nil
}

// Prevs returns, for some rows of a block, nil for all, the digest of the entry before each in
// its session, zeros for a first one.
func (s *Snapshot) Prevs(b *Block, rows []int) ([]chain.Hash, error) {
	codes, names, err := b.sessions()
	if err != nil {
		return nil, err
	}
	index, err := b.indexes()
	if err != nil {
		return nil, err
	}
	last, before := make([]int, names.Distinct()+1), make([]int, len(codes)) // rows of the session, plus one
	for row, c := range codes {
		before[row], last[c] = last[c], row+1
	}
	t := blockTiles{s: s, b: b}
	out := make([]chain.Hash, 0, b.someRows(rows))
	for row := range b.eachOf(rows) {
		var h chain.Hash
		var err error
		switch {
		case before[row] > 0:
			h, err = t.digest(before[row] - 1)
		case index[row] > 0: // in a block before
			var name []byte
			if name, err = names.Value(nil, codes[row]); err == nil {
				h, err = s.digestAt(string(name), index[row]-1)
			}
		}
		if err != nil {
			return nil, err
		}
		out = append(out, h)
	}
	return out, nil
}

// someRows is how many rows a list has, of which nil is all.
func (b *Block) someRows(rows []int) int {
	if rows == nil {
		return b.Rows()
	}
	return len(rows)
}

// eachOf yields the rows of a list, of which nil is all.
func (b *Block) eachOf(rows []int) func(yield func(int) bool) {
	return func(yield func(int) bool) {
		for i := range b.someRows(rows) {
			row := i
			if rows != nil {
				row = rows[i]
			}
			if !yield(row) {
				return
			}
		}
	}
}

// blockTiles are the tiles of digests of a block's rows, as far as they were asked for.
type blockTiles struct {
	s     *Snapshot
	b     *Block
	tiles map[uint64][]chain.Hash
}

func (t *blockTiles) digest(row int) (chain.Hash, error) {
	seq := t.b.First() + uint64(row)
	n := seq >> chain.TileHeight
	tile := t.tiles[n]
	if tile == nil {
		width := min((n+1)*chain.TileWidth, t.b.First()+uint64(t.b.Rows())) - n*chain.TileWidth
		var err error
		if tile, err = t.s.Tile(0, n, int(width)); err != nil {
			return chain.Hash{}, err
		}
		if t.tiles == nil {
			t.tiles = map[uint64][]chain.Hash{}
		}
		t.tiles[n] = tile
	}
	return tile[seq%chain.TileWidth], nil
}
