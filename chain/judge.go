package chain

import (
	"cmp"
	"fmt"
	"slices"
)

// A Contradiction is between a ledger and what was signed of it, or between two that were
// signed.
type Contradiction struct {
	Kind  string   // Truncated, Rewritten or Fork
	What  string   // a sentence
	Notes []string // the checkpoints that show it: two of a fork
}

// Kinds of contradictions.
const (
	// Truncated: a checkpoint covers more entries than the ledger has. It was cut off at
	// its end, the last session with it if that was there, or is a copy from before.
	Truncated = "truncated"
	// Rewritten: the entries that a checkpoint covers have another root. Some of them were
	// changed, put elsewhere or taken out, with all of their session or alone.
	Rewritten = "rewritten"
	// Fork: two checkpoints that are signed contradict each other. Whoever has the key
	// signed two histories: different people may have been shown different ones.
	Fork = "fork"
)

// Judge holds a ledger of some size, given by its tree, against checkpoints of it. One of
// size 0 agrees with everything.
func Judge(size uint64, r NodeReader, signed ...*SignedCheckpoint) (found []Contradiction, err error) {
	signed = slices.Clone(signed)
	slices.SortStableFunc(signed, func(a, b *SignedCheckpoint) int { return cmp.Compare(a.Size, b.Size) })
	for i := 1; i < len(signed); i++ {
		if a, b := signed[i-1], signed[i]; a.Size == b.Size && a.Root != b.Root {
			found = append(found, fork(a, b))
		}
	}
	var agrees, differs, longer *SignedCheckpoint // the largest, the smallest, the largest
	for _, c := range signed {
		if c.Size > size {
			longer = c
			continue
		}
		edge, err := ReadEdge(c.Size, r)
		if err != nil {
			return nil, err
		}
		if edge.Root() == c.Root {
			agrees = c
		} else if differs == nil {
			differs = c
		}
	}
	switch {
	case differs == nil:
	case agrees != nil && agrees.Size >= differs.Size:
		if agrees.Size > differs.Size { // else it is found already
			found = append(found, fork(differs, agrees))
		}
	default:
		from := uint64(0)
		if agrees != nil {
			from = agrees.Size
		}
		found = append(found, Contradiction{Rewritten, fmt.Sprintf("history was rewritten: of the entries %d to %d, some were changed, moved or removed since they were signed", from, differs.Size-1), []string{differs.Note}})
	}
	if longer != nil {
		found = append(found, Contradiction{Truncated, fmt.Sprintf("truncated: the ledger has %d entries, the checkpoint covers %d: %d are missing at its end, cut off, or not yet there when this copy was made", size, longer.Size, longer.Size-size), []string{longer.Note}})
	}
	return found, nil
}

func fork(a, b *SignedCheckpoint) Contradiction {
	return Contradiction{Fork, fmt.Sprintf("fork: two histories are signed: no ledger agrees with the checkpoints at %d and at %d entries", a.Size, b.Size), []string{a.Note, b.Note}}
}
