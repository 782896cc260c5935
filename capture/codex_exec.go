package capture

import "strings"

// A codexExecItem is a kind of item in the lines of 'codex exec --json' that is a call.
type codexExecItem struct {
	kind string
	tool string // its name; "": the item's tool
	args []string
	one  string // the member that is the arguments by itself
}

var codexExecItems = []codexExecItem{
	{kind: "command_execution", tool: "shell", args: []string{"command"}},
	{kind: "file_change", tool: "apply_patch", args: []string{"changes"}},
	{kind: "mcp_tool_call", one: "arguments"},
	{kind: "collab_tool_call", args: []string{"prompt", "receiver_thread_ids", "sender_thread_id"}},
	{kind: "web_search", tool: "web_search", args: []string{"query", "action"}},
}

// isCodexExec tells whether a record is a line of 'codex exec --json'.
func isCodexExec(v Value) bool {
	switch kind := v.Get("type").Text(); kind {
	case "thread.started":
		return v.Get("thread_id") != nil
	case "turn.started", "turn.completed", "turn.failed":
		return true
	default:
		return strings.HasPrefix(kind, "item.") && v.Get("item").IsObject()
	}
}

// exec reads a line of 'codex exec --json', which has no times.
func (c *codexReader) exec(r *Record, v Value) {
	switch kind := v.Get("type").Text(); kind {
	case "thread.started":
		if c.items == nil {
			c.open(v.Get("thread_id").Key())
		}
		r.Context()
	case "turn.started":
		c.session().answered = true
		c.said = nil
		r.Skip(kind)
	case "turn.completed", "turn.failed":
		c.settle()
		r.Skip(kind)
	case "item.started", "item.completed":
		c.execItem(r, v.Get("item"), kind == "item.completed")
	default:
		r.Skip(kind)
	}
}

func (c *codexReader) execItem(r *Record, v Value, done bool) {
	t := c.session()
	kind := v.First("type", "item_type").Text()
	for _, e := range codexExecItems {
		if e.kind == kind {
			c.execCall(r, e, v, done)
			return
		}
	}
	switch {
	case !done:
		r.Skip("item " + kind)
	case kind == "agent_message", kind == "assistant_message", kind == "reasoning":
		t.turn()
		c.say(r, v.Get("text").Text(), true)
	default:
		r.Skip("item " + kind)
	}
}

// execCall reads a call: one that began, or one that is done, whose beginning may have no line.
func (c *codexReader) execCall(r *Record, e codexExecItem, v Value, done bool) {
	t := c.session()
	id := v.Get("id").Key()
	state := "started"
	if done {
		state = "completed"
	}
	if t.s.Seen(state, []byte(id), v) {
		r.Repeated()
		return
	}
	request := c.running[id]
	if !done || request == "" || !t.s.IsOpen(request) {
		t.turn()
		call := Call{ID: id, Tool: e.tool, Args: (&callItem{args: e.args, all: true}).arguments(v)}
		if e.one != "" {
			call.Args = v.Get(e.one)
		}
		if call.Tool == "" {
			call.Tool = v.Get("tool").Text()
		}
		if server := v.Get("server"); server.IsText() {
			call.Metadata = append(call.Metadata, Field{"mcp_server", server})
		}
		request = t.s.Attempt(call)
		c.running[id] = request
	}
	if !done {
		c.begun[request] = begun{}
		return
	}
	res := Result{Response: e.rest(v)}
	switch v.Get("status").Text() {
	case "failed", "error":
		res.Error = true
	case "declined":
		res.Denied = "declined"
	}
	if code := v.Get("exit_code"); code.IsNumber() && string(code) != "0" {
		res.Error = true
	}
	if v.Get("error").Has() || v.Get("result", "isError").IsTrue() {
		res.Error = true
	}
	words := v.Get("aggregated_output").Text() + errorText(v.Get("error"))
	for _, d := range codexDenials {
		if said := find([]phrase{d.phrase}, words); said != "" && (res.Error || res.Denied != "") {
			res.Denied, res.Policy = said, d.policy
			break
		}
	}
	c.finish(request, res)
}

// rest returns what an item has besides the call: its result.
func (e *codexExecItem) rest(v Value) Value {
	var fields []Field
members:
	for name, m := range v.Members() {
		for _, arg := range append([]string{"id", "type", "item_type", "tool", "server", e.one}, e.args...) {
			if name == arg {
				continue members
			}
		}
		if m.Has() {
			fields = append(fields, Field{name, m})
		}
	}
	if fields == nil {
		return nil
	}
	return object(fields)
}
