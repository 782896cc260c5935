//go:build unix

package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestPtyHistory calls a statement of 25 lines back by one key, and finds one by a part of it.
func TestPtyHistory(t *testing.T) {
	home := t.TempDir()
	p := ask(t, home, nil)
	var text strings.Builder
	text.WriteString("print n = 1 // the first; of them\r")
	for i := range 23 {
		fmt.Fprintf(&text, "| extend n = n + 1 // %d \" it's one more;\r", i)
	}
	text.WriteString("| project answer = n * 1000 ;\r")
	p.say(text.String(), "24000")
	p.say("print 6*7;\r", "42")
	p.send("\x1b[A\x1b[A\r") // in the same shell
	p.expect("24000")
	p.expect("> ")
	p.send("\x04")
	p.leaves(0)
	b, err := os.ReadFile(filepath.Join(home, "toolledger", "history"))
	if err != nil || strings.Count(string(b), "\n") != 3 || strings.Contains(string(b), "//") {
		t.Errorf("history %q, %v", b, err)
	}
	p = ask(t, home, nil)
	p.say("\x1b[A\r", "24000") // in the next one
	p.send("\x126*7")
	p.expect("print 6*7;")
	p.say("\r", "42")
	p.send("\x04")
	p.leaves(0)
}

// TestPtyCompletion completes words by Tab.
func TestPtyCompletion(t *testing.T) {
	p := ask(t, makeLedger(t), nil, "-l", "my.ledger")
	for _, test := range []struct{ name, keys, want string }{
		{"table and operator", "entri\t | mv-exp\t", "entries | mv-expand"},
		{"column at that stage", "entries | project zebra = agent | where zeb\t", "where zebra"},
		{"values", "entries | where tool == \"read_\t", "read_file\""},
		{"several", "entries | summ\t by\t", "summarize by"},
		{"command", ".tim\t", ".timer"},
		{"values of a command", ".timer of\t", ".timer off"},
		{"file", ".read my.led\t", ".read my.ledger/"},
	} {
		p.send(test.keys)
		p.seen(test.name, test.want)
		p.send("\x15") // clears the line
	}
	p.send("\x04")
	p.leaves(0)
}

// seen waits until a line that is edited has a text, whatever moves the cursor in between.
func (p *typist) seen(name, want string) {
	p.t.Helper()
	all := ""
	for !strings.Contains(withoutEscapes(all), want) {
		next := want[len(want)-1:]
		all += p.expect(next) + next
	}
}

// TestPtyPaste pastes 30 lines that tabs indent.
func TestPtyPaste(t *testing.T) {
	p := ask(t, t.TempDir(), nil)
	var text strings.Builder
	text.WriteString("print n = 1\r")
	for range 28 {
		text.WriteString("\t| extend\t \r\t\tn = n + 1\r")
	}
	text.WriteString("\t| project n * 1000;\rprint 'behind it', 6*7;\r")
	p.send(text.String())
	p.expect("29000")
	p.expect("42")
	p.expect("toolledger> ")
	p.send("\x04")
	p.leaves(0)
}

// TestPtyInterrupt interrupts a line, a statement and a query, and goes on.
func TestPtyInterrupt(t *testing.T) {
	for name, do := range map[string]func(p *typist){
		"an empty line": func(p *typist) { p.send("\x03"); p.expect("^C") },
		"a line":        func(p *typist) { p.send("print nothing"); p.expect("nothing"); p.send("\x03"); p.expect("^C") },
		"three lines": func(p *typist) {
			p.send("print a =\r1\r| where (a")
			p.expect("where (a")
			p.send("\x03")
			p.expect("^C")
		},
		"a query": func(p *typist) {
			p.send("range x from 1 to 100000000000 step 1 | summarize sum(x);\r")
			p.expect("entries read")
			p.send("\x03")
			p.expect("interrupted")
		},
		"a join": func(p *typist) {
			p.send("range x from 1 to 100000 step 1 | extend k = 1 | join kind=inner (range y from 1 to 100000 step 1 | extend k = 1) on k | count;\r")
			p.expect("entries read")
			p.send("\x03")
			p.expect("interrupted")
		},
	} {
		t.Run(name, func(t *testing.T) {
			p := ask(t, t.TempDir(), nil)
			do(p)
			p.expect("toolledger> ")
			p.say("print 6*7;\r", "42")
			p.send("\x04")
			p.leaves(0)
		})
	}
}

// TestPtyNarrow makes the terminal narrow: lines are still edited, results still fit.
func TestPtyNarrow(t *testing.T) {
	p := ask(t, makeLedger(t), nil, "-l", "my.ledger")
	p.resize(20, 24)
	p.say("print 6*7;\r", "42")
	p.send("pri\t 7*7;\r") // Tab still completes
	p.expect("49")
	p.expect("> ")
	p.send("entries | project tool | take 1;\r")
	for _, line := range strings.Split(p.expect("(1 row)"), "\n") {
		if strings.Contains(line, "─") && len([]rune(strings.TrimSpace(line))) > 20 {
			t.Errorf("%q is wider than 20", line)
		}
	}
	p.expect("> ")
	p.send("\x04")
	p.leaves(0)
}

// TestPtyPager leaves a pager half-way through a result.
func TestPtyPager(t *testing.T) {
	pager, quit := "less -FRSX", "q"
	if _, err := exec.LookPath("less"); err != nil {
		pager, quit = "head -5", ""
	}
	p := ask(t, t.TempDir(), []string{"PAGER=" + pager, "LESS="})
	for range 2 {
		p.send("range x from 1 to 100000000000 step 1;\r")
		p.expect("2 │")
		p.send(quit)
		p.expect("toolledger> ")
		p.say("print 6*7;\r", "42")
	}
	p.send("\x04")
	p.leaves(0)
}

// TestPtyEdit runs what an editor leaves, which has the terminal as it was.
func TestPtyEdit(t *testing.T) {
	home := t.TempDir()
	editor := "#!/bin/sh\nstty -a > mode\ncat \"$1\" > last\necho 'print 6*7' > \"$1\"\n"
	if err := os.WriteFile(filepath.Join(home, "editor"), []byte(editor), 0o700); err != nil {
		t.Fatal(err)
	}
	p := ask(t, home, []string{"EDITOR=./editor"})
	p.say("print 'before';\r", "before")
	p.say(".edit\r", "42")
	p.say("\x1b[A;\r", "42") // is in the history
	p.send("\x04")
	p.leaves(0)
	for name, want := range map[string]string{"mode": " icanon", "last": "print 'before';"} {
		if b, err := os.ReadFile(filepath.Join(home, name)); err != nil || !strings.Contains(string(b), want) {
			t.Errorf("%s: %q, %v, want %q", name, b, err, want)
		}
	}
}

// TestPtyLedger imports, verifies and asks in one shell, which rc has set up.
func TestPtyLedger(t *testing.T) {
	home := makeLedger(t)
	if err := os.MkdirAll(filepath.Join(home, "toolledger"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(home, "toolledger", "rc"), []byte("let seven = 7;\n.nullvalue nil\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	p := sit(t, home, nil, "toolledger", "shell", "-l", "my.ledger")
	p.expect(" entries, ")
	p.expect(" session, ")
	p.expect(".help lists the commands")
	p.expect("my.ledger> ")
	p.say("print 6 * seven, int(null);\r", "nil")
	p.say("entries | where tool == \"other_\t\x15.import other.jsonl\r", "cannot open other.jsonl")
	p.say("entries | count;\r", "Count")
	other := `{"session":"s9","index":0,"time":"2026-01-02T03:04:05Z","agent":"new","tool":"other_tool","phase":"ATTEMPT","args":{}}` + "\n"
	if err := os.WriteFile(filepath.Join(home, "other.jsonl"), []byte(other), 0o600); err != nil {
		t.Fatal(err)
	}
	p.say(".import other.jsonl\r", "1 ")
	p.say("entries | where tool == \"other_\t | count;\r", "1 │") // its values are known
	p.say(".verify\r", "ledger: intact")
	p.say(".rules --list --rule unfinished-call\r", "unfinished-call")
	p.say(".rules --nope\r", "unknown flag: --nope")
	p.send("\x04")
	p.leaves(0)
}
