package capture

import (
	"slices"
	"time"
)

// session returns the session of a call, in the name of who made it.
func (b *spanBatch) session(c *spanCall) *Session {
	s := b.r.c.Session(c.session)
	s.Agent, s.Trace = c.of.agent, c.of.trace
	return s
}

// emit makes the entries of what the spans tell, in the order of time: in a file, spans stand as they ended.
func (b *spanBatch) emit(spans []*span) {
	for _, s := range spans {
		if s.talk != nil {
			b.step(s.start.Time, s.record, func() { b.hear(b.r.resolve(s).session, s.talk) })
		}
	}
	calls := b.fresh
	planned := map[*spanCall]bool{}
	again := func(c *spanCall) { // one that was read before
		if c != nil && c.made && !c.done && !planned[c] {
			planned[c] = true
			calls = append(calls, c)
		}
	}
	for _, s := range spans {
		again(s.call)
		if s.talk != nil {
			for _, w := range s.talk.results {
				again(w.call)
			}
		}
	}
	for _, c := range calls {
		b.entries(c)
	}
	slices.SortStableFunc(b.steps, func(x, y step) int { return x.at.Compare(y.at) })
	current := b.r.c.record
	for _, s := range b.steps {
		b.r.c.Resume(s.record)
		s.do()
	}
	for _, do := range b.late {
		do()
	}
	for _, s := range spans {
		for _, record := range append(s.also, s.record) {
			b.r.c.Resume(record)
			switch {
			case s.call == nil && s.talk == nil:
				record.Skip("span of guardrail")
			default:
				record.Context()
			}
		}
		s.attrs, s.events, s.also = nil, nil, nil
		s.talk = nil
	}
	for _, c := range calls {
		c.made, c.done = true, c.done || c.resultAt != nil
		c.args, c.result, c.layers, c.guards, c.from = nil, Result{}, nil, nil, nil
	}
	b.r.c.Resume(current)
	current.resumed = false
}

func (b *spanBatch) step(at time.Time, record *Record, do func()) {
	b.steps = append(b.steps, step{at, record, do})
}

// hear sets what a session knows of what was said.
func (b *spanBatch) hear(session string, t *talk) {
	if t.prompt != "" || len(t.user) > 0 {
		b.r.c.Session(session).Heard(t.prompt, t.user)
	}
}

// entries plans the entries of a call.
func (b *spanBatch) entries(c *spanCall) {
	begun := Time{}
	if c.span != nil {
		begun = c.span.start
	}
	at := c.at
	if at.IsZero() || !begun.IsZero() && begun.Before(at.Time) {
		at = begun
	}
	last := at.Time
	next := func(t Time, record *Record, do func()) {
		if t.After(last) {
			last = t.Time
		}
		b.step(last, record, do)
	}
	if !c.made {
		b.step(last, c.record, func() { b.attempt(c, at) })
		if len(c.guards) > 0 {
			b.step(last, c.guards[0].record, func() { b.decide(c, c.guards) })
		}
	}
	if c.span != nil && !begun.IsZero() && !c.started {
		c.started = true
		next(begun, c.span.record, func() { b.session(c).Of(c.request).Start(begun) })
	}
	if c.resultAt != nil && !c.done {
		next(c.result.Time, c.resultAt.record, func() { b.session(c).Of(c.request).Finish(c.result) })
	}
}

func (b *spanBatch) attempt(c *spanCall, at Time) {
	s := b.session(c)
	if c.from != nil {
		b.hear(c.session, c.from)
	}
	call := Call{ID: c.request, Tool: c.tool, Args: c.args, Time: at, Parent: c.parentRequest(), Reasoning: c.reasoning}
	add := func(name, text string) {
		if text != "" {
			call.Metadata = append(call.Metadata, Field{name, TextValue(text)})
		}
	}
	add("args_form", c.form)
	if c.id != c.request {
		add("source_id", c.id)
	}
	if c.span != nil {
		if c.span.id != c.request {
			add("span", c.span.id)
		}
		for _, k := range kept {
			for _, l := range append([]*span{c.span}, c.layers...) {
				if text := l.attrs[k.attribute].Key(); text != "" {
					add(k.name, text)
					break
				}
			}
		}
		if c.wanted != nil && c.argsWanted {
			add("args_from", "what the model wanted")
		}
	}
	c.request = s.Attempt(call)
}

// parentRequest returns the request of the call that caused this one.
func (c *spanCall) parentRequest() string {
	if c.above != nil {
		return c.above.request
	}
	return c.parent
}
