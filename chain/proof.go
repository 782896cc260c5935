package chain

import (
	"fmt"
	"math"

	"golang.org/x/mod/sumdb/tlog"
)

// Proofs about a tree are those of RFC 6962: hashes of subtrees from which, with what is
// to be proven, the root follows. They are O(log n) long: 20 hashes for 1,000,000 leaves.

// Prove returns the proof that a leaf is in the tree of the first size leaves.
func Prove(index, size uint64, r NodeReader) ([]Hash, error) {
	if index >= size || size > math.MaxInt64 {
		return nil, fmt.Errorf("entry %d is not among the first %d", index, size)
	}
	return tlog.ProveRecord(int64(size), int64(index), nodeHashes(r))
}

// Check checks a proof of [Prove] against a checkpoint. The error is a *[ProofError].
func Check(proof []Hash, index uint64, leaf Hash, c *Checkpoint) error {
	if index >= c.Size || c.Size > math.MaxInt64 {
		return disproved("entry %d is not among the %d of the checkpoint", index, c.Size)
	}
	if tlog.CheckRecord(proof, int64(c.Size), c.Root, int64(index), leaf) != nil {
		return disproved("the proof does not lead from entry %d to the root of the checkpoint at size %d", index, c.Size)
	}
	return nil
}

// ProveTree returns the proof that the tree of the first size leaves begins with that of
// the first old. That of nothing is empty: everything begins with nothing.
func ProveTree(old, size uint64, r NodeReader) ([]Hash, error) {
	if old > size || size > math.MaxInt64 {
		return nil, fmt.Errorf("a tree of %d entries does not begin with one of %d", size, old)
	}
	if old == 0 || old == size {
		return nil, nil
	}
	return tlog.ProveTree(int64(size), int64(old), nodeHashes(r))
}

// CheckTree checks a proof of [ProveTree]: that nothing which old covers is otherwise in
// next. An old checkpoint of nothing says nothing, and so proves nothing. The error is a
// *[ProofError].
func CheckTree(proof []Hash, old, next *Checkpoint) error {
	switch {
	case old.Origin != next.Origin:
		return disproved("the checkpoints are of two ledgers, %s and %s", old.Origin, next.Origin)
	case old.Size > next.Size:
		return disproved("the old checkpoint has %d entries, the new one %d: the ledger became shorter, or they are in the wrong order", old.Size, next.Size)
	case old.Size == 0:
		return disproved("the old checkpoint is of size 0: with that every ledger agrees, so it proves nothing")
	case old.Size == next.Size && old.Root != next.Root:
		return disproved("two roots at size %d: they are of two histories", old.Size)
	case old.Size == next.Size && len(proof) > 0:
		return disproved("the proof has %d hashes: between checkpoints of one size there are none", len(proof))
	case old.Size == next.Size:
		return nil
	}
	if next.Size > math.MaxInt64 || tlog.CheckTree(proof, int64(next.Size), next.Root, int64(old.Size), old.Root) != nil {
		return disproved("the proof does not lead from the checkpoint at size %d to that at %d: history was rewritten, or the proof is of others", old.Size, next.Size)
	}
	return nil
}

// nodeHashes gives the nodes of a tree to tlog, which numbers them in one row.
func nodeHashes(r NodeReader) tlog.HashReader {
	return tlog.HashReaderFunc(func(indexes []int64) ([]Hash, error) {
		hashes := make([]Hash, len(indexes))
		for i, index := range indexes {
			level, n := tlog.SplitStoredHashIndex(index)
			h, err := readNode(level, uint64(n), r)
			if err != nil {
				return nil, err
			}
			hashes[i] = h
		}
		return hashes, nil
	})
}
