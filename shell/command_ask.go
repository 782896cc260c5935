package shell

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"toolledger/query"
)

// askCommands ask for what is in the ledger, or say what there is to ask.
func askCommands() []Command {
	return []Command{
		{Name: "help", Aliases: []string{"?"}, Usage: "[TOPIC]", Help: "lists the commands; of an operator, a function or a command, what it does", Run: help},
		{Name: "tables", Help: "lists the tables", Run: tables},
		{Name: "schema", Usage: "[TABLE]", Help: "lists the columns of a table, or of all", Run: schema},
		asking("sessions", "sessions | project session, entries, first, last, agents"),
		asking("agents", "entries | summarize entries = count(), sessions = dcount(session), tools = dcount(tool), ['first'] = min(time), ['last'] = max(time) by agent | sort by agent asc"),
		asking("tools", "entries | summarize entries = count(), sessions = dcount(session), denied = countif(authorization == 'DENIED'), errors = countif(phase == 'ERROR') by tool | sort by tool asc"),
		{Name: "tail", Usage: "[N]", Help: "shows the last entries, 10 if N does not say how many", Run: tail},
		{Name: "explain", Usage: "QUERY", Help: "shows how a query runs in place of its rows", Run: func(ctx context.Context, s *Shell, rest string) error {
			if rest == "" {
				return errUsage
			}
			return s.Ask(ctx, "explain "+rest, 1)
		}},
	}
}

// asking is a command that stands for a query.
func asking(name, text string) Command {
	return Command{Name: name, Help: "asks: " + text, Run: func(ctx context.Context, s *Shell, rest string) error {
		if rest != "" {
			return errUsage
		}
		return s.Ask(ctx, text, 1)
	}}
}

func tail(ctx context.Context, s *Shell, rest string) error {
	n := 10
	if rest != "" {
		var err error
		if n, err = strconv.Atoi(rest); err != nil || n < 1 {
			return errUsage
		}
	}
	return s.Ask(ctx, fmt.Sprintf("entries | top %d by seq | sort by seq asc | project time, session, index, agent, tool, phase, authorization", n), 1)
}

// language returns the language as queries have it.
func (s *Shell) language() (*query.Language, func(), error) {
	lang, release, err := s.Ledger.Language(query.Options{Before: s.given()}, s.Safe)
	if lang == nil {
		return nil, nil, err
	}
	return lang, release, nil
}

func tables(_ context.Context, s *Shell, rest string) error {
	if rest != "" {
		return errUsage
	}
	lang, release, err := s.language()
	if err != nil {
		return err
	}
	defer release()
	var b strings.Builder
	if len(lang.Tables()) == 0 {
		b.WriteString("no ledger is open, and so no table; datatable, print and range need none\n")
	}
	for _, t := range lang.Tables() {
		fmt.Fprintf(&b, "%-10s %s\n", t.Name, t.Doc)
	}
	for _, l := range s.lets {
		fmt.Fprintf(&b, "%-10s %s\n", query.Visible(l.Name), query.Cut(query.Visible(query.OneLine(l.Text)), 100))
	}
	return s.show(b.String())
}

func schema(ctx context.Context, s *Shell, rest string) error {
	lang, release, err := s.language()
	if err != nil {
		return err
	}
	defer release()
	if rest != "" {
		return s.Ask(ctx, rest+" | getschema | project ColumnName, ColumnType", 1)
	}
	var b strings.Builder
	for _, t := range lang.Tables() {
		fmt.Fprintf(&b, "%s\n", t.Name)
		for _, f := range t.Fields {
			fmt.Fprintf(&b, "    %-14s %s\n", f.Name, f.Kind)
		}
	}
	return s.show(b.String())
}

// show writes text as a result.
func (s *Shell) show(text string) error {
	return s.Result(func(to io.Writer, _ bool) error {
		_, err := io.WriteString(to, text)
		return err
	})
}

// Result gives write where the next result goes, and whether a person reads it there.
func (s *Shell) Result(write func(to io.Writer, person bool) error) error {
	to, err := s.sink(func() {})
	if err != nil {
		return err
	}
	return to.close(write(to, to.person))
}

func help(_ context.Context, s *Shell, rest string) error {
	topic, err := one(rest)
	if rest == "" {
		return s.show(s.overview())
	}
	if err != nil {
		return err
	}
	if c, err := s.commandNamed(strings.TrimPrefix(topic, ".")); err == nil && (topic[0] == '.' || c.Name != "explain") {
		return s.show(c.text())
	}
	lang, release, err := s.language()
	if err != nil {
		return err
	}
	defer release()
	text, err := lang.Help(topic)
	if err != nil {
		return fmt.Errorf("%w; .help lists the commands, '.help kql' is the manual", err)
	}
	return s.show(text)
}

func (c *Command) text() string {
	text := strings.TrimSpace("."+c.Name+" "+c.Usage) + "\n    " + c.Help + "\n"
	if len(c.Aliases) > 0 {
		text += "    Also: ." + strings.Join(c.Aliases, ", .") + "\n"
	}
	if len(c.Values) > 0 {
		text += "    One of: " + strings.Join(c.Values, ", ") + "\n"
	}
	return text
}

// overview lists the commands in 80 columns.
func (s *Shell) overview() string {
	var b strings.Builder
	b.WriteString("A statement ends with ; or an empty line. Names that let gives stay.\n\n")
	list := s.commands()
	slices.SortFunc(list, func(a, b Command) int { return strings.Compare(a.Name, b.Name) })
	for _, c := range list {
		lines := query.Wrap(c.Help, 54, "")
		fmt.Fprintf(&b, "%-24s %s\n", strings.TrimSpace("."+c.Name+" "+c.Usage), lines[0])
		for _, l := range lines[1:] {
			fmt.Fprintf(&b, "%-24s %s\n", "", l)
		}
	}
	b.WriteString("\n'.help where' explains a name of the language, '.help kql' is its manual.\n")
	return b.String()
}
