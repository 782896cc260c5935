package audit

import (
	"os"
	"strings"
	"testing"
	"testing/fstest"

	"toolledger/query"
)

// TestDoc checks the queries that the manual shows.
func TestDoc(t *testing.T) {
	text, err := os.ReadFile("doc.go")
	if err != nil {
		t.Fatal(err)
	}
	lang := query.New(query.Options{Tables: query.LedgerTables(nil), Operators: Operators(nil, fstest.MapFS{"new.json": {Data: []byte(`{"rules":[{"id":"a","allow":["ls"]}]}`)}})})
	n := 0
	for line := range strings.Lines(string(text)) {
		if shown, ok := strings.CutPrefix(strings.TrimSpace(line), "//\t"); ok && strings.HasPrefix(shown, "entries") {
			n++
			if err := lang.Check(shown, nil); err != nil {
				t.Errorf("%s: %v", shown, err)
			}
		}
	}
	if n == 0 {
		t.Error("the manual shows no query")
	}
}
