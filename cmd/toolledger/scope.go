package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"iter"
	"strings"

	"github.com/spf13/pflag"

	"toolledger/audit"
	"toolledger/capture"
	"toolledger/chain"
)

var scopeCommand = command{
	name:  "scope",
	args:  "FILE SCOPE",
	nargs: 2,
	short: "find calls that a policy refuses",
	long: `
FILE is a transcript, as for replay. SCOPE is a file with the agent's name and
the exact names of its tools:

  {"agent": "docs-reader", "allowed_tools": ["read_file", "list_dir", "search"]}

or with rules for many agents and roles, which look at arguments too:

  {"rules": [
    {"id": "read-docs", "allow": ["read_*"], "args": {"path": {"inside": "docs"}}},
    {"id": "no-secrets", "deny": ["*"], "args": {"path": {"glob": "*.env"}}}]}

A call that no rule allows, or that one denies, is refused. A transcript says
neither who made it nor in which role, which rules may ask for: --agent and --role
say so. 'toolledger help kql scope' is the same question to a ledger, Cedar too.

Exit status 1 if there are findings.`,
	example: `
$ toolledger scope session-dirty.jsonl scope.json
calls: 6
findings: 1
index 4: permission-overreach: tool 'write_file' is not in the declared scope for agent 'docs-reader'`,
	setup: func(flags *pflag.FlagSet) func(stdio, []string) error {
		agent := flags.String("agent", "", "`NAME` of the agent that made the calls, for rules")
		role := flags.String("role", "", "`NAME` of the role in which it did, for rules")
		return func(std stdio, args []string) error {
			return runScope(std, args[0], args[1], *agent, *role)
		}
	},
}

func runScope(std stdio, file, scopeFile, agent, role string) error {
	if file == "-" && scopeFile == "-" {
		return &usageError{msg: "scope: only one of FILE and SCOPE can be standard input"}
	}
	policy, err := readScope(std, scopeFile)
	if err != nil {
		return err
	}
	if _, ok := policy.(*audit.Scope); ok && (agent != "" || role != "") {
		return &usageError{msg: "scope: --agent and --role are for rules; a scope names its agent"}
	}
	in, err := open(std, file)
	if err != nil {
		return err
	}
	defer in.Close()
	read := 0
	of := audit.AccessOf(policy, agent, role)
	calls := capture.Transcript(in, false, capture.Each(of))
	return writeFindings(std.out, audit.Findings(policy, counted(calls, &read)), func() string {
		return fmt.Sprintf("calls: %d\n", read)
	})
}

// counted counts the calls that pass.
func counted(calls iter.Seq2[audit.Access, error], n *int) iter.Seq2[audit.Access, error] {
	return func(yield func(audit.Access, error) bool) {
		for c, err := range calls {
			if err == nil {
				*n++
			}
			if !yield(c, err) {
				return
			}
		}
	}
}

func readScope(std stdio, file string) (audit.Policy, error) {
	if strings.HasSuffix(file, ".cedar") {
		return nil, fmt.Errorf("%s: expected a scope or rules; Cedar policies are for the operator scope, see 'toolledger help kql scope'", file)
	}
	in, err := open(std, file)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	text, err := io.ReadAll(io.LimitReader(in, audit.MaxPolicy+1))
	if err != nil {
		return nil, err
	}
	if len(text) > audit.MaxPolicy {
		return nil, fmt.Errorf("%s: a scope of over %d MiB", file, audit.MaxPolicy>>20)
	}
	if audit.IsRules(text) {
		return audit.ParsePolicy(in.name, text)
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
