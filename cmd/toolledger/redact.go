package main

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/pflag"

	"toolledger/chain"
	"toolledger/db"
	"toolledger/query"
	"toolledger/shell"
)

var redactCommand = command{
	name:  "redact",
	args:  "[SESSION INDEX]",
	nargs: -1,
	short: "remove values from entries by policy, so that everything else still verifies",
	long: `
Removes the values at and below the pointers of --member from one entry, or from all that
--where finds: a query whose rows have the columns session and index. What will be removed
is shown first and must be confirmed, or --yes says so before.

First the ledger gets an entry of its own, which the table control shows: what is removed,
by whom and why, signed with --signer. Digests, chains and root stay as they are. That there
was a value stays known, and under which name; what it was cannot be guessed from what is
left. Those of the ledger's own entries are never removed.

The bytes are still in the files until 'vacuum', or --vacuum, writes the store anew.
Copies of the ledger that were made before, exports among them, keep what they have.`,
	example: `
$ toolledger redact -l my.ledger session-dirty 1 --member /args/path --reason 'a path' --yes
redact: 1 value of 1 entry: session session-dirty, index 1: /args/path
removed: 1 value of 1 entry, entry 2 of the ledger's own says so
the bytes are in the files until 'toolledger vacuum' writes the store anew`,
	setup: func(flags *pflag.FlagSet) func(stdio, []string) error {
		var c redactFlags
		c.declare(flags)
		flags.StringArrayVar(&c.members, "member", nil, "remove the values at and below a `POINTER`, as /args/path or /reasoning; may be repeated")
		flags.StringVar(&c.where, "where", "", "of all entries that a `QUERY` finds, as 'entries | where args.password != \"\"'")
		flags.StringVar(&c.reason, "reason", "", "why, a `TEXT` for the ledger's own entry; not what was removed")
		flags.StringVar(&c.policy, "policy", "", "the `NAME` of the rule that asks for it")
		return c.run
	},
}

type redactFlags struct {
	removeFlags
	members               []string
	where, reason, policy string
}

func (c *redactFlags) run(std stdio, args []string) error {
	if len(c.members) == 0 {
		return &usageError{msg: "redact: expected --member POINTER, as /args/path", help: "redact"}
	}
	for _, p := range c.members {
		if err := chain.CheckPointer(p); err != nil {
			return &usageError{msg: "redact: --member: " + err.Error()}
		}
	}
	if (len(args) == 2) == (c.where != "") || len(args) != 0 && len(args) != 2 {
		return &usageError{msg: fmt.Sprintf("redact: expected SESSION INDEX or --where QUERY, found %s", count(len(args))), help: "redact"}
	}
	return c.change(std, db.Options{}, func(ctx context.Context, led *db.Ledger, signer *db.Signer) (bool, error) {
		return c.redact(ctx, std, led, args, signer)
	})
}

// redact shows what goes and removes it; done tells whether there was something.
func (c *redactFlags) redact(ctx context.Context, std stdio, led *db.Ledger, args []string, signer *db.Signer) (done bool, err error) {
	r := db.Removal{Action: db.Redact, By: c.who(), Policy: c.policy, Reason: c.reason, Signer: signer}
	if c.where != "" {
		r.Targets, err = targetsOf(ctx, led, c.where, c.members)
	} else {
		r.Targets, err = c.target(args)
	}
	if err != nil {
		return false, err
	}
	entries, values := uint64(0), uint64(0)
	if len(r.Targets) > 0 {
		if entries, values, err = led.Count(ctx, r); err != nil {
			return false, err
		}
	}
	if values == 0 {
		return false, write(std.out, "redact: there is nothing to remove\n")
	}
	if err := write(std.out, "redact: "+amount(values, entries)+": "+shownTargets(r.Targets)+"\n"); err != nil {
		return false, err
	}
	if err := c.confirm(std); err != nil {
		return false, err
	}
	control, err := led.Remove(ctx, r)
	if err != nil {
		return false, err
	}
	return true, write(std.out, fmt.Sprintf("removed: %s, entry %d of the ledger's own says so\n", amount(control.Values, control.Entries), control.Index))
}

func (c *redactFlags) target(args []string) ([]db.Target, error) {
	index, err := strconv.ParseUint(args[1], 10, 63)
	if err != nil {
		return nil, &usageError{msg: fmt.Sprintf("redact: INDEX: expected the place of an entry in its session, from 0, found %q", args[1])}
	}
	return []db.Target{{Session: args[0], From: index, To: index + 1, Pointers: c.members}}, nil
}

// shownMost is how many targets are named.
const shownMost = 5

func shownTargets(targets []db.Target) string {
	var list []string
	for _, t := range targets[:min(len(targets), shownMost)] {
		where := fmt.Sprintf("index %d", t.From)
		if t.To > t.From+1 {
			where = fmt.Sprintf("indexes %d to %d", t.From, t.To-1)
		}
		list = append(list, fmt.Sprintf("session %s, %s: %s", query.Visible(t.Session), where, query.Visible(strings.Join(t.Pointers, ", "))))
	}
	if more := len(targets) - len(list); more > 0 {
		list = append(list, fmt.Sprintf("and %d more", more))
	}
	return strings.Join(list, "; ")
}

func amount(values, entries uint64) string {
	return fmt.Sprintf("%s of %s", shell.Counted(values, "value", "values"), shell.Counted(entries, "entry", "entries"))
}

// targetsOf returns the entries that the rows of a query name by session and index.
func targetsOf(ctx context.Context, led *db.Ledger, text string, pointers []string) (targets []db.Target, err error) {
	indexes := map[string][]uint64{}
	err = eachFound(ctx, led, text+"\n| project session, index", func(row []query.Value) {
		if row[0].S != db.OwnSession {
			indexes[row[0].S] = append(indexes[row[0].S], uint64(row[1].N))
		}
	})
	if err != nil {
		return nil, err
	}
	var names []string
	for name := range indexes {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		slices.Sort(indexes[name])
		first := true
		for _, index := range slices.Compact(indexes[name]) {
			if last := len(targets) - 1; !first && targets[last].To == index {
				targets[last].To++
				continue
			}
			targets, first = append(targets, db.Target{Session: name, From: index, To: index + 1, Pointers: pointers}), false
		}
	}
	return targets, nil
}
