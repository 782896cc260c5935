package shell

import (
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"sync/atomic"
	"syscall"
)

// A reader is a command that reads a result: a pager, or what .once and .output name.
type reader struct {
	in    io.WriteCloser
	ended atomic.Bool
	done  chan struct{} // closed when it has ended and leave was called
	err   error         // how it ended, once done
}

// startReader starts a command. leave is called when it ends, perhaps before the result does:
// what is still computed for it is not wanted.
func (s *Shell) startReader(command string, leave func()) (*reader, error) {
	cmd := shellCommand(command)
	cmd.Stdout, cmd.Stderr = s.Out, s.Err
	cmd.Env = append(os.Environ(), "LESSCHARSET=utf-8")
	in, err := cmd.StdinPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		return nil, err
	}
	r := &reader{in: in, done: make(chan struct{})}
	go func() {
		r.err = cmd.Wait()
		r.ended.Store(true)
		leave()
		close(r.done)
	}()
	return r, nil
}

// close ends the result, of which err is what went wrong with it, and waits for the command.
// That it read only as much as it wanted is no fault.
func (r *reader) close(err error) error {
	left := r.ended.Load()
	r.in.Close()
	<-r.done
	if errors.Is(err, syscall.EPIPE) || errors.Is(err, os.ErrClosed) || left && errors.Is(err, context.Canceled) {
		return nil
	}
	return err
}

// shellCommand is a command line for the system's shell.
func shellCommand(line string) *exec.Cmd {
	if os.PathSeparator == '\\' {
		return exec.Command("cmd", "/c", line)
	}
	return exec.Command("/bin/sh", "-c", line)
}
