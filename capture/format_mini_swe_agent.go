package capture

import (
	"fmt"
	"regexp"
	"strings"
)

var miniSWEAgentFormat = Format{
	Name:  "mini-swe-agent",
	Short: "trajectories of mini-swe-agent (.traj.json), of all versions",
	Maps: `
extra.actions, tool_calls, or the one
block of shell in the text              ATTEMPT each, of tool bash
the observation                         COMPLETE; ERROR by returncode, exception or words as "The last command"
                                        DENIED where the user rejected it: metadata.denial
the last message, role exit             COMPLETE of the command that submits: what it printed
text of the assistant                   reasoning
extra.timestamp                         time; files of version 1 have none: metadata.time_source
system, user                            prompt, context
info.config                             metadata.model, environment`,
	Sniff: isMiniSWEAgent,
	New:   func(c *Conversion) Reader { return &miniReader{c: c} },
}

var (
	miniBlock  = regexp.MustCompile("(?s)```(?:mswea_bash_command|bash|sh)[ \\t]*\\n(.*?)\\n?```")
	miniStatus = regexp.MustCompile(`<returncode>\s*(-?\d+)\s*</returncode>`)
)

// miniErrors and miniDenials are how observations begin that have no return code.
var (
	miniErrors = []phrase{
		{begins: "The last command", has: "timed out"},
		{begins: "<exception>"},
	}
	miniDenials = []phrase{
		{begins: "Commands not executed. The user rejected your commands"},
		{begins: "Command not executed. The user rejected your command"},
		{begins: "Command not executed. The user rejected your action"},
	}
)

// miniFormatErrors are how messages begin that no user wrote.
var miniFormatErrors = []phrase{
	{begins: "Please always provide EXACTLY ONE action"},
	{begins: "Format error:"},
}

const miniNotExecuted = "action was not executed"

func isMiniSWEAgent(v Value) bool {
	switch {
	case v.IsArray():
		for _, m := range v.Elements() {
			if isMiniMessage(m) {
				return true
			}
		}
		return false
	case v.Get("messages").IsArray():
		return strings.HasPrefix(v.Get("trajectory_format").Text(), "mini-swe-agent") || v.Get("info", "mini_version") != nil
	}
	return isMiniMessage(v)
}

// isMiniMessage tells whether a message is one that only mini-swe-agent writes.
func isMiniMessage(m Value) bool {
	text := m.Get("content").Text()
	switch m.Get("role").Text() {
	case "system":
		return strings.Contains(text, "mswea_bash_command") || strings.Contains(text, "COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT") ||
			strings.Contains(text, "MINI_SWE_AGENT_FINAL_OUTPUT")
	case "assistant":
		return m.Get("extra", "actions") != nil || m.Get("tool_calls") == nil && miniBlock.MatchString(text)
	case "user", "tool":
		return m.Get("extra", "returncode") != nil || miniStatus.MatchString(text)
	case "exit":
		return m.Get("extra") != nil
	}
	return false
}

type miniReader struct {
	c       *Conversion
	s       *Session
	pending []miniCall // calls of the last message that wait for what they printed
	ended   bool       // one of them is known to have ended the run
	model   []Field
}

type miniCall struct{ id, request, command string }

func (c *miniReader) End() {}

func (c *miniReader) Read(r *Record) error {
	v := r.Value
	list, pointer := v.Get("messages"), "/messages"
	name := ""
	if r.Document > 0 {
		name = fmt.Sprintf("%s:%d", c.c.Name, r.Document+1)
	}
	switch {
	case v.IsArray():
		list, pointer = v, ""
	case list.IsArray():
		for name := range v.Members() {
			r.At("/" + escapePointer(name))
			r.Skip("beside the messages")
		}
	case v.Get("role") != nil || v.Get("extra") != nil || v.Get("type") != nil:
		c.open(name, nil)
		c.message(r, v, nil)
		return nil
	default:
		r.Skip("no messages")
		return nil
	}
	if instance := v.Get("instance_id").Key(); instance != "" {
		name = instance
	}
	c.open(name, v.Get("info", "config"))
	var messages []Value
	for _, m := range list.Elements() {
		messages = append(messages, m)
	}
	for i, m := range messages {
		r.At(fmt.Sprintf("%s/%d", pointer, i))
		c.message(r, m, messages[i+1:])
	}
	return nil
}

// open begins the session of a document.
func (c *miniReader) open(name string, config Value) {
	s := c.c.Session(name)
	if s == c.s && config == nil {
		return
	}
	c.s, c.pending = s, nil
	if s.Agent == "" {
		s.Agent = "mini-swe-agent"
	}
	if env := config.Get("environment_type").Text(); env != "" {
		s.Environment = env[strings.LastIndexByte(env, '.')+1:]
	}
	if model := config.Get("model", "model_name"); model.IsText() {
		c.model = []Field{{"model", model.clone()}}
	}
}

// message reads a message. Those that follow tell whether one that was not executed was rejected.
func (c *miniReader) message(r *Record, m Value, following []Value) {
	at := ParseTime(m.Get("extra", "timestamp"))
	role := m.Get("role").Text()
	if role == "" && m.Get("output").IsArray() && m.Get("extra", "actions") != nil {
		role = "assistant" // a response of the Responses API
	}
	switch {
	case role == "system":
		c.s.Prompt(m.Get("content").Plain())
		r.Context()
	case role == "assistant":
		c.turn(r, m, at)
	case role == "user" && m.Get("extra", "actions") != nil:
		c.s.Turn()
		c.attempt(m, at, Field{"issued_by", TextValue("user")})
	case role == "exit":
		c.exit(r, m, at)
	case role == "tool", m.Get("type").Text() == "function_call_output", role == "user" && len(c.pending) > 0:
		c.observation(m, at, following)
	case m.Get("extra", "interrupt_type").Text() == "FormatError", find(miniFormatErrors, m.Get("content").Plain()) != "":
		r.Skip("the agent is told how to answer")
	case role == "user":
		c.s.User(m.Get("content").Plain())
		r.Context()
	default:
		r.Skip("message of role " + role)
	}
}

// turn reads what the agent said, and the commands in it. More or less than one block of shell is no command: the
// agent is told so.
func (c *miniReader) turn(r *Record, m Value, at Time) {
	c.s.Turn()
	c.pending, c.ended = nil, false
	text := m.Get("content").Plain()
	for _, item := range m.Get("output").Elements() {
		c.s.Say(item.First("summary", "content").Plain())
	}
	c.s.Say(m.Get("reasoning_content").Plain())
	c.s.Say(strings.TrimSpace(miniBlock.ReplaceAllString(text, "")))
	made := false
	for call := range chatCalls(m) {
		made = true
		args, _ := Arguments(call.args)
		command := args.Get("command").Text()
		request := c.s.Attempt(Call{ID: call.id, Tool: call.tool, Action: firstWord(command), Args: call.args, Time: at, Metadata: c.model})
		c.pending = append(c.pending, miniCall{call.id, request, command})
	}
	switch blocks := miniBlock.FindAllStringSubmatch(text, -1); {
	case made:
	case m.Get("extra", "actions") != nil:
		c.attempt(m, at, c.model...)
	case len(blocks) == 1:
		c.command("", strings.TrimSpace(blocks[0][1]), at, c.model)
	}
	if len(c.pending) == 0 {
		r.Context()
	}
}

// attempt reads the commands that stand beside a message.
func (c *miniReader) attempt(m Value, at Time, metadata ...Field) {
	c.pending = nil
	for _, action := range m.Get("extra", "actions").Elements() {
		command := action.Get("command").Text()
		if action.IsText() {
			command = action.Text()
		}
		c.command(action.Get("tool_call_id").Key(), command, at, metadata)
	}
}

func (c *miniReader) command(id, command string, at Time, metadata []Field) {
	args := object([]Field{{"command", TextValue(command)}})
	request := c.s.Attempt(Call{ID: id, Tool: "bash", Action: firstWord(command), Args: args, Time: at, Metadata: metadata})
	c.pending = append(c.pending, miniCall{id, request, command})
}

// take returns the call that waits for a result, by its id or else the first.
func (c *miniReader) take(id string) (string, bool) {
	for i, p := range c.pending {
		if id == "" || p.id == id {
			c.pending = append(c.pending[:i:i], c.pending[i+1:]...)
			return p.request, true
		}
	}
	return id, false
}

// observation reads what came of a command.
func (c *miniReader) observation(m Value, at Time, following []Value) {
	extra := m.Get("extra")
	request, _ := c.take(m.First("tool_call_id", "call_id").Key())
	res := Result{Response: m.First("content", "output"), Time: at}
	text := res.Response.Plain()
	code := extra.Get("returncode")
	if !code.IsNumber() {
		if found := miniStatus.FindStringSubmatch(text); found != nil {
			code = Value(found[1])
		}
	}
	if code.IsNumber() {
		res.Metadata = append(res.Metadata, Field{"exit_code", code.clone()})
		res.Error = string(code) != "0"
	} else if rule := find(miniErrors, text); rule != "" {
		res.Error = true
		res.Metadata = append(res.Metadata, Field{"error_rule", TextValue(rule)})
	}
	if raw := extra.Get("raw_output"); raw.IsText() && !strings.Contains(text, raw.Text()) {
		res.Metadata = append(res.Metadata, Field{"raw_output", raw})
	}
	if e := extra.Get("exception_info").Text(); e != "" {
		res.Error = true
		res.Metadata = append(res.Metadata, Field{"exception", TextValue(e)})
		if e == miniNotExecuted {
			c.notExecuted(&res, following)
		}
	}
	if words := find(miniDenials, text); words != "" {
		res.Denied = words
	} else if extra.Get("interrupt_type").Text() == "UserRejection" {
		res.Denied = "UserRejection"
	}
	c.s.Finish(request, "bash", res)
	for res.Denied != "" && len(c.pending) > 0 { // all commands of the message were
		request, _ := c.take("")
		c.s.Finish(request, "bash", res)
	}
}

// notExecuted finds out why a command was not: it was rejected, or it is the one that ended the run, whose output
// became the submission.
func (c *miniReader) notExecuted(res *Result, following []Value) {
	for _, m := range following {
		extra := m.Get("extra")
		switch {
		case extra.Get("exception_info").Text() == miniNotExecuted:
			continue
		case extra.Get("interrupt_type").Text() == "UserRejection":
			if res.Denied = find(miniDenials, m.Get("content").Plain()); res.Denied == "" {
				res.Denied = "UserRejection"
			}
		case isSubmission(m) && !c.ended:
			c.ended = true
			*res = Result{Response: m.Get("content"), Time: res.Time, Metadata: []Field{{"exit_status", extra.Get("exit_status")}}}
		}
		return
	}
}

// isSubmission tells whether a run ended because the agent said that it is done.
func isSubmission(m Value) bool {
	return m.Get("role").Text() == "exit" && strings.EqualFold(m.Get("extra", "exit_status").Text(), "submitted")
}

// exit reads the end of a run. The command that submits has no observation: what it printed is here.
func (c *miniReader) exit(r *Record, m Value, at Time) {
	if len(c.pending) == 0 {
		r.Skip("end of the run")
		return
	}
	extra := m.Get("extra")
	status := extra.Get("exit_status")
	res := Result{Response: m.Get("content"), Time: at}
	if status.IsText() {
		res.Metadata = []Field{{"exit_status", status}}
	}
	res.Error = !isSubmission(m)
	submits := c.pending[len(c.pending)-1]
	for _, p := range c.pending {
		if strings.Contains(p.command, "COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT") {
			submits = p
			break
		}
	}
	c.s.Finish(submits.request, "bash", res)
	c.pending = nil
}
