package db

import (
	"encoding/json"
	"fmt"

	"toolledger/chain"
)

// An Identity is who a ledger is, as its own session says.
type Identity struct {
	ID     string // hexadecimal, made at its creation
	Origin string // the name in its checkpoints
	Key    string // that signs for it now; "" if none does yet
}

// Identity returns who the ledger is. It reads the first entry, and from the last back to
// one that names a key.
func (s *Snapshot) Identity() (id Identity, err error) {
	head, err := s.head(OwnSession)
	if err != nil || head == nil {
		return id, err // one that waits to be restored
	}
	for index := head.Count; index > 0 && id.Key == ""; index-- {
		r, err := s.record(OwnSession, index-1)
		if err != nil {
			return id, err
		}
		id.Key = keyOf(&r.Members)
	}
	r, err := s.record(OwnSession, 0)
	if err != nil {
		return id, err
	}
	var args struct{ ID, Origin string }
	if err := json.Unmarshal(r.Members[chain.Args], &args); err != nil {
		return id, damaged("the first entry: args: %v", err)
	}
	id.ID, id.Origin = args.ID, args.Origin
	if id.Origin == "" {
		id.Origin = "toolledger/" + id.ID
	}
	return id, nil
}

// keyOf returns the key that an entry of the ledger's own session names, "" if it names
// none.
func keyOf(m *chain.Entry) string {
	switch chain.Unquote(m[chain.Action]) {
	case createAction, checkpointAction, rotateAction:
	default:
		return ""
	}
	var args struct{ Key string }
	if m[chain.Args] == nil || json.Unmarshal(m[chain.Args], &args) != nil {
		return ""
	}
	return args.Key
}

func (l *Ledger) signing() (Identity, error) {
	s, err := l.Snapshot()
	if err != nil {
		return Identity{}, err
	}
	defer s.Close()
	return s.Identity()
}

// NextKey names the key that signs from now on: an entry of the ledger's own session,
// signed by the present key, so that whoever trusts that one can trust the next.
func (l *Ledger) NextKey(next *chain.Key) error {
	l.checkpointing.Lock()
	defer l.checkpointing.Unlock()
	signer := l.opt.Checkpoint.Signer
	if signer == nil {
		return fmt.Errorf("db: the present key must name the next: Options.Checkpoint.Signer has none")
	}
	id, err := l.signing()
	if err != nil {
		return err
	}
	if err := maySign(signer.Key(), &id); err != nil {
		return err
	}
	if next.Name() != id.Origin || next.OfWitness() {
		return fmt.Errorf("%s is no key of %s", next.ID(), id.Origin)
	}
	args, err := json.Marshal(map[string]string{"key": next.String()})
	if err != nil {
		return err
	}
	_, err = l.control(rotateAction, args, signer)
	return err
}

// maySign refuses a key that is not the ledger's.
func maySign(key *chain.Key, id *Identity) error {
	switch {
	case key.Name() != id.Origin:
		return fmt.Errorf("the key is that of %s, the ledger is %s: keygen -l makes a key for it", key.Name(), id.Origin)
	case id.Key != "" && id.Key != key.String():
		return fmt.Errorf("the ledger's key is %s, not %s: the present key names a new one first, with checkpoint --next-signer", id.Key, key)
	}
	return nil
}

// Trusted returns trust, with the keys that those it has named as the next: it reads the
// ledger's own session.
func (s *Snapshot) Trusted(trust *chain.Trust) (*chain.Trust, error) {
	head, err := s.head(OwnSession)
	if err != nil || head == nil {
		return trust, err
	}
	for index := range head.Count {
		r, err := s.record(OwnSession, index)
		if err != nil {
			return trust, err
		}
		if chain.Unquote(r.Members[chain.Action]) == rotateAction {
			if next := rotated(&r.Members, trust); next != nil {
				trust = trust.With(next)
			}
		}
	}
	return trust, nil
}

// rotated returns the key that an entry names as the next, if it is signed by one that is
// trusted; else nil.
func rotated(m *chain.Entry, trust *chain.Trust) *chain.Key {
	var metadata struct{ Note string }
	if m[chain.Metadata] == nil || json.Unmarshal(m[chain.Metadata], &metadata) != nil {
		return nil
	}
	note, err := chain.OpenNote(metadata.Note, trust.Logs()...)
	next, err2 := chain.ParseKey(keyOf(m))
	if err != nil || err2 != nil || next.OfWitness() {
		return nil
	}
	for _, by := range note.By {
		if by.Key.Name() == next.Name() && note.Text == chain.ControlText(next.Name(), rotateAction, m[chain.Args]) {
			return next
		}
	}
	return nil
}
