package audit

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"toolledger/db"
	"toolledger/query"
)

var golden = flag.Bool("golden", false, "write what operators print into testdata")

// ledgerLanguage returns the language on a ledger with the entries of a file of testdata.
func ledgerLanguage(t *testing.T, file string) *query.Language {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", file))
	if err != nil {
		t.Fatal(err)
	}
	led, err := db.Open(filepath.Join(t.TempDir(), "ledger"), db.Options{NoSync: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { led.Close() })
	if _, err := led.AppendJSON(t.Context(), bytes.Split(bytes.TrimSpace(text), []byte("\n"))...); err != nil {
		t.Fatal(err)
	}
	s, err := led.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return query.New(query.Options{Tables: query.LedgerTables(s), Operators: Operators(s, os.DirFS("testdata"))})
}

func plainLanguage() *query.Language {
	return query.New(query.Options{Operators: Operators(nil, nil)})
}

// printed returns the result of a query in a format, or the error.
func printed(t *testing.T, l *query.Language, text, format string, opt query.FormatOptions) string {
	t.Helper()
	results, err := l.Compile(t.Context(), text, nil)
	if err != nil {
		return err.Error()
	}
	var out strings.Builder
	w := results[0].Writer(*query.FormatNamed(format), &out, opt)
	if err := w.Begin(results[0].Fields); err != nil {
		t.Fatal(err)
	}
	for b, err := range results[0].Batches(t.Context()) {
		if err == nil {
			err = w.Rows(b)
		}
		if err != nil {
			return err.Error()
		}
	}
	if err := w.End(); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// holdGolden holds a text against a file of testdata.
func holdGolden(t *testing.T, file, got string) {
	t.Helper()
	path := filepath.Join("testdata", file)
	if *golden {
		if err := os.WriteFile(path, []byte(got), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil || got != string(want) {
		t.Errorf("%s: got\n%s\nwant\n%s%v", file, got, want, err)
	}
}
