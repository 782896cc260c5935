package capture

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestOTLP(t *testing.T) {
	for _, name := range []string{"lines.jsonl", "openinference.json", "jaeger.json", "console.json"} {
		goldenImport(t, &otlpFormat, "otlp-"+name)
	}
	// A trace that is not whole has not all that is known of it later: where files are cut, all are.
	whole := false
	growsBitByBit(t, &otlpFormat, "otlp-lines.jsonl", func(line string) bool {
		whole = whole || strings.Contains(line, "invoke_agent")
		return whole
	})
}

// TestOTLPRecordings counts real spans by another program too.
func TestOTLPRecordings(t *testing.T) {
	path := sharedFile(t, "otlp-json", "agentevals-tempo_export_with_batches.json")
	dir := t.TempDir()
	report := importFileAt(t, dir, nil, path)
	got := fmt.Sprint(report.Format, " ", report.Calls, report.Unanswered, report.Errors, report.Sessions)
	want := countInPython(t, `
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
	list := fullListing(t, dir)
	for _, part := range []string{`agent="helm_agent"`, `trace="dd547580319ab0312cee07f1def50dad"`, `context=["list all helm releases\n"]`, `prompt="# Helm AI Agent`,
		"duration_ms=75.5842", `"time_source":"rounded"`, " args={} ", "/2 "} {
		if !strings.Contains(list, part) {
			t.Errorf("no %s in\n%s", part, list)
		}
	}
	if again := importFileAt(t, dir, nil, path); again.Added != 0 {
		t.Errorf("again: %d added", again.Added)
	}

	// Attributes alone.
	path = sharedFile(t, "otlp-json", "openinference-otel_genai_tool_execution_span.json")
	report = importFileAt(t, t.TempDir(), nil, path)
	if got := shortReport(report); report.Format != "otlp" || !strings.HasPrefix(got, "lines 9: source 9, context 0, repeated 0, skipped 0, refused 0; sessions 1, entries 2, calls 1, unanswered 0,") {
		t.Errorf("attributes alone: %s", got)
	}
}

// TestDetectTraces finds the formats of traces and messages in no other files.
func TestDetectTraces(t *testing.T) {
	root := sharedFile(t)
	err := filepath.WalkDir(root, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() || d.Name() == "SOURCES.md" {
			return err
		}
		in, err := os.Open(path)
		if err != nil {
			return err
		}
		defer in.Close()
		name := ""
		if f, err := Detect(in); err == nil {
			name = f.Name
		}
		want := map[string]string{"mcp-stdio": "mcp", "otlp-json": "otlp"}[filepath.Base(filepath.Dir(path))]
		if (name == "mcp" || name == "otlp" || name == "langsmith" || want != "") && name != want {
			t.Errorf("%s: format %q, want %q", path, name, want)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestFollowOfTraces pauses with a trace that is not whole: it waits for its root.
func TestFollowOfTraces(t *testing.T) {
	text, err := os.ReadFile("testdata/otlp-lines.jsonl")
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
