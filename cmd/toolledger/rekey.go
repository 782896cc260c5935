package main

import (
	"github.com/spf13/pflag"

	"toolledger/db"
)

var rekeyCommand = command{
	name:  "rekey",
	nargs: 0,
	short: "change the key of an encrypted ledger",
	long: `
The old key is --key-file or TOOLLEDGER_KEY, the new one --new-key-file: 32, 48 or 64
hexadecimal digits. Nobody may have the ledger open. The data is not encrypted anew:
its keys are, so that a copy made before still opens with the old key.`,
	example: `
$ toolledger rekey -l my.ledger --key-file old.key --new-key-file new.key`,
	setup: func(flags *pflag.FlagSet) func(stdio, []string) error {
		var f, next ledgerFlags
		f.declare(flags)
		flags.StringVar(&next.keyFile, "new-key-file", "", "`FILE` with the new key")
		return func(stdio, []string) error {
			old, err := f.key()
			if err != nil {
				return err
			}
			if next.keyFile == "" || f.dir == "" || old == nil {
				return &usageError{msg: "rekey: expected -l DIR, the old key and --new-key-file FILE", help: "rekey"}
			}
			key, err := next.key()
			if err != nil {
				return err
			}
			return db.Rekey(f.dir, old, key)
		}
	},
}
