package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/pflag"

	"toolledger/capture"
	"toolledger/chain"
	"toolledger/db"
)

var appendCommand = command{
	name:  "append",
	args:  "[ENTRY]",
	nargs: -1,
	short: "add one entry, or lines from standard input, to a ledger",
	long: `
ENTRY is one entry in JSON. Without it, each line of standard input is one, and is
durable before the next is read. A receipt is printed for each: session, index,
place in the ledger, digest and the time at which the ledger took it. A ledger that
does not exist is created.`,
	example: `
$ toolledger append -l my.ledger '{"session":"s1","tool":"ls","args":{"path":"docs"}}'`,
	setup: func(flags *pflag.FlagSet) func(stdio, []string) error {
		var f ledgerFlags
		f.declare(flags)
		f.declareOrigin(flags)
		return func(std stdio, args []string) error { return f.append(std, args) }
	},
}

func (f *ledgerFlags) append(std stdio, args []string) (err error) {
	var in io.Reader = std.in
	switch {
	case len(args) > 1:
		return &usageError{msg: fmt.Sprintf("append: expected one ENTRY, or none and lines on standard input, found %d", len(args))}
	case len(args) == 1:
		in = strings.NewReader(args[0])
	}
	led, err := f.openWhole(db.Options{})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, led.Close()) }()
	ctx, stop := interruptible()
	defer stop()
	lines := readLines(ctx, in)
	for number := 1; ; number++ {
		var line []byte
		var end error
		select {
		case l := <-lines:
			line, end = l.text, l.err
		case <-ctx.Done():
			return ctx.Err()
		}
		if strings.TrimSpace(string(line)) != "" {
			if err := appendLine(ctx, led, std.out, line); err != nil {
				if len(args) == 1 {
					return err
				}
				return &capture.LineError{Number: number, Err: err}
			}
		}
		if end == io.EOF {
			return ctx.Err()
		}
		if end != nil {
			return fmt.Errorf("cannot read standard input: %w", cause(end))
		}
	}
}

// A textLine is a line, and the error that ended it.
type textLine struct {
	text []byte
	err  error
}

// readLines reads lines one ahead, in a goroutine of its own: an interrupt must end a
// wait for standard input, which nothing else ends.
func readLines(ctx context.Context, in io.Reader) <-chan textLine {
	lines := make(chan textLine)
	r := bufio.NewReaderSize(in, 1<<16)
	go func() {
		for {
			text, err := readLine(r)
			select {
			case lines <- textLine{text, err}:
			case <-ctx.Done():
				return
			}
			if err != nil {
				return
			}
		}
	}()
	return lines
}

// readLine reads a line; one that is too long for an entry is cut where that shows.
func readLine(r *bufio.Reader) (line []byte, err error) {
	for {
		part, err := r.ReadSlice('\n')
		line = append(line, part...)
		if err != bufio.ErrBufferFull || len(line) > 2*capture.MaxLine {
			return line, err
		}
	}
}

func appendLine(ctx context.Context, led *db.Ledger, out io.Writer, line []byte) error {
	receipts, err := led.AppendJSON(ctx, line)
	if err != nil {
		return err
	}
	r := receipts[0]
	return write(out, fmt.Sprintf(`{"session":%s,"index":%d,"seq":%d,"digest":"%x","recorded":"%s"}`+"\n", chain.Quote(r.Session), r.Index, r.Seq, r.Digest[:], r.Recorded))
}
