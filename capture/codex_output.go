package capture

import (
	"math"
	"strconv"
	"strings"
	"time"
)

// A codexDenial is how an output of Codex begins of a call that was not allowed, and who decided.
// The words are those of codex-rs, whose versions differ; they are the whole output or, where that
// tells an exit status, what stands behind it. A tool of an MCP server may say anything.
type codexDenial struct {
	phrase
	policy string // "" is the user
}

var codexDenials = []codexDenial{
	{phrase{begins: "exec command rejected by user"}, ""},
	{phrase{begins: "patch rejected by user"}, ""},
	{phrase{begins: "rejected by user"}, ""},
	{phrase{begins: "user rejected MCP tool call"}, ""},
	{phrase{begins: "user cancelled MCP tool call"}, ""},
	{phrase{begins: "exec_command failed", has: `Rejected("rejected by user")`}, ""},
	{phrase{begins: "exec_command failed", has: `Rejected(\"rejected by user\")`}, ""},
	{phrase{begins: "exec_command failed", has: "Rejected("}, "exec_policy"},
	{phrase{begins: "exec_command failed", has: "refusing to run unsandboxed"}, "sandbox_policy"},
	{phrase{begins: "patch rejected:", has: "rejected by user approval settings"}, "approval_policy"},
	{phrase{begins: "patch rejected:"}, "approval_policy"},
	{phrase{begins: "approval policy is", has: "reject command"}, "approval_policy"},
	{phrase{begins: "approval required by policy"}, "approval_policy"},
	{phrase{begins: "failed in sandbox", has: "sandbox denied exec error"}, "sandbox_policy"},
	{phrase{begins: "sandbox denied exec error"}, "sandbox_policy"},
	{phrase{begins: "execution error:", has: "Sandbox(Denied"}, "sandbox_policy"},
	{phrase{begins: "Network access to", has: "is blocked by policy"}, "network_policy"},
	{phrase{begins: "`", has: "rejected: blocked by policy"}, "exec_policy"},
	{phrase{begins: "`", has: "rejected: policy forbids"}, "exec_policy"},
	{phrase{begins: "`", has: "style commands are not permitted"}, "exec_policy"},
	{phrase{begins: "rejected: blocked by policy"}, "exec_policy"},
	{phrase{begins: "Command blocked by PreToolUse hook"}, "PreToolUse hook"},
	{phrase{begins: "Tool call blocked by PreToolUse hook"}, "PreToolUse hook"},
	{phrase{begins: "This action was rejected due to unacceptable risk"}, "automatic review"},
}

// codexErrors are how an output begins of a call that failed, where no exit status tells it.
var codexErrors = []phrase{
	{begins: "failed in sandbox"},
	{begins: "execution error:"},
	{begins: "exec_command failed"},
	{begins: "command timed out after"},
	{begins: "failed to parse function arguments"},
	{begins: "unsupported call:"},
	{begins: "unsupported custom tool call:"},
	{begins: "apply_patch verification failed"},
	{begins: "apply_patch handler received"},
	{begins: "tool call error:"},
	{begins: "Script failed"},
	{begins: "aborted"}, // "aborted by user after 2.1s", "aborted"
	{begins: "collab tool failed"},
	{begins: "write_stdin failed"},
}

// codexResult reads what an output of Codex tells: its exit status and how long it took,
// in one of the forms that its versions wrote, and whether it was denied.
//
//	{"output":…,"metadata":{"exit_code":0,"duration_seconds":0.1}}   as a text
//	{"content":…,"success":false}
//	Exit code: 0 / Wall time: 0.1 seconds / Output: / …              as lines
//	Chunk ID: … / Wall time: … / Process exited with code 0 / … / Output: / …
//	any text, or a list of texts
func codexResult(call itemCall, r *Result) {
	text, exit := "", ""
	success := Value(nil)
	switch v := r.Response; {
	case v.IsObject():
		text, success = v.First("content", "output").Plain(), v.Get("success")
	default:
		text = v.Plain()
		if inner, _ := ParseValue([]byte(text)); inner.Get("metadata").IsObject() && inner.Get("output") != nil {
			r.Response = inner
			text, exit = inner.Get("output").Plain(), inner.Get("metadata", "exit_code").Key()
			r.DurationMS = milliseconds(inner.Get("metadata", "duration_seconds").Key())
		}
	}
	if exit == "" {
		text, exit = codexLines(text, r)
	}
	if exit != "" {
		if code := Value(exit); code.IsNumber() {
			r.Metadata = append(r.Metadata, Field{"exit_code", code})
		}
		r.Error = exit != "0"
	} else if success != nil {
		r.Error = !success.IsTrue()
	}
	if !r.Error && (exit != "" || success.IsTrue()) || strings.HasPrefix(call.tool, "mcp__") {
		if rule := textError(text); rule != "" && !r.Error && exit == "" && success == nil {
			r.Error = true
			r.Metadata = append(r.Metadata, Field{"error_rule", TextValue(rule)})
		}
		return
	}
	for _, d := range codexDenials {
		if words := find([]phrase{d.phrase}, text); words != "" {
			r.Denied, r.Policy = words, d.policy
			return
		}
	}
	if r.Error {
		return
	}
	rule := find(codexErrors, text)
	if rule == "" {
		rule = textError(text)
	}
	if rule != "" {
		r.Error = true
		r.Metadata = append(r.Metadata, Field{"error_rule", TextValue(rule)})
	}
}

// codexLines reads the lines that stand before an output, and returns the output and the exit status.
func codexLines(text string, r *Result) (output, exit string) {
	rest := text
	for n := 0; n < 8; n++ {
		line, after, more := strings.Cut(rest, "\n")
		name, value, _ := strings.Cut(line, ":")
		switch value = strings.TrimSpace(value); {
		case name == "Exit code":
			exit = value
		case name == "Wall time":
			r.DurationMS = milliseconds(strings.TrimSuffix(value, " seconds"))
		case strings.HasPrefix(line, "Process exited with code "):
			exit = strings.TrimPrefix(line, "Process exited with code ")
		case name == "Chunk ID", name == "Original token count", name == "Total output lines", strings.HasPrefix(line, "Process running with session ID"):
		case name == "Output" && value == "" && (exit != "" || r.DurationMS != ""):
			return after, exit
		default:
			return text, exit
		}
		if !more {
			break
		}
		rest = after
	}
	return text, exit
}

// milliseconds returns a number of seconds in milliseconds, "" if it is none.
func milliseconds(seconds string) string {
	f, err := strconv.ParseFloat(seconds, 64)
	if err != nil || f < 0 || f > 1e12 || math.IsNaN(f) {
		return ""
	}
	return strconv.FormatFloat(math.Round(f*1e9)/1e6, 'f', -1, 64)
}

// durationMS reads a duration as Codex's events have it: {"secs","nanos"}, or a text as "120ms".
func durationMS(v Value) string {
	if v.IsObject() {
		secs, ok := v.Get("secs").Float()
		nanos, _ := v.Get("nanos").Float()
		if !ok {
			return ""
		}
		return milliseconds(strconv.FormatFloat(secs+nanos/1e9, 'f', 9, 64))
	}
	if d, err := time.ParseDuration(v.Text()); err == nil && d >= 0 {
		return milliseconds(strconv.FormatFloat(d.Seconds(), 'f', 9, 64))
	}
	return ""
}
