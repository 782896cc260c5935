package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"

	"github.com/spf13/pflag"

	"toolledger/db"
	"toolledger/query"
)

var checkCommand = command{
	name:  "check",
	nargs: 0,
	short: "test every invariant of a ledger",
	long: `
A line for each invariant, with what is wrong where it does not hold. Exit status 3
if one does not. It reads the whole ledger, as verify does.`,
	example: `
$ toolledger check -l my.ledger`,
	setup: func(flags *pflag.FlagSet) func(stdio, []string) error {
		var f ledgerFlags
		f.declare(flags)
		return func(std stdio, _ []string) error {
			return f.read(func(ctx context.Context, led *db.Ledger, damage error) error { return check(ctx, std, led, damage) })
		}
	},
}

func check(ctx context.Context, std stdio, led *db.Ledger, damage error) error {
	collectAt(60) // what it needs, it uses again
	bar := newProgress(std.err, 0)
	found, err := led.Check(ctx, bar.entries)
	bar.clear()
	if err != nil {
		return errors.Join(damage, err)
	}
	out := bufio.NewWriter(std.out)
	broken := false
	for i, faults := range found {
		verdict := "ok"
		if len(faults) > 0 {
			verdict, broken = "BROKEN", true
		}
		fmt.Fprintf(out, "%d %-6s %s\n", i+1, verdict, db.Invariants[i])
		for _, fault := range faults {
			fmt.Fprintf(out, "         %s\n", query.Visible(fault))
		}
	}
	if err := out.Flush(); err != nil {
		return outputError(err)
	}
	if broken {
		return errBroken
	}
	return nil
}
