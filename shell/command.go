package shell

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"toolledger/query"
)

// A Command is a dot command: help, completion and the run itself come from its row.
type Command struct {
	Name    string // without the dot
	Aliases []string
	Usage   string // what stands behind the name, as [FILE]
	Help    string // one line
	// Unsafe tells that it writes, runs a program or names a file: not with Config.Safe.
	Unsafe bool
	// Bare tells that what stands behind it may name a file: nothing may, with Config.Safe.
	Bare bool
	// Changes tells that another ledger, or more, is behind it.
	Changes bool
	// Values are what may stand behind the name, nil if that is open. Those of files are the
	// names of files.
	Values []string
	Files  bool
	Run    func(ctx context.Context, s *Shell, rest string) error
}

// commands returns the table of dot commands: the shell's own and those beside it.
func (s *Shell) commands() []Command {
	return slices.Concat(ownCommands(), s.Commands)
}

func ownCommands() []Command {
	return slices.Concat(askCommands(), outputCommands(), scriptCommands())
}

// A usageError says how a dot command is used.
type usageError struct{ c *Command }

func (e *usageError) Error() string {
	text := strings.TrimSpace(fmt.Sprintf("expected .%s %s", e.c.Name, e.c.Usage))
	if len(e.c.Values) > 2 {
		text += ": one of " + strings.Join(e.c.Values, ", ")
	}
	return text
}

// errUsage is what a command returns that cannot make anything of what stands behind it.
var errUsage = errors.New("usage")

// command runs a dot command.
func (s *Shell) command(ctx context.Context, line string) error {
	name, rest, _ := strings.Cut(strings.TrimSuffix(strings.TrimSpace(line)[1:], ";"), " ")
	c, err := s.commandNamed(name)
	if err != nil {
		return err
	}
	if c.Unsafe && s.Safe {
		return fmt.Errorf(".%s writes, runs a program or names a file: --safe forbids it", c.Name)
	}
	if c.Bare && s.Safe && strings.TrimSpace(rest) != "" {
		return fmt.Errorf(".%s with arguments may name a file: --safe forbids it", c.Name)
	}
	if c.Changes {
		s.stopReading()
	}
	err = c.Run(ctx, s, strings.TrimSpace(rest))
	if c.Changes && s.Typed() {
		s.readAhead()
	}
	if errors.Is(err, errUsage) {
		return &usageError{c}
	}
	return err
}

func (s *Shell) commandNamed(name string) (*Command, error) {
	var names []string
	for _, c := range s.commands() {
		if c.Name == name || slices.Contains(c.Aliases, name) {
			return &c, nil
		}
		names = append(append(names, c.Name), c.Aliases...)
	}
	near := ""
	if n := query.Nearest(name, names); n != "" {
		near = ", did you mean ." + n + "?"
	}
	return nil, fmt.Errorf("no command .%s%s (.help lists them)", query.Visible(name), near)
}

// Words cuts what stands behind a command at white space that is not in quotes.
func Words(rest string) (list []string, err error) {
	for rest = strings.TrimSpace(rest); rest != ""; rest = strings.TrimSpace(rest) {
		var word strings.Builder
		for rest != "" && rest[0] != ' ' && rest[0] != '\t' {
			if q := rest[0]; q == '"' || q == '\'' {
				end := strings.IndexByte(rest[1:], q)
				if end < 0 {
					return nil, fmt.Errorf("a %c that does not end", q)
				}
				word.WriteString(rest[1 : 1+end])
				rest = rest[end+2:]
				continue
			}
			word.WriteByte(rest[0])
			rest = rest[1:]
		}
		list = append(list, word.String())
	}
	return list, nil
}

// one returns the only word behind a command; errUsage if there is not exactly one.
func one(rest string) (string, error) {
	list, err := Words(rest)
	if err == nil && len(list) != 1 {
		err = errUsage
	}
	if err != nil {
		return "", err
	}
	return list[0], nil
}

// onOff reads on or off into a setting; without either it turns it over.
func onOff(rest string, to *bool) error {
	switch rest {
	case "on":
		*to = true
	case "off":
		*to = false
	case "":
		*to = !*to
	default:
		return errUsage
	}
	return nil
}

var switches = []string{"on", "off"}
