package query

import (
	"context"
	"fmt"
	"io"
)

// An Operator is a tabular operator that another package brings to the language, as Op is
// one of the core. What stands behind its name has one shape for all of them, values and then
// named ones, each the same for all rows:
//
//	entries | NAME "a" 5 option=dynamic(["b"]) within=7d
type Operator struct {
	Name    string
	Usage   string // as `diff "SESSION" "SESSION"`
	Doc     string // one line
	Example string // a query that runs without a ledger
	Source  bool   // it may stand first, where it has no input
	// Bind says what the operator is with these arguments, on input with these columns; nil if
	// it stands first. It reads no row.
	Bind func(args *Arguments, in []Field) (*Transform, error)
}

// A Transform is an operator that is bound: which columns it looks at and which it gives.
type Transform struct {
	// Needs are the columns that the input must have, Wants those that are null where it has
	// none. Run gets batches of these columns, in this order, filled; no other is read.
	Needs, Wants []Field
	// From is the table that is the input where the operator stands first; "" if it has none
	// there. Its columns are not known to Bind.
	From string
	// Only, if it is set, are the rows that Run looks at: no other is read, where the input is
	// a table.
	Only   *Only
	Fields []Field  // of the result
	Notes  []string // for explain
	// Batch, if there is one, makes another batch of each before Run gets it, on all cores.
	Batch func(*Batch) (*Batch, error)
	// Run reads the input, nil where the operator stands first, and calls out for each row of
	// the result: a value of the right kind for each of Fields. An error of out ends it.
	Run func(r *Run, in Batches, out func(row ...Value) error) error
	// Text, if there is one, makes the writer of a result for people, where the operator is the
	// last of its query. f is the format that is asked for: one whose Text is true.
	Text func(f Format, w io.Writer, opt FormatOptions) Writer
	// Exact tells that the rows are records in canonical JSON: where the operator is the last
	// of its query and no terminal shows them, they are written with [FormatOptions].Exact.
	Exact bool
}

// Only are the rows whose column, which is a string and among Needs, has one of some values.
type Only struct {
	Column string
	Values []string
}

// A Run is what an operator's Run may ask of its query.
type Run struct {
	operator string
	run      *run
	lang     *Language
}

// Context ends when the query is interrupted.
func (r *Run) Context() context.Context { return r.run.ctx }

// Each calls use for every batch of the input until there is an error.
func (r *Run) Each(in Batches, use func(*Batch) error) error { return r.run.each(in, use) }

// Hold counts bytes that the operator keeps. Its error is that the query may not hold more.
func (r *Run) Hold(bytes int) error { return r.run.hold(r.operator, bytes) }

// Release counts bytes that it no longer keeps.
func (r *Run) Release(bytes int) { r.run.release(bytes) }

// Hint says something to the user besides the rows.
func (r *Run) Hint(format string, args ...any) {
	r.lang.hints = append(r.lang.hints, fmt.Sprintf(format, args...))
}

// Broken says that what the operator looked at does not verify, whatever becomes of its rows.
func (r *Run) Broken() { r.lang.broken = true }

// operator returns the operator of a name that is none of the core, nil if there is none.
func (l *Language) operator(name string) *Operator {
	for i := range l.operators {
		if l.operators[i].Name == name {
			return &l.operators[i]
		}
	}
	return nil
}

// operatorNames are those of the core and those beside it.
func (l *Language) operatorNames() []string {
	names := operatorNames()
	for _, op := range l.operators {
		names = append(names, op.Name)
	}
	return names
}
