package capture

import (
	"fmt"
	"strings"
)

var sweAgentFormat = Format{
	Name:  "swe-agent",
	Short: "trajectories of SWE-agent (.traj), with and without tool calls",
	Maps: `
trajectory[]                            ATTEMPT each: tool, args and id of the history's tool_calls; without those, tool
                                        bash with args.command, and for action its first word
observation                             COMPLETE; ERROR or DENIED by words as "Your proposed edit has introduced new
                                        syntax error": metadata.error_rule, .denial
thought                                 reasoning
execution_time                          duration_ms; there are no times: metadata.time_source
state                                   metadata.state, after the call
environment                             environment
system, the task                        prompt, context
attempts                                a session each: what stands at the top repeats one
history                                 the same calls again: counted once; demonstrations are skipped`,
	Sniff: isSWEAgent,
	New:   func(c *Conversion) Reader { return &sweReader{c} },
}

func isSWEAgent(v Value) bool {
	if v.Get("trajectory").IsArray() && (v.Get("history") != nil || v.Get("environment") != nil || v.Get("info") != nil) {
		return v.Get("trajectory_format") == nil
	}
	return v.Get("message_type").IsText() && v.Get("role").IsText() || v.Get("action").IsText() && v.Get("observation") != nil && v.Get("thought") != nil
}

// sweDenials and sweErrors are how observations begin: they are what the agent was shown, and tell no exit status.
var (
	sweDenials = []phrase{
		{begins: "Operation '", has: "' is not supported by this environment"}, // its list of blocked commands
	}
	sweErrors = []phrase{
		{begins: "Your proposed edit has introduced new syntax error"},
		{begins: "EXECUTION TIMED OUT"},
		{begins: "COMMAND TIMED OUT"},
		{begins: "The command", has: "was cancelled because it took more than"},
		{begins: "Command", has: "timed out"},
	}
)

type sweReader struct{ c *Conversion }

func (c *sweReader) End() {}

func (c *sweReader) Read(r *Record) error {
	v := r.Value
	switch {
	case v.Get("trajectory").IsArray():
		attempts := v.Get("attempts")
		for i, attempt := range attempts.Elements() {
			c.run(r, attempt, fmt.Sprintf("/attempts/%d", i), c.c.Session(fmt.Sprintf("%s:%d", c.c.Name, i+1)))
		}
		if len(attempts) > 2 {
			r.At("/trajectory")
			r.Repeated()
			return nil
		}
		c.run(r, v, "", c.c.Session(""))
	case v.Get("observation") != nil: // a step by itself, as a list of them has
		c.step(r, v, "", nil, c.c.Session(""))
	case v.Get("role").IsText(): // a message of a history by itself
		tellMessage(c.c.Session(""), r, v, Time{}, nil)
	default:
		r.Skip("no trajectory")
	}
	return nil
}

// run reads a trajectory, with the history of messages that belongs to it.
func (c *sweReader) run(r *Record, v Value, pointer string, s *Session) {
	for name := range v.Members() {
		r.At(pointer + "/" + escapePointer(name))
		r.Skip("beside the trajectory")
	}
	if s.Agent == "" {
		s.Agent = "swe-agent"
	}
	if env := v.Get("environment").Text(); env != "" {
		s.Environment = env
		r.At(pointer + "/environment")
		r.Context()
	}
	steps := v.Get("trajectory")
	actions := c.history(r, v.Get("history"), pointer+"/history", s, len(steps) <= 2)
	for i, step := range steps.Elements() {
		var told Value
		for j, m := range actions {
			if string(m.Get("action")) == string(step.Get("action")) {
				told, actions = m, actions[j+1:]
				break
			}
		}
		c.step(r, step, fmt.Sprintf("%s/trajectory/%d", pointer, i), told, s)
	}
}

// history reads the messages: the prompt, the task, and the actions that the steps are known by, which it
// returns. Where there are no steps, the messages are all that there is.
func (c *sweReader) history(r *Record, list Value, pointer string, s *Session, alone bool) (actions []Value) {
	acted := false
	for i, m := range list.Elements() {
		r.At(fmt.Sprintf("%s/%d", pointer, i))
		if s.Role == "" {
			s.Role = m.Get("agent").Text()
		}
		role := m.Get("role").Text()
		switch {
		case m.Get("is_demo").IsTrue():
			r.Skip("demonstration")
		case alone, role == "system", role == "user" && !acted:
			tellMessage(s, r, m, Time{}, nil)
		case role == "assistant" && m.Get("action") != nil:
			acted = true
			actions = append(actions, m)
			r.Repeated()
		default:
			r.Repeated()
		}
	}
	return actions
}

// step reads an action and what was observed of it. Told is the history's message of the same action.
func (c *sweReader) step(r *Record, v Value, pointer string, told Value, s *Session) {
	for _, name := range []string{"query", "messages"} {
		if v.Get(name) != nil {
			r.At(pointer + "/" + name)
			r.Repeated()
		}
	}
	r.At(pointer)
	action := v.Get("action").Text()
	command := strings.TrimSpace(action)
	switch {
	case command == "":
		r.Skip("step without an action")
		return
	case strings.HasPrefix(command, "exit_"): // of the agent's own: exit_cost, exit_format, …
		r.Skip("step " + command)
		return
	}
	s.Turn()
	call := Call{Tool: "bash", Action: firstWord(command), Args: object([]Field{{"command", TextValue(action)}})}
	for known := range chatCalls(told) {
		call = Call{ID: known.id, Tool: known.tool, Args: known.args}
		if known.tool == "bash" {
			call.Action = firstWord(command)
		}
		break
	}
	call.Reasoning = v.First("thought", "response").Text()
	request := s.Attempt(call)
	observation := v.Get("observation")
	if !observation.Has() {
		return
	}
	res := Result{Response: observation}
	if seconds := v.Get("execution_time"); seconds.IsNumber() {
		res.DurationMS = milliseconds(string(seconds))
	}
	if state := v.Get("state"); state.Has() {
		if inner, _ := ParseValue([]byte(state.Text())); inner != nil {
			state = inner
		}
		res.Metadata = append(res.Metadata, Field{"state", state})
	}
	res.Denied = find(sweDenials, observation.Plain())
	if rule := find(sweErrors, observation.Plain()); rule != "" {
		res.Error = true
		res.Metadata = append(res.Metadata, Field{"error_rule", TextValue(rule)})
	}
	s.Finish(request, "", res)
}

// firstWord returns what a shell command runs, "" if that is not its first word.
func firstWord(command string) string {
	word := command
	if end := strings.IndexAny(command, " \t\r\n;|&"); end >= 0 {
		word = command[:end]
	}
	if len(word) > 64 || strings.ContainsAny(word, "=\"'`$(){}<>\\") {
		return ""
	}
	return word
}
