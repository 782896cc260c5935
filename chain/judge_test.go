package chain

import "testing"

// TestJudge holds a tree of 20 against checkpoints of it, of another history that begins
// as it does up to 10, and of ones that are longer.
func TestJudge(t *testing.T) {
	m, edges := grow(20)
	other := func(size uint64) Hash {
		e := edges[10].Clone()
		for i := uint64(10); i < size; i++ {
			e.Append(leaf(i+1000), nil)
		}
		return e.Root()
	}
	at := func(size uint64) *SignedCheckpoint {
		return &SignedCheckpoint{Checkpoint: Checkpoint{"o", size, edges[size].Root()}, Note: "ours"}
	}
	elsewhere := func(size uint64) *SignedCheckpoint {
		return &SignedCheckpoint{Checkpoint: Checkpoint{"o", size, other(size)}, Note: "other"}
	}
	for _, test := range []struct {
		name   string
		signed []*SignedCheckpoint
		want   []string
	}{
		{"nothing", nil, nil},
		{"all agree", []*SignedCheckpoint{at(20), at(1), at(7), at(7)}, nil},
		{"size 0", []*SignedCheckpoint{at(0)}, nil},
		{"rewritten", []*SignedCheckpoint{elsewhere(12), at(10)}, []string{Rewritten}},
		{"truncated", []*SignedCheckpoint{at(20), elsewhere(21)}, []string{Truncated}},
		{"rewritten and truncated", []*SignedCheckpoint{elsewhere(21), elsewhere(12)}, []string{Rewritten, Truncated}},
		{"fork at one size", []*SignedCheckpoint{at(15), elsewhere(15)}, []string{Fork}},
		{"fork at two sizes", []*SignedCheckpoint{at(15), elsewhere(12)}, []string{Fork}},
	} {
		found, err := Judge(20, m, test.signed...)
		if err != nil || len(found) != len(test.want) {
			t.Errorf("%s: %+v, %v, want %q", test.name, found, err, test.want)
			continue
		}
		for i, c := range found {
			if c.Kind != test.want[i] || (c.Kind == Fork) != (len(c.Notes) == 2) {
				t.Errorf("%s: %+v, want %s", test.name, c, test.want[i])
			}
		}
	}
}
