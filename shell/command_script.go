package shell

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"

	"toolledger/query"
)

// scriptCommands read statements from elsewhere, or end the shell.
func scriptCommands() []Command {
	return []Command{
		{Name: "read", Usage: "FILE", Help: "runs the statements and commands of a file", Unsafe: true, Files: true, Run: func(ctx context.Context, s *Shell, rest string) error {
			name, err := one(rest)
			if err != nil {
				return err
			}
			return s.ReadFile(ctx, name)
		}},
		{Name: "edit", Usage: "[FILE]", Help: "opens the last statement, or a file, in $VISUAL or $EDITOR and runs what is saved", Unsafe: true, Files: true, Run: edit},
		{Name: "history", Usage: "[N]", Help: "shows the last statements, 20 if N does not say how many", Run: showHistory},
		{Name: "param", Usage: "[NAME=VALUE | NAME=]", Help: "sets a value of declare query_parameters, or takes it away; without either, shows them", Run: setParam},
		{Name: "quit", Aliases: []string{"exit", "q"}, Usage: "[STATUS]", Help: "ends the shell, with an exit status", Run: func(_ context.Context, _ *Shell, rest string) error {
			n, err := count(rest)
			if err != nil || n > 255 {
				return errUsage
			}
			return &QuitError{int(n)}
		}},
	}
}

func setParam(_ context.Context, s *Shell, rest string) error {
	if rest == "" {
		return s.show(s.paramLines())
	}
	name, value, ok := strings.Cut(rest, "=")
	if !ok || name == "" {
		return errUsage
	}
	params := maps.Clone(s.Settings.Params)
	if params == nil {
		params = map[string]string{}
	}
	if params[name] = value; value == "" {
		delete(params, name)
	}
	s.Settings.Params = params
	return nil
}

// paramLines shows the values of parameters.
func (s *Shell) paramLines() string {
	var b strings.Builder
	for _, name := range sortedKeys(s.Settings.Params) {
		fmt.Fprintf(&b, "%-10s %s\n", "param", query.Visible(name+"="+s.Settings.Params[name]))
	}
	return b.String()
}

func showHistory(_ context.Context, s *Shell, rest string) error {
	n := int64(20)
	if rest != "" {
		var err error
		if n, err = strconv.ParseInt(rest, 10, 32); err != nil || n < 1 {
			return errUsage
		}
	}
	if s.History == "" {
		return fmt.Errorf("no history is kept")
	}
	list, err := readHistory(s.History)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	var b strings.Builder
	for _, text := range list[max(0, len(list)-int(n)):] {
		b.WriteString(query.Visible(text) + "\n")
	}
	return s.show(b.String())
}

// edit runs what an editor makes of the last statement, or of a file.
func edit(ctx context.Context, s *Shell, rest string) error {
	editor := os.Getenv("VISUAL")
	if editor == "" {
		editor = os.Getenv("EDITOR")
	}
	if editor == "" {
		editor = "vi"
	}
	name := ""
	if rest != "" {
		var err error
		if name, err = one(rest); err != nil {
			return err
		}
	} else {
		f, err := os.CreateTemp("", "toolledger-*.kql")
		if err != nil {
			return err
		}
		name = f.Name()
		defer os.Remove(name)
		_, err = f.WriteString(s.last)
		if e := f.Close(); err == nil {
			err = e
		}
		if err != nil {
			return err
		}
	}
	before, _ := os.ReadFile(name)
	cmd := shellCommand(editor + ` "$1"`)
	cmd.Args = append(cmd.Args, "edit", name)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, s.Out, s.Err
	s.interrupts.ignore(true)
	err := cmd.Run()
	s.interrupts.ignore(false)
	if err != nil {
		return fmt.Errorf("%s: %w; nothing is run", query.Visible(editor), err)
	}
	after, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	if text := string(after); rest != "" || text != string(before) {
		if strings.TrimSpace(text) != "" {
			s.remember(text)
			s.last = text
		}
		io.WriteString(s.Err, query.Visible(query.OneLine(text))+"\n")
		return s.Script(ctx, strings.NewReader(text), rest)
	}
	s.say("nothing is changed, nothing is run")
	return nil
}

func sortedKeys(m map[string]string) []string { return slices.Sorted(maps.Keys(m)) }
