package db

import (
	"math/rand/v2"
	"testing"

	"toolledger/chain"
)

// TestRowSet: a set gives the rows back that were added, in order, and by member, whatever
// they share with each other.
func TestRowSet(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 7))
	var s rowSet
	for range 20 { // with the memory of the one before
		n := 1 + rng.IntN(200)
		s.reset(n)
		want := make([]chain.Entry, n)
		for i := range want {
			if i > 0 {
				want[i] = want[i-1]
			}
			for range rng.IntN(4) {
				m := rng.IntN(chain.NumMembers)
				want[i][m] = [][]byte{nil, []byte(`"a"`), []byte(`"b"`)}[rng.IntN(3)]
			}
			s.add(&want[i], position{seq: uint64(i)}, asIs)
		}
		i := 0
		for r, m := range s.entries() {
			if r.seq != uint64(i) || string(m.Append(nil)) != string(want[i].Append(nil)) {
				t.Fatalf("row %d is %d, %s, want %s", i, r.seq, m.Append(nil), want[i].Append(nil))
			}
			i++
		}
		for m := chain.Member(0); m < chain.NumMembers; m++ {
			row, has := 0, false
			for run, end := range s.values(m) {
				if run.First != row || end <= row {
					t.Fatalf("%s: a run from %d to %d, want from %d", m, run.First, end, row)
				}
				for ; row < end; row++ {
					if string(run.Value) != string(want[row][m]) {
						t.Fatalf("row %d: %s is %s, want %s", row, m, run.Value, want[row][m])
					}
				}
				has = has || run.Value != nil
			}
			if row != n || s.has(m) != has {
				t.Fatalf("%s: runs of %d rows of %d, has = %v", m, row, n, s.has(m))
			}
		}
	}
}
