package query

import (
	"slices"
	"testing"
)

// Chunks is a slice, whatever its length and wherever it is cut.
func TestChunks(t *testing.T) {
	lengths := []int{0, 1, chunkLen - 1, chunkLen, chunkLen + 1, 2 * chunkLen, 3*chunkLen + 7}
	for _, n := range lengths {
		var c Chunks[int]
		var want []int
		for i := 0; i < n; {
			some := []int{i, i + 1, i + 2}[:min(3, n-i)]
			c.Append(some...)
			want = append(want, some...)
			i += len(some)
		}
		same := func(what string, c *Chunks[int], want []int) {
			t.Helper()
			if c.Len() != len(want) || !slices.Equal(c.Slice(), want) {
				t.Fatalf("%d values, %s: %d values %v", n, what, c.Len(), c.Slice())
			}
			for i, v := range want {
				if *c.At(i) != v {
					t.Fatalf("%d values, %s: at %d is %d", n, what, i, *c.At(i))
				}
			}
			if room := c.Size() / 8; room < len(want) || room > 2*len(want)+chunkLen {
				t.Fatalf("%d values, %s: room for %d", n, what, room)
			}
		}
		same("appended", &c, want)
		for _, cut := range slices.Backward(lengths) {
			if cut <= n {
				c.Cut(cut)
				same("cut", &c, want[:cut])
			}
		}
		c.Append(5)
		same("grown again", &c, []int{5})
	}
}
