package query

import (
	"fmt"
	"slices"
	"strings"

	"github.com/alecthomas/participle/v2/lexer"
)

func init() {
	register(
		Op{Name: "summarize", Usage: "summarize [NAME =] AGGREGATION, ... [by [NAME =] EXPRESSION, ...]", Doc: "makes groups of rows and computes aggregations of each",
			Example: "range x from 1 to 6 step 1 | summarize count(), sum(x) by odd = x % 2 == 1", Parse: parseSummarize},
		Op{Name: "distinct", Usage: "distinct EXPRESSION, ... or distinct *", Doc: "passes each different row on once", Example: "range x from 1 to 6 step 1 | distinct y = x % 2", Parse: parseDistinct},
	)
}

// summarizeStage: summarize ... by ....
type summarizeStage struct {
	aggs []NamedExpr
	by   []NamedExpr
	star bool // distinct *
	name string
}

func parseSummarize(lex *lexer.PeekingLexer) (Stage, error) {
	p := &exprParser{lex: lex}
	st := &summarizeStage{name: "summarize"}
	p.hints()
	var err error
	if !p.is("by") {
		if st.aggs, err = parseNamed(p); err != nil {
			return nil, err
		}
	}
	if p.accept("by") {
		st.by, err = parseNamed(p)
	}
	return st, err
}

// hints reads "hint.NAME=VALUE", which say how machines share the work: here they mean nothing.
func (p *exprParser) hints() {
	for p.peek().Type == tokenIdent && strings.HasPrefix(p.peek().Value, "hint") { // hint.strategy=shuffle
		cp := p.lex.MakeCheckpoint()
		p.lex.Next()
		if !p.accept(".") {
			p.lex.LoadCheckpoint(cp)
			break
		}
		p.lex.Next()
		p.accept("=")
		p.lex.Next()
	}
}

func parseDistinct(lex *lexer.PeekingLexer) (Stage, error) {
	p := &exprParser{lex: lex}
	st := &summarizeStage{name: "distinct"}
	if p.accept("*") {
		st.star = true
		return st, nil
	}
	var err error
	st.by, err = parseNamed(p)
	return st, err
}

func parseNamed(p *exprParser) (list []NamedExpr, err error) {
	for {
		var c NamedExpr
		if err := c.Parse(p.lex); err != nil {
			return nil, err
		}
		list = append(list, c)
		if !p.accept(",") {
			return list, nil
		}
	}
}

// A column of a result of summarize is an expression over the aggregations of a group.
type summary struct {
	fields []Field
	keys   []expr     // of groups
	calls  []*aggCall // each aggregation that stands somewhere, once
	exprs  []expr     // the columns behind the keys, over a batch of keys and results of calls
}

// An aggCall is an aggregation with its arguments.
type aggCall struct {
	args    []expr
	make    func() Accumulator
	k       Kind
	col     int     // in the batch that exprs see
	more    []Field // of one with several results: names and kinds
	multi   func() multiAccumulator
	partial func(g *groupedBatch, args []*Vector) partial // may be nil, and may give nil
}

func (st *summarizeStage) Bind(b *binder, in *relation) (*relation, error) {
	sum := &summary{}
	s := b.scope(in)
	by := st.by
	if st.star { // st stays as it is: the body of a function is bound again
		by = nil
		for _, f := range in.fields {
			by = append(by, NamedExpr{Name: f.Name, X: &nameNode{name: f.Name}})
		}
	}
	if err := sum.by(s, by); err != nil {
		return nil, err
	}
	a := &aggScope{scope: s, sum: sum}
	for _, c := range st.aggs {
		if err := a.column(c, sum.taken); err != nil {
			return nil, err
		}
	}
	fields := sum.fields
	rel := &relation{fields: fields, loose: in.loose && (st.star || a.star), open: func(r *run) Batches { return sum.open(r, in, st.name, len(by) > 0) }}
	return rel.by(sum.step(in, len(by) > 0)), nil
}

// taken tells whether a column has a name.
func (s *summary) taken(name string) bool {
	return slices.ContainsFunc(s.fields, func(f Field) bool { return f.Name == name })
}

// by binds the keys of groups.
func (s *summary) by(in *scope, keys []NamedExpr) error {
	for _, c := range keys {
		if err := c.single(); err != nil {
			return err
		}
		e, err := in.expr(c.X)
		if err != nil {
			return err
		}
		name := c.Name
		if name == "" {
			if name = in.resultName(c.X); name == "" {
				name = numbered("Column", 1, s.taken)
			} else {
				name = unique(name, s.taken)
			}
		}
		s.keys, s.fields = append(s.keys, e), append(s.fields, Field{name, e.kind()})
	}
	return nil
}

// An aggScope binds expressions in which aggregations stand.
type aggScope struct {
	*scope
	sum  *summary
	star bool // all columns are in the result, as of arg_max(a, *)
}

// column binds a column of summarize.
func (a *aggScope) column(c NamedExpr, taken func(string) bool) error {
	if n, ok := c.X.(*callNode); ok && multiAggs[n.name] {
		return a.multi(c, n, taken)
	}
	if err := c.single(); err != nil {
		return err
	}
	e, err := a.orUnknown(func() (expr, error) { return a.bind(c.X) })
	if err != nil {
		return err
	}
	name := c.Name
	if name == "" {
		name = unique(a.aggName(c.X), taken)
	} else if taken(name) {
		name = unique(name, taken)
	}
	a.sum.fields = append(a.sum.fields, Field{name, e.kind()})
	a.sum.exprs = append(a.sum.exprs, e)
	return nil
}

// aggName is the name of a result to which none is given.
func (a *aggScope) aggName(n node) string {
	call, ok := n.(*callNode)
	if !ok {
		return "Column1"
	}
	g := a.lang.aggs[call.name]
	if g == nil {
		if name := a.resultName(n); name != "" {
			return name
		}
		return "Column1"
	}
	var args []string
	for i := 0; i < len(call.args) && i < max(1, g.NameArgs); i++ {
		args = append(args, a.resultName(call.args[i].node))
	}
	arg := strings.Join(args, "_")
	switch {
	case g.Prefix == "" && g.Name == "take_any":
		return arg
	case call.name == "percentile" && len(call.args) == 2, call.name == "percentilew" && len(call.args) == 3:
		return "percentile_" + arg + "_" + percentName(call.args[len(call.args)-1].node)
	}
	return g.Prefix + arg
}

func percentName(n node) string {
	return strings.NewReplacer(".", "_", "-", "").Replace(n.String())
}

// bind binds an expression: aggregations in it become columns of the batch that it sees.
func (a *aggScope) bind(n node) (expr, error) {
	if call, ok := n.(*callNode); ok {
		if g := a.lang.aggs[call.name]; g != nil {
			return a.call(call, g)
		}
		if a.lang.funcs[call.name] == nil && specialFuncs[call.name] == nil && a.names.find(call.name) == nil {
			return nil, a.noFunction(call)
		}
	}
	if !a.hasAgg(n) { // of the groups' keys, or the same for all
		for i, k := range a.sum.keys {
			if x, ok := n.(*nameNode); ok && a.sum.fields[i].Name == x.name {
				return &colExpr{i, k.kind()}, nil
			}
		}
		inner := *a.scope
		inner.rel, inner.binder = nil, a.try()
		e, err := inner.expr(n)
		if err != nil {
			return nil, errorAt(n, "expected an aggregation, as count() or sum(x), found %s", n)
		}
		return e, nil
	}
	return a.over(n)
}

// over binds an expression with aggregations in it.
func (a *aggScope) over(n node) (expr, error) {
	list := aggNodes(a.lang, n, nil)
	outer := *a.scope
	outer.rel = nil
	outer.binder = a.binder.inner()
	replaced := map[node]node{}
	for i, call := range list {
		e, err := a.call(call, a.lang.aggs[call.name])
		if err != nil {
			return nil, err
		}
		name := fmt.Sprint("$agg", i)
		outer.names.of[name] = &named{bound: e}
		replaced[call] = &nameNode{call.place, name}
	}
	for i, f := range a.sum.fields[:len(a.sum.keys)] {
		outer.names.of[f.Name] = &named{bound: &colExpr{i, f.Kind}}
	}
	return outer.expr(replace(n, replaced))
}

func (a *aggScope) hasAgg(n node) bool { return len(aggNodes(a.lang, n, nil)) > 0 }

// aggNodes returns the aggregations that stand in an expression.
func aggNodes(l *Language, n node, list []*callNode) []*callNode {
	if call, ok := n.(*callNode); ok && l.aggs[call.name] != nil {
		return append(list, call)
	}
	for _, c := range children(n) {
		list = aggNodes(l, c, list)
	}
	return list
}

// children are the parts of an expression.
func children(n node) []node {
	switch n := n.(type) {
	case *unaryNode:
		return []node{n.x}
	case *binaryNode:
		return []node{n.l, n.r}
	case *memberNode:
		return []node{n.x}
	case *elementNode:
		return []node{n.x, n.i}
	case *listNode:
		return append([]node{n.x}, n.list...)
	case *betweenNode:
		return []node{n.x, n.lo, n.hi}
	case *callNode:
		list := make([]node, len(n.args))
		for i, a := range n.args {
			list[i] = a.node
		}
		return list
	}
	return nil
}

// replace returns an expression in which parts are replaced.
func replace(n node, by map[node]node) node {
	if r := by[n]; r != nil {
		return r
	}
	switch n := n.(type) {
	case *unaryNode:
		return &unaryNode{n.place, n.op, replace(n.x, by)}
	case *binaryNode:
		return &binaryNode{n.place, n.op, replace(n.l, by), replace(n.r, by)}
	case *memberNode:
		return &memberNode{n.place, replace(n.x, by), n.name}
	case *elementNode:
		return &elementNode{n.place, replace(n.x, by), replace(n.i, by)}
	case *listNode:
		out := &listNode{n.place, n.op, replace(n.x, by), nil}
		for _, x := range n.list {
			out.list = append(out.list, replace(x, by))
		}
		return out
	case *betweenNode:
		return &betweenNode{n.place, n.op, replace(n.x, by), replace(n.lo, by), replace(n.hi, by)}
	case *callNode:
		out := &callNode{place: n.place, name: n.name}
		for _, x := range n.args {
			out.args = append(out.args, argNode{x.name, replace(x.node, by)})
		}
		return out
	}
	return n
}

// call binds an aggregation.
func (a *aggScope) call(n *callNode, g *Agg) (expr, error) {
	args := make([]expr, len(n.args))
	known := make([]Arg, len(n.args))
	for i, x := range n.args {
		e, err := a.scope.expr(x.node)
		if err != nil {
			return nil, err
		}
		args[i], known[i] = e, argOf(e)
	}
	if err := checkArgs(g.Name, g.Usage, g.Params, g.Min, g.Variadic, known); err != nil {
		return nil, errorAt(n, "%v", err)
	}
	askValues(args)
	k, err := g.Result(known)
	if err != nil {
		return nil, errorAt(n, "%v", err)
	}
	c := &aggCall{args: args, k: k, partial: g.Partial, make: func() Accumulator { return g.New(known) }, col: len(a.sum.keys) + a.sum.width()}
	a.sum.calls = append(a.sum.calls, c)
	return &colExpr{c.col, k}, nil
}

// step tells what a summary reads and holds.
func (s *summary) step(in *relation, grouped bool) planStep {
	exprs := slices.Clone(s.keys)
	for _, c := range s.calls {
		exprs = append(exprs, c.args...)
	}
	note := "holds one group"
	if grouped {
		note = "holds a group for each key"
	}
	st := planStep{in: from(in), needs: needsOnly(in, exprs...), notes: []string{note}}
	if in.scan != nil {
		st.notes = append(st.notes, "groups each block on all cores")
	}
	return st
}

// width is how many columns the calls so far give.
func (s *summary) width() (n int) {
	for _, c := range s.calls {
		n += max(1, len(c.more))
	}
	return n
}
