package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/pflag"

	"toolledger/chain"
	"toolledger/db"
)

var exportCommand = command{
	name:  "export",
	nargs: 0,
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
commitment, as a context has, all goes.`,
	example: `
$ toolledger export -l my.ledger > backup.jsonl`,
	setup: func(flags *pflag.FlagSet) func(stdio, []string) error {
		var c exportFlags
		c.declare(flags)
		flags.StringVar(&c.session, "session", "", "only the session of that `NAME`")
		flags.StringVar(&c.since, "since", "", "only entries from that `TIME` on, as 2026-01-02T15:04:05Z")
		flags.StringVar(&c.until, "until", "", "only entries before that `TIME`")
		flags.StringArrayVar(&c.without, "without", nil, "leave out the values at and below a `POINTER`, as /args/path or /reasoning; may be repeated")
		flags.StringVar(&c.format, "format", "evidence", "`FORMAT` of the lines: evidence, or toolreplay for the calls of one session")
		return c.run
	},
}

type exportFlags struct {
	ledgerFlags
	session, since, until, format string
	without                       []string
}

func (c *exportFlags) run(std stdio, _ []string) error {
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
		return &usageError{msg: "export: --format: expected evidence, or toolreplay with --session NAME"}
	}
	for _, p := range c.without {
		name, _, _ := strings.Cut(strings.TrimPrefix(p, "/"), "/")
		if m, ok := chain.MemberOf(name); !strings.HasPrefix(p, "/") || !ok || !m.IsPayload() {
			return &usageError{msg: fmt.Sprintf("export: --without: expected a pointer into args, context, metadata, prompt, reasoning or response, as /args/path, found %q", p)}
		}
	}
	if len(c.without) > 0 && c.format == "toolreplay" {
		return &usageError{msg: "export: --without: a line of format toolreplay cannot do without a value"}
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
	var line []byte
	calls := uint64(0)
	for e, err := range s.Evidence(ctx, r) {
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
