package main

import (
	"context"
	"errors"
	"io"
	"os"
	"sync"
	"time"

	"github.com/spf13/pflag"

	"toolledger/query"
	"toolledger/shell"
)

var queryCommand = command{
	name:  "query",
	args:  "[QUERY]",
	nargs: -1,
	short: "ask a question in KQL",
	long: `
QUERY is a query in a subset of Kusto's language, KQL, or several with ; between. Without
it, -f FILE is a script, - being standard input: queries, with dot commands of the shell
between them if need be, as .once answers.csv. The table entries has a row for each entry
of the ledger, calls a row for each call, sessions one for each session, and control the
ledger's own entries; datatable, print and range need no ledger.

explain before a query shows its plan in place of its rows: what is read, what is left
out of the scan and why, what each operator holds.

Results go to standard output: as a table to a terminal, else as JSON Lines. All that is
wrong with a text is told, and nothing of it runs; --check does no more than that.
'toolledger help kql' has the operators and functions.`,
	example: `
$ toolledger query 'print answer = strcat("6 * 7 = ", 6 * 7)' --format csv
answer
6 * 7 = 42`,
	setup: func(flags *pflag.FlagSet) func(stdio, []string) error {
		var q queryFlags
		q.ledgerFlags.declare(flags)
		flags.StringVarP(&q.file, "file", "f", "", "`FILE` with queries, - for standard input")
		q.settings.declare(flags)
		flags.BoolVar(&q.failIfRows, "fail-if-rows", false, "end with status 1 if the last query has a row")
		flags.BoolVar(&q.safe, "safe", false, "forbid what writes, runs a program or names a file")
		flags.BoolVar(&q.check, "check", false, "say all that is wrong with the queries, and run none; needs no ledger")
		return q.run
	},
}

type queryFlags struct {
	ledgerFlags
	settings          settingsFlags
	file              string
	failIfRows, check bool
	safe              bool
}

func (q *queryFlags) run(std stdio, args []string) error {
	settings, err := q.settings.settings("query", std)
	if err != nil {
		return err
	}
	if (len(args) == 1) == (q.file != "") || len(args) > 1 {
		return &usageError{msg: "query: expected QUERY or -f FILE", help: "query"}
	}
	if q.check {
		return q.checkAll(std, args)
	}
	led, err := openAsked(&q.ledgerFlags)
	if err != nil {
		return err
	}
	defer led.close()
	s := shell.New(shell.Config{Ledger: led, Commands: ledgerCommands(led), Out: std.out, Err: std.err, Terminal: isTerminal(std.out), Progress: isTerminal(std.err),
		Size: func() (int, int) { return terminalWidth(std.out), 0 }, Settings: settings, Safe: q.safe, Opens: "-l DIR names"})
	ctx, stop := interruptible()
	defer stop()
	defer leaveWhen(ctx)()
	err = q.ask(ctx, std, s, args)
	switch {
	case errors.Is(err, shell.ErrNoQuery), err == nil && s.Answers() == 0:
		return &usageError{msg: "query: expected a query, found none", help: "query"}
	case err != nil:
		return err
	}
	if s.Broken() {
		return errBroken
	}
	if q.failIfRows && s.Found() {
		return errFound
	}
	return nil
}

// ask asks QUERY, in which a dot command is none, or runs the script that -f names.
func (q *queryFlags) ask(ctx context.Context, std stdio, s *shell.Shell, args []string) error {
	if len(args) == 1 {
		return s.Ask(ctx, args[0], 1)
	}
	in, name, err := q.script(std)
	if err != nil {
		return err
	}
	defer in.Close()
	return s.Script(ctx, in, name)
}

// checkAll says all that is wrong with the queries.
func (q *queryFlags) checkAll(std stdio, args []string) error {
	lang := languageOf(nil, query.Options{Tables: query.LedgerTables(nil)}, q.safe)
	if len(args) == 1 {
		return lang.Check(args[0], q.settings.params)
	}
	in, name, err := q.script(std)
	if err != nil {
		return err
	}
	defer in.Close()
	return shell.Check(lang, in, name, q.settings.params)
}

// script opens the script. name is that of its file, "" for standard input.
func (q *queryFlags) script(std stdio) (in io.ReadCloser, name string, err error) {
	f, err := open(std, q.file)
	if err == nil && q.file != "-" {
		name = q.file
	}
	return f, name, err
}

// leaveWhen ends the process when ctx is done, if nobody sees it within 50 ms: one
// expression may be computed of a long text for longer. A query changes nothing that could
// be left half done. The function that it returns takes it back.
func leaveWhen(ctx context.Context) (stop func()) {
	done := make(chan struct{})
	go func() {
		select {
		case <-ctx.Done():
		case <-done:
			return
		}
		select {
		case <-time.After(50 * time.Millisecond):
			os.Exit(130)
		case <-done:
		}
	}()
	return sync.OnceFunc(func() { close(done) })
}
