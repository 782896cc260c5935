package shell

import (
	"bytes"
	"errors"
	"io"
	"os"
	"os/exec"
	"syscall"
)

// A pager holds a result back until it is taller than the screen; then it starts the pager
// and goes on to that. What is not that tall is written as it is.
type pager struct {
	s      *Shell
	height int
	held   bytes.Buffer
	lines  int
	cmd    *exec.Cmd
	in     io.WriteCloser
}

// pager opens the terminal for a result.
func (s *Shell) pager() *sink {
	_, height := s.size()
	if s.Settings.Pager == "" || s.Safe || height == 0 {
		return &sink{Writer: s.Out, person: true, close: func(err error) error { return err }}
	}
	p := &pager{s: s, height: height}
	return &sink{Writer: p, person: true, close: p.close}
}

func (p *pager) Write(b []byte) (int, error) {
	if p.cmd != nil {
		n, err := p.in.Write(b)
		return n, err
	}
	p.lines += bytes.Count(b, []byte("\n"))
	p.held.Write(b)
	if p.lines >= p.height-1 {
		if err := p.start(); err != nil { // there is none: the terminal scrolls
			p.s.Settings.Pager = ""
			p.s.say("warning: no pager: " + err.Error())
			p.height = 1 << 62
		}
		return len(b), p.flush()
	}
	if p.height == 1<<62 {
		return len(b), p.flush()
	}
	return len(b), nil
}

func (p *pager) flush() error {
	to := io.Writer(p.s.Out)
	if p.cmd != nil {
		to = p.in
	}
	_, err := p.held.WriteTo(to)
	return err
}

// start starts the pager, which reads the keyboard: an interrupt is for it alone.
func (p *pager) start() error {
	cmd := shellCommand(p.s.Settings.Pager)
	cmd.Stdout, cmd.Stderr = p.s.Out, p.s.Err
	cmd.Env = append(os.Environ(), "LESSCHARSET=utf-8")
	in, err := cmd.StdinPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	p.s.interrupts.ignore(true)
	p.cmd, p.in = cmd, in
	return nil
}

// close waits until the reader has seen enough. That it went away before the end is no fault.
func (p *pager) close(err error) error {
	if p.cmd == nil {
		if e := p.flush(); err == nil {
			err = e
		}
		return err
	}
	p.in.Close()
	p.cmd.Wait()
	p.s.interrupts.ignore(false)
	if errors.Is(err, syscall.EPIPE) {
		return nil
	}
	return err
}
