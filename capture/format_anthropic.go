package capture

import (
	"cmp"
	"hash/maphash"
	"slices"
	"strconv"
	"strings"

	"toolledger/chain"
)

// anthropicFormat is what passes between a program and Anthropic's APIs, and what Claude Code prints.
var anthropicFormat = Format{
	Name:  "anthropic",
	Short: "Messages API, Managed Agents events, claude --output-format stream-json",
	Maps: `
tool_use, server_tool_use, mcp_tool_use, agent.…tool_use
                              ATTEMPT, request = its id
evaluated_permission, user.tool_confirmation
                              authorization, policy, metadata.denial
tool_result, …_tool_result    COMPLETE, or ERROR by is_error; DENIED by its words
content_block_delta           pieces of a message that no other line has whole
text, thinking before it      reasoning
the user's messages           context
system                        prompt
session_id, id of the session, the file's name
                              session; further conversations of a file name/2, name/3
parent_tool_use_id            session session_id/agent-id, parent
processed_at, timestamp       time
request that repeats earlier messages
                              they are counted as repeated`,
	Sniff: func(v Value) bool {
		return isManaged(v) || isStreamJSON(v) || isPieceEvent(v.Get("type").Text()) || isAnthropicMessage(v)
	},
	New: func(c *Conversion) Reader {
		return &anthropicReader{c: c, claude: newClaudeReader(c), managed: managedAgents{c: c, chats: map[string]*managedChat{}},
			chats: map[string]*anthropicChat{}}
	},
}

// isStreamJSON tells whether a value is a line of Claude Code's output.
func isStreamJSON(v Value) bool {
	switch v.Get("type").Text() {
	case "assistant", "user":
		return v.Get("message").IsObject() && v.Get("sessionId") == nil
	case "stream_event":
		return v.Get("event").IsObject()
	case "system":
		return v.Get("subtype").IsText() && v.Get("session_id") != nil && v.Get("sessionId") == nil
	case "result":
		return v.Get("subtype").IsText() && v.Get("session_id") != nil
	case "control_request":
		return v.Get("request").IsObject()
	case "control_response":
		return v.Get("response").IsObject()
	case "rate_limit_event", "tool_progress":
		return v.Get("session_id") != nil
	}
	return false
}

// isPieceEvent tells whether an event is one of a message that is streamed.
func isPieceEvent(kind string) bool {
	switch kind {
	case "message_start", "content_block_start", "content_block_delta", "content_block_stop", "message_delta", "message_stop", "ping":
		return true
	}
	return false
}

// isAnthropicMessage tells whether a value is a message of the Messages API, a request or an answer, or holds one. It needs a
// sign of it: others have messages with a role and a text, too.
func isAnthropicMessage(v Value) bool {
	switch {
	case !v.IsObject():
		return false
	case v.Get("role").IsText():
		return hasAnthropicBlock(v) || v.Get("type").Text() == "message" && v.Get("stop_reason") != nil && v.Get("content").IsArray()
	case v.Get("messages").IsArray():
		list := v.Get("messages")
		for _, m := range list.Elements() {
			if hasAnthropicBlock(m) {
				return true
			}
			if role := m.Get("role").Text(); role != "user" && role != "assistant" {
				return false
			}
		}
		return v.Get("system") != nil || v.Get("max_tokens") != nil && strings.HasPrefix(v.Get("model").Text(), "claude")
	}
	for _, path := range slices.Concat(anthropicRequests, anthropicAnswers) {
		if m := v.Get(path...); (m.Get("messages").IsArray() || m.Get("role").IsText()) && isAnthropicMessage(m) {
			return true
		}
	}
	return false
}

// Where a record of a program that logs or batches requests has one, and the answer to it.
var (
	anthropicRequests = [][]string{{"request"}, {"request", "body"}, {"body"}, {"params"}}
	anthropicAnswers  = [][]string{{"response"}, {"response", "body"}, {"result", "message"}}
)

// hasAnthropicBlock tells whether a message has a block that no other API has.
func hasAnthropicBlock(m Value) bool {
	for _, b := range m.Get("content").Elements() {
		switch kind := b.Get("type").Text(); kind {
		case "thinking", "redacted_thinking":
			return true
		default:
			if strings.HasSuffix(kind, "tool_use") || strings.HasSuffix(kind, "tool_result") {
				return true
			}
		}
	}
	return false
}

type anthropicReader struct {
	c       *Conversion
	claude  *claudeReader
	managed managedAgents
	chats   map[string]*anthropicChat // by session
	begun   []*anthropicChat          // conversations of which none has a name, in their order
	chat    *anthropicChat            // that was read last
	pieces  pieces
}

// An anthropicChat is a conversation with the Messages API.
type anthropicChat struct {
	conversation
	had []uint64 // sums of its messages: a request has all that came before
}

func (p *anthropicReader) Read(r *Record) error {
	v := r.Value
	switch {
	case isManaged(v):
		p.managed.read(r, "", v, false)
	case isPieceEvent(v.Get("type").Text()):
		if p.pieces.read(r, v) {
			p.streamed(r, false)
		}
	case v.Get("role").IsText():
		p.message(r, "", v)
	case v.Get("messages").IsArray():
		p.request(r, "", v)
	case p.exchange(r, v):
	default:
		return p.claude.stream(r, parseClaudeLine(v))
	}
	return nil
}

// exchange reads a request, its answer or both within a record, and says whether there is one.
func (p *anthropicReader) exchange(r *Record, v Value) (found bool) {
	for _, path := range anthropicRequests {
		if m := v.Get(path...); m.Get("messages").IsArray() {
			p.request(r, pointerTo(path), m)
			found = true
			break
		}
	}
	for _, path := range anthropicAnswers {
		if m := v.Get(path...); m.Get("role").IsText() {
			p.message(r, pointerTo(path), m)
			return true
		}
	}
	return found
}

func (p *anthropicReader) End() {
	p.streamed(p.c.record, true)
	for _, t := range p.claude.chats {
		t.flush(p.c.record, true)
	}
	for _, t := range p.managed.chats {
		t.unanswered()
	}
}

// sessionOf returns the session that a record names, "" if it names none.
func sessionOf(v Value) string {
	for _, path := range [][]string{{"session_id"}, {"conversation_id"}, {"custom_id"}, {"metadata", "session_id"}} {
		if id := v.Get(path...).Key(); id != "" {
			return id
		}
	}
	return ""
}

// request reads all messages of a request. Those that the conversation had are repeated.
func (p *anthropicReader) request(r *Record, at string, v Value) {
	list := v.Get("messages")
	var sums []uint64
	for _, m := range list.Elements() {
		sums = append(sums, p.sum(m))
	}
	t := p.conversation(cmp.Or(sessionOf(v), sessionOf(r.Value)), sums)
	if system := v.Get("system"); system.Has() {
		r.At(at + "/system")
		t.Prompt(system.Plain())
		r.Context()
	}
	for _, other := range []string{"tools", "usage"} {
		if v.Get(other) != nil {
			r.At(at + "/" + other)
			r.Skip(other)
		}
	}
	same := 0
	for same < len(sums) && same < len(t.had) && sums[same] == t.had[same] {
		same++
	}
	t.had = append(t.had[:same], sums[same:]...)
	for i, m := range list.Elements() {
		r.part(at+"/messages", i)
		if i < same {
			r.Repeated()
			continue
		}
		t.read(r, at+"/messages/"+strconv.Itoa(i), m, p.base(r, v))
	}
}

// message reads a message that stands alone: a line of a conversation, or the answer to a request.
func (p *anthropicReader) message(r *Record, at string, m Value) {
	t := p.chat
	if id := cmp.Or(sessionOf(m), sessionOf(r.Value)); id != "" || t == nil {
		t = p.conversation(id, nil)
	}
	t.had = append(t.had, p.sum(m))
	t.read(r, at, m, p.base(r, m))
}

// streamed reads a message whose pieces are there.
func (p *anthropicReader) streamed(r *Record, cut bool) {
	id, model, content := p.pieces.take(cut)
	if content == nil {
		return
	}
	if p.chat == nil {
		p.conversation("", nil)
	}
	p.chat.agent(r, "", id, content, Call{Metadata: []Field{{"model", textOrNone(model)}, {"message_id", textOrNone(id)}}})
}

// base returns what a record says of all calls in a message.
func (p *anthropicReader) base(r *Record, v Value) Call {
	id := v.Get("id")
	if !id.IsText() {
		id = nil
	}
	at := v.First("timestamp", "created_at", "time")
	if at == nil {
		at = r.Value.First("timestamp", "created_at", "time")
	}
	return Call{Time: ParseTime(at), Metadata: []Field{{"model", v.First("model")}, {"message_id", id}}}
}

// conversation returns that of a session or, where a record names none, the one that begins with the same message.
func (p *anthropicReader) conversation(session string, sums []uint64) *anthropicChat {
	named := session != ""
	if !named {
		for _, t := range p.begun {
			if len(sums) == 0 || len(t.had) == 0 || t.had[0] == sums[0] {
				p.chat = t
				return t
			}
		}
		if n := len(p.begun); n > 0 {
			session = p.c.Name + "/" + strconv.Itoa(n+1)
		}
	}
	t := p.chats[session]
	if t == nil {
		t = &anthropicChat{conversation: conversation{Session: p.c.Session(session)}}
		p.chats[session] = t
		if !named {
			p.begun = append(p.begun, t)
		}
	}
	p.chat = t
	return t
}

// read reads a message.
func (t *anthropicChat) read(r *Record, at string, m Value, base Call) {
	content := m.Get("content")
	at += "/content"
	switch m.Get("role").Text() {
	case "assistant":
		t.agent(r, at, m.Get("id").Text(), content, base)
		return
	case "system":
		t.Prompt(content.Plain())
		r.Context()
		return
	}
	if content.IsText() {
		t.words(r, content.Text())
		return
	}
	for i, b := range content.Elements() {
		r.part(at, i)
		kind := b.Get("type").Text()
		if kind == "text" {
			t.words(r, b.Get("text").Text())
		} else if !t.result(r, b, kind, Result{Time: base.Time}) {
			r.Skip("user " + orUnnamed(kind))
		}
	}
}

// sum returns a sum of a message, by which it is known again: a request may mark other blocks for
// the cache than the one before, and have a text for a list of one.
func (p *anthropicReader) sum(m Value) uint64 {
	var h maphash.Hash
	h.SetSeed(p.c.seed)
	h.Write(m.Get("role"))
	content := m.Get("content")
	if content.IsText() {
		h.Write(content)
	}
	for _, b := range content.Elements() {
		if b.Get("type").Text() == "text" {
			h.Write(b.Get("text"))
			continue
		}
		for name, v := range chain.Members(b) {
			if string(name) != `"cache_control"` {
				h.Write(name)
				h.Write(v)
			}
		}
	}
	return h.Sum64()
}
