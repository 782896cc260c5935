package query

import (
	"io"
	"slices"

	"github.com/alecthomas/participle/v2/lexer"
)

// An Op is a tabular operator: adding one is adding a row to a table, and a file with its
// Stage.
type Op struct {
	Name    string
	Aliases []string
	Usage   string // as "where CONDITION"
	Doc     string // one line
	Example string // a query that runs without a ledger
	Source  bool   // rows come from it: it stands first
	// Parse reads what stands behind the name; most are made by grammar.
	Parse func(*lexer.PeekingLexer) (Stage, error)
}

// A Stage is an operator as it was written. Bind finds out what its names mean and
// returns its result. in is what rows come from, nil for a source.
type Stage interface {
	Bind(b *binder, in *relation) (*relation, error)
}

// A relation is a table as it is known before a row is read, and how to read it.
type relation struct {
	fields []Field
	// ordered tells that the order of the rows means something, so that row_number and
	// the like may be used.
	ordered bool
	loose   bool   // there may be more columns, of any name: see check.go
	name    string // that as gave, or of the table
	// open begins to read. It may be called more than once.
	open func(r *run) Batches
	// scan is what is read, where each batch of it then goes through steps of its own. If
	// the steps only filter, named is true: a condition on the columns narrows the scan.
	scan  *scan
	steps []step
	named bool
	// filterLeft is set for a join that takes one of the left rows with the same key: it
	// returns the join of the left rows for which a condition on their columns is true.
	// These are the first left of the fields.
	filterLeft func(cond node) (*relation, error)
	left       int
	plan       *planStep // how the rows come
	terms      []Term    // that the query looked for so far
	// text makes the writer for people, if the rows have one of their own.
	text  func(f Format, w io.Writer, opt FormatOptions) Writer
	exact bool // the rows are canonical records
}

// A step makes a batch of another. It does not depend on what came before.
type step func(r *run, b *Batch) (*Batch, error)

// stepped returns a relation whose batches are those of r after one more step, which, if
// it filters, leaves the columns as they are.
func (r *relation) stepped(fields []Field, f step, filters bool) *relation {
	out := r.derived(fields, nil)
	if r.scan == nil {
		out.open = mapped(r.open, f)
		return out
	}
	return out.over(r.scan, append(slices.Clip(r.steps), f), r.named && filters)
}

// filled returns the relation for somebody who looks at all columns.
func (r *relation) filled() *relation {
	if r.scan == nil {
		return r
	}
	return r.stepped(r.fields, func(run *run, b *Batch) (*Batch, error) { return b, run.fill(b) }, false)
}

// over makes a relation that of a scan and steps.
func (r *relation) over(sc *scan, steps []step, named bool) *relation {
	r.scan, r.steps, r.named = sc, steps, named
	r.open = func(run *run) Batches {
		return parallel(run, sc.parts(run), func(p part) (*Batch, error) { return p.through(run, steps) })
	}
	return r
}

// field returns the place of a column, -1 if there is none.
func (r *relation) field(name string) int {
	return slices.IndexFunc(r.fields, func(f Field) bool { return f.Name == name })
}

// derived returns a relation of the same rows in other columns.
func (r *relation) derived(fields []Field, open func(*run) Batches) *relation {
	out := &relation{fields: fields, ordered: r.ordered, loose: r.loose, name: r.name, open: open}
	return out.by(planStep{in: from(r)})
}

// noGrammar is the Parse of an operator that is nothing but its name.
func noGrammar(s Stage) func(*lexer.PeekingLexer) (Stage, error) {
	return func(*lexer.PeekingLexer) (Stage, error) { return s, nil }
}

var operators []*Op

func register(ops ...Op) {
	for i := range ops {
		operators = append(operators, &ops[i])
	}
}

// operatorNamed returns the operator of a name, nil if there is none.
func operatorNamed(name string) *Op {
	for _, op := range operators {
		if op.Name == name || slices.Contains(op.Aliases, name) {
			return op
		}
	}
	return nil
}

func operatorNames() (names []string) {
	for _, op := range operators {
		names = append(append(names, op.Name), op.Aliases...)
	}
	return names
}
