package capture

import (
	"fmt"
	"strings"
)

var openaiChatFormat = Format{
	Name:  "openai-chat",
	Short: "messages of OpenAI's chat completions: lists, logs of requests and responses, tau-bench's trajectories, training data",
	Maps: `
assistant's tool_calls, function_call   ATTEMPT each
message of role tool, function          COMPLETE; ERROR if it has error, is_error or status error, if it begins with
                                        words as "Error:", or is an object with error: metadata.error_rule says which
                                        DENIED where it begins with words as "Tool execution was not approved"
content, reasoning_content              reasoning of the calls
system, developer                       prompt
user                                    context
conversation_id, session_id, …          session; of tau-bench file:task:trial; else the response's id, or the file's name
messages that a later record repeats    counted once`,
	Sniff: isChat,
	New: func(c *Conversion) Reader {
		return &chatReader{c: c, threads: newThreads(c)}
	},
}

// Where a record has the messages so far, and the answer to them.
var (
	historyPaths = [][]string{{"messages"}, {"traj"}, {"trajectory"}, {"conversation"}, {"request", "messages"}, {"request", "body", "messages"},
		{"body", "messages"}, {"kwargs", "messages"}, {"input", "messages"}, {"inputs", "messages"}, {"prompt"}}
	answerPaths = [][]string{{"choices"}, {"response", "choices"}, {"response", "body", "choices"}, {"output", "choices"},
		{"outputs", "choices"}, {"response", "message"}, {"response"}, {"output"}, {"completion"}}
	conversationPaths = [][]string{{"conversation_id"}, {"session_id"}, {"thread_id"}, {"chat_id"}, {"trajectory_id"}, {"litellm_session_id"},
		{"metadata", "conversation_id"}, {"metadata", "session_id"}, {"metadata", "thread_id"},
		{"request", "metadata", "session_id"}, {"request", "metadata", "conversation_id"}}
	hintPaths  = [][]string{{"response", "body", "id"}, {"response", "id"}, {"id"}, {"custom_id"}, {"request_id"}}
	timePaths  = [][]string{{"timestamp"}, {"created_at"}, {"created"}, {"start_time"}, {"startTime"}, {"response", "created"}, {"response", "body", "created"}}
	modelPaths = [][]string{{"model"}, {"request", "model"}, {"response", "model"}, {"request", "body", "model"}, {"body", "model"}}
)

// at returns the value of the first path that has one.
func at(v Value, paths [][]string) Value {
	for _, path := range paths {
		if m := v.Get(path...); m.Has() {
			return m
		}
	}
	return nil
}

type chatReader struct {
	c       *Conversion
	threads *threads
}

func (c *chatReader) End() {}

func (c *chatReader) Read(r *Record) error {
	v := r.Value
	switch {
	case v.IsArray():
		c.list(r, v, "")
	case v.Get("role").IsText():
		c.message(r, v)
	case c.conversation(r, v, ""):
	case v.Get("object").Text() == "chat.completion.chunk":
		r.Skip("chunk of a stream")
	default:
		r.Skip("no messages")
	}
	return nil
}

// list reads messages, or conversations, that stand in an array on one line.
func (c *chatReader) list(r *Record, list Value, pointer string) {
	if isMessages(list) {
		var parts []part
		c.tell(r, origin{}, Time{}, nil, c.parts(parts, list, pointer), false)
		return
	}
	for i, v := range list.Elements() {
		p := fmt.Sprintf("%s/%d", pointer, i)
		r.At(p)
		switch {
		case isMessages(v):
			c.list(r, v, p)
		case !c.conversation(r, v, p):
			r.Skip("no messages")
		}
	}
}

// message reads a message that is a record of its own: of the conversation that it names, or of the
// one that the file is. Each array of a file is another one.
func (c *chatReader) message(r *Record, m Value) {
	name := at(m, conversationPaths).Key()
	if name == "" && r.Document > 0 {
		name = fmt.Sprintf("%s:%d", c.c.Name, r.Document+1)
	}
	tellMessage(c.c.Session(name), r, m, Time{}, nil)
}

// conversation reads a record that has messages, and says whether it is one.
func (c *chatReader) conversation(r *Record, v Value, pointer string) bool {
	var parts []part
	for _, path := range historyPaths {
		if list := v.Get(path...); isMessages(list) {
			parts = c.parts(parts, list, pointer+"/"+strings.Join(path, "/"))
			break
		}
	}
	asked := len(parts)
	for _, path := range answerPaths {
		n := len(parts)
		parts = c.answer(parts, v.Get(path...), pointer+"/"+strings.Join(path, "/"))
		if len(parts) > n {
			break
		}
	}
	if len(parts) == 0 {
		return false
	}
	var o origin
	o.id = at(v, conversationPaths).Key()
	o.hint = at(v, hintPaths).Key()
	if task := v.Get("task_id"); task.Has() && v.Get("traj") != nil {
		o = origin{run: c.c.Name + ":" + task.Key() + ":" + v.Get("trial").Key()}
	} else if instance := v.Get("instance_id").Key(); instance != "" && o.id == "" {
		o.run = instance
	}
	var metadata []Field
	if model := at(v, modelPaths); model.IsText() {
		metadata = append(metadata, Field{"model", model})
	}
	for name := range v.Members() {
		r.At(pointer + "/" + escapePointer(name))
		if name == "task_id" || name == "trial" || name == "model" {
			r.Context()
		} else {
			r.Skip("beside the messages")
		}
	}
	th := c.tell(r, o, ParseTime(at(v, timePaths)), metadata, parts, asked == 0)
	if len(parts) == asked && isRequest(v) {
		c.threads.asked = th
	}
	return true
}

// tell tells a session what a record has that was not told before.
func (c *chatReader) tell(r *Record, o origin, at Time, metadata []Field, parts []part, answer bool) *thread {
	th, from := c.threads.of(o, parts, answer)
	for i, p := range parts {
		if r.At(p.at); i < from {
			r.Repeated()
			continue
		}
		m := p.Value
		if i := p.Get("message"); i.IsObject() && p.Get("role") == nil {
			m = i
		}
		tellMessage(th.s, r, m, at, metadata)
	}
	return th
}

// isRequest tells whether a record without an answer is a request: one that names the model that is asked.
func isRequest(v Value) bool { return at(v, modelPaths).IsText() }

func (c *chatReader) parts(parts []part, list Value, pointer string) []part {
	for i, m := range list.Elements() {
		parts = append(parts, part{Value: m, at: fmt.Sprintf("%s/%d", pointer, i), sum: messageSum(c.c, m)})
	}
	return parts
}

// answer adds what came back: choices, or a message.
func (c *chatReader) answer(parts []part, v Value, pointer string) []part {
	if v.IsObject() && v.Get("role").IsText() {
		return append(parts, part{Value: v, at: pointer, sum: messageSum(c.c, v)})
	}
	if isMessages(v) {
		return c.parts(parts, v, pointer)
	}
	n := len(parts)
	for i, choice := range v.Elements() {
		if m := choice.Get("message"); m.IsObject() {
			parts = append(parts, part{Value: m, at: fmt.Sprintf("%s/%d/message", pointer, i), sum: messageSum(c.c, m), aside: len(parts) > n})
		}
	}
	return parts
}

func escapePointer(name string) string {
	return strings.NewReplacer("~", "~0", "/", "~1").Replace(name)
}

// isMessages tells whether a list is of messages.
func isMessages(list Value) bool {
	for _, m := range list.Elements() {
		return m.Get("role").IsText() && m.Get("type").Text() == ""
	}
	return false
}

// isChat tells whether a record is of a chat: it has messages, none of which is of Anthropic's.
// A message that is a record of its own needs a sign of it: everybody has {"role":"user"}.
func isChat(v Value) bool {
	switch {
	case v.IsArray():
		for _, m := range v.Elements() {
			return isMessages(v) && !isAnthropic(v) && !isMiniSWEAgent(v) || isChat(m)
		}
		return false
	case v.Get("role").IsText():
		switch v.Get("role").Text() {
		case "system", "developer", "tool", "function":
			return v.Get("content") != nil && v.Get("type") == nil && !isAgents(v)
		}
		return (v.Get("tool_calls") != nil || v.Get("function_call") != nil) && !isAgents(v)
	case v.Get("trajectory_format") != nil || v.Get("stop_reason") != nil || isSWEAgent(v):
		return false
	}
	for _, path := range historyPaths {
		if list := v.Get(path...); isMessages(list) {
			return !isAnthropic(list)
		}
	}
	for _, path := range answerPaths[:5] {
		for _, choice := range v.Get(path...).Elements() {
			return choice.Get("message").IsObject() || choice.Get("delta").IsObject()
		}
	}
	return false
}

// isAgents tells whether a message is one that SWE-agent or mini-swe-agent keep.
func isAgents(m Value) bool { return m.Get("message_type") != nil || isMiniMessage(m) }

// isAnthropic tells whether messages have blocks of Anthropic's.
func isAnthropic(list Value) bool {
	for _, m := range list.Elements() {
		for _, block := range m.Get("content").Elements() {
			switch block.Get("type").Text() {
			case "tool_use", "tool_result", "server_tool_use", "mcp_tool_use", "thinking", "redacted_thinking":
				return true
			}
		}
	}
	return false
}
