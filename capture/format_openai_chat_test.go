package capture

import (
	"strings"
	"testing"
)

func TestTauBench(t *testing.T) {
	path := sharedFile(t, "openai-chat/tau-bench-gpt-4o-airline.json")
	dir := t.TempDir()
	report := importFile(t, dir, path, nil, nil)
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
	if report := importFile(t, dir, path, nil, nil); report.Added != 0 || report.Known != 2*1164 {
		t.Errorf("the same file again: %d added, %d known", report.Added, report.Known)
	}
	t.Logf("%+v", report)
}
