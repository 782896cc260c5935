package main

import (
	"fmt"
	"strings"

	"github.com/spf13/pflag"
)

// completionCommand is a function for the reason that helpCommand is one.
func completionCommand() command {
	return command{
		name:  "completion",
		args:  "bash | zsh | fish",
		nargs: 1,
		short: "print what makes a shell complete commands and flags",
		long: `
It is made of the same table as the help. For bash, put this into ~/.bashrc:
    source <(toolledger completion bash)
for zsh, behind compinit, into ~/.zshrc:
    source <(toolledger completion zsh)
for fish:
    toolledger completion fish > ~/.config/fish/completions/toolledger.fish`,
		example: `
$ toolledger completion bash | head -1
_toolledger() {`,
		setup: func(*pflag.FlagSet) func(stdio, []string) error {
			return func(std stdio, args []string) error {
				script := map[string]func() string{"bash": bashCompletion, "zsh": zshCompletion, "fish": fishCompletion}[args[0]]
				if script != nil {
					return write(std.out, script())
				}
				return &usageError{msg: fmt.Sprintf("completion: expected bash, zsh or fish, found %q", args[0])}
			}
		},
	}
}

// eachFlag calls use for the flags of a command, in the order of its help.
func (c *command) eachFlag(use func(*pflag.Flag)) {
	flags := pflag.NewFlagSet(c.name, pflag.ContinueOnError)
	flags.SortFlags = false
	c.setup(flags)
	flags.VisitAll(use)
}

func commandNames() (names []string) {
	for _, c := range commands() {
		names = append(names, c.name)
	}
	return names
}

func bashCompletion() string {
	var b strings.Builder
	b.WriteString("_toolledger() {\n\tlocal word=${COMP_WORDS[COMP_CWORD]} words=\n\tcase $COMP_CWORD:${COMP_WORDS[1]} in\n")
	fmt.Fprintf(&b, "\t1:*) words=%q ;;\n", strings.Join(commandNames(), " "))
	fmt.Fprintf(&b, "\t2:help) words=%q ;;\n", strings.Join(append(commandNames(), "kql"), " "))
	fmt.Fprintf(&b, "\t2:completion) words=\"bash zsh fish\" ;;\n")
	for _, c := range commands() {
		var flags []string
		c.eachFlag(func(f *pflag.Flag) { flags = append(flags, "--"+f.Name) })
		if len(flags) > 0 {
			fmt.Fprintf(&b, "\t*:%s) [[ $word == -* ]] && words=%q ;;\n", c.name, strings.Join(flags, " "))
		}
	}
	b.WriteString("\tesac\n\tif [[ $words ]]; then\n\t\tCOMPREPLY=($(compgen -W \"$words\" -- \"$word\"))\n\telse\n\t\tCOMPREPLY=($(compgen -f -- \"$word\"))\n\tfi\n}\ncomplete -o filenames -F _toolledger toolledger\n")
	return b.String()
}

// zshQuotes are for a description between single quotes, in which brackets and colons mean
// something.
var zshQuotes = strings.NewReplacer(`'`, `'\''`, `:`, `\:`, `[`, `\[`, `]`, `\]`)

func zshCompletion() string {
	var b strings.Builder
	b.WriteString("#compdef toolledger\n_toolledger() {\n\tlocal -a commands\n\tcommands=(\n")
	for _, c := range commands() {
		fmt.Fprintf(&b, "\t\t'%s:%s'\n", c.name, zshQuotes.Replace(c.short))
	}
	b.WriteString("\t)\n\tif (( CURRENT == 2 )); then\n\t\t_describe command commands\n\t\treturn\n\tfi\n\tcase $words[2] in\n")
	fmt.Fprintf(&b, "\thelp) _values topic %s kql ;;\n\tcompletion) _values shell bash zsh fish ;;\n", strings.Join(commandNames(), " "))
	for _, c := range commands() {
		var flags []string
		c.eachFlag(func(f *pflag.Flag) {
			value, usage := pflag.UnquoteUsage(f)
			flag := fmt.Sprintf("'--%s[%s]", f.Name, zshQuotes.Replace(usage))
			if value != "" {
				flag += ":" + zshQuotes.Replace(value) + ":_files"
			}
			flags = append(flags, flag+"'")
		})
		if len(flags) > 0 {
			fmt.Fprintf(&b, "\t%s) _arguments %s '*:file:_files' ;;\n", c.name, strings.Join(flags, " "))
		}
	}
	b.WriteString("\t*) _files ;;\n\tesac\n}\ncompdef _toolledger toolledger\n")
	return b.String()
}

// fishQuotes are for a text between single quotes.
var fishQuotes = strings.NewReplacer(`\`, `\\`, `'`, `\'`)

func fishCompletion() string {
	var b strings.Builder
	for _, c := range commands() {
		fmt.Fprintf(&b, "complete -c toolledger -n __fish_use_subcommand -f -a %s -d '%s'\n", c.name, fishQuotes.Replace(c.short))
	}
	fmt.Fprintf(&b, "complete -c toolledger -n '__fish_seen_subcommand_from help' -f -a '%s kql'\n", strings.Join(commandNames(), " "))
	b.WriteString("complete -c toolledger -n '__fish_seen_subcommand_from completion' -f -a 'bash zsh fish'\n")
	for _, c := range commands() {
		c.eachFlag(func(f *pflag.Flag) {
			value, usage := pflag.UnquoteUsage(f)
			line := fmt.Sprintf("complete -c toolledger -n '__fish_seen_subcommand_from %s' -l %s -d '%s'", c.name, f.Name, fishQuotes.Replace(usage))
			if f.Shorthand != "" {
				line += " -s " + f.Shorthand
			}
			if value != "" {
				line += " -r"
			}
			b.WriteString(line + "\n")
		})
	}
	return b.String()
}
