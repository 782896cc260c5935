package query

import (
	"strings"
)

// specialFuncs are the functions that are more than a function of their arguments' values.
var specialFuncs map[string]func(s *scope, n *callNode) (expr, error)

func init() {
	specialFuncs = map[string]func(s *scope, n *callNode) (expr, error){
		"now": callNow, "ago": callNow, "toscalar": callToscalar, "typeof": callTypeof, "column_ifexists": callIfExists, "columnifexists": callIfExists,
		"pack_all": callPackAll, "prev": callWindow, "next": callWindow, "row_number": callWindow, "row_cumsum": callWindow,
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

// A windowExpr depends on other rows. It is computed over a whole table, by the operator
// that has it.
type windowExpr struct {
	k    Kind
	name string
	args []expr
	out  []Value // of the rows, once computed
}

func (w *windowExpr) kind() Kind                   { return w.k }
func (w *windowExpr) eval(*Batch) (*Vector, error) { return VectorOf(w.k, w.out), nil }

// callWindow binds prev, next, row_number and row_cumsum.
func callWindow(s *scope, n *callNode) (expr, error) {
	if s.windows == nil {
		return nil, errorAt(n, "%s cannot stand here", n.name)
	}
	if s.rel == nil || !s.rel.ordered {
		return nil, errorAt(n, "%s needs rows in an order: put serialize or sort before", n.name)
	}
	w := &windowExpr{name: n.name, k: Long}
	for _, a := range n.args {
		e, err := s.expr(a.node)
		if err != nil {
			return nil, err
		}
		w.args = append(w.args, e)
	}
	least, most := 1, 3
	switch n.name {
	case "row_number":
		least, most = 0, 2
	case "row_cumsum":
		most = 2
	}
	if len(w.args) < least || len(w.args) > most {
		return nil, errorAt(n, "%s: expected %d to %d arguments, found %d", n.name, least, most, len(w.args))
	}
	if n.name != "row_number" {
		w.k = w.args[0].kind()
	}
	if n.name == "prev" || n.name == "next" {
		if len(w.args) > 1 {
			if v := constant(w.args[1]); v == nil || v.N < 1 {
				return nil, errorAt(n, "%s: the offset is a number from 1 on", n.name)
			}
		}
		if len(w.args) > 2 && constant(w.args[2]) == nil {
			return nil, errorAt(n, "%s: the default is the same for all rows", n.name)
		}
	}
	if n.name == "row_cumsum" && !w.k.isNumber() && w.k != Timespan {
		return nil, errorAt(n, "row_cumsum: expected a number, found %s", w.k)
	}
	*s.windows = append(*s.windows, w)
	return w, nil
}

// compute fills w for all rows of b.
func (w *windowExpr) compute(b *Batch) error {
	args := make([]*Vector, len(w.args))
	for i, a := range w.args {
		v, err := a.eval(b)
		if err != nil {
			return err
		}
		args[i] = v
	}
	w.out = make([]Value, b.N)
	switch w.name {
	case "row_number":
		w.number(args, b.N)
	case "row_cumsum":
		w.cumsum(args)
	default:
		w.shift(args, b.N)
	}
	return nil
}

func (w *windowExpr) number(args []*Vector, rows int) {
	start := int64(1)
	if len(args) > 0 && rows > 0 {
		start = args[0].At(0).N
	}
	n := start
	for row := range w.out {
		if len(args) > 1 && args[1].At(row).Bool() {
			n = start
		}
		w.out[row] = LongOf(n)
		n++
	}
}

func (w *windowExpr) cumsum(args []*Vector) {
	sum := Value{Kind: w.k}
	if w.k == Real {
		sum = RealOf(0)
	}
	for row := range w.out {
		v := args[0].At(row)
		if len(args) > 1 && args[1].At(row).Bool() {
			sum = Value{Kind: w.k}
			if w.k == Real {
				sum = RealOf(0)
			}
		}
		switch {
		case v.Null:
		case w.k == Real:
			sum = RealOf(sum.Real() + v.Real())
		default:
			sum.N += v.N
		}
		w.out[row] = sum
	}
}

// shift is prev and next.
func (w *windowExpr) shift(args []*Vector, rows int) {
	by := int64(1)
	if len(args) > 1 && rows > 0 {
		by = args[1].At(0).N
	}
	if w.name == "prev" {
		by = -by
	}
	for row := range w.out {
		from := int64(row) + by
		switch {
		case from >= 0 && from < int64(rows):
			w.out[row] = args[0].At(int(from))
		case len(args) > 2:
			w.out[row] = convert(args[2].At(row), w.k)
		default:
			w.out[row] = NullOf(w.k)
		}
	}
}

// windowed returns the batches that an operator with window functions works on: all rows
// at once.
func windowed(in *relation, operator string, windows []*windowExpr) *relation {
	if len(windows) == 0 {
		return in
	}
	out := *in
	out.scan = nil
	out.open = func(r *run) Batches {
		rows, err := r.rows(operator, in)
		if err != nil {
			return failed(err)
		}
		b := batchOf(in.fields, rows)
		for _, w := range windows {
			if err := w.compute(b); err != nil {
				return failed(err)
			}
		}
		return func(yield func(*Batch, error) bool) { yield(b, nil) }
	}
	return &out
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
