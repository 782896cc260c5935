package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/pflag"
	"golang.org/x/term"

	"toolledger/db"
	"toolledger/query"
	"toolledger/shell"
)

var shellCommand = command{
	name:  "shell",
	nargs: 0,
	short: "ask a ledger questions at a prompt",
	long: `
Statements are queries, let, and dot commands, which '.help' lists. A statement takes
as many lines as it needs: it ends with ; or an empty line. Tab completes names of tables,
operators, columns and their values. ^C ends what runs, or clears the line; twice within a
second, or Ctrl-D, ends the shell.

Where standard input is no terminal, it is a script. -c and -f run statements before, or in
place of, what is typed: with one of them the shell ends behind it, unless -i is given too.
The file rc in the folder toolledger of the user's configuration is read first.`,
	example: `
$ toolledger shell -l my.ledger -c 'entries | summarize count() by agent;'`,
	setup: func(flags *pflag.FlagSet) func(stdio, []string) error {
		var c shellFlags
		c.ledgerFlags.declare(flags)
		c.settings.declare(flags)
		flags.StringArrayVarP(&c.texts, "command", "c", nil, "`STATEMENTS` to run; may be given several times")
		flags.StringArrayVarP(&c.files, "file", "f", nil, "`FILE` of statements to run, - for standard input")
		flags.BoolVarP(&c.stay, "interactive", "i", false, "go on at the prompt behind -c and -f")
		flags.BoolVar(&c.noRC, "no-rc", false, "do not read the rc file")
		flags.StringVar(&c.rc, "rc", "", "read `FILE` in place of the rc file")
		flags.BoolVar(&c.bail, "bail", true, "end a script at its first fault; --bail=false goes on")
		flags.BoolVar(&c.safe, "safe", false, "forbid what writes, runs a program or names a file")
		return c.run
	},
}

type shellFlags struct {
	ledgerFlags
	settings         settingsFlags
	texts, files     []string
	stay, noRC, bail bool
	safe             bool
	rc               string
}

func (c *shellFlags) run(std stdio, _ []string) error {
	settings, err := c.settings.settings("shell", std)
	if err != nil {
		return err
	}
	typed := term.IsTerminal(int(std.in.Fd()))
	scripts := len(c.texts)+len(c.files) > 0
	if typed && (!scripts || c.stay) {
		if err := c.offer(std); err != nil {
			return err
		}
	}
	led, err := openAsked(&c.ledgerFlags)
	if err != nil {
		return err
	}
	defer led.close()
	s := shell.New(shell.Config{
		Ledger: led, Commands: ledgerCommands(led), Out: std.out, Err: std.err, Terminal: isTerminal(std.out), Progress: isTerminal(std.err),
		Size: func() (int, int) { return terminalWidth(std.out), terminalHeight(std.out) }, Settings: settings,
		Continue: !c.bail, Safe: c.safe, History: historyFile(), Opens: ".open DIR opens",
	})
	ctx, stop := interruptible()
	defer stop()
	if err := c.readRC(ctx, s); err != nil {
		return err
	}
	for _, text := range c.texts {
		if err := s.Script(ctx, strings.NewReader(text), ""); err != nil {
			return err
		}
	}
	for _, name := range c.files {
		if name == "-" {
			err = s.Script(ctx, std.in, "")
		} else {
			err = s.ReadFile(ctx, name)
		}
		if err != nil {
			return err
		}
	}
	switch {
	case scripts && !c.stay:
	case typed:
		stop()
		return c.interact(std, s, led)
	default:
		err = s.Script(ctx, std.in, "")
	}
	if err == nil && s.Broken() {
		return errBroken
	}
	return err
}

// interact is the prompt.
func (c *shellFlags) interact(std stdio, s *shell.Shell, led *askedLedger) error {
	in := typedInput(std)
	defer in.Close()
	for _, line := range led.Banner() {
		fmt.Fprintln(std.err, line)
	}
	return s.Interact(in)
}

// typedInput is where statements are typed. The prompt never goes into a file of results.
func typedInput(std stdio) shell.Input {
	if isTerminal(std.out) && shell.CanEdit() {
		if lined, err := shell.Terminal(); err == nil {
			return lined
		}
	}
	prompts := std.err
	if f, ok := std.out.(*os.File); ok && term.IsTerminal(int(f.Fd())) {
		prompts = std.out
	}
	return shell.Plain(std.in, prompts)
}

// offer asks whether to make a ledger that does not exist.
func (c *shellFlags) offer(std stdio) error {
	if c.dir == "" {
		return nil
	}
	if _, err := os.Stat(filepath.Join(c.dir, "CURRENT")); !errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if entries, err := os.ReadDir(c.dir); err == nil && len(entries) > 0 {
		return nil // what is wrong with it, opening says
	}
	fmt.Fprintf(std.err, "There is no ledger at %s. Create one? [y/N] ", query.Visible(c.dir))
	answer, err := shell.Plain(std.in, nil).Line("")
	if err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	if answer = strings.ToLower(strings.TrimSpace(answer)); answer != "y" && answer != "yes" {
		return fmt.Errorf("no ledger at %s", c.dir)
	}
	led, err := c.openWhole(db.Options{})
	if err != nil {
		return err
	}
	return led.Close()
}

// readRC runs the file of settings, if there is one.
func (c *shellFlags) readRC(ctx context.Context, s *shell.Shell) error {
	switch {
	case c.rc != "":
		return s.ReadFile(ctx, c.rc)
	case c.noRC || c.safe:
		return nil
	}
	dir, err := os.UserConfigDir()
	if err != nil {
		return nil
	}
	name := filepath.Join(dir, "toolledger", "rc")
	if _, err := os.Stat(name); err != nil {
		return nil
	}
	return s.ReadFile(ctx, name)
}

// historyFile is where statements are kept.
func historyFile() string {
	dir := os.Getenv("XDG_STATE_HOME")
	if dir == "" {
		home, err := os.UserHomeDir()
		if err != nil {
			return ""
		}
		dir = filepath.Join(home, ".local", "state")
	}
	return filepath.Join(dir, "toolledger", "history")
}
