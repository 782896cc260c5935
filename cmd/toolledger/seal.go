package main

import (
	"bufio"
	"fmt"

	"github.com/spf13/pflag"

	"toolledger/capture"
	"toolledger/chain"
)

var sealCommand = command{
	name:  "seal",
	args:  "FILE",
	nargs: 1,
	short: "chain the calls of a transcript, so that a change shows",
	long: `
Writes each call of the transcript FILE with two more members, digest and prev,
the digest of the call before it. Keep the last digest where whoever can write
the file cannot: a chain alone does not show that its end was cut off.

All of FILE is read before the first line is written, so that a transcript with
an error gives no output. A pipe is kept in a temporary file meanwhile.`,
	example: `
$ toolledger seal session.jsonl > sealed.jsonl`,
	setup: func(*pflag.FlagSet) func(stdio, []string) error {
		return func(std stdio, args []string) error {
			return runSeal(std, args[0])
		}
	},
}

func runSeal(std stdio, file string) error {
	in, err := open(std, file)
	if err != nil {
		return err
	}
	twice, err := newReplayable(in)
	if err != nil {
		in.Close()
		return err
	}
	defer twice.close()
	for _, err := range capture.Transcript(twice, false, sealable) {
		if err != nil {
			return err
		}
	}
	again, err := twice.again()
	if err != nil {
		return err
	}
	out := bufio.NewWriterSize(std.out, 256<<10)
	sealer := chain.NewSealer()
	for c, err := range capture.Transcript(again, false, capture.Each(func(c *chain.Call) chain.Call { return *c })) {
		if err != nil {
			return fmt.Errorf("%s was changed while it was read, what was written is no seal of it: %w", in.name, err)
		}
		if err := sealer.Seal(out, &c); err != nil {
			return outputError(err)
		}
	}
	if err := out.Flush(); err != nil {
		return outputError(err)
	}
	if twice.changed() {
		return fmt.Errorf("%s was changed while it was read, what was written is no seal of it", in.name)
	}
	return nil
}

// sealable refuses a call whose sealed line could not be read again.
func sealable(c *chain.Call) (struct{}, error) {
	if n := c.SealedSize(); n > capture.MaxLine {
		return struct{}{}, fmt.Errorf("sealed, it has %d bytes, more than the %d (64 MiB) that a line may have", n, capture.MaxLine)
	}
	return struct{}{}, nil
}
