package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/pflag"

	"toolledger/audit"
	"toolledger/capture"
	"toolledger/chain"
)

var scopeCommand = command{
	name:  "scope",
	args:  "FILE SCOPE",
	nargs: 2,
	short: "find calls of tools that an agent was not given",
	long: `
FILE is a transcript, as for replay. SCOPE is a file with the agent's name and
the exact names of its tools:

  {"agent": "docs-reader", "allowed_tools": ["read_file", "list_dir", "search"]}

Exit status 1 if there are findings.`,
	example: `
$ toolledger scope session-dirty.jsonl scope.json
calls: 6
findings: 1
index 4: permission-overreach: tool 'write_file' is not in the declared scope for agent 'docs-reader'`,
	setup: func(*pflag.FlagSet) func(stdio, []string) error {
		return func(std stdio, args []string) error {
			return runScope(std, args[0], args[1])
		}
	},
}

func runScope(std stdio, file, scopeFile string) error {
	if file == "-" && scopeFile == "-" {
		return &usageError{"scope: only one of FILE and SCOPE can be standard input"}
	}
	scope, err := readScope(std, scopeFile)
	if err != nil {
		return err
	}
	in, err := open(std, file)
	if err != nil {
		return err
	}
	defer in.Close()
	calls := capture.Transcript(in, false, capture.Each(func(c *chain.Call) audit.Call {
		return audit.Call{Index: c.Index, Tool: c.Tool}
	}))
	return writeFindings(std.out, scope.Findings(calls), func() string {
		return fmt.Sprintf("calls: %d\n", scope.Calls)
	})
}

func readScope(std stdio, file string) (*audit.Scope, error) {
	in, err := open(std, file)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	text, err := io.ReadAll(io.LimitReader(in, capture.MaxLine+1))
	if err != nil {
		return nil, err
	}
	if len(text) > capture.MaxLine {
		return nil, fmt.Errorf("%s: a scope of over 64 MiB", file)
	}
	scope, err := audit.ParseScope(text)
	var syntax *chain.SyntaxError
	switch {
	case errors.As(err, &syntax):
		line := 1 + bytes.Count(text[:syntax.Offset], []byte("\n"))
		return nil, fmt.Errorf("%s: line %d: %w", in.name, line, err)
	case err != nil:
		return nil, fmt.Errorf("%s: %w", in.name, err)
	}
	return scope, nil
}
