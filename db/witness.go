package db

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"toolledger/chain"
	"toolledger/db/internal/guard"
)

// A Witness is a folder, best on another disk or machine, that remembers the last
// checkpoint that it saw of each ledger, and cosigns only what follows from that. It knows
// nothing of the ledger but proofs, so whoever controls the ledger and its key cannot make
// it agree to two histories.
//
//	key       the witness's own, mode 0600
//	trust     the ledgers that it cosigns for, as C2SP tlog-policy has them
//	latest    the last checkpoint of each
//	lock
type Witness struct {
	dir    string
	signer *chain.Signer
	trust  *chain.Trust
}

// CreateWitness makes the folder, which must not exist, of a witness for the ledgers of
// some keys. It returns the witness's public key.
func CreateWitness(dir, name string, logs ...*chain.Key) (*chain.Key, error) {
	if err := os.Mkdir(dir, 0o700); err != nil {
		return nil, fmt.Errorf("cannot make the witness: %w", err)
	}
	var b strings.Builder
	for _, k := range logs {
		fmt.Fprintf(&b, "log %s\n", k)
	}
	if err := guard.Replace(filepath.Join(dir, "trust"), []byte(b.String()+"quorum none\n")); err != nil {
		return nil, err
	}
	return CreateKey(filepath.Join(dir, "key"), name, true)
}

// OpenWitness opens the folder of a witness.
func OpenWitness(dir string) (*Witness, error) {
	text, err := guard.ReadPrivate(filepath.Join(dir, "key"))
	if errors.Is(err, os.ErrNotExist) {
		return nil, fmt.Errorf("%s is no witness: 'toolledger keygen --witness', or CreateWitness, makes one", dir)
	}
	if err != nil {
		return nil, fmt.Errorf("witness: %w", err)
	}
	w := &Witness{dir: dir}
	if w.signer, err = chain.NewSigner(text); err != nil {
		return nil, fmt.Errorf("witness %s: %w", dir, err)
	}
	text, err = guard.ReadSmall(filepath.Join(dir, "trust"), maxLatest)
	if err == nil {
		w.trust, err = chain.ParseTrust(string(text))
	}
	if err != nil {
		return nil, fmt.Errorf("witness %s: trust: %w", dir, err)
	}
	return w, nil
}

// Key returns the witness's public key.
func (w *Witness) Key() *chain.Key { return w.signer.Key() }

// Last returns the last checkpoint that the witness saw of a ledger, nil if it saw none.
func (w *Witness) Last(origin string) (*chain.SignedCheckpoint, error) {
	seen, err := w.latest()
	if err != nil {
		return nil, err
	}
	return seen.of(origin), nil
}

func (w *Witness) latest() (*latest, error) {
	return readLatest(filepath.Join(w.dir, "latest"), w.trust)
}

// Cosign returns the note of a growth with the witness's signature, if it begins with the
// last that the witness saw, and remembers it before. A fork is a *[ForkError].
func (w *Witness) Cosign(g *chain.Growth, now time.Time) (note string, err error) {
	unlock, err := guard.WaitLock(filepath.Join(w.dir, "lock"))
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, unlock()) }()
	c, err := w.trust.Open(g.Note)
	if err != nil {
		return "", err
	}
	seen, err := w.latest()
	if err != nil {
		return "", err
	}
	if last := seen.of(c.Origin); last != nil {
		if last.Size != g.Old {
			return "", fmt.Errorf("the witness's last checkpoint is of %d entries, the proof begins at %d", last.Size, g.Old)
		}
		if err := w.inTime(last, now); err != nil {
			return "", err
		}
		if err := chain.CheckTree(g.Hashes, &last.Checkpoint, &c.Checkpoint); err != nil && last.Size > 0 {
			return "", &ForkError{fmt.Sprintf("not cosigned: %v", err), last.Note, c.Note}
		}
	} else if g.Old != 0 || len(g.Hashes) > 0 {
		return "", fmt.Errorf("the witness has no checkpoint of %s yet, the proof begins at %d", c.Origin, g.Old)
	}
	if note, err = w.signer.Cosign(c.Note, now); err != nil {
		return "", err
	}
	c.Note = note
	return note, seen.set(c)
}

// inTime refuses a clock that went back behind the last cosignature.
func (w *Witness) inTime(last *chain.SignedCheckpoint, now time.Time) error {
	n, err := chain.OpenNote(last.Note, w.Key())
	if err != nil {
		return fmt.Errorf("the witness's last checkpoint: %w", err)
	}
	if at := n.By[0].Time; now.Unix() < at.Unix() {
		return fmt.Errorf("the clock says %s, and the witness cosigned at %s: the clock went back; set it right first", now.UTC().Format(time.RFC3339), at.Format(time.RFC3339))
	}
	return nil
}

// cosign asks the witness to cosign a checkpoint of a tree.
func (w *Witness) cosign(note string, c *chain.Checkpoint, tree chain.NodeReader, now time.Time) (string, error) {
	last, err := w.Last(c.Origin)
	if err != nil {
		return "", fmt.Errorf("witness %s: %w", w.Key().Name(), err)
	}
	g := &chain.Growth{Note: note}
	if last != nil && last.Size <= c.Size {
		g.Old = last.Size
		g.Hashes, err = chain.ProveTree(last.Size, c.Size, tree)
	} else if last != nil { // the witness answers with both notes
		g.Old = last.Size
	}
	if err == nil {
		note, err = w.Cosign(g, now)
	}
	if err != nil {
		return "", fmt.Errorf("witness %s: %w", w.Key().Name(), err)
	}
	return note, nil
}
