package db

import (
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"

	"toolledger/chain"
)

// formatVersion is what stands in the state of a ledger in the format of doc.go.
const formatVersion = 1

// A state is what is true of the whole ledger. It is one value, written in the
// transaction that makes anything visible: what it does not cover does not exist.
type state struct {
	size     uint64     // entries
	edge     chain.Edge // of the tree over them
	recorded chain.Time // of the last entry
	sessions uint64     // the ledger's own included
	blocks   uint64     // all below are visible
	packed   uint64     // entries below are in blocks, the others in the tail
	groups   uint64     // of blocks whose runs are written
	ranges   []uint64   // first seq of each range that is not all in blocks; the last is open
	openSize uint64     // bytes of the entries of the open range
	pending  []uint64   // seqs of the ledger's own entries whose removals are not done
}

// stateJSON is how a state is stored.
type stateJSON struct {
	Version  int        `json:"version"`
	Size     uint64     `json:"size"`
	Edge     []string   `json:"edge"`
	Recorded chain.Time `json:"recorded"`
	Sessions uint64     `json:"sessions"`
	Blocks   uint64     `json:"blocks"`
	Packed   uint64     `json:"packed"`
	Groups   uint64     `json:"groups"`
	Ranges   []uint64   `json:"ranges"`
	OpenSize uint64     `json:"open_size"`
	Pending  []uint64   `json:"pending,omitempty"`
}

func (s *state) encode() []byte {
	j := stateJSON{formatVersion, s.size, nil, s.recorded, s.sessions, s.blocks, s.packed, s.groups, s.ranges, s.openSize, s.pending}
	for _, h := range s.edge.Nodes() {
		j.Edge = append(j.Edge, hex.EncodeToString(h[:]))
	}
	text, err := json.Marshal(j)
	if err != nil {
		panic("db: a state cannot be encoded: " + err.Error())
	}
	return text
}

func decodeState(text []byte) (state, error) {
	var j stateJSON
	if err := json.Unmarshal(text, &j); err != nil {
		return state{}, damaged("the state of the ledger cannot be read: %v", err)
	}
	if j.Version != formatVersion {
		return state{}, fmt.Errorf("%w: this is version %d, this program reads version %d", ErrFormat, j.Version, formatVersion)
	}
	s := state{j.Size, chain.Edge{}, j.Recorded, j.Sessions, j.Blocks, j.Packed, j.Groups, j.Ranges, j.OpenSize, j.Pending}
	var nodes []chain.Hash
	for _, text := range j.Edge {
		b, err := hex.DecodeString(text)
		if err != nil || len(b) != len(chain.Hash{}) {
			return state{}, damaged("the state of the ledger has an edge of %q", text)
		}
		nodes = append(nodes, chain.Hash(b))
	}
	var err error
	if s.edge, err = chain.NewEdge(s.size, nodes); err != nil {
		return state{}, damaged("%v", err)
	}
	if s.packed > s.size || len(s.ranges) == 0 || !slices.IsSorted(s.ranges) || s.ranges[0] != s.packed {
		return state{}, damaged("the state of the ledger contradicts itself: %s", text)
	}
	return s, nil
}

func (s *state) clone() state {
	c := *s
	c.edge, c.ranges = s.edge.Clone(), slices.Clone(s.ranges)
	c.pending = slices.Clone(s.pending)
	return c
}

// rangeOf returns where the range of an entry in the tail begins.
func (s *state) rangeOf(seq uint64) uint64 {
	i, found := slices.BinarySearch(s.ranges, seq)
	if !found {
		i--
	}
	return s.ranges[i]
}
