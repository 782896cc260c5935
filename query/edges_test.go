package query

import (
	"strings"
	"testing"
)

// TestEdges asks what is at the edge of what operators take: bodies that are bound twice,
// numbers that overflow, kinds that look like others.
func TestEdges(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"let f = () { datatable(a:long)[1, 1] | distinct * }; union (f()), (f()) | count", "Count: 2"},
		{"let f = (T:(*)) { T | distinct * }; f(datatable(a:long)[1]); f(datatable(b:long)[2])", "b: 2"},
		{"range x from 1 to 5000 step 1 | top 5000000000000000000 by x | count", "Count: 5000"},
		{"datatable(t:long, v:long)[-9223372036854775807, 1, 3, 5] | make-series s = sum(v) on t in range(0, 5, 1) | project s", "s: [0,0,0,5,0,0]"},
		{"range x from 1 to 3 step 1 | extend r = row_number(7), c = row_cumsum(x, x == 2) | where x == 3 | project r, c", "r c: 9,5"},
	} {
		if got := joinResult(t, New(Options{}), c.text); got != c.want {
			t.Errorf("%s = %s, want %s", c.text, got, c.want)
		}
	}
}

// TestEdgesRefused: the same, of what they refuse.
func TestEdgesRefused(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"datatable(t:long)[1] | make-series take_any(*) on t step 1 by t", "aggregations with one result"},
		{"datatable(t:long)[1] | summarize arg_max(*) by t", "expected a column"},
		{"range x from 1 to 2 step 1 | extend r = row_number(1.5)", "expected a whole number"},
		{"range x from 1 to 2 step 1 | extend r = prev(x, 1.5)", "offset"},
		{"range x from 1 to 2 step 1 | extend r = row_cumsum(x, 'a')", "expected a condition"},
		{"range x from 1 to '3' step 1", "expected a value of type long"},
		{"range x from 2.0 to 1.0 step -0.0", "expected a step that is not 0"},
		{"range x from 1 to 3 step 1 | project-rename b = x, c = x", "renamed twice"},
	} {
		if _, _, err := rowsOf(Options{}, c.text); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %s", c.text, err, c.want)
		}
	}
	// What follows from what is not known is no fault of its own.
	for _, text := range []string{
		"nosuch | summarize arg_max(*)",
		"nosuch | make-series take_any(*) on t step 1",
	} {
		if err := New(Options{}).Check(text, nil); err == nil || len(err.(Faults)) != 1 {
			t.Errorf("%s: %v", text, err)
		}
	}
	for _, text := range []string{
		"let n = toscalar(print 3); range x from 1 to n + 1 step 1 | take n * 2",
		"let n = toscalar(print 3); print 1 | where assert(n == 3, 'a')",
	} {
		if err := New(Options{}).Check(text, nil); err != nil {
			t.Errorf("%s: %v", text, err)
		}
	}
}
