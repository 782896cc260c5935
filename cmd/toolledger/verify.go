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
and each fault, and a summary. Exit status 3 if it does not verify.`,
	example: `
$ toolledger verify tampered.jsonl
chain: broken
first broken link: index 3
expected: 34d19a9dfb112baa07afa37994ddcbbebe2973674385f3942340653d08d205bd
found: 40aadf3b8156217f0b5b1d95010b6b79f82a26ccf5e780aed0f5f311f865028a`,
	setup: func(flags *pflag.FlagSet) func(stdio, []string) error {
		var f ledgerFlags
		f.declare(flags)
		return func(std stdio, args []string) error {
			switch {
			case len(args) == 1:
				return verifyFile(std, args[0])
			case len(args) == 0 && f.dir != "":
				return f.read(func(ctx context.Context, led *db.Ledger, damage error) error {
					return verifyLedger(ctx, std, led, damage)
				})
			}
			return &usageError{msg: fmt.Sprintf("verify: expected FILE or -l DIR, found %s", count(len(args))), help: "verify"}
		}
	},
}

func verifyLedger(ctx context.Context, std stdio, led *db.Ledger, damage error) error {
	collectAt(200) // little is in use at a time, and each block makes garbage
	bar := newProgress(std.err, 0)
	report, err := led.Verify(ctx, bar.entries)
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
	verdict := "intact"
	if !report.Intact() || damage != nil {
		verdict = "not intact"
	}
	fmt.Fprintf(out, "ledger: %s, %d entries in %d sessions, root %x\n", verdict, report.Entries, report.Sessions, report.Root[:])
	if err := out.Flush(); err != nil {
		return outputError(err)
	}
	if !report.Intact() || damage != nil {
		return errBroken
	}
	return nil
}

// errBroken ends a command whose output says what does not verify: exit status 3.
var errBroken = errors.New("does not verify")

// verifyFile verifies a sealed transcript, or evidence: the first line tells.
func verifyFile(std stdio, file string) error {
	in, err := open(std, file)
	if err != nil {
		return err
	}
	defer in.Close()
	r := bufio.NewReaderSize(in, 1<<16)
	if isEvidence(r) {
		return verifyEvidence(std, r)
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
		return chain.IsEvidence(&text) && bytes.Contains(text.Bytes, []byte(`"entry":{`))
	}
	return !whole && bytes.HasPrefix(first, []byte(`{"digest"`))
}

// verifyEvidence verifies lines of an export.
func verifyEvidence(std stdio, r io.Reader) error {
	type line struct {
		evidence chain.Evidence
		own      *chain.BreakError
	}
	check := func(text *chain.Text) (line, error) {
		e, err := chain.ParseEvidence(text)
		if err != nil {
			return line{}, err
		}
		return line{e, e.Check(new(chain.Committer))}, nil
	}
	var v chain.EvidenceVerifier
	for l, err := range capture.LinesUpTo(r, capture.MaxEvidence, capture.Parse(check), new(int)) {
		if err != nil {
			return err
		}
		v.Add(&l.Value.evidence, l.Value.own)
	}
	out := bufio.NewWriter(std.out)
	for _, b := range v.Broken {
		fmt.Fprintf(out, "%s\n", query.Visible(b.Error()))
	}
	verdict := "intact"
	if len(v.Broken) > 0 {
		verdict = "not intact"
	}
	fmt.Fprintf(out, "evidence: %s, %d entries in %d sessions", verdict, v.Entries, v.Sessions)
	if v.Gaps > 0 {
		fmt.Fprintf(out, ", %d gaps", v.Gaps)
	}
	if root, ok := v.Root(); ok {
		fmt.Fprintf(out, ", from the first on, root %x", root[:])
	}
	fmt.Fprintln(out)
	if err := out.Flush(); err != nil {
		return outputError(err)
	}
	if len(v.Broken) > 0 {
		return errBroken
	}
	return nil
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
