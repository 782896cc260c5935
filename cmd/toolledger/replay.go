package main

import (
	"fmt"
	"strings"

	"github.com/spf13/pflag"

	"toolledger/audit"
	"toolledger/capture"
)

var replayCommand = command{
	name:  "replay",
	args:  "FILE",
	nargs: 1,
	short: "find redundant calls and non-determinism in a transcript",
	long: `
FILE is a transcript: JSON Lines, each line one call with the members index (0,
then one more each), tool, args and response. Calls are identical if tool and
args are, whatever the order of members and the white space.

  redundant-call   the call before it is identical and changes no state
  non-determinism  the response differs from that of the first identical call

Exit status 1 if there are findings.`,
	example: `
$ toolledger replay session-dirty.jsonl
calls: 6
divergence: index 5
findings: 2
index 2: redundant-call: tool 'read_file' repeats the identical call at index 1 with no state change between them
index 5: non-determinism: tool 'search' returned a different response than the identical call at index 3`,
	setup: func(flags *pflag.FlagSet) func(stdio, []string) error {
		lists := flags.StringArray("mutating", nil, "tools that change state, `NAME,…` in place of "+
			strings.Join(audit.DefaultMutating, ",")+"; or +NAME,… beside them")
		return func(std stdio, args []string) error {
			return runReplay(std, args[0], *lists)
		}
	},
}

func runReplay(std stdio, file string, lists []string) error {
	var split [][]string
	for _, list := range lists {
		split = append(split, strings.Split(list, ","))
	}
	mutating, err := audit.Mutating(split...)
	if err != nil {
		return &usageError{msg: "replay: --mutating: " + err.Error()}
	}
	in, err := open(std, file)
	if err != nil {
		return err
	}
	defer in.Close()
	replay := audit.NewReplay(mutating)
	calls := capture.Transcript(in, false, capture.Each(audit.NewFingerprinter().Call))
	return writeFindings(std.out, replay.Findings(calls), func() string {
		divergence := "none"
		if replay.Divergence != nil {
			divergence = fmt.Sprintf("index %d", *replay.Divergence)
		}
		return fmt.Sprintf("calls: %d\ndivergence: %s\n", replay.Calls, divergence)
	})
}
