package capture

import (
	"fmt"
	"maps"
	"slices"
)

var codexFormat = Format{
	Name:  "codex",
	Short: "rollouts of Codex CLI, of all versions, and what 'codex exec --json' prints",
	Maps: `
function_call, custom_tool_call,
local_shell_call, web_search_call       ATTEMPT each
*_output                                COMPLETE; ERROR by exit_code, success, or words as "execution error:"
                                        DENIED by words as "patch rejected by user": metadata.denial; policy where a rule
                                        decided: approval_policy, sandbox_policy, exec_policy, …
duration_seconds, Wall time             duration_ms
exec_command_begin, item.started        START
reasoning's summary, agent_message      reasoning of the calls
base_instructions, instructions         prompt
user_message                            context
turn_context                            metadata: approval_policy, sandbox_policy, model, cwd
with_escalated_permissions              metadata.escalated, .justification
session_meta                            session, its id; agent, role of a sub-agent, whose calls have the
                                        spawn_agent call for parent
compacted                               what it repeats is not told again`,
	Sniff: isCodex,
	New:   newCodexReader,
}

// A codexReader reads one file. All of it is of one session: the first session_meta names it; those
// that follow are copies in a fork, of the conversation that it came from.
type codexReader struct {
	c     *Conversion
	s     *Session
	items *items

	named    bool
	envelope bool              // events stand alone, without the items of the API: {"id","msg"}
	users    heard             // the last messages of the user: they stand there twice, as item and as event
	said     heard             // what the agent said of late: likewise
	ended    map[string]Result // of calls whose end an event told, until their output tells the rest
	begun    map[string]begun  // calls that are said to have begun: START if they turn out not to be denied
	running  map[string]string // requests of the items of 'codex exec', whose ids begin anew with each run
	turn     map[string]Field  // from turn_context
}

func newCodexReader(c *Conversion) Reader {
	return &codexReader{c: c, ended: map[string]Result{}, begun: map[string]begun{}, running: map[string]string{}, turn: map[string]Field{}}
}

// A begun is when a call began.
type begun struct {
	at       Time
	metadata []Field
}

// End tells that calls run of which there is no result yet.
func (c *codexReader) End() {
	for _, id := range slices.Sorted(maps.Keys(c.begun)) {
		c.start(id)
	}
}

// start tells that a call began, where the source showed it. Codex says so before it asks
// whether the call may run, so that this waits until the call is known not to be denied.
func (c *codexReader) start(id string) {
	if b, ok := c.begun[id]; ok {
		delete(c.begun, id)
		c.s.Start(id, b.at, b.metadata...)
	}
}

// finish tells the result of a call that has no item for it.
func (c *codexReader) finish(id string, res Result) {
	if res.Denied != "" {
		delete(c.begun, id)
	}
	c.start(id)
	c.s.Finish(id, "", res)
	c.items.answered = true
}

// codexRecords are the types of records that wrap what they hold, or have it beside the type.
var codexRecords = []string{"session_meta", "turn_context", "response_item", "event_msg", "compacted", "world_state",
	"inter_agent_communication", "inter_agent_communication_metadata"}

func isCodex(v Value) bool {
	kind := v.Get("type").Text()
	switch {
	case slices.Contains(codexRecords, kind), v.Get("record_type") != nil:
		return v.Get("payload").IsObject() || kind == "session_meta" || kind == "turn_context" || kind == ""
	case isCodexExec(v):
		return true
	case v.Get("msg", "type").IsText() && v.Get("id") != nil:
		return true
	case kind == "" && v.Get("session", "id") != nil && v.Get("items").IsArray():
		return true
	case kind == "" && isCodexMeta(v):
		return true
	}
	return isItem(v)
}

// isCodexMeta tells whether a record is the first of a file without records' types.
func isCodexMeta(v Value) bool {
	return v.Get("id").IsText() && v.Get("timestamp").IsText() && v.Get("instructions") != nil
}

func (c *codexReader) Read(r *Record) error {
	v := r.Value
	at := ParseTime(v.Get("timestamp"))
	kind := v.Get("type").Text()
	payload, pointer := v.Get("payload"), "/payload"
	if payload == nil {
		payload, pointer = v, ""
	}
	switch {
	case kind == "session_meta", kind == "" && isCodexMeta(v):
		c.meta(r, payload)
	case kind == "turn_context":
		c.context(r, payload)
	case kind == "compacted":
		c.compacted(r, payload, at)
	case kind == "response_item", kind != "event_msg" && isItem(v), v.Get("role").IsText():
		c.item(r, payload, at)
	case kind == "event_msg":
		c.event(r, payload, at)
	case v.Get("msg").IsObject():
		c.envelope = true
		c.event(r, v.Get("msg"), at)
	case isCodexExec(v):
		c.exec(r, v)
	case v.Get("session").IsObject() && v.Get("items").IsArray():
		r.At("/session")
		c.meta(r, v.Get("session"))
		for i, item := range v.Get("items").Elements() {
			r.At(fmt.Sprintf("/items/%d", i))
			c.item(r, item, ParseTime(item.Get("timestamp")))
		}
	case v.Get("record_type") != nil:
		r.Skip("record " + v.Get("record_type").Text())
	case kind != "":
		r.At(pointer)
		r.Skip("record " + kind)
	default:
		r.Skip("no record of Codex")
	}
	return nil
}

// session returns the file's session, which has its name from the first record or not at all.
func (c *codexReader) session() *items {
	if c.items == nil {
		c.open("")
	}
	return c.items
}

func (c *codexReader) open(name string) {
	c.s = c.c.Session(name)
	if c.s.Agent == "" {
		c.s.Agent = "codex"
	}
	c.items = newItems(c.s)
	c.items.result = c.result
}

// meta reads who and what the session is.
func (c *codexReader) meta(r *Record, m Value) {
	if c.items != nil {
		if c.named || m.Get("id") == nil {
			r.Skip("session_meta of another conversation, or once more")
			return
		}
	}
	id := m.First("id", "session_id").Key()
	if c.items == nil {
		c.open(id)
	}
	c.named = true
	c.s.Prompt(m.First("base_instructions", "instructions").Plain() + m.Get("base_instructions", "text").Text())
	if name := m.Get("agent_nickname").Text(); name != "" {
		c.s.Agent = name
	}
	spawned := m.Get("source", "subagent", "thread_spawn")
	c.s.Role = m.Get("agent_role").Text()
	if c.s.Role == "" {
		c.s.Role = spawned.Get("agent_role").Text()
	}
	for _, name := range []string{"cli_version", "originator", "forked_from_id"} {
		if f := m.Get(name); f.IsText() {
			c.s.Metadata = append(c.s.Metadata, Field{name, f})
		}
	}
	c.setTurn("cwd", m.Get("cwd"))
	if by, ok := c.c.Links.Of(codexLink(id)); ok {
		c.items.parent = by.Request
	}
	parent := spawned.Get("parent_thread_id")
	if !parent.Has() {
		parent = m.Get("parent_thread_id")
	}
	if parent.IsText() {
		c.s.Metadata = append(c.s.Metadata, Field{"parent_session", parent.clone()})
	}
	c.s.Metadata = cloneFields(c.s.Metadata)
	r.Context()
}

// codexLink is under what the call that spawned a thread is found.
func codexLink(thread string) string { return "codex " + thread }

func cloneFields(fields []Field) []Field {
	for i, f := range fields {
		fields[i].Value = f.Value.clone()
	}
	return fields
}

// context reads under which rules a turn stands.
func (c *codexReader) context(r *Record, m Value) {
	c.session()
	for _, name := range []string{"approval_policy", "sandbox_policy", "model", "cwd"} {
		c.setTurn(name, m.Get(name))
	}
	r.Context()
}

func (c *codexReader) setTurn(name string, v Value) {
	if !v.Has() {
		return
	}
	c.turn[name] = Field{name, v.clone()}
	c.items.metadata = c.items.metadata[:0:0]
	for _, name := range []string{"approval_policy", "sandbox_policy", "model", "cwd"} {
		if f, ok := c.turn[name]; ok {
			c.items.metadata = append(c.items.metadata, f)
		}
	}
}

// item reads an item of the API.
func (c *codexReader) item(r *Record, v Value, at Time) {
	t := c.session()
	switch kind := v.Get("type").Text(); {
	case kind == "message", kind == "" && v.Get("role").IsText():
		text := v.Get("content").Plain()
		switch v.Get("role").Text() {
		case "user":
			c.user(r, text, false)
		case "assistant":
			c.say(r, text, false)
		default: // permissions, and how to work: the prompt proper is in session_meta
			r.Skip("message of the harness")
		}
	case kind == "reasoning":
		c.reasoning(r, v)
	default:
		t.tell(r, v, at)
		if id := v.Get("call_id").Key(); isOutput(kind) && !t.s.IsOpen(id) {
			delete(c.ended, id)
		}
	}
}

// compacted reads what stands for the history from here on: items that were told already.
func (c *codexReader) compacted(r *Record, v Value, at Time) {
	t := c.session()
	pointer := "/payload"
	if r.Value.Get("payload") == nil {
		pointer = ""
	}
	r.At(pointer)
	r.Skip("compacted history")
	for i, item := range v.Get("replacement_history").Elements() {
		kind := item.Get("type").Text()
		r.At(fmt.Sprintf("%s/replacement_history/%d", pointer, i))
		if call := callItemOf(kind); call != nil && !t.s.Has(item.First("call_id", "id").Key()) {
			t.tell(r, item, Time{}) // its line was lost
			continue
		}
		r.Repeated()
	}
}

// result reads an output, and adds what an event told of it before.
func (c *codexReader) result(call itemCall, res *Result) {
	codexResult(call, res)
	if ended, ok := c.ended[call.id]; ok {
		if res.DurationMS == "" {
			res.DurationMS = ended.DurationMS
		}
		res.Error = res.Error || ended.Error
		res.Metadata = append(res.Metadata, ended.Metadata...)
		if res.Denied == "" {
			res.Denied, res.Policy = ended.Denied, ended.Policy
		}
	}
	if res.Denied != "" {
		delete(c.begun, call.id)
	}
	c.start(call.id)
	if call.tool == "spawn_agent" && !res.Error {
		c.link(call.request, res.Response)
	}
}

// link keeps by which call a thread was spawned: its own file tells only its name.
func (c *codexReader) link(request string, v Value) {
	if v.IsText() {
		v, _ = ParseValue([]byte(v.Text()))
	}
	for _, name := range []string{"agent_id", "thread_id", "new_thread_id", "receiver_thread_id", "id"} {
		if id := v.Get(name).Text(); id != "" {
			c.c.Links.Set(codexLink(id), Caller{Session: c.s.name, Request: request})
		}
	}
}
