package db

import (
	"fmt"
	"path/filepath"
	"testing"
)

// What is left of a load becomes a block or goes to the tail, by how much it is and whether
// the load has made a block before.
func TestLoadRest(t *testing.T) {
	for _, test := range []struct{ rows, blocks, tail int }{
		{restBlockRows, 0, restBlockRows}, // or many small loads would make many small blocks
		{minBlockRows - 1, 0, minBlockRows - 1},
		{minBlockRows, 1, 0},
		{blockRows + restBlockRows - 1, 1, restBlockRows - 1},
		{blockRows + restBlockRows, 2, 0},
	} {
		t.Run(fmt.Sprint(test.rows), func(t *testing.T) {
			var texts [][]byte
			for i := range uint64(test.rows) {
				texts = append(texts, made("a", i))
			}
			l := open(t, filepath.Join(t.TempDir(), "l"), Options{})
			before := stateOf(t, l)
			if _, err := load(l, texts); err != nil {
				t.Fatal(err)
			}
			st := stateOf(t, l)
			blocks, tail := int(st.blocks-before.blocks), int(st.size-st.packed)
			if test.blocks == 0 {
				tail -= int(before.size - before.packed)
			} else if before.packed < before.size {
				blocks-- // of what was in the tail
			}
			tail-- // says what the load was
			if blocks != test.blocks || tail != test.tail {
				t.Errorf("a load of %d makes %d blocks and leaves %d in the tail, want %d and %d", test.rows, blocks, tail, test.blocks, test.tail)
			}
			intact(t, l)
		})
	}
}

func stateOf(t *testing.T, l *Ledger) state {
	t.Helper()
	s, err := l.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	return s.state
}
