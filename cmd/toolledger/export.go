package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"

	"github.com/spf13/pflag"

	"toolledger/chain"
	"toolledger/db"
	"toolledger/query"
)

var exportCommand = command{
	name:  "export",
	args:  "[DIR]",
	nargs: -1,
	short: "write the entries of a ledger as lines that stand alone",
	long: `
Each line has an entry with what it takes to check it without the ledger: digest,
the digest before it in its session, salt, and place in the ledger. 'verify FILE'
checks such lines.

An export of everything is a backup: imported into a ledger that does not exist it
makes the same one, with the same digests and root.

Lines to be shown to others can do without some values: with --without /args/path they
have the commitment to that member of args in its place, and still verify. Which members
there were is seen, what they were is not to be guessed. Of a value that has one
commitment, as a context has, all goes.

With --checkpoint, the first line is the last checkpoint, and each other has the proof
that it is under that; entries behind it are left out. 'verify FILE --key VKEY' checks the
signature too. That lines were left out is not seen.

Format tiles writes the files of C2SP tlog-tiles into DIR: the checkpoint, the tree, and
the headers of all entries, without a value of the payload. Any client of that standard
can audit them. Written again, what is new is added.`,
	example: `
$ toolledger export -l my.ledger > backup.jsonl`,
	setup: func(flags *pflag.FlagSet) func(stdio, []string) error {
		var c exportFlags
		c.declare(flags)
		flags.StringVar(&c.session, "session", "", "only the session of that `NAME`")
		flags.StringVar(&c.since, "since", "", "only entries from that `TIME` on, as 2026-01-02T15:04:05Z")
		flags.StringVar(&c.until, "until", "", "only entries before that `TIME`")
		flags.StringArrayVar(&c.without, "without", nil, "leave out the values at and below a `POINTER`, as /args/path or /reasoning; may be repeated")
		flags.StringVar(&c.format, "format", "evidence", "`FORMAT`: evidence, toolreplay for the calls of one session, or tiles into a folder")
		flags.BoolVar(&c.checkpoint, "checkpoint", false, "with the last checkpoint, and proofs that lead to it")
		return c.run
	},
}

type exportFlags struct {
	ledgerFlags
	session, since, until, format string
	without                       []string
	checkpoint                    bool
}

func (c *exportFlags) run(std stdio, args []string) error {
	if c.format == "tiles" {
		return c.tiles(std, args)
	}
	if len(args) > 0 {
		return &usageError{msg: fmt.Sprintf("export: expected no arguments, found %s; --format tiles takes a folder", count(len(args)))}
	}
	r := db.Range{Session: c.session}
	for _, bound := range []struct {
		flag, text string
		to         **chain.Time
	}{{"since", c.since, &r.Since}, {"until", c.until, &r.Until}} {
		if bound.text == "" {
			continue
		}
		t, err := chain.ParseTime([]byte(bound.text))
		if err != nil {
			return &usageError{msg: fmt.Sprintf("export: --%s: %v, found %q", bound.flag, err, bound.text)}
		}
		*bound.to = &t
	}
	if c.format != "evidence" && c.format != "toolreplay" || c.format == "toolreplay" && c.session == "" {
		return &usageError{msg: "export: --format: expected evidence, toolreplay with --session NAME, or tiles"}
	}
	for _, p := range c.without {
		if err := chain.CheckPointer(p); err != nil {
			return &usageError{msg: "export: --without: " + err.Error()}
		}
	}
	if (len(c.without) > 0 || c.checkpoint) && c.format == "toolreplay" {
		return &usageError{msg: "export: --without and --checkpoint are for format evidence: a line of toolreplay cannot do without a value, and proves nothing"}
	}
	return c.read(func(ctx context.Context, led *db.Ledger, damage error) error {
		return c.export(ctx, std, led, damage, r)
	})
}

func (c *exportFlags) export(ctx context.Context, std stdio, led *db.Ledger, damage error, r db.Range) error {
	s, err := led.Snapshot()
	if err != nil {
		return errors.Join(damage, err)
	}
	defer s.Close()
	if c.session != "" {
		if _, err := s.Session(c.session); errors.Is(err, db.ErrNotFound) {
			return fmt.Errorf("no session %q in %s", c.session, c.dir)
		} else if err != nil {
			return err
		}
	}
	out := bufio.NewWriterSize(std.out, 256<<10)
	prove := func(*chain.Evidence) error { return nil }
	if c.checkpoint {
		signed, err := s.Checkpoint("")
		if err != nil {
			return errors.Join(damage, err)
		}
		r.To = signed.Size
		prove = func(e *chain.Evidence) (err error) {
			e.Proof, err = chain.Prove(e.Seq, signed.Size, s)
			return err
		}
		if _, err := out.Write(append(chain.AppendCheckpointLine(nil, signed.Note), '\n')); err != nil {
			return outputError(err)
		}
	}
	var line []byte
	calls := uint64(0)
	for e, err := range s.Evidence(ctx, r) {
		if err == nil {
			err = prove(e)
		}
		if err != nil {
			out.Flush()
			return errors.Join(damage, err)
		}
		if e.Entry.SessionName() != db.OwnSession { // whose payload is never removed
			e.Remove(c.without...)
		}
		if line = e.Append(line[:0]); c.format == "toolreplay" {
			line, calls = appendCall(line[:0], &e.Entry, calls)
		}
		if len(line) == 0 {
			continue
		}
		if _, err := out.Write(append(line, '\n')); err != nil {
			return outputError(err)
		}
	}
	if err := out.Flush(); err != nil {
		return outputError(err)
	}
	return damage
}

// tiles writes the files of tlog-tiles.
func (c *exportFlags) tiles(std stdio, args []string) error {
	if len(args) != 1 || c.session != "" || c.since != "" || c.until != "" || len(c.without) > 0 {
		return &usageError{msg: "export: --format tiles: expected DIR, and no selection: a tree is whole"}
	}
	return c.read(func(ctx context.Context, led *db.Ledger, damage error) error {
		s, err := led.Snapshot()
		if err != nil {
			return errors.Join(damage, err)
		}
		defer s.Close()
		signed, err := s.WriteTiles(ctx, args[0], "")
		if err != nil {
			return errors.Join(damage, err)
		}
		return errors.Join(write(std.out, fmt.Sprintf("tiles: %d entries of %s\n", signed.Size, query.Visible(signed.Origin))), damage)
	})
}

// appendCall appends the transcript line of an entry that has a response; calls is how
// many came before.
func appendCall(dst []byte, e *chain.Entry, calls uint64) ([]byte, uint64) {
	if e[chain.Response] == nil {
		return dst, calls
	}
	object := func(v []byte) []byte {
		if v == nil {
			return []byte("{}")
		}
		if v[0] != '{' {
			return append(append([]byte(`{"value":`), v...), '}')
		}
		return v
	}
	tool := e[chain.Tool]
	if tool == nil {
		tool = []byte(`""`)
	}
	dst = fmt.Appendf(dst, `{"args":%s,"index":%d,"response":%s,"tool":%s}`, object(e[chain.Args]), calls, object(e[chain.Response]), tool)
	return dst, calls + 1
}
