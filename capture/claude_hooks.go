package capture

import "strings"

// progress reads a line that tells how a call goes on. Those of a sub-agent repeat its own file;
// the first of them links the two.
func (p *claudeReader) progress(r *Record, l *claudeLine) {
	kind := l.data.Get("type").Text()
	by := r.Value.Get("parentToolUseID").Text()
	switch kind {
	case "agent_progress":
		agent := l.data.Get("agentId").Text()
		chat := p.chat(l)
		if call := chat.open[by]; call != nil && agent != "" && !chat.Seen("agent", []byte(agent)) {
			chat.link(agent, call)
			r.Context()
			return
		}
	case "hook_progress":
		p.chat(l).hook(by, l.data.Get("hookName").Text())
	}
	r.Skip(strings.TrimSpace("progress " + kind))
}

// hook notes that a hook saw a call.
func (t *claudeChat) hook(id, name string) {
	if call := t.open[id]; call != nil {
		call.hook = name
	}
}

// attachment reads a line of what Claude Code adds for the agent to see. Some are words of the user,
// written while the agent was at work; some are what hooks decided.
func (p *claudeReader) attachment(r *Record, l *claudeLine) {
	a := l.attachment
	kind := a.Get("type").Text()
	id := a.Get("toolUseID").Text()
	switch kind {
	case "queued_command":
		origin := a.Get("origin", "kind").Text()
		words, _ := claudeWords(a.Get("prompt").Plain())
		if mode := a.Get("commandMode").Text(); words != "" && (mode == "" || mode == "prompt") && (origin == "" || origin == "human") {
			p.chat(l).User(words)
			r.Context()
			return
		}
	case "hook_blocking_error":
		call := p.chat(l).open[id]
		if call != nil && a.Get("hookEvent").Text() == preToolUse {
			call.hook = a.Get("hookName").Text()
			call.denial = firstWords(a.Get("blockingError", "blockingError").Text(), call.hook)
			r.Context()
			return
		}
	case "hook_permission_decision":
		chat := p.chat(l)
		if call := chat.open[id]; call != nil {
			v := Verdict{Policy: a.Get("hookEvent").Text(), Time: ParseTime(l.time)}
			switch a.Get("decision").Text() {
			case "allow":
				v.Authorization = "ALLOWED"
				chat.Decide(id, v)
				return
			case "deny":
				chat.deny(id, v)
				return
			}
		}
	}
	r.Skip(strings.TrimSpace("attachment " + kind))
}

// claudeFailures are how a call's error begins when the tool itself failed, for the tools of which that
// is known.
var claudeFailures = map[string][]string{
	"Bash":         {"Exit code ", "Command timed out", "Command failed", "Shell command failed"},
	"PowerShell":   {"Exit code ", "Command timed out", "Command failed"},
	"Edit":         fileFailures,
	"MultiEdit":    fileFailures,
	"Write":        fileFailures,
	"NotebookEdit": fileFailures,
	"Read":         fileFailures,
}

var fileFailures = []string{"ENOENT", "EACCES", "EISDIR", "EPERM", "ENOTDIR", "EROFS", "ENOSPC", "EMFILE", "EBUSY", "ELOOP", "ENAMETOOLONG",
	"File ", "String to replace", "Path does not", "Failed to ", "Invalid ", "Unable to ", "Cannot ", "PDF "}

// refusedByHook tells whether an error is the refusal of a hook, in the hook's own words: hooks saw the call before it ran
// and none did after it, neither as done nor as failed, and the words are none of the tool's.
func (c *claudeCall) refusedByHook(text string) bool {
	failures, known := claudeFailures[c.tool]
	if !known || !strings.HasPrefix(c.hook, preToolUse+":") || strings.HasPrefix(text, "<tool_use_error>") || strings.HasPrefix(text, "[Request interrupted") {
		return false
	}
	for _, beginning := range failures {
		if strings.HasPrefix(text, beginning) {
			return false
		}
	}
	return strings.TrimSpace(text) != ""
}
