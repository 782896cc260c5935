package db

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"toolledger/chain"
)

// A SignedReport is what [Snapshot.VerifySigned] found.
type SignedReport struct {
	Checked int                     // how many checkpoints the ledger was held against
	Last    *chain.SignedCheckpoint // that covers most
	Against []chain.Contradiction
}

// VerifySigned holds the ledger against signed checkpoints: those given, those in its own
// folder, and the last that was seen before, which the file state keeps if it is not "".
// All must be signed by a key of trust, or by one that such a key named as the next in the
// ledger; the error is a *[chain.ProofError] if one is not. Without a contradiction, state
// keeps the last of them.
func (s *Snapshot) VerifySigned(trust *chain.Trust, notes []string, state string) (*SignedReport, error) {
	id, err := s.Identity()
	if err != nil {
		return nil, err
	}
	if trust, err = s.Trusted(trust); err != nil {
		return nil, err
	}
	signed, err := openNotes(trust, notes, "the checkpoints that were given")
	if err != nil {
		return nil, err
	}
	own, rest, err := s.l.ownNotes()
	if err == nil && rest != "" {
		err = damaged("%s is damaged behind %d checkpoints", s.l.checkpointsFile(), len(own))
	}
	if err != nil {
		return nil, err
	}
	kept, err := openNotes(trust, own, s.l.checkpointsFile())
	if err != nil {
		return nil, err
	}
	signed = append(signed, kept...)
	var seen *latest
	if state != "" {
		if seen, err = readLatest(state, trust); err != nil {
			return nil, err
		}
		if last := seen.of(id.Origin); last != nil {
			signed = append(signed, last)
		}
	}
	if len(signed) == 0 {
		return nil, fmt.Errorf("there is no checkpoint to hold the ledger against: 'checkpoint' makes one")
	}
	report := &SignedReport{Checked: len(signed)}
	for _, c := range signed {
		if c.Origin != id.Origin {
			return nil, &chain.ProofError{What: fmt.Sprintf("the checkpoint at %d entries is of %s, the ledger is %s", c.Size, c.Origin, id.Origin)}
		}
		if report.Last == nil || c.Size > report.Last.Size {
			report.Last = c
		}
	}
	report.Against, err = chain.Judge(s.state.size, s, signed...)
	if err == nil && len(report.Against) == 0 && seen != nil {
		err = seen.set(report.Last)
	}
	return report, err
}

func openNotes(trust *chain.Trust, notes []string, where string) (list []*chain.SignedCheckpoint, err error) {
	for i, note := range notes {
		c, err := trust.Open(note)
		if err != nil {
			return nil, fmt.Errorf("%s: checkpoint %d: %w", where, i+1, err)
		}
		list = append(list, c)
	}
	return list, nil
}

// ownNotes reads the checkpoints in the ledger's folder; rest is what is damaged.
func (l *Ledger) ownNotes() (notes []string, rest string, err error) {
	text, err := os.ReadFile(l.checkpointsFile())
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, "", err
	}
	notes, rest = chain.SplitNotes(string(text))
	return notes, rest, nil
}

// checkpoints looks whether the checkpoints in the ledger's folder agree with it, and are
// signed by keys that its own session names. Somebody who wrote all of that anew is not
// found so, but with a key and a checkpoint from elsewhere: see VerifySigned.
func (v *verifier) checkpoints(ctx context.Context) error {
	notes, rest, err := v.s.l.ownNotes()
	if err != nil || len(notes) == 0 && rest == "" {
		return err
	}
	if rest != "" {
		v.fault(10, "the file checkpoints is damaged behind %d checkpoints", len(notes))
	}
	keys, err := v.s.keys(ctx)
	if err != nil {
		if isDamaged(err) {
			v.fault(10, "the keys that signed the checkpoints cannot be read: %v", err)
			err = nil
		}
		return err
	}
	var signed []*chain.SignedCheckpoint
	for i, note := range notes {
		c, err := chain.TrustKeys(keys...).Open(note)
		if err != nil {
			v.fault(10, "the file checkpoints: checkpoint %d: %v", i+1, err)
			continue
		}
		signed = append(signed, c)
	}
	against, err := chain.Judge(v.s.state.size, v.s, signed...)
	if isDamaged(err) {
		v.fault(10, "the checkpoints cannot be held against the tree: %v", err)
		return nil
	}
	for _, c := range against {
		v.fault(10, "the file checkpoints: %s", c.What)
	}
	return err
}

// keys returns every key that the ledger's own session names.
func (s *Snapshot) keys(ctx context.Context) (keys []*chain.Key, err error) {
	known := map[string]bool{"": true}
	for r, err := range s.Records(ctx, Range{Session: OwnSession}) {
		if err != nil {
			return nil, err
		}
		text := keyOf(&r.Members)
		if known[text] {
			continue
		}
		known[text] = true
		k, err := chain.ParseKey(text)
		if err != nil {
			return nil, damaged("entry %d: %v", r.Seq, err)
		}
		keys = append(keys, k)
	}
	return keys, nil
}
