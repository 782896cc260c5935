package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"toolledger/chain"
	"toolledger/query"
)

var checkProofCommand = command{
	name:  "check-proof",
	args:  "FILE",
	nargs: 1,
	short: "check a proof, without a ledger",
	long: `
FILE is what prove printed. It is checked against the public key of the ledger, --key, or
those whom --trust names, and nothing else: what is proven is printed, and what is not.
Exit status 3 if it does not hold.

Of a proof that a ledger only grew, the older checkpoint is in --old FILE, which is yours:
it too must be signed.`,
	example: `
$ toolledger check-proof x.tlog-proof --key "$(cat my.pub)"`,
	setup: func(flags *pflag.FlagSet) func(stdio, []string) error {
		var f trustFlags
		f.declare(flags)
		old := flags.String("old", "", "`FILE` with the older checkpoint")
		return func(std stdio, args []string) error {
			trust, err := f.trust(std, "check-proof")
			if err != nil {
				return err
			}
			if trust == nil {
				return &usageError{msg: "check-proof: expected --key VKEY or --trust FILE: without a key, nobody has signed anything"}
			}
			text, err := readAll(std, args[0])
			if err != nil {
				return err
			}
			var out string
			if chain.IsProof(text) {
				out, err = checkInclusion(text, trust)
			} else {
				out, err = checkGrowth(std, text, *old, trust)
			}
			if err != nil {
				return fmt.Errorf("%s: %w", args[0], err)
			}
			return write(std.out, out)
		}
	},
}

func checkInclusion(text string, trust *chain.Trust) (string, error) {
	p, err := chain.ParseProof(text)
	if err != nil {
		return "", err
	}
	e, c, err := p.Check(trust)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	fmt.Fprintf(&b, "checkpoint: %s\nproven: the ledger holds this entry, at place %d, with\n", signedText(c), e.Seq)
	for m := range chain.Member(chain.NumMembers) {
		if e.Entry[m] != nil && !m.IsPayload() {
			fmt.Fprintf(&b, "  %s: %s\n", m, query.Visible(string(e.Entry[m])))
		}
	}
	for pointer, value := range new(chain.Committer).Pointers(&e.Entry) {
		fmt.Fprintf(&b, "  %s: %s\n", query.Visible(string(pointer)), query.Visible(string(value)))
	}
	if len(e.Removed) > 0 {
		fmt.Fprintf(&b, "not shown, but fixed by a commitment:\n")
		for _, pointer := range slices.Sorted(maps.Keys(e.Removed)) {
			fmt.Fprintf(&b, "  %s\n", query.Visible(pointer))
		}
	}
	b.WriteString("not proven: that what the entry says is true; when it happened, but by the ledger's clock; which other entries there are\n")
	return b.String() + splitText(c), nil
}

// splitText says what a checkpoint without a witness leaves open.
func splitText(c *chain.SignedCheckpoint) string {
	if len(c.Cosigned) > 0 {
		return ""
	}
	return "not proven: that nobody was shown another history: no witness that you trust cosigned\n"
}

func checkGrowth(std stdio, text, oldFile string, trust *chain.Trust) (string, error) {
	g, err := chain.ParseGrowth(text)
	if err != nil {
		return "", fmt.Errorf("expected a proof of an entry, or of growth: %w", err)
	}
	if oldFile == "" {
		return "", &usageError{msg: "check-proof: a proof of growth needs the older checkpoint: --old FILE"}
	}
	c, err := trust.Open(g.Note)
	if err != nil {
		return "", err
	}
	notes, err := readNotes(std, oldFile)
	if err != nil {
		return "", err
	}
	for i, note := range notes {
		old, err := trust.Open(note)
		if err != nil {
			return "", fmt.Errorf("%s: checkpoint %d: %w", oldFile, i+1, err)
		}
		if old.Size != g.Old && i < len(notes)-1 {
			continue
		}
		if old.Size != g.Old {
			return "", &chain.ProofError{What: fmt.Sprintf("the proof begins at %d entries, no checkpoint in %s does", g.Old, oldFile)}
		}
		if err := chain.CheckTree(g.Hashes, &old.Checkpoint, &c.Checkpoint); err != nil {
			return "", err
		}
		return fmt.Sprintf("old: %s\nnew: %s\nproven: the ledger begins with the %d entries of the old checkpoint: none was changed, moved or removed\nnot proven: what the %d entries since then are\n",
			signedText(old), signedText(c), old.Size, c.Size-old.Size) + splitText(c), nil
	}
	return "", nil // there is at least one note
}
