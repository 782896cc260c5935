package audit

import (
	"fmt"
	"slices"
	"unsafe"

	"toolledger/chain"
	"toolledger/query"
)

// sealOperator makes ToolReplay's links for the calls of each session.
var sealOperator = query.Operator{
	Name:  "seal",
	Usage: `seal keep=dynamic(["session"])`,
	Doc:   "chains the calls of each session: of one session, as jsonl, a sealed transcript",
	Example: `datatable(session:string, index:long, tool:string, args:dynamic, response:dynamic)[
    "s", 0, "ls", dynamic({"path": "docs"}), dynamic({"files": 2})] | seal | project index, digest`,
	Bind: bindSeal,
}

// sealFields are the members of a sealed line, in their order.
var sealFields = []query.Field{{Name: "args", Kind: query.Dynamic}, {Name: "digest", Kind: query.String}, {Name: "index", Kind: query.Long},
	{Name: "prev", Kind: query.String}, {Name: "response", Kind: query.Dynamic}, {Name: "tool", Kind: query.String}}

// keepable are the columns that may stand beside the links.
var keepable = []query.Field{{Name: "session", Kind: query.String}, {Name: "agent", Kind: query.String}, {Name: "request", Kind: query.String}}

func bindSeal(args *query.Arguments, _ []query.Field) (*query.Transform, error) {
	op := sealRun{keep: args.Strings("keep")}
	fields := slices.Clone(sealFields)
	for _, name := range op.keep {
		i := slices.IndexFunc(keepable, func(f query.Field) bool { return f.Name == name })
		if i < 0 || slices.Contains(fields, keepable[i]) {
			args.Fault("keep", fmt.Errorf("keep: expected session, agent or request, each once, found %q", name))
			break
		}
		fields = append(fields, keepable[i])
	}
	t := texts{make: func(dst, canonical []byte) []byte { return append(dst, canonical...) }}
	return &query.Transform{
		Needs: entryNeeds, Wants: entryWants, Fields: fields,
		Notes: []string{"holds all calls"},
		Batch: t.batch,
		Run: func(r *query.Run, in query.Batches, out func(...query.Value) error) error {
			op := op // it may run more than once
			return op.run(r, in, out)
		},
		Exact: true,
	}, nil
}

// A sealRun is the operator with its arguments.
type sealRun struct {
	keep []string

	sessions, denied, odd int // odd: calls that no sealed transcript may have
}

func (op *sealRun) run(r *query.Run, in query.Batches, out func(...query.Value) error) error {
	list := newEntries("seal", func(text string) (string, int) { return text, len(text) })
	if err := r.Each(in, func(b *query.Batch) error { return list.add(r, b) }); err != nil {
		return err
	}
	// No row is given before all sessions are known to have their values: a part of a seal
	// would verify.
	for _, use := range []func(s unsealed) error{op.check, func(s unsealed) error { return op.links(list, s, out) }} {
		list.twice, op.denied = 0, 0
		err := eachSession(r, list, int(unsafe.Sizeof(call[string]{})), func(session string, entries []*entry[string]) unsealed {
			calls, denied := answered(fold(entries))
			return unsealed{session, calls, denied}
		}, func(s unsealed) error {
			op.denied += s.denied
			return use(s)
		})
		if err != nil {
			return err
		}
	}
	op.hints(r, list)
	return nil
}

// An unsealed is a session with its calls.
type unsealed struct {
	session string
	calls   []call[string]
	denied  int
}

// check refuses a session of which something was removed.
func (op *sealRun) check(s unsealed) error {
	for i := range s.calls {
		if s.calls[i].has&(argsRemoved|responseRemoved) != 0 {
			return fmt.Errorf("seal: a value was removed from the call at index %d of session %s, so that it can have no seal; leave the session out",
				s.calls[i].index, query.Visible(s.session))
		}
	}
	if len(s.calls) > 0 {
		op.sessions++
	}
	return nil
}

// links gives the links of a session. The calls count from 0, as in every transcript. What a
// call lacks is an empty object.
func (op *sealRun) links(in *entries[string], s unsealed, out func(...query.Value) error) error {
	sealer := chain.NewSealer()
	for i := range s.calls {
		c := &s.calls[i]
		call := chain.Call{Index: uint64(i), Tool: quoted(in.tools.texts[c.tool]), Args: []byte("{}"), Response: []byte("{}")}
		if c.has&hasArgs != 0 {
			call.Args = []byte(c.args)
		}
		if c.has&hasResponse != 0 {
			call.Response = []byte(c.response)
		}
		if call.Response[0] != '{' || call.Args[0] != '{' || call.SealedSize() > chain.MaxEntry {
			op.odd++
		}
		digest, prev := sealer.Link(&call)
		row := []query.Value{query.DynamicOf(string(call.Args)), query.StringOf(digest), query.LongOf(int64(i)), query.StringOf(prev),
			query.DynamicOf(string(call.Response)), query.StringOf(in.tools.texts[c.tool])}
		for _, name := range op.keep {
			kept := map[string]string{"session": s.session, "agent": in.agents.texts[c.agent], "request": c.request}
			row = append(row, query.StringOf(kept[name]))
		}
		if err := out(row...); err != nil {
			return err
		}
	}
	return nil
}

func (op *sealRun) hints(r *query.Run, in *entries[string]) {
	in.hints(r, op.denied)
	if op.sessions > 1 && !slices.Contains(op.keep, "session") {
		r.Hint("seal: these are the chains of %d sessions, one behind the other; verify takes one at a time", op.sessions)
	}
	if op.odd > 0 {
		r.Hint("seal: args or response is no object, as a transcript has it, or a line too long, so that verify refuses the file: %d calls", op.odd)
	}
}
