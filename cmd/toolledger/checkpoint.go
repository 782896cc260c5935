package main

import (
	"errors"
	"fmt"
	"os"

	"github.com/spf13/pflag"

	"toolledger/chain"
	"toolledger/db"
)

var checkpointCommand = command{
	name:  "checkpoint",
	nargs: 0,
	short: "sign what a ledger is, so that others can tell later",
	long: `
Appends an entry to the ledger's own session, reads what is stored since the last
checkpoint once more, signs size and root, and prints the note. It goes to the file
checkpoints in the ledger, too, and to --out: keep it where those who can write the ledger
cannot write, since a ledger alone never shows that its end was cut off.

The key is the file of --signer, or of the variable TOOLLEDGER_SIGNER, which keygen makes.
Beside it, FILE.last has the last checkpoint that it signed: a ledger that does not follow
from that is refused, with both notes, and status 3. A --witness, a folder that 'keygen
--witness' makes, does so by what it remembers itself.

With --next-signer, the key names another as the one that signs from now on, and that one
signs. Whoever trusts the first can check what the second signs, with the ledger.`,
	example: `
$ toolledger checkpoint -l my.ledger --signer my.key --out /mnt/other/checkpoints`,
	setup: func(flags *pflag.FlagSet) func(stdio, []string) error {
		var c checkpointFlags
		c.declare(flags)
		flags.StringVar(&c.signer, "signer", os.Getenv("TOOLLEDGER_SIGNER"), "`FILE` with the private key; the variable TOOLLEDGER_SIGNER names it too")
		flags.Lookup("signer").DefValue = ""
		flags.StringVar(&c.next, "next-signer", "", "`FILE` with the private key that signs from now on")
		flags.StringVar(&c.out, "out", "", "`FILE` to which the note is appended as well")
		flags.StringArrayVar(&c.witnesses, "witness", nil, "`DIR` of a witness that cosigns; may be repeated")
		return c.run
	},
}

type checkpointFlags struct {
	ledgerFlags
	signer, next, out string
	witnesses         []string
}

func (c *checkpointFlags) run(std stdio, _ []string) error {
	if c.signer == "" {
		return &usageError{msg: "checkpoint: expected --signer FILE, which keygen makes"}
	}
	signer, err := db.OpenSigner(c.signer)
	if err != nil {
		return err
	}
	how := db.Checkpointing{Signer: signer, Out: c.out}
	for _, dir := range c.witnesses {
		w, err := db.OpenWitness(dir)
		if err != nil {
			return err
		}
		how.Witnesses = append(how.Witnesses, w)
	}
	if _, err := c.identity(); err != nil { // one that does not exist is not made
		return err
	}
	signed, err := c.sign(how, nil)
	if err == nil && c.next != "" {
		if how.Signer, err = db.OpenSigner(c.next); err == nil {
			signed, err = c.sign(how, signer)
		}
	}
	if signed != nil {
		err = errors.Join(write(std.out, signed.Note), err)
	}
	return err
}

// sign makes a checkpoint; where there is a key that signed before, that names the new one
// first.
func (c *checkpointFlags) sign(how db.Checkpointing, before *db.Signer) (signed *chain.SignedCheckpoint, err error) {
	if before != nil {
		if err := c.name(before, how.Signer.Key()); err != nil {
			return nil, err
		}
	}
	led, err := c.openWhole(db.Options{Checkpoint: how})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, led.Close()) }()
	ctx, stop := interruptible()
	defer stop()
	return led.Checkpoint(ctx)
}

// name has a key name the next.
func (c *checkpointFlags) name(signer *db.Signer, next *chain.Key) (err error) {
	led, err := c.openWhole(db.Options{Checkpoint: db.Checkpointing{Signer: signer}})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, led.Close()) }()
	return led.NextKey(next)
}

// lastCheckpoint returns a line about the last checkpoint of a ledger.
func lastCheckpoint(led *db.Ledger) string {
	last, err := led.LastCheckpoint()
	switch {
	case err != nil:
		return "cannot be told: " + err.Error()
	case last == nil:
		return "none"
	case last.By == "":
		return fmt.Sprintf("%d entries, %s, not signed by a key that the ledger names", last.Size, last.Time)
	}
	return fmt.Sprintf("%d entries, %s, signed by %s", last.Size, last.Time, last.By)
}
