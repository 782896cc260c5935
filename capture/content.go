package capture

import (
	"strconv"
	"strings"
)

// A conversation is a session whose source has the messages of the Anthropic API: of the user or the
// agent, each with a text or a list of blocks.
//
//	text, thinking                            what the agent says: the reasoning of its calls
//	tool_use, server_tool_use, mcp_tool_use   a call
//	tool_result, …_tool_result                its result, an error if is_error, or if it is an …_error
//
// A message may come in several pieces that have its id.
type conversation struct {
	*Session
	message string // id of the agent's message that was read last

	called    func(c *Call, request string)         // told of each call; nil: nobody
	finishing func(id string, b Value, res *Result) // completes a result, and says whether the call was denied; nil: its words do
}

// agent reads a message of the agent, or a piece of one. Each of its calls has what base has.
// At is the pointer to the content.
func (t *conversation) agent(r *Record, at, id string, content Value, base Call) {
	if id == "" || id != t.message {
		t.Turn()
		t.message = id
	}
	if content.IsText() {
		t.say(r, id, content.Text(), "assistant text, empty")
		return
	}
	for i, b := range content.Elements() {
		r.part(at, i)
		switch kind := b.Get("type").Text(); kind {
		case "text":
			t.say(r, id, b.Get("text").Text(), "assistant text, empty")
		case "thinking":
			t.say(r, id, b.Get("thinking").Text(), "assistant thinking, empty")
		case "tool_use", "server_tool_use", "mcp_tool_use":
			t.call(r, id, b, base)
		default:
			if !t.result(r, b, kind, Result{Time: base.Time}) {
				r.Skip("assistant " + orUnnamed(kind))
			}
		}
	}
}

// say takes a text of the agent, once.
func (t *conversation) say(r *Record, id, text, without string) {
	switch {
	case strings.TrimSpace(text) == "":
		r.Skip(without)
	case id != "" && t.Seen("said", []byte(id), []byte(text)):
		r.Repeated()
	default:
		t.Say(text)
		r.Context()
	}
}

// call reads a call. A piece of a message that has it again is one of the repeated.
func (t *conversation) call(r *Record, message string, b Value, c Call) {
	c.ID, c.Tool, c.Args = b.Get("id").Key(), b.Get("name").Text(), b.Get("input")
	if message != "" && t.Seen("call", []byte(message), []byte(c.ID), []byte(c.Tool), c.Args) {
		r.Repeated()
		return
	}
	metadata := c.Metadata[:len(c.Metadata):len(c.Metadata)]
	if server := b.Get("server_name"); server.IsText() {
		metadata = append(metadata, Field{"mcp_server", server})
	}
	if by := b.Get("caller", "type").Text(); by != "" && by != "direct" {
		metadata = append(metadata, Field{"caller", b.Get("caller")}) // code that the agent had run
	}
	c.Metadata = metadata
	request := t.Attempt(c)
	if t.called != nil {
		t.called(&c, request)
	}
}

// result reads a block that is a result, and tells whether it is one.
func (t *conversation) result(r *Record, b Value, kind string, res Result) bool {
	if !strings.HasSuffix(kind, "tool_result") {
		return false
	}
	id := b.Get("tool_use_id").Key()
	res.Response = b.Get("content")
	if res.Response == nil { // a tool that says nothing
		res.Response = Value(`""`)
	}
	res.Error = res.Error || b.Get("is_error").IsTrue() || strings.HasSuffix(res.Response.Get("type").Text(), "_error")
	if t.finishing != nil {
		t.finishing(id, b, &res)
	} else if res.Error {
		res.Denied, res.Policy = denialOf(res.Response.Plain(), "")
	}
	t.Finish(id, "", res)
	return true
}

// part says that an element of a list is read from here on, where that can make a difference.
func (r *Record) part(list string, i int) {
	if r.last > r.Line {
		r.At(list + "/" + strconv.Itoa(i))
	}
}

func orUnnamed(kind string) string {
	if kind == "" {
		return "without type"
	}
	return kind
}

// words takes a text of the user's, if it is one: Claude Code's commands put what they print there too.
func (t *conversation) words(r *Record, text string) {
	words, kind := claudeWords(text)
	if words == "" {
		r.Skip("user " + kind)
		return
	}
	t.User(words)
	r.Context()
}
