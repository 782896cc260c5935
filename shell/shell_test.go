package shell

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"toolledger/query"
)

// A none is no ledger: print, range and datatable need none.
type none struct{ name string }

func (n none) Name() string   { return n.name }
func (none) Banner() []string { return nil }
func (none) Entries() int64   { return 0 }
func (none) Language(opt query.Options, safe bool) (*query.Language, func(), error) {
	return query.New(opt), func() {}, nil
}

// A scripted is an Input whose lines are known before, nil standing for an interrupt.
type scripted struct {
	lines      []any // string, or error
	prompts    []string
	remembered []string
	find       func(string) (int, []string)
	cooked     int
	closed     bool
}

func (in *scripted) Line(prompt string) (string, error) {
	in.prompts = append(in.prompts, prompt)
	if len(in.lines) == 0 {
		return "", io.EOF
	}
	next := in.lines[0]
	in.lines = in.lines[1:]
	if err, ok := next.(error); ok {
		return "", err
	}
	return next.(string), nil
}
func (in *scripted) Remember(line string)                       { in.remembered = append(in.remembered, line) }
func (in *scripted) Complete(find func(string) (int, []string)) { in.find = find }
func (in *scripted) Close() error                               { in.closed = true; return nil }
func (in *scripted) Cooked(do func() error) error {
	in.cooked++
	return do()
}

// testShell returns a shell without a ledger, and what it writes.
func testShell(t *testing.T, c Config) (s *Shell, out, err *bytes.Buffer) {
	t.Helper()
	out, err = new(bytes.Buffer), new(bytes.Buffer)
	c.Ledger, c.Out, c.Err = none{"my.ledger"}, out, err
	return New(c), out, err
}

func TestInteract(t *testing.T) {
	for _, test := range []struct {
		name             string
		lines            []any
		out, err, memory string
	}{
		{"statements on a line", []any{"print 1; print 2;"}, "{\"print_0\":1}\n{\"print_0\":2}\n", "\n", "print 1; print 2;"},
		{"blank line ends", []any{"print", "  1", ""}, "{\"print_0\":1}\n", "\n", "print 1"},
		{"the end ends", []any{"print 1"}, "", "\n", ""},
		{"a ; in a string", []any{`print "a;b"`, ";"}, "{\"print_0\":\"a;b\"}\n", "\n", `print "a;b" ;`},
		{"a ; in a comment", []any{"print 1 // c;", "| extend x=2;"}, "{\"print_0\":1,\"x\":2}\n", "\n", "print 1 | extend x=2;"},
		{"blank line in a text of several", []any{"print ```a;", "", "b```;"}, "{\"print_0\":\"a;\\n\\nb\"}\n", "\n", "print ```a;\n\nb```;"},
		{"a comment alone", []any{"// nothing", ""}, "", "\n", ""},
		{"interrupt takes what was typed", []any{"print 1", ErrAborted, "print 2;"}, "{\"print_0\":2}\n", "\n", "print 2;"},
		{"let stays", []any{"let x = 3;", "let y = x + 1;", "print y;"}, "{\"print_0\":4}\n", "\n", "let x = 3;|let y = x + 1;|print y;"},
		{"let anew", []any{"let x = 3;", "let x = 5;", "print x;"}, "{\"print_0\":5}\n", "\n", "let x = 3;|let x = 5;|print x;"},
		{"let with a fault does not stay", []any{"let x = 3;", "let x = nothing + 1; print x;", "print x;"}, "{\"print_0\":3}\n", "error: ", "let x = 3;|let x = nothing + 1; print x;|print x;"},
		{"leading space is not kept", []any{" print 1;"}, "{\"print_0\":1}\n", "\n", ""},
		{"a dot command", []any{".nullvalue -", ".timer off"}, "", "\n", ".nullvalue -|.timer off"},
		{"a dot that is none", []any{".5", ""}, "", "error: ", ".5"},
		{"unknown command", []any{".formt csv"}, "", "error: no command .formt, did you mean .format? (.help lists them)\n\n", ".formt csv"},
		{"an error keeps the shell", []any{"print nope;", "print 1;"}, "{\"print_0\":1}\n", "error: ", "print nope;|print 1;"},
		{"control characters are shown", []any{"print '\x1b[2J\u202e' + nope;"}, "", "error: ", "print '\x1b[2J\u202e' + nope;"},
	} {
		t.Run(test.name, func(t *testing.T) {
			s, out, err := testShell(t, Config{})
			in := &scripted{lines: test.lines}
			if test.name == "the end ends" {
				in.lines = append(in.lines, io.EOF)
				test.out, test.memory = "{\"print_0\":1}\n", "print 1"
			}
			if e := s.Interact(in); e != nil {
				t.Fatal(e)
			}
			if out.String() != test.out {
				t.Errorf("out %q, want %q", out, test.out)
			}
			if !strings.HasPrefix(err.String(), test.err) || strings.ContainsRune(err.String(), 0x1b) {
				t.Errorf("err %q, want %q", err, test.err)
			}
			if got := strings.Join(in.remembered, "|"); got != test.memory {
				t.Errorf("remembered %q, want %q", got, test.memory)
			}
		})
	}
}

// TestQuit ends a shell in every way there is.
func TestQuit(t *testing.T) {
	broken := errors.New("broken")
	for _, test := range []struct {
		name  string
		lines []any
		want  error
	}{
		{"quit", []any{".quit", "print 1;"}, &QuitError{0}},
		{"with a status", []any{".q 7"}, &QuitError{7}},
		{"two interrupts", []any{ErrAborted, ErrAborted, "print 1;"}, &QuitError{130}},
		{"the input", []any{broken}, broken},
		{"status out of range", []any{".quit 256"}, nil},
	} {
		s, _, _ := testShell(t, Config{})
		in := &scripted{lines: test.lines}
		if got := s.Interact(in); !reflect.DeepEqual(got, test.want) {
			t.Errorf("%s: %v, want %v", test.name, got, test.want)
		}
	}
}

func TestPrompt(t *testing.T) {
	for _, test := range []struct {
		name, pending string
		columns       int
		want          string
	}{
		{"my.ledger", "", 80, "my.ledger> "},
		{"my.ledger", "print 1", 80, "        -> "},
		{"my.ledger", "print (1,", 80, "        (> "},
		{"my.ledger", `print strcat("a", 'b`, 80, "        '> "},
		{"my.ledger", "print ```a", 80, "      ```> "},
		{"", "", 80, "toolledger> "},
		{"a\x1b[2J", "", 80, `a\x1b[2J> `},
		{strings.Repeat("x", 50), "", 80, strings.Repeat("x", 29) + "…> "},
		{"my.ledger", "", 20, "my.ledg…> "},
		{"my.ledger", "", 3, "…> "},
	} {
		s := New(Config{Ledger: none{test.name}, Size: func() (int, int) { return test.columns, 24 }})
		s.pending = test.pending
		if got := s.prompt(); got != test.want {
			t.Errorf("%q, %q at %d: %q, want %q", test.name, test.pending, test.columns, got, test.want)
		}
	}
}

func TestWords(t *testing.T) {
	for _, test := range []struct {
		text string
		want []string
		err  string
	}{
		{"", nil, ""},
		{" a  b\tc ", []string{"a", "b", "c"}, ""},
		{`"a b" 'c "d'`, []string{"a b", `c "d`}, ""},
		{`a"b c"d`, []string{"ab cd"}, ""},
		{`""`, []string{""}, ""},
		{`"a`, nil, `a " that does not end`},
		{"文字 é", []string{"文字", "é"}, ""},
	} {
		got, err := Words(test.text)
		if !reflect.DeepEqual(got, test.want) || (err == nil) != (test.err == "") || err != nil && err.Error() != test.err {
			t.Errorf("Words(%q) = %q, %v, want %q, %q", test.text, got, err, test.want, test.err)
		}
	}
}

func TestPieces(t *testing.T) {
	for _, test := range []struct {
		name, text string
		want       []piece
	}{
		{"nothing", "", nil},
		{"comments alone", "// a\n\n// b\n", nil},
		{"a query", "print 1", []piece{{1, "print 1", false}}},
		{"blank line ends", "print 1\n\nprint 2\n", []piece{{1, "print 1\n;\nprint 2\n", false}}},
		{"blank line before |", "print 1\n\n| extend x = 2\n", []piece{{1, "print 1\n\n| extend x = 2\n", false}}},
		{"commands between", ".mode csv\nprint 1\n.timer on\nprint 2;\n", []piece{{1, ".mode csv\n", true}, {2, "print 1\n", false}, {3, ".timer on\n", true}, {4, "print 2;\n", false}}},
		{"a dot in a text", "print ```a\n.quit\n\n```;\n", []piece{{1, "print ```a\n.quit\n\n```;\n", false}}},
		{"a dot in brackets", "print (1 +\n.5e0)\n", []piece{{1, "print (1 +\n.5e0)\n", false}}},
		{"CRLF", "print 1\r\n\r\nprint 2\r\n", []piece{{1, "print 1\r\n;\r\nprint 2\r\n", false}}},
	} {
		if got := pieces(test.text); !reflect.DeepEqual(got, test.want) {
			t.Errorf("%s: %+v, want %+v", test.name, got, test.want)
		}
	}
}

// TestScriptErrors says where a fault is, goes on if it is told to, and reads no script without end.
func TestScriptErrors(t *testing.T) {
	const text = "print 1;\n.formt\nprint 2;\n.timer off\nprint nope\n"
	s, out, _ := testShell(t, Config{})
	err := s.Script(t.Context(), strings.NewReader(text), "a.kql")
	if want := "a.kql:2: no command .formt, did you mean .format? (.help lists them)"; err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
	if want := "{\"print_0\":1}\n"; out.String() != want {
		t.Errorf("out %q, want %q", out, want)
	}
	s, out, said := testShell(t, Config{Continue: true})
	var told *ToldError
	if err := s.Script(t.Context(), strings.NewReader(text), "a.kql"); !errors.As(err, &told) || !strings.HasPrefix(err.Error(), "a.kql:2:") {
		t.Errorf("going on: %v, want the first, told", err)
	}
	if want := "{\"print_0\":1}\n{\"print_0\":2}\n"; out.String() != want || !strings.Contains(said.String(), "a.kql:5:7") {
		t.Errorf("going on: out %q, err %q", out, said)
	}
	name := filepath.Join(t.TempDir(), "self.kql")
	if err := os.WriteFile(name, []byte(".read '"+name+"'"), 0o600); err != nil {
		t.Fatal(err)
	}
	s, _, _ = testShell(t, Config{})
	if err := s.ReadFile(t.Context(), name); err == nil || !strings.Contains(err.Error(), "16 deep") {
		t.Errorf("a script that reads itself: %v", err)
	}
}
