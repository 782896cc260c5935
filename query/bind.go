package query

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"toolledger/chain"
)

// A binder finds out what names mean. It reads no row, but for toscalar.
type binder struct {
	lang   *Language
	names  *names
	now    Value
	params map[string]string // of the command line
	depth  int
	check  *check // nil: the first fault ends binding, and toscalar reads its table
	strict bool   // what is bound is a try: its first fault ends it, and is not told
}

// names are those that let gives, the inner ones first.
type names struct {
	outer *names
	of    map[string]*named
}

// A named is what a name stands for: one of them is set.
type named struct {
	value    *Value
	table    *relation
	function *function
	bound    expr // of an argument that differs by row
}

func (n *names) find(name string) *named {
	for ; n != nil; n = n.outer {
		if d := n.of[name]; d != nil {
			return d
		}
	}
	return nil
}

// given returns the names that let gave, in order.
func (n *names) given() (list []string) {
	for ; n != nil; n = n.outer {
		list = slices.AppendSeq(list, maps.Keys(n.of))
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// inner returns a binder in which further names can be given.
func (b *binder) inner() *binder {
	c := *b
	c.names = &names{b.names, map[string]*named{}}
	return &c
}

func nowValue(t time.Time) Value {
	c := chain.TimeOf(t)
	return DatetimeOf(c.Ticks, 0)
}

// hint says something to the user once.
func (b *binder) hint(format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	if !slices.Contains(b.lang.hints, text) {
		b.lang.hints = append(b.lang.hints, text)
	}
}

// pipeline binds a query.
func (b *binder) pipeline(q *pipeline) (*relation, error) {
	if b.depth++; b.depth > maxDepth {
		return nil, &Error{Msg: fmt.Sprintf("queries may be nested %d deep", maxDepth), Offset: q.from, End: q.to}
	}
	defer func() { b.depth-- }()
	var rel *relation
	var err error
	if q.source.stage == nil {
		if rel, err = b.table(q.source.expr); err != nil {
			return nil, err
		}
	}
	for i := range q.stages {
		s, in := &q.stages[i], rel
		if rel, err = b.stage(s, in); err != nil {
			return nil, err
		}
		rel = rel.titled(in, s.String())
	}
	return rel, nil
}

// stage binds an operator. in is nil for a source.
func (b *binder) stage(s *stageNode, in *relation) (*relation, error) {
	before := b.guesses()
	rel, err := s.stage.Bind(b, in)
	if err == nil {
		return b.looking(s.stage, in, rel), nil
	}
	if err = b.at(err, s.place); b.take(err, before) {
		return b.behind(s.name, in), nil
	}
	return nil, err
}

// at gives an error without a place that of an operator.
func (b *binder) at(err error, p place) error {
	if _, ok := err.(*Error); ok {
		return err
	}
	return &Error{Msg: err.Error(), Offset: p.from, End: p.to}
}

// table binds an expression that is a table.
func (b *binder) table(n node) (*relation, error) {
	before := b.guesses()
	rel, err := b.bindTable(n)
	if err != nil && b.take(err, before) {
		return b.anything(), nil
	}
	return rel, err
}

func (b *binder) bindTable(n node) (*relation, error) {
	switch n := n.(type) {
	case *skippedNode:
		return b.anything(), nil
	case *tableNode:
		return b.pipeline(n.query)
	case *nameNode:
		if d := b.names.find(n.name); d != nil {
			switch {
			case d.table != nil:
				return d.table, nil
			case d.function != nil:
				return b.callTable(n, d.function, nil)
			case isUnknown(d.bound):
				return b.anything(), nil
			}
			return nil, errorAt(n, "'%s' is a value, expected a table", n.name)
		}
		if rel := b.lang.table(n.name); rel != nil {
			return rel, nil
		}
		if op := operatorNamed(n.name); op != nil && op.Source {
			return nil, errorAt(n, "expected %s", op.Usage)
		}
		if op := b.lang.operator(n.name); op != nil {
			st := &operatorStage{name: n.name, at: n.place}
			rel, err := st.Bind(b, nil)
			if err != nil {
				return nil, err
			}
			return rel.titled(nil, n.name), nil
		}
		return nil, b.noTable(n)
	case *callNode:
		if d := b.names.find(n.name); d != nil && d.function != nil {
			return b.callTable(n, d.function, n.args)
		} else if d != nil && isUnknown(d.bound) {
			return b.anything(), nil
		}
		switch n.name {
		case "materialize":
			if len(n.args) != 1 {
				return nil, errorAt(n, "materialize: expected a query")
			}
			rel, err := b.table(n.args[0].node)
			if err != nil {
				return nil, err
			}
			return materialized(rel), nil
		case "table":
			name := tableArgument(n)
			if name == nil {
				return nil, errorAt(n, "table: expected a name in quotes")
			}
			return b.table(name)
		}
		if kqlTables()[n.name] {
			return nil, lacking(n, n.name)
		}
		return nil, errorAt(n, "unknown table '%s'", n.name)
	case *memberNode: // database("x").T
		if call, ok := n.x.(*callNode); ok && kqlTables()[call.name] {
			return nil, lacking(call, call.name)
		}
	}
	return nil, errorAt(n, "expected a table, found %s", n)
}

// noTable is the fault of a name that is none of a table.
func (b *binder) noTable(n *nameNode) error {
	return errorAt(n, "unknown table '%s'%s", n.name, DidYouMean(n.name, b.lang.tableNames(), b.names.given()))
}

// isTable tells whether an expression is a table.
func (b *binder) isTable(n node) bool {
	switch n := n.(type) {
	case *tableNode:
		return true
	case *nameNode:
		if d := b.names.find(n.name); d != nil {
			return d.table != nil || d.function != nil && d.function.table
		}
		return b.lang.table(n.name) != nil
	case *callNode:
		if d := b.names.find(n.name); d != nil && d.function != nil {
			return d.function.table
		}
		if name := tableArgument(n); name != nil {
			return b.isTable(name)
		}
		return n.name == "materialize"
	}
	return false
}

// tableArgument returns the name in table("NAME"), nil if it is not that.
func tableArgument(n *callNode) *nameNode {
	if n.name != "table" || len(n.args) != 1 {
		return nil
	}
	if l, ok := n.args[0].node.(*literalNode); ok && l.value.Kind == String {
		return &nameNode{n.place, l.value.S}
	}
	return nil
}

// columns are the names of a relation's columns, for messages.
func (r *relation) columns() []string { return namesOf(r.fields) }

func namesOf(fields []Field) (names []string) {
	for _, f := range fields {
		names = append(names, f.Name)
	}
	return names
}

// unique returns a name that is not among names yet: itself, or with a number behind it.
func unique(name string, taken func(string) bool) string {
	if !taken(name) {
		return name
	}
	for i := 1; ; i++ {
		if n := fmt.Sprint(name, i); !taken(n) {
			return n
		}
	}
}

// matchesPattern tells whether a column's name is one that a pattern with * names.
func matchesPattern(pattern, name string) bool {
	parts := strings.Split(pattern, "*")
	if len(parts) == 1 {
		return pattern == name
	}
	if !strings.HasPrefix(name, parts[0]) {
		return false
	}
	name = name[len(parts[0]):]
	for _, p := range parts[1 : len(parts)-1] {
		i := strings.Index(name, p)
		if i < 0 {
			return false
		}
		name = name[i+len(p):]
	}
	return strings.HasSuffix(name, parts[len(parts)-1])
}
