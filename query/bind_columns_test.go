package query

import (
	"context"
	"strings"
	"testing"
)

// TestSortedArrays has the answers of the documentation, and names that are given.
func TestSortedArrays(t *testing.T) {
	const arrays = `let array1 = dynamic([1,3,4,5,2]); let array2 = dynamic(["a","b","c","d","e"]); `
	for _, c := range []struct{ query, want string }{
		{arrays + `print array_sort_desc(array1, array2)`, `array1_sorted array2_sorted: [5,4,3,2,1],["d","c","b","e","a"]`},
		{arrays + `print (x, y) = array_sort_asc(array1, array2, true), z = 1`, `x y z: [1,2,3,4,5],["a","e","b","c","d"],1`},
		{arrays + `print x = array_sort_asc(array1, array2)[1]`, `x: ["a","e","b","c","d"]`},
		{arrays + `print array_sort_asc(dynamic([2, 1]), array1, 5 > 4)`, `array1_sorted array1_sorted1: [1,2],-`},
		{`print a = dynamic([2,null,1]), b = dynamic([1,2,3]) | extend array_sort_asc(a, b, false) | project-away a, b`, `a_sorted b_sorted: [null,1,2],[2,3,1]`},
		{`print a = dynamic([2,1]), b = dynamic(["x","y"]) | project (b, a) = array_sort_asc(a, b)`, `b a: [1,2],["y","x"]`},
		{`print a = dynamic([2,1]), b = dynamic(["x","y"]) | extend (a, b) = array_sort_asc(a, b)`, `a b: [1,2],["y","x"]`},
		{`print a = dynamic(5), b = dynamic([1]) | extend array_sort_asc(a, b)`, `a b a_sorted b_sorted: 5,[1],-,-`},
		{`print x = dynamic([2,1]) | extend (y) = array_sort_asc(x)`, `x y: [2,1],[1,2]`},
	} {
		if got := joinResult(t, New(Options{}), c.query); got != c.want {
			t.Errorf("%s:\n%s, want\n%s", c.query, got, c.want)
		}
	}
	if got := joinResult(t, New(Options{}), `print x = 1 | summarize (n) = count() by (k) = x`); got != "k n: 1,1" {
		t.Error(got)
	}
	for _, text := range []string{`print (a, b) = 5`, `print x = 1 | summarize (a, b) = count()`, `print x = 1 | summarize by (a, b) = x`, `print x = 1 | extend (a, b) = x`, `print d = dynamic([1]) | project (a, b, c) = array_sort_asc(d, d)`} {
		_, err := New(Options{}).Compile(context.Background(), text, nil)
		if err == nil || !strings.Contains(err.Error(), "names for what has") {
			t.Errorf("%s: %v", text, err)
		}
	}
}

func TestSpecialFuncs(t *testing.T) {
	const check = `let check = (len:long, s:string) { assert(len > 0, "no length") and strlen(s) > len }; datatable(s:string)["123", "4567"] | where `
	for _, c := range []struct{ query, want string }{
		{check + `check(len=3, s)`, "s: 4567"},
		{`datatable(Id:string, Value:string, Other:long)["A", "x", 1] | project p = bag_pack_columns(Id, Other)`, `p: {"Id":"A","Other":1}`},
		{`let T = datatable(A:string, B:int)[]; print c = column_names_of(T)`, `c: ["A","B"]`},
		{`let F = (x:int) { print A = "", B = x }; print c = column_names_of(F(1))`, `c: ["A","B"]`},
		{`print c = column_names_of(range n from 1 to 3 step 1 | extend m = n)`, `c: ["n","m"]`},
	} {
		if got := joinResult(t, New(Options{}), c.query); got != c.want {
			t.Errorf("%s:\n%s, want\n%s", c.query, got, c.want)
		}
	}
	for text, want := range map[string]string{
		check + `check(long(-1), s)`:                               "assert failed: no length",
		`print x = 1 | where x > 2 | where assert(false, "never")`: "assert failed: never",
		`print x = 1 | where assert(x > 2, "of a row")`:            "the same for all rows",
		`print x = 1 | where assert(true)`:                         "expected a condition and a message",
		`print x = 1 | extend b = bag_pack_columns(x + 1)`:         "expected names of columns",
		`print c = column_names_of(5)`:                             "expected a table",
	} {
		_, err := New(Options{}).Compile(context.Background(), text, nil)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
}
