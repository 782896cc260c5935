package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"toolledger/db"
	"toolledger/query"
	"toolledger/shell"
)

// An askedLedger is the ledger that queries are asked of, or none. Each query has a snapshot
// of its own.
type askedLedger struct {
	flags  ledgerFlags
	led    *db.Ledger // nil: none
	damage error      // what Open said of it
}

// openAsked opens the ledger that flags name, if they name one.
func openAsked(f *ledgerFlags) (*askedLedger, error) {
	a := &askedLedger{flags: *f}
	spareProcessor()
	if f.dir != "" {
		growHeap(queryHeap)
	}
	return a, a.open()
}

func (a *askedLedger) open() error {
	if a.flags.dir == "" {
		return nil
	}
	led, err := a.flags.open(db.Options{ReadOnly: true})
	if led == nil {
		return err
	}
	a.led, a.damage = led, err
	return nil
}

func (a *askedLedger) close() error {
	if a.led == nil {
		return nil
	}
	led := a.led
	a.led, a.damage = nil, nil
	return led.Close()
}

func (a *askedLedger) Name() string {
	if a.led == nil { // one could not be opened again
		return ""
	}
	name := strings.TrimRight(a.flags.dir, "/")
	if i := strings.LastIndexByte(name, '/'); i >= 0 {
		name = name[i+1:]
	}
	if a.damage != nil {
		name += " (damaged)"
	}
	return name
}

func (a *askedLedger) Banner() []string {
	return append(a.about(), ".help lists the commands, .help kql is the manual of the language; Ctrl-D ends.")
}

// about says what is open: what is wrong with it, and what is in it.
func (a *askedLedger) about() (lines []string) {
	if a.led == nil {
		return []string{"toolledger " + version + ", no ledger: .open DIR opens one."}
	}
	parts, err := a.contents()
	for _, damage := range []error{a.damage, err} {
		if damage != nil {
			lines = append(lines, "warning: "+shell.Line(damage)+"; what is there is read, nothing is written")
		}
	}
	return append(lines, query.Visible(a.flags.dir)+": "+strings.Join(parts, ", ")+".")
}

// contents are the parts of the line that says what is in the ledger: how much there is of what
// the tables have, and when it happened.
func (a *askedLedger) contents() (parts []string, err error) {
	s, err := a.led.Snapshot()
	if err != nil {
		return nil, err
	}
	defer s.Close()
	entries, sessions := s.Size(), s.SessionCount()
	if own, err := s.Session(db.OwnSession); err == nil { // control has them
		entries, sessions = entries-own.Count, sessions-1
	}
	parts = append(parts, shell.Counted(entries, "entry", "entries"), shell.Counted(sessions, "session", "sessions"))
	st, err := a.led.Stats()
	switch {
	case err != nil || st.First == st.Last && st.First.Ticks == 0:
	case st.First == st.Last:
		parts = append(parts, st.First.String())
	default:
		parts = append(parts, fmt.Sprintf("%s to %s", st.First, st.Last))
	}
	return append(parts, "last checkpoint "+lastCheckpoint(a.led)), err
}

func (a *askedLedger) Entries() int64 {
	if a.led == nil {
		return 0
	}
	s, err := a.led.Snapshot()
	if err != nil {
		return 0
	}
	defer s.Close()
	return int64(s.Size())
}

func (a *askedLedger) Language(opt query.Options, safe bool) (*query.Language, func(), error) {
	if a.led == nil {
		return languageOf(nil, opt, safe), func() {}, nil
	}
	s, err := a.led.Snapshot()
	if err != nil {
		return nil, nil, errors.Join(a.damage, err)
	}
	return languageOf(s, opt, safe), s.Close, a.damage
}

// ledgerCommands are the dot commands that do what commands of the command line do.
func ledgerCommands(a *askedLedger) []shell.Command {
	return []shell.Command{
		{Name: "open", Usage: "DIR", Help: "opens another ledger", Unsafe: true, Changes: true, Files: true, Run: a.change},
		a.commandOf(importCommand, shell.Command{Usage: "FILE...", Help: "adds the entries of files to the ledger; --help tells more", Unsafe: true, Changes: true}),
		a.commandOf(exportCommand, shell.Command{Usage: "[FLAGS]", Help: "writes entries as lines that can be checked without the ledger; --help lists the FLAGS", Unsafe: true}),
		a.commandOf(verifyCommand, shell.Command{Usage: "[FILE]", Help: "recomputes every digest, chain, tree and derived byte; of a file, what is in it", Bare: true}),
		a.commandOf(rulesCommand, shell.Command{Usage: "[FLAGS]", Help: "runs the rules that find what somebody should look at; --help lists the FLAGS", Bare: true}),
	}
}

// change opens another ledger in place of the one that is open.
func (a *askedLedger) change(_ context.Context, s *shell.Shell, rest string) error {
	words, err := shell.Words(rest)
	if err != nil {
		return err
	}
	if len(words) != 1 {
		return errors.New("expected .open DIR")
	}
	dir := words[0]
	next := &askedLedger{flags: a.flags}
	next.flags.dir = dir
	if err := next.open(); err != nil {
		return err
	}
	err = a.close()
	*a = *next
	if s.Typed() {
		for _, line := range a.about() {
			fmt.Fprintln(s.Err, line)
		}
	}
	return err
}

// commandOf makes a command of the command line a dot command on the ledger that is open,
// which is closed while it runs: it opens it itself.
func (a *askedLedger) commandOf(c command, row shell.Command) shell.Command {
	row.Name, row.Files = c.name, true
	row.Run = func(_ context.Context, s *shell.Shell, rest string) (err error) {
		if a.led == nil {
			return errors.New("no ledger is open: .open DIR opens one")
		}
		words, err := shell.Words(rest)
		if err != nil {
			return err
		}
		if slices.Contains(words, "-") {
			return fmt.Errorf("standard input has the statements: .%s needs the name of a file", c.name)
		}
		flags, do := c.flags()
		if err := c.parse(flags, words); errors.Is(err, pflag.ErrHelp) {
			return s.Result(func(to io.Writer, _ bool) error { return writeHelp(to, c) })
		} else if err != nil {
			return told(err)
		}
		if err := flags.Set("ledger", a.flags.dir); err != nil {
			return err
		}
		if err := flags.Set("key-file", a.flags.keyFile); err != nil {
			return err
		}
		led := a.led
		a.led = nil
		if err := led.Close(); err != nil {
			return err
		}
		defer func() {
			if e := a.open(); err == nil {
				err = e
			}
		}()
		return s.Result(func(to io.Writer, person bool) error {
			if f := fileOf(s.Out); person && f != nil {
				to = screen{to, f}
			}
			return told(do(stdio{nil, to, s.Err}, flags.Args()))
		})
	}
	return row
}

// told leaves out what a command has said itself: that it found something, which is no fault
// of a statement, and that something does not verify, which its status says. Its help is that
// of the dot command.
func told(err error) error {
	var usage *usageError
	switch {
	case errors.As(err, &usage) && usage.help != "":
		return fmt.Errorf("%s; .%s --help tells more", usage.msg, usage.help)
	case errors.Is(err, errFound):
		return nil
	case errors.Is(err, errBroken):
		return &shell.ToldError{Err: err}
	}
	return err
}
