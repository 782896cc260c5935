package audit

import (
	"errors"
	"fmt"
	"io"

	"toolledger/db"
	"toolledger/query"
)

// The kinds of diff's rows.
const (
	sameCall          = "same"
	differentArgs     = "different-args"
	differentResponse = "different-response"
	onlyA             = "only-a"
	onlyB             = "only-b"
	unknownRemoved    = "unknown (removed)" // a value that would decide was removed
)

// diffOperator compares two sessions call by call.
func diffOperator(led Ledger) query.Operator {
	return query.Operator{
		Name:    "diff",
		Usage:   `diff "SESSION" "SESSION" context=3`,
		Doc:     "two sessions side by side, call by call, and where they first differ; first in a query, of the ledger's entries",
		Example: `datatable(session:string, index:long, tool:string, args:dynamic)["a", 0, "ls", dynamic({"path": "docs"}), "b", 0, "ls", dynamic({"path": "src"})] | diff "a" "b"`,
		Source:  true,
		Bind: func(args *query.Arguments, in []query.Field) (*query.Transform, error) {
			a, b := args.Text(0, "a session"), args.Text(1, "a session")
			context := int(min(args.Long("context", 3, 0), 1<<30))
			t := &query.Transform{
				Needs: []query.Field{{Name: "session", Kind: query.String}, {Name: "index", Kind: query.Long}, {Name: "tool", Kind: query.String}},
				Wants: []query.Field{{Name: "args", Kind: query.Dynamic}, {Name: "response", Kind: query.Dynamic}, {Name: "request", Kind: query.String}, {Name: "phase", Kind: query.String},
					{Name: "authorization", Kind: query.String}, {Name: "ordinal", Kind: query.Long}, {Name: "removed", Kind: query.Dynamic}},
				From: "entries", Only: &query.Only{Column: "session", Values: []string{a, b}},
				Fields: diffFields,
				Notes:  []string{"holds the calls of both sessions, each text once"},
				Text: func(f query.Format, w io.Writer, opt query.FormatOptions) query.Writer {
					if f.Name != "table" {
						return f.New(w, opt)
					}
					return newDiffWriter(w, opt.Width, a, b, context)
				},
			}
			t.Run = func(r *query.Run, in query.Batches, out func(row ...query.Value) error) error {
				d := &differ{run: r, names: newNames(), sides: [2]*diffSide{{session: a}, {session: b}}}
				if err := r.Each(in, d.read); err != nil {
					return err
				}
				for _, side := range d.sides {
					if len(side.entries) == 0 {
						return noSession(r, led, side.session)
					}
					d.fold(side)
				}
				return d.rows(out)
			}
			return t, nil
		},
	}
}

var diffFields = []query.Field{
	{Name: "kind", Kind: query.String}, {Name: "divergence", Kind: query.Bool}, {Name: "tool", Kind: query.String},
	{Name: "index_a", Kind: query.Long}, {Name: "index_b", Kind: query.Long}, {Name: "args_a", Kind: query.Dynamic}, {Name: "args_b", Kind: query.Dynamic},
	{Name: "response_a", Kind: query.Dynamic}, {Name: "response_b", Kind: query.Dynamic}, {Name: "changes", Kind: query.Dynamic},
}

// rows gives the steps. The first that is known to differ is the divergence.
func (d *differ) rows(out func(row ...query.Value) error) error {
	steps, err := d.steps()
	if err != nil {
		return err
	}
	diverged := false
	for _, s := range steps {
		kind := d.kind(s)
		first := !diverged && kind != sameCall && kind != unknownRemoved
		diverged = diverged || first
		tool, changes := uint32(0), query.NullOf(query.Dynamic)
		index, args, responses := [2]query.Value{}, [2]query.Value{}, [2]query.Value{}
		for i, at := range [2]int{s.a, s.b} {
			index[i], args[i], responses[i] = query.NullOf(query.Long), query.NullOf(query.Dynamic), query.NullOf(query.Dynamic)
			if at < 0 {
				continue
			}
			c := &d.sides[i].calls[at]
			args[i], responses[i], tool = d.dynamic(c.args), d.dynamic(c.response), c.tool
			if c.index != noIndex {
				index[i] = query.LongOf(c.index)
			}
		}
		if s.a >= 0 && s.b >= 0 && kind != sameCall {
			list := d.changes(s)
			changes = query.DynamicOf(list.JSON())
		}
		if err := out(query.StringOf(kind), query.BoolOf(first), query.StringOf(d.names.texts[tool]), index[0], index[1], args[0], args[1], responses[0], responses[1], changes); err != nil {
			return err
		}
	}
	return nil
}

func (d *differ) dynamic(n uint32) query.Value {
	if n == 0 {
		return query.NullOf(query.Dynamic)
	}
	return query.DynamicOf(d.names.texts[n])
}

// noSession is the error of a session of which no row came.
func noSession(r *query.Run, led Ledger, session string) error {
	if led == nil {
		return fmt.Errorf("diff: no row is of session %q", session)
	}
	_, err := led.Session(session)
	switch {
	case err == nil:
		return fmt.Errorf("diff: no row is of session %q, which the ledger has", session)
	case !errors.Is(err, db.ErrNotFound):
		return err
	}
	var names []string
	for h, err := range led.Sessions() {
		if err == nil {
			err = r.Context().Err()
		}
		if err == nil {
			err = r.Hold(nameSize + len(h.Session))
		}
		if err != nil {
			return err
		}
		names = append(names, h.Session)
	}
	if near := query.Nearest(session, names); near != "" {
		return fmt.Errorf("diff: no session %q in the ledger, did you mean %q?", session, near)
	}
	return fmt.Errorf("diff: no session %q in the ledger", session)
}
