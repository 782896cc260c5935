package capture

import "strings"

// A hook of Claude Code is given an object for each event that it is set up for. Many a hook does nothing but
// write that to a file: then the file has the calls as they were made, also those that no transcript has any longer.

// isHookInput tells whether a value is what a hook is given.
func isHookInput(v Value) bool {
	return v.Get("hook_event_name").IsText() && v.Get("session_id").IsText()
}

// hookInput reads what a hook was given. Several hooks may have written the same event.
func (p *claudeReader) hookInput(r *Record) {
	v := r.Value
	l := parseClaudeLine(v)
	l.agent, l.mode = v.Get("agent_id").Text(), v.Get("permission_mode")
	if l.agent != "" {
		l.agentName = v.Get("agent_type").Text()
	}
	chat := p.chat(l)
	chat.settings(l)
	event, id, tool := v.Get("hook_event_name").Text(), v.Get("tool_use_id").Text(), v.Get("tool_name").Text()
	if id != "" && chat.Seen("hook", []byte(event), []byte(id)) {
		r.Repeated()
		return
	}
	at := ParseTime(l.time)
	switch event {
	case "UserPromptSubmit":
		chat.User(v.Get("prompt").Text())
		r.Context()
	case "PreToolUse":
		chat.hookCall(v, id, tool, at)
	case "PostToolUse", "PostToolUseFailure":
		if id != "" && !chat.Has(id) || id == "" && !chat.IsOpen(byTool(tool)) {
			chat.hookCall(v, id, tool, at) // no hook was given the call before it ran
		}
		response := v.First("tool_response", "tool_output", "error")
		chat.Finish(id, tool, Result{Response: response, Error: event == "PostToolUseFailure" || response.Get("is_error").IsTrue(), Time: at,
			DurationMS: string(v.Get("duration_ms"))})
	case "PermissionDenied":
		if !chat.Has(id) {
			chat.hookCall(v, id, tool, at)
		}
		chat.Decide(id, Verdict{Authorization: "DENIED", Time: at, Metadata: []Field{{"denial", v.Get("reason")}}})
	default:
		r.Skip(strings.TrimSpace("hook " + event))
	}
}

// hookCall makes a call of what a hook was given. Each is a turn of its own: of calls without ids, a result is that of the latest.
func (t *claudeChat) hookCall(v Value, id, tool string, at Time) {
	t.Turn()
	t.Attempt(Call{ID: id, Tool: tool, Args: v.Get("tool_input"), Time: at, Parent: t.parent,
		Metadata: []Field{{"cwd", t.cwd}, {"permission_mode", t.mode}}})
}
