// Command toolledger audits the tool calls of AI agents. 'toolledger help' lists
// what it does.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/spf13/pflag"

	"toolledger/audit"
	"toolledger/query"
	"toolledger/shell"
)

const version = "0.1.0"

// A command is one row of the table below: help, suggestions and the run itself
// come from it.
type command struct {
	name    string
	args    string // what follows the flags, as FILE
	nargs   int
	short   string // one line
	long    string // paragraphs
	example string // a session: what is typed, what comes
	// setup declares the flags and returns what runs once they are parsed.
	setup func(*pflag.FlagSet) func(stdio, []string) error
}

// commands in the order in which help lists them.
func commands() []command {
	return []command{replayCommand, scopeCommand, sealCommand, verifyCommand, importCommand, formatsCommand, appendCommand, exportCommand, statCommand, checkCommand, recoverCommand, rekeyCommand, keygenCommand, checkpointCommand, proveCommand, checkProofCommand, redactCommand, pruneCommand, vacuumCommand, queryCommand, shellCommand, rulesCommand, versionCommand, completionCommand(), helpCommand()}
}

// stdio is what a command reads and writes. Results go to out alone.
type stdio struct {
	in       *os.File
	out, err io.Writer
}

// errFound ends a command that ran and found something: exit status 1.
var errFound = errors.New("found something")

// A usageError is a command line that cannot be understood.
type usageError struct {
	msg  string
	help string // the command whose help has more, "" if none has
}

func (e *usageError) Error() string {
	if e.help == "" {
		return e.msg
	}
	return e.msg + "; see 'toolledger help " + e.help + "'"
}

func main() {
	// The commands make little garbage but for the buffers of long lines, so that
	// collecting early costs nothing and keeps two generations of those apart.
	collectAt(20)
	os.Exit(run(stdio{os.Stdin, os.Stdout, os.Stderr}, os.Args[1:]))
}

// run returns the exit status: 0 done and nothing found, 1 found something,
// 2 could not run, 3 something is broken. Signals keep their own, 130 for an interrupt and 141 where
// the reader of a pipe went away.
func run(std stdio, args []string) int {
	err := dispatch(std, args)
	var quit *shell.QuitError
	switch {
	case err == nil:
		return 0
	case errors.As(err, &quit):
		return quit.Status
	case errors.Is(err, errFound):
		return 1
	case errors.Is(err, errBroken):
		return 3
	case errors.Is(err, context.Canceled):
		return 130
	}
	if told := (*shell.ToldError)(nil); !errors.As(err, &told) {
		for _, text := range errorTexts(err) {
			fmt.Fprintf(std.err, "error: %s\n", text)
		}
	}
	writeFork(std.err, err)
	if isDamaged(err) || isDisproved(err) {
		return 3
	}
	return 2
}

// errorTexts returns what is wrong, one by one: with a query, or with files of rules.
func errorTexts(err error) (texts []string) {
	if faults, ok := err.(audit.RuleFaults); ok {
		for _, f := range faults {
			texts = append(texts, f.Error())
		}
		return texts
	}
	for _, e := range shell.OneByOne(err) {
		texts = append(texts, shell.Line(e))
	}
	return texts
}

func dispatch(std stdio, args []string) error {
	if len(args) == 0 {
		return &usageError{msg: "expected a command; 'toolledger help' lists them"}
	}
	name := args[0]
	switch name {
	case "-h", "--help":
		name = "help"
	case "--version":
		name = "version"
	}
	c, err := lookup(name)
	if err != nil {
		return err
	}
	flags, do := c.flags()
	if err := c.parse(flags, args[1:]); errors.Is(err, pflag.ErrHelp) {
		return writeHelp(std.out, c)
	} else if err != nil {
		return err
	}
	return do(std, flags.Args())
}

// flags returns the flags of a command and what runs once they are parsed.
func (c *command) flags() (*pflag.FlagSet, func(stdio, []string) error) {
	flags := pflag.NewFlagSet(c.name, pflag.ContinueOnError)
	flags.SetOutput(io.Discard)
	flags.SortFlags = false
	return flags, c.setup(flags)
}

// parse parses the arguments of a command. Its error is pflag.ErrHelp or a *usageError.
func (c *command) parse(flags *pflag.FlagSet, args []string) error {
	if err := flags.Parse(args); errors.Is(err, pflag.ErrHelp) {
		return err
	} else if err != nil {
		return &usageError{msg: c.name + ": " + err.Error() + didYouMean(flags, err), help: c.name}
	}
	if c.nargs >= 0 && flags.NArg() != c.nargs {
		return &usageError{msg: fmt.Sprintf("%s: expected %s, found %s", c.name, orNothing(c.args), count(flags.NArg())), help: c.name}
	}
	return nil
}

func orNothing(args string) string {
	if args == "" {
		return "no arguments"
	}
	return args
}

func count(arguments int) string {
	if arguments == 1 {
		return "1 argument"
	}
	return fmt.Sprint(arguments, " arguments")
}

func lookup(name string) (command, error) {
	var names []string
	for _, c := range commands() {
		if c.name == name {
			return c, nil
		}
		names = append(names, c.name)
	}
	msg := fmt.Sprintf("no command %q", name)
	if near := query.Nearest(name, names); near != "" {
		msg += fmt.Sprintf(", did you mean %q?", near)
	}
	return command{}, &usageError{msg: msg + " ('toolledger help' lists them)"}
}

// didYouMean names the flag nearest to one that does not exist.
func didYouMean(flags *pflag.FlagSet, err error) string {
	var none *pflag.NotExistError
	if !errors.As(err, &none) {
		return ""
	}
	var names []string
	flags.VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) })
	if near := query.Nearest(none.GetSpecifiedName(), names); near != "" {
		return ", did you mean --" + near + "?"
	}
	return ""
}
