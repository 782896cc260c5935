package capture

import (
	"fmt"
	"hash/maphash"
	"strings"
)

// items tells a session items of the Responses API. Codex keeps the same ones.
type items struct {
	s        *Session
	metadata []Field // of each call
	parent   string  // request that caused each call
	result   func(call itemCall, r *Result)
	answered bool // a result came since the last call: the next one is of another turn
	calls    map[string]itemCall
}

// An itemCall is what is known of a call when its result comes, by its id.
type itemCall struct {
	id, tool, request string
	item              bool // an item told it, and not only events
}

func newItems(s *Session) *items { return &items{s: s, calls: map[string]itemCall{}} }

// A callItem is a kind of item that is a call.
type callItem struct {
	kind string
	tool string   // its name, where the item has none
	args []string // members that are its arguments: the first one that there is, or all as an object
	all  bool
	own  []string // where it carries its own result: the members that may be that
}

var callItems = []callItem{
	{kind: "function_call", args: []string{"arguments"}},
	{kind: "custom_tool_call", args: []string{"input"}},
	{kind: "local_shell_call", tool: "local_shell", args: []string{"action"}},
	{kind: "shell_call", tool: "shell", args: []string{"action"}},
	{kind: "apply_patch_call", tool: "apply_patch", args: []string{"operation"}},
	{kind: "computer_call", tool: "computer", args: []string{"action", "actions"}},
	{kind: "tool_search_call", tool: "tool_search", args: []string{"arguments"}},
	{kind: "mcp_approval_request", args: []string{"arguments"}},
	{kind: "mcp_call", args: []string{"arguments"}, own: []string{"error", "output"}},
	{kind: "web_search_call", tool: "web_search", args: []string{"action"}, own: []string{"results"}},
	{kind: "file_search_call", tool: "file_search", args: []string{"queries"}, all: true, own: []string{"results"}},
	{kind: "code_interpreter_call", tool: "code_interpreter", args: []string{"code", "container_id"}, all: true, own: []string{"outputs"}},
	{kind: "image_generation_call", tool: "image_generation", args: []string{"revised_prompt"}, all: true, own: []string{"result"}},
}

func callItemOf(kind string) *callItem {
	for i := range callItems {
		if callItems[i].kind == kind {
			return &callItems[i]
		}
	}
	return nil
}

// outputKinds are the kinds of items that are results.
var outputKinds = []string{"function_call_output", "custom_tool_call_output", "local_shell_call_output", "shell_call_output",
	"apply_patch_call_output", "computer_call_output", "tool_search_output", "tool_search_call_output"}

// isItem tells whether a value is an item: a call, a result, a message or reasoning.
func isItem(v Value) bool {
	kind := v.Get("type").Text()
	switch {
	case kind == "message":
		for _, c := range v.Get("content").Elements() {
			return strings.HasPrefix(c.Get("type").Text(), "input_") || c.Get("type").Text() == "output_text"
		}
		return v.Get("role").IsText()
	case kind == "reasoning":
		return v.Get("summary") != nil || v.Get("encrypted_content") != nil
	}
	return callItemOf(kind) != nil || isOutput(kind) || strings.HasPrefix(kind, "mcp_")
}

func isOutput(kind string) bool {
	for _, k := range outputKinds {
		if k == kind {
			return true
		}
	}
	return false
}

// tell tells the session an item, and says what became of it.
func (t *items) tell(r *Record, v Value, at Time) {
	kind := v.Get("type").Text()
	if call := callItemOf(kind); call != nil {
		t.call(r, call, v, at)
		return
	}
	switch {
	case isOutput(kind):
		t.output(v, at)
	case kind == "message", kind == "" && v.Get("role").IsText():
		t.message(r, v)
	case kind == "reasoning":
		t.turn()
		text := v.Get("summary").Plain()
		if text == "" {
			text = v.Get("content").Plain()
		}
		if text == "" {
			r.Skip("reasoning that is encrypted")
			return
		}
		t.s.Say(text)
		r.Context()
	case kind == "mcp_approval_response":
		t.approval(v, at)
	case kind == "":
		r.Skip("item without a type")
	default:
		r.Skip("item " + kind)
	}
}

// turn begins another turn if results came since the last one.
func (t *items) turn() {
	if t.answered {
		t.s.Turn()
		t.answered = false
	}
}

func (t *items) message(r *Record, v Value) {
	text := v.Get("content").Plain()
	switch role := v.Get("role").Text(); role {
	case "system", "developer":
		t.s.Prompt(text)
	case "user":
		t.answered = true
		t.s.User(text)
	case "assistant":
		t.turn()
		t.s.Say(text)
	default:
		r.Skip("message of role " + role)
		return
	}
	r.Context()
}

// call tells a call, unless it was told before: later requests repeat it, with the same id and all.
func (t *items) call(r *Record, kind *callItem, v Value, at Time) {
	id := v.First("call_id", "id").Key()
	tool := v.Get("name").Text()
	if tool == "" {
		tool = kind.tool
	}
	args := kind.arguments(v)
	if id != "" && t.s.Seen("item", []byte(kind.kind), []byte(id), []byte(tool), args) {
		if kind.own != nil && t.s.IsOpen(id) && t.finish(kind, id, tool, v, at) {
			return // it was in progress then
		}
		r.Repeated()
		return
	}
	approved := v.Get("approval_request_id").Text()
	request := approved
	if approved == "" || !t.s.IsOpen(approved) {
		t.turn()
		request = t.s.Attempt(Call{ID: id, Tool: tool, Args: args, Time: at, Parent: t.parent, Metadata: t.callMetadata(v, args)})
		if id != "" {
			t.calls[id] = itemCall{id, tool, request, true}
		}
	}
	if kind.own != nil && !t.finish(kind, request, tool, v, at) && approved != "" {
		r.Context()
	}
}

// arguments returns the arguments of a call: nil where the item does not show them.
func (k *callItem) arguments(v Value) Value {
	if !k.all {
		return v.First(k.args...)
	}
	var fields []Field
	for _, name := range k.args {
		if m := v.Get(name); m.Has() {
			fields = append(fields, Field{name, m})
		}
	}
	if fields == nil {
		return nil
	}
	return object(fields)
}

// callMetadata returns what an item shows of a call besides.
func (t *items) callMetadata(v, args Value) []Field {
	fields := t.metadata[:len(t.metadata):len(t.metadata)]
	if server := v.Get("server_label"); server.IsText() {
		fields = append(fields, Field{"mcp_server", server})
	}
	if space := v.Get("namespace"); space.IsText() {
		fields = append(fields, Field{"namespace", space})
	}
	if status := v.Get("status").Text(); status == "incomplete" {
		fields = append(fields, Field{"status", v.Get("status")})
	}
	return append(fields, escalation(args)...)
}

// escalation returns what a call says of asking for more than the sandbox allows.
func escalation(args Value) []Field {
	args, _ = Arguments(args)
	if !args.Get("with_escalated_permissions").IsTrue() && args.Get("sandbox_permissions").Text() != "require_escalated" {
		return nil
	}
	fields := []Field{{"escalated", Value("true")}}
	if why := args.Get("justification"); why.IsText() {
		fields = append(fields, Field{"justification", why})
	}
	return fields
}

// finish tells the result that a call carries itself, and says whether there is one. What is in
// progress or incomplete has none.
func (t *items) finish(kind *callItem, id, tool string, v Value, at Time) bool {
	res := Result{Response: v.First(kind.own...), Time: at}
	switch v.Get("status").Text() {
	case "completed":
	case "failed":
		res.Error = true
	case "":
		if res.Response == nil {
			return false
		}
	default:
		return false
	}
	if e := v.Get("error"); e.Has() {
		res.Error = true
		res.Denied = find(denialPhrases, errorText(e))
	}
	if res.Response != nil && kind.kind == "image_generation_call" {
		res.Metadata = append(res.Metadata, Field{"encoding", TextValue("base64")})
	}
	t.s.Finish(id, tool, res)
	t.answered = true
	return true
}

// errorText returns the words of an error: a text, or an object's message.
func errorText(e Value) string {
	if e.IsObject() {
		return e.First("message", "content").Plain()
	}
	return e.Text()
}

// output tells a result.
func (t *items) output(v Value, at Time) {
	id := v.First("call_id", "id").Key()
	res := Result{Response: v.First("output", "tools"), Time: at}
	call := t.calls[id]
	if call.tool == "" {
		call.tool = v.Get("name").Text()
	}
	text := res.Response.Plain()
	switch {
	case v.Get("status").Text() == "failed":
		res.Error = true
	case t.result != nil:
		t.result(call, &res)
	default:
		if res.Denied = find(denialPhrases, text); res.Denied != "" {
			break
		}
		if rule := textError(text); rule != "" {
			res.Error = true
			res.Metadata = append(res.Metadata, Field{"error_rule", TextValue(rule)})
		}
	}
	if t.s.Finish(id, call.tool, res); id == "" || !t.s.IsOpen(id) {
		delete(t.calls, id)
	}
	t.answered = true
}

// approval tells what somebody decided on a call of an MCP server.
func (t *items) approval(v Value, at Time) {
	verdict := Verdict{Authorization: "DENIED", Time: at}
	if v.Get("approve").IsTrue() {
		verdict.Authorization = "ALLOWED"
	}
	if reason := v.Get("reason"); reason.Has() {
		verdict.Metadata = []Field{{"reason", reason}}
	}
	t.s.Decide(v.Get("approval_request_id").Key(), verdict)
	t.answered = true
}

// itemSum is the same for an item and its repetition in a later request, which has no id or status of its own.
func itemSum(c *Conversion, v Value) uint64 {
	var h maphash.Hash
	h.SetSeed(c.seed)
	kind := v.Get("type").Text()
	if kind == "" {
		kind = "message"
	}
	content := v.First("content", "summary", "output")
	text := content.Plain()
	if text == "" {
		text = string(content)
	}
	fmt.Fprintf(&h, "%s %s %q %q %d %s", kind, v.Get("role").Text(), v.Get("call_id").Key(), v.Get("name").Text(), len(text), text)
	if call := callItemOf(kind); call != nil {
		h.Write(call.arguments(v))
		if v.Get("call_id") == nil {
			h.WriteString(v.Get("id").Key())
		}
	}
	return h.Sum64()
}
