package query

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/alecthomas/participle/v2/lexer"
)

// Operators that rows come from without a ledger.

func init() {
	register(
		Op{Name: "print", Usage: "print [NAME =] EXPRESSION, ...", Doc: "gives one row of values", Example: "print a = 1 + 2", Source: true, Parse: parsePrint},
		Op{Name: "datatable", Usage: "datatable(NAME:TYPE, ...) [VALUE, ...]", Doc: "gives the rows that are written in the query", Example: `datatable(n:long, s:string)[1, "a", 2, "b"]`, Source: true, Parse: parseDatatable},
		Op{Name: "range", Usage: "range NAME from A to B step C", Doc: "gives a row for each value from A to B", Example: "range x from 1 to 3 step 1", Source: true, Parse: parseRange},
	)
}

// printStage: print [NAME =] EXPRESSION, ...
type printStage struct{ cols []NamedExpr }

func parsePrint(lex *lexer.PeekingLexer) (Stage, error) {
	cols, err := parseNamed(&exprParser{lex: lex})
	return &printStage{cols}, err
}

func (st *printStage) Bind(b *binder, _ *relation) (*relation, error) {
	s := b.scope(nil)
	var fields []Field
	var row []Value
	taken := func(name string) bool {
		return slices.ContainsFunc(fields, func(f Field) bool { return f.Name == name })
	}
	for i, c := range st.cols {
		list, err := s.results(c)
		if err != nil {
			return nil, err
		}
		for _, e := range list {
			v := constant(e.expr)
			if isUnknown(e.expr) {
				v = &Value{Kind: e.expr.kind()}
			}
			if v == nil {
				return nil, errorAt(c.X, "expected a value")
			}
			if !e.given {
				e.name = unique(cmp.Or(e.name, fmt.Sprint("print_", i)), taken)
			}
			fields, row = append(fields, Field{e.name, v.Kind}), append(row, *v)
		}
	}
	return written(fields, [][]Value{row}), nil
}

// written is a table whose rows stand in the query.
func written(fields []Field, rows [][]Value) *relation {
	rel := &relation{fields: fields, open: func(*run) Batches { return batchesOf(fields, rows) }}
	return rel.by(planStep{notes: []string{fmt.Sprintf("rows that stand in the query: %d", len(rows))}})
}

// datatableStage: datatable(NAME:TYPE, ...) [VALUE, ...].
type datatableStage struct {
	fields []Field
	values []node
	place
}

func parseDatatable(lex *lexer.PeekingLexer) (Stage, error) {
	p := &exprParser{lex: lex}
	st := &datatableStage{}
	st.from = p.peek().Pos.Offset
	if err := p.expect("(", "and columns after datatable"); err != nil {
		return nil, err
	}
	var err error
	if st.fields, err = parseColumns(p); err != nil {
		return nil, err
	}
	if err := p.expect("[", "and values after the columns"); err != nil {
		return nil, err
	}
	st.values, err = p.list("]")
	st.to = p.end()
	return st, err
}

func (st *datatableStage) Bind(b *binder, _ *relation) (*relation, error) {
	n := len(st.fields)
	if n == 0 || len(st.values)%n != 0 {
		return nil, &Error{Msg: fmt.Sprintf("%d values do not fill rows of %d columns", len(st.values), n), Offset: st.from, End: st.to}
	}
	s := b.scope(nil)
	var rows [][]Value
	for len(st.values) >= (len(rows)+1)*n {
		row := make([]Value, n)
		for i, f := range st.fields {
			x := st.values[len(rows)*n+i]
			if !isLiteral(x) {
				return nil, errorAt(x, "expected a literal")
			}
			if u, ok := x.(*unaryNode); ok && u.op == "-" && u.x.String() == leastLong {
				row[i] = LongOf(-1 << 63)
				continue
			}
			e, err := s.expr(x)
			if err != nil {
				return nil, err
			}
			v := constant(e)
			if v == nil {
				return nil, errorAt(x, "expected a value")
			}
			row[i] = convert(*v, f.Kind)
		}
		rows = append(rows, row)
	}
	return written(st.fields, rows), nil
}

// isLiteral tells whether a value is written out: a literal, perhaps with a sign, or a
// name that let gave to one.
func isLiteral(n node) bool {
	switch n := n.(type) {
	case *literalNode, *nameNode:
		return true
	case *unaryNode:
		return isLiteral(n.x)
	}
	return false
}

// rangeStage: range NAME from A to B step C.
type rangeStage struct {
	name           string
	from, to, step node
}

func parseRange(lex *lexer.PeekingLexer) (Stage, error) {
	p := &exprParser{lex: lex}
	st := &rangeStage{name: lex.Next().Value}
	for _, part := range []struct {
		word string
		to   *node
	}{{"from", &st.from}, {"to", &st.to}, {"step", &st.step}} {
		if err := p.expect(part.word, "in range NAME from A to B step C"); err != nil {
			return nil, err
		}
		var err error
		if *part.to, err = p.expr(0); err != nil {
			return nil, err
		}
	}
	return st, nil
}

func (st *rangeStage) Bind(b *binder, _ *relation) (*relation, error) {
	s := b.scope(nil)
	var v [3]Value
	for i, n := range []node{st.from, st.to, st.step} {
		e, err := s.expr(n)
		if err != nil {
			return nil, err
		}
		c := constant(e)
		if c == nil {
			return nil, errorAt(n, "expected a value")
		}
		v[i] = *c
	}
	k := v[0].Kind
	if k == Int || k == Long && (v[2].Kind == Real || v[1].Kind == Real) {
		k = Long
		if v[2].Kind == Real || v[1].Kind == Real {
			k = Real
		}
	}
	want := k
	if k == Datetime {
		want = Timespan
	}
	if !k.isNumber() && k != Datetime && k != Timespan || v[2].Kind != want && !(v[2].Kind.isNumber() && k.isNumber()) {
		return nil, errorAt(st.from, "range is for numbers, datetimes and timespans, found %s and %s", v[0].Kind, v[2].Kind)
	}
	if v[1].Kind != k && !(v[1].Kind.isNumber() && k.isNumber()) {
		return nil, errorAt(st.to, "expected a value of type %s, found %s of type %s", k, st.to, v[1].Kind)
	}
	if step := convert(v[2], want); !step.Null && compare(step, convert(LongOf(0), want)) == 0 {
		return nil, errorAt(st.step, "expected a step that is not 0")
	}
	fields := []Field{{st.name, k}}
	rel := &relation{fields: fields, ordered: true, open: func(r *run) Batches { return rangeOf(r, fields, k, v) }}
	return rel.by(planStep{notes: []string{"makes values as they are asked for"}}), nil
}

// rangeOf makes the values as they are asked for.
func rangeOf(r *run, fields []Field, k Kind, v [3]Value) Batches {
	return func(yield func(*Batch, error) bool) {
		if v[0].Null || v[1].Null || v[2].Null {
			return
		}
		from, to, step := convert(v[0], k), convert(v[1], k), v[2]
		var values []Value
		flush := func() bool {
			ok := len(values) == 0 || yield(&Batch{N: len(values), Cols: []*Vector{VectorOf(k, values)}}, nil)
			values = nil
			return ok
		}
		up := step.N > 0
		if step.Kind == Real {
			up = step.Real() > 0
		}
		for i := int64(0); ; i++ {
			c := compare(from, to)
			if up && c > 0 || !up && c < 0 || step.N == 0 || from.Null {
				break
			}
			if values = append(values, from); len(values) == batchRows {
				if err := r.ctx.Err(); err != nil {
					yield(nil, err)
					return
				}
				if !flush() {
					return
				}
			}
			switch {
			case k == Real:
				from = RealOf(convert(v[0], k).Real() + float64(i+1)*step.Real())
			case k == Datetime:
				from = addTicks(from, step.N)
			default:
				n := from.N + step.N
				if up != (n > from.N) {
					flush()
					return
				}
				from.N = n
			}
		}
		flush()
	}
}
