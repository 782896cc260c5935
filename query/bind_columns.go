package query

import "fmt"

// A result is a column that an operator computes. Name is that which is given, or that which
// the expression tells; "" if it is to be numbered.
type result struct {
	expr
	name  string
	given bool
}

// results binds an expression in a list of columns: array_sort_asc of several arrays gives
// one for each, others give one.
func (s *scope) results(c NamedExpr) ([]result, error) {
	e, err := s.expr(c.X)
	if err != nil {
		return nil, err
	}
	names := sortedNames(s, c.X)
	if names == nil {
		names = []string{s.resultName(c.X)}
	}
	given := c.Names
	if c.Name != "" {
		given = []string{c.Name}
	}
	if len(given) > len(names) {
		return nil, errorAt(c.X, "there are %d names for what has %d results", len(given), len(names))
	}
	list := make([]result, len(names))
	for i, name := range names {
		list[i] = result{expr: e, name: name}
		if len(names) > 1 {
			list[i].expr = s.apply(Dynamic, func(a []Value) Value { return elementOf(a[0], int64(i)) }, false, e)
		}
		if i < len(given) {
			list[i].name, list[i].given = given[i], true
		}
	}
	return list, nil
}

// sortedNames returns the names of the arrays that a call sorts, nil if it does not sort
// several.
func sortedNames(s *scope, n node) (names []string) {
	call, ok := n.(*callNode)
	if !ok || call.name != "array_sort_asc" && call.name != "array_sort_desc" {
		return nil
	}
	for i, a := range call.args {
		if e, err := s.expr(a.node); err != nil || e.kind() != Dynamic {
			break
		}
		name := s.resultName(a.node)
		if n, ok := a.node.(*nameNode); ok {
			name = n.name
		}
		if name == "" {
			name = fmt.Sprint("array", i+1)
		}
		names = append(names, name+"_sorted")
	}
	if len(names) < 2 {
		return nil
	}
	return names
}
