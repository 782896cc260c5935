package capture

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"toolledger/chain"
	"toolledger/db"
)

// importInto imports a file into the ledger in dir, and checks that the lines add up.
func importInto(t *testing.T, dir, file string, links *Links) *Report {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	in, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	led, err := db.Open(dir, db.Options{})
	if err != nil {
		t.Fatal(err)
	}
	name := filepath.Base(file)
	im := Import{Name: name, Session: strings.TrimSuffix(name, filepath.Ext(name)), Links: links}
	report, err := im.Run(t.Context(), led, in)
	if err != nil {
		t.Fatal(err)
	}
	if err := led.Close(); err != nil {
		t.Fatal(err)
	}
	lines := strings.Count(strings.TrimSuffix(string(text), "\n")+"\n", "\n")
	if sum := report.Source + report.Context + report.Repeated + report.Skipped + report.Refused; sum != report.Lines || report.Lines != lines {
		t.Errorf("%s: %d lines of %d, which are %d by their kinds", name, report.Lines, lines, sum)
	}
	return report
}

// whole returns the entries of a ledger with all that they have, but for what differs from import to import.
func whole(t *testing.T, dir string) string {
	t.Helper()
	led, err := db.Open(dir, db.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer led.Close()
	s, err := led.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	var b strings.Builder
	for r, err := range s.Records(t.Context(), db.Range{}) {
		if err != nil {
			t.Fatal(err)
		}
		if r.Session == db.OwnSession {
			continue
		}
		fmt.Fprintf(&b, "%s %d\n", r.Session, r.Index)
		for m := range chain.NumMembers {
			v := r.Members[m]
			switch m := chain.Member(m); {
			case v == nil, m == chain.Session, m == chain.Index:
			case m == chain.At && Value(r.Members[chain.Metadata]).Get("time_source").Text() == "import":
			case m.String() == "recorded":
			default:
				fmt.Fprintf(&b, "\t%s %s\n", m, v)
			}
		}
	}
	return b.String()
}

// TestAnthropicGolden imports files in which the formats are as irregular as they get, and compares all entries
// and the report with what was read and found right.
func TestAnthropicGolden(t *testing.T) {
	files, err := filepath.Glob("testdata/anthropic/*.json*")
	if err != nil || len(files) == 0 {
		t.Fatal("no files: ", err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			dir := t.TempDir()
			report := importInto(t, dir, file, nil)
			account, err := json.MarshalIndent(report, "", "\t")
			if err != nil {
				t.Fatal(err)
			}
			got := whole(t, dir) + string(account) + "\n"
			golden := strings.TrimSuffix(file, filepath.Ext(file)) + ".golden"
			if *rewrite {
				if err := os.WriteFile(golden, []byte(got), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if got != string(want) {
				t.Errorf("%s is another now; -rewrite-anthropic writes it:\n%s", golden, firstDifference(got, string(want)))
			}
			if filepath.Ext(file) == ".jsonl" {
				testAgain(t, file, report)
			}
		})
	}
}

// testAgain imports a file again: as it grows, nothing is added twice.
func testAgain(t *testing.T, file string, first *Report) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	grown := filepath.Join(t.TempDir(), filepath.Base(file))
	added := uint64(0)
	lines := strings.SplitAfter(string(text), "\n")
	last := uint64(0)
	for _, n := range []int{len(lines) / 3, len(lines) / 2, len(lines), len(lines)} {
		if err := os.WriteFile(grown, []byte(strings.Join(lines[:n], "")), 0o600); err != nil {
			t.Fatal(err)
		}
		report := importInto(t, dir, grown, nil)
		if report.Known != added {
			t.Errorf("%s, the first %d lines: %d entries known of %d", file, n, report.Known, added)
		}
		added, last = added+report.Added, report.Added
		if n == len(lines) && report.Calls != first.Calls {
			t.Errorf("%s: %d calls in pieces, %d at once", file, report.Calls, first.Calls)
		}
	}
	if last != 0 {
		t.Errorf("%s, the same again: %d entries added", file, last)
	}
}

// firstDifference returns some lines from where two texts differ.
func firstDifference(got, want string) string {
	a, b := strings.Split(got, "\n"), strings.Split(want, "\n")
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return fmt.Sprintf("line %d:\n\tgot  %s\n\twant %s", n+1, strings.Join(a[n:min(n+3, len(a))], "\n\t     "), strings.Join(b[n:min(n+3, len(b))], "\n\t     "))
}
