package main

import (
	"fmt"
	"path/filepath"

	"github.com/spf13/pflag"

	"toolledger/chain"
	"toolledger/db"
)

var keygenCommand = command{
	name:  "keygen",
	args:  "FILE",
	nargs: 1,
	short: "make a key that signs checkpoints, or a witness",
	long: `
Writes the private key to FILE, which must not exist, with mode 0600, and prints the
public one: give that to whoever is to check. FILE must be outside of every ledger, best
where those who can write the ledger cannot read. Beside it, FILE.last will keep the last
checkpoint that it signed: where the key goes, that goes too.

The key has the name of a ledger, -l DIR, or one that a ledger will be made with, --name.

With --witness, FILE is a folder, best on another disk or machine: a witness, which
remembers the last checkpoint of each ledger whose key is given with --log, and cosigns
only what follows from it.

With --show, prints the public key of FILE once more.`,
	example: `
$ toolledger keygen -l my.ledger my.key > my.pub`,
	setup: func(flags *pflag.FlagSet) func(stdio, []string) error {
		var c keygenFlags
		c.declare(flags)
		flags.StringVar(&c.name, "name", "", "`NAME` of the key, as example.com/ledger/team-a")
		flags.BoolVar(&c.witness, "witness", false, "make the folder of a witness")
		flags.StringArrayVar(&c.logs, "log", nil, "public key, `VKEY`, of a ledger that the witness cosigns for; may be repeated")
		flags.BoolVar(&c.show, "show", false, "print the public key of a private one")
		return c.run
	},
}

type keygenFlags struct {
	ledgerFlags
	name          string
	witness, show bool
	logs          []string
}

func (c *keygenFlags) run(std stdio, args []string) error {
	switch {
	case c.show:
		return c.print(std, args[0])
	case c.witness && (c.name == "" || len(c.logs) == 0):
		return &usageError{msg: "keygen: --witness: expected --name NAME and --log VKEY"}
	case !c.witness && len(c.logs) > 0:
		return &usageError{msg: "keygen: --log is for --witness"}
	}
	if c.name == "" {
		id, err := c.identity()
		if err != nil {
			return err
		}
		c.name = id.Origin
	}
	key, err := c.make(args[0])
	if err != nil {
		return err
	}
	return write(std.out, key.String()+"\n")
}

func (c *keygenFlags) make(path string) (*chain.Key, error) {
	if !c.witness {
		return db.CreateKey(path, c.name, false)
	}
	var logs []*chain.Key
	for _, text := range c.logs {
		k, err := chain.ParseKey(text)
		if err != nil {
			return nil, &usageError{msg: "keygen: --log: " + err.Error()}
		}
		logs = append(logs, k)
	}
	return db.CreateWitness(path, c.name, logs...)
}

// print prints the public key of a key file, or of a witness's folder.
func (c *keygenFlags) print(std stdio, path string) error {
	if c.witness {
		path = filepath.Join(path, "key")
	}
	s, err := db.OpenSigner(path)
	if err != nil {
		return err
	}
	return write(std.out, s.Key().String()+"\n")
}

// identity returns who the ledger is.
func (f *ledgerFlags) identity() (id db.Identity, err error) {
	led, err := f.open(db.Options{ReadOnly: true})
	if led == nil {
		return id, err
	}
	defer led.Close()
	s, err := led.Snapshot()
	if err != nil {
		return id, err
	}
	defer s.Close()
	if id, err = s.Identity(); err == nil && id.Origin == "" {
		err = fmt.Errorf("%s has no entry that says who it is", f.dir)
	}
	return id, err
}
