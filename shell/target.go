package shell

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"

	"toolledger/query"
)

// A target is where results go if not to standard output: a file or a command.
type target struct {
	name   string // "": standard output
	once   bool   // for the next result alone
	append bool   // to the file: it has a result already
}

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
	close  func(err error) error
}

// sink opens where the next result goes.
func (s *Shell) sink() (*sink, error) {
	to := s.output
	switch {
	case to.name == "" && s.Terminal:
		return s.pager(), nil
	case to.name == "":
		return &sink{Writer: s.Out, close: func(err error) error { return err }}, nil
	}
	if to.once {
		s.output = target{}
	}
	if command, ok := strings.CutPrefix(to.name, "|"); ok {
		return s.pipeTo(command)
	}
	flags := os.O_CREATE | os.O_WRONLY | os.O_TRUNC
	if to.append {
		flags = os.O_WRONLY | os.O_APPEND
	}
	s.output.append = !to.once
	f, err := os.OpenFile(to.name, flags, 0o666)
	if err != nil {
		return nil, fmt.Errorf("cannot write the result: %w", err)
	}
	return &sink{Writer: f, format: formatOfFile(to.name), close: func(err error) error {
		if e := f.Close(); err == nil {
			err = e
		}
		return err
	}}, nil
}

// pipeTo starts a command that reads a result.
func (s *Shell) pipeTo(command string) (*sink, error) {
	cmd := shellCommand(command)
	cmd.Stdout, cmd.Stderr = s.Out, s.Err
	in, err := cmd.StdinPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		return nil, fmt.Errorf("cannot run %s: %w", query.Visible(command), err)
	}
	return &sink{Writer: in, close: func(err error) error {
		in.Close()
		if e := cmd.Wait(); e != nil && err == nil {
			err = fmt.Errorf("%s: %w", query.Visible(command), e)
		}
		if errors.Is(err, syscall.EPIPE) { // it read as much as it wanted
			err = nil
		}
		return err
	}}, nil
}

// shellCommand is a command line for the system's shell.
func shellCommand(line string) *exec.Cmd {
	if os.PathSeparator == '\\' {
		return exec.Command("cmd", "/c", line)
	}
	return exec.Command("/bin/sh", "-c", line)
}
