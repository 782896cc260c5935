package capture

import (
	"bytes"
	"cmp"
	"strings"
)

// claudeFormat are the files under ~/.claude/projects: <sessionId>.jsonl of an agent, and
// <sessionId>/subagents/agent-<agentId>.jsonl of each that it began.
var claudeFormat = Format{
	Name:  "claude-code",
	Short: "transcripts of Claude Code, under ~/.claude/projects, and what its hooks are given, a line each",
	Maps: `
sessionId                     session; of a sub-agent sessionId/agent-agentId,
                              of a sidechain without one sessionId/sidechain-uuid of its first line
tool_use                      ATTEMPT, request = its id; agent claude-code, or the sub-agent's type or id
tool_result                   COMPLETE, or ERROR by is_error
a refusal, by toolDenialKind, by its words, or by a PreToolUse hook
                              authorization DENIED, policy, metadata.denial
the call that began a sub-agent
                              parent of the sub-agent's calls
text, thinking before it      reasoning
what the user wrote           context (slash commands too; not isMeta, summaries, outputs of commands)
toolUseResult                 metadata.tool_use_result, duration_ms; texts of files as size and SHA-256
model, cwd, version, gitBranch, permissionMode, message.id, uuid
                              metadata of the ATTEMPT
system, summary, file-history-snapshot, queue-operation, progress
                              nothing, but what links a sub-agent or shows a hook
PreToolUse; PostToolUse, PostToolUseFailure; PermissionDenied of a hook's input
                              ATTEMPT; COMPLETE, ERROR; authorization DENIED`,
	Sniff: func(v Value) bool {
		if isHookInput(v) {
			return true
		}
		switch v.Get("type").Text() {
		case "":
			return false
		case "file-history-snapshot":
			return v.Get("snapshot") != nil
		case "summary":
			return v.Get("leafUuid") != nil
		}
		return v.Get("sessionId") != nil && (v.Get("uuid") != nil || v.Get("timestamp") != nil || v.Get("message") == nil)
	},
	New: func(c *Conversion) Reader { return newClaudeReader(c) },
}

type claudeReader struct {
	c     *Conversion
	chats map[string]*claudeChat
	roots map[string]string      // of the lines of sidechains without agentId: uuid to that of the first line
	begun map[string]*claudeCall // that began sub-agents, by session, and by id or what they were told
	asked map[string]string      // calls about which a program was asked, by the question's id
}

func newClaudeReader(c *Conversion) *claudeReader {
	return &claudeReader{c: c, chats: map[string]*claudeChat{}, roots: map[string]string{}, begun: map[string]*claudeCall{},
		asked: map[string]string{}}
}

// A claudeChat is the conversation of one agent of a session.
type claudeChat struct {
	conversation
	p       *claudeReader
	session string // sessionId
	parent  string // request of the call that began the agent
	open    map[string]*claudeCall
	denied  map[string]bool // calls that have their verdict, by id

	mode, cwd, version Value // as a line said that is not repeated in each

	line   *claudeLine // that is read
	pieces pieces      // of a message that is streamed
}

// A claudeCall is a call that has no result yet.
type claudeCall struct {
	request, tool string
	agentType     string // of the sub-agent that it begins
	hook          string // the hook that saw it last: PreToolUse:Bash
	denial        string // the words of a hook that blocked it
}

func (p *claudeReader) Read(r *Record) error {
	if isHookInput(r.Value) {
		p.hookInput(r)
		return nil
	}
	return p.line(r, parseClaudeLine(r.Value))
}

func (p *claudeReader) line(r *Record, l *claudeLine) error {
	switch l.kind {
	case "assistant", "user":
		chat := p.chat(l)
		if l.uuid != "" && chat.Seen("line", []byte(l.uuid)) {
			r.Repeated()
			return nil
		}
		chat.line = l
		chat.settings(l)
		if l.kind == "user" {
			chat.fromUser(r)
		} else {
			chat.fromAgent(r)
		}
	case "progress":
		p.progress(r, l)
	case "attachment":
		p.attachment(r, l)
	case "permission-mode":
		p.chat(l).settings(l)
		r.Context()
	case "system":
		r.Skip("system " + l.subtype)
	default:
		r.Skip(orUnnamed(l.kind))
	}
	return nil
}

func (p *claudeReader) End() {}

// chat returns the conversation that a line belongs to.
func (p *claudeReader) chat(l *claudeLine) *claudeChat {
	name := l.session
	if name == "" {
		name = p.c.Name
	}
	main, root := name, ""
	switch {
	case l.agent != "":
		name = claudeAgentSession(name, l.agent)
	case l.by != "":
		name = claudeAgentSession(name, l.by)
	case l.sidechain:
		root = p.root(l)
		name += "/sidechain-" + root
	}
	if chat := p.chats[name]; chat != nil {
		return chat
	}
	chat := &claudeChat{conversation: conversation{Session: p.c.Session(name)}, p: p, session: main,
		open: map[string]*claudeCall{}, denied: map[string]bool{}}
	chat.called, chat.finishing = chat.note, chat.finish
	p.chats[name] = chat
	p.identify(chat, l, name != main, root)
	return chat
}

// identify says who acts in a conversation, and by whose call.
func (p *claudeReader) identify(chat *claudeChat, l *claudeLine, sub bool, root string) {
	if !sub {
		chat.Agent = cmp.Or(l.agentName, chat.Agent, "claude-code")
		return
	}
	var by Caller
	key := "id " + l.by
	switch {
	case l.agent != "":
		by = p.caller(chat.session, l.agent)
	case root != "":
		key = "told " + l.message.Get("content").Plain()
		fallthrough
	default:
		if call := p.begun[chat.session+" "+key]; call != nil {
			by = Caller{Request: call.request, Agent: call.agentType}
		}
	}
	chat.parent = by.Request
	chat.Agent = cmp.Or(l.agentName, by.Agent, l.agent, "sidechain")
}

// settings takes from a line what holds for those that follow, too.
func (t *claudeChat) settings(l *claudeLine) {
	for _, s := range []struct{ from, to *Value }{{&l.mode, &t.mode}, {&l.cwd, &t.cwd}, {&l.version, &t.version}} {
		if s.from.IsText() && !bytes.Equal(*s.from, *s.to) {
			*s.to = s.from.clone()
		}
	}
}

// root returns the uuid of the first line of the sidechain that a line belongs to.
func (p *claudeReader) root(l *claudeLine) string {
	root, ok := p.roots[l.parentUUID]
	if !ok {
		root = l.uuid
		if l.parentUUID != "" { // whose beginning the file does not have
			root = l.parentUUID
		}
	}
	if l.uuid != "" {
		p.roots[l.uuid] = root
	}
	return root
}

// fromAgent reads a message of the agent.
func (t *claudeChat) fromAgent(r *Record) {
	l := t.line
	if l.apiError || l.message.Get("model").Text() == "<synthetic>" {
		r.Skip("assistant isApiErrorMessage") // that the API failed, that nothing was asked
		return
	}
	metadata := []Field{{"model", l.message.Get("model")}, {"message_id", l.message.Get("id")}, {"uuid", textOrNone(l.uuid)},
		{"cwd", t.cwd}, {"version", t.version}, {"git_branch", l.branch}, {"permission_mode", t.mode}}
	if l.sidechain {
		metadata = append(metadata, Field{"sidechain", Value("true")})
	}
	t.agent(r, "/message/content", l.message.Get("id").Text(), l.message.Get("content"),
		Call{Time: ParseTime(l.time), Parent: t.parent, Metadata: metadata})
}

// note keeps what is asked about a call until its result is there.
func (t *claudeChat) note(c *Call, request string) {
	call := &claudeCall{request: request, tool: c.Tool}
	if c.Tool == "Task" || c.Tool == "Agent" {
		call.agentType = c.Args.Get("subagent_type").Text()
		t.p.begun[t.session+" id "+c.ID] = call
		if prompt := c.Args.Get("prompt").Text(); prompt != "" {
			t.p.begun[t.session+" told "+prompt] = call
		}
	}
	t.open[c.ID] = call
}

// fromUser reads a message of the user: words, or results of calls.
func (t *claudeChat) fromUser(r *Record) {
	l := t.line
	content := l.message.Get("content")
	if content.IsText() {
		t.words(r, content.Text())
		return
	}
	for i, b := range content.Elements() {
		r.part("/message/content", i)
		switch kind := b.Get("type").Text(); kind {
		case "text":
			t.words(r, b.Get("text").Text())
		default:
			if !t.result(r, b, kind, Result{Time: ParseTime(l.time)}) {
				r.Skip("user " + orUnnamed(kind))
			}
		}
	}
}

// finish adds to a result what the line has beside it.
func (t *claudeChat) finish(id string, b Value, res *Result) {
	l := t.line
	detail := l.result
	l.result = nil // of the first result; there is one a line
	agent := detail.Get("agentId").Text()
	res.DurationMS = claudeDuration(detail)
	res.Metadata = append(res.Metadata, Field{"uuid", textOrNone(l.uuid)}, Field{"agent_id", textOrNone(agent)},
		Field{"tool_use_result", claudeDetail(detail, res.Response)})
	call := t.open[id]
	if call == nil {
		call = &claudeCall{request: id}
	}
	delete(t.open, id)
	if agent != "" {
		t.link(agent, call)
	}
	if !res.Error {
		return
	}
	kind := l.whyNot(id)
	res.Metadata = append(res.Metadata, Field{"denial_kind", textOrNone(kind)})
	text := res.Response.Plain()
	switch words, policy := denialOf(text, kind); {
	case t.denied[id]: // by a verdict of its own
	case words != "":
		res.Denied, res.Policy = words, policy
	case call.denial != "":
		res.Denied, res.Policy = call.denial, call.hook
	case kind == "" && call.refusedByHook(text):
		res.Denied, res.Policy = firstWords(text, call.hook), call.hook
	}
	if res.Denied != "" {
		t.denied[id] = true
	}
}

// deny takes the verdict on a call that was denied.
func (t *claudeChat) deny(id string, v Verdict) {
	v.Authorization = "DENIED"
	t.denied[id] = true
	t.Decide(id, v)
}

// words takes what stands as a message of the user, if it is one.
func (t *claudeChat) words(r *Record, text string) {
	l := t.line
	switch {
	case l.summary:
		r.Skip("user isCompactSummary")
	case l.meta:
		r.Skip("user isMeta")
	case l.origin != "" && l.origin != "human":
		r.Skip("user from " + l.origin)
	default:
		t.conversation.words(r, text)
	}
}

// claudeNotWords are the marks around what Claude Code puts among the user's messages and no user wrote.
var claudeNotWords = []string{"local-command-stdout", "local-command-stderr", "local-command-caveat", "bash-stdout", "bash-stderr",
	"system-reminder", "task-notification", "user-memory-input", "teammate-message"}

// claudeWords returns what the user wrote: of a command, the command with its arguments. Where it is nothing, kind tells
// what it is instead.
func claudeWords(text string) (words, kind string) {
	text = strings.TrimSpace(text)
	if strings.HasPrefix(text, "<") {
		for _, mark := range claudeNotWords {
			if strings.HasPrefix(text, "<"+mark+">") || strings.HasPrefix(text, "<"+mark+" ") {
				return "", mark
			}
		}
		if name, ok := between(text, "command-name"); ok {
			args, _ := between(text, "command-args")
			return strings.TrimSpace(name + " " + args), ""
		}
		if command, ok := between(text, "bash-input"); ok {
			return "! " + command, ""
		}
	}
	if strings.HasPrefix(text, "Caveat: The messages below were generated by the user while running local commands") {
		return "", "local-command-caveat"
	}
	return text, "without text"
}

// between returns the text of an element.
func between(text, mark string) (string, bool) {
	_, rest, ok := strings.Cut(text, "<"+mark+">")
	inner, _, end := strings.Cut(rest, "</"+mark+">")
	return strings.TrimSpace(inner), ok && end
}
