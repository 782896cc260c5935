package capture

import (
	"slices"
	"strings"
	"time"
)

// A spanReader makes calls of the spans of traces.
//
// Spans come in any order, mostly when they end: a call before the agent that made it. So those that tell of
// calls wait until the file ends, or if it is followed until the root of their trace came, and of all
// others it is kept what they say for those below them. When what waits is more than 64 MiB or 65,536 spans, or a million
// spans were seen, it is read with what is known.
//
// One call may have several spans: that of the model which wants it, that of its execution, those of its
// message at either end of a connection, that of a gate. They are the same call if the id of the call is the same
// in a trace, or else in a session; an execution without an id is the next one of its tool that the model wanted.
type spanReader struct {
	c       *Conversion
	scopes  map[string]*scope // by trace and span
	roots   map[string]bool   // traces whose root came
	waiting []*span
	size    int
	calls   map[string]*spanCall // by trace and id, and by session and id
	used    map[string]bool      // requests, by session
	texts   map[string]string    // what is said again in each span
}

func newSpanReader(c *Conversion) *spanReader {
	return &spanReader{c: c, scopes: map[string]*scope{}, roots: map[string]bool{}, calls: map[string]*spanCall{}, used: map[string]bool{}, texts: map[string]string{}}
}

const (
	maxWaiting     = 1 << 16
	maxWaitingSize = 64 << 20
	maxScopes      = 1 << 20
)

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

// A spanCall is a call as its spans tell of it.
type spanCall struct {
	id      string // as the source has it
	tool    string
	request string
	session string
	of      scopeOf   // who acts
	parent  string    // request
	above   *spanCall // that caused it

	record              *Record // the source
	wanted              *listed // by a model
	span                *span   // of the execution; nil: it was only wanted
	args                Value
	form                string
	made, started, done bool // its entries are there

	from       *talk // of the model that wanted it
	argsWanted bool  // args are those that the model wanted

	reasoning string
	at        Time // when it was wanted
	result    Result
	resultAt  *span // the span that has the result
	guards    []*span
	layers    []*span
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

// Add takes a span that stands at a place of the record.
func (r *spanReader) add(record *Record, s *span) {
	record.At(s.place)
	if s.parent == "" {
		r.roots[s.trace] = true
	}
	key := s.key()
	at := newScope(s)
	if had := r.scopes[key]; had != nil && key != "" {
		if had.ended || !at.ended {
			record.Repeated()
			return
		}
		if w := had.span; w != nil && w.waits { // it was not over
			r.resumed(w, s)
			had.ended = true
			w.also = append(w.also, record.Later(s.place))
			return
		}
	}
	if key != "" {
		r.scopes[key] = at
	}
	tool, guard := s.isTool(), s.isGuardrail()
	if !tool && !guard {
		s.talk = talkOf(s)
		at.model = !s.talk.empty()
	}
	switch {
	case tool, guard, at.model:
		s.clone()
		if s.talk != nil {
			s.talk.clone()
			r.once(s.talk)
			s.attrs = nil
			s.events = nil
		}
		s.record = record.Later(s.place)
		at.span, s.waits = s, true
		r.waiting = append(r.waiting, s)
		r.size += s.size() + s.talk.size()
	case s.isOther():
		record.Skip("span of " + s.kind())
	case at.agent != "" || at.session != "":
		record.Context()
	default:
		record.Skip("span of " + s.kind())
	}
}

// once keeps the texts of a talk that others have too only once.
func (r *spanReader) once(t *talk) {
	for _, text := range append([]*string{&t.prompt}, pointers(t.user)...) {
		if had, ok := r.texts[*text]; ok {
			*text = had
		} else {
			r.texts[*text] = *text
		}
	}
}

func pointers(texts []string) (list []*string) {
	for i := range texts {
		list = append(list, &texts[i])
	}
	return list
}

// resumed takes what a span has that was written again when it was over.
func (r *spanReader) resumed(w, s *span) {
	s.clone()
	for name, v := range s.attrs {
		if w.attrs != nil {
			w.attrs[name] = v
		}
	}
	w.end, w.failed, w.message, w.events = s.end, s.failed, s.message, s.events
	if w.talk != nil {
		w.talk = talkOf(s)
		w.talk.clone()
	}
}

// isOther tells whether a span is of a protocol, whose session is none of a conversation.
func (s *span) isOther() bool {
	for _, k := range spanKinds {
		if s.attrs[k.name] != nil {
			return true
		}
	}
	return false
}

// kind returns what a span is of, for the kinds of lines.
func (s *span) kind() string {
	for _, k := range spanKinds {
		if s.attrs[k.name] != nil {
			return k.kind
		}
	}
	for _, name := range []string{operationName, spanKind, "traceloop.span.kind", "mlflow.spanType", "langfuse.observation.type"} {
		if text := strings.ToLower(strings.Trim(s.attrs[name].Text(), `"`)); slices.Contains(knownOperations, text) {
			return text
		}
	}
	return "something else"
}

func (t *talk) size() (n int) {
	if t == nil {
		return 0
	}
	n = len(t.said) + 128 // what the user said is mostly there
	for _, l := range [][]listed{t.calls, t.results} {
		for _, c := range l {
			n += len(c.value) + 64
		}
	}
	return n
}

func (t *talk) clone() {
	for _, l := range [][]listed{t.calls, t.results} {
		for i := range l {
			l[i].value = l[i].value.clone()
		}
	}
}

// full reads what waits if it is too much. It is for the time before a record.
func (r *spanReader) full() {
	if len(r.waiting) > maxWaiting || r.size > maxWaitingSize || len(r.scopes) > maxScopes {
		r.flush(func(*span) bool { return true })
		if len(r.scopes) > maxScopes {
			r.scopes = map[string]*scope{}
		}
	}
}

// Pause reads the traces whose root is there.
func (r *spanReader) Pause() {
	r.flush(func(s *span) bool { return s.trace == "" || r.roots[s.trace] })
}

// End reads all that waits.
func (r *spanReader) End() { r.flush(func(*span) bool { return true }) }

// flush reads the spans that wait and are ready, in the order of the file: first the calls that were executed,
// then what models and gates say of them; then it makes the entries in the order of time.
func (r *spanReader) flush(ready func(*span) bool) {
	var spans, rest []*span
	for _, s := range r.waiting {
		if ready(s) {
			spans = append(spans, s)
		} else {
			rest = append(rest, s)
		}
	}
	r.waiting, r.size = rest, 0
	for _, s := range rest {
		r.size += s.size() + s.talk.size()
	}
	if len(spans) == 0 {
		return
	}
	clear(r.texts)
	for _, s := range spans {
		s.waits = false
	}
	batch := &spanBatch{r: r, nameless: map[string][]*spanCall{}}
	for _, s := range spans {
		if s.talk == nil && !s.isGuardrail() {
			batch.execution(s)
		}
	}
	for _, s := range spans {
		if s.talk != nil {
			batch.wants(s)
		}
	}
	for _, s := range spans {
		switch {
		case s.talk != nil:
			batch.told(s)
		case s.isGuardrail():
			batch.verdict(s)
		}
	}
	batch.emit(spans)
}

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

// verdict takes what a gate decided of a call.
func (b *spanBatch) verdict(s *span) {
	id := s.guard("target.id")
	if id == "" || s.guard("target.subtype") != "" && s.guard("target.subtype") != "tool_call" {
		return
	}
	of := b.r.resolve(s)
	c := b.r.calls[callKey(s.trace, id)]
	if c == nil {
		c = b.r.calls[callKey("session "+of.session, id)]
	}
	if c == nil {
		c = b.call(id, s.attrs.text(toolNames...), of, s)
		c.at = s.start
	}
	s.call = c
	if c.made {
		b.late = append(b.late, func() { b.decide(c, []*span{s}) })
		return
	}
	c.guards = append(c.guards, s)
}

// guard returns what a gate's span says under a name.
func (s *span) guard(name string) string {
	for _, prefix := range guardrailPrefixes {
		if text := s.attrs[prefix+name].Key(); text != "" {
			return text
		}
	}
	return ""
}

// verdicts are what gates say, and what that means.
var verdicts = map[string]string{"allow": "ALLOWED", "modify": "ALLOWED", "warn": "ALLOWED", "deny": "DENIED", "block": "DENIED"}

// decide gives a call its verdict: the first that denies, else the first of all. All are in metadata.
func (b *spanBatch) decide(c *spanCall, guards []*span) {
	best := -1
	list := Value{'['}
	for i, g := range guards {
		verdict := verdicts[g.verdict()]
		if verdict != "" && (best < 0 || verdict == "DENIED" && verdicts[guards[best].verdict()] != "DENIED") {
			best = i
		}
		if i > 0 {
			list = append(list, ',')
		}
		var f []Field
		for _, name := range []string{"verdict.type", "verdict.reason", "action.type", "target.type", "policy.id", "policy.rule.id", "content.input.hash"} {
			if text := g.guard(name); text != "" {
				f = append(f, Field{name, TextValue(text)})
			}
		}
		list = append(list, object(f)...)
	}
	v := Verdict{Time: guards[0].start, Metadata: []Field{{"guardrails", append(list, ']')}}}
	if best >= 0 {
		g := guards[best]
		v.Authorization, v.Policy, v.Time = verdicts[g.verdict()], g.guard("policy.id"), g.start
	}
	b.session(c).Of(c.request).Decide(v)
}

// verdict returns what a gate decided; where it does not say, what it did.
func (s *span) verdict() string {
	if text := s.guard("verdict.type"); text != "" {
		return text
	}
	return s.guard("action.type")
}
