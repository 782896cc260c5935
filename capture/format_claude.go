package capture

import (
	"strings"

	"toolledger/chain"
)

// claudeFormat are the files under ~/.claude/projects: <sessionId>.jsonl of an agent, and
// <sessionId>/subagents/agent-<agentId>.jsonl of each that it began.
var claudeFormat = Format{
	Name:  "claude-code",
	Short: "transcripts of Claude Code, under ~/.claude/projects",
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
                              nothing, but what links a sub-agent or shows a hook`,
	Sniff: func(v Value) bool {
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
	New: func(c *Conversion) Reader {
		return &claudeReader{c: c, chats: map[string]*claudeChat{}, roots: map[string]string{}}
	},
}

type claudeReader struct {
	c     *Conversion
	chats map[string]*claudeChat
	roots map[string]string // of the lines of sidechains without agentId: uuid to that of the first line
}

// A claudeChat is the conversation of one agent of a session.
type claudeChat struct {
	conversation
	session string // sessionId
	parent  string // request of the call that began the agent
	mode    Value  // permissionMode
	open    map[string]*claudeCall
	begun   map[string]*claudeCall // that began a sub-agent, by what it was told

	line *claudeLine // that is read
}

// A claudeCall is a call that has no result yet.
type claudeCall struct {
	request, tool string
	agentType     string // of the sub-agent that it begins
	hook          string // the hook that saw it last: PreToolUse:Bash
	denied        bool   // by a hook, as a line of its own said
	denial        string // the words of a hook that blocked it
}

// A claudeLine is the members of a line that matter.
type claudeLine struct {
	kind                                                                                     string
	uuid, parentUUID, session, agent                                                         string
	time, message, data, attachment, result, denialKind, mode, cwd, version, branch, subtype Value
	agentName, origin                                                                        Value
	sidechain, meta, summary, apiError                                                       bool
}

func parseClaudeLine(v Value) *claudeLine {
	l := &claudeLine{}
	for name, raw := range chain.Members(v) {
		value := Value(raw)
		switch string(name[1 : len(name)-1]) {
		case "type":
			l.kind = value.Text()
		case "uuid":
			l.uuid = value.Text()
		case "parentUuid":
			l.parentUUID = value.Text()
		case "sessionId":
			l.session = value.Text()
		case "agentId":
			l.agent = value.Text()
		case "agentName":
			l.agentName = value
		case "timestamp":
			l.time = value
		case "message":
			l.message = value
		case "data":
			l.data = value
		case "attachment":
			l.attachment = value
		case "toolUseResult":
			l.result = value
		case "toolDenialKind":
			l.denialKind = value
		case "permissionMode":
			l.mode = value
		case "cwd":
			l.cwd = value
		case "version":
			l.version = value
		case "gitBranch":
			l.branch = value
		case "subtype":
			l.subtype = value
		case "origin":
			l.origin = value
		case "isSidechain":
			l.sidechain = value.IsTrue()
		case "isMeta":
			l.meta = value.IsTrue()
		case "isCompactSummary", "isVisibleInTranscriptOnly":
			l.summary = l.summary || value.IsTrue()
		case "isApiErrorMessage":
			l.apiError = value.IsTrue()
		}
	}
	return l
}

func (p *claudeReader) Read(r *Record) error {
	l := parseClaudeLine(r.Value)
	switch l.kind {
	case "assistant", "user":
		chat := p.chat(l)
		if l.uuid != "" && chat.Seen("line", []byte(l.uuid)) {
			r.Repeated()
			return nil
		}
		chat.line = l
		if l.mode.IsText() {
			chat.mode = l.mode.clone()
		}
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
		if l.mode.IsText() {
			p.chat(l).mode = l.mode.clone()
			r.Context()
			return nil
		}
		r.Skip(l.kind)
	case "system":
		r.Skip("system " + l.subtype.Text())
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
	case l.sidechain:
		root = p.root(l)
		name += "/sidechain-" + root
	}
	if chat := p.chats[name]; chat != nil {
		return chat
	}
	chat := &claudeChat{conversation: conversation{Session: p.c.Session(name)}, session: main,
		open: map[string]*claudeCall{}, begun: map[string]*claudeCall{}}
	chat.called, chat.finishing = chat.note, chat.finish
	p.chats[name] = chat
	switch {
	case l.agentName.Text() != "":
		chat.Agent = l.agentName.Text()
	case name != main:
		chat.Agent = "sidechain"
		if l.agent != "" {
			chat.Agent = l.agent
		}
	case chat.Agent == "":
		chat.Agent = "claude-code"
	}
	var by Caller
	switch {
	case l.agent != "":
		by = p.caller(main, l.agent)
	case root != "":
		if of := p.chats[main]; of != nil {
			if call := of.begun[l.message.Get("content").Plain()]; call != nil {
				by = Caller{Request: call.request, Agent: call.agentType}
			}
		}
	}
	chat.parent = by.Request
	if by.Agent != "" && l.agentName.Text() == "" {
		chat.Agent = by.Agent
	}
	return chat
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
		r.Skip("assistant, of Claude Code itself") // that the API failed, that nothing was asked
		return
	}
	metadata := []Field{{"model", l.message.Get("model")}, {"message_id", l.message.Get("id")}, {"uuid", textOrNone(l.uuid)},
		{"cwd", l.cwd}, {"version", l.version}, {"git_branch", l.branch}, {"permission_mode", t.mode}}
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
		if prompt := c.Args.Get("prompt").Text(); prompt != "" {
			t.begun[prompt] = call
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
				r.Skip("block " + orUnnamed(kind))
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
	kind := l.denialKind.Text()
	if kind != "" {
		res.Metadata = append(res.Metadata, Field{"denial_kind", l.denialKind})
	}
	text := res.Response.Plain()
	switch words, policy := denialOf(text, kind); {
	case call.denied: // by a verdict of its own
	case words != "":
		res.Denied, res.Policy = words, policy
	case call.denial != "":
		res.Denied, res.Policy = call.denial, call.hook
	case kind == "" && call.refusedByHook(text):
		res.Denied, res.Policy = firstWords(text, call.hook), call.hook
	}
}

// words takes what stands as a message of the user, if it is one.
func (t *claudeChat) words(r *Record, text string) {
	l := t.line
	switch origin := l.origin.Get("kind").Text(); {
	case l.summary:
		r.Skip("user, summary")
	case l.meta:
		r.Skip("user, isMeta")
	case origin != "" && origin != "human":
		r.Skip("user, from " + origin)
	default:
		words, kind := claudeWords(text)
		if words == "" {
			r.Skip("user, " + kind)
			return
		}
		t.User(words)
		r.Context()
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
