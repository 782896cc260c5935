package audit

import (
	"errors"
	"math/rand/v2"
	"testing"
)

func noCheck() error { return nil }

// lcs is the length of a longest common subsequence, by the table.
func lcs(a, b []uint32) int {
	before, row := make([]int, len(b)+1), make([]int, len(b)+1)
	for i := range a {
		for j := range b {
			if a[i] == b[j] {
				row[j+1] = before[j] + 1
			} else {
				row[j+1] = max(row[j], before[j+1])
			}
		}
		before, row = row, before
	}
	return before[len(b)]
}

// pairs counts the pairs of an alignment, which must be of same elements in both orders.
func pairs(t *testing.T, a, b []uint32, partner []int32) (n int) {
	t.Helper()
	last := int32(-1)
	for i, j := range partner {
		if j < 0 {
			continue
		}
		if j <= last || a[i] != b[j] {
			t.Fatalf("a[%d] = %d is paired with b[%d] = %d, after b[%d]", i, a[i], j, b[j], last)
		}
		last = j
		n++
	}
	return n
}

func randomElements(r *rand.Rand, n, kinds int) []uint32 {
	list := make([]uint32, n)
	for i := range list {
		list[i] = uint32(r.IntN(kinds))
	}
	return list
}

// TestAlignIsLongest: where the edits are few enough, no alignment has more pairs.
func TestAlignIsLongest(t *testing.T) {
	for seed := range uint64(500) {
		r := rand.New(rand.NewPCG(seed, 1))
		a, b := randomElements(r, r.IntN(60), 1+r.IntN(12)), randomElements(r, r.IntN(60), 1+r.IntN(12))
		partner, err := align(a, b, noCheck)
		if got, want := pairs(t, a, b, partner), lcs(a, b); got != want || err != nil {
			t.Fatalf("%v and %v have %d pairs (%v), %v; the longest has %d", a, b, got, partner, err, want)
		}
	}
}

// TestAlignLong: what needs too many edits is aligned by anchors, and ends.
func TestAlignLong(t *testing.T) {
	const n = 100_000
	r := rand.New(rand.NewPCG(7, 1))
	long := randomElements(r, n, n)
	edited := append([]uint32(nil), long...)
	for range n / 10 {
		edited[r.IntN(n)] = uint32(n + r.IntN(n))
	}
	moved := append(append([]uint32(nil), long[n/2:]...), long[:n/2]...)
	for _, c := range []struct {
		name    string
		a, b    []uint32
		atLeast int
	}{
		{"nothing in common", randomElements(r, n, n), func() []uint32 {
			b := randomElements(r, n, n)
			for i := range b {
				b[i] += n
			}
			return b
		}(), 0},
		{"a tenth is other", long, edited, n * 88 / 100},
		{"halves are exchanged", long, moved, n / 2},
		{"two kinds at random", randomElements(r, n, 2), randomElements(r, n, 2), n / 2},
		{"ten kinds at random", randomElements(r, n, 10), randomElements(r, n, 10), n / 10},
		{"all the same, one shorter", make([]uint32, n), make([]uint32, n/2), n / 2},
	} {
		t.Run(c.name, func(t *testing.T) {
			partner, err := align(c.a, c.b, noCheck)
			if err != nil {
				t.Fatal(err)
			}
			got := pairs(t, c.a, c.b, partner)
			if got < c.atLeast {
				t.Errorf("%d pairs, want at least %d", got, c.atLeast)
			}
			t.Logf("%d pairs", got)
		})
	}
}

func TestAlignEnds(t *testing.T) {
	stop := errors.New("stop")
	if _, err := align([]uint32{1, 2}, []uint32{2, 3}, func() error { return stop }); err != stop {
		t.Errorf("align = %v, want what check says", err)
	}
}
