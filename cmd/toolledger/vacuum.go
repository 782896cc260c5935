package main

import (
	"context"
	"fmt"

	"github.com/spf13/pflag"

	"toolledger/db"
)

var vacuumCommand = command{
	name:  "vacuum",
	nargs: 0,
	short: "write the store of a ledger anew, so that removed bytes are in no file",
	long: `
What redact and prune remove stays in the files of the store until it is written anew.
Nobody may have the ledger open. The new store is written beside the old one, so there
must be space for both; it is verified whole, and only then counts, and the old one is
removed. A vacuum that is stopped at any time leaves the ledger as it was.

What is not in the folder keeps what it has: copies, exports, snapshots of the disk, and
the spare blocks of the disk itself.`,
	example: `
$ toolledger vacuum -l my.ledger`,
	setup: func(flags *pflag.FlagSet) func(stdio, []string) error {
		var f ledgerFlags
		f.declare(flags)
		return func(std stdio, _ []string) error {
			if f.dir == "" {
				return &usageError{msg: "vacuum: expected a ledger: -l DIR, or the variable TOOLLEDGER"}
			}
			ctx, stop := interruptible()
			defer stop()
			return f.vacuumLedger(ctx, std)
		}
	},
}

func (f *ledgerFlags) vacuumLedger(ctx context.Context, std stdio) error {
	key, err := f.key()
	if err != nil {
		return err
	}
	done, err := db.Vacuum(ctx, f.dir, db.Options{Key: key})
	if err != nil {
		return err
	}
	return write(std.out, fmt.Sprintf("vacuum: %.1f MB on disk, %.1f MB before\n", float64(done.After)/1e6, float64(done.Before)/1e6))
}
