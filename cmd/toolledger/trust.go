package main

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/pflag"

	"toolledger/chain"
	"toolledger/db"
	"toolledger/query"
)

// trustFlags say whose signatures count.
type trustFlags struct {
	keys []string
	file string
}

func (f *trustFlags) declare(flags *pflag.FlagSet) {
	flags.StringArrayVar(&f.keys, "key", nil, "the ledger's public key, `VKEY` as keygen prints it; may be repeated")
	flags.StringVar(&f.file, "trust", "", "`FILE` that says whom to trust, in the form of C2SP tlog-policy: log VKEY, witness NAME VKEY, group, quorum")
}

func (f *trustFlags) given() bool { return len(f.keys) > 0 || f.file != "" }

// trust returns who is trusted; nil if nobody is named.
func (f *trustFlags) trust(std stdio, command string) (*chain.Trust, error) {
	switch {
	case !f.given():
		return nil, nil
	case f.file == "":
		var keys []*chain.Key
		for _, text := range f.keys {
			k, err := chain.ParseKey(text)
			if err != nil {
				return nil, &usageError{msg: fmt.Sprintf("%s: --key: %v", command, err)}
			}
			if k.OfWitness() {
				return nil, &usageError{msg: fmt.Sprintf("%s: --key: %s is the key of a witness: --trust FILE says which of those count", command, k.ID())}
			}
			keys = append(keys, k)
		}
		return chain.TrustKeys(keys...), nil
	case len(f.keys) > 0:
		return nil, &usageError{msg: command + ": --key and --trust exclude each other: the file has lines 'log VKEY'"}
	}
	text, err := readAll(std, f.file)
	if err != nil {
		return nil, err
	}
	trust, err := chain.ParseTrust(text)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", f.file, err)
	}
	return trust, nil
}

// readNotes reads a file of checkpoints, one after the other.
func readNotes(std stdio, name string) ([]string, error) {
	text, err := readAll(std, name)
	if err != nil {
		return nil, err
	}
	notes, rest := chain.SplitNotes(text)
	if rest != "" || len(notes) == 0 {
		line := 1 + strings.Count(text[:len(text)-len(rest)], "\n")
		return nil, fmt.Errorf("%s: line %d: expected a checkpoint: lines with origin, size and root, an empty line, and signatures", name, line)
	}
	return notes, nil
}

// maxProof is how large a file of a proof, or of checkpoints, may be: an entry and its
// base64.
const maxProof = 256 << 20

func readAll(std stdio, name string) (string, error) {
	in, err := open(std, name)
	if err != nil {
		return "", err
	}
	defer in.Close()
	text, err := io.ReadAll(io.LimitReader(in, maxProof+1))
	if err == nil && len(text) > maxProof {
		err = fmt.Errorf("%s is larger than %d MiB", name, maxProof>>20)
	}
	return string(text), err
}

// isDisproved tells errors that say that something can be read and is not true.
func isDisproved(err error) bool {
	var proof *chain.ProofError
	var fork *db.ForkError
	return errors.As(err, &proof) || errors.As(err, &fork)
}

// writeFork shows the two notes of a fork: whoever has both can prove it.
func writeFork(w io.Writer, err error) {
	var fork *db.ForkError
	if errors.As(err, &fork) {
		writeNotes(w, fork.Old, fork.New)
	}
}

// writeNotes shows notes, each indented under a heading.
func writeNotes(w io.Writer, notes ...string) {
	for i, note := range notes {
		fmt.Fprintf(w, "note %d:\n", i+1)
		for line := range strings.Lines(note) {
			fmt.Fprintf(w, "\t%s\n", query.Visible(strings.TrimSuffix(line, "\n")))
		}
	}
}

// signedText says who signed a checkpoint.
func signedText(c *chain.SignedCheckpoint) string {
	text := fmt.Sprintf("%d entries of %s, signed by %s", c.Size, query.Visible(c.Origin), query.Visible(c.By.ID()))
	for _, s := range c.Cosigned {
		text += fmt.Sprintf(", cosigned by %s at %s", query.Visible(s.Key.ID()), s.Time.Format("2006-01-02T15:04:05Z"))
	}
	return text
}
