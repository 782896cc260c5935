package query

import (
	"strings"
)

// specialFuncs are the functions that are more than a function of their arguments' values.
var specialFuncs map[string]func(s *scope, n *callNode) (expr, error)

func init() {
	specialFuncs = map[string]func(s *scope, n *callNode) (expr, error){
		"now": callNow, "ago": callNow, "toscalar": callToscalar, "typeof": callTypeof, "column_ifexists": callIfExists, "columnifexists": callIfExists,
		"pack_all": callPackAll, "bag_pack_columns": callPackColumns, "column_names_of": callColumnNames, "assert": callAssert,
	}
	for name := range windowFuncs {
		specialFuncs[name] = callWindow
	}
}

// callNow is now([offset]) and ago(timespan): of the time when the query began.
func callNow(s *scope, n *callNode) (expr, error) {
	if len(n.args) > 1 || n.name == "ago" && len(n.args) == 0 {
		return nil, errorAt(n, "%s: expected a timespan", n.name)
	}
	if len(n.args) == 0 {
		return &constExpr{s.now}, nil
	}
	e, err := s.expr(n.args[0].node)
	if err != nil {
		return nil, err
	}
	if e.kind() != Timespan {
		return nil, errorAt(n, "%s: expected a timespan, found %s", n.name, e.kind())
	}
	now := s.now
	return s.apply(Datetime, func(a []Value) Value {
		if n.name == "ago" {
			return addTicks(now, -a[0].N)
		}
		return addTicks(now, a[0].N)
	}, false, e), nil
}

func callToscalar(s *scope, n *callNode) (expr, error) {
	if len(n.args) != 1 {
		return nil, errorAt(n, "toscalar: expected a query or a value")
	}
	if !s.isTable(n.args[0].node) {
		return s.expr(n.args[0].node)
	}
	rel, err := s.table(n.args[0].node)
	if err != nil {
		return nil, err
	}
	if s.check != nil {
		return s.unknown(rel.firstKind()), nil
	}
	v, err := s.lang.scalar(rel)
	if err != nil {
		return nil, errorAt(n, "%v", err)
	}
	return &constExpr{v}, nil
}

// callTypeof is typeof(long), which some functions take.
func callTypeof(s *scope, n *callNode) (expr, error) {
	if len(n.args) == 1 {
		if name, ok := n.args[0].node.(*nameNode); ok {
			if k, ok := kindOf(name.name); ok {
				return &constExpr{StringOf(k.String())}, nil
			}
		}
	}
	return nil, errorAt(n, "typeof: expected a type")
}

func callIfExists(s *scope, n *callNode) (expr, error) {
	if len(n.args) != 2 {
		return nil, errorAt(n, "column_ifexists: expected a name and a default")
	}
	l, ok := n.args[0].node.(*literalNode)
	if !ok || l.value.Kind != String || s.rel == nil {
		return nil, errorAt(n, "column_ifexists: expected a name in quotes")
	}
	if i := s.rel.field(l.value.S); i >= 0 {
		return s.columnAt(s.rel, i, 0), nil
	}
	if s.rel.loose {
		return s.unknown(unknown), nil
	}
	return s.expr(n.args[1].node)
}

// callPackAll makes a bag of all columns.
func callPackAll(s *scope, n *callNode) (expr, error) {
	if s.rel == nil || len(n.args) > 1 {
		return nil, errorAt(n, "pack_all: expected no column, and a table")
	}
	var args []expr
	for i, f := range s.rel.fields {
		args = append(args, &colExpr{i, f.Kind})
	}
	names := s.rel.columns()
	skip := false
	if len(n.args) == 1 {
		e, err := s.expr(n.args[0].node)
		if err != nil {
			return nil, err
		}
		v := constant(e)
		skip = v != nil && v.Bool()
	}
	return s.apply(Dynamic, func(a []Value) Value {
		if !skip {
			return bagOf(names, a)
		}
		var keep []string
		var values []Value
		for i, v := range a {
			if !v.Null && (v.Kind != String || v.S != "") {
				keep, values = append(keep, names[i]), append(values, v)
			}
		}
		return bagOf(keep, values)
	}, true, args...), nil
}

// callPackColumns is bag_pack_columns(column, ...).
func callPackColumns(s *scope, n *callNode) (expr, error) {
	var names []string
	var args []expr
	for _, a := range n.args {
		name, ok := a.node.(*nameNode)
		if !ok || s.rel == nil || s.rel.field(name.name) < 0 {
			return nil, errorAt(a.node, "bag_pack_columns: expected names of columns, found %s", a.node)
		}
		e, err := s.expr(name)
		if err != nil {
			return nil, err
		}
		names, args = append(names, name.name), append(args, e)
	}
	if len(args) == 0 {
		return nil, errorAt(n, "bag_pack_columns: expected names of columns")
	}
	return s.apply(Dynamic, func(a []Value) Value { return bagOf(names, a) }, true, args...), nil
}

// callColumnNames is column_names_of(table).
func callColumnNames(s *scope, n *callNode) (expr, error) {
	if len(n.args) != 1 {
		return nil, errorAt(n, "column_names_of: expected a table")
	}
	rel, err := s.table(n.args[0].node)
	if err != nil {
		return nil, err
	}
	return &constExpr{arrayOfStrings(rel.columns())}, nil
}

// callAssert is assert(condition, message): it fails before a row is read, or is true.
func callAssert(s *scope, n *callNode) (expr, error) {
	if len(n.args) != 2 {
		return nil, errorAt(n, "assert: expected a condition and a message")
	}
	cond, err := s.condition(n.args[0].node)
	if err != nil {
		return nil, err
	}
	message, err := s.expr(n.args[1].node)
	if err != nil {
		return nil, err
	}
	v, text := constant(cond), constant(message)
	switch {
	case v == nil || text == nil:
		return nil, errorAt(n, "assert: the condition and the message must be the same for all rows")
	case !v.Bool():
		return nil, errorAt(n, "assert failed: %s", toString(*text))
	}
	return cond, nil
}

// foldString makes strings equal that differ in case alone, by simple folding.
func foldString(s string) string {
	for i := range len(s) {
		if s[i] >= 0x80 {
			return strings.Map(foldRune, s)
		}
	}
	return strings.ToLower(s)
}
