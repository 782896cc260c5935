package audit

import (
	"math"

	"toolledger/query"
)

// calltree puts entries together as calls and gives each behind the one that caused it.
var calltree = query.Operator{
	Name:    "calltree",
	Usage:   "calltree",
	Doc:     "the calls by request and parent, across sessions, as a tree",
	Example: `datatable(session:string, index:long, request:string, parent:string, tool:string, phase:string)["a", 0, "r1", "", "plan", "ATTEMPT", "b", 0, "r2", "r1", "search", "ATTEMPT", "b", 1, "r2", "", "", "COMPLETE", "a", 1, "r1", "", "", "COMPLETE"] | calltree`,
	Bind:    bindCalltree,
}

// calltreeFields are the columns of calltree. Beside what makes the tree, they have where a
// call is (session, index of its first entry, and which of its request it is, for requests are
// used again), who decided, what was named as its parent, and what is odd about it.
var calltreeFields = []query.Field{
	{Name: "depth", Kind: query.Long}, {Name: "path", Kind: query.String}, {Name: "session", Kind: query.String}, {Name: "index", Kind: query.Long},
	{Name: "request", Kind: query.String}, {Name: "ordinal", Kind: query.Long}, {Name: "agent", Kind: query.String}, {Name: "tool", Kind: query.String},
	{Name: "verdict", Kind: query.String}, {Name: "policy", Kind: query.String}, {Name: "phase", Kind: query.String}, {Name: "start", Kind: query.Datetime},
	{Name: "duration_ms", Kind: query.Real}, {Name: "children", Kind: query.Long}, {Name: "parent", Kind: query.String}, {Name: "note", Kind: query.String},
}

// The columns that calltree reads, by place. Those of the table calls are there so that its
// rows, which are calls already, can be put into a tree too.
const (
	treeSession = iota
	treeIndex
	treeRequest
	treeSeq
	treeParent
	treePhase
	treeAgent
	treeTool
	treeVerdict
	treePolicy
	treeTime
	treeDuration
	treeOrdinal
	treeStart
	treeEnd
	treeResponse
)

func bindCalltree(_ *query.Arguments, in []query.Field) (*query.Transform, error) {
	t := &query.Transform{
		Needs: []query.Field{{Name: "session", Kind: query.String}, {Name: "index", Kind: query.Long}, {Name: "request", Kind: query.String}},
		Wants: []query.Field{
			{Name: "seq", Kind: query.Long}, {Name: "parent", Kind: query.String}, {Name: "phase", Kind: query.String}, {Name: "agent", Kind: query.String},
			{Name: "tool", Kind: query.String}, {Name: "authorization", Kind: query.String}, {Name: "policy", Kind: query.String}, {Name: "time", Kind: query.Datetime},
			{Name: "duration_ms", Kind: query.Real}, {Name: "ordinal", Kind: query.Long}, {Name: "start", Kind: query.Datetime}, {Name: "end", Kind: query.Datetime},
			answerOf(in),
		},
		Fields: calltreeFields,
		Notes:  []string{"holds about 150 bytes a row and each name once", "calls in the order of their first entries, those that a call caused behind it by their start"},
		Text:   newTreeWriter,
	}
	t.Run = func(r *query.Run, in query.Batches, out func(row ...query.Value) error) error {
		f := newForest(r)
		if err := r.Each(in, f.read); err != nil {
			return err
		}
		if err := f.grow(); err != nil {
			return err
		}
		return f.walk(out)
	}
	return t, nil
}

// answerOf returns the column that tells whether there is a response: has_response of
// entries and answered of calls are cheaper than the response.
func answerOf(in []query.Field) query.Field {
	answer := query.Field{Name: "response", Kind: query.Dynamic}
	for _, f := range in {
		if (f.Name == "has_response" || f.Name == "answered") && f.Kind == query.Bool {
			answer = f
		}
	}
	return answer
}

// read takes the rows of a batch.
func (f *forest) read(b *query.Batch) error {
	before, names := f.calls.Size(), f.names.size
	for row := range b.N {
		at := func(c int) query.Value { return b.Cols[c].At(row) }
		name := func(c int) uint32 { return f.names.next(c, at(c).S) }
		c := treeCall{
			session: name(treeSession), request: name(treeRequest), agent: name(treeAgent), tool: name(treeTool), verdict: name(treeVerdict),
			policy: name(treePolicy), phase: name(treePhase), parent: name(treeParent), index: noIndex, order: int64(f.rows), ordinal: noOrdinal,
			start: momentOf(at(treeTime)), duration: math.NaN(), up: none, child: none, next: none,
		}
		if v := at(treeIndex); !v.Null {
			c.index = v.N
		}
		if v := at(treeSeq); !v.Null {
			c.order = v.N
		}
		if v := at(treeDuration); !v.Null {
			c.duration = v.Real()
		}
		v := at(treeResponse)
		c.answered = !v.Null && (v.Kind != query.Bool || v.Bool())
		if v := at(treeOrdinal); !v.Null {
			c.ordinal, c.start, c.end = int32(min(v.N, math.MaxInt32)), momentOf(at(treeStart)), momentOf(at(treeEnd))
		}
		f.calls.Append(c)
		f.rows++
	}
	return f.run.Hold(f.calls.Size() - before + f.names.size - names)
}
