package capture

import (
	"slices"
	"strconv"
	"strings"
)

// A talk is what went to a model and came back, as its span has it.
type talk struct {
	prompt  string
	user    []string // the last few messages
	said    string
	calls   []listed // that the model wants
	results []listed // that it was told
}

// A listed is a call in a message, or its result.
type listed struct {
	id, tool string
	value    Value // arguments, or result
	call     *spanCall
}

func (t *talk) empty() bool {
	return t.prompt == "" && t.said == "" && len(t.user)+len(t.calls)+len(t.results) == 0
}

// talkOf returns what a span has of messages. Each program writes them in its way, and each span
// repeats those of the spans before it. Calls in what went to the model are not new.
func talkOf(s *span) *talk {
	t := new(talk)
	for _, form := range []struct{ in, out string }{
		{"llm.input_messages.", "llm.output_messages."}, // OpenInference
		{"gen_ai.prompt.", "gen_ai.completion."},        // OpenLLMetry
	} {
		t.in(flatMessages(s.attrs, form.in))
		t.out(flatMessages(s.attrs, form.out))
	}
	for _, form := range []struct{ in, out string }{
		{"gen_ai.input.messages", "gen_ai.output.messages"},
		{"ai.prompt.messages", "ai.response.messages"},
	} {
		t.in(listMessages(unpack(s.attrs[form.in])))
		t.out(listMessages(unpack(s.attrs[form.out])))
	}
	if v, _ := s.attrs.first("gen_ai.system_instructions"); v != nil {
		t.prompt = partsOf(unpack(v)).text
	}
	request := unpack(s.attrs["gcp.vertex.agent.llm_request"])
	if v := request.Get("config", "system_instruction"); v.Has() {
		t.prompt = partsOf(v).text
	}
	t.in(listMessages(request.Get("contents")))
	t.out([]message{messageOf(unpack(s.attrs["gcp.vertex.agent.llm_response"]).Get("content"))})
	for _, c := range unpack(s.attrs["ai.response.toolCalls"]).Elements() {
		t.out([]message{{calls: []listed{spanCallOf(c)}}})
	}
	t.say(s.attrs.text("ai.response.text"))
	for _, e := range s.events {
		t.event(e)
	}
	t.user = t.user[max(0, len(t.user)-contextMessages):]
	return t
}

// event takes a message that is an event of the span.
func (t *talk) event(e spanEvent) {
	role, ok := strings.CutPrefix(e.name, "gen_ai.")
	if !ok {
		return
	}
	if e.name == "gen_ai.client.inference.operation.details" {
		t.in(listMessages(unpack(e.attrs["gen_ai.input.messages"])))
		t.out(listMessages(unpack(e.attrs["gen_ai.output.messages"])))
		return
	}
	fields := make([]Field, 0, len(e.attrs))
	for name, v := range e.attrs {
		fields = append(fields, Field{name, unpack(v)})
	}
	m := messageOf(object(fields))
	switch role {
	case "choice":
		if inner := unpack(e.attrs["message"]); inner.IsObject() {
			m = messageOf(inner)
		} else {
			m.text = inner.Text()
		}
		t.out([]message{m})
	case "system.message", "user.message", "tool.message":
		m.role, _, _ = strings.Cut(role, ".")
		t.in([]message{m})
	}
}

func (t *talk) in(messages []message) {
	for _, m := range messages {
		switch m.role {
		case "system", "developer":
			t.prompt = m.text
		case "user", "human":
			if m.text != "" {
				t.user = append(t.user, m.text)
			}
		}
		t.results = append(t.results, m.results...)
	}
}

func (t *talk) out(messages []message) {
	for _, m := range messages {
		t.say(m.text)
		for _, c := range m.calls {
			if !slices.ContainsFunc(t.calls, func(had listed) bool { return had.id != "" && had.id == c.id }) {
				t.calls = append(t.calls, c)
			}
		}
	}
}

func (t *talk) say(text string) {
	if text == "" || strings.Contains(t.said, text) {
		return
	}
	if t.said != "" {
		t.said += "\n"
	}
	t.said += text
}

// A message is one of those that go to a model or come from it.
type message struct {
	role, text     string
	calls, results []listed
}

func listMessages(list Value) (messages []message) {
	for _, m := range list.Elements() {
		messages = append(messages, messageOf(m))
	}
	return messages
}

// messageOf reads a message in any of the forms of JSON.
func messageOf(v Value) message {
	m := partsOf(v.First("parts", "content", "contents"))
	m.role = v.Get("role").Text()
	for _, c := range v.Get("tool_calls").Elements() {
		m.calls = append(m.calls, spanCallOf(c))
	}
	if id := v.First("tool_call_id", "toolCallId"); id != nil || m.role == "tool" && v.Get("id") != nil {
		if id == nil {
			id = v.Get("id")
		}
		if len(m.results) == 0 {
			m.results = append(m.results, listed{id: id.Key(), tool: v.Get("name").Text(), value: v.First("content", "response", "result")})
		}
	}
	return m
}

// partsOf reads what a message holds: text, parts of text, calls, results.
func partsOf(v Value) (m message) {
	if v.IsText() {
		m.text = v.Text()
		return m
	}
	if parts := v.Get("parts"); parts != nil {
		v = parts
	}
	for _, p := range v.Elements() {
		text := p.Text()
		if p.IsObject() {
			text = p.First("text", "content").Text()
		}
		call := p.First("function_call", "functionCall", "tool_call")
		result := p.First("function_response", "functionResponse", "tool_call_response")
		switch p.Get("type").Text() {
		case "tool_call", "tool_use", "tool-call", "function_call":
			call = p
		case "tool_call_response", "tool_result", "tool-result", "function_call_output":
			result = p
		case "reasoning", "thinking":
			text = p.First("content", "text", "thinking").Text()
		}
		switch {
		case call.IsObject():
			m.calls = append(m.calls, spanCallOf(call))
		case result.IsObject():
			m.results = append(m.results, listed{id: result.First("id", "tool_use_id", "toolCallId", "call_id", "tool_call_id").Key(),
				tool: result.First("name", "toolName").Text(), value: result.First("response", "result", "content", "output")})
		case text != "":
			if m.text != "" {
				m.text += "\n"
			}
			m.text += text
		}
	}
	return m
}

// spanCallOf reads a call in any of the forms of JSON.
func spanCallOf(v Value) listed {
	f := v
	if inner := v.Get("function"); inner.IsObject() {
		f = inner
	}
	return listed{id: v.First("id", "call_id", "toolCallId", "tool_call_id").Key(), tool: f.First("name", "toolName").Text(),
		value: f.First("arguments", "args", "input")}
}

// flatNames takes out what only says that something is part of a message.
var flatNames = strings.NewReplacer("message_content.", "", "message.", "", "tool_call.", "", "function.", "")

// flatMessages reads messages of which each leaf is an attribute: prefix0.role, prefix0.tool_calls.0.name.
func flatMessages(a attributes, prefix string) (messages []message) {
	byPlace := map[int]attributes{}
	for name, v := range a {
		rest, ok := strings.CutPrefix(name, prefix)
		if !ok {
			continue
		}
		place, rest, _ := strings.Cut(rest, ".")
		if i, err := strconv.Atoi(place); err == nil {
			if byPlace[i] == nil {
				byPlace[i] = attributes{}
			}
			byPlace[i][flatNames.Replace(rest)] = v
		}
	}
	places := make([]int, 0, len(byPlace))
	for i := range byPlace {
		places = append(places, i)
	}
	slices.Sort(places)
	for _, i := range places {
		messages = append(messages, flatMessage(byPlace[i]))
	}
	return messages
}

func flatMessage(a attributes) message {
	m := partsOf(unpackList(a["content"]))
	m.role = a.text("role")
	// The parts of a message repeat the calls.
	for _, list := range []string{"tool_calls.", "contents."} {
		for i := 0; len(m.calls) == 0 || list == "tool_calls."; i++ {
			at := list + strconv.Itoa(i) + "."
			if text := a.text(at + "text"); text != "" && m.text == "" {
				m.text = text
			}
			if a[at+"name"] == nil {
				if a[at+"text"] == nil && a[at+"type"] == nil {
					break
				}
				continue
			}
			m.calls = append(m.calls, listed{id: a.text(at + "id"), tool: a.text(at + "name"), value: a[at+"arguments"]})
		}
	}
	if id := a.text("tool_call_id"); id != "" {
		m.results = []listed{{id: id, tool: a.text("name"), value: a["content"]}}
	}
	return m
}

// unpackList returns the list of parts that a string holds, or the string.
func unpackList(v Value) Value {
	if strings.HasPrefix(v.Text(), "[") {
		if list := unpack(v); list.IsArray() {
			return list
		}
	}
	return v
}
