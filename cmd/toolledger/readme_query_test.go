package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestReadmeQueries runs the queries that the README shows, over the sessions of the demo and
// those that they name.
func TestReadmeQueries(t *testing.T) {
	text, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	var queries []string
	for _, m := range regexp.MustCompile("`((?:entries|diff|verify)\\b[^`]*)`|toolledger query -l my.ledger '([^']*)'").FindAllStringSubmatch(string(text), -1) {
		query := strings.ReplaceAll(m[1]+m[2], `\|`, "|")
		if query != "entries" && query != "verify FILE" {
			queries = append(queries, query)
		}
	}
	if len(queries) < 12 {
		t.Fatalf("the README shows %d queries: %q", len(queries), queries)
	}
	samples, err := filepath.Abs("../../samples/agents.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	named := `{"session":"monday","tool":"ls","args":{},"response":1}
{"session":"tuesday","tool":"ls","args":{},"response":2}
{"session":"s1","tool":"pay","args":{},"response":3}
`
	for name, text := range map[string]string{"named.jsonl": named, "new.cedar": "permit(principal, action, resource);"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	run := func(args ...string) {
		cmd := exec.Command("toolledger", args...)
		cmd.Dir = dir
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("toolledger %q: %v\n%s", args, err, out)
		}
	}
	run("import", "-l", "my.ledger", samples, "named.jsonl")
	for _, query := range queries {
		run("query", "-l", "my.ledger", query)
	}
}
