package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/pflag"

	"toolledger/audit"
	"toolledger/query"
)

// helpCommand is a function where the other commands are values: it reads the
// table in which it stands itself.
func helpCommand() command {
	return command{
		name:  "help",
		args:  "[COMMAND | kql [NAME]]",
		nargs: -1,
		short: "explain a command, or list them, or the query language",
		long: `
kql is the manual of the query language, kql NAME an operator, a function or an
aggregation of it.`,
		example: `
$ toolledger help kql strlen
function strlen

    strlen(text)
    How many characters (code points) a text has.

Example:
    strlen("café") == 4`,
		setup: func(*pflag.FlagSet) func(stdio, []string) error { return runHelp },
	}
}

func runHelp(std stdio, args []string) error {
	switch len(args) {
	case 0:
		return writeOverview(std.out)
	case 1:
		if args[0] == "kql" {
			return write(std.out, query.Manual(audit.Operators(nil, nil)...))
		}
		c, err := lookup(args[0])
		if err != nil {
			return err
		}
		return writeHelp(std.out, c)
	}
	if len(args) == 2 && args[0] == "kql" {
		text, err := query.Help(args[1], audit.Operators(nil, nil)...)
		if err != nil {
			return &usageError{msg: "help: " + err.Error() + "; 'toolledger help kql' has them all"}
		}
		return write(std.out, text)
	}
	return &usageError{msg: fmt.Sprintf("help: expected one command, or kql and a name, found %d", len(args))}
}

func writeOverview(w io.Writer) error {
	var b strings.Builder
	b.WriteString("toolledger audits the tool calls of AI agents.\n\nUsage: toolledger COMMAND [FLAGS] [ARGUMENTS]\n\n")
	for _, c := range commands() {
		usage := strings.TrimSpace(c.name + " " + c.args)
		if len(usage) > 22 {
			fmt.Fprintf(&b, "  %s\n", usage)
			usage = ""
		}
		fmt.Fprintf(&b, "  %-22s %s\n", usage, c.short)
	}
	b.WriteString(`
'toolledger help COMMAND' explains one, with an example; 'toolledger help kql' the
query language. FILE may be -, which is standard input. Results go to standard
output, everything else to standard error.

Exit status: 0 nothing found, 1 findings or a broken transcript, 2 could not run,
3 a ledger or an export that does not verify, 130 interrupted, 141 the reader of
a pipe went away.
`)
	return write(w, b.String())
}

func writeHelp(w io.Writer, c command) error {
	var b strings.Builder
	flags := pflag.NewFlagSet(c.name, pflag.ContinueOnError)
	flags.SortFlags = false
	c.setup(flags)
	usage := "Usage: toolledger " + c.name
	if flags.HasFlags() {
		usage += " [FLAGS]"
	}
	fmt.Fprintf(&b, "%s: %s\n\n%s\n", c.name, c.short, strings.TrimSpace(usage+" "+c.args))
	if c.long != "" {
		fmt.Fprintf(&b, "\n%s\n", strings.TrimSpace(c.long))
	}
	if flags.HasFlags() {
		fmt.Fprintf(&b, "\nFlags:\n%s", flags.FlagUsages())
	}
	fmt.Fprintf(&b, "\nExample:\n")
	for line := range strings.Lines(strings.TrimSpace(c.example) + "\n") {
		b.WriteString("  " + line)
	}
	return write(w, b.String())
}
