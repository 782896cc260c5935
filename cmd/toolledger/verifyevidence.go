package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"

	"toolledger/capture"
	"toolledger/chain"
	"toolledger/query"
)

// verifyEvidence verifies lines of an export. Where the first has a checkpoint, each other
// has the proof that it is under that.
func verifyEvidence(std stdio, r io.Reader, trust *chain.Trust) error {
	type line struct {
		evidence chain.Evidence
		own      *chain.BreakError
		note     string // instead
	}
	check := func(text *chain.Text) (line, error) {
		if note, ok := chain.CheckpointLine(text); ok {
			return line{note: note}, nil
		}
		e, err := chain.ParseEvidence(text)
		if err != nil {
			return line{}, err
		}
		return line{e, e.Check(new(chain.Committer)), ""}, nil
	}
	var v evidenceVerifier
	first := true
	for l, err := range capture.LinesUpTo(r, capture.MaxEvidence, capture.Parse(check), new(int)) {
		if err != nil {
			return err
		}
		switch {
		case l.Value.note == "":
			v.add(&l.Value.evidence, l.Value.own)
		case !first:
			return errors.New("a checkpoint stands behind other lines: expected it first")
		default:
			if err := v.under(l.Value.note, trust); err != nil {
				return err
			}
		}
		first = false
	}
	if trust != nil && v.signed == nil {
		return errors.New("the lines have no checkpoint, so that nobody signed them: export --checkpoint writes one")
	}
	out := bufio.NewWriter(std.out)
	v.write(out)
	if err := out.Flush(); err != nil {
		return outputError(err)
	}
	if len(v.Broken)+len(v.unproven) > 0 {
		return errBroken
	}
	return nil
}

// An evidenceVerifier checks lines against each other and their checkpoint.
type evidenceVerifier struct {
	chain.EvidenceVerifier
	signed   *chain.SignedCheckpoint // nil without one; By is nil where nobody is trusted
	unproven []string
}

// under takes the checkpoint under which the lines are.
func (v *evidenceVerifier) under(note string, trust *chain.Trust) (err error) {
	if trust != nil {
		v.signed, err = trust.Open(note)
		return err
	}
	c, err := chain.CheckpointOf(note)
	v.signed = &chain.SignedCheckpoint{Checkpoint: c, Note: note}
	return err
}

func (v *evidenceVerifier) add(e *chain.Evidence, own *chain.BreakError) {
	v.Add(e, own)
	if v.signed == nil {
		return
	}
	err := chain.Check(e.Proof, e.Seq, e.Digest, &v.signed.Checkpoint)
	if err != nil && len(v.unproven) < maxUnproven {
		v.unproven = append(v.unproven, fmt.Sprintf("%s: index %d: %v", e.Entry.SessionName(), e.Entry.IndexNumber(), err))
	}
}

// maxUnproven is how many lines are named that are not proven.
const maxUnproven = 10

func (v *evidenceVerifier) write(out io.Writer) {
	for _, b := range v.Broken {
		fmt.Fprintf(out, "%s\n", query.Visible(b.Error()))
	}
	for _, text := range v.unproven {
		fmt.Fprintf(out, "%s\n", query.Visible(text))
	}
	switch {
	case v.signed == nil:
	case v.signed.By == nil:
		fmt.Fprintf(out, "checkpoint: %d entries of %s, signature not checked: --key VKEY checks it\n", v.signed.Size, query.Visible(v.signed.Origin))
	default:
		fmt.Fprintf(out, "checkpoint: %s\n", signedText(v.signed))
	}
	verdict := "intact"
	if len(v.Broken)+len(v.unproven) > 0 {
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
}
