package capture

import (
	"maps"
	"slices"
	"strings"
)

// A codexEvent is a pair of events around what a call does. In a rollout the call is an item of the API
// with the same call_id, and the events add when it began and how long it took. Where there are only
// events, as 'codex exec --json' printed them once, they are the call.
type codexEvent struct {
	name     string // of begin and end, without the _begin and _end
	tool     string
	args     []string // members that are its arguments, as an object
	response []string // the first of these is its result
}

var codexEvents = []codexEvent{
	{"exec_command", "shell", []string{"command", "cwd"}, []string{"aggregated_output", "formatted_output", "stdout"}},
	{"patch_apply", "apply_patch", []string{"changes"}, []string{"stdout"}},
	{"mcp_tool_call", "", []string{"invocation"}, []string{"result"}},
	{"web_search", "web_search", []string{"query", "action"}, nil},
}

// event reads an event.
func (c *codexReader) event(r *Record, v Value, at Time) {
	t := c.session()
	kind := v.Get("type").Text()
	for _, e := range codexEvents {
		switch kind {
		case e.name + "_begin":
			c.begin(r, e, v, at)
			return
		case e.name + "_end":
			c.end(r, e, v, at)
			return
		}
	}
	switch kind {
	case "user_message":
		c.user(r, v.Get("message").Text(), true)
	case "agent_message":
		c.say(r, v.Get("message").Text(), true)
	case "agent_reasoning", "agent_reasoning_raw_content":
		c.say(r, v.Get("text").Text(), true)
	case "session_configured":
		c.setTurn("model", v.Get("model"))
		r.Context()
	case "task_complete", "turn_complete", "turn_aborted":
		c.settle()
		t.answered = true
		if kind == "turn_aborted" {
			r.Skip("event turn_aborted: " + v.Get("reason").Text())
			return
		}
		r.Skip("event " + kind)
	case "collab_agent_spawn_end":
		if call, ok := t.calls[v.Get("call_id").Key()]; ok {
			c.link(call.request, v)
		}
		r.Context()
	default:
		r.Skip("event " + kind)
	}
}

// begin reads that a call began to run.
func (c *codexReader) begin(r *Record, e codexEvent, v Value, at Time) {
	t := c.session()
	id := v.Get("call_id").Key()
	if id == "" {
		r.Skip("event without call_id")
		return
	}
	if t.s.Has(id) && !t.s.IsOpen(id) || t.s.Seen("begin", []byte(id), v) {
		r.Repeated()
		return
	}
	if !t.s.IsOpen(id) {
		if e.name == "web_search" {
			r.Skip("event web_search_begin") // its end has the query
			return
		}
		c.attempt(e, id, v, at)
	}
	var metadata []Field
	if auto := v.Get("auto_approved"); auto != nil {
		metadata = append(metadata, Field{"auto_approved", auto.clone()})
	}
	c.begun[id] = begun{at, metadata}
	r.mark(isSource, "") // of START, or what shows that it was denied
}

// attempt tells a call of which there is no item.
func (c *codexReader) attempt(e codexEvent, id string, v Value, at Time) {
	t := c.items
	t.turn()
	args := Value(nil)
	tool := e.tool
	if e.name == "mcp_tool_call" {
		tool, args = v.Get("invocation", "tool").Text(), v.Get("invocation", "arguments")
	} else {
		args = (&callItem{args: e.args, all: true}).arguments(v)
	}
	metadata := t.metadata[:len(t.metadata):len(t.metadata)]
	if server := v.Get("invocation", "server"); server.IsText() {
		metadata = append(metadata, Field{"mcp_server", server})
	}
	request := t.s.Attempt(Call{ID: id, Tool: tool, Args: args, Time: at, Parent: t.parent, Metadata: metadata})
	t.calls[id] = itemCall{id: id, tool: tool, request: request}
}

// end reads how a call ended: what an output adds to that follows, or all that there is.
func (c *codexReader) end(r *Record, e codexEvent, v Value, at Time) {
	t := c.session()
	id := v.Get("call_id").Key()
	item := id != "" && t.calls[id].item
	switch {
	case id == "":
		r.Skip("event without call_id")
		return
	case item && t.s.IsOpen(id):
		c.ended[id] = c.ending(e, v, at)
		r.mark(isSource, "") // of the entry of its output
		return
	case t.s.Has(id) && !t.s.IsOpen(id), e.name == "web_search" && !c.envelope, e.name == "patch_apply" && !c.envelope && !t.s.Has(id):
		r.Repeated() // the call's own item and output tell it
		return
	case !t.s.IsOpen(id):
		c.attempt(e, id, v, at)
	}
	c.finish(id, c.ending(e, v, at))
}

// ending returns what an event tells of how a call ended.
func (c *codexReader) ending(e codexEvent, v Value, at Time) Result {
	res := Result{Time: at, DurationMS: durationMS(v.Get("duration"))}
	for _, name := range e.response {
		if m := v.Get(name); m.Has() && !(m.IsText() && len(m) == 2) {
			res.Response = m.clone()
			break
		}
	}
	words := res.Response.Plain()
	if code := v.Get("exit_code"); code.IsNumber() {
		res.Error = string(code) != "0"
		res.Metadata = append(res.Metadata, Field{"exit_code", code.clone()})
	}
	if success := v.Get("success"); success != nil && !success.IsTrue() {
		res.Error = true
	}
	if stderr := v.Get("stderr"); stderr.IsText() && len(stderr) > 2 {
		if res.Error && res.Response == nil {
			res.Response = stderr.clone()
		} else {
			res.Metadata = append(res.Metadata, Field{"stderr", stderr.clone()})
		}
		words += stderr.Text()
	}
	if result := v.Get("result"); e.name == "mcp_tool_call" {
		res.Error = result.Get("Err") != nil || result.Get("Ok", "isError").IsTrue() || result.Get("Ok", "is_error").IsTrue()
		words = result.Get("Err").Text()
	}
	switch v.Get("status").Text() {
	case "failed":
		res.Error = true
	case "declined":
		res.Denied = "declined"
	}
	if res.Error || res.Denied != "" {
		for _, d := range codexDenials {
			if said := find([]phrase{d.phrase}, strings.TrimSpace(words)); said != "" {
				res.Denied, res.Policy = said, d.policy
				break
			}
		}
	}
	return res
}

// settle tells the results of calls whose end an event told, but no output: the turn is over, and
// none follows.
func (c *codexReader) settle() {
	for _, id := range slices.Sorted(maps.Keys(c.ended)) {
		if c.items.s.IsOpen(id) {
			c.finish(id, c.ended[id])
		}
		delete(c.ended, id)
	}
	c.End()
}
