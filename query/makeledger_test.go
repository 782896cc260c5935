package query

import (
	"path/filepath"
	"testing"

	"toolledger/chain"
	"toolledger/db"
)

// newLedger makes an empty ledger, which is closed at the end of the test.
func newLedger(t testing.TB) *db.Ledger {
	t.Helper()
	led, err := db.Open(filepath.Join(t.TempDir(), "ledger"), db.Options{NoSync: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { led.Close() })
	return led
}

// loadEntries adds entries by a load.
func loadEntries(t testing.TB, led *db.Ledger, entries [][]byte) {
	t.Helper()
	w, err := led.NewLoader(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		text, err := chain.Canonical(nil, e)
		if err != nil {
			t.Fatal(err)
		}
		in, err := db.ParseInput(chain.TextOf(text))
		if err == nil {
			_, err = w.Add(&in)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Finish("import", `{"by":"test"}`); err != nil {
		t.Fatal(err)
	}
}

// tablesOf returns the tables of a ledger as it is now.
func tablesOf(t testing.TB, led *db.Ledger) []Table {
	t.Helper()
	s, err := led.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return LedgerTables(s)
}
