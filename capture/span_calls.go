package capture

import (
	"slices"
	"strings"
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

// add takes a span that stands at a place of the record.
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
