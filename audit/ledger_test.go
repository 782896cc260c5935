package audit

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"testing"

	"toolledger/db"
	"toolledger/db/dbtest"
	"toolledger/query"
)

// madeLedger makes a ledger of entries in JSON at a path and closes it.
func madeLedger(t testing.TB, entries ...string) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "l")
	led, err := db.Open(dir, db.Options{NoSync: true})
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if _, err := led.AppendJSON(t.Context(), []byte(e)); err != nil {
			t.Fatal(err)
		}
	}
	if err := led.Close(); err != nil {
		t.Fatal(err)
	}
	return dir
}

// snapshotOf opens a ledger to read it.
func snapshotOf(t testing.TB, dir string) *db.Snapshot {
	t.Helper()
	led, err := db.Open(dir, db.Options{ReadOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { led.Close() })
	s, err := led.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return s
}

// tamper changes a text in an entry of a closed ledger's tail.
func tamper(t testing.TB, dir, old, new string) {
	t.Helper()
	if err := dbtest.Tamper(dir, old, new); err != nil {
		t.Fatal(err)
	}
}

// languageOn returns the language with the operators, on a ledger or on none.
func languageOn(s *db.Snapshot, opt query.Options) *query.Language {
	if s == nil {
		opt.Operators = Operators(nil, nil)
		return query.New(opt)
	}
	opt.Tables, opt.Operators = query.LedgerTables(s), Operators(s, nil)
	return query.New(opt)
}

// askText runs a query and writes its result; an error is its last line.
func askText(l *query.Language, text, format string, opt query.FormatOptions) string {
	var out strings.Builder
	if err := write(l, &out, text, format, opt); err != nil {
		text, _, _ := strings.Cut(err.Error(), "\n") // without its place
		fmt.Fprintf(&out, "error: %s\n", text)
	}
	for _, h := range l.Hints() {
		fmt.Fprintf(&out, "hint: %s\n", h)
	}
	return out.String()
}

func write(l *query.Language, out io.Writer, text, format string, opt query.FormatOptions) error {
	results, err := l.Compile(context.Background(), text, nil)
	if err != nil {
		return err
	}
	for _, r := range results {
		w := r.Writer(*query.FormatNamed(format), out, opt)
		if err := w.Begin(r.Fields); err != nil {
			return err
		}
		for b, err := range r.Batches(context.Background()) {
			if err == nil {
				err = w.Rows(b)
			}
			if err != nil {
				return err
			}
		}
		if err := w.End(); err != nil {
			return err
		}
	}
	return nil
}

// asCSV runs a query without what stands around its rows.
func asCSV(s *db.Snapshot, text string) string {
	return askText(languageOn(s, query.Options{}), text, "csv", query.FormatOptions{})
}
