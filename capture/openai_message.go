package capture

import (
	"fmt"
	"hash/maphash"
)

// tellMessage tells a session a message of a chat completion, and says what became of it.
func tellMessage(s *Session, r *Record, m Value, at Time, metadata []Field) {
	if t := messageTime(m); !t.IsZero() {
		at = t
	}
	switch role := m.Get("role").Text(); role {
	case "system", "developer":
		s.Prompt(m.Get("content").Plain())
		r.Context()
	case "user", "human":
		s.User(m.Get("content").Plain())
		r.Context()
	case "assistant", "model", "ai":
		tellTurn(s, r, m, at, metadata)
	case "tool", "function":
		tellResult(s, m, at)
	case "":
		r.Skip("message without a role")
	default:
		r.Skip("message of role " + role)
	}
}

// messageTime returns the time of a message, where somebody added one.
func messageTime(m Value) Time {
	return ParseTime(m.First("timestamp", "created_at", "create_time", "time"))
}

// tellTurn tells what the agent said, and its calls.
func tellTurn(s *Session, r *Record, m Value, at Time, metadata []Field) {
	s.Turn()
	s.Say(m.First("reasoning_content", "reasoning", "thinking").Plain())
	s.Say(m.Get("content").Plain())
	s.Say(m.Get("refusal").Text())
	made := false
	for call := range chatCalls(m) {
		made = true
		s.Attempt(Call{ID: call.id, Tool: call.tool, Args: call.args, Time: at, Metadata: metadata})
	}
	if !made {
		r.Context()
	}
}

// A chatCall is a call in a message, in any of the forms that are written.
type chatCall struct {
	id, tool string
	args     Value
}

// chatCalls walks the calls of a message. Where it has tool_calls, function_call is the same once more.
func chatCalls(m Value) func(func(chatCall) bool) {
	return func(yield func(chatCall) bool) {
		calls := m.Get("tool_calls")
		if calls.IsObject() {
			yield(chatCallOf(calls))
			return
		}
		n := 0
		for _, v := range calls.Elements() {
			if n++; v.IsObject() && !yield(chatCallOf(v)) {
				return
			}
		}
		if f := m.Get("function_call"); n == 0 && f.IsObject() {
			yield(chatCallOf(f))
		}
	}
}

// chatCallOf reads {"id","function":{"name","arguments"}}; its forms of a custom tool,
// {"custom":{"name","input"}}; without the function around it, as function_call has it; and
// {"name","args"}, as LangChain and AgentDojo have it, whose function may be a name alone.
func chatCallOf(v Value) chatCall {
	c := chatCall{id: v.First("id", "tool_call_id").Key()}
	inner := v.First("function", "custom")
	if inner.IsText() {
		c.tool, inner = inner.Text(), nil
	}
	if !inner.IsObject() {
		inner = v
	}
	if c.tool == "" {
		c.tool = inner.Get("name").Text()
	}
	for _, name := range []string{"arguments", "args", "input", "parameters"} {
		if c.args = inner.Get(name); c.args != nil {
			break
		}
		if c.args = v.Get(name); c.args != nil {
			break
		}
	}
	return c
}

// tellResult tells the result of a call. A chat has no word for errors and denials: they are known
// by a member that a framework adds, or by how the text begins.
func tellResult(s *Session, m Value, at Time) {
	id := m.Get("tool_call_id").Key()
	if id == "" {
		for _, v := range m.Get("tool_call_ids").Elements() { // SWE-agent
			id = v.Key()
			break
		}
	}
	res := Result{Response: m.Get("content"), Time: at}
	text := res.Response.Plain()
	res.Denied = find(denialPhrases, text)
	rule := chatError(m, text)
	if rule != "" && res.Denied == "" {
		res.Error = true
		res.Metadata = append(res.Metadata, Field{"error_rule", TextValue(rule)})
	}
	if e := m.Get("error"); e.Has() && len(e) > 2 {
		res.Metadata = append(res.Metadata, Field{"error", e})
	}
	s.Finish(id, m.Get("name").Text(), res)
}

// chatError returns by what a result is known to be an error, "" if it is none.
func chatError(m Value, text string) string {
	for _, member := range []string{"error", "is_error", "isError"} {
		if v := m.Get(member); v.IsTrue() || v.IsObject() || v.IsText() && len(v) > 2 {
			return member
		}
	}
	if m.Get("status").Text() == "error" { // LangChain's ToolMessage
		return "status"
	}
	return textError(text)
}

// textError returns by what the text of a result is known to be an error: how it begins, or a member
// of the object that it is.
func textError(text string) string {
	if words := find(errorPhrases, text); words != "" {
		return words
	}
	if len(text) == 0 || text[0] != '{' {
		return ""
	}
	v, _ := ParseValue([]byte(text))
	for _, member := range []string{"error", "is_error", "isError"} {
		if e := v.Get(member); e.IsTrue() || e.IsObject() || e.IsText() && len(e) > 2 {
			return "content." + member
		}
	}
	return ""
}

// messageSum is the same for a message and its repetition in a later request, which may spell absent
// members as null and text as a list of parts.
func messageSum(c *Conversion, m Value) uint64 {
	var h maphash.Hash
	h.SetSeed(c.seed)
	content := m.Get("content")
	text := content.Plain()
	if text == "" && content.IsArray() {
		text = string(content)
	}
	fmt.Fprintf(&h, "%s %q %q %d %s", m.Get("role").Text(), m.First("tool_call_id", "tool_call_ids").Key(), m.Get("name").Text(), len(text), text)
	for call := range chatCalls(m) {
		args, form := Arguments(call.args)
		fmt.Fprintf(&h, " %q %q %s %s", call.id, call.tool, form, args)
	}
	return h.Sum64()
}
