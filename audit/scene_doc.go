package audit

import (
	"bytes"
	"encoding/json"

	"toolledger/query"
)

// A sceneDoc is a scene as a document, its members in the order in which the page has them.
// What may differ from entry to entry of the call is a list: each value with the index of the
// entry that has it first.
type sceneDoc struct {
	Call      callDoc      `json:"call"`
	Notes     []string     `json:"notes"` // what is odd about it
	Parent    *callDoc     `json:"parent,omitempty"`
	Prompt    []valueDoc   `json:"prompt"`
	Context   []valueDoc   `json:"context"`
	Before    []entryDoc   `json:"before"`
	Reasoning []valueDoc   `json:"reasoning"`
	Args      []valueDoc   `json:"args"`
	Verdict   []verdictDoc `json:"verdict"`
	Phases    []phaseDoc   `json:"phases"`
	Result    []valueDoc   `json:"result"` // or the error, of a call that is at ERROR
	Metadata  []valueDoc   `json:"metadata"`
	Children  []callDoc    `json:"children"`
	After     []entryDoc   `json:"after"`
	Terms     []termDoc    `json:"terms"` // that the query looked for
}

// A callDoc is a call in short. The call of the scene has the members that may be left out too.
type callDoc struct {
	Session     string          `json:"session"`
	Index       json.RawMessage `json:"index"`
	Request     string          `json:"request"`
	Ordinal     int64           `json:"ordinal"`
	Agent       string          `json:"agent"`
	Role        string          `json:"role,omitempty"`
	Tool        string          `json:"tool"`
	Action      string          `json:"action,omitempty"`
	Verdict     string          `json:"verdict"`
	Phase       string          `json:"phase"`
	Start       json.RawMessage `json:"start"`
	Duration    json.RawMessage `json:"duration_ms"`
	Answered    bool            `json:"answered"`
	Environment string          `json:"environment,omitempty"`
	Trace       string          `json:"trace,omitempty"`
	Named       string          `json:"parent,omitempty"` // the request of its parent
}

type valueDoc struct {
	Index json.RawMessage `json:"index"`
	Value json.RawMessage `json:"value"`
}

type verdictDoc struct {
	Index   json.RawMessage `json:"index"`
	Verdict string          `json:"verdict"`
	Policy  string          `json:"policy"`
}

type phaseDoc struct {
	Index json.RawMessage `json:"index"`
	Time  json.RawMessage `json:"time"`
	Phase string          `json:"phase"`
	After json.RawMessage `json:"after_ms"` // since the first entry
}

// An entryDoc is an entry of the session beside the call.
type entryDoc struct {
	Index     json.RawMessage `json:"index"`
	Time      json.RawMessage `json:"time"`
	Request   string          `json:"request"`
	Agent     string          `json:"agent"`
	Tool      string          `json:"tool"`
	Verdict   string          `json:"verdict"`
	Phase     string          `json:"phase"`
	Reasoning json.RawMessage `json:"reasoning"`
	Args      json.RawMessage `json:"args"`
	Response  json.RawMessage `json:"response"`
}

type termDoc struct {
	Op   string `json:"op"`
	Text string `json:"text"`
}

// document returns the scene of a call in JSON.
func (s *scenes) document(c *sceneCall, near *sceneNear, parent *sceneCall, children []*sceneCall) string {
	d := sceneDoc{
		Call: c.document(), Notes: []string{}, Prompt: c.values(scenePrompt), Context: c.values(sceneContext), Before: entryDocs(near.before), Reasoning: c.values(sceneReasoning),
		Args: c.values(sceneArgs), Verdict: c.verdicts(), Phases: c.phases(), Result: c.values(sceneResponse), Metadata: c.values(sceneMetadata), Children: []callDoc{},
		After: entryDocs(near.after), Terms: []termDoc{},
	}
	d.Call.Named, d.Call.Role, d.Call.Action = c.parent(), c.last(sceneRole).S, c.last(sceneAction).S
	d.Call.Environment, d.Call.Trace = c.last(sceneEnvironment).S, c.last(sceneTrace).S
	for _, child := range children {
		d.Children = append(d.Children, child.document())
	}
	if parent != nil && parent != c {
		up := parent.document()
		d.Parent = &up
	}
	for _, t := range s.terms {
		d.Terms = append(d.Terms, termDoc{t.Op, t.Text})
	}
	d.note(c.parent() != "" && parent == nil, orphanText)
	d.note(parent == c, selfText)
	d.note(c.request() == "", noRequestText)
	d.note(c.ordinal > 0, againText)
	phase := c.first().text(scenePhase)
	d.note(c.request() != "" && phase != "" && phase != "ATTEMPT", noAttemptText)
	d.note(!c.answered && d.Call.Verdict != "DENIED", unansweredText)
	var out bytes.Buffer
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false)
	if err := e.Encode(&d); err != nil {
		panic("audit: a scene is not JSON: " + err.Error())
	}
	return string(bytes.TrimSuffix(out.Bytes(), []byte("\n")))
}

func (d *sceneDoc) note(is bool, text string) {
	if is {
		d.Notes = append(d.Notes, text)
	}
}

func raw(v query.Value) json.RawMessage { return json.RawMessage(v.JSON()) }

// document returns the call in short.
func (c *sceneCall) document() callDoc {
	return callDoc{
		Session: c.session(), Index: raw(c.first().v[sceneIndex]), Request: c.request(), Ordinal: c.ordinal, Agent: c.last(sceneAgent).S, Tool: c.last(sceneTool).S,
		Verdict: c.last(sceneVerdict).S, Phase: c.last(scenePhase).S, Start: raw(c.first().v[sceneTime]), Duration: raw(c.took()), Answered: c.answered,
	}
}

// took is the duration that the call says; where it says none, the time until its last entry.
func (c *sceneCall) took() query.Value {
	if d := c.last(sceneDuration); !d.Null || !c.answered || len(c.entries) == 1 {
		return d
	}
	return between(c.first().v[sceneTime], c.end().v[sceneTime])
}

// between returns the milliseconds from one time to another.
func between(from, to query.Value) query.Value {
	if from.Null || to.Null {
		return query.NullOf(query.Real)
	}
	return query.RealOf(float64(to.N-from.N)/1e4 + (float64(to.Rest)-float64(from.Rest))/1e6)
}

// values returns the values that the entries have of a column, those that differ from the one
// before.
func (c *sceneCall) values(column int) []valueDoc {
	list := []valueDoc{}
	for _, e := range c.entries {
		v := e.v[column]
		if v.Null || v.Kind == query.String && v.S == "" {
			continue
		}
		if text := raw(v); len(list) == 0 || !bytes.Equal(text, list[len(list)-1].Value) {
			list = append(list, valueDoc{raw(e.v[sceneIndex]), text})
		}
	}
	return list
}

func (c *sceneCall) verdicts() []verdictDoc {
	list := []verdictDoc{}
	for _, e := range c.entries {
		v := verdictDoc{raw(e.v[sceneIndex]), e.text(sceneVerdict), e.text(scenePolicy)}
		if v.Verdict == "" && v.Policy == "" {
			continue
		}
		if n := len(list); n == 0 || list[n-1].Verdict != v.Verdict || list[n-1].Policy != v.Policy {
			list = append(list, v)
		}
	}
	return list
}

func (c *sceneCall) phases() []phaseDoc {
	list := []phaseDoc{}
	for _, e := range c.entries {
		list = append(list, phaseDoc{raw(e.v[sceneIndex]), raw(e.v[sceneTime]), e.text(scenePhase), raw(between(c.first().v[sceneTime], e.v[sceneTime]))})
	}
	return list
}

func entryDocs(entries []*sceneEntry) []entryDoc {
	list := []entryDoc{}
	for _, e := range entries {
		list = append(list, entryDoc{raw(e.v[sceneIndex]), raw(e.v[sceneTime]), e.text(sceneRequest), e.text(sceneAgent), e.text(sceneTool), e.text(sceneVerdict), e.text(scenePhase),
			raw(e.v[sceneReasoning]), raw(e.v[sceneArgs]), raw(e.v[sceneResponse])})
	}
	return list
}
