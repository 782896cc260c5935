package capture

import (
	"strconv"
	"strings"
)

// A managedAgents reads the events of the Managed Agents API: one by one, in lists, or as a recorder
// of a client's calls has them, ["client.beta.sessions.events.stream", event].
type managedAgents struct {
	c     *Conversion
	chats map[string]*managedChat
	chat  *managedChat // whose events come
}

// A managedChat is a session of that API.
type managedChat struct {
	conversation
	policies map[string]string // permission_policy by what it is for, see policy
	answered bool              // since the agent's last event, a result or a message came
	decided  map[string]bool   // calls with a verdict; true: they were denied
	sent     []managedSent     // that no event has repeated yet
}

// A managedSent is an event as it was sent: without id and time, which it has when it comes back.
type managedSent struct {
	event Value
	told  bool // the session knows it
}

// isManaged tells whether a value is an event of that API, or a session, or a list of events.
func isManaged(v Value) bool {
	if v.IsArray() {
		n, method := 0, ""
		for i, element := range v.Elements() {
			if i == 0 {
				method = element.Text()
			}
			n++
		}
		return n == 2 && strings.Contains(method, "beta.sessions.")
	}
	kind := v.Get("type").Text()
	if kind == "session" {
		return v.Get("agent").IsObject()
	}
	domain, action, ok := strings.Cut(kind, ".")
	switch domain {
	case "agent", "user", "session", "span", "system":
		return ok && action != ""
	}
	for _, list := range []string{"events", "data"} {
		for _, e := range v.Get(list).Elements() {
			return e.Get("type") != nil && isManaged(e)
		}
	}
	return false
}

// read reads what isManaged takes.
func (p *managedAgents) read(r *Record, at string, v Value, sent bool) {
	if v.IsArray() {
		for i, element := range v.Elements() {
			switch {
			case element.IsText() && i == 0 && at == "":
				sent = strings.HasSuffix(element.Text(), ".send") // the method
			case element.IsText():
				p.begin(element.Text()) // the session that something is sent to
			default:
				at := at + "/" + strconv.Itoa(i)
				r.At(at)
				p.read(r, at, element, sent)
			}
		}
		return
	}
	for _, list := range []string{"events", "data"} {
		if all := v.Get(list); all.IsArray() {
			p.read(r, at+"/"+list, all, sent)
			return
		}
	}
	kind := v.Get("type").Text()
	if kind == "session" {
		p.session(r, v)
		return
	}
	if id := v.Get("session_id").Text(); id != "" {
		p.begin(id)
	} else if p.chat == nil {
		p.begin("")
	}
	p.chat.event(r, kind, v, sent)
}

// begin turns to a session.
func (p *managedAgents) begin(id string) {
	if p.chat = p.chats[id]; p.chat != nil {
		return
	}
	p.chat = &managedChat{conversation: conversation{Session: p.c.Session(id)}, policies: map[string]string{}, decided: map[string]bool{}}
	p.chats[id] = p.chat
}

// session reads what a session is, its agent and what that may do.
func (p *managedAgents) session(r *Record, v Value) {
	p.begin(v.Get("id").Text())
	t, agent := p.chat, v.Get("agent")
	if name := agent.Get("name").Text(); name != "" {
		t.Agent = name
	}
	t.Prompt(agent.Get("system").Text())
	t.Environment = v.Get("environment_id").Text()
	t.Metadata = nil
	for _, m := range []struct {
		name string
		path []string
	}{{"agent_id", []string{"id"}}, {"agent_version", []string{"version"}}, {"model", []string{"model", "id"}}} {
		if value := agent.Get(m.path...); value.Has() {
			t.Metadata = append(t.Metadata, Field{m.name, value.clone()})
		}
	}
	for _, set := range agent.Get("tools").Elements() {
		server := set.Get("mcp_server_name").Text()
		t.policies[policyOf(server, "")] = set.Get("default_config", "permission_policy", "type").Text()
		for _, tool := range set.Get("configs").Elements() {
			if policy := tool.Get("permission_policy", "type").Text(); policy != "" {
				t.policies[policyOf(server, tool.Get("name").Text())] = policy
			}
		}
	}
	r.Context()
}

// policyOf is under what a policy is kept: that of a tool, or of all of an MCP server's or, if server is "", of the agent's own.
func policyOf(server, tool string) string { return server + "\x00" + tool }

// event reads one event.
func (t *managedChat) event(r *Record, kind string, v Value, sent bool) {
	if id := v.Get("id").Text(); id != "" && t.Seen("event", []byte(id)) {
		r.Repeated()
		return
	}
	told := false
	if sent {
		t.sent = append(t.sent, managedSent{event: v.clone(), told: kind == "user.message" || kind == "user.tool_confirmation"})
	} else {
		told = t.echo(kind, v)
	}
	switch {
	case told:
		r.Repeated()
	case kind == "user.message":
		t.answered = true
		t.User(v.Get("content").Plain())
		r.Context()
	case kind == "user.tool_confirmation":
		t.confirm(r, v)
	case strings.HasSuffix(kind, "tool_result") && sent:
		r.Context() // it comes back with its time
	case strings.HasSuffix(kind, "tool_result"):
		t.finish(v)
	case kind == "agent.message" || kind == "agent.thinking":
		t.turn()
		t.say(r, "", v.Get("content").Plain(), kind)
	case strings.HasSuffix(kind, "tool_use"):
		t.turn()
		t.attempt(v)
	default:
		r.Skip(kind)
	}
}

// turn begins another turn of the agent, if something was said to it.
func (t *managedChat) turn() {
	t.unanswered()
	if t.answered {
		t.Turn()
		t.answered = false
	}
}

// echo takes an event as it comes back from what was sent, and tells whether the session knew it already.
func (t *managedChat) echo(kind string, v Value) (told bool) {
	for i, s := range t.sent {
		if s.event.Get("type").Text() != kind {
			continue
		}
		same := string(s.event.Get("content")) == string(v.Get("content"))
		if id := callOf(v); id != "" {
			same = callOf(s.event) == id
		}
		if same {
			t.sent = append(t.sent[:i:i], t.sent[i+1:]...)
			return s.told
		}
	}
	return false
}

// unanswered takes the results that were sent and did not come back.
func (t *managedChat) unanswered() {
	for _, s := range t.sent {
		if !s.told && strings.HasSuffix(s.event.Get("type").Text(), "tool_result") {
			t.finish(s.event)
		}
	}
	t.sent = nil
}

// callOf returns the id of the call that an event is about.
func callOf(v Value) string {
	return v.First("tool_use_id", "mcp_tool_use_id", "custom_tool_use_id").Text()
}

func (t *managedChat) attempt(v Value) {
	server, name := v.Get("mcp_server_name"), v.Get("name").Text()
	c := Call{ID: v.Get("id").Text(), Tool: name, Args: v.Get("input"), Time: ParseTime(v.Get("processed_at")),
		Metadata: []Field{{"mcp_server", server}, {"session_thread_id", v.Get("session_thread_id")}, {"event", v.Get("type")}}}
	if permission := v.Get("evaluated_permission"); permission.IsText() {
		c.Metadata = append(c.Metadata, Field{"evaluated_permission", permission}, Field{"evaluation", v.Get("evaluation")})
		c.Policy = v.Get("evaluation", "type").Text()
		for _, key := range []string{policyOf(server.Text(), name), policyOf(server.Text(), "")} {
			if c.Policy == "" {
				c.Policy = t.policies[key]
			}
		}
		switch permission.Text() {
		case "allow":
			c.Authorization = "ALLOWED"
		case "deny":
			c.Authorization = "DENIED"
		}
		if c.Authorization != "" {
			t.decided[c.ID] = c.Authorization == "DENIED"
		}
	}
	t.Attempt(c)
}

// confirm reads what a human said of a call.
func (t *managedChat) confirm(r *Record, v Value) {
	id := callOf(v)
	if _, ok := t.decided[id]; ok {
		r.Repeated()
		return
	}
	verdict := Verdict{Time: ParseTime(v.Get("processed_at")), Metadata: []Field{{"confirmation", v.Get("result")}}}
	switch v.Get("result").Text() {
	case "allow":
		verdict.Authorization = "ALLOWED"
	case "deny":
		verdict.Authorization = "DENIED"
		verdict.Metadata = append(verdict.Metadata, Field{"denial", TextValue(firstWords(v.Get("deny_message").Text(), "deny"))})
	default:
		r.Skip("user.tool_confirmation, without a verdict")
		return
	}
	t.decided[id] = verdict.Authorization == "DENIED"
	t.Decide(id, verdict)
}

func (t *managedChat) finish(v Value) {
	t.answered = true
	id := callOf(v)
	res := Result{Response: v.Get("content"), Error: v.Get("is_error").IsTrue(), Time: ParseTime(v.Get("processed_at"))}
	if denied, ok := t.decided[id]; res.Error && !(ok && denied) {
		if res.Denied, res.Policy = denialOf(res.Response.Plain(), ""); res.Denied != "" {
			t.decided[id] = true
		}
	}
	if res.Response == nil {
		res.Response = Value(`""`)
	}
	t.Finish(id, "", res)
}
