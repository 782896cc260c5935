package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"

	"github.com/spf13/pflag"

	"toolledger/audit"
	"toolledger/capture"
	"toolledger/db"
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
		flags.StringVar(&c.session, "session", "", "`NAME` of the session for calls that name none")
		flags.BoolVar(&c.keepGoing, "keep-going", false, "leave out lines that are refused")
		flags.StringVar(&c.origin, "origin", "", "`NAME` of a ledger that is created, as example.com/ledger/team-a")
		return c.run
	},
}

type importFlags struct {
	ledgerFlags
	session, origin string
	keepGoing       bool
}

func (c *importFlags) run(std stdio, files []string) (err error) {
	if len(files) == 0 {
		return &usageError{"import: expected FILE..., found 0 arguments; see 'toolledger help import'"}
	}
	for _, file := range files { // before a ledger is made for nothing
		in, err := open(std, file)
		if err != nil {
			return err
		}
		if file != "-" {
			in.Close()
		}
	}
	debug.SetGCPercent(40) // chunks are reused, so that a collection finds little
	restore, err := c.restores(std, files)
	if err != nil {
		return err
	}
	led, err := c.open(db.Options{Origin: c.origin, Restore: restore})
	if err != nil {
		if led != nil {
			led.Close()
		}
		return err
	}
	defer func() { err = errors.Join(err, led.Close()) }()
	refused := uint64(0)
	for _, file := range files {
		done, err := c.file(std, led, file, restore)
		if err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
		refused += done.Refused
		if err := write(std.out, summary(file, done)); err != nil {
			return err
		}
	}
	if refused > 0 {
		return errFound
	}
	return nil
}

// restores tells whether a whole export is imported into a ledger that does not exist:
// the first line of one begins like this.
func (c *importFlags) restores(std stdio, files []string) (bool, error) {
	if _, err := os.Stat(filepath.Join(c.dir, "CURRENT")); err == nil || len(files) != 1 || files[0] == "-" {
		return false, nil
	}
	in, err := open(std, files[0])
	if err != nil {
		return false, err
	}
	defer in.Close()
	first := make([]byte, 400)
	n, _ := io.ReadFull(in, first)
	return bytes.HasPrefix(first[:n], []byte(`{"digest":"`)) && bytes.Contains(first[:n], []byte(`"session":"`+db.OwnSession+`"`)), nil
}

func (c *importFlags) file(std stdio, led *db.Ledger, file string, restore bool) (capture.Imported, error) {
	in, err := open(std, file)
	if err != nil {
		return capture.Imported{}, err
	}
	defer in.Close()
	var seekable io.ReadSeeker = in
	if _, err := in.Seek(0, io.SeekCurrent); err != nil {
		temp, err := tempFile()
		if err != nil {
			return capture.Imported{}, err
		}
		defer closeTemp(temp)
		if _, err := io.Copy(temp, in); err != nil {
			return capture.Imported{}, err
		}
		if _, err := temp.Seek(0, io.SeekStart); err != nil {
			return capture.Imported{}, tempError(err)
		}
		seekable = temp
	}
	session := c.session
	if session == "" {
		session = strings.TrimSuffix(filepath.Base(file), filepath.Ext(file))
	}
	bar := newProgress(std.err, size(seekable))
	im := capture.Import{Restore: restore, Name: filepath.Base(file), Session: session, KeepGoing: c.keepGoing, Progress: bar.update,
		Refused: func(e *capture.LineError) {
			bar.clear()
			fmt.Fprintf(std.err, "%s: %s\n", file, audit.Visible(e.Error(), ""))
		}}
	ctx, stop := interruptible()
	defer stop()
	done, err := im.Run(ctx, led, seekable)
	bar.clear()
	return done, err
}

func size(f io.ReadSeeker) int64 {
	if s, ok := f.(interface{ Stat() (os.FileInfo, error) }); ok {
		if info, err := s.Stat(); err == nil {
			return info.Size()
		}
	}
	return 0
}

func summary(file string, done capture.Imported) string {
	s := fmt.Sprintf("%s: %d entries added", audit.Visible(file, ""), done.Added)
	if done.Known > 0 {
		s += fmt.Sprintf(", %d known", done.Known)
	}
	if done.Skipped > 0 {
		s += fmt.Sprintf(", %d bytes imported before", done.Skipped)
	}
	if done.Own > 0 {
		s += fmt.Sprintf(", %d of the other ledger's own left out", done.Own)
	}
	if done.Refused > 0 {
		s += fmt.Sprintf(", %d lines refused", done.Refused)
	}
	return s + "\n"
}
