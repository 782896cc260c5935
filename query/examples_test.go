package query

import (
	"context"
	"slices"
	"strings"
	"testing"
)

// rowsOf runs a text and returns the columns and rows of its last query.
func rowsOf(opt Options, text string) ([]Field, [][]Value, error) {
	l := New(opt)
	results, err := l.Compile(context.Background(), text, nil)
	if err != nil || len(results) == 0 {
		return nil, nil, err
	}
	var rows [][]Value
	last := results[len(results)-1]
	r := l.run(context.Background())
	err = r.each(last.Batches(context.Background()), func(b *Batch) error {
		if err := r.fill(b); err != nil {
			return err
		}
		for i := range b.N {
			rows = append(rows, b.Row(i))
		}
		return nil
	})
	return last.Fields, rows, err
}

func TestOperatorExamples(t *testing.T) {
	for _, op := range operators {
		fields, rows, err := rowsOf(Options{}, op.Example)
		if err != nil || len(fields) == 0 || len(rows) == 0 {
			t.Errorf("%s: %s: %d columns, %d rows, %v", op.Name, op.Example, len(fields), len(rows), err)
		}
		if words := strings.FieldsFunc(op.Example, func(r rune) bool { return r == ' ' || r == '(' || r == '|' }); !slices.Contains(words, op.Name) {
			t.Errorf("%s is not in its example %s", op.Name, op.Example)
		}
	}
}

func TestFunctionExamples(t *testing.T) {
	for _, list := range coreFuncs() {
		for _, f := range list {
			_, rows, err := rowsOf(Options{}, "print r = ("+f.Example+")")
			if err != nil || len(rows) != 1 || !rows[0][0].Bool() {
				t.Errorf("%s: %s is %v, %v", f.Name, f.Example, rows, err)
			}
			if !strings.Contains(f.Example, f.Name+"(") {
				t.Errorf("%s is not in its example %s", f.Name, f.Example)
			}
		}
	}
}

// The example of an aggregation is a query and, behind ==, the value that it has.
func TestAggregationExamples(t *testing.T) {
	for _, list := range coreAggregations() {
		for _, a := range list {
			i := strings.LastIndex(a.Example, " == ")
			if i < 0 || !strings.Contains(a.Example[:i], a.Name+"(") {
				t.Errorf("%s: %s is no example of it", a.Name, a.Example)
				continue
			}
			query, want := a.Example[:i], a.Example[i+4:]
			_, got, err := rowsOf(Options{}, query)
			_, value, bad := rowsOf(Options{}, "print "+want)
			if err != nil || bad != nil || len(got) != 1 || jsonOf(got[0][len(got[0])-1]) != jsonOf(value[0][0]) {
				t.Errorf("%s: %s gives %v, %v, expected %v, %v", a.Name, query, got, err, value, bad)
			}
		}
	}
}

// TestTables looks for rows that say nothing and for names that come twice.
func TestTables(t *testing.T) {
	seen := map[string]bool{}
	row := func(what, name, usage, doc, example string) {
		if seen[what+name] {
			t.Errorf("the %s %s comes twice", what, name)
		}
		seen[what+name] = true
		if name == "" || !strings.HasPrefix(usage, name) || doc == "" || strings.Contains(doc, "\n") || example == "" {
			t.Errorf("the %s %q is not complete", what, name)
		}
	}
	for _, op := range operators {
		row("operator ", op.Name, op.Usage, op.Doc, op.Example)
		for _, a := range op.Aliases {
			row("operator ", a, a, op.Doc, op.Example)
		}
		if op.Parse == nil {
			t.Errorf("the operator %s has no parser", op.Name)
		}
	}
	for _, list := range coreFuncs() {
		for _, f := range list {
			row("function ", f.Name, f.Usage, f.Doc, f.Example)
			if f.Result == nil || f.Eval == nil && f.Bind == nil {
				t.Errorf("the function %s computes nothing", f.Name)
			}
			if specialFuncs[f.Name] != nil {
				t.Errorf("the function %s is special too", f.Name)
			}
		}
	}
	for _, list := range coreAggregations() {
		for _, a := range list {
			row("aggregation ", a.Name, a.Usage, a.Doc, a.Example)
			if a.Result == nil || a.New == nil {
				t.Errorf("the aggregation %s computes nothing", a.Name)
			}
		}
	}
	for _, f := range Formats() {
		row("format ", f.Name, f.Name, f.Doc, f.Name)
	}
}
