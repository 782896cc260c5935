package shell

import (
	"errors"
	"os"
	"strings"

	"github.com/peterh/liner"
)

// A lined is an Input on a terminal, with a line that can be edited. The terminal is in the
// library's raw mode from when it is made, also between lines, so that what is pasted is not
// echoed twice.
type lined struct {
	state       *liner.State
	normal, raw liner.ModeApplier
}

// Terminal returns an input on the terminal that standard input and output are.
func Terminal() (Input, error) {
	normal, err := liner.TerminalMode()
	if err != nil {
		return nil, err
	}
	l := &lined{state: liner.NewLiner(), normal: normal}
	if l.raw, err = liner.TerminalMode(); err != nil {
		l.state.Close()
		return nil, err
	}
	l.state.SetCtrlCAborts(true)
	l.state.SetTabCompletionStyle(liner.TabPrints)
	l.state.SetMultiLineMode(true)
	l.state.SetBeep(false)
	return l, nil
}

func (l *lined) Line(prompt string) (string, error) {
	line, err := l.state.Prompt(prompt)
	if errors.Is(err, liner.ErrPromptAborted) {
		return "", ErrAborted
	}
	return line, err
}

func (l *lined) Remember(line string) { l.state.AppendHistory(line) }

func (l *lined) Complete(find func(before string) (from int, completions []string)) {
	l.state.SetWordCompleter(func(line string, pos int) (head string, completions []string, tail string) {
		runes := []rune(line)
		before, after := string(runes[:pos]), string(runes[pos:])
		if strings.TrimSpace(before) == "" { // a tab that was pasted, to indent
			return before, []string{"  "}, after
		}
		from, completions := find(before)
		return before[:from], completions, after
	})
}

func (l *lined) Cooked(do func() error) error {
	l.normal.ApplyMode()
	defer l.raw.ApplyMode()
	return do()
}

func (l *lined) Close() error {
	err := l.state.Close()
	l.normal.ApplyMode()
	return err
}

// CanEdit tells whether a terminal can move the cursor.
func CanEdit() bool {
	switch os.Getenv("TERM") {
	case "", "dumb", "cons25":
		return false
	}
	return true
}
