package query

import (
	"cmp"
	"fmt"
)

// Operators that pass rows on, or some of them.

func init() {
	register(
		Op{Name: "where", Aliases: []string{"filter"}, Usage: "where CONDITION", Doc: "passes the rows on for which the condition is true",
			Example: "range x from 1 to 5 step 1 | where x > 3", Parse: grammar[whereStage]()},
		Op{Name: "take", Aliases: []string{"limit"}, Usage: "take N", Doc: "passes the first N rows on and stops the scan",
			Example: "range x from 1 to 5 step 1 | take 2", Parse: grammar[takeStage]()},
		Op{Name: "count", Usage: "count [as NAME]", Doc: "counts the rows; the column is Count if it is not given a name", Example: "range x from 1 to 5 step 1 | count", Parse: grammar[countStage]()},
		Op{Name: "serialize", Usage: "serialize [NAME =] EXPRESSION, ...", Doc: "says that the order of the rows means something, and adds columns as extend does",
			Example: "range x from 1 to 3 step 1 | serialize n = row_number()", Parse: parseSerialize},
		Op{Name: "as", Usage: "as NAME", Doc: "gives the rows so far a name, for union withsource", Example: "range x from 1 to 2 step 1 | as T", Parse: grammar[asStage]()},
		Op{Name: "getschema", Usage: "getschema", Doc: "gives the columns and their types", Example: "print a = 1 | getschema", Parse: noGrammar(getschemaStage{})},
	)
}

// whereStage: where CONDITION.
type whereStage struct {
	Cond Expr `parser:"@@"`
}

func (st *whereStage) Bind(b *binder, in *relation) (*relation, error) {
	if in.filterLeft != nil {
		return st.intoJoin(b, in)
	}
	return st.filter(b, in)
}

func (st *whereStage) filter(b *binder, in *relation) (*relation, error) {
	s := b.scope(in)
	var windows []*windowExpr
	s.windows = &windows
	cond, err := s.condition(st.Cond.node)
	if err != nil {
		return nil, err
	}
	conds := []expr{cond}
	if len(windows) == 0 { // which know no rows but all
		conds = conditionsOf(cond)
	}
	filter := func(_ *run, batch *Batch) (*Batch, error) {
		out, err := passing(conds, batch)
		if err == nil && out.N == 0 {
			out.release()
		}
		return out, err
	}
	rel := windowed(in, "where", windows)
	out := rel.stepped(in.fields, filter, true)
	if out.named {
		out.over(out.scan.narrowed(s, st.Cond.node), out.steps, true)
	}
	return out.by(planStep{in: from(rel), needs: needsAlso(cond)}), nil
}

// takeStage: take N.
type takeStage struct {
	N Expr `parser:"@@"`
}

func (st *takeStage) Bind(b *binder, in *relation) (*relation, error) {
	n, err := b.number(st.N.node, "take")
	if err != nil {
		return nil, err
	}
	out := in.derived(in.fields, func(r *run) Batches { return headOf(in.open(r), n) })
	return out.by(planStep{in: from(in), needs: needsAlso(), notes: []string{fmt.Sprintf("stops what is before it at %d rows", n)}}), nil
}

// headOf passes n rows on: it stops the scan by returning.
func headOf(in Batches, n int64) Batches {
	return func(yield func(*Batch, error) bool) {
		left := n
		if left <= 0 {
			return
		}
		for b, err := range in {
			if err == nil {
				if int64(b.N) > left {
					b = b.Head(int(left))
				}
				left -= int64(b.N)
			}
			if !yield(b, err) || err != nil || left == 0 {
				return
			}
		}
	}
}

// number binds an expression that must be a whole number, the same for all rows.
func (b *binder) number(n node, what string) (int64, error) {
	e, err := b.scope(nil).expr(n)
	if err != nil {
		return 0, err
	}
	v := constant(e)
	if v == nil || v.Kind != Long && v.Kind != Int || v.Null || v.N < 0 {
		return 0, errorAt(n, "%s wants a count, as %s 10", what, what)
	}
	return v.N, nil
}

// countStage: count as NAME.
type countStage struct {
	Name string `parser:"('as' @Ident)?"`
}

func (st *countStage) Bind(_ *binder, in *relation) (*relation, error) {
	fields := []Field{{cmp.Or(st.Name, "Count"), Long}}
	rel := &relation{fields: fields, open: computed(fields, func(r *run) ([][]Value, error) {
		n := int64(0)
		err := r.each(in.open(r), func(b *Batch) error {
			n += int64(b.N)
			b.release()
			return nil
		})
		return [][]Value{{LongOf(n)}}, err
	})}
	return rel.by(planStep{in: from(in), needs: needsOnly(in), notes: []string{"counts rows, of no column"}}), nil
}

// asStage: as NAME.
type asStage struct {
	Name string `parser:"('hint' '.' 'materialized' '=' ('true' | 'false'))? @Ident"`
}

func (st *asStage) Bind(b *binder, in *relation) (*relation, error) {
	out := *in
	out.by(planStep{in: from(in), needs: needsAlso(), same: true})
	out.name = st.Name
	b.names.of[st.Name] = &named{table: &out}
	return &out, nil
}

// getschemaStage: getschema.
type getschemaStage struct{}

// dotnetTypes are the names that Kusto's clients have for our kinds.
var dotnetTypes = [NumKinds]string{"System.SByte", "System.Int32", "System.Int64", "System.Double", "System.String", "System.DateTime", "System.TimeSpan", "System.Object", "System.Guid", "System.Data.SqlTypes.SqlDecimal"}

func (getschemaStage) Bind(_ *binder, in *relation) (*relation, error) {
	fields := []Field{{"ColumnName", String}, {"ColumnOrdinal", Long}, {"DataType", String}, {"ColumnType", String}}
	out := &relation{fields: fields, ordered: true, open: func(*run) Batches {
		var rows [][]Value
		for i, f := range in.fields {
			rows = append(rows, []Value{StringOf(f.Name), LongOf(int64(i)), StringOf(dotnetTypes[f.Kind]), StringOf(f.Kind.String())})
		}
		return batchesOf(fields, rows)
	}}
	return out.by(planStep{notes: []string{"the columns are known before a row is read"}}), nil
}
