package db

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"toolledger/chain"
)

// TestSpoiledBesideBlock spoils what stands beside a block before it is packed: the pack
// must not switch to it.
func TestSpoiledBesideBlock(t *testing.T) {
	seed, tile := salts{seed: chain.Seed{1}}, make([]chain.Hash, chain.TileWidth)
	for _, test := range []struct {
		name, want string
		key, value []byte
	}{
		{"seed", "its digest is", rangeKey(0), seed.encode()},
		{"tile", "does not have the digest of entry 0", tileKey(0, 0), encodeTile(tile)},
	} {
		t.Run(test.name, func(t *testing.T) {
			ctx, dir := context.Background(), filepath.Join(t.TempDir(), "l")
			l := open(t, dir, Options{})
			for i := range chain.TileWidth + 10 {
				if _, err := l.Append(ctx, Entry{Session: "s", Reasoning: fmt.Sprint(i)}); err != nil {
					t.Fatal(err)
				}
			}
			var b batch
			b.set(test.key, test.value)
			if err := b.commit(l.store); err != nil {
				t.Fatal(err)
			}
			if err := pack(l); err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("packing gives %v, want %q", err, test.want)
			}
			if l.link.state.blocks != 0 {
				t.Error("the block was switched to")
			}
			l.Close()
		})
	}
}
