package main

import (
	"fmt"

	"github.com/spf13/pflag"

	"toolledger/audit"
	"toolledger/capture"
	"toolledger/chain"
)

var verifyCommand = command{
	name:  "verify",
	args:  "FILE",
	nargs: 1,
	short: "check the chain of a sealed transcript",
	long: `
FILE is what seal wrote, or ToolReplay. Recomputes every digest and names the
first link that does not hold: expected is what the record as it stands gives,
found what the file says.

Exit status 1 if the chain is broken.`,
	example: `
$ toolledger verify tampered.jsonl
chain: broken
first broken link: index 3
expected: 34d19a9dfb112baa07afa37994ddcbbebe2973674385f3942340653d08d205bd
found: 40aadf3b8156217f0b5b1d95010b6b79f82a26ccf5e780aed0f5f311f865028a`,
	setup: func(*pflag.FlagSet) func(stdio, []string) error {
		return func(std stdio, args []string) error {
			return runVerify(std, args[0])
		}
	},
}

func runVerify(std stdio, file string) error {
	in, err := open(std, file)
	if err != nil {
		return err
	}
	defer in.Close()
	verifier := chain.NewVerifier()
	for link, err := range capture.Transcript(in, true, capture.Each(chain.NewLink)) {
		if err != nil {
			return err
		}
		verifier.Check(link)
	}
	broken := verifier.Broken()
	if broken == nil {
		return write(std.out, "chain: intact\n")
	}
	err = write(std.out, fmt.Sprintf("chain: broken\nfirst broken link: index %d\nexpected: %s\nfound: %s\n",
		broken.Index, broken.Want, audit.Visible(broken.Got, "")))
	if err != nil {
		return err
	}
	return errFound
}
