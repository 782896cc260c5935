package audit

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"unsafe"

	"toolledger/chain"
	"toolledger/query"
)

// replayOperator is [Replay] for the calls of each session, and [Loop].
var replayOperator = query.Operator{
	Name:  "replay",
	Usage: `replay mutating=dynamic(["TOOL"]) mutating_also=dynamic(["TOOL"]) ignore=dynamic(["args.NAME"]) loop=5`,
	Doc:   "finds calls that were repeated for nothing, gave another response the second time, or go round in a loop",
	Example: `datatable(session:string, index:long, tool:string, args:dynamic, response:dynamic)[
    "s", 0, "ls", dynamic({"path": "docs"}), dynamic({"files": 2}),
    "s", 1, "ls", dynamic({"path": "docs"}), dynamic({"files": 3})] | replay | project index, kind, other`,
	Bind: bindReplay,
}

var replayFields = []query.Field{{Name: "session", Kind: query.String}, {Name: "index", Kind: query.Long}, {Name: "kind", Kind: query.String},
	{Name: "tool", Kind: query.String}, {Name: "agent", Kind: query.String}, {Name: "request", Kind: query.String},
	{Name: "other", Kind: query.Long}, {Name: "detail", Kind: query.String}}

// A replayRun is the operator with its arguments.
type replayRun struct {
	mutating map[string]bool
	loop     uint64 // so many calls are one
	prints   *Fingerprinter
	none     Fingerprint // of a response that is absent
	tools    [][]byte    // by their numbers, in canonical JSON
	denied   int
}

func bindReplay(args *query.Arguments, _ []query.Field) (*query.Transform, error) {
	mutating := DefaultMutating
	if args.Has("mutating") {
		mutating = toolsOf(args, "mutating")
	}
	mutating = slices.Concat(mutating, toolsOf(args, "mutating_also"))
	var ignored []valuePath
	for _, text := range args.Strings("ignore") {
		p, err := parsePath(text)
		args.Fault("ignore", err)
		ignored = append(ignored, p)
	}
	op := replayRun{mutating: mutatingSet(mutating), loop: uint64(args.Long("loop", 5, 2)), prints: NewFingerprinter()}
	op.none = op.prints.of()
	t := texts{args: pathsOf(ignored, chain.Args), response: pathsOf(ignored, chain.Response), make: func(dst, canonical []byte) []byte {
		p := op.prints.of(canonical)
		return append(dst, p[:]...)
	}}
	return &query.Transform{
		Needs: entryNeeds, Wants: entryWants, Fields: replayFields,
		Notes: []string{fmt.Sprintf("holds %d bytes an entry, with fingerprints of args and response", unsafe.Sizeof(entry[Fingerprint]{}))},
		Batch: t.batch,
		Run: func(r *query.Run, in query.Batches, out func(...query.Value) error) error {
			op := op // it may run more than once
			return op.run(r, in, out)
		},
	}, nil
}

// toolsOf returns a named list of tools.
func toolsOf(args *query.Arguments, name string) []string {
	list := args.Strings(name)
	if slices.Contains(list, "") {
		args.Fault(name, errors.New(name+": expected the names of tools, found an empty one"))
	}
	return list
}

func (op *replayRun) run(r *query.Run, in query.Batches, out func(...query.Value) error) error {
	list := newEntries("replay", func(text string) (p Fingerprint, size int) {
		copy(p[:], text) // none, where all was removed
		return p, 0
	})
	if err := r.Each(in, func(b *query.Batch) error { return list.add(r, b) }); err != nil {
		return err
	}
	for _, tool := range list.tools.texts {
		op.tools = append(op.tools, quoted(tool))
	}
	err := eachSession(r, list, replaySize, op.session, func(s replayed) error {
		op.denied += s.denied
		return s.rows(list, out)
	})
	list.hints(r, op.denied)
	return err
}

// replaySize is about what is kept of an entry, and its call, until its session is through.
const replaySize = int(unsafe.Sizeof(call[Fingerprint]{})) + 160

// A replayed is a session and what was found in it, by index, then kind.
type replayed struct {
	session string
	calls   []call[Fingerprint]
	denied  int
	found   []callFinding
}

func (op *replayRun) session(session string, list []*entry[Fingerprint]) replayed {
	calls, denied := answered(fold(list))
	return replayed{session, calls, denied, op.findings(calls)}
}

func (s *replayed) rows(in *entries[Fingerprint], out func(...query.Value) error) error {
	for _, f := range s.found {
		c := &s.calls[f.call]
		other := query.NullOf(query.Long)
		if f.Other != nil {
			other = query.LongOf(int64(*f.Other))
		}
		err := out(query.StringOf(s.session), query.LongOf(int64(f.Index)), query.StringOf(f.Kind), query.StringOf(in.tools.texts[c.tool]),
			query.StringOf(in.agents.texts[c.agent]), query.StringOf(c.request), other, query.StringOf(f.Detail))
		if err != nil {
			return err
		}
	}
	return nil
}

// A callFinding is a finding and the place of its call.
type callFinding struct {
	Finding
	call int
}

func (op *replayRun) findings(calls []call[Fingerprint]) (found []callFinding) {
	replay, loops := newReplay(op.mutating), newLoops(op.loop)
	for i := range calls {
		c := op.call(&calls[i])
		for _, f := range replay.add(c) {
			found = append(found, callFinding{f, i})
		}
		loops.add(i, &c, op.mutating[string(c.Tool)])
	}
	for _, l := range loops.all() {
		last := &calls[l.last]
		found = append(found, callFinding{l.finding(op.tools[last.tool], uint64(calls[l.first].index), uint64(last.index)), l.last})
	}
	slices.SortFunc(found, func(a, b callFinding) int {
		return cmp.Or(cmp.Compare(a.Index, b.Index), cmp.Compare(a.Kind, b.Kind))
	})
	return found
}

// call returns what Replay needs of a call.
func (op *replayRun) call(c *call[Fingerprint]) Call {
	out := Call{Index: uint64(c.index), Tool: op.tools[c.tool], Response: c.response}
	if c.has&argsRemoved == 0 {
		out.Identity = op.prints.identity(out.Tool, c.args)
	}
	switch {
	case c.has&responseRemoved != 0:
		out.Response = Fingerprint{}
	case c.has&hasResponse == 0:
		out.Response = op.none
	}
	return out
}
