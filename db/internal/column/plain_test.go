package column

import (
	"bytes"
	"math/rand/v2"
	"slices"
	"testing"
)

// TestPlain requires of rows that are read as they are what it requires of those that
// were encoded: the same codes and values, and that what is there is never denied.
func TestPlain(t *testing.T) {
	var e Encoder
	for seed, k := range kinds {
		rows := k.rows(300, uint64(seed))
		r, want := Plain(len(rows), runsOf(rows)), reader(t, &e, rows)
		codes, err := r.Codes()
		wanted, err2 := want.Codes()
		if err != nil || err2 != nil || !slices.Equal(codes, wanted) || r.Distinct() != want.Distinct() || r.Rows() != len(rows) {
			t.Fatalf("%s: other codes, %v, %v", k.name, err, err2)
		}
		rng := rand.New(rand.NewPCG(uint64(seed), 5))
		for range 2 { // again when it was released
			for i := range rows {
				got, ok, err := r.Row(nil, i)
				if err != nil || ok != (rows[i] != nil) || !bytes.Equal(got, rows[i]) {
					t.Fatalf("%s: row %d is %q, %v, %v, want %q", k.name, i, got, ok, err, rows[i])
				}
			}
			for range 80 {
				checkSkip(t, r, rows, mangle(rng, string(rows[rng.IntN(len(rows))])))
			}
			r.Release()
		}
		least, most, ok := r.IntRange()
		if l, m, o := want.IntRange(); l != least || m != most || o != ok {
			t.Errorf("%s: IntRange is %d, %d, %v, want %d, %d, %v", k.name, least, most, ok, l, m, o)
		}
	}
	if r := Plain(2, runsOf([][]byte{nil, nil})); r.Distinct() != 0 || r.Rows() != 2 {
		t.Errorf("of absent values: %d distinct, %d rows", r.Distinct(), r.Rows())
	}
}
