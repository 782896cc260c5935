package capture

import (
	"path/filepath"
	"strings"
	"testing"
)

// TestShapes finds the format of small files in shapes that programs really write, and counts what they hold:
// sessions, calls, unanswered, denied, errors.
func TestShapes(t *testing.T) {
	const (
		ask    = `{"model":"g","messages":[{"role":"user","content":"w"}]}`
		call   = `{"role":"assistant","content":null,"tool_calls":[{"id":"c1","type":"function","function":{"name":"f","arguments":"{}"}}]}`
		result = `{"role":"tool","tool_call_id":"c1","content":"r"}`
		use    = `{"role":"assistant","type":"message","id":"m1","content":[{"type":"tool_use","id":"t1","name":"f","input":{}}]}`
		used   = `{"role":"user","content":[{"type":"tool_result","tool_use_id":"t1","content":"r"}]}`
		fc     = `{"type":"function_call","id":"fc_1","call_id":"c1","name":"f","arguments":"{}"}`
		hook   = `"session_id":"s","transcript_path":"/t","cwd":"/w","permission_mode":"default","tool_name":"Bash","tool_input":{"command":"ls"}`
	)
	for _, c := range []struct {
		name, format string
		want         [5]uint64
		lines        []string
	}{
		{"chat: requests and answers are records by turns", "openai-chat", [5]uint64{1, 1, 0, 0, 0}, []string{ask,
			`{"id":"r1","object":"chat.completion","choices":[{"message":` + call + `}]}`,
			`{"model":"g","messages":[{"role":"user","content":"w"},` + call + `,` + result + `]}`,
			`{"id":"r2","object":"chat.completion","choices":[{"message":{"role":"assistant","content":"ok"}}]}`}},
		{"chat: only answers, each a conversation", "openai-chat", [5]uint64{2, 2, 2, 0, 0}, []string{
			`{"id":"r1","object":"chat.completion","choices":[{"message":` + call + `}]}`,
			`{"id":"r2","object":"chat.completion","choices":[{"message":` + strings.Replace(call, "c1", "c2", 1) + `}]}`}},
		{"chat: a trajectory beside the name of a task", "openai-chat", [5]uint64{1, 1, 0, 0, 0}, []string{
			`{"instance_id":"x__1","trajectory":[{"role":"user","content":"w"},` + call + `,` + result + `]}`}},
		{"chat: zero bytes before a line, as after a crash", "openai-chat", [5]uint64{1, 1, 0, 0, 0}, []string{
			`{"role":"system","content":"s"}`, "\x00\x00\x00" + call, result}},
		{"responses: requests and answers are records by turns", "openai-responses", [5]uint64{1, 1, 0, 0, 0}, []string{
			`{"model":"g","input":[{"role":"user","content":"w"}]}`,
			`{"id":"resp_1","object":"response","output":[` + fc + `]}`,
			`{"model":"g","input":[{"role":"user","content":"w"},` + fc + `,{"type":"function_call_output","call_id":"c1","output":"r"}]}`}},
		{"messages: bodies of HTTP within the record", "anthropic", [5]uint64{1, 1, 0, 0, 0}, []string{
			`{"request":{"url":"u","body":{"model":"claude-x","max_tokens":1,"messages":[{"role":"user","content":"w"}]}},"response":{"status":200,"body":` + use + `}}`,
			`{"request":{"url":"u","body":{"model":"claude-x","max_tokens":1,"messages":[{"role":"user","content":"w"},` + use + `,` + used + `]}},"response":{"status":200,"body":{"role":"assistant","content":[{"type":"text","text":"ok"}]}}}`}},
		{"messages: requests of a batch", "anthropic", [5]uint64{2, 2, 0, 0, 0}, []string{
			`{"custom_id":"a","params":{"model":"claude-x","max_tokens":1,"messages":[{"role":"user","content":"w"},` + use + `,` + used + `]}}`,
			`{"custom_id":"b","params":{"model":"claude-x","max_tokens":1,"messages":[{"role":"user","content":"v"},` + use + `,` + used + `]}}`}},
		{"hooks: before and after, one event written twice", "claude-code", [5]uint64{1, 1, 0, 0, 0}, []string{
			`{"session_id":"s","hook_event_name":"UserPromptSubmit","prompt":"w"}`,
			`{"hook_event_name":"PreToolUse","tool_use_id":"t1",` + hook + `}`, `{"hook_event_name":"PreToolUse","tool_use_id":"t1",` + hook + `}`,
			`{"hook_event_name":"PostToolUse","tool_use_id":"t1","tool_response":{"stdout":"r"},` + hook + `}`}},
		{"hooks: only after, no ids, one refused", "claude-code", [5]uint64{1, 3, 0, 1, 1}, []string{
			`{"hook_event_name":"PostToolUse","tool_response":"r",` + hook + `}`, `{"hook_event_name":"PostToolUse","tool_output":"r2",` + hook + `}`,
			`{"hook_event_name":"PreToolUse","tool_use_id":"t3",` + hook + `}`, `{"hook_event_name":"PermissionDenied","tool_use_id":"t3","reason":"no",` + hook + `}`,
			`{"hook_event_name":"PostToolUseFailure","tool_use_id":"t3","error":"no",` + hook + `}`, `{"hook_event_name":"Stop","session_id":"s"}`}},
	} {
		t.Run(c.name, func(t *testing.T) {
			text := strings.Join(c.lines, "\n") + "\n"
			f, err := Detect(strings.NewReader(text))
			if err != nil || f.Name != c.format {
				t.Fatalf("Detect = %v, %v; want %s", f, err, c.format)
			}
			r := convert(t, filepath.Join(t.TempDir(), "led"), f, text)
			if got := [5]uint64{uint64(r.Sessions), r.Calls, r.Unanswered, r.Denied, r.Errors}; got != c.want || r.Refused > 0 {
				t.Errorf("sessions, calls, unanswered, denied, errors: %v, want %v; %d refused", got, c.want, r.Refused)
			}
		})
	}
}
