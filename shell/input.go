package shell

import (
	"bufio"
	"errors"
	"io"
	"os"
	"os/signal"
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

// plain is an Input for what is no terminal, and for terminals that cannot move a cursor.
type plain struct {
	in      *bufio.Reader
	prompts io.Writer // nil: none
	// With prompts, a line is read beside the wait for an interrupt, which is a signal here.
	signals chan os.Signal
	lines   chan typed
	reading bool // a line that nobody has yet
}

type typed struct {
	line string
	err  error
}

// Plain returns an input that reads lines of any length. The prompt goes to prompts, if it is
// not nil: then somebody types, and an interrupt ends a line.
func Plain(in io.Reader, prompts io.Writer) Input {
	p := &plain{in: bufio.NewReader(in), prompts: prompts}
	if prompts != nil {
		p.signals, p.lines = make(chan os.Signal, 1), make(chan typed, 1)
		signal.Notify(p.signals, os.Interrupt)
	}
	return p
}

func (p *plain) Line(prompt string) (string, error) {
	if p.prompts == nil {
		t := p.read()
		return t.line, t.err
	}
	select {
	case <-p.signals: // it ended what ran before
	default:
	}
	io.WriteString(p.prompts, prompt)
	if !p.reading {
		p.reading = true
		go func() { p.lines <- p.read() }()
	}
	select {
	case t := <-p.lines:
		p.reading = false
		return t.line, t.err
	case <-p.signals:
		io.WriteString(p.prompts, "\n")
		return "", ErrAborted
	}
}

func (p *plain) read() typed {
	line, err := p.in.ReadString('\n')
	if line == "" && err != nil {
		return typed{"", err}
	}
	return typed{strings.TrimRight(line, "\r\n"), nil}
}

func (p *plain) Remember(string)                       {}
func (p *plain) Complete(func(string) (int, []string)) {}
func (p *plain) Cooked(do func() error) error          { return do() }

func (p *plain) Close() error {
	if p.signals != nil {
		signal.Stop(p.signals)
	}
	return nil
}
