package query

import "slices"

// Aggregations with several results.
var multiAggs = words("arg_max arg_min argmax argmin percentiles percentilesw take_any any")

// A multiAccumulator is an Accumulator of several values.
type multiAccumulator interface {
	add(args []Value)
	values() []Value
	size() int // bytes it holds, about
}

// multi binds an aggregation with several results.
func (a *aggScope) multi(c NamedExpr, n *callNode, taken func(string) bool) error {
	switch n.name {
	case "percentiles", "percentilesw":
		return a.percentiles(c, n, taken)
	case "take_any", "any":
		return a.takeAny(c, n, taken)
	}
	return a.argExtreme(c, n, taken)
}

// add adds a call with several results and its columns.
func (a *aggScope) add(call *aggCall, names []string, taken func(string) bool) {
	call.col = len(a.sum.keys) + a.sum.width()
	a.sum.calls = append(a.sum.calls, call)
	for i, f := range call.more {
		a.sum.fields = append(a.sum.fields, Field{unique(names[i], taken), f.Kind})
		a.sum.exprs = append(a.sum.exprs, &colExpr{call.col + i, f.Kind})
	}
}

// columns binds arguments, * being all columns that are not among them or the keys.
func (a *aggScope) columns(args []argNode) (exprs []expr, names []string, err error) {
	for _, x := range args {
		if _, ok := x.node.(*starNode); ok {
			a.star = true
			for i, f := range a.rel.fields {
				if slices.Contains(names, f.Name) || slices.ContainsFunc(a.sum.fields[:len(a.sum.keys)], func(k Field) bool { return k.Name == f.Name }) {
					continue
				}
				exprs, names = append(exprs, &colExpr{i, f.Kind}), append(names, f.Name)
			}
			continue
		}
		e, err := a.scope.expr(x.node)
		if err != nil {
			return nil, nil, err
		}
		exprs, names = append(exprs, e), append(names, a.resultName(x.node))
	}
	return exprs, names, nil
}

func fieldsOf(exprs []expr) (fields []Field) {
	for _, e := range exprs {
		fields = append(fields, Field{Kind: e.kind()})
	}
	return fields
}

// argExtreme is arg_max and arg_min: the row with the greatest or the least value.
func (a *aggScope) argExtreme(c NamedExpr, n *callNode, taken func(string) bool) error {
	if len(n.args) == 0 {
		return errorAt(n, "%s: expected an expression to maximize or minimize, and columns", n.name)
	}
	exprs, names, err := a.columns(n.args)
	if err != nil {
		return err
	}
	if len(exprs) == 0 {
		if a.rel.loose { // it may have columns that are not known
			a.unknown(unknown)
		}
		return errorAt(n, "%s: expected a column; * names none beside the keys", n.name)
	}
	sign := 1
	prefix := "max_"
	if n.name == "arg_min" || n.name == "argmin" {
		sign, prefix = -1, "min_"
	}
	if names[0] == "" {
		names[0] = prefix
	}
	for i := range names {
		if names[i] == "" {
			names[i] = "arg" + numberText(int64(i))
		}
	}
	if c.Name != "" {
		names[0] = c.Name
	}
	for i, name := range c.Names {
		if i < len(names) {
			names[i] = name
		}
	}
	kinds := fieldsOf(exprs)
	a.add(&aggCall{args: exprs, more: kinds, multi: func() multiAccumulator { return &argAccumulator{sign: sign, kinds: kinds} }}, names, taken)
	return nil
}

// An argAccumulator keeps the row of the greatest value, or the least. A null is taken
// only while there is nothing else.
type argAccumulator struct {
	sign  int
	kinds []Field
	row   []Value
}

func (g *argAccumulator) add(args []Value) {
	switch {
	case g.row == nil:
	case args[0].Null || isNaN(g.row[0]): // NaN stays
		return
	case g.row[0].Null || isNaN(args[0]):
	case compare(args[0], g.row[0])*g.sign <= 0:
		return
	}
	g.row = append(g.row[:0], args...)
}

func (g *argAccumulator) values() []Value {
	if g.row != nil {
		return g.row
	}
	out := make([]Value, len(g.kinds))
	for i, f := range g.kinds {
		out[i] = NullOf(f.Kind)
	}
	return out
}

// takeAny is take_any of several columns: those of the first row.
func (a *aggScope) takeAny(c NamedExpr, n *callNode, taken func(string) bool) error {
	exprs, names, err := a.columns(n.args)
	if err != nil {
		return err
	}
	for i := range names {
		if n.name == "any" {
			names[i] = "any_" + names[i]
		}
		if i < len(c.Names) {
			names[i] = c.Names[i]
		}
	}
	if c.Name != "" && len(names) > 0 {
		names[0] = c.Name
	}
	kinds := fieldsOf(exprs)
	a.add(&aggCall{args: exprs, more: kinds, multi: func() multiAccumulator { return &anyAccumulator{kinds: kinds} }}, names, taken)
	return nil
}

// An anyAccumulator keeps, of each column, the first value that is not null or empty.
type anyAccumulator struct {
	kinds []Field
	row   []Value
}

func (g *anyAccumulator) add(args []Value) {
	if g.row == nil {
		g.row = append(g.row, args...)
		return
	}
	for i, v := range g.row {
		if v.Null && !args[i].Null {
			g.row[i] = args[i]
		}
	}
}

func (g *anyAccumulator) values() []Value {
	return (&argAccumulator{kinds: g.kinds, row: g.row}).values()
}

// percentiles is percentile for several shares at once, percentilesw percentilew.
func (a *aggScope) percentiles(c NamedExpr, n *callNode, taken func(string) bool) error {
	of, fixed := "percentile", 1
	if n.name == "percentilesw" {
		of, fixed = "percentilew", 2
	}
	if len(n.args) <= fixed {
		return errorAt(n, "%s: expected %s and percentages", n.name, []string{"an expression", "an expression, weights"}[fixed-1])
	}
	base := a.resultName(n.args[0].node)
	for i, p := range n.args[fixed:] {
		call := &callNode{n.place, of, append(slices.Clone(n.args[:fixed]), p)}
		name := "percentile_" + base + "_" + percentName(p.node)
		if c.Name != "" && i == 0 {
			name = c.Name
		}
		if i < len(c.Names) {
			name = c.Names[i]
		}
		if err := a.column(NamedExpr{Name: name, X: call}, taken); err != nil {
			return err
		}
	}
	return nil
}
