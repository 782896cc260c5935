package audit

import (
	"io"

	"toolledger/query"
)

// scene gives all that is needed to relive a call.
var scene = query.Operator{
	Name:    "scene",
	Usage:   "scene before=3 after=2",
	Doc:     "everything around each call that is selected: what was said, thought, decided and done, and what came of it",
	Example: `datatable(session:string, index:long, request:string, phase:string, tool:string, reasoning:string)["a", 0, "r1", "ATTEMPT", "read_file", "to see the plan", "a", 1, "r1", "COMPLETE", "read_file", ""] | where reasoning has "plan" | scene`,
	Bind:    bindScene,
}

// The columns that scene reads, by place. Those before sceneKeys are read of every entry that
// has to do with a call; the others of those that are shown.
const (
	sceneSession = iota
	sceneIndex
	sceneRequest
	sceneSeq
	scenePhase
	sceneParent
	sceneAnswered
	sceneAgent
	sceneTool
	sceneVerdict
	scenePolicy
	sceneTime
	sceneDuration
	sceneKeys

	sceneRole = iota - 1
	sceneAction
	sceneTrace
	sceneEnvironment
	scenePrompt
	sceneContext
	sceneReasoning
	sceneArgs
	sceneResponse
	sceneMetadata
)

var sceneColumns = []query.Field{
	{Name: "session", Kind: query.String}, {Name: "index", Kind: query.Long}, {Name: "request", Kind: query.String}, {Name: "seq", Kind: query.Long},
	{Name: "phase", Kind: query.String}, {Name: "parent", Kind: query.String}, {Name: "has_response", Kind: query.Bool}, {Name: "agent", Kind: query.String},
	{Name: "tool", Kind: query.String}, {Name: "authorization", Kind: query.String}, {Name: "policy", Kind: query.String}, {Name: "time", Kind: query.Datetime},
	{Name: "duration_ms", Kind: query.Real}, {Name: "role", Kind: query.String}, {Name: "action", Kind: query.String}, {Name: "trace", Kind: query.String},
	{Name: "environment", Kind: query.String}, {Name: "prompt", Kind: query.String}, {Name: "context", Kind: query.Dynamic}, {Name: "reasoning", Kind: query.String},
	{Name: "args", Kind: query.Dynamic}, {Name: "response", Kind: query.Dynamic}, {Name: "metadata", Kind: query.Dynamic},
}

// needed is how many of the columns the input must have.
const needed = 3

func bindScene(args *query.Arguments, _ []query.Field) (*query.Transform, error) {
	s := sceneOptions{before: args.Long("before", 3, 0), after: args.Long("after", 2, 0), terms: args.Terms()}
	return &query.Transform{
		Needs: sceneColumns[:needed],
		Wants: sceneColumns[needed:],
		Fields: []query.Field{
			{Name: "session", Kind: query.String}, {Name: "index", Kind: query.Long}, {Name: "request", Kind: query.String}, {Name: "agent", Kind: query.String},
			{Name: "tool", Kind: query.String}, {Name: "scene", Kind: query.Dynamic},
		},
		Notes: []string{"reads the table entries beside its input, for the rest of each call, its neighbours, its children and its parent"},
		Run: func(r *query.Run, in query.Batches, out func(row ...query.Value) error) error {
			return (&scenes{sceneOptions: s, run: r, out: out, seen: map[sceneID]struct{}{}}).read(in)
		},
		Text: func(f query.Format, w io.Writer, opt query.FormatOptions) query.Writer {
			if f.Name == "markdown" { // is for a document that has pages of its own
				return f.New(w, opt)
			}
			return newPages(w, opt, s.terms)
		},
	}, nil
}

// sceneOptions are what a query says of its scenes.
type sceneOptions struct {
	before, after int64 // entries of the session
	terms         []query.Term
}
