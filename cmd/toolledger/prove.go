package main

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/pflag"

	"toolledger/chain"
	"toolledger/db"
)

var proveCommand = command{
	name:  "prove",
	args:  "SESSION INDEX",
	nargs: -1,
	short: "prove that an entry is in a ledger, or that it only grew",
	long: `
Prints a proof that stands alone: whoever has the ledger's public key checks it with
check-proof, without the ledger. It is a file as C2SP tlog-proof has it, best kept as
x.tlog-proof: the checkpoint, the hashes that lead from the entry to its root, and the
entry's header. Of args, context, metadata, prompt, reasoning and response it shows which
members there are, and the values of those alone that --disclose names.

The checkpoint is the last in the ledger, or the last of --checkpoint FILE.

With --consistency OLD, a file with an older checkpoint, proves that the ledger begins with
what that one covers: nothing of it was changed, moved or removed. The proof is the text
that a witness of C2SP tlog-witness takes.`,
	example: `
$ toolledger prove -l my.ledger s1 0 --disclose /args/path > x.tlog-proof`,
	setup: func(flags *pflag.FlagSet) func(stdio, []string) error {
		var c proveFlags
		c.declare(flags)
		flags.StringSliceVar(&c.disclose, "disclose", nil, "show the values at and below these `POINTERS`, as /args/path,/reasoning; may be repeated")
		flags.StringVar(&c.old, "consistency", "", "prove growth since the last checkpoint in the file `OLD`")
		flags.StringVar(&c.checkpoint, "checkpoint", "", "the last checkpoint in `FILE`, in place of the ledger's")
		return c.run
	},
}

type proveFlags struct {
	ledgerFlags
	disclose        []string
	old, checkpoint string
}

func (c *proveFlags) run(std stdio, args []string) error {
	var old *chain.Checkpoint
	var index uint64
	var err error
	switch {
	case c.old != "" && len(args) == 0 && len(c.disclose) == 0:
		if old, err = c.readOld(std); err != nil {
			return err
		}
	case c.old == "" && len(args) == 2:
		if index, err = strconv.ParseUint(args[1], 10, 63); err != nil {
			return &usageError{msg: fmt.Sprintf("prove: expected an INDEX from 0, found %q", args[1])}
		}
	default:
		return &usageError{msg: "prove: expected SESSION INDEX, or --consistency OLD", help: "prove"}
	}
	note := ""
	if c.checkpoint != "" {
		notes, err := readNotes(std, c.checkpoint)
		if err != nil {
			return err
		}
		note = notes[len(notes)-1]
	}
	return c.read(func(ctx context.Context, led *db.Ledger, damage error) error {
		s, err := led.Snapshot()
		if err != nil {
			return errors.Join(damage, err)
		}
		defer s.Close()
		var text []byte
		if old != nil {
			var g *chain.Growth
			if g, err = s.ProveGrowth(old, note); err == nil {
				text = g.Append(nil)
			}
		} else {
			var p *chain.Proof
			if p, err = s.Prove(args[0], index, note, c.disclose...); errors.Is(err, db.ErrNotFound) {
				err = fmt.Errorf("no entry %d of session %q in %s", index, args[0], c.dir)
			}
			if err == nil {
				text = p.Append(nil)
			}
		}
		if err != nil {
			return errors.Join(damage, err)
		}
		return errors.Join(write(std.out, string(text)), damage)
	})
}

func (c *proveFlags) readOld(std stdio) (*chain.Checkpoint, error) {
	notes, err := readNotes(std, c.old)
	if err != nil {
		return nil, err
	}
	old, err := chain.CheckpointOf(notes[len(notes)-1])
	if err != nil {
		return nil, fmt.Errorf("%s: %w", strings.TrimSpace(c.old), err)
	}
	return &old, nil
}
