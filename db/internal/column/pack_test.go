package column

import (
	"bytes"
	"math/rand/v2"
	"testing"
)

// TestPackLetters packs what repeats nothing and has few letters, as Base64 of an image does,
// in one stream that is short enough for huff0 alone and in one that is not.
func TestPackLetters(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	for _, n := range []int{maxHuff, 5 * maxHuff} {
		raw := []byte(base62(rng, n))
		var p packer
		packed := p.append(nil, raw, best)
		if limit := n * 3 / 4; len(packed) > limit {
			t.Errorf("%d letters take %d bytes, want at most %d", n, len(packed), limit)
		}
		s, rest, err := unpack(packed, n)
		if err != nil || len(rest) > 0 || !bytes.Equal(s.raw, raw) {
			t.Errorf("%d letters do not come back: %d bytes, %d left, %v", n, len(s.raw), len(rest), err)
		}
	}
}
