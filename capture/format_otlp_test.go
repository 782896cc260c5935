package capture

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

// TestOTLPRecordings counts real spans by another program too.
func TestOTLPRecordings(t *testing.T) {
	path := sharedFile(t, "otlp-json/agentevals-tempo_export_with_batches.json")
	dir := t.TempDir()
	report := importFile(t, dir, path, nil, nil)
	got := fmt.Sprint(report.Format, " ", report.Calls, report.Unanswered, report.Errors, report.Sessions)
	want := python(t, `
import json, sys
spans = [s for b in json.load(open(sys.argv[1]))["batches"] for l in b["instrumentationLibrarySpans"] for s in l["spans"]]
attrs = [{a["key"]: list(a["value"].values())[0] for a in s["attributes"]} for s in spans]
tools = [(s, a) for s, a in zip(spans, attrs) if a.get("gen_ai.operation.name") == "execute_tool"]
wanted = {v for a in attrs for k, v in a.items() if k.startswith("gen_ai.completion.") and k.endswith(".id")}
calls = {a["gen_ai.tool.call.id"] for s, a in tools} | wanted
print("otlp", len(calls), len(calls) - sum(s["endTimeUnixNano"] > 0 for s, a in tools), sum(s["status"]["code"] == 2 for s, a in tools),
    len({a["gen_ai.conversation.id"] for s, a in tools}))`, path)
	if got != want {
		t.Errorf("calls, unanswered, errors, sessions: %s; counted by another program: %s", got, want)
	}
	list := listing(t, dir)
	for _, part := range []string{`agent "helm_agent"`, `trace "dd547580319ab0312cee07f1def50dad"`, `context ["list all helm releases\n"]`, `prompt "# Helm AI Agent`,
		"duration_ms 75.5842", `"time_source":"rounded"`, "args {}\n"} {
		if !strings.Contains(list, part) {
			t.Errorf("no %s in\n%s", part, list)
		}
	}
	if again := importFile(t, dir, path, nil, nil); again.Added != 0 {
		t.Errorf("again: %d added", again.Added)
	}

	// Attributes alone.
	path = sharedFile(t, "otlp-json/openinference-otel_genai_tool_execution_span.json")
	report = importFile(t, t.TempDir(), path, nil, nil)
	if got := account(report); report.Format != "otlp" || !strings.HasPrefix(got, "lines 9: source 9,") || report.Entries != 2 || report.Calls != 1 || report.Unanswered != 0 {
		t.Errorf("attributes alone: %s", got)
	}
}

// TestFollowOfTraces pauses with a trace that is not whole: it waits for its root.
func TestFollowOfTraces(t *testing.T) {
	text, err := os.ReadFile("testdata/otlp/lines.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	report := &Report{}
	c := newConversion(&Import{Session: "x"}, report)
	reader := otlpFormat.New(c)
	entries := []uint64{}
	for _, line := range strings.SplitAfter(string(text), "\n") {
		if err := c.read(t.Context(), lineRecords, strings.NewReader(line), reader, false, func() {}); err != nil {
			t.Fatal(err)
		}
		c.pause(reader)
		entries = append(entries, report.Entries)
	}
	c.finish(reader)
	c.end()
	entries = append(entries, report.Entries)
	if got, want := fmt.Sprint(entries), "[0 0 0 0 0 0 0 0 0 0 14 17 17 17 17 23]"; got != want {
		t.Errorf("entries after each line: %s, want %s", got, want)
	}
	if sum := report.Source + report.Context + report.Repeated + report.Skipped + report.Refused; sum != 14 || report.Lines != 14 {
		t.Errorf("%d lines, %d by their kinds; want 14", report.Lines, sum)
	}
}
