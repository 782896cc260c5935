package capture

import (
	"strings"
	"time"
)

// A spanBatch makes the entries of the spans that are read together.
type spanBatch struct {
	r     *spanReader
	fresh []*spanCall
	late  []func() // of calls that have entries already
	steps []step

	nameless map[string][]*spanCall // executions without an id, by trace and tool
}

// A step makes an entry, or changes what the following have.
type step struct {
	at     time.Time
	record *Record
	do     func()
}

// execution finds the call of a tool's span.
func (b *spanBatch) execution(s *span) *spanCall {
	if s.call != nil {
		return s.call
	}
	r := b.r
	id, tool := s.attrs.text(callIDNames...), s.tool()
	var above *spanCall
	aboveID := ""
	first := true
	s.call = new(spanCall) // without a record: parents go in a circle
	r.above(s, func(at *scope) bool {
		switch {
		case first:
			first = false
		case at.call != nil:
			above = at.call
		case at.span != nil && at.span.talk == nil && at.span.record != nil && !at.span.isGuardrail():
			above = b.execution(at.span)
		case aboveID == "" && at.callID != "" && at.callID != id:
			aboveID = at.callID
		}
		return above == nil
	})
	s.call = nil
	if above != nil && above.record != nil {
		same := id != "" && id == above.id || id == "" && tool == above.tool && (s.isMCP() || isStage(s.name))
		if same {
			return b.layer(above, s)
		}
	} else {
		above = nil
	}
	of := r.resolve(s)
	if id != "" {
		for _, key := range []string{callKey(s.trace, id), callKey("session "+of.session, id)} {
			if c := r.calls[key]; c != nil && c.tool == tool && (c.span == nil || c.of.trace == s.trace && sameArgs(c.span, s)) {
				return b.layer(c, s)
			}
		}
	}
	c := b.call(id, tool, of, s)
	c.parent, c.above, c.span = aboveID, above, s
	c.take(s)
	if id == "" {
		key := callKey(s.trace, tool)
		b.nameless[key] = append(b.nameless[key], c)
	}
	return c
}

// isStage tells whether a span is one of several that a framework writes for a call, as it goes on.
func isStage(name string) bool {
	if !strings.HasPrefix(name, "tool.") {
		return false
	}
	for _, stage := range []string{".start", ".success", ".finish", ".error", ".retry"} {
		if strings.Contains(name, stage) {
			return true
		}
	}
	return false
}

// sameArgs tells whether two spans of one id can be of one call.
func sameArgs(a, b *span) bool {
	x, _ := a.args()
	y, _ := b.args()
	return x == nil || y == nil || string(unpack(x)) == string(unpack(y))
}

func callKey(of, id string) string { return of + "\x00" + id }

// call makes a call that is not known yet. Its request is its id, else the span's.
func (b *spanBatch) call(id, tool string, of scopeOf, s *span) *spanCall {
	r := b.r
	c := &spanCall{id: id, tool: tool, of: of, session: of.session, record: s.record}
	for _, request := range []string{id, s.id} {
		if key := callKey(of.session, request); request != "" && !r.used[key] {
			c.request = request
			r.used[key] = true
			break
		}
	}
	if id != "" {
		for _, key := range []string{callKey(s.trace, id), callKey("session "+of.session, id)} {
			r.calls[key] = c
		}
	}
	s.call = c
	if at := r.scopes[s.key()]; at != nil && s.talk == nil {
		at.call = c
	}
	b.fresh = append(b.fresh, c)
	return c
}

// layer takes another span of a call.
func (b *spanBatch) layer(c *spanCall, s *span) *spanCall {
	s.call = c
	if at := b.r.scopes[s.key()]; at != nil {
		at.call = c
	}
	if c.span == nil {
		c.span, c.record = s, s.record
	}
	if c.done {
		return c // its entries are there
	}
	c.layers = append(c.layers, s)
	c.take(s)
	return c
}

// take takes what a span of the execution has of arguments and result, if no other had it.
func (c *spanCall) take(s *span) {
	args, withheld := s.args()
	switch {
	case c.args == nil && args != nil:
		c.args, c.form = args, ""
	case c.args == nil && withheld:
		c.form = withheldForm
	}
	result, withheld := s.result()
	failed := s.hasFailed(result)
	if s.end.IsZero() && result == nil && !failed {
		return
	}
	if c.resultAt == nil {
		c.resultAt = s
		c.result = Result{Time: s.end, DurationMS: s.milliseconds()}
	}
	if c.result.Response == nil {
		c.result.Response = result
		if result == nil && withheld {
			c.result.Metadata = []Field{{"response_form", TextValue(withheldForm)}}
		}
	}
	if failed {
		c.result.Error = true
		if c.result.Response == nil {
			c.result.Response = s.failure()
		}
	}
}

// withheldForm says that a setting for privacy took something out of a span.
const withheldForm = "withheld"

// wants takes the calls that a model wants.
func (b *spanBatch) wants(s *span) {
	of := b.r.resolve(s)
	inner := false // the same is in a span around it
	first := true
	b.r.above(s, func(at *scope) bool {
		inner = inner || !first && at.model
		first = false
		return !inner
	})
	for i := range s.talk.calls {
		w := &s.talk.calls[i]
		c := b.find(s, of, w)
		if c == nil && (w.id != "" || !inner) && w.tool != "" {
			c = b.call(w.id, w.tool, of, s)
		}
		if c == nil {
			continue
		}
		w.call = c
		if c.wanted == nil {
			c.wanted, c.from, c.at, c.reasoning = w, s.talk, s.end, s.talk.said
			if c.args == nil && w.value.Has() && !isRedacted(w.value) {
				c.args, c.form, c.argsWanted = w.value, "", true
			}
		} else if c.reasoning == "" {
			c.reasoning = s.talk.said
		}
	}
}

// find returns the call that a model wants.
func (b *spanBatch) find(s *span, of scopeOf, w *listed) *spanCall {
	if w.id != "" {
		for _, key := range []string{callKey(s.trace, w.id), callKey("session "+of.session, w.id)} {
			if c := b.r.calls[key]; c != nil && (c.tool == w.tool || w.tool == "") {
				return c
			}
		}
	}
	var best *spanCall
	for _, c := range b.nameless[callKey(s.trace, w.tool)] {
		if c.wanted == nil && !c.span.start.Before(s.start.Time) && (best == nil || c.span.start.Before(best.span.start.Time)) {
			best = c
		}
	}
	if key := callKey(of.session, w.id); best != nil && w.id != "" && !b.r.used[key] {
		best.id, best.request = w.id, w.id
		b.r.used[key] = true
		b.r.calls[callKey(s.trace, w.id)] = best
		b.r.calls[callKey("session "+of.session, w.id)] = best
	}
	return best
}

// told takes the results that a model was told, of calls that no span has the result of.
func (b *spanBatch) told(s *span) {
	of := b.r.resolve(s)
	for i := range s.talk.results {
		w := &s.talk.results[i]
		if w.id == "" {
			continue
		}
		c := b.r.calls[callKey(s.trace, w.id)]
		if c == nil {
			c = b.r.calls[callKey("session "+of.session, w.id)]
		}
		w.call = c
		switch {
		case c == nil || c.done || !w.value.Has():
		case c.resultAt == nil:
			c.resultAt = s
			c.result = Result{Time: s.start, Response: unpack(w.value), Metadata: []Field{{"result_from", Value(`"what the model was told"`)}}}
			c.result.Error = c.result.Response.Get("isError").IsTrue()
		case c.result.Response == nil:
			c.result.Response = unpack(w.value)
			c.result.Metadata = append(c.result.Metadata, Field{"result_from", Value(`"what the model was told"`)})
		}
	}
}
