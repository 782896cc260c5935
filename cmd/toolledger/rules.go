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
	"time"

	"github.com/spf13/pflag"

	"toolledger/audit"
	"toolledger/chain"
	"toolledger/db"
	"toolledger/query"
	"toolledger/samples/rules"
)

var rulesCommand = command{
	name:  "rules",
	short: "run rules that find what somebody should look at",
	long: `
A rule is a file with an id, a name, a description, a severity and a query, in the YAML
shape of Microsoft Sentinel's analytic rules. It fires if its query has a row, or as its
triggerOperator and triggerThreshold say of their number. What fired is printed, a line a
row: as tables to a terminal, else as JSON Lines. Exit status 1 if a rule fired.

By itself the command runs the rules of its own pack (samples/rules). --rules DIR runs
those of a folder in their place; --rules default names the pack beside others.

A rule sees the tables entries, calls, sessions and control: all of them, or as --since and
--until say. One with a queryPeriod sees that much before the end of the run, which is also
what now() is: the time of --until, else just behind the ledger's last entry, but not after
the present. So a run over an archive finds what it would have found at its time.`,
	example: `
$ toolledger rules --list --rule unfinished-call
{"id":"unfinished-call","severity":"Low","name":"Call that began and never ended"}`,
	setup: func(flags *pflag.FlagSet) func(stdio, []string) error {
		var c rulesFlags
		c.declare(flags)
		flags.StringArrayVar(&c.folders, "rules", nil, "run the rules in `DIR`, default being the pack; may be repeated")
		flags.StringVar(&c.since, "since", "", "only entries from that `TIME` on, as 2026-01-02T15:04:05Z")
		flags.StringVar(&c.until, "until", "", "only entries before that `TIME`")
		flags.StringVar(&c.format, "format", "", "`FORMAT` of what fired: table or jsonl")
		flags.StringVar(&c.severity, "severity", "", "only rules of that `LEVEL` or a greater one: Informational, Low, Medium, High")
		flags.StringArrayVar(&c.ids, "rule", nil, "only the rule with that `ID`; may be repeated")
		flags.BoolVar(&c.list, "list", false, "list the rules, and run none")
		flags.BoolVar(&c.check, "check", false, "say all that is wrong with the rules, and run none")
		flags.BoolVar(&c.timer, "timer", false, "say on standard error how long each rule took")
		return c.run
	},
}

type rulesFlags struct {
	ledgerFlags
	folders, ids                   []string
	since, until, format, severity string
	list, check, timer             bool
}

// rulesMemory is how many bytes a rule may hold.
const rulesMemory = 1 << 30

func (c *rulesFlags) run(std stdio, _ []string) error {
	window, err := c.window()
	if err != nil {
		return err
	}
	if !slices.Contains([]string{"", "table", "jsonl"}, c.format) {
		return &usageError{msg: fmt.Sprintf("rules: --format: expected table or jsonl, found %q", c.format)}
	}
	all, err := audit.LoadRules(languageOf(nil, query.Options{Tables: query.LedgerTables(nil)}, false), c.ruleFolders()...)
	if err != nil {
		return err
	}
	chosen, err := c.choose(all)
	switch {
	case err != nil:
		return err
	case c.list:
		return c.writeList(std, chosen)
	case c.check:
		return nil
	}
	return c.read(func(ctx context.Context, led *db.Ledger, damage error) error {
		s, err := led.Snapshot()
		if err != nil {
			return errors.Join(damage, err)
		}
		defer s.Close()
		return errors.Join(damage, c.runAll(ctx, std, s, chosen, window))
	})
}

// window is what --since and --until say.
func (c *rulesFlags) window() (w audit.Window, err error) {
	for _, bound := range []struct {
		flag, text string
		to         **chain.Time
	}{{"since", c.since, &w.Since}, {"until", c.until, &w.Until}} {
		if bound.text == "" {
			continue
		}
		t, err := chain.ParseTime([]byte(bound.text))
		if err != nil {
			return w, &usageError{msg: fmt.Sprintf("rules: --%s: %v, found %q", bound.flag, err, bound.text)}
		}
		*bound.to = &t
	}
	if w.Since != nil && w.Until != nil && w.Since.Compare(*w.Until) >= 0 {
		return w, &usageError{msg: "rules: --since: expected a time before that of --until"}
	}
	return w, nil
}

func (c *rulesFlags) ruleFolders() (list []audit.RuleFolder) {
	names := c.folders
	if len(names) == 0 {
		names = []string{"default"}
	}
	for _, name := range names {
		if name == "default" {
			list = append(list, audit.RuleFolder{Name: name, Files: rules.Files})
		} else {
			list = append(list, audit.RuleFolder{Name: name, Files: os.DirFS(name)})
		}
	}
	return list
}

// choose returns the rules that --rule and --severity leave.
func (c *rulesFlags) choose(all []*audit.Rule) (list []*audit.Rule, err error) {
	least := audit.Informational
	if c.severity != "" {
		if least, err = audit.SeverityNamed(c.severity); err != nil {
			return nil, &usageError{msg: "rules: --severity: " + err.Error()}
		}
	}
	var ids []string
	for _, r := range all {
		ids = append(ids, r.ID)
		if r.Severity >= least && (len(c.ids) == 0 || slices.Contains(c.ids, r.ID)) {
			list = append(list, r)
		}
	}
	for _, id := range c.ids {
		if slices.Contains(ids, id) {
			continue
		}
		msg := fmt.Sprintf("rules: --rule: no rule %q", id)
		if near := query.Nearest(id, ids); near != "" {
			msg += fmt.Sprintf(", did you mean %q?", near)
		}
		return nil, &usageError{msg: msg + " ('toolledger rules --list' lists them)"}
	}
	return list, nil
}

// writer returns a writer of results.
func (c *rulesFlags) writer(std stdio) query.Writer {
	if !c.asTable(std) {
		return query.FormatNamed("jsonl").New(std.out, query.FormatOptions{})
	}
	var opt query.FormatOptions
	if isTerminal(std.out) {
		opt = query.FormatOptions{Width: terminalWidth(std.out), Color: inColor("auto", std.out)}
	}
	return query.FormatNamed("table").New(std.out, opt)
}

// asTable tells whether results are for people.
func (c *rulesFlags) asTable(std stdio) bool {
	return c.format == "table" || c.format == "" && isTerminal(std.out)
}

func (c *rulesFlags) writeList(std stdio, list []*audit.Rule) error {
	w := c.writer(std)
	cols := make([]*query.Vector, 3)
	for i, of := range []func(*audit.Rule) string{
		func(r *audit.Rule) string { return r.ID },
		func(r *audit.Rule) string { return r.Severity.String() },
		func(r *audit.Rule) string { return r.Name },
	} {
		var values []query.Value
		for _, r := range list {
			values = append(values, query.StringOf(of(r)))
		}
		cols[i] = query.VectorOf(query.String, values)
	}
	err := w.Begin([]query.Field{{Name: "id", Kind: query.String}, {Name: "severity", Kind: query.String}, {Name: "name", Kind: query.String}})
	if err == nil {
		err = w.Rows(&query.Batch{N: len(list), Cols: cols})
	}
	if err == nil {
		err = w.End()
	}
	return err
}

// runAll runs rules one after another.
func (c *rulesFlags) runAll(ctx context.Context, std stdio, s *db.Snapshot, list []*audit.Rule, window audit.Window) (err error) {
	if window.End, err = endOf(s, window); err != nil {
		return err
	}
	collectAt(200)
	debug.SetMemoryLimit(rulesMemory)
	if std.in != nil { // the prompt, which has the input, goes on behind an interrupt
		defer leaveWhen(ctx)()
	}
	fired := 0
	for _, r := range list {
		start := time.Now()
		out := audit.WithRule(r, c.writer(std))
		if c.asTable(std) {
			out = &titledWriter{c.writer(std), std.out, r, fired > 0}
		}
		lang := languageOf(s, query.Options{Memory: rulesMemory, Now: window.End.Time()}, false)
		yes, err := r.Run(ctx, lang, window, out)
		if err != nil {
			return err
		}
		if yes {
			fired++
		}
		if c.timer {
			fmt.Fprintf(std.err, "%s: %s\n", query.Visible(r.ID), time.Since(start).Round(time.Millisecond))
		}
	}
	if c.asTable(std) {
		fmt.Fprintf(std.err, "rules: %d of %d fired\n", fired, len(list))
	}
	if fired > 0 {
		return errFound
	}
	return nil
}

// endOf returns where the periods of rules end: the end of the window, else just behind the
// last entry. An entry says itself when it happened, so that one of the future could end all
// periods where nothing is yet: the present bounds it.
func endOf(s *db.Snapshot, w audit.Window) (chain.Time, error) {
	if w.Until != nil {
		return *w.Until, nil
	}
	var last chain.Time
	for h, err := range s.Sessions() {
		if err != nil {
			return last, err
		}
		if h.Session != db.OwnSession && h.Last.Compare(last) > 0 {
			last = h.Last
		}
	}
	last.Ticks++
	if now := chain.TimeOf(time.Now()); now.Compare(last) < 0 {
		last = now
	}
	return last, nil
}

// A titledWriter writes the rows of a rule as a table below its name.
type titledWriter struct {
	query.Writer
	w     io.Writer
	rule  *audit.Rule
	apart bool // there is a table above
}

func (t *titledWriter) Begin(fields []query.Field) error {
	title := fmt.Sprintf("%s: %s (%s)\n", t.rule.Severity, query.Visible(t.rule.Name), query.Visible(t.rule.ID))
	if t.apart {
		title = "\n" + title
	}
	if _, err := io.WriteString(t.w, strings.ToValidUTF8(title, "")); err != nil {
		return err
	}
	return t.Writer.Begin(fields)
}
