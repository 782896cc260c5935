package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"toolledger/capture"
	"toolledger/chain"
	"toolledger/db"
	"toolledger/query"
)

var importCommand = command{
	name:  "import",
	args:  "FILE...",
	nargs: -1,
	short: "add the entries of files, and the calls of other programs' logs, to a ledger",
	long: `
FILE is JSON Lines of entries, a transcript as for replay, or what another program
left of its agents' calls: 'toolledger formats' lists what is read. The format is
found by the content, unless --format names it. A folder stands for all files in it
whose format is known. Files that end in .gz or .zst, or begin like one, are
unpacked. A ledger that does not exist is created.

Calls that name no session go into one of the file's name, or of --session.

Of a file of entries, everything is imported or nothing, unless --keep-going leaves
out the lines that are refused, each with its number and reason, and ends with
status 1. Of other programs' logs, broken lines are always left out like that.
Importing a file again, or after it has grown, adds only what is new.

Afterwards a report on standard error accounts for every line: source of an entry,
context of entries, repeated, skipped (by kind), refused. --report writes it as
JSON; --dry-run writes nothing else.

--follow goes on to import what is written to a file of lines, until it is
interrupted. It survives that the file is cut off or renamed.

A whole export, imported into a ledger that does not exist, restores it: the same
entries, digests and root. Other exports are chained anew.`,
	example: `
$ toolledger import -l my.ledger session-dirty.jsonl
session-dirty.jsonl: 6 entries added`,
	setup: func(flags *pflag.FlagSet) func(stdio, []string) error {
		var c importFlags
		c.declare(flags)
		c.declareOrigin(flags)
		flags.StringVar(&c.format, "format", "auto", "`NAME` of the format of the files")
		flags.StringVar(&c.session, "session", "", "`NAME` of the session for calls that name none")
		flags.StringVar(&c.prefix, "session-prefix", "", "`TEXT` before the name of each session of other programs' logs")
		flags.StringVar(&c.agent, "agent", "", "`NAME` of the agent where a log names none")
		flags.BoolVar(&c.keepGoing, "keep-going", false, "leave out lines that are refused")
		flags.BoolVar(&c.dryRun, "dry-run", false, "only report what would be imported")
		flags.BoolVar(&c.follow, "follow", false, "go on with what is written to the file")
		flags.StringVar(&c.report, "report", "", "`FILE` for the report, as JSON")
		return c.run
	},
}

type importFlags struct {
	ledgerFlags
	format, session, prefix, agent, report string
	keepGoing, dryRun, follow              bool

	form    *capture.Format // of all files; nil: by content
	found   *capture.Format // of the file that is read
	links   capture.Links
	reports []*capture.Report
}

func (c *importFlags) run(std stdio, names []string) (err error) {
	if err := c.check(names); err != nil {
		return err
	}
	files, err := importFiles(std, names)
	if err != nil {
		return err
	}
	// Chunks are reused, so that a collection finds little; but what Badger keeps for its next
	// tables counts as live, and collecting later would add a share of it.
	collectAt(40)
	growHeap(loadHeap)
	switch {
	case c.follow:
		err = c.followFile(std, files[0])
	case c.dryRun:
		for _, f := range files {
			if err = c.file(std, nil, f); err != nil {
				break
			}
		}
	default:
		err = c.all(std, files)
	}
	if c.report != "" && len(c.reports) > 0 {
		err = errors.Join(err, writeReport(c.report, c.reports))
	}
	if err != nil {
		return err
	}
	if len(c.reports) == 0 {
		return fmt.Errorf("no file of a known format in %s; 'toolledger formats' lists those that are read", strings.Join(names, ", "))
	}
	for _, r := range c.reports {
		if r.Refused > 0 {
			return errFound
		}
	}
	return nil
}

// check tells what of the command line cannot be.
func (c *importFlags) check(names []string) error {
	if len(names) == 0 {
		return &usageError{msg: "import: expected FILE..., found 0 arguments", help: "import"}
	}
	if c.format != "auto" {
		if c.form = capture.FormatOf(c.format); c.form == nil {
			return &usageError{msg: fmt.Sprintf("import: --format: no format %q%s; 'toolledger formats' lists them", c.format, query.DidYouMean(c.format, importFormats(), []string{"auto"}))}
		}
	}
	if c.follow && (len(names) != 1 || names[0] == "-" || c.dryRun) {
		return &usageError{msg: "import: --follow takes one file, and not --dry-run", help: "import"}
	}
	return nil
}

// all adds files to a ledger. The first makes it, if there is none.
func (c *importFlags) all(std stdio, files []importFile) (err error) {
	for len(files) > 0 && len(c.reports) == 0 {
		if _, err := os.Stat(filepath.Join(c.dir, "CURRENT")); !errors.Is(err, os.ErrNotExist) {
			break
		}
		if err := c.first(std, files[0], len(files) == 1); err != nil {
			return err
		}
		files = files[1:]
	}
	if len(files) == 0 {
		return nil
	}
	led, err := c.openWhole(db.Options{})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, led.Close()) }()
	for _, f := range files {
		if err := c.file(std, led, f); err != nil {
			return err
		}
	}
	return nil
}

// first makes a ledger of a file, which is one only when it is closed. A whole export that is
// alone is restored.
func (c *importFlags) first(std stdio, f importFile, alone bool) error {
	in, err := f.open(std)
	if err != nil {
		return err
	}
	defer in.close()
	restore, start := false, int64(0)
	if alone {
		if restore, start, err = restores(in); err != nil {
			return err
		}
	}
	if known, err := c.detect(std, f, in); !known {
		return err
	}
	load := func(opt db.Options) (*capture.Report, error) {
		led, err := c.openWhole(opt)
		if err != nil {
			return nil, err
		}
		done, err := c.load(std, led, f, in, opt.Restore)
		return done, errors.Join(err, led.Close())
	}
	done, err := load(db.Options{Restore: restore, Load: !restore})
	if restore && errors.Is(err, db.ErrPartial) {
		fmt.Fprintf(std.err, "%s: is not a whole export: its entries are chained anew\n", f.shown())
		if _, err := in.Seek(start, io.SeekStart); err != nil {
			return err
		}
		done, err = load(db.Options{Load: true})
	}
	if err != nil {
		return err
	}
	return c.tell(std, f, done)
}

// file imports one file, into no ledger where led is nil.
func (c *importFlags) file(std stdio, led *db.Ledger, f importFile) error {
	in, err := f.open(std)
	if err != nil {
		return err
	}
	defer in.close()
	if known, err := c.detect(std, f, in); !known {
		return err
	}
	done, err := c.load(std, led, f, in, false)
	if err != nil {
		return err
	}
	return c.tell(std, f, done)
}

// detect finds the format of a file. In a folder, a file of no known one is left out.
func (c *importFlags) detect(std stdio, f importFile, in *seekable) (known bool, err error) {
	c.found = c.form
	if c.found == nil {
		c.found, err = capture.Detect(in)
	}
	if unknown := (*capture.UnknownError)(nil); f.walked && errors.As(err, &unknown) {
		fmt.Fprintf(std.err, "%s: left out, of no known format\n", f.shown())
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("%s: %w", f.shown(), err)
	}
	return true, nil
}

// load imports what a file has.
func (c *importFlags) load(std stdio, led *db.Ledger, f importFile, in *seekable, restore bool) (*capture.Report, error) {
	bar := newProgress(std.err, in.size())
	im := c.importOf(std, f, bar)
	im.Format, im.Restore = c.found, restore
	ctx, stop := interruptible()
	defer stop()
	done, err := im.Run(ctx, led, in)
	bar.clear()
	if err != nil {
		err = fmt.Errorf("%s: %w", f.shown(), err)
	}
	return done, err
}

// importOf returns how a file is imported.
func (c *importFlags) importOf(std stdio, f importFile, bar *progress) *capture.Import {
	session := c.session
	if session == "" {
		session = f.session
	}
	return &capture.Import{Format: c.form, Name: filepath.Base(f.name), Session: session, Prefix: c.prefix, Agent: c.agent, Links: &c.links,
		KeepGoing: c.keepGoing, Progress: bar.update,
		Refused: func(e *capture.LineError) {
			bar.clear()
			fmt.Fprintf(std.err, "%s: %s\n", f.shown(), query.Visible(e.Error()))
		}}
}

// tell says what became of a file.
func (c *importFlags) tell(std stdio, f importFile, done *capture.Report) error {
	done.File = f.name
	c.reports = append(c.reports, done)
	fmt.Fprint(std.err, account(done))
	if c.dryRun {
		return write(std.out, fmt.Sprintf("%s: %d entries, not added\n", f.shown(), done.Entries))
	}
	return write(std.out, summary(f.shown(), done))
}

// followFile imports a file and what is written to it, until it is interrupted.
func (c *importFlags) followFile(std stdio, f importFile) error {
	led, err := c.openWhole(db.Options{})
	if err != nil {
		return err
	}
	ctx, stop := interruptible()
	defer stop()
	var last *capture.Report
	bar := newProgress(std.err, 0)
	follow := capture.Follow{Import: c.importOf(std, f, bar), Ledger: led, Path: f.name,
		Wait: func(ctx context.Context) error {
			select {
			case <-ctx.Done():
			case <-time.After(followEvery):
			}
			return ctx.Err()
		},
		Batch: func(r *capture.Report) {
			if last != nil && last != r { // of another file in its place
				c.reports = append(c.reports, last)
			}
			last = r
		}}
	err = errors.Join(follow.Run(ctx), led.Close())
	bar.clear()
	if err != nil {
		return fmt.Errorf("%s: %w", f.shown(), err)
	}
	if last == nil {
		last = &capture.Report{}
	}
	return c.tell(std, f, last)
}

// followEvery is how often a file is looked at.
const followEvery = 250 * time.Millisecond

// restores tells whether a file may be a whole export: its first line is the first entry of
// a ledger's own session. start is where in the file it begins.
func restores(in *seekable) (restore bool, start int64, err error) {
	if start, err = in.Seek(0, io.SeekCurrent); err != nil {
		return false, start, err
	}
	line, _ := readLine(bufio.NewReader(in.File))
	if _, err := in.Seek(start, io.SeekStart); err != nil {
		return false, start, err
	}
	var text chain.Text
	if _, err := text.Canonical(nil, line); err != nil || !chain.IsEvidence(&text) {
		return false, start, nil
	}
	e, err := chain.ParseEvidence(&text)
	return err == nil && e.Seq == 0 && e.Entry.SessionName() == db.OwnSession, start, nil
}

func summary(file string, done *capture.Report) string {
	s := fmt.Sprintf("%s: %d entries added", file, done.Added)
	if done.Known > 0 {
		s += fmt.Sprintf(", %d known", done.Known)
	}
	if done.Before > 0 {
		s += fmt.Sprintf(", %d bytes imported before", done.Before)
	}
	for _, kind := range done.SkippedKinds {
		if kind.Kind == capture.OwnKind {
			s += fmt.Sprintf(", %d of a ledger's own left out", kind.Lines)
		}
	}
	if done.Refused > 0 {
		s += fmt.Sprintf(", %d lines refused", done.Refused)
	}
	return s + "\n"
}
