package capture

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"toolledger/db"
)

// importFile imports a file into the ledger in dir, and checks that its lines add up.
func importFile(t *testing.T, dir, path string, f *Format) *Report {
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
	lines := strings.Count(strings.TrimSuffix(string(text), "\n"), "\n") + 1
	if sum := report.Source + report.Context + report.Repeated + report.Skipped + report.Refused; sum != report.Lines || report.Lines != lines {
		t.Errorf("%d lines of %d, which are %d by their kinds", report.Lines, lines, sum)
	}
	return report
}

// counted returns the figures of a report that an independent count gives too.
func counted(r *Report) string {
	return fmt.Sprintf("sessions %d, calls %d, unanswered %d, denied %d, errors %d", r.Sessions, r.Calls, r.Unanswered, r.Denied, r.Errors)
}

// python runs a program that counts the same by other means; without one it skips.
func python(t *testing.T, program string, args ...string) string {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), "python3", append([]string{"-c", program}, args...)...).Output()
	if err != nil {
		t.Skip("no python3:", err)
	}
	return strings.TrimSpace(string(out))
}

func TestTauBench(t *testing.T) {
	path := sharedFile(t, "openai-chat/tau-bench-gpt-4o-airline.json")
	dir := t.TempDir()
	report := importFile(t, dir, path, nil)
	want := python(t, `
import json, sys
d = json.load(open(sys.argv[1]))
m = [m for x in d for m in x["traj"]]
calls = sum(len(x.get("tool_calls") or []) for x in m)
results = [x for x in m if x["role"] == "tool"]
print(f"sessions {len(d)}, calls {calls}, unanswered {calls - len(results)}, denied 0, errors {sum(x['content'].startswith('Error:') for x in results)}")`, path)
	if got := counted(report); got != want || report.Format != "openai-chat" {
		t.Errorf("%s: %s; counted otherwise: %s", report.Format, got, want)
	}
	requests := map[string]int{}
	for _, line := range entriesOf(t, dir) {
		fields := strings.Fields(line)
		requests[fields[2]]++
	}
	if len(requests) != 1164 {
		t.Errorf("%d distinct requests, want 1164", len(requests))
	}
	for request, n := range requests {
		if n != 2 {
			t.Errorf("request %s has %d entries, want its ATTEMPT and its result", request, n)
		}
	}
	if report := importFile(t, dir, path, nil); report.Added != 0 || report.Known != 2*1164 {
		t.Errorf("the same file again: %d added, %d known", report.Added, report.Known)
	}
	t.Logf("%+v", report)
}
