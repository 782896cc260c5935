package capture

import (
	"encoding/json"
	"strings"
	"testing"

	"toolledger/chain"
)

// TestManagedFiles imports recorded sessions of managed agents, one of which has a call that was asked about and denied.
func TestManagedFiles(t *testing.T) {
	const count = `
import json,sys
E={}; S=0; source=0
for l in open(sys.argv[1]):
    method,v=json.loads(l)
    if isinstance(v,dict) and "." in v.get("type",""): E[v["id"]]=v
use=[e for e in E.values() if e["type"].endswith("tool_use")]; res=[e for e in E.values() if e["type"].endswith("tool_result")]
print(json.dumps(dict(lines=sum(1 for l in open(sys.argv[1])),calls=len(use),distinct=len(use),results=len(res),unanswered=len(use)-len(res),
    errors=sum(e["is_error"] for e in res),denied=sum(e["type"]=="user.tool_confirmation" and e["result"]=="deny" for e in E.values()),
    source=len(use)+len(res)+sum(e["type"]=="user.tool_confirmation" for e in E.values()))))`
	for _, name := range []string{"anthropic_managed_mcp_tools_reject.jsonl", "anthropic_managed_custom_tools.jsonl"} {
		t.Run(name, func(t *testing.T) {
			file := sharedFile(t, "anthropic-managed-agents/"+name)
			dir := t.TempDir()
			r := importFile(t, dir, file, nil, nil)
			var want claudeCounts
			if err := json.Unmarshal([]byte(python(t, count, file)), &want); err != nil {
				t.Fatal(err)
			}
			got := claudeCounts{r.Lines, int(r.Calls), requests(t, dir), int(r.Entries - r.Calls), int(r.Unanswered), int(r.Errors), int(r.Denied), r.Source}
			if got != want || r.Format != "anthropic" || r.Refused != 0 {
				t.Errorf("as %s, %d lines refused:\ngot  %+v\nwant %+v", r.Format, r.Refused, got, want)
			}
			grows(t, &anthropicFormat, file, r.Lines/2)
		})
	}

	dir := t.TempDir()
	importFile(t, dir, sharedFile(t, "anthropic-managed-agents/anthropic_managed_mcp_tools_reject.jsonl"), nil, nil)
	var verdicts []string
	for _, e := range storedIn(t, dir) {
		if a := e.text(chain.Authorization); a != "" {
			verdicts = append(verdicts, strings.Join([]string{e.text(chain.Phase), e.text(chain.Tool), a, e.text(chain.Policy), Value(e.members[chain.Metadata]).Get("denial").Text()}, " | "))
		}
	}
	want := "ATTEMPT | web_search_exa | DENIED | always_ask | This tool is not allowed in this demo.\nATTEMPT | web_fetch | ALLOWED | always_allow | "
	if got := strings.Join(verdicts, "\n"); got != want {
		t.Errorf("verdicts:\n%s\nwant\n%s", got, want)
	}
}

func TestAnthropicSniffRecord(t *testing.T) {
	for _, c := range []struct {
		name, text, want string
	}{
		{"transcript", `{"type":"user","sessionId":"s","uuid":"u","message":{"role":"user","content":"x"}}`, "claude-code"},
		{"transcript that has both ids", `{"type":"user","sessionId":"s","session_id":"s","uuid":"u","message":{"role":"user","content":"x"}}`, "claude-code"},
		{"stream-json", `{"type":"assistant","session_id":"s","message":{"role":"assistant","content":[]}}`, "anthropic"},
		{"message", `{"role":"assistant","content":[{"type":"tool_use","id":"a","name":"b","input":{}}]}`, "anthropic"},
		{"request", `{"model":"m","messages":[{"role":"user","content":[{"type":"tool_result","tool_use_id":"a","content":"b"}]}]}`, "anthropic"},
		{"event", `{"type":"agent.tool_use","id":"a","name":"b","input":{}}`, "anthropic"},
		{"list of events", `{"data":[{"type":"agent.tool_use","id":"a","name":"b","input":{}}],"has_more":false}`, "anthropic"},
		{"OpenAI's call", `{"role":"assistant","content":null,"tool_calls":[]}`, ""},
		{"OpenAI's result", `{"role":"tool","tool_call_id":"a","content":"b"}`, ""},
		{"OpenAI's parts", `{"role":"user","content":[{"type":"image_url","image_url":{"url":"x"}}]}`, ""},
		{"OpenAI's request", `{"model":"gpt","messages":[{"role":"user","content":"x"}]}`, ""},
		{"Codex", `{"timestamp":"t","type":"response_item","payload":{"type":"message","role":"user","content":[]}}`, ""},
		{"entry", `{"session":"s","tool":"t"}`, ""},
		{"MCP", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{}}`, ""},
		{"number", `1`, ""},
	} {
		got := ""
		for _, f := range []*Format{&claudeFormat, &anthropicFormat} {
			if v, _ := ParseValue([]byte(c.text)); f.Sniff(v) {
				got += f.Name
			}
		}
		if got != c.want {
			t.Errorf("%s: taken for %q, want %q", c.name, got, c.want)
		}
	}
}
