package db

import (
	"context"
	"fmt"

	"toolledger/chain"
)

// Prove returns the proof that an entry is under a checkpoint, which shows of its payload
// what is at and below the pointers, and of the rest the commitments alone. note is the
// checkpoint; "" stands for the last in the ledger's folder.
func (s *Snapshot) Prove(session string, index uint64, note string, pointers ...string) (*chain.Proof, error) {
	c, note, err := s.signed(note)
	if err != nil {
		return nil, err
	}
	e, err := s.evidence(session, index)
	if err != nil {
		return nil, err
	}
	if e.Seq >= c.Size {
		return nil, fmt.Errorf("session %q, index %d is entry %d of the ledger, and the checkpoint covers %d: make another first, with checkpoint", session, index, e.Seq, c.Size)
	}
	if err := e.Keep(pointers...); err != nil {
		return nil, err
	}
	p := &chain.Proof{Extra: e.Append(nil), Index: e.Seq, Note: note}
	p.Hashes, err = chain.Prove(e.Seq, c.Size, s)
	return p, err
}

// ProveGrowth returns the proof that the ledger of a checkpoint, "" for the last in the
// ledger's folder, begins with that of an older one.
func (s *Snapshot) ProveGrowth(old *chain.Checkpoint, note string) (*chain.Growth, error) {
	c, note, err := s.signed(note)
	if err != nil {
		return nil, err
	}
	switch {
	case old.Origin != c.Origin:
		return nil, fmt.Errorf("the old checkpoint is of %s, the ledger is %s", old.Origin, c.Origin)
	case old.Size > c.Size:
		return nil, fmt.Errorf("the old checkpoint covers %d entries, the new one %d: they are in the wrong order, or the ledger was cut off", old.Size, c.Size)
	}
	g := &chain.Growth{Old: old.Size, Note: note}
	if g.Hashes, err = chain.ProveTree(old.Size, c.Size, s); err != nil {
		return nil, err
	}
	if err := chain.CheckTree(g.Hashes, old, c); err != nil {
		return nil, err
	}
	return g, nil
}

// signed returns the checkpoint of a note, which must be of this ledger's tree; "" stands
// for the last in its folder. Who signed it is for others to check.
func (s *Snapshot) signed(note string) (*chain.Checkpoint, string, error) {
	if note == "" {
		var err error
		if note, err = s.l.lastNote(); err != nil {
			return nil, "", err
		}
		if note == "" {
			return nil, "", fmt.Errorf("the ledger has no checkpoint: 'checkpoint' makes one")
		}
	}
	c, err := chain.CheckpointOf(note)
	if err != nil {
		return nil, "", err
	}
	against, err := chain.Judge(s.state.size, s, &chain.SignedCheckpoint{Checkpoint: c, Note: note})
	if err == nil && len(against) > 0 {
		err = &chain.ProofError{What: against[0].What}
	}
	return &c, note, err
}

// Checkpoint returns the checkpoint of a note, "" for the last in the ledger's folder,
// which must agree with the ledger.
func (s *Snapshot) Checkpoint(note string) (*chain.SignedCheckpoint, error) {
	c, note, err := s.signed(note)
	if err != nil {
		return nil, err
	}
	return &chain.SignedCheckpoint{Checkpoint: *c, Note: note}, nil
}

// evidence returns an entry as a line of evidence, its digest recomputed.
func (s *Snapshot) evidence(session string, index uint64) (*chain.Evidence, error) {
	r, err := s.Entry(session, index)
	if err != nil {
		return nil, err
	}
	for e, err := range s.Evidence(context.Background(), Range{From: r.Seq, To: r.Seq + 1}) {
		return e, err
	}
	return nil, damaged("entry %d is not where its session has it", r.Seq)
}

// A Checkpointed is the last checkpoint of a ledger.
type Checkpointed struct {
	Size uint64
	Time chain.Time // when it was made: that of the last entry that it covers
	By   string     // the key that signed it, one that the ledger's own session names; "" if none did
}

// LastCheckpoint returns the last checkpoint in the ledger's folder, nil if there is none.
func (l *Ledger) LastCheckpoint() (*Checkpointed, error) {
	s, err := l.Snapshot()
	if err != nil {
		return nil, err
	}
	defer s.Close()
	note, err := l.lastNote()
	if err != nil || note == "" {
		return nil, err
	}
	c, note, err := s.signed(note)
	if err != nil {
		return nil, err
	}
	if c.Size == 0 {
		return nil, damaged("the last checkpoint covers nothing, which none of a ledger does")
	}
	out := &Checkpointed{Size: c.Size}
	for r, err := range s.Records(context.Background(), Range{From: c.Size - 1, To: c.Size}) {
		if err != nil {
			return nil, err
		}
		out.Time = r.Recorded
		if key, err := chain.ParseKey(keyOf(&r.Members)); err == nil {
			if _, err := chain.TrustKeys(key).Open(note); err == nil {
				out.By = key.ID()
			}
		}
	}
	return out, nil
}
