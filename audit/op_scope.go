package audit

import (
	"errors"
	"io/fs"

	"toolledger/chain"
	"toolledger/query"
)

// scopeFields are the columns of scope.
var scopeFields = []query.Field{
	{Name: "session", Kind: query.String}, {Name: "index", Kind: query.Long}, {Name: "kind", Kind: query.String}, {Name: "tool", Kind: query.String}, {Name: "agent", Kind: query.String},
	{Name: "role", Kind: query.String}, {Name: "request", Kind: query.String}, {Name: "rule", Kind: query.String}, {Name: "detail", Kind: query.String},
}

// scopeOperator asks a policy about the calls that entries are of. One finding a call, at its
// first entry.
func scopeOperator(files fs.FS) query.Operator {
	return query.Operator{
		Name:  "scope",
		Usage: `scope "FILE", or scope allow=dynamic(["TOOL", ...])`,
		Doc:   "the calls that ran or were allowed and that a policy refuses, or that were denied and it permits",
		Example: `datatable(session:string, index:long, tool:string)["s1", 0, "read_file", "s1", 1, "write_file"]
    | scope allow=dynamic(["read_*", "search"])`,
		Bind: func(args *query.Arguments, in []query.Field) (*query.Transform, error) {
			p, err := policyOf(args, files)
			if p == nil || err != nil {
				return nil, err
			}
			return scopeTransform(p), nil
		},
	}
}

// policyOf returns the policy that the arguments name, nil if they are at fault.
func policyOf(args *query.Arguments, files fs.FS) (Policy, error) {
	if args.Has("allow") {
		tools := args.Strings("allow")
		if args.Len() > 0 {
			args.Fault("allow", errors.New("expected either the file of a policy or allow"))
		}
		return toolList(tools), nil
	}
	name := args.Text(0, "the file of a policy")
	if name == "" {
		args.FaultAt(0, errors.New("expected the name of a file, found none"))
		return nil, nil
	}
	if files == nil {
		args.FaultAt(0, errors.New("no file may be read here; allow=dynamic([...]) needs none"))
		return nil, nil
	}
	p, err := ReadPolicy(files, name)
	args.FaultAt(0, err)
	return p, nil
}

// The columns that scope looks at, in the order of its batches; see scopeColumns.
const (
	colSession = iota
	colIndex
	colTool
	colAgent
	colRole
	colArgs
	colEnvironment
	colTime
	colAction
	colRequest
	colOrdinal
	colAuthorization
	colPhase
	colPolicy
	colRemoved
	colResponse
	numCols
)

// scopeColumns are the columns, and whether the input must have each.
func scopeColumns(r reads) (fields [numCols]query.Field, needs [numCols]bool) {
	text := func(col int, name string, need bool) {
		fields[col], needs[col] = query.Field{Name: name, Kind: query.String}, need
	}
	text(colSession, "session", true)
	fields[colIndex], needs[colIndex] = query.Field{Name: "index", Kind: query.Long}, true
	text(colTool, "tool", true)
	text(colAgent, "agent", false)
	text(colRole, "role", r.role)
	fields[colArgs], needs[colArgs] = query.Field{Name: "args", Kind: query.Dynamic}, r.wantsArgs()
	text(colEnvironment, "environment", r.environment)
	fields[colTime], needs[colTime] = query.Field{Name: "time", Kind: query.Datetime}, r.time
	text(colAction, "action", false)
	text(colRequest, "request", false)
	fields[colOrdinal] = query.Field{Name: "ordinal", Kind: query.Long}
	text(colAuthorization, "authorization", false)
	text(colPhase, "phase", false)
	text(colPolicy, "policy", false)
	fields[colRemoved] = query.Field{Name: "removed", Kind: query.Dynamic}
	fields[colResponse] = query.Field{Name: "has_response", Kind: query.Bool}
	return fields, needs
}

// scopeTransform is the operator with a policy. Of the columns, those that the policy does not
// look at are not read; place says where in a batch each of the others is.
func scopeTransform(p Policy) *query.Transform {
	r := p.reads()
	skip := map[int]bool{colArgs: !r.wantsArgs(), colRemoved: !r.wantsArgs(), colEnvironment: !r.environment, colTime: !r.time, colAction: !r.action}
	fields, needs := scopeColumns(r)
	t := &query.Transform{Fields: scopeFields, Notes: []string{"one decision a call, at the end, on all cores"}}
	var order []int
	for _, need := range []bool{true, false} {
		for col := range fields {
			if skip[col] || needs[col] != need {
				continue
			}
			order = append(order, col)
			if need {
				t.Needs = append(t.Needs, fields[col])
			} else {
				t.Wants = append(t.Wants, fields[col])
			}
		}
	}
	var place [numCols]int
	for col := range place {
		place[col] = -1
	}
	for i, col := range order {
		place[col] = i
	}
	if r.wantsArgs() && !r.allArgs {
		names := map[string]bool{}
		for name := range r.args {
			names[string(chain.Quote(name))] = true
		}
		t.Batch = func(b *query.Batch) (*query.Batch, error) { return keepArgs(b, place[colArgs], names), nil }
	}
	t.Run = func(run *query.Run, in query.Batches, out func(...query.Value) error) error {
		f := newFold(run, place)
		if err := run.Each(in, f.add); err != nil {
			return err
		}
		return f.decide(p, out)
	}
	return t
}
