package capture

import (
	"fmt"
	"hash/maphash"
	"slices"
	"time"

	"toolledger/chain"
)

// A Field is a member of metadata.
type Field struct {
	Name  string
	Value Value
}

// A Call is what a source shows of a call when it is made.
type Call struct {
	ID     string // as the source has it; "" if it has none
	Tool   string
	Action string
	Args   Value // the arguments in any form, see [Arguments]; nil: the source does not show them
	Time   Time

	Authorization string // ALLOWED or DENIED, if the source shows a verdict
	Policy        string
	Parent        string // request of the call that caused this one
	Trace         string
	Reasoning     string // why; what the session heard the agent say before, if ""
	Metadata      []Field
}

// A Result is what came of a call.
type Result struct {
	Response   Value // nil: the source does not show it
	Error      bool
	Denied     string // the words that tell that the call was denied and did not run
	Policy     string // the rule that denied it, if the source shows one
	Time       Time
	DurationMS string // a number in milliseconds, if the source shows it
	Metadata   []Field
}

// A Verdict is what a gate decided on a call.
type Verdict struct {
	Authorization string // ALLOWED or DENIED
	Policy        string
	Time          Time
	Metadata      []Field
}

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

// contextMessages is how many messages of the user a call has for its context.
const contextMessages = 3

// A call is what the session knows of a call.
type call struct {
	request   string
	tool      Value
	action    Value
	agent     string
	turn      int
	attempted bool // it has an ATTEMPT of this file
	answered  bool
	results   []uint64       // hashes of those that came
	phases    map[string]int // how many entries it has of each
	decided   bool           // the ledger's ATTEMPT has the verdict
	held      *held          // its ATTEMPT, as long as that waits for a verdict
}

// A group is the calls of one turn that have the same id, and wait for their results.
type group struct {
	turn  int
	calls []*call
}

// Prompt sets the system prompt in force.
func (s *Session) Prompt(text string) {
	if text != "" {
		s.prompt = TextValue(text)
	}
}

// User takes a message of the user. The calls that follow have the last few for context.
func (s *Session) User(text string) {
	if text == "" {
		return
	}
	s.reasoning = ""
	if len(s.user) == contextMessages {
		s.user = append(s.user[:0:0], s.user[1:]...)
	}
	s.user = append(s.user, TextValue(text))
}

// Heard sets the system prompt in force, "" for the one that is, and the last messages of the user, for sources
// that repeat them each time.
func (s *Session) Heard(prompt string, user []string) {
	s.Prompt(prompt)
	s.user = nil
	for _, text := range user[max(0, len(user)-contextMessages):] {
		s.user = append(s.user, TextValue(text))
	}
}

// Say takes what the agent says or thinks: the reasoning of the calls that follow in this turn.
func (s *Session) Say(text string) {
	if text == "" {
		return
	}
	if s.reasoning != "" {
		s.reasoning += "\n"
	}
	s.reasoning += text
}

// Turn begins another turn of the agent: another message of its. A result belongs to the latest
// turn that has an open call of its id.
func (s *Session) Turn() {
	s.turn++
	s.reasoning = ""
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

// Has tells whether a call of that id was made in this session.
func (s *Session) Has(id string) bool { return s.call(id) != nil }

// call returns the latest call of an id, or the one of a request.
func (s *Session) call(id string) *call {
	if k := s.renamed[id]; k != nil {
		return k
	}
	return s.calls[id]
}

// IsOpen tells whether a call of that id waits for its result.
func (s *Session) IsOpen(id string) bool { return s.top(id) != nil }

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
	k := s.top(id)
	if k == nil {
		k = s.call(id)
	}
	if k == nil {
		k = s.unknown(id, "")
	}
	s.start(k, at, metadata)
}

func (s *Session) start(k *call, at Time, metadata []Field) {
	e := s.entry(k, "START")
	e.note(metadata)
	e.at(at)
	s.c.add(e)
}

// Decide takes a verdict on a call: of its ATTEMPT, as long as that waits, else of an entry more, which has no phase.
func (s *Session) Decide(id string, v Verdict) {
	k := s.top(id)
	if k == nil {
		k = s.call(id)
	}
	if k == nil {
		k = s.unknown(id, "")
	}
	s.decide(k, v)
}

func (s *Session) decide(k *call, v Verdict) {
	s.c.record.mark(isSource, "")
	if v.Authorization == "DENIED" {
		s.c.report.Denied++
	}
	if k.decided {
		return
	}
	if h := k.held; h != nil {
		h.entry.set(chain.Authorization, textOrNone(v.Authorization))
		h.entry.set(chain.Policy, textOrNone(v.Policy))
		h.entry.note(v.Metadata)
		s.c.release(h)
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

// A Ref is one call of a session, for sources that tell exactly which call they speak of, whatever
// else has its id.
type Ref struct {
	s *Session
	k *call
}

// Of returns the call of a request that Attempt returned.
func (s *Session) Of(request string) Ref {
	k := s.calls[request]
	if k == nil {
		k = s.unknown(request, "")
	}
	return Ref{s, k}
}

// Start is [Session.Start] of the call.
func (r Ref) Start(at Time, metadata ...Field) { r.s.start(r.k, at, metadata) }

// Decide is [Session.Decide] of the call.
func (r Ref) Decide(v Verdict) { r.s.decide(r.k, v) }

// Finish is [Session.Finish] of the call.
func (r Ref) Finish(result Result) { r.s.finish(r.k, result) }

// Cancel says that the call was cancelled: metadata.cancelled of its ATTEMPT as long as that waits,
// else of an entry more. It has no result for that.
func (r Ref) Cancel(why Value, at Time) {
	r.s.decide(r.k, Verdict{Time: at, Metadata: []Field{{cancelled, why.clone()}}})
}

// cancelled is the name in metadata.
const cancelled = "cancelled"

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

// unknown returns a call that the source does not show.
func (s *Session) unknown(id, tool string) *call {
	request := id
	if request == "" {
		request = fmt.Sprintf("%s:%d", s.name, s.ordinal)
		s.ordinal++
	}
	k := &call{request: request, tool: textOrNone(tool), agent: s.Agent, phases: map[string]int{}}
	if tool == "" {
		k.tool = s.c.known.tool(s.name, request)
	}
	s.calls[request] = k
	return k
}

// byTool is under what the open calls of a tool are found, which is no id.
func byTool(tool string) string { return "\x00" + tool }

// wait puts a call among those that wait for a result.
func (s *Session) wait(id string, k *call) {
	groups := s.open[id]
	if n := len(groups); n > 0 && groups[n-1].turn == k.turn {
		groups[n-1].calls = append(groups[n-1].calls, k)
		return
	}
	s.open[id] = append(groups, &group{k.turn, []*call{k}})
}

// top returns the first call of that id that waits in the latest turn.
func (s *Session) top(id string) *call {
	groups := s.open[id]
	for len(groups) > 0 {
		g := groups[len(groups)-1]
		for len(g.calls) > 0 && g.calls[0].answered {
			g.calls = g.calls[1:]
		}
		if len(g.calls) > 0 {
			s.open[id] = groups
			return g.calls[0]
		}
		groups = groups[:len(groups)-1]
	}
	delete(s.open, id)
	return nil
}

// pop returns the call that a result belongs to, which waits no longer.
func (s *Session) pop(id, tool string) *call {
	k := s.top(id)
	switch {
	case id != "":
	case tool != "":
		k = s.top(byTool(tool))
	default:
		for len(s.last) > 0 && s.last[0].answered {
			s.last = s.last[1:]
		}
		if len(s.last) > 0 {
			k = s.last[0]
		}
	}
	return k
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

// A Time is when something happened, as a source shows it.
type Time struct {
	time.Time
	// Source says how exactly, if it is not what the source says to the letter: see [ParseTime].
	Source string
}
