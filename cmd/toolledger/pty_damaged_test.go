//go:build unix

package main

import (
	"os/exec"
	"testing"
)

// loseEntry makes my.ledger one whose last entry is lost: its store is one of before.
func loseEntry(t *testing.T, home string) {
	t.Helper()
	cmd := exec.Command("sh", "-c", `cp -r my.ledger/badger.1 before &&
		toolledger append -l my.ledger '{"session":"s9","tool":"ls","phase":"ATTEMPT"}' &&
		rm -r my.ledger/badger.1 && mv before my.ledger/badger.1`)
	cmd.Dir = home
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
}

// TestPtyDamaged opens a ledger that has lost an entry: the shell says so, above its first prompt
// and in each, reads what is there and writes nothing.
func TestPtyDamaged(t *testing.T) {
	home := makeLedger(t)
	loseEntry(t, home)
	p := sit(t, home, nil, "toolledger", "shell", "-l", "my.ledger")
	p.expect("warning: ")
	p.expect("damaged: the ledger was closed with 9 entries and has 8")
	p.expect("my.ledger: 6 entries, 1 session")
	p.expect("my.ledger (damaged)> ")
	p.say("entries | count;\r", "│     6 │")
	p.say(".verify\r", "not intact")
	p.send(".import none.jsonl\r")
	p.expect("none.jsonl")
	p.expect("my.ledger (damaged)> ")
	p.send(".open none\r") // the one that is open stays open
	p.expect("no ledger at none")
	p.expect("my.ledger (damaged)> ")
	p.send("\x04")
	p.leaves(0)

	// Opened from the prompt, it is said too.
	p = ask(t, home, nil)
	p.send(".open my.ledger\r")
	p.expect("warning: ")
	p.expect("my.ledger: 6 entries, 1 session")
	p.expect("my.ledger (damaged)> ")
	p.send("\x04")
	p.leaves(0)
}
