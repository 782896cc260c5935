package db

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"toolledger/chain"
	"toolledger/db/internal/guard"
)

// A Signer signs checkpoints with the key of a file, and remembers beside it, in
// KEYFILE.last, the last checkpoint of each ledger that it signed. It refuses what does
// not follow from that: whoever got hold of the ledger but not of the key's folder
// cannot have a shortened or another history signed.
type Signer struct {
	*chain.Signer
	path string
}

// CreateKey makes a key file, mode 0600, outside of any ledger: of a witness, or of the
// ledger of that name. It returns the public key.
func CreateKey(path, name string, witness bool) (*chain.Key, error) {
	s, err := chain.GenerateKey(rand.Reader, name, witness)
	if err != nil {
		return nil, err
	}
	if err := guard.CreatePrivate(path, s.KeyFile()); err != nil {
		return nil, fmt.Errorf("cannot make the key: %w", err)
	}
	return s.Key(), nil
}

// OpenSigner reads a key file. It must be one that only its owner can read.
func OpenSigner(path string) (*Signer, error) {
	text, err := guard.ReadPrivate(path)
	if err != nil {
		return nil, fmt.Errorf("cannot use the key: %w", err)
	}
	s, err := chain.NewSigner(text)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	// By whatever link it is named, a key has one memory.
	if path, err = filepath.EvalSymlinks(path); err != nil {
		return nil, fmt.Errorf("cannot use the key: %w", err)
	}
	return &Signer{s, path}, nil
}

// A ForkError is two checkpoints of one ledger of which at most one can be true. Where both
// are signed, they prove it to everybody.
type ForkError struct {
	What     string
	Old, New string // notes; a new one that nobody signed is the text alone
}

func (e *ForkError) Error() string { return e.What }

// sign signs a checkpoint of a tree, if it follows from the last that was signed, and
// remembers it before the signature is let out.
func (s *Signer) sign(c *chain.Checkpoint, tree chain.NodeReader) (note string, err error) {
	unlock, err := guard.WaitLock(s.path + ".lock")
	if err != nil {
		return "", fmt.Errorf("sign: %w", err)
	}
	defer func() { err = errors.Join(err, unlock()) }()
	memory, err := readLatest(s.path+".last", chain.TrustKeys(s.Key()))
	if err != nil {
		return "", err
	}
	if last := memory.of(c.Origin); last != nil {
		against, err := chain.Judge(c.Size, tree, last)
		if err == nil && len(against) > 0 {
			err = &ForkError{fmt.Sprintf("not signed: %s; %s.last has what this key signed last", against[0].What, s.path), last.Note, c.Text()}
		}
		if err != nil {
			return "", err
		}
	}
	if note, err = s.SignCheckpoint(c); err != nil {
		return "", err
	}
	return note, memory.set(&chain.SignedCheckpoint{Checkpoint: *c, Note: note})
}

// latest is a file of checkpoints, the last of each ledger: what a signer signed, or a
// verifier or witness saw.
type latest struct {
	path string
	list []*chain.SignedCheckpoint
}

// maxLatest is how large a file of the last checkpoints may be.
const maxLatest = 64 << 20

// readLatest reads the file; there is none before the first. What it has must verify.
func readLatest(path string, trust *chain.Trust) (*latest, error) {
	l := &latest{path: path}
	text, err := guard.ReadSmall(path, maxLatest)
	if errors.Is(err, fs.ErrNotExist) {
		return l, nil
	}
	if err != nil {
		return nil, err
	}
	notes, rest := chain.SplitNotes(string(text))
	if rest != "" || len(notes) == 0 {
		return nil, fmt.Errorf("%s is damaged behind %d checkpoints: it is what protects against a rewritten history; put it back, do not remove it", path, len(notes))
	}
	for i, note := range notes {
		c, err := trust.Open(note)
		if err != nil {
			return nil, fmt.Errorf("%s: checkpoint %d: %w", path, i+1, err)
		}
		l.list = append(l.list, c)
	}
	return l, nil
}

func (l *latest) of(origin string) *chain.SignedCheckpoint {
	for _, c := range l.list {
		if c.Origin == origin {
			return c
		}
	}
	return nil
}

// set puts a checkpoint in the place of the one of its ledger, durably.
func (l *latest) set(c *chain.SignedCheckpoint) error {
	l.list = append(slices.DeleteFunc(l.list, func(old *chain.SignedCheckpoint) bool { return old.Origin == c.Origin }), c)
	var b strings.Builder
	for _, c := range l.list {
		b.WriteString(c.Note)
	}
	return guard.Replace(l.path, []byte(b.String()))
}
