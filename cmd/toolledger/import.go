package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

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
	short: "add the entries of files to a ledger",
	long: `
FILE is JSON Lines: entries, or a transcript as for replay, whose calls then go
into the session that --session names, or the file's name. A ledger that does not
exist is created.

Of a file, everything is imported or nothing, unless --keep-going leaves out the
lines that are refused, each with its number and reason, and ends with status 1.
Importing a file again, or after it has grown, adds only what is new.

A whole export, imported into a ledger that does not exist, restores it: the same
entries, digests and root. Other exports are chained anew.`,
	example: `
$ toolledger import -l my.ledger session-dirty.jsonl
session-dirty.jsonl: 6 entries added`,
	setup: func(flags *pflag.FlagSet) func(stdio, []string) error {
		var c importFlags
		c.declare(flags)
		c.declareOrigin(flags)
		flags.StringVar(&c.session, "session", "", "`NAME` of the session for calls that name none")
		flags.BoolVar(&c.keepGoing, "keep-going", false, "leave out lines that are refused")
		return c.run
	},
}

type importFlags struct {
	ledgerFlags
	session   string
	keepGoing bool
}

func (c *importFlags) run(std stdio, files []string) (err error) {
	if len(files) == 0 {
		return &usageError{"import: expected FILE..., found 0 arguments; see 'toolledger help import'"}
	}
	inputs, err := openAll(std, files)
	defer func() {
		for _, in := range inputs {
			in.close()
		}
	}()
	if err != nil {
		return err
	}
	// Chunks are reused, so that a collection finds little; but what Badger keeps for its next
	// tables counts as live, and collecting later would add a share of it.
	collectAt(40)
	refused := uint64(0)
	if _, err := os.Stat(filepath.Join(c.dir, "CURRENT")); errors.Is(err, os.ErrNotExist) {
		if refused, err = c.first(std, inputs[0], len(inputs) == 1); err != nil {
			return err
		}
		inputs = inputs[1:]
	}
	if len(inputs) > 0 {
		more, err := c.all(std, inputs)
		if err != nil {
			return err
		}
		refused += more
	}
	if refused > 0 {
		return errFound
	}
	return nil
}

// first makes a ledger of a file. A whole export that is alone is restored.
func (c *importFlags) first(std stdio, in *seekable, alone bool) (refused uint64, err error) {
	restore, start := false, int64(0)
	if alone {
		if restore, start, err = restores(in); err != nil {
			return 0, err
		}
	}
	done, err := c.load(std, in, db.Options{Restore: restore, Load: !restore})
	if restore && errors.Is(err, db.ErrPartial) {
		fmt.Fprintf(std.err, "%s: is not a whole export: its entries are chained anew\n", in.name)
		if _, err := in.Seek(start, io.SeekStart); err != nil {
			return 0, err
		}
		done, err = c.load(std, in, db.Options{Load: true})
	}
	if err != nil {
		return 0, err
	}
	return done.Refused, write(std.out, summary(in.name, done))
}

// load makes a ledger of a file, which is one only when it is closed.
func (c *importFlags) load(std stdio, in *seekable, opt db.Options) (done capture.Imported, err error) {
	opt.Origin = c.origin
	led, err := c.openWhole(opt)
	if err != nil {
		return done, err
	}
	done, err = c.file(std, led, in, opt.Restore)
	return done, errors.Join(err, led.Close())
}

// all adds files to a ledger.
func (c *importFlags) all(std stdio, inputs []*seekable) (refused uint64, err error) {
	led, err := c.openWhole(db.Options{})
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, led.Close()) }()
	for _, in := range inputs {
		done, err := c.file(std, led, in, false)
		if err != nil {
			return refused, err
		}
		refused += done.Refused
		if err := write(std.out, summary(in.name, done)); err != nil {
			return refused, err
		}
	}
	return refused, nil
}

// A seekable is an input that can be read again: a file, or what a pipe gave, which is
// kept in a temporary file.
type seekable struct {
	name string // as it was given
	*os.File
	temp bool
}

// size returns how many bytes there are, 0 if that is not known.
func (s *seekable) size() int64 {
	info, err := s.Stat()
	if err != nil {
		return 0
	}
	return info.Size()
}

func (s *seekable) close() {
	if s.temp {
		closeTemp(s.File)
		return
	}
	s.Close()
}

// openAll opens all files, before a ledger is made for nothing.
func openAll(std stdio, files []string) (inputs []*seekable, err error) {
	for _, file := range files {
		in, err := open(std, file)
		if err != nil {
			return inputs, err
		}
		s := &seekable{file, in.File, false}
		if info, err := in.Stat(); err != nil || !info.Mode().IsRegular() {
			temp, err := tempFile()
			if err != nil {
				return inputs, err
			}
			inputs = append(inputs, &seekable{file, temp, true})
			if _, err := io.Copy(temp, in); err != nil {
				return inputs, err
			}
			if _, err := temp.Seek(0, io.SeekStart); err != nil {
				return inputs, tempError(err)
			}
			in.Close()
			continue
		}
		inputs = append(inputs, s)
	}
	return inputs, nil
}

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

func (c *importFlags) file(std stdio, led *db.Ledger, in *seekable, restore bool) (capture.Imported, error) {
	file := in.name
	session := c.session
	if session == "" {
		session = strings.TrimSuffix(filepath.Base(file), filepath.Ext(file))
	}
	bar := newProgress(std.err, in.size())
	im := capture.Import{Restore: restore, Name: filepath.Base(file), Session: session, KeepGoing: c.keepGoing, Progress: bar.update,
		Refused: func(e *capture.LineError) {
			bar.clear()
			fmt.Fprintf(std.err, "%s: %s\n", file, query.Visible(e.Error()))
		}}
	ctx, stop := interruptible()
	defer stop()
	done, err := im.Run(ctx, led, in)
	bar.clear()
	if err != nil {
		err = fmt.Errorf("%s: %w", file, err)
	}
	return done, err
}

func summary(file string, done capture.Imported) string {
	s := fmt.Sprintf("%s: %d entries added", query.Visible(file), done.Added)
	if done.Known > 0 {
		s += fmt.Sprintf(", %d known", done.Known)
	}
	if done.Skipped > 0 {
		s += fmt.Sprintf(", %d bytes imported before", done.Skipped)
	}
	if done.Own > 0 {
		s += fmt.Sprintf(", %d of a ledger's own left out", done.Own)
	}
	if done.Refused > 0 {
		s += fmt.Sprintf(", %d lines refused", done.Refused)
	}
	return s + "\n"
}
