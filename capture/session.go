package capture

import (
	"fmt"
	"hash/maphash"
	"slices"

	"toolledger/chain"
)

// A Session makes the entries of one session of a file.
type Session struct {
	// What each entry of the session has, as far as it is known when the entry is made.
	Agent, Role, Trace, Environment string
	Metadata                        []Field

	c      *Conversion
	name   string
	quoted []byte

	prompt    Value   // a string; nil: none is known
	user      []Value // the last messages, strings
	reasoning string  // what the agent said since its last call

	turn    int
	ordinal int              // of the next call
	calls   map[string]*call // by request
	renamed map[string]*call // by the source's id, the latest of those whose request is another
	open    map[string][]*group
	last    []*call // those of the last turn that had calls
	seen    map[uint64]struct{}
}

// Seen tells whether the session was told the same before, in this file. Kind tells apart what else
// would look alike.
func (s *Session) Seen(kind string, parts ...[]byte) bool {
	var h maphash.Hash
	h.SetSeed(s.c.seed)
	h.WriteString(kind)
	for _, p := range parts {
		fmt.Fprintf(&h, " %d ", len(p))
		h.Write(p)
	}
	sum := h.Sum64()
	_, ok := s.seen[sum]
	s.seen[sum] = struct{}{}
	return ok
}

// Attempt makes the entry of a call, and returns its request: the call's id or, where the
// file had that or there is none, one made of it. What is told of a call later names it by its
// id, or by its request where the reader knows that.
func (s *Session) Attempt(c Call) (request string) {
	request = c.ID
	metadata := c.Metadata
	if request == "" {
		request = fmt.Sprintf("%s:%d", s.name, s.ordinal)
	} else if s.c.requests[request] || s.Has(request) {
		request = fmt.Sprintf("%s:%d:%s", s.name, s.ordinal, c.ID)
		metadata = append(metadata[:len(metadata):len(metadata)], Field{"source_id", TextValue(c.ID)})
	}
	s.ordinal++
	k := &call{request: request, tool: textOrNone(c.Tool), action: textOrNone(c.Action), agent: s.Agent, turn: s.turn, attempted: true, phases: map[string]int{}}
	s.calls[request] = k
	s.c.requests[request] = true
	if c.ID != "" && c.ID != request {
		s.renamed[c.ID] = k
		s.wait(c.ID, k)
	}
	s.wait(request, k)
	s.wait(byTool(c.Tool), k)
	if len(s.last) > 0 && s.last[0].turn != s.turn {
		s.last = nil
	}
	s.last = append(s.last, k)

	args, form := Arguments(c.Args)
	if form != "" {
		metadata = append(metadata[:len(metadata):len(metadata)], Field{"args_form", TextValue(form)})
	}
	e := s.entry(k, "ATTEMPT")
	e.set(chain.Args, args)
	e.set(chain.Authorization, textOrNone(c.Authorization))
	e.set(chain.Policy, textOrNone(c.Policy))
	e.set(chain.Parent, textOrNone(c.Parent))
	if c.Trace != "" {
		e.trace(c.Trace)
	}
	if c.Reasoning == "" {
		c.Reasoning = s.reasoning
	}
	e.set(chain.Reasoning, textOrNone(c.Reasoning))
	e.set(chain.Prompt, s.prompt)
	if len(s.user) > 0 {
		list := Value{'['}
		for i, m := range s.user {
			if i > 0 {
				list = append(list, ',')
			}
			list = append(list, m...)
		}
		e.set(chain.Context, append(list, ']'))
	}
	e.note(metadata)
	e.at(c.Time)
	s.c.report.Calls++
	s.c.report.Unanswered++
	if c.Authorization == "DENIED" {
		s.c.report.Denied++
	}
	s.c.hold(e, k)
	return request
}

// Start makes the entry that says that a call began to run.
func (s *Session) Start(id string, at Time, metadata ...Field) {
	s.start(s.named(id), at, metadata)
}

func (s *Session) start(k *call, at Time, metadata []Field) {
	e := s.entry(k, "START")
	e.note(metadata)
	e.at(at)
	s.c.add(e)
}

// Decide takes a verdict on a call: of its ATTEMPT, as long as that waits, else of an entry more, which has no phase.
func (s *Session) Decide(id string, v Verdict) {
	s.decide(s.named(id), v)
}

func (s *Session) decide(k *call, v Verdict) {
	s.c.record.mark(isSource, "")
	if v.Authorization == "DENIED" {
		s.c.report.Denied++
	}
	if k.decided {
		return
	}
	if k.held != nil {
		s.c.amend(k.held, v)
		return
	}
	e := s.entry(k, "") // another ATTEMPT would be another call
	e.set(chain.Authorization, textOrNone(v.Authorization))
	e.set(chain.Policy, textOrNone(v.Policy))
	e.note(v.Metadata)
	e.at(v.Time)
	s.c.add(e)
}

// Finish makes the entry of a result: of the call of that id that waits in the latest turn, the first
// of several. Without an id, that is one of the tool, or if that is not known either, any. A
// result that the call had before is repeated; one of no call that is known is kept all the same.
func (s *Session) Finish(id, tool string, r Result) {
	k := s.pop(id, tool)
	if k == nil {
		k = s.call(id)
	}
	if k == nil {
		k = s.unknown(id, tool)
		if !s.c.known.has(s.name, k.request) {
			r.Metadata = append(r.Metadata[:len(r.Metadata):len(r.Metadata)], Field{"unmatched", Value("true")})
		}
	}
	s.finish(k, r)
}

func (s *Session) finish(k *call, r Result) {
	sum := maphash.Bytes(s.c.seed, r.Response)
	if slices.Contains(k.results, sum) {
		s.c.record.Repeated()
		return
	}
	if !k.answered && k.attempted {
		s.c.report.Unanswered--
	}
	k.answered = true
	k.results = append(k.results, sum)
	if r.Denied != "" {
		s.decide(k, Verdict{Authorization: "DENIED", Policy: r.Policy, Time: r.Time, Metadata: []Field{{"denial", TextValue(r.Denied)}}})
		r.Error = true
	} else if k.held != nil {
		s.c.release(k.held)
	}
	phase := "COMPLETE"
	if r.Error {
		phase = "ERROR"
		s.c.report.Errors++
	}
	e := s.entry(k, phase)
	e.set(chain.Response, r.Response.clone())
	if r.DurationMS != "" {
		e.set(chain.DurationMS, Value(r.DurationMS))
	}
	e.note(r.Metadata)
	e.at(r.Time)
	s.c.add(e)
}

// Entry makes an entry of members that a source has by itself, its phase included. They are copied.
func (s *Session) Entry(m chain.Entry, metadata ...Field) {
	request, phase := Value(m[chain.Request]).Text(), Value(m[chain.Phase]).Text()
	k := s.calls[request]
	if k == nil {
		k = &call{request: request, phases: map[string]int{}}
		s.calls[request] = k
	}
	switch {
	case phase == "ATTEMPT" && k.phases[phase] == 0:
		s.c.report.Calls++
		s.c.report.Unanswered++
	case phase == "COMPLETE", phase == "ERROR":
		if k.phases["ATTEMPT"] > 0 && !k.answered {
			s.c.report.Unanswered--
		}
		k.answered = true
		if phase == "ERROR" {
			s.c.report.Errors++
		}
	}
	if string(m[chain.Authorization]) == `"DENIED"` {
		s.c.report.Denied++
	}
	e := &entry{session: s.name, request: request, phase: phase, place: k.phases[phase]}
	k.phases[phase]++
	for i, v := range m {
		e.members[i] = Value(v).clone()
	}
	e.set(chain.Session, s.quoted)
	if m[chain.Agent] == nil {
		e.set(chain.Agent, textOrNone(s.Agent))
	}
	e.note(metadata)
	if e.members[chain.At] == nil {
		e.at(Time{})
	}
	s.c.add(e)
}

func textOrNone(text string) Value {
	if text == "" {
		return nil
	}
	return TextValue(text)
}

// entry begins an entry of a call.
func (s *Session) entry(k *call, phase string) *entry {
	e := &entry{session: s.name, request: k.request, phase: phase, place: k.phases[phase]}
	k.phases[phase]++
	e.set(chain.Session, s.quoted)
	e.set(chain.Request, TextValue(k.request))
	e.set(chain.Phase, textOrNone(phase))
	e.set(chain.Tool, k.tool)
	e.set(chain.Action, k.action)
	e.set(chain.Agent, textOrNone(k.agent))
	e.set(chain.Role, textOrNone(s.Role))
	e.set(chain.Environment, textOrNone(s.Environment))
	if s.Trace != "" {
		e.trace(s.Trace)
	}
	e.note(s.Metadata)
	if r := s.c.record; r.Repaired {
		e.metadata = append(e.metadata, Field{"repaired", Value("true")})
	}
	return e
}
