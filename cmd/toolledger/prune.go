package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/pflag"

	"toolledger/db"
	"toolledger/query"
	"toolledger/shell"
)

var pruneCommand = command{
	name:  "prune",
	args:  "POLICY",
	nargs: 1,
	short: "remove the payload of sessions that were kept long enough",
	long: `
POLICY is a file with a rule a line. A session's age is that of its last entry, by its
time. A hold that applies forbids to remove anything of a session; else the first rule
that applies decides, and a session to which none does is kept. A rule applies to all
sessions, to those whose name matches a pattern with * and ?, or to those that have an
entry for which a condition of the query language is true:

    # for the tax office
    hold session case-2026-*
    hold where agent == "payments" and authorization == "DENIED"
    keep 30 days session test-*
    keep 6 months where environment == "staging"
    keep 7 years

Payload is args, context, metadata, prompt, reasoning and response. Everything else stays,
and still verifies. What will be removed is shown first and must be confirmed, or --yes
says so before; --dry-run shows it and ends. For each rule the ledger gets an entry of its
own that says what is removed. The bytes are still in the files until 'vacuum', or
--vacuum, writes the store anew.`,
	example: `
$ toolledger prune -l my.ledger retention.policy --dry-run`,
	setup: func(flags *pflag.FlagSet) func(stdio, []string) error {
		var c pruneFlags
		c.declare(flags)
		flags.BoolVar(&c.dry, "dry-run", false, "show what would be removed, and remove nothing")
		return c.run
	},
}

type pruneFlags struct {
	removeFlags
	dry bool
}

func (c *pruneFlags) run(std stdio, args []string) error {
	text, err := readAll(std, args[0])
	if err != nil {
		return err
	}
	rules, err := parsePolicy(text)
	if err != nil {
		return fmt.Errorf("%s: %w", args[0], err)
	}
	return c.change(std, db.Options{ReadOnly: c.dry}, func(ctx context.Context, led *db.Ledger, signer *db.Signer) (bool, error) {
		return c.prune(ctx, std, led, rules, signer)
	})
}

// prune shows what goes and removes it; done tells whether something was.
func (c *pruneFlags) prune(ctx context.Context, std stdio, led *db.Ledger, rules []policyRule, signer *db.Signer) (done bool, err error) {
	r := db.Retention{By: c.who(), Signer: signer}
	for _, rule := range rules {
		is, err := rule.retention(ctx, led)
		if err != nil {
			return false, err
		}
		r.Rules = append(r.Rules, is)
	}
	due, err := led.Due(ctx, &r)
	if err != nil {
		return false, err
	}
	var b strings.Builder
	for _, d := range due {
		fmt.Fprintf(&b, "prune: session %s, %s, last %s: %s\n", query.Visible(d.Session), shell.Counted(d.Count, "entry", "entries"), d.Last, query.Visible(d.Rule.Text))
	}
	fmt.Fprintf(&b, "prune: %s due\n", shell.Counted(uint64(len(due)), "session is", "sessions are"))
	if err := write(std.out, b.String()); err != nil || c.dry || len(due) == 0 {
		return false, err
	}
	if err := c.confirm(std); err != nil {
		return false, err
	}
	controls, err := led.Prune(ctx, &r)
	for _, control := range controls {
		line := fmt.Sprintf("removed: %s, entry %d of the ledger's own says so: %s\n", amount(control.Values, control.Entries), control.Index, query.Visible(control.Policy))
		err = errors.Join(err, write(std.out, line))
	}
	return len(controls) > 0, err
}
