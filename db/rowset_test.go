package db

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strings"
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

// TestAddBlock: the rows of a block, added member by member, are those that it gives one by
// one, whatever its columns look like.
func TestAddBlock(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 9))
	values := []string{`1`, `"x"`, `"\"x"`, `null`, `true`, `[1,{"b":2}]`, `{"a":{}}`, `"` + strings.Repeat("long ", 50) + `"`}
	object := func() string {
		var members []string
		for _, name := range []string{"a", "path", "q\\\"", "ü"} {
			if rng.IntN(3) > 0 {
				members = append(members, fmt.Sprintf(`"%s":%s`, name, values[rng.IntN(len(values))]))
			}
		}
		return "{" + strings.Join(members, ",") + "}"
	}
	var texts [][]byte
	last := ""
	for i := range 3000 {
		if rest := rng.IntN(3); i == 0 || rest > 0 {
			last = ""
			for name, value := range map[string]func() string{"args": object, "metadata": object, "response": func() string { return values[rng.IntN(len(values))] },
				"tool": func() string { return fmt.Sprintf(`"tool-%d"`, rng.IntN(9)) }, "reasoning": func() string { return fmt.Sprintf(`"because of %d"`, rng.IntN(99)) },
				"duration_ms": func() string { return fmt.Sprint(rng.IntN(50)) }, "time": func() string { return fmt.Sprintf(`"2026-01-01T00:00:%02d.%09dZ"`, rng.IntN(60), rng.IntN(3)) }} {
				if rng.IntN(4) > 0 {
					last += fmt.Sprintf(`,"%s":%s`, name, value())
				}
			}
		}
		texts = append(texts, fmt.Appendf(nil, `{"session":"s%d"%s}`, rng.IntN(5), last))
	}
	l := open(t, filepath.Join(t.TempDir(), "l"), Options{})
	if _, err := load(l, texts); err != nil {
		t.Fatal(err)
	}
	s, err := l.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for number := range s.state.blocks {
		b, err := s.block(number)
		if err != nil {
			t.Fatal(err)
		}
		var set rowSet
		var x, one restorer
		set.reset(b.Rows())
		if err := set.addBlock(b, &x); err != nil {
			t.Fatal(err)
		}
		var entries [2]chain.Entry
		i := 0
		for p, got := range set.entries() {
			want := &entries[i%2]
			if err := b.members(&one, i, want); err != nil {
				t.Fatal(err)
			}
			if string(got.Append(nil)) != string(want.Append(nil)) || p.seq != b.First()+uint64(i) {
				t.Fatalf("row %d is %d, %s, want %s", i, p.seq, got.Append(nil), want.Append(nil))
			}
			i++
		}
		if i != b.Rows() {
			t.Fatalf("%d rows of %d", i, b.Rows())
		}
	}
	if s.state.blocks == 0 {
		t.Fatal("there is no block")
	}
}
