package shell

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"toolledger/query"
)

// outputCommands say how results look and where they go.
func outputCommands() []Command {
	var formats []string
	for _, f := range query.Formats() {
		formats = append(formats, f.Name)
	}
	return []Command{
		{Name: "format", Aliases: []string{"mode"}, Usage: "[FORMAT]", Help: "sets the format of results; without one, as fits where they go", Values: formats, Run: setFormat},
		{Name: "output", Usage: "[FILE | |COMMAND]", Help: "sends results to a file, in the format of its ending, or to a command; without either, back to the screen", Unsafe: true, Files: true, Run: setOutput(false)},
		{Name: "once", Usage: "FILE | |COMMAND", Help: "sends the next result to a file or a command", Unsafe: true, Files: true, Run: setOutput(true)},
		{Name: "headers", Usage: "[on|off]", Help: "whether csv, tsv and tables begin with the names of columns", Values: switches, Run: func(_ context.Context, s *Shell, rest string) error {
			heads := !s.Settings.NoHead
			err := onOff(rest, &heads)
			s.Settings.NoHead = !heads
			return err
		}},
		{Name: "nullvalue", Usage: "[TEXT]", Help: "what stands for null; without TEXT, what the format has", Run: func(_ context.Context, s *Shell, rest string) error {
			list, err := Words(rest)
			if len(list) > 1 {
				err = errUsage
			}
			if err == nil {
				s.Settings.Null = strings.Join(list, "")
			}
			return err
		}},
		{Name: "timer", Usage: "[on|off]", Help: "whether each query says what it cost: rows, entries read and left out, time", Values: switches, Run: func(_ context.Context, s *Shell, rest string) error {
			return onOff(rest, &s.Settings.Timer)
		}},
		{Name: "width", Usage: "[COLUMNS]", Help: "how wide a table may be; without COLUMNS, as the terminal", Run: func(_ context.Context, s *Shell, rest string) error {
			n, err := count(rest)
			s.Settings.Width = int(n)
			return err
		}},
		{Name: "maxrows", Usage: "[N]", Help: "how many rows of a result are shown; without N or with 0, all", Run: func(_ context.Context, s *Shell, rest string) error {
			n, err := count(rest)
			s.Settings.MaxRows = n
			return err
		}},
		{Name: "pager", Usage: "[COMMAND | off]", Help: "what shows results that are taller than the screen; without COMMAND, 'less -FRSX'", Unsafe: true, Values: []string{"off"}, Run: func(_ context.Context, s *Shell, rest string) error {
			switch rest {
			case "":
				rest = DefaultPager
			case "off":
				rest = ""
			}
			s.Settings.Pager = rest
			return nil
		}},
		{Name: "print", Usage: "[TEXT]", Help: "writes a line between results", Run: func(_ context.Context, s *Shell, rest string) error {
			return s.show(query.Visible(rest) + "\n")
		}},
		{Name: "show", Help: "shows the settings", Run: showSettings},
	}
}

// DefaultPager is the pager where nobody says otherwise: it ends by itself where a result
// fits the screen, keeps colours and long lines, and leaves the screen as it is.
const DefaultPager = "less -FRSX"

// count reads how many; nothing is 0.
func count(rest string) (int64, error) {
	if rest == "" {
		return 0, nil
	}
	n, err := strconv.ParseInt(rest, 10, 32)
	if err != nil || n < 0 {
		return 0, errUsage
	}
	return n, nil
}

func setFormat(_ context.Context, s *Shell, rest string) error {
	if rest != "" && query.FormatNamed(rest) == nil {
		return errUsage
	}
	s.Settings.Format = rest
	return nil
}

func setOutput(once bool) func(context.Context, *Shell, string) error {
	return func(_ context.Context, s *Shell, rest string) error {
		name := rest
		if !strings.HasPrefix(rest, "|") && (rest != "" || once) {
			var err error
			if name, err = one(rest); err != nil {
				return err
			}
		}
		to := target{name: name, once: once}
		if err := to.begin(); err != nil {
			return err
		}
		s.output = to
		return nil
	}
}

func showSettings(_ context.Context, s *Shell, rest string) error {
	if rest != "" {
		return errUsage
	}
	var b strings.Builder
	line := func(name string, value any) { fmt.Fprintf(&b, "%-10s %v\n", name, value) }
	or := func(text, instead string) string {
		if text == "" {
			return instead
		}
		return query.Visible(text)
	}
	state := func(on bool) string { return map[bool]string{true: "on", false: "off"}[on] }
	set := &s.Settings
	line("ledger", or(s.Ledger.Name(), "none"))
	line("format", or(set.Format, "table on a terminal, else jsonl"))
	line("output", or(s.output.name, "the screen"))
	line("headers", state(!set.NoHead))
	line("nullvalue", or(set.Null, "that of the format"))
	line("timer", state(set.Timer))
	line("width", or(strings.TrimPrefix(fmt.Sprint(set.Width), "0"), "that of the terminal"))
	line("maxrows", or(strings.TrimPrefix(fmt.Sprint(set.MaxRows), "0"), "all"))
	line("pager", or(set.Pager, "off"))
	line("safe", state(s.Safe))
	b.WriteString(s.paramLines())
	for _, l := range s.lets {
		line("let", query.Cut(query.Visible(query.OneLine(l.Text)), 100))
	}
	return s.show(b.String())
}
