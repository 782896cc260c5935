package capture

import "strings"

// A scope is what a span says for those below it.
type scope struct {
	parent  string // key
	session string
	rank    int // of the session's name; the least is the best
	agent   string
	service string
	callID  string // of the call that it works for
	span    *span  // of a call, or one that waits
	call    *spanCall
	model   bool
	ended   bool
}

// A scopeOf is what the spans around one say.
type scopeOf struct{ session, agent, trace string }

// maxDepth is how many spans are looked at above one: parents may go in a circle.
const maxDepth = 512

// above walks the scopes from a span's own to the root.
func (r *spanReader) above(s *span, yield func(*scope) bool) {
	key := s.key()
	if key == "" {
		yield(newScope(s))
		return
	}
	for range maxDepth {
		at := r.scopes[key]
		if at == nil || !yield(at) {
			return
		}
		key = at.parent
	}
}

func newScope(s *span) *scope {
	at := &scope{rank: len(sessionNames), agent: s.attrs.text(agentNames...), callID: s.attrs.text("gen_ai.tool.call.id"), ended: !s.end.IsZero()}
	for i, name := range sessionNames {
		if text := s.attrs.text(name); text != "" {
			at.session, at.rank = text, i
			break
		}
	}
	if s.parent != "" {
		at.parent = s.trace + "/" + s.parent
	}
	at.service = s.resource.text("service.name", "openinference.project.name")
	if strings.HasPrefix(at.service, "unknown_service") {
		at.service = ""
	}
	return at
}

// resolve finds in whose name a span acts.
func (r *spanReader) resolve(s *span) (of scopeOf) {
	rank := len(sessionNames)
	service := ""
	r.above(s, func(at *scope) bool {
		if at.rank < rank {
			of.session, rank = at.session, at.rank
		}
		if of.agent == "" {
			of.agent = at.agent
		}
		if service == "" {
			service = at.service
		}
		return true
	})
	if of.agent == "" {
		of.agent = service
	}
	if of.agent == "" {
		of.agent = r.c.Agent
	}
	of.trace = s.trace
	if of.session == "" {
		of.session = s.trace
	}
	return of
}
