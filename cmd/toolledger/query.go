package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/spf13/pflag"

	"toolledger/db"
	"toolledger/query"
)

var queryCommand = command{
	name:  "query",
	args:  "[QUERY]",
	nargs: -1,
	short: "ask a question in KQL",
	long: `
QUERY is a query in a subset of Kusto's language, KQL, or several with ; between. Without
it, -f FILE has them, - being standard input. The table entries has a row for each entry
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
		q.declare(flags)
		flags.StringVarP(&q.file, "file", "f", "", "`FILE` with queries, - for standard input")
		flags.StringVar(&q.format, "format", "", "`FORMAT` of results: "+formatNames())
		q.params = params{}
		flags.Var(q.params, "param", "`NAME=VALUE` of declare query_parameters")
		flags.Int64Var(&q.memory, "memory", 1<<10, "`MiB` that a query may use")
		flags.StringVar(&q.color, "color", "auto", "colours: `WHEN` is auto, for a terminal unless NO_COLOR is set, always or never")
		flags.BoolVar(&q.csvSafe, "csv-safe", false, "in csv and tsv, put a quote before text that a spreadsheet would take for a formula")
		flags.BoolVar(&q.failIfRows, "fail-if-rows", false, "end with status 1 if the last query has a row")
		flags.BoolVar(&q.timer, "timer", false, "say on standard error what each query cost: rows, entries scanned and skipped, time")
		flags.BoolVar(&q.check, "check", false, "say all that is wrong with the queries, and run none; needs no ledger")
		return q.run
	},
}

type queryFlags struct {
	ledgerFlags
	file, format, color        string
	params                     params
	memory                     int64
	csvSafe, failIfRows, check bool
	timer                      bool
}

// maxMemory is the most that --memory takes: 1 PiB.
const maxMemory = 1 << 30

// params are the values of --param. Each is whole: what stands in one is never a second.
type params map[string]string

func (p params) String() string { return "" }
func (p params) Type() string   { return "NAME=VALUE" }

func (p params) Set(text string) error {
	name, value, ok := strings.Cut(text, "=")
	switch {
	case !ok || name == "":
		return errors.New("expected NAME=VALUE")
	case !utf8.ValidString(text):
		return errors.New("expected UTF-8")
	}
	if _, twice := p[name]; twice {
		return fmt.Errorf("%s has a value already", name)
	}
	p[name] = value
	return nil
}

func formatNames() string {
	var names []string
	for _, f := range query.Formats() {
		names = append(names, f.Name)
	}
	return strings.Join(names, ", ")
}

func (q *queryFlags) run(std stdio, args []string) error {
	if q.memory < 1 || q.memory > maxMemory {
		return &usageError{fmt.Sprintf("query: --memory: expected 1 to %d MiB, found %d", maxMemory, q.memory)}
	}
	text, err := q.text(std, args)
	if err != nil {
		return err
	}
	format, err := q.formatOf(std)
	if err != nil {
		return err
	}
	if !slices.Contains([]string{"auto", "always", "never"}, q.color) {
		return &usageError{fmt.Sprintf("query: --color: expected auto, always or never, found %q", q.color)}
	}
	if q.check {
		return languageOf(nil, query.Options{Tables: query.LedgerTables(nil)}).Check(text, q.params)
	}
	if q.dir == "" {
		ctx, stop := interruptible()
		defer stop()
		return withoutLedger(q.ask(ctx, std, text, format, nil))
	}
	return q.read(func(ctx context.Context, led *db.Ledger, damage error) error {
		s, err := led.Snapshot()
		if err != nil {
			return errors.Join(damage, err)
		}
		defer s.Close()
		return errors.Join(damage, q.ask(ctx, std, text, format, s))
	})
}

// withoutLedger tells where the tables of a ledger would come from.
func withoutLedger(err error) error {
	faults, _ := err.(query.Faults)
	for _, e := range faults {
		for _, t := range query.LedgerTables(nil) {
			if strings.HasPrefix(e.Msg, "unknown table '"+t.Name+"'") {
				e.Msg += "; -l DIR names the ledger that has it"
			}
		}
	}
	return err
}

// text returns the queries.
func (q *queryFlags) text(std stdio, args []string) (string, error) {
	switch {
	case len(args) == 1 && q.file == "":
		return args[0], nil
	case len(args) > 0 || q.file == "":
		return "", &usageError{"query: expected QUERY or -f FILE; see 'toolledger help query'"}
	}
	in, err := open(std, q.file)
	if err != nil {
		return "", err
	}
	defer in.Close()
	b, err := io.ReadAll(io.LimitReader(in, query.MaxText+1))
	if err == nil && len(b) > query.MaxText {
		err = fmt.Errorf("%s: queries may have %d bytes, these have more", query.Visible(in.name), query.MaxText)
	}
	return string(b), err
}

func (q *queryFlags) formatOf(std stdio) (query.Format, error) {
	name := q.format
	if name == "" {
		name = "jsonl"
		if isTerminal(std.out) {
			name = "table"
		}
	}
	if f := query.FormatNamed(name); f != nil {
		return *f, nil
	}
	return query.Format{}, &usageError{fmt.Sprintf("query: --format: expected one of %s, found %q", formatNames(), name)}
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

// formatFor is the format of one result: a plan is text, unless another format is asked
// for.
func (q *queryFlags) formatFor(r *query.Result, format query.Format) query.Format {
	if r.Plan && q.format == "" {
		return *query.FormatNamed("raw")
	}
	return format
}

// ask runs queries on a ledger, or on none, and writes their results.
func (q *queryFlags) ask(ctx context.Context, std stdio, text string, format query.Format, s *db.Snapshot) error {
	opt := query.FormatOptions{CSVSafe: q.csvSafe, Color: inColor(q.color, std.out)}
	if isTerminal(std.out) {
		opt.Width = terminalWidth(std.out)
	}
	// Columns make garbage and little of it stays, so that collecting late is faster; but
	// where operators hold what they may, memory must not be a multiple of that. The limit is
	// of what the runtime knows: the program and the ledger's mapped tables come on top.
	collectAt(200)
	debug.SetMemoryLimit(q.memory<<20 + 96<<20)
	defer leaveWhen(ctx)()
	lang := languageOf(s, query.Options{Memory: q.memory << 20})
	results, err := lang.Compile(ctx, text, q.params)
	if err != nil {
		return err
	}
	if len(results) == 0 {
		return &usageError{"query: expected a query, found none; see 'toolledger help query'"}
	}
	rows, found := 0, false
	var scanned, skipped int64
	for i, r := range results {
		format := q.formatFor(r, format)
		if i > 0 && (format.Text || r.Plan && q.format == "") {
			if _, err := io.WriteString(std.out, "\n"); err != nil {
				return err
			}
		}
		start := time.Now()
		w := r.Writer(format, std.out, opt)
		rows = 0
		err := w.Begin(r.Fields)
		for b, e := range r.Batches(ctx) {
			if err == nil {
				err = e
			}
			if err != nil {
				break
			}
			rows += b.N
			err = w.Rows(b)
		}
		if err == nil {
			err = w.End()
		}
		if err != nil {
			return err
		}
		found = rows > 0 && !r.Plan
		if stats := lang.Stats(); q.timer {
			fmt.Fprintf(std.err, "%d rows, %d entries scanned, %d skipped, %s\n", rows, stats.Scanned.Load()-scanned, stats.Skipped.Load()-skipped, time.Since(start).Round(time.Microsecond))
			scanned, skipped = stats.Scanned.Load(), stats.Skipped.Load()
		}
	}
	for _, h := range lang.Hints() {
		fmt.Fprintln(std.err, "hint: "+h)
	}
	if q.failIfRows && found {
		return errFound
	}
	return nil
}
