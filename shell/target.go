package shell

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"toolledger/query"
)

// A target is where results go if not to standard output: a file or a command.
type target struct {
	name   string // "": standard output
	once   bool   // for the next result alone
	append bool   // to the file: it has a result already
}

// begin makes the file of a target that is not for one result alone, so that a name that cannot
// be is refused where it is given.
func (t *target) begin() error {
	if t.once || t.name == "" || t.name[0] == '|' {
		return nil
	}
	f, err := os.Create(t.name)
	if err != nil {
		return writeError(err)
	}
	t.append = true
	return f.Close()
}

func writeError(err error) error { return fmt.Errorf("cannot write the result: %w", err) }

// formatOfFile returns the format that the ending of a file's name names, "" if none does.
func formatOfFile(name string) string {
	switch strings.ToLower(filepath.Ext(name)) {
	case ".csv":
		return "csv"
	case ".tsv":
		return "tsv"
	case ".json":
		return "json"
	case ".jsonl", ".ndjson":
		return "jsonl"
	case ".md", ".markdown":
		return "markdown"
	}
	return ""
}

// A sink is an open target.
type sink struct {
	io.Writer
	format string // "": as .format says
	person bool   // a terminal
	named  bool   // a file or a command that was named
	close  func(err error) error
}

// sink opens where the next result goes. leave is called when what reads it goes away.
func (s *Shell) sink(leave func()) (*sink, error) {
	to := s.output
	switch {
	case to.name == "" && s.Terminal:
		return s.pager(leave), nil
	case to.name == "":
		return &sink{Writer: s.Out, close: func(err error) error { return err }}, nil
	}
	if to.once {
		s.output = target{}
	}
	if command, ok := strings.CutPrefix(to.name, "|"); ok {
		return s.pipeTo(command, leave)
	}
	flags := os.O_CREATE | os.O_WRONLY | os.O_TRUNC
	if to.append {
		flags = os.O_CREATE | os.O_WRONLY | os.O_APPEND
	}
	f, err := os.OpenFile(to.name, flags, 0o666)
	if err != nil {
		return nil, writeError(err)
	}
	return &sink{Writer: f, format: formatOfFile(to.name), named: true, close: func(err error) error {
		if e := f.Close(); err == nil {
			err = e
		}
		return err
	}}, nil
}

// pipeTo starts a command that reads a result.
func (s *Shell) pipeTo(command string, leave func()) (*sink, error) {
	r, err := s.startReader(command, leave)
	if err != nil {
		return nil, fmt.Errorf("cannot run %s: %w", query.Visible(command), err)
	}
	return &sink{Writer: r.in, named: true, close: func(err error) error {
		if err = r.close(err); err == nil && r.err != nil {
			err = fmt.Errorf("%s: %w", query.Visible(command), r.err)
		}
		return err
	}}, nil
}
