package audit

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"toolledger/chain"
	"toolledger/query"
)

// A Window is what of a ledger the rules of a run see.
type Window struct {
	Since, Until *chain.Time // from Since on, before Until; nil bounds nothing
	End          chain.Time  // where the periods of rules end
}

// of narrows w to the period of a rule before the end.
func (w Window) of(r *Rule) Window {
	if r.Period == 0 {
		return w
	}
	since := chain.Time{Ticks: max(0, w.End.Ticks-int64(r.Period/100)), Rest: w.End.Rest}
	if w.Since == nil || w.Since.Compare(since) < 0 {
		w.Since = &since
	}
	w.Until = &w.End
	return w
}

// prelude is KQL that gives the tables of a ledger again, as a window shows them: the entries
// of its time, the calls that began in it, however late they ended, and the sessions that have
// an entry in it or on both sides.
func (w Window) prelude() (text string, lines int) {
	for _, t := range []struct{ table, from, to string }{
		{"entries", "time", "time"}, {"control", "time", "time"}, {"calls", "start", "start"}, {"sessions", "last", "first"},
	} {
		if w.Since == nil && w.Until == nil {
			break
		}
		text += "let " + t.table + " = " + t.table
		if w.Since != nil {
			text += fmt.Sprintf(" | where %s >= datetime(%s)", t.from, w.Since)
		}
		if w.Until != nil {
			text += fmt.Sprintf(" | where %s < datetime(%s)", t.to, w.Until)
		}
		text, lines = text+";\n", lines+1
	}
	return text, lines
}

// Run runs the rule over the tables of lang, which no other query uses meanwhile, and tells
// whether it fired. If it did, its rows go to out; a rule that fires without a row, since it
// has too few, gives a row with their number, the column rows.
//
// As many rows are held as it takes to know that the rule fires: its threshold and a batch.
func (r *Rule) Run(ctx context.Context, lang *query.Language, w Window, out query.Writer) (fired bool, err error) {
	result, err := r.compile(ctx, lang, w)
	if err != nil {
		return false, err
	}
	var held []*query.Batch
	var rows int64
	for b, err := range result.Batches(ctx) {
		if err == nil {
			err = b.Fill()
		}
		if err != nil {
			return false, fmt.Errorf("rule %s: %w", r.ID, err)
		}
		rows += int64(b.N)
		switch {
		case fired:
			err = out.Rows(b)
		case rows <= r.Threshold:
			held = append(held, b)
		case r.Compare == Greater || r.Compare == NotEqual: // more rows change nothing
			fired = true
			err = writeRows(out, result.Fields, append(held, b))
			held = nil
		default: // it has too many rows to fire
			return false, nil
		}
		if err != nil {
			return false, err
		}
	}
	if !fired && !r.Compare.holds(rows, r.Threshold) {
		return false, nil
	}
	if !fired {
		err = writeRows(out, result.Fields, held)
	}
	if err == nil {
		err = out.End()
	}
	return true, err
}

// writeRows writes the rows that were held until it was known that a rule fires.
func writeRows(out query.Writer, fields []query.Field, held []*query.Batch) error {
	if len(held) == 0 {
		fields = []query.Field{{Name: "rows", Kind: query.Long}}
		held = []*query.Batch{{N: 1, Cols: []*query.Vector{query.Repeated(query.LongOf(0))}}}
	}
	err := out.Begin(fields)
	for _, b := range held {
		if err == nil {
			err = out.Rows(b)
		}
	}
	return err
}

// compile returns the result of the rule's last query.
func (r *Rule) compile(ctx context.Context, lang *query.Language, w Window) (*query.Result, error) {
	prelude, lines := w.of(r).prelude()
	results, err := lang.Compile(ctx, prelude+r.Query, nil)
	var faults query.Faults
	switch {
	case errors.As(err, &faults):
		return nil, r.queryFaults(faults, lines)
	case err != nil:
		return nil, fmt.Errorf("rule %s: %w", r.ID, err)
	case len(results) == 0 || results[len(results)-1].Plan:
		return nil, &RuleFault{File: r.File, Line: r.queryLine, Column: r.queryColumn, Msg: "expected a query that gives rows"}
	}
	return results[len(results)-1], nil
}

// WithRule returns a writer that puts columns of a rule before those of its rows: rule, its
// id, and its severity and name. A column of the rows with such a name gets 1 behind it, as in
// a join.
func WithRule(r *Rule, out query.Writer) query.Writer { return &ruleWriter{out, r} }

type ruleWriter struct {
	out  query.Writer
	rule *Rule
}

func (w *ruleWriter) Begin(fields []query.Field) error {
	all := []query.Field{{Name: "rule", Kind: query.String}, {Name: "severity", Kind: query.String}, {Name: "name", Kind: query.String}}
	taken := map[string]bool{}
	for _, f := range slices.Concat(all, fields) {
		taken[f.Name] = true
	}
	for _, f := range fields {
		for own := f.Name == "rule" || f.Name == "severity" || f.Name == "name"; own && taken[f.Name]; {
			f.Name += "1"
		}
		taken[f.Name] = true
		all = append(all, f)
	}
	return w.out.Begin(all)
}

func (w *ruleWriter) Rows(b *query.Batch) error {
	cols := []*query.Vector{query.Repeated(query.StringOf(w.rule.ID)), query.Repeated(query.StringOf(w.rule.Severity.String())), query.Repeated(query.StringOf(w.rule.Name))}
	return w.out.Rows(&query.Batch{N: b.N, Cols: append(cols, b.Cols...)})
}

func (w *ruleWriter) End() error { return w.out.End() }
