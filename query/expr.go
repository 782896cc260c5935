package query

// An expr is an expression whose names are bound: it gives a vector for a batch.
type expr interface {
	kind() Kind
	eval(b *Batch) (*Vector, error)
}

// A constExpr has one value.
type constExpr struct{ v Value }

func (e *constExpr) kind() Kind                   { return e.v.Kind }
func (e *constExpr) eval(*Batch) (*Vector, error) { return Repeated(e.v), nil }

// A colExpr is a column.
type colExpr struct {
	i int
	k Kind
}

func (e *colExpr) kind() Kind { return e.k }
func (e *colExpr) eval(b *Batch) (*Vector, error) {
	v := b.Cols[e.i]
	return v, v.Fill()
}

// An applyExpr is a function of other expressions. Where they depend on one column alone
// that repeats its values, it is computed once a value.
type applyExpr struct {
	k     Kind
	args  []expr
	f     func(args []Value) Value
	nulls bool // f sees nulls; else the result is null where an argument is
	limit *textLimit
}

// A textLimit is what texts may take that a function computes of one batch: rows are many, and
// each may get a long one.
type textLimit struct {
	function string
	budget   int64 // bytes
}

// leastTexts is what the texts of a batch may take however small the budget is: a batch that is
// read takes as much, and is not counted.
const leastTexts = 16 << 20

// take counts a text of so many bytes; nil limits nothing.
func (l *textLimit) take(sum *int64, bytes int) error {
	if *sum += int64(bytes); l != nil && *sum > max(l.budget, leastTexts) {
		return &BudgetError{l.function, l.budget}
	}
	return nil
}

func (e *applyExpr) kind() Kind { return e.k }

func (e *applyExpr) eval(b *Batch) (*Vector, error) {
	vectors := make([]*Vector, len(e.args))
	for i, a := range e.args {
		var err error
		if vectors[i], err = a.eval(b); err != nil {
			return nil, err
		}
	}
	return e.over(vectors, b.N)
}

// over computes the result of rows whose arguments are known.
func (e *applyExpr) over(vectors []*Vector, n int) (*Vector, error) {
	varying := -1 // the only argument that is not the same in all rows; -2: there are more
	for i, v := range vectors {
		switch {
		case v.one:
		case varying == -1:
			varying = i
		case varying >= 0 && !sameCodes(vectors[varying], v):
			varying = -2
		}
	}
	args := make([]Value, len(vectors))
	for i, v := range vectors {
		if v.one {
			args[i] = v.values[0]
		}
	}
	switch {
	case varying == -1:
		return Repeated(e.apply(args)), nil
	case varying >= 0 && vectors[varying].codes != nil && len(vectors[varying].values) <= n+1:
		return e.perValue(vectors, args, vectors[varying])
	}
	out := make([]Value, n)
	size := int64(0)
	for row := range out {
		for i, v := range vectors {
			if !v.one {
				args[i] = v.At(row)
			}
		}
		out[row] = e.apply(args)
		if err := e.limit.take(&size, len(out[row].S)); err != nil {
			return nil, err
		}
	}
	v := VectorOf(e.k, out)
	v.parts = e.k.hasText()
	return v, nil
}

// sameCodes tells whether two vectors have the same rows for each of their values, since
// one was computed from the other.
func sameCodes(a, b *Vector) bool {
	return len(a.codes) > 0 && len(a.codes) == len(b.codes) && &a.codes[0] == &b.codes[0]
}

// perValue computes the result once a value of the vector that varies.
func (e *applyExpr) perValue(vectors []*Vector, args []Value, varying *Vector) (*Vector, error) {
	values := make([]Value, len(varying.values))
	size := int64(0)
	for n := range values {
		for i, v := range vectors {
			if !v.one {
				args[i] = v.values[n]
			}
		}
		values[n] = e.apply(args)
		if err := e.limit.take(&size, len(values[n].S)); err != nil {
			return nil, err
		}
	}
	out := Coded(e.k, values, varying.codes)
	out.parts = e.k.hasText()
	return out, nil
}

func (e *applyExpr) apply(args []Value) Value {
	if !e.nulls {
		for i := range args {
			if args[i].Null {
				return NullOf(e.k)
			}
		}
	}
	return e.f(args)
}

// constant returns the value of an expression that has one, whatever the row.
func constant(e expr) *Value {
	switch e := e.(type) {
	case *constExpr:
		return &e.v
	case *unknownExpr:
		e.check.used++
	}
	return nil
}

// folded computes an expression whose parts are all constant. If one of them is, and is not
// known in a check, neither is the value.
func folded(e *applyExpr) expr {
	args := make([]Value, len(e.args))
	var open *unknownExpr
	for i, a := range e.args {
		switch a := a.(type) {
		case *constExpr:
			args[i] = a.v
		case *unknownExpr:
			open = a
		default:
			return e
		}
	}
	if open != nil {
		return &unknownExpr{e.k, open.check}
	}
	return &constExpr{e.apply(args)}
}

// argOf returns what is known of an expression as an argument.
func argOf(e expr) Arg {
	if c, ok := e.(*constExpr); ok {
		return Arg{c.v.Kind, &c.v}
	}
	return Arg{Kind: e.kind()}
}

// selected returns the rows of a batch for which a condition is true.
func selected(cond expr, b *Batch) ([]int, error) {
	v, err := cond.eval(b)
	if err != nil {
		return nil, err
	}
	n, isTrue := v.trues(b.N)
	rows := make([]int, 0, n) // few rows of many blocks would otherwise be most of the memory
	switch {
	case n == 0:
	case v.one:
		for row := range b.N {
			rows = append(rows, row)
		}
	case v.codes != nil:
		for row, c := range v.codes {
			if isTrue[c] {
				rows = append(rows, row)
			}
		}
	case v.ints != nil:
		for row, n := range v.ints {
			if n != 0 {
				rows = append(rows, row)
			}
		}
	default:
		for row := range v.values {
			if v.values[row].Bool() {
				rows = append(rows, row)
			}
		}
	}
	return rows, nil
}

// trues returns how many rows of a condition are true, and which of its values are, if rows
// have codes.
func (v *Vector) trues(rows int) (n int, isTrue []bool) {
	switch {
	case v.one && v.values[0].Bool():
		n = rows
	case v.one:
	case v.codes != nil:
		isTrue = make([]bool, len(v.values))
		for i := range v.values {
			isTrue[i] = v.values[i].Bool()
		}
		for _, c := range v.codes {
			if isTrue[c] {
				n++
			}
		}
	case v.ints != nil:
		for _, one := range v.ints {
			n += int(one)
		}
	default:
		for i := range v.values {
			if v.values[i].Bool() {
				n++
			}
		}
	}
	return n, isTrue
}
