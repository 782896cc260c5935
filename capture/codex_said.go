package capture

import (
	"slices"
	"strings"
)

// harnessMarks begin messages of role user that no user wrote.
var harnessMarks = []string{"<environment_context", "<user_instructions", "<permissions instructions", "<collaboration_mode",
	"<multi_agent_mode", "<apps_instructions", "<skill", "<turn_aborted", "<subagent_notification", "<codex_internal_context",
	"<model_switch", "<personality_spec", "# AGENTS.md", "<INSTRUCTIONS", "<user_shell_command"}

// user reads a message of the user, which an event has too, or of the harness.
func (c *codexReader) user(r *Record, text string, event bool) {
	t := c.session()
	start := strings.TrimLeft(text, " \t\r\n")
	for _, mark := range harnessMarks {
		if strings.HasPrefix(start, mark) {
			r.Skip("message of the harness")
			return
		}
	}
	if text == "" {
		r.Skip("message without text")
		return
	}
	t.answered = true
	if c.users.again(text, event) {
		r.Repeated()
		return
	}
	c.said = nil
	t.s.User(text)
	r.Context()
}

// say reads what the agent says, which an event has too.
func (c *codexReader) say(r *Record, text string, event bool) {
	t := c.session()
	if text == "" {
		r.Skip("message without text")
		return
	}
	if c.said.again(text, event) {
		r.Repeated()
		return
	}
	t.turn()
	t.s.Say(text)
	r.Context()
}

func (c *codexReader) reasoning(r *Record, v Value) {
	parts := v.Get("summary")
	if parts.Plain() == "" {
		parts = v.Get("content")
	}
	if parts.Plain() == "" {
		r.Skip("reasoning that is encrypted")
		return
	}
	for _, part := range parts.Elements() {
		c.say(r, part.Get("text").Text(), false)
	}
}

// heard is what was said of late and may come once more: as an item if it was an event, or the other way.
type heard []struct {
	text  string
	event bool
}

// again tells whether a text came before, in the other form.
func (h *heard) again(text string, event bool) bool {
	for i, had := range *h {
		if had.text == text && had.event != event {
			*h = slices.Delete(*h, i, i+1)
			return true
		}
	}
	if len(*h) == 16 {
		*h = slices.Delete(*h, 0, 1)
	}
	*h = append(*h, struct {
		text  string
		event bool
	}{text, event})
	return false
}
