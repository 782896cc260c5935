package capture

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"toolledger/db"
)

func TestFollow(t *testing.T) {
	dir, folder := t.TempDir(), t.TempDir()
	path := filepath.Join(folder, "toy.jsonl")
	write := func(flag int, text string) {
		t.Helper()
		f, err := os.OpenFile(path, flag|os.O_CREATE|os.O_WRONLY, 0o600)
		if err == nil {
			_, err = f.WriteString(text)
			err = errors.Join(err, f.Close())
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	write(0, "")
	led, err := db.Open(dir, db.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var batches []string
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	steps := []func(){
		func() { write(os.O_APPEND, `{"call":"a","tool":"ls"}`+"\n"+`{"call":"b",`) },
		func() { write(os.O_APPEND, `"tool":"cat"}`+"\n") },
		func() { write(os.O_APPEND, `{"result":"a","response":1}`+"\n") },
		func() { write(os.O_TRUNC, "\n"+`{"call":"c","tool":"ls"}`+"\n") }, // shorter, and new
		func() {
			write(os.O_APPEND, `{"result":"c"}`) // its newline never comes
			if err := os.Rename(path, path+".1"); err != nil {
				t.Fatal(err)
			}
		},
		func() { write(0, `{"call":"d","tool":"ls"}`+"\n") },
		stop,
	}
	f := Follow{
		Import: &Import{Format: &toyFormat, Name: "toy.jsonl", Session: "toy"}, Ledger: led, Path: path,
		Wait: func(ctx context.Context) error {
			if len(steps) > 0 {
				steps[0]()
				steps = steps[1:]
			}
			return ctx.Err()
		},
		Batch: func(r *Report) { batches = append(batches, r.Format) },
	}
	if err := f.Run(ctx); err != nil {
		t.Fatal(err)
	}
	if err := led.Close(); err != nil {
		t.Fatal(err)
	}
	want := `0 "ATTEMPT" "a" "ls"
1 "ATTEMPT" "b" "cat"
2 "COMPLETE" "a" "ls" 1
3 "ATTEMPT" "c" "ls"
4 "COMPLETE" "c" "ls"
5 "ATTEMPT" "d" "ls"`
	if got := strings.Join(entriesOf(t, dir), "\n"); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if len(batches) != 6 {
		t.Errorf("%d loads, want 6", len(batches))
	}
}

func TestFollowOfEntries(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(t.TempDir(), "calls.jsonl")
	line := `{"session":"s","tool":"ls","phase":"ATTEMPT"}` + "\n"
	for round, text := range []string{line, line + line, line + line} { // the last time, nothing is new
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		led, err := db.Open(dir, db.Options{})
		if err != nil {
			t.Fatal(err)
		}
		ctx, stop := context.WithCancel(t.Context())
		f := Follow{Import: &Import{Name: "calls.jsonl", Session: "calls"}, Ledger: led, Path: path, Wait: func(ctx context.Context) error {
			stop()
			return ctx.Err()
		}}
		if err := f.Run(ctx); err != nil {
			t.Fatal(err)
		}
		if err := led.Close(); err != nil {
			t.Fatal(err)
		}
		if got, want := len(entriesOf(t, dir)), min(round+1, 2); got != want {
			t.Errorf("round %d: %d entries, want %d", round, got, want)
		}
	}
}
