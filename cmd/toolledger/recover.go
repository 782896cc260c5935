package main

import (
	"fmt"
	"strings"

	"github.com/spf13/pflag"

	"toolledger/db"
	"toolledger/query"
)

var recoverCommand = command{
	name:  "recover",
	args:  "OLD NEW",
	nargs: 2,
	short: "write what verifies of a damaged ledger into a new one",
	long: `
OLD is only read. The entries that verify are chained anew in NEW, which must not
exist, each with its digest in OLD in metadata.source_digest. NEW's first entry names
OLD and the gaps. Where the store of OLD cannot be opened as it is, a copy of it stands
beside NEW until all is read. Exit status 1 if there are gaps.`,
	example: `
$ toolledger recover damaged.ledger new.ledger`,
	setup: func(flags *pflag.FlagSet) func(stdio, []string) error {
		var f ledgerFlags
		f.declare(flags)
		return f.recover
	},
}

func (f *ledgerFlags) recover(std stdio, args []string) error {
	key, err := f.key()
	if err != nil {
		return err
	}
	ctx, stop := interruptible()
	defer stop()
	done, err := db.Recover(ctx, args[0], args[1], db.Options{Key: key})
	if err != nil {
		return err
	}
	var b strings.Builder
	for _, gap := range done.Gaps {
		fmt.Fprintf(&b, "gap: entries %d to %d: %s\n", gap.From, gap.To-1, query.Visible(gap.Why))
	}
	fmt.Fprintf(&b, "recovered: %d entries, %d gaps\n", done.Entries, len(done.Gaps))
	if err := write(std.out, b.String()); err != nil {
		return err
	}
	if len(done.Gaps) > 0 {
		return errFound
	}
	return nil
}
