package main

import (
	"context"
	"errors"
	"fmt"
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
	const help = ".help lists the commands, .help kql is the manual of the language; Ctrl-D ends."
	if a.led == nil {
		return []string{"toolledger " + version + ", no ledger: .open DIR opens one.", help}
	}
	st, err := a.led.Stats()
	text := fmt.Sprintf("%s: %d entries, %d sessions", query.Visible(a.flags.dir), st.Entries, st.Sessions)
	if err == nil && (st.First != st.Last || st.First.Ticks != 0) {
		text += fmt.Sprintf(", %s to %s", st.First, st.Last)
	}
	lines := []string{text + ".", "Last checkpoint: " + query.Visible(lastCheckpoint(a.led)) + ".", help}
	for _, damage := range []error{err, a.damage} {
		if damage != nil {
			lines = append(lines, "warning: "+shell.Line(damage)+"; it is read as it is")
		}
	}
	return lines
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
		a.commandOf(importCommand, shell.Command{Usage: "FILE...", Help: "adds the entries of files to the ledger", Unsafe: true, Changes: true}),
		a.commandOf(exportCommand, shell.Command{Usage: "[FLAGS]", Help: "writes entries as lines that can be checked without the ledger", Unsafe: true}),
		a.commandOf(verifyCommand, shell.Command{Usage: "[FILE]", Help: "recomputes every digest, chain, tree and derived byte; of a file, what is in it", Bare: true}),
		a.commandOf(rulesCommand, shell.Command{Usage: "[FLAGS]", Help: "runs the rules that find what somebody should look at", Bare: true}),
	}
}

// change opens another ledger in place of the one that is open.
func (a *askedLedger) change(_ context.Context, _ *shell.Shell, rest string) error {
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
			return writeHelp(s.Out, c)
		} else if err != nil {
			return err
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
		return told(do(stdio{nil, s.Out, s.Err}, flags.Args()))
	}
	return row
}

// told leaves out what a command has said itself: that it found something, which is no fault
// of a statement, and that something does not verify, which its status says.
func told(err error) error {
	switch {
	case errors.Is(err, errFound):
		return nil
	case errors.Is(err, errBroken):
		return &shell.ToldError{Err: err}
	}
	return err
}
