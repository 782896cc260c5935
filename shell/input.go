package shell

import (
	"bufio"
	"errors"
	"io"
	"strings"
)

// ErrAborted ends the reading of a line that was interrupted.
var ErrAborted = errors.New("aborted")

// An Input is where lines come from.
type Input interface {
	// Line reads a line, without its end. Its error is io.EOF at the end, ErrAborted for an
	// interrupt.
	Line(prompt string) (string, error)
	// Remember makes a line one that can be called back.
	Remember(line string)
	// Complete sets what finds out how a line may go on: from is where in it what completions
	// stand for begins, in bytes. It looks at what is before the cursor.
	Complete(find func(before string) (from int, completions []string))
	// Cooked runs something with the terminal as it was before.
	Cooked(do func() error) error
	// Close gives the terminal back.
	Close() error
}

// plain is an Input for what is no terminal, and for terminals that cannot move a cursor: it
// writes the prompt only where one is wanted.
type plain struct {
	in     *bufio.Reader
	prompt io.Writer // nil: none
}

// Plain returns an input that reads lines of any length. The prompt goes to prompts, if it is
// not nil.
func Plain(in io.Reader, prompts io.Writer) Input { return &plain{bufio.NewReader(in), prompts} }

func (p *plain) Line(prompt string) (string, error) {
	if p.prompt != nil {
		io.WriteString(p.prompt, prompt)
	}
	line, err := p.in.ReadString('\n')
	if line == "" && err != nil {
		return "", err
	}
	return strings.TrimRight(line, "\r\n"), nil
}

func (p *plain) Remember(string)                       {}
func (p *plain) Complete(func(string) (int, []string)) {}
func (p *plain) Cooked(do func() error) error          { return do() }
func (p *plain) Close() error                          { return nil }
