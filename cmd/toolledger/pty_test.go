//go:build unix

package main

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/creack/pty"
	"golang.org/x/term"
)

// patience is how long a text may take to appear.
const patience = 30 * time.Second

// A typist sits at a terminal in which a command runs.
type typist struct {
	t      *testing.T
	screen *os.File // what the typist has: the master
	tty    *os.File // what the command has
	before *term.State
	cmd    *exec.Cmd
	ended  chan struct{} // closed once the command has

	mu    sync.Mutex
	text  []byte // what was written and not yet expected
	wrote chan struct{}
}

// sit starts a command in a terminal of 80 columns and 24 rows. Its folders of state and
// configuration are in home.
func sit(t *testing.T, home string, env []string, name string, args ...string) *typist {
	t.Helper()
	screen, tty, err := pty.Open()
	if err != nil {
		t.Skip("no pseudo-terminal: ", err)
	}
	p := &typist{t: t, screen: screen, tty: tty, ended: make(chan struct{}), wrote: make(chan struct{}, 1)}
	p.resize(80, 24)
	if p.before, err = term.GetState(int(tty.Fd())); err != nil {
		t.Fatal(err)
	}
	p.cmd = exec.Command(name, args...)
	p.cmd.Dir = home
	p.cmd.Env = append(os.Environ(), "HOME="+home, "XDG_STATE_HOME="+home, "XDG_CONFIG_HOME="+home, "TERM=xterm", "NO_COLOR=1",
		"PAGER=", "COLUMNS=", "LINES=", "HISTSIZE=", "TOOLLEDGER=", "TOOLLEDGER_KEY=", "VISUAL=")
	p.cmd.Env = append(p.cmd.Env, env...)
	p.cmd.Stdin, p.cmd.Stdout, p.cmd.Stderr = tty, tty, tty
	p.cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() {
		p.cmd.Wait()
		close(p.ended)
	}()
	go p.watch()
	t.Cleanup(func() {
		p.cmd.Process.Kill()
		<-p.ended
		tty.Close()
		screen.Close()
	})
	return p
}

// ask sits down at a shell, with a ledger if args name one, and waits for its prompt.
func ask(t *testing.T, home string, env []string, args ...string) *typist {
	t.Helper()
	p := sit(t, home, env, "toolledger", append([]string{"shell"}, args...)...)
	p.expect("Ctrl-D ends.")
	p.expect("> ")
	return p
}

func (p *typist) watch() {
	buf := make([]byte, 4096)
	for {
		n, err := p.screen.Read(buf)
		p.mu.Lock()
		p.text = append(p.text, buf[:n]...)
		p.mu.Unlock()
		select {
		case p.wrote <- struct{}{}:
		default:
		}
		if err != nil {
			return
		}
	}
}

func (p *typist) resize(columns, rows uint16) {
	p.t.Helper()
	if err := pty.Setsize(p.screen, &pty.Winsize{Rows: rows, Cols: columns}); err != nil {
		p.t.Fatal(err)
	}
}

func (p *typist) send(keys string) {
	p.t.Helper()
	if _, err := p.screen.WriteString(keys); err != nil {
		p.t.Fatal(err)
	}
}

// expect waits until a text appears, and returns what came before it.
func (p *typist) expect(text string) string {
	p.t.Helper()
	late := time.After(patience)
	for {
		p.mu.Lock()
		before, behind, found := bytes.Cut(p.text, []byte(text))
		if found {
			p.text = behind
		}
		p.mu.Unlock()
		if found {
			return string(before)
		}
		select {
		case <-p.wrote:
		case <-late:
			p.t.Fatalf("waited for %q in\n%q", text, before)
		}
	}
}

// say sends keys and waits for a text, then for the prompt.
func (p *typist) say(keys, want string) {
	p.t.Helper()
	p.send(keys)
	p.expect(want)
	p.expect("> ")
}

// leaves waits for the end of the command, and holds its status and the terminal's mode.
func (p *typist) leaves(status int) {
	p.t.Helper()
	select {
	case <-p.ended:
	case <-time.After(patience):
		p.mu.Lock()
		defer p.mu.Unlock()
		p.t.Fatalf("it does not end: %q", p.text)
	}
	if got := p.cmd.ProcessState.ExitCode(); got != status {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.t.Errorf("exit status %d, want %d; %q", got, status, p.text)
	}
	after, err := term.GetState(int(p.tty.Fd()))
	if err != nil || !reflect.DeepEqual(after, p.before) {
		p.t.Errorf("the terminal's mode is %v, %v, and was %v", after, err, p.before)
	}
}

// makeLedger makes a ledger of the sample session, my.ledger in a new folder.
func makeLedger(t *testing.T) (home string) {
	t.Helper()
	home = t.TempDir()
	sample, err := filepath.Abs("../../samples/session-dirty.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("toolledger", "import", "-l", "my.ledger", sample)
	cmd.Dir = home
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return home
}

// TestPtyLeave leaves the shell in every way there is.
func TestPtyLeave(t *testing.T) {
	const long = "range x from 1 to 100000000000 step 1 | summarize sum(x);\r"
	for _, test := range []struct {
		name   string
		leave  func(p *typist)
		status int
	}{
		{"ctrl-D", func(p *typist) { p.send("\x04") }, 0},
		{"quit", func(p *typist) { p.send(".quit 7\r") }, 7},
		{"twice ctrl-C", func(p *typist) { p.send("\x03"); p.expect("^C"); p.expect("> "); p.send("\x03") }, 130},
		{"twice ctrl-C in a query", func(p *typist) {
			p.send(long)
			p.expect("entries read")
			p.send("\x03")
			p.expect("interrupted")
			p.expect("> ")
			p.send("\x03")
		}, 130},
		{"SIGTERM at the prompt", func(p *typist) { p.cmd.Process.Signal(syscall.SIGTERM) }, 143},
		{"SIGHUP at the prompt", func(p *typist) { p.cmd.Process.Signal(syscall.SIGHUP) }, 129},
		{"SIGTERM in a query", func(p *typist) { p.send(long); p.expect("entries read"); p.cmd.Process.Signal(syscall.SIGTERM) }, 143},
	} {
		t.Run(test.name, func(t *testing.T) {
			p := ask(t, t.TempDir(), nil)
			test.leave(p)
			p.leaves(test.status)
		})
	}
	t.Run("panic", func(t *testing.T) {
		p := sit(t, t.TempDir(), nil, "toolledger-panics")
		p.expect("toolledger> ")
		p.send(".panic\r")
		p.expect("panic: for the test")
		p.leaves(2)
	})
}

// TestPtyAsksToCreate asks before it makes a ledger.
func TestPtyAsksToCreate(t *testing.T) {
	for answer, made := range map[string]bool{"n\r": false, "\r": false, "\x04": false, "\x03": false, "y\r": true, "Yes\r": true} {
		home := t.TempDir()
		p := sit(t, home, nil, "toolledger", "shell", "-l", "new.ledger")
		p.expect("There is no ledger at new.ledger. Create one? [y/N] ")
		p.send(answer)
		switch {
		case made:
			p.expect("new.ledger: ")
			p.expect("new.ledger> ")
			p.send(".quit\r")
			p.leaves(0)
		case answer == "\x03": // the shell is not there yet
			p.leaves(-1)
		default:
			p.expect("error: no ledger at new.ledger")
			p.leaves(2)
		}
		if _, err := os.Stat(filepath.Join(home, "new.ledger")); errors.Is(err, os.ErrNotExist) == made {
			t.Errorf("%q: %v", answer, err)
		}
	}
}

// TestPtyDumb types where no line can be edited: an interrupt is a signal there.
func TestPtyDumb(t *testing.T) {
	p := ask(t, makeLedger(t), []string{"TERM=dumb"}, "-l", "my.ledger")
	p.say("print 6*7;\r", "42")
	p.send("print (1,\r")
	p.expect("(> ")
	p.send("2\x03")
	p.expect("my.ledger> ")
	p.say("print 7*7;\r", "49")
	p.send("\x04")
	p.leaves(0)
}

// withoutEscapes takes the sequences that move the cursor out of a text.
func withoutEscapes(text string) string {
	var b strings.Builder
	for len(text) > 0 {
		if !strings.HasPrefix(text, "\x1b[") {
			b.WriteByte(text[0])
			text = text[1:]
			continue
		}
		end := strings.IndexFunc(text[2:], func(r rune) bool { return r >= '@' && r <= '~' })
		if end < 0 {
			break
		}
		text = text[2+end+1:]
	}
	return b.String()
}
