package query

import (
	"context"
	"fmt"
	"sync/atomic"
)

// A run is one query while it reads.
type run struct {
	ctx    context.Context
	budget int64 // bytes that operators may hold
	used   *atomic.Int64
	stats  *Stats
}

// Stats is what a query cost.
type Stats struct {
	Scanned atomic.Int64 // rows of blocks that were looked at
	Skipped atomic.Int64 // rows of blocks that could be left out
}

// A BudgetError ends a query that would hold more memory than it may.
type BudgetError struct {
	Operator string
	Budget   int64
}

func (e *BudgetError) Error() string {
	return fmt.Sprintf("%s needs more than the %d MiB that a query may use; narrow the query, or raise --memory", e.Operator, e.Budget>>20)
}

// each calls use for every batch, until there is an error. use fills the columns that it
// needs.
func (r *run) each(in Batches, use func(b *Batch) error) error {
	for b, err := range in {
		if err == nil {
			err = r.ctx.Err()
		}
		if err == nil {
			err = use(b)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// failed is a table that is an error.
func failed(err error) Batches {
	return func(yield func(*Batch, error) bool) { yield(nil, err) }
}

// mapped applies a step to each batch.
func mapped(open func(*run) Batches, f step) func(*run) Batches {
	return func(r *run) Batches {
		return func(yield func(*Batch, error) bool) {
			for b, err := range open(r) {
				if err == nil {
					err = r.ctx.Err()
				}
				if err == nil {
					b, err = f(r, b)
				}
				if err != nil {
					yield(nil, err)
					return
				}
				if b.N > 0 && !yield(b, nil) {
					return
				}
			}
		}
	}
}

// computed is a table whose rows are all made when it is opened.
func computed(fields []Field, f func(r *run) ([][]Value, error)) func(*run) Batches {
	return func(r *run) Batches {
		rows, err := f(r)
		if err != nil {
			return failed(err)
		}
		return batchesOf(fields, rows)
	}
}

// materialized reads a relation once, however often it is opened.
func materialized(rel *relation) *relation {
	var list []*Batch
	done := false
	out := *rel
	out.scan, out.named = nil, false
	out.by(planStep{title: "materialize", in: from(rel), notes: []string{"holds all rows, read once"}})
	out.open = func(r *run) Batches {
		if !done {
			var err error
			if list, err = r.batches("materialize", rel); err != nil {
				return failed(err)
			}
			done = true
		}
		return func(yield func(*Batch, error) bool) {
			for _, b := range list {
				if !yield(b, nil) {
					return
				}
			}
		}
	}
	return &out
}
