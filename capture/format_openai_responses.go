package capture

import (
	"fmt"
	"strings"
)

var openaiResponsesFormat = Format{
	Name:  "openai-responses",
	Short: "items of OpenAI's Responses API: lists, requests with their input, responses with their output, events of a stream",
	Maps: `
function_call, custom_tool_call, …      ATTEMPT each; so mcp_approval_request, which the mcp_call that follows goes on with
mcp_call, web_search_call, …            ATTEMPT, and COMPLETE or ERROR of the result that they carry
*_output                                COMPLETE; ERROR if its status is failed, or as of openai-chat
mcp_approval_response                   authorization, metadata.reason
reasoning's summary, assistant          reasoning of the calls
instructions, system, developer         prompt
user                                    context
conversation, previous_response_id      session; else the response's id, or the file's name
items that a later request repeats      counted once`,
	Sniff: isResponses,
	New: func(c *Conversion) Reader {
		return &responsesReader{c: c, threads: newThreads(c), items: map[*Session]*items{}}
	},
}

// Where a record has a request, and the response to it.
var (
	requestPaths  = [][]string{{"request", "body"}, {"request"}, {"body"}, {"kwargs"}, {}}
	responsePaths = [][]string{{"response", "body"}, {"response"}, {}}
)

type responsesReader struct {
	c       *Conversion
	threads *threads
	items   map[*Session]*items
}

func (c *responsesReader) End() {}

func (c *responsesReader) Read(r *Record) error {
	v := r.Value
	kind := v.Get("type").Text()
	switch {
	case isItem(v) || kind == "" && v.Get("role").IsText() && v.Get("input") == nil && v.Get("output") == nil:
		name := at(v, conversationPaths).Key()
		if name == "" && r.Document > 0 {
			name = fmt.Sprintf("%s:%d", c.c.Name, r.Document+1)
		}
		c.of(c.c.Session(name)).tell(r, v, messageTime(v))
	case v.IsArray():
		c.tell(r, origin{}, Time{}, c.parts(nil, v, ""), "", false)
	case strings.HasPrefix(kind, "response."):
		c.event(r, v)
	case !c.exchange(r, v):
		r.Skip("no items")
	}
	return nil
}

func (c *responsesReader) of(s *Session) *items {
	if c.items[s] == nil {
		c.items[s] = newItems(s)
	}
	return c.items[s]
}

// event reads an event of a stream. An item is whole when it is done; what comes before is pieces of it, and
// the response has all of them again.
func (c *responsesReader) event(r *Record, v Value) {
	switch kind := v.Get("type").Text(); kind {
	case "response.output_item.done":
		r.At("/item")
		c.of(c.c.Session("")).tell(r, v.Get("item"), Time{})
	case "response.completed", "response.incomplete", "response.failed":
		t := c.of(c.c.Session(""))
		for i, item := range v.Get("response", "output").Elements() {
			r.At(fmt.Sprintf("/response/output/%d", i))
			if callItemOf(item.Get("type").Text()) == nil {
				r.Repeated()
				continue
			}
			t.tell(r, item, Time{})
		}
		if len(r.marks) == 0 {
			r.Skip("event " + kind)
		}
	default:
		r.Skip("event " + kind)
	}
}

// exchange reads a request, a response or both, and says whether a record is that.
func (c *responsesReader) exchange(r *Record, v Value) bool {
	var parts []part
	var request, response Value
	for _, path := range requestPaths {
		if m := v.Get(path...).Get("input"); m.IsText() || m.IsArray() {
			request = v.Get(path...)
			parts = c.input(parts, m, pointerTo(path)+"/input")
			break
		}
	}
	for _, path := range responsePaths {
		if m := v.Get(path...).Get("output"); m.IsArray() {
			response = v.Get(path...)
			parts = c.parts(parts, m, pointerTo(path)+"/output")
			break
		}
	}
	if request == nil && response == nil {
		return false
	}
	id := response.Get("id").Key()
	o := origin{id: conversationOf(v, request, response), hint: id}
	when := ParseTime(response.First("created_at", "created"))
	if when.IsZero() {
		when = ParseTime(at(v, timePaths))
	}
	for name := range v.Members() {
		r.At("/" + escapePointer(name))
		r.Skip("beside the items")
	}
	th := c.tell(r, o, when, parts, instructions(request, response), request == nil)
	if response == nil {
		c.threads.asked = th
	}
	if id != "" {
		c.threads.names[id] = th // what goes on with this response is of its conversation
	}
	return true
}

// conversationOf returns the id of the conversation that a record is of: its own, or the response's
// that it goes on with.
func conversationOf(v, request, response Value) string {
	for _, m := range []Value{request, response} {
		if id := m.Get("conversation"); id.IsText() {
			return id.Text()
		} else if id := id.Get("id"); id.IsText() {
			return id.Text()
		}
	}
	if id := at(v, conversationPaths).Key(); id != "" {
		return id
	}
	if id := request.Get("previous_response_id").Text(); id != "" {
		return id
	}
	return response.Get("previous_response_id").Text()
}

func instructions(request, response Value) string {
	for _, m := range []Value{request, response} {
		if text := m.Get("instructions").Plain(); text != "" {
			return text
		}
	}
	return ""
}

func pointerTo(path []string) string {
	pointer := ""
	for _, name := range path {
		pointer += "/" + escapePointer(name)
	}
	return pointer
}

// input adds what a request brings: a text of the user, or items.
func (c *responsesReader) input(parts []part, v Value, pointer string) []part {
	if v.IsText() {
		m := Value(object([]Field{{"content", v}, {"role", TextValue("user")}}))
		return append(parts, part{Value: m, at: pointer, sum: itemSum(c.c, m)})
	}
	return c.parts(parts, v, pointer)
}

func (c *responsesReader) parts(parts []part, list Value, pointer string) []part {
	for i, v := range list.Elements() {
		parts = append(parts, part{Value: v, at: fmt.Sprintf("%s/%d", pointer, i), sum: itemSum(c.c, v)})
	}
	return parts
}

func (c *responsesReader) tell(r *Record, o origin, at Time, parts []part, prompt string, answer bool) *thread {
	th, from := c.threads.of(o, parts, answer)
	th.s.Prompt(prompt)
	t := c.of(th.s)
	for i, p := range parts {
		if r.At(p.at); i < from {
			r.Repeated()
			continue
		}
		t.tell(r, p.Value, at)
	}
	return th
}

// isResponses tells whether a record is of the Responses API.
func isResponses(v Value) bool {
	switch {
	case v.IsArray():
		for _, item := range v.Elements() {
			return isItem(item)
		}
		return false
	case v.Get("payload") != nil || v.Get("jsonrpc") != nil || v.Get("messages") != nil:
		return false
	case isItem(v), strings.HasPrefix(v.Get("type").Text(), "response."):
		return true
	case v.Get("object").Text() == "response":
		return true
	}
	for _, path := range requestPaths {
		m := v.Get(path...)
		if in := m.Get("input"); in.IsText() && m.Get("model") != nil {
			return true
		} else if in.IsArray() {
			for _, item := range in.Elements() {
				if isItem(item) || item.Get("role").IsText() && item.Get("tool_calls") == nil {
					return true
				}
			}
		}
	}
	for _, path := range responsePaths {
		for _, item := range v.Get(path...).Get("output").Elements() {
			return isItem(item)
		}
	}
	return false
}
