package main

import (
	"errors"
	"fmt"
	"os"
	"runtime/debug"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/spf13/pflag"

	"toolledger/query"
	"toolledger/shell"
)

// settingsFlags are the flags of the commands that run queries.
type settingsFlags struct {
	format, color  string
	params         params
	memory         int64
	csvSafe, timer bool
}

// maxMemory is the most that --memory takes: 1 PiB.
const maxMemory = 1 << 30

func (f *settingsFlags) declare(flags *pflag.FlagSet) {
	flags.StringVar(&f.format, "format", "", "`FORMAT` of results: "+formatNames())
	f.params = params{}
	flags.Var(f.params, "param", "`NAME=VALUE` of declare query_parameters")
	flags.Int64Var(&f.memory, "memory", 1<<10, "`MiB` that a query may use")
	flags.StringVar(&f.color, "color", "auto", "colours: `WHEN` is auto, for a terminal unless NO_COLOR is set, always or never")
	flags.BoolVar(&f.csvSafe, "csv-safe", false, "in csv and tsv, put a quote before text that a spreadsheet would take for a formula")
	flags.BoolVar(&f.timer, "timer", false, "say on standard error what each query cost: rows, entries scanned and skipped, time")
}

// settings returns what the flags of a command say.
func (f *settingsFlags) settings(command string, std stdio) (shell.Settings, error) {
	switch {
	case f.memory < 1 || f.memory > maxMemory:
		return shell.Settings{}, &usageError{msg: fmt.Sprintf("%s: --memory: expected 1 to %d MiB, found %d", command, maxMemory, f.memory)}
	case f.format != "" && query.FormatNamed(f.format) == nil:
		return shell.Settings{}, &usageError{msg: fmt.Sprintf("%s: --format: expected one of %s, found %q", command, formatNames(), f.format)}
	case !slices.Contains([]string{"auto", "always", "never"}, f.color):
		return shell.Settings{}, &usageError{msg: fmt.Sprintf("%s: --color: expected auto, always or never, found %q", command, f.color)}
	}
	// Columns make garbage and little of it stays, so that collecting late is faster; but
	// where operators hold what they may, memory must not be a multiple of that. The limit is
	// of what the runtime knows: the program and the ledger's mapped tables come on top.
	collectAt(200)
	debug.SetMemoryLimit(f.memory<<20 + 96<<20)
	return shell.Settings{Format: f.format, Params: f.params, Memory: f.memory << 20, Timer: f.timer, Color: inColor(f.color, std.out),
		CSVSafe: f.csvSafe, Pager: pagerCommand()}, nil
}

// pagerCommand is what shows long results to a person.
func pagerCommand() string {
	if p, set := os.LookupEnv("PAGER"); set {
		return p
	}
	return shell.DefaultPager
}

func formatNames() string {
	var names []string
	for _, f := range query.Formats() {
		names = append(names, f.Name)
	}
	return strings.Join(names, ", ")
}

// params are the values of --param. Each is whole: what stands in one is never a second.
type params map[string]string

func (p params) String() string { return "" }
func (p params) Type() string   { return "NAME=VALUE" }

func (p params) Set(text string) error {
	name, value, ok := strings.Cut(text, "=")
	switch {
	case !ok || name == "":
		return errors.New("expected NAME=VALUE")
	case !utf8.ValidString(text):
		return errors.New("expected UTF-8")
	}
	if _, twice := p[name]; twice {
		return fmt.Errorf("%s has a value already", name)
	}
	p[name] = value
	return nil
}
