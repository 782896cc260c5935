package query

// Functions of a row and those around it: they need rows in an order.

// A windowFunc is a window function: adding one is adding a row to a table.
type windowFunc struct {
	least, most int // how many arguments it takes
	// kind returns the kind of the result, or why the arguments are refused.
	kind    func(w *windowExpr, n *callNode) (Kind, error)
	restart int // the argument that is a condition, from which on a row begins anew; 0: none
	compute func(w *windowExpr, args []*Vector)
}

var windowFuncs = map[string]windowFunc{
	"next":               {1, 3, shiftKind, 0, (*windowExpr).shift},
	"prev":               {1, 3, shiftKind, 0, (*windowExpr).shift},
	"row_cumsum":         {1, 2, cumsumKind, 1, (*windowExpr).cumsum},
	"row_number":         {0, 2, numberKind, 1, (*windowExpr).number},
	"row_rank_dense":     {1, 2, rankKind, 1, (*windowExpr).rank},
	"row_rank_min":       {1, 2, rankKind, 1, (*windowExpr).rank},
	"row_window_session": {3, 4, sessionKind, 3, (*windowExpr).session},
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

// callWindow binds a window function.
func callWindow(s *scope, n *callNode) (expr, error) {
	if s.windows == nil {
		return nil, errorAt(n, "%s cannot stand here", n.name)
	}
	if s.rel == nil || !s.rel.ordered {
		return nil, errorAt(n, "%s needs rows in an order: put serialize or sort before", n.name)
	}
	f := windowFuncs[n.name]
	w := &windowExpr{name: n.name}
	for _, a := range n.args {
		e, err := s.expr(a.node)
		if err != nil {
			return nil, err
		}
		w.args = append(w.args, e)
	}
	if len(w.args) < f.least || len(w.args) > f.most {
		return nil, errorAt(n, "%s: expected %d to %d arguments, found %d", n.name, f.least, f.most, len(w.args))
	}
	if i := f.restart; i > 0 && i < len(w.args) {
		if k := w.args[i].kind(); k != Bool && k != unknown {
			return nil, errorAt(n.args[i].node, "%s: expected a condition, found %s", n.name, k)
		}
	}
	var err error
	if w.k, err = f.kind(w, n); err != nil {
		return nil, err
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
	if b.N > 0 {
		windowFuncs[w.name].compute(w, args)
	}
	return nil
}

// restarts tells whether argument i, if it is there, says that a row begins anew.
func restarts(args []*Vector, i, row int) bool { return len(args) > i && args[i].At(row).Bool() }

func rankKind(*windowExpr, *callNode) (Kind, error) { return Long, nil }

// wholeConstant returns an argument that is a whole number, the same for all rows.
func wholeConstant(e expr) (int64, bool) {
	v := constant(e)
	if v == nil || v.Null || v.Kind != Long && v.Kind != Int {
		return 0, false
	}
	return v.N, true
}

func numberKind(w *windowExpr, n *callNode) (Kind, error) {
	if len(w.args) > 0 && !isUnknown(w.args[0]) {
		if _, ok := wholeConstant(w.args[0]); !ok {
			return 0, errorAt(n.args[0].node, "row_number: expected a whole number to start from, the same for all rows")
		}
	}
	return Long, nil
}

func (w *windowExpr) number(args []*Vector) {
	start := int64(1)
	if len(args) > 0 {
		start = args[0].At(0).N
	}
	n := start
	for row := range w.out {
		if restarts(args, 1, row) {
			n = start
		}
		w.out[row] = LongOf(n)
		n++
	}
}

func cumsumKind(w *windowExpr, n *callNode) (Kind, error) {
	if k := w.args[0].kind(); k.isNumber() || k == Timespan {
		return k, nil
	}
	return 0, errorAt(n, "row_cumsum: expected a number, found %s", w.args[0].kind())
}

func (w *windowExpr) cumsum(args []*Vector) {
	sum := Value{Kind: w.k}
	if w.k == Real {
		sum = RealOf(0)
	}
	for row := range w.out {
		v := args[0].At(row)
		if restarts(args, 1, row) {
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

func shiftKind(w *windowExpr, n *callNode) (Kind, error) {
	if len(w.args) > 1 && !isUnknown(w.args[1]) {
		if by, ok := wholeConstant(w.args[1]); !ok || by < 1 {
			return 0, errorAt(n, "%s: the offset is a number from 1 on", n.name)
		}
	}
	if len(w.args) > 2 && constant(w.args[2]) == nil {
		return 0, errorAt(n, "%s: the default is the same for all rows", n.name)
	}
	return w.args[0].kind(), nil
}

// shift is prev and next.
func (w *windowExpr) shift(args []*Vector) {
	by := int64(1)
	if len(args) > 1 {
		by = args[1].At(0).N
	}
	if w.name == "prev" {
		by = -by
	}
	for row := range w.out {
		from := int64(row) + by
		switch {
		case from >= 0 && from < int64(len(w.out)):
			w.out[row] = args[0].At(int(from))
		case len(args) > 2:
			w.out[row] = convert(args[2].At(row), w.k)
		default:
			w.out[row] = NullOf(w.k)
		}
	}
}

// rank is row_rank_dense, where each other value counts one, and row_rank_min, the number of
// the first of the rows with the value.
func (w *windowExpr) rank(args []*Vector) {
	dense := w.name == "row_rank_dense"
	var rank, number int64
	for row := range w.out {
		if row == 0 || restarts(args, 1, row) {
			rank, number = 1, 1
		} else if number++; args[0].At(row).key() != args[0].At(row-1).key() {
			if rank++; !dense {
				rank = number
			}
		}
		w.out[row] = LongOf(rank)
	}
}

func sessionKind(w *windowExpr, n *callNode) (Kind, error) {
	if k := w.args[0].kind(); k != Datetime {
		return 0, errorAt(n, "row_window_session: expected a datetime first, found %s", k)
	}
	for _, a := range w.args[1:3] {
		if v := constant(a); v == nil || v.Kind != Timespan || v.Null || v.N < 0 {
			return 0, errorAt(n, "row_window_session: expected two timespans, the same for all rows, after the datetime")
		}
	}
	return Datetime, nil
}

// session is the time at which the session of a row begins: another begins so long after
// the first row of the last one, or so long after the row before.
func (w *windowExpr) session(args []*Vector) {
	first, before := NullOf(Datetime), NullOf(Datetime)
	sinceFirst, sinceBefore := args[1].At(0).N, args[2].At(0).N
	for row := range w.out {
		v := args[0].At(row)
		if first.Null || v.Null || v.N-first.N >= sinceFirst || v.N-before.N >= sinceBefore || restarts(args, 3, row) {
			first = v
		}
		w.out[row], before = first, v
	}
}

// windowed returns the batches that an operator with window functions works on: all rows
// at once.
func windowed(in *relation, operator string, windows []*windowExpr) *relation {
	if len(windows) == 0 {
		return in
	}
	out := *in
	out.scan, out.named = nil, false
	var names []string
	for _, w := range windows {
		names = append(names, w.name)
	}
	out.by(planStep{in: from(in), notes: []string{"holds all rows, for " + joined(names)}})
	out.open = func(r *run) Batches {
		b, err := r.table(operator, in)
		if err != nil {
			return failed(err)
		}
		for _, w := range windows {
			if err := w.compute(b); err != nil {
				return failed(err)
			}
		}
		return func(yield func(*Batch, error) bool) { yield(b, nil) }
	}
	return &out
}
