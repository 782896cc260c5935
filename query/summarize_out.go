package query

import (
	"slices"
	"strings"
)

// open reads all rows, and gives out the groups in the order in which they were first
// seen, some at a time.
func (s *summary) open(r *run, in *relation, operator string, grouped bool) Batches {
	groups, err := s.groups(r, in, operator, grouped)
	if err != nil {
		return failed(err)
	}
	return func(yield func(*Batch, error) bool) {
		for some := range slices.Chunk(groups, batchRows) {
			rows, err := s.results(some)
			if err == nil {
				err = r.ctx.Err()
			}
			if err != nil {
				yield(nil, err)
				return
			}
			if !yield(batchOf(s.fields, rows), nil) {
				return
			}
		}
	}
}

// groupSize is about what a group takes beside its keys and accumulators: itself, and its
// place in a map.
const groupSize = 160

// size returns about what a group takes.
func (n *rowGroup) size() int {
	size := groupSize + rowSize(n.keys)
	for c, a := range n.accs {
		size += 2 * valueSize
		if m := n.more[c]; m != nil {
			size += m.size()
		} else {
			size += a.Size()
		}
	}
	if len(n.keys) > 1 { // they are also one text
		for _, v := range n.keys {
			size += 15 + len(v.S)
		}
	}
	return size
}

// own returns a value that keeps no longer text alive.
func (v Value) own() Value {
	v.S = strings.Clone(v.S)
	return v
}

func (g *argAccumulator) size() int { return rowSize(g.row) }
func (g *anyAccumulator) size() int { return rowSize(g.row) }
