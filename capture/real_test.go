package capture

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"toolledger/chain"
	"toolledger/db"
)

// importFileAt imports a file of the disk, as one that has its name for session, and checks that the
// lines add up.
func importFileAt(t *testing.T, dir string, f *Format, path string) *Report {
	t.Helper()
	in, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	led, err := db.Open(dir, db.Options{})
	if err != nil {
		t.Fatal(err)
	}
	im := Import{Format: f, Name: filepath.Base(path), Session: strings.TrimSuffix(filepath.Base(path), filepath.Ext(path))}
	report, err := im.Run(t.Context(), led, in)
	if err != nil {
		t.Fatal(err)
	}
	if err := led.Close(); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Count(string(text), "\n")
	if len(text) > 0 && text[len(text)-1] != '\n' {
		lines++
	}
	if sum := report.Source + report.Context + report.Repeated + report.Skipped + report.Refused; sum != report.Lines || report.Lines != lines {
		t.Errorf("%s: %d lines of %d, which are %d by their kinds", path, report.Lines, lines, sum)
	}
	return report
}

// writeFile writes a text to a file with that name.
func writeFile(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// shortReport returns what a report counts.
func shortReport(r *Report) string {
	s := fmt.Sprintf("lines %d: source %d, context %d, repeated %d, skipped %d, refused %d; sessions %d, entries %d, calls %d, unanswered %d, denied %d, errors %d\n",
		r.Lines, r.Source, r.Context, r.Repeated, r.Skipped, r.Refused, r.Sessions, r.Entries, r.Calls, r.Unanswered, r.Denied, r.Errors)
	for _, k := range r.SkippedKinds {
		s += fmt.Sprintf("skipped %s: %d, first %d\n", k.Kind, k.Lines, k.First)
	}
	for _, l := range r.RefusedLines {
		s += fmt.Sprintf("refused %d: %s\n", l.Line, l.Reason)
	}
	return s
}

// fullListing returns the entries of a ledger with all that a source can show, a line each.
func fullListing(t *testing.T, dir string) string {
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
		fmt.Fprintf(&b, "%s/%d", r.Session, r.Index)
		timed := Value(r.Members[chain.Metadata]).Get("time_source").Text() != "import"
		for _, m := range []chain.Member{chain.Phase, chain.Request, chain.At, chain.Agent, chain.Tool, chain.Authorization, chain.Policy, chain.Parent, chain.Trace,
			chain.Args, chain.Prompt, chain.Context, chain.Reasoning, chain.Response, chain.DurationMS, chain.Metadata} {
			if v := r.Members[m]; v != nil && (m != chain.At || timed) {
				fmt.Fprintf(&b, " %s=%s", m, v)
			}
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// goldenImport compares what an import of a file of testdata makes with the file beside it.
func goldenImport(t *testing.T, f *Format, name string) {
	t.Helper()
	dir := t.TempDir()
	path := filepath.Join("testdata", name)
	report := importFileAt(t, dir, f, path)
	got := shortReport(report) + "\n" + fullListing(t, dir)
	want := strings.TrimSuffix(path, filepath.Ext(path)) + ".golden"
	if *rewrite {
		if err := os.WriteFile(want, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	text, err := os.ReadFile(want)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(text) {
		t.Errorf("%s: got\n%s\nwant\n%s", name, got, text)
	}
	if again := importFileAt(t, dir, f, path); again.Added != 0 || again.Known != again.Entries || again.Entries != report.Entries {
		t.Errorf("%s again: %d added, %d known of %d", name, again.Added, again.Known, again.Entries)
	}
}

// growsBitByBit imports the beginnings of a file up to the lines that cut takes, nil for all, and then all of it, and
// wants what one import makes but for the order.
func growsBitByBit(t *testing.T, f *Format, name string, cut func(line string) bool) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	once := t.TempDir()
	want := importFileAt(t, once, f, writeFile(t, filepath.Base(name), string(text)))
	bit, added := t.TempDir(), uint64(0)
	for at := range text {
		line := text[:at]
		line = line[bytes.LastIndexByte(line, '\n')+1:]
		if text[at] == '\n' && (cut == nil || cut(string(line))) {
			report := importFileAt(t, bit, f, writeFile(t, filepath.Base(name), string(text[:at+1])))
			added += report.Added
		}
	}
	again := importFileAt(t, bit, f, writeFile(t, filepath.Base(name), string(text)))
	if again.Added != 0 || again.Entries < want.Entries {
		t.Errorf("%s bit by bit: %d added in the end, %d before, %d entries; want 0, %d", name, again.Added, added, again.Entries, want.Entries)
	}
	if a, b := factsOf(t, once), factsOf(t, bit); a != b {
		t.Errorf("%s bit by bit makes\n%s\nat once\n%s", name, b, a)
	}
}

// factsOf returns what the entries of a ledger say, sorted: what a source shows, without what is made of it.
func factsOf(t *testing.T, dir string) string {
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
	var lines []string
	for r, err := range s.Records(t.Context(), db.Range{}) {
		if err != nil {
			t.Fatal(err)
		}
		if r.Session == db.OwnSession || r.Members[chain.Phase] == nil {
			continue // of a verdict that came late
		}
		line := r.Session
		for _, m := range []chain.Member{chain.Phase, chain.Request, chain.Tool, chain.Response} {
			line += " " + string(r.Members[m])
		}
		lines = append(lines, line)
	}
	slices.Sort(lines)
	return strings.Join(slices.Compact(lines), "\n")
}

// sharedFile returns the path of a file of the data beside the checkout, and skips the test where there is none.
func sharedFile(t *testing.T, parts ...string) string {
	t.Helper()
	path := filepath.Join(append([]string{"..", "..", "shared", "data"}, parts...)...)
	if _, err := os.Stat(path); err != nil {
		t.Skip("no data beside the checkout")
	}
	return path
}

// countInPython counts something of a file without this package.
func countInPython(t *testing.T, script, path string) string {
	t.Helper()
	if _, err := exec.LookPath("python3"); err != nil {
		t.Skip("no python3")
	}
	out, err := exec.Command("python3", "-c", script, path).CombinedOutput()
	if err != nil {
		t.Fatalf("python3: %v\n%s", err, out)
	}
	return strings.TrimSpace(string(out))
}
