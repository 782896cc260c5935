package query

import "testing"

// TestKQLNames holds our names against those of Kusto: one that is in no list of kql.go
// would be told from a slip of the pen by nobody.
func TestKQLNames(t *testing.T) {
	for _, op := range operators {
		for _, name := range append([]string{op.Name}, op.Aliases...) {
			if !kqlOperators()[name] {
				t.Errorf("the operator %s is not in kqlOperators", name)
			}
		}
	}
	l := New(Options{})
	for name := range l.funcs {
		if !kqlFunctions()[name] {
			t.Errorf("the function %s is not in kqlFunctions", name)
		}
	}
	for name := range specialFuncs {
		if !kqlFunctions()[name] && name != "toscalar" && name != "typeof" {
			t.Errorf("the function %s is not in kqlFunctions", name)
		}
	}
	for _, names := range []map[string]bool{multiAggs, keys(l.aggs)} {
		for name := range names {
			if !kqlAggregations()[name] {
				t.Errorf("the aggregation %s is not in kqlAggregations", name)
			}
		}
	}
}

func keys[V any](m map[string]V) map[string]bool {
	names := map[string]bool{}
	for name := range m {
		names[name] = true
	}
	return names
}
