package shell

import (
	"bytes"
	"io"
)

// A pager holds a result back until it is taller than the screen; then it starts the pager
// and goes on to that. What is not that tall is written as it is.
type pager struct {
	s      *Shell
	height int
	held   bytes.Buffer
	lines  int
	reader *reader
	leave  func()
}

// pager opens the terminal for a result.
func (s *Shell) pager(leave func()) *sink {
	_, height := s.size()
	if s.Settings.Pager == "" || s.Safe || height == 0 {
		return &sink{Writer: s.Out, person: true, close: func(err error) error { return err }}
	}
	p := &pager{s: s, height: height, leave: leave}
	return &sink{Writer: p, person: true, close: p.close}
}

func (p *pager) Write(b []byte) (int, error) {
	if p.reader != nil {
		return p.reader.in.Write(b)
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
	if p.reader != nil {
		to = p.reader.in
	}
	_, err := p.held.WriteTo(to)
	return err
}

// start starts the pager, which reads the keyboard: until it ends, an interrupt is for it alone.
func (p *pager) start() (err error) {
	p.s.interrupts.ignore(true)
	p.reader, err = p.s.startReader(p.s.Settings.Pager, func() {
		p.s.interrupts.ignore(false)
		p.leave()
	})
	if err != nil {
		p.s.interrupts.ignore(false)
	}
	return err
}

// close waits until who reads has seen enough.
func (p *pager) close(err error) error {
	if p.reader != nil {
		return p.reader.close(err)
	}
	if e := p.flush(); err == nil {
		err = e
	}
	return err
}
