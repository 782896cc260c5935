package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/pflag"

	"toolledger/capture"
	"toolledger/chain"
	"toolledger/db"
	"toolledger/query"
)

var verifyCommand = command{
	name:  "verify",
	args:  "[FILE]",
	nargs: -1,
	short: "check a sealed transcript, an export, or a ledger",
	long: `
FILE is what seal wrote, or ToolReplay; or what export wrote. Recomputes every digest and names the
first link that does not hold: expected is what the record as it stands gives,
found what the file says. Exit status 1 if the chain of a transcript is broken, 3 if
an export does not verify.

Without FILE, recomputes every digest, chain and tree of a ledger from its stored
bytes, and everything that is derived from them. A line for each broken session
and each fault, and a summary. Exit status 3 if it does not verify.

A ledger by itself cannot show that its end was cut off, or that all of it was written
anew: that takes a checkpoint from elsewhere, --checkpoint FILE, and the key, --key or
--trust. What the ledger was held against is printed, and what contradicts it: truncated,
rewritten, or a fork, with both notes. --state FILE keeps the last checkpoint that was
seen, and the next run holds the ledger against that too. Keys that the given one named
as the next, in the ledger, count as well.`,
	example: `
$ toolledger verify tampered.jsonl
chain: broken
first broken link: index 3
expected: 34d19a9dfb112baa07afa37994ddcbbebe2973674385f3942340653d08d205bd
found: 40aadf3b8156217f0b5b1d95010b6b79f82a26ccf5e780aed0f5f311f865028a`,
	setup: func(flags *pflag.FlagSet) func(stdio, []string) error {
		var c verifyFlags
		c.ledgerFlags.declare(flags)
		c.trustFlags.declare(flags)
		flags.StringVar(&c.checkpoint, "checkpoint", "", "`FILE` with checkpoints of the ledger, from elsewhere")
		flags.StringVar(&c.state, "state", "", "`FILE` that keeps the last checkpoint that was seen")
		return c.run
	},
}

type verifyFlags struct {
	ledgerFlags
	trustFlags
	checkpoint, state string
}

func (c *verifyFlags) run(std stdio, args []string) error {
	trust, err := c.trust(std, "verify")
	if err != nil {
		return err
	}
	if trust == nil && (c.checkpoint != "" || c.state != "") {
		return &usageError{msg: "verify: --checkpoint and --state need --key VKEY or --trust FILE: without a key, nobody has signed anything"}
	}
	switch {
	case len(args) == 1:
		if c.checkpoint != "" || c.state != "" {
			return &usageError{msg: "verify: --checkpoint and --state are for a ledger, -l DIR; export --checkpoint puts the checkpoint into the file"}
		}
		return verifyFile(std, args[0], trust)
	case len(args) > 1 || c.dir == "":
		return &usageError{msg: fmt.Sprintf("verify: expected FILE or -l DIR, found %s", count(len(args))), help: "verify"}
	}
	var notes []string
	if c.checkpoint != "" {
		if notes, err = readNotes(std, c.checkpoint); err != nil {
			return err
		}
	}
	return c.read(func(ctx context.Context, led *db.Ledger, damage error) error {
		return c.ledger(ctx, std, led, damage, trust, notes)
	})
}

func (c *verifyFlags) ledger(ctx context.Context, std stdio, led *db.Ledger, damage error, trust *chain.Trust, notes []string) error {
	collectAt(200) // little is in use at a time, and each block makes garbage
	s, err := led.Snapshot()
	if err != nil {
		return errors.Join(damage, err)
	}
	defer s.Close()
	bar := newProgress(std.err, 0)
	report, err := s.Verify(ctx, bar.entries)
	bar.clear()
	if err != nil {
		return errors.Join(damage, err)
	}
	out := bufio.NewWriter(std.out)
	for _, b := range report.Broken {
		fmt.Fprintf(out, "%s\n", query.Visible(b.Error()))
	}
	for _, fault := range report.Faults {
		fmt.Fprintf(out, "%s\n", query.Visible(fault.What))
	}
	if err := writeControls(out, s, report.Controls, trust); err != nil {
		return err
	}
	broken := !report.Intact() || damage != nil
	var signed *db.SignedReport
	if trust != nil {
		state := c.state
		if broken {
			state = "" // nothing is learned from a ledger that is broken
		}
		if signed, err = s.VerifySigned(trust, notes, state); err == nil {
			writeSigned(out, signed, report.Entries)
		} else if isDisproved(err) || isDamaged(err) {
			fmt.Fprintf(out, "%s\n", query.Visible(err.Error()))
		} else {
			out.Flush()
			return err
		}
		broken = broken || err != nil || len(signed.Against) > 0
	}
	verdict := "intact"
	if broken {
		verdict = "not intact"
	}
	fmt.Fprintf(out, "ledger: %s, %d entries in %d sessions, root %x\n", verdict, report.Entries, report.Sessions, report.Root[:])
	if err := out.Flush(); err != nil {
		return outputError(err)
	}
	if broken {
		return errBroken
	}
	return nil
}

// writeControls says what was removed, and on whose word.
func writeControls(out io.Writer, s *db.Snapshot, controls []*db.Control, trust *chain.Trust) (err error) {
	if trust != nil && len(controls) > 0 {
		if trust, err = s.Trusted(trust); err != nil && !isDamaged(err) {
			return err
		}
	}
	for _, c := range controls {
		what := fmt.Sprintf("removed by policy, entry %d, said to be signed by %s, which --key or --trust would check", c.Index, query.Visible(c.Signer()))
		switch {
		case c.Pending && c.Left > 0:
			what = fmt.Sprintf("removal pending, entry %d: the next command that writes the ledger finishes it", c.Index)
		case c.Note == "":
			what = fmt.Sprintf("removed, entry %d, unsigned: whoever could write the directory could write this", c.Index)
		case trust != nil:
			if key, err := c.SignedBy(trust); err == nil {
				what = fmt.Sprintf("removed by policy, entry %d, signed by %s", c.Index, query.Visible(key.ID()))
			} else {
				what = fmt.Sprintf("removed, entry %d, signed by nobody who is trusted: %s", c.Index, query.Visible(err.Error()))
			}
		}
		fmt.Fprintf(out, "%s: %s\n", what, amount(c.Values, c.Entries))
	}
	return nil
}

// writeSigned says what a ledger was held against, and what contradicts it.
func writeSigned(out io.Writer, r *db.SignedReport, entries uint64) {
	for _, c := range r.Against {
		fmt.Fprintf(out, "%s\n", c.What)
		writeNotes(out, c.Notes...)
	}
	if len(r.Against) > 0 {
		return
	}
	fmt.Fprintf(out, "checkpoints: agrees with %d, the last of %s\n", r.Checked, signedText(r.Last))
	if behind := entries - r.Last.Size; behind > 0 {
		fmt.Fprintf(out, "not signed yet: the last %d entries\n", behind)
	}
}

// errBroken ends a command whose output says what does not verify: exit status 3.
var errBroken = errors.New("does not verify")

// verifyFile verifies a sealed transcript, or evidence: the first line tells.
func verifyFile(std stdio, file string, trust *chain.Trust) error {
	in, err := open(std, file)
	if err != nil {
		return err
	}
	defer in.Close()
	r := bufio.NewReaderSize(in, 1<<16)
	if isEvidence(r) {
		return verifyEvidence(std, r, trust)
	}
	if trust != nil {
		return &usageError{msg: "verify: a sealed transcript is signed by nobody: --key and --trust are for ledgers and exports"}
	}
	return verifySealed(std, r)
}

// isEvidence tells evidence from a sealed transcript by the first line, or by how it begins
// if it is long.
func isEvidence(r *bufio.Reader) bool {
	first, _ := r.Peek(r.Size())
	first = bytes.TrimLeft(first, " \t\r\n")
	line, _, whole := bytes.Cut(first, []byte("\n"))
	var text chain.Text
	if _, err := text.Canonical(nil, line); err == nil {
		if _, ok := chain.CheckpointLine(&text); ok {
			return true
		}
		return chain.IsEvidence(&text) && bytes.Contains(text.Bytes, []byte(`"entry":{`))
	}
	return !whole && bytes.HasPrefix(first, []byte(`{"digest"`))
}

func verifySealed(std stdio, in io.Reader) error {
	verifier := chain.NewVerifier()
	for link, err := range capture.Transcript(in, true, capture.Each(chain.NewLink)) {
		if err != nil {
			return err
		}
		verifier.Check(link)
	}
	broken := verifier.Broken()
	if broken == nil {
		return write(std.out, "chain: intact\n")
	}
	err := write(std.out, fmt.Sprintf("chain: broken\nfirst broken link: index %d\nexpected: %s\nfound: %s\n",
		broken.Index, broken.Want, query.Visible(broken.Got)))
	if err != nil {
		return err
	}
	return errFound
}
