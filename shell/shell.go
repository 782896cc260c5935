package shell

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"toolledger/query"
)

// A Ledger is what queries are asked of; a caller opens it. Its methods are called by one
// goroutine at a time.
type Ledger interface {
	// Name is what the prompt shows, "" where there is no ledger.
	Name() string
	// Banner returns lines that say what is open.
	Banner() []string
	// Language returns a language whose tables are those of a snapshot, which lasts until
	// release. safe forbids it to read files.
	Language(opt query.Options, safe bool) (lang *query.Language, release func(), err error)
	// Entries is how many entries there are, for showing how far a query is.
	Entries() int64
}

// A Config says what a shell does.
type Config struct {
	Ledger   Ledger
	Commands []Command // beside the shell's own
	Out, Err io.Writer
	Terminal bool                       // results go to a person
	Progress bool                       // what is beside them does: Err is a terminal
	Size     func() (columns, rows int) // of the terminal; nil: 80 columns, and no pager
	Settings Settings
	Continue bool   // a script goes on behind a fault
	Safe     bool   // nothing is written, no program is run, no file is named
	History  string // its file, "" for none
	Opens    string // how a ledger is named where there is none, as "-l DIR names"
}

// Settings are what .format, .timer and the others change, and the flags of query.
type Settings struct {
	Format  string // "": table on a terminal, else jsonl
	Params  map[string]string
	Memory  int64 // bytes a query may hold; 0: 1 GiB
	MaxRows int64 // 0: all
	Timer   bool
	Color   bool
	CSVSafe bool
	NoHead  bool
	Null    string
	Width   int    // 0: that of the terminal
	Pager   string // "": none
}

// A Shell reads statements and answers them.
type Shell struct {
	Config
	interrupts interrupts
	input      Input // nil in a script
	output     target
	lets       []query.Let
	pending    string   // of the statement that is being typed
	last       string   // the last statement
	reading    []string // the scripts that are being read, the outer ones first
	values     values
	answers    int  // to queries so far
	found      bool // the last query had a row
	broken     bool // a query found what does not verify
}

// New returns a shell.
func New(c Config) *Shell { return &Shell{Config: c} }

// Found tells whether the last query had a row.
func (s *Shell) Found() bool { return s.found }

// Typed tells whether somebody types the statements.
func (s *Shell) Typed() bool { return s.input != nil }

// Broken tells whether a query found what does not verify.
func (s *Shell) Broken() bool { return s.broken }

// Answers is how many queries were answered.
func (s *Shell) Answers() int { return s.answers }

// A QuitError ends a shell.
type QuitError struct{ Status int }

func (e *QuitError) Error() string { return fmt.Sprintf("quit with status %d", e.Status) }

// Interact reads statements from an input until it ends. Its error is a *QuitError, or that
// of the input.
func (s *Shell) Interact(in Input) error {
	s.input = in
	_, s.interrupts.plain = in.(*plain)
	defer func() { s.input = nil }()
	defer s.interrupts.listen(func(status int) {
		in.Close()
		os.Exit(status)
	}, func(text string) { io.WriteString(s.Err, text) })()
	in.Complete(s.complete)
	s.loadHistory()
	s.readAhead()
	defer s.stopReading()
	for {
		prompt := s.prompt()
		s.interrupts.show(prompt)
		line, err := in.Line(prompt)
		s.interrupts.show("")
		switch {
		case errors.Is(err, ErrAborted):
			if s.interrupts.came() {
				return &QuitError{130}
			}
			s.pending = ""
			continue
		case errors.Is(err, io.EOF) && s.pending == "":
			s.say("")
			return nil
		case err != nil && !errors.Is(err, io.EOF):
			return err
		}
		var quit *QuitError
		if err := s.take(line, err != nil); errors.As(err, &quit) {
			return quit
		} else if err != nil {
			s.report(err)
		}
	}
}

// workingSpace is how many columns a line needs beside the name in its prompt: with fewer than
// ten behind the prompt, the terminal's library edits no line.
const workingSpace = 12

// prompt is the name of the ledger, and what of a statement is open.
func (s *Shell) prompt() string {
	name := "toolledger"
	if n := s.Ledger.Name(); n != "" {
		name = query.Visible(n)
	}
	columns, _ := s.size()
	name = query.Cut(name, max(1, min(30, columns-workingSpace)))
	if s.pending == "" {
		return name + "> "
	}
	_, open := query.Ended(s.pending)
	if open == "" {
		open = "-"
	}
	return strings.Repeat(" ", max(0, query.Width(name)-len(open))) + open + "> "
}

// take takes a line that was typed. end tells that no line comes behind it.
func (s *Shell) take(line string, end bool) error {
	blank := strings.TrimSpace(line) == ""
	switch {
	case s.pending == "" && blank:
		return nil
	case s.pending == "" && isDot(line):
		s.remember(line)
		return s.running(func(ctx context.Context) error { return s.command(ctx, line) })
	}
	if s.pending != "" {
		s.pending += "\n"
	}
	s.pending += line
	ended, open := query.Ended(s.pending)
	if !ended && !end && !(blank && len(open) < 3) { // an empty line in a text of several is one of it
		return nil
	}
	text := s.pending
	s.pending = ""
	if strings.Trim(query.OneLine(text), "; ") == "" { // a comment
		return nil
	}
	s.remember(text)
	s.last = text
	return s.running(func(ctx context.Context) error { return s.Ask(ctx, text, 1) })
}

// running runs something that an interrupt ends, on the terminal as it was.
func (s *Shell) running(do func(ctx context.Context) error) error {
	return s.input.Cooked(func() (err error) {
		s.interrupts.run(func(ctx context.Context) { err = do(ctx) })
		return err
	})
}

// isDot tells whether a line is a dot command.
func isDot(line string) bool {
	line = strings.TrimSpace(line)
	return len(line) > 1 && line[0] == '.' && (line[1]|0x20 >= 'a' && line[1]|0x20 <= 'z' || line[1] == '?')
}

// report says what went wrong.
func (s *Shell) report(err error) {
	if errors.Is(err, context.Canceled) {
		s.say("interrupted")
		return
	}
	if told := (*ToldError)(nil); errors.As(err, &told) {
		return
	}
	for _, e := range OneByOne(err) {
		s.say(s.colored("31", "error:") + " " + Line(e))
	}
}

// OneByOne returns what is wrong with a text one by one, and other errors as they are.
func OneByOne(err error) (list []error) {
	joined, ok := err.(interface{ Unwrap() []error })
	if fault := (*query.Error)(nil); !ok || !errors.As(err, &fault) {
		return []error{err}
	}
	for _, e := range joined.Unwrap() {
		list = append(list, OneByOne(e)...)
	}
	return list
}

// Line returns the text of an error such that nothing in it acts on a terminal: in one line,
// several joined ones in one. What is wrong with a query has its line below it.
func Line(err error) string {
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		var texts []string
		for _, e := range joined.Unwrap() {
			texts = append(texts, Line(e))
		}
		return strings.Join(texts, "; ")
	}
	lines := []string{err.Error()}
	if e := (*query.Error)(nil); errors.As(err, &e) {
		lines = strings.Split(lines[0], "\n")
	}
	for i := range lines {
		lines[i] = query.Visible(lines[i])
	}
	return strings.Join(lines, "\n")
}

func (s *Shell) colored(code, text string) string {
	if s.Settings.Color {
		return "\x1b[" + code + "m" + text + "\x1b[0m"
	}
	return text
}

// say writes a line beside the results.
func (s *Shell) say(text string) { io.WriteString(s.Err, text+"\n") }

// size returns the columns and rows of the terminal; 0 rows where they are not known.
func (s *Shell) size() (columns, rows int) {
	if s.Size == nil {
		return 80, 0
	}
	return s.Size()
}
