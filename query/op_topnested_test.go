package query

import (
	"context"
	"errors"
	"strings"
	"testing"
)

func TestTopNested(t *testing.T) {
	const rows = `datatable(r:string, c:string, v:long)["n", "a", 10, "n", "b", 20, "s", "a", 30, "s", "c", 5, "s", "b", 15, "w", "a", 1, "w", "d", 2, "w", "e", 3] | `
	for _, c := range []struct{ query, want string }{
		{rows + `top-nested 1 of r by sum(v)`, "r aggregated_r: s,50"},
		{rows + `top-nested 2 of r by sum(v), top-nested 1 of c by sum(v)`, "r aggregated_r c aggregated_c: s,50,a,30 n,30,b,20"},
		{rows + `top-nested 2 of r by sum(v) asc, top-nested 1 of c by max(v) desc`, "r aggregated_r c aggregated_c: w,6,e,3 n,30,b,20"},
		// Without a number all values; equal ones as they came.
		{rows + `top-nested of r by x = max(1)`, "r x: n,1 s,1 w,1"},
		{rows + `top-nested of r by x = max(1), top-nested 1 of v by y = max(v)`, "r x v y: n,1,20,20 s,1,30,30 w,1,3,3"},
		{rows + `top-nested 0 of r by count()`, "r aggregated_r: "},
		{rows + `top-nested 9 of r with others = "rest" by count()`, "r aggregated_r: s,3 w,3 n,2"},
		// What is left of a level, from its rows: an average is not that of averages.
		{rows + `top-nested 1 of r with others = "rest" by avg(v)`, "r aggregated_r: s,16.666666666666668 rest,7.2"},
		{rows + `top-nested 0 of r with others = "all" by dcount(c)`, "r aggregated_r: all,5"},
		{rows + `top-nested 1 of r with others = "rest" by sum(v), top-nested 1 of c by sum(v)`, "r aggregated_r c aggregated_c: s,50,a,30 rest,36,,-"},
		{rows + `top-nested 1 of r by sum(v), top-nested 1 of c with others = "rest" by sum(v)`, "r aggregated_r c aggregated_c: s,50,a,30 s,50,rest,20 ,-,rest,36"},
		{rows + `top-nested 2 of r with others = "others" by sum(v), top-nested 1 of c by sum(v), top-nested 1 of v with others = -1 by n = count()`,
			"r aggregated_r c aggregated_c v n: s,50,a,30,30,1 s,50,,-,-1,2 n,30,b,20,20,1 n,30,,-,-1,1 others,6,,-,-1,3"},
		// Names, and expressions over several aggregations.
		{rows + `top-nested 1 of k = strcat(r, c) by a = 1.0 * sum(v) / count()`, "k a: sa,30.0"},
		{rows + `top-nested 1 of strcat(r, "!") by sum(v), top-nested 1 of bin(v, 20) by sum(v), top-nested 1 of v by r = count()`,
			"Column1 aggregated_Column1 v aggregated_v v1 r: s!,50,20,30,30,1"},
		{rows + `top-nested 1 of r by sum(v), top-nested 1 of r by sum(v)`, "r aggregated_r r1 aggregated_r1: s,50,s,50"},
		{rows + `top-nested 1 of v % 2 with others = 7 by count()`, "Column1 aggregated_Column1: 0,4 7,4"},
		// A null is a value, and last, unless the order is ascending.
		{`datatable(k:long, v:long)[1, 5, long(null), long(null), long(null), 9, 2, long(null)] | top-nested of k by max(v)`, "k aggregated_k: -,9 1,5 2,-"},
		{`datatable(k:long, v:long)[1, 5, 2, long(null)] | top-nested 1 of k by max(v) asc`, "k aggregated_k: 2,-"},
		{rows + `where v > 99 | top-nested 1 of r with others = "x" by sum(v)`, "r aggregated_r: "},
		{`range x from 1 to 5000 step 1 | top-nested 2 of x % 7 with others = -1 by sum(x), top-nested 1 of x by x = max(x)`, "Column1 aggregated_Column1 x x1: 2,1788215,5000,5000 1,1787500,4999,4999 -1,8926785,-,-"},
		{`let n = 1; let rest = "x"; ` + rows + `top-nested n of r with others = rest by sum(v) | extend i = row_number()`, "r aggregated_r i: s,50,1 x,36,2"},
	} {
		if got := joinResult(t, New(Options{}), c.query); got != c.want {
			t.Errorf("%s:\n%s, want\n%s", c.query, got, c.want)
		}
	}
}

func TestTopNestedRefused(t *testing.T) {
	const rows = `datatable(s:string, v:long)["a", 10] | `
	for text, want := range map[string]string{
		`top-nested 2`:                                               "expected 'of'",
		`top-nested of s`:                                            "expected 'by'",
		`top-nested of s with rest by count()`:                       "expected 'others'",
		`top-nested of s with others by count()`:                     "expected '='",
		`top-nested of s by count() with others = "x"`:               "expected 'with others' before 'by'",
		`top-nested of s by count(), of v by count()`:                "expected 'top-nested' and the next level",
		`top-nested -1 of s by count()`:                              "wants a count",
		`top-nested v of s by count()`:                               "unknown column 'v'",
		`top-nested of t by count()`:                                 "unknown column 't'",
		`top-nested of s by sum(w)`:                                  "unknown column 'w'",
		`top-nested of s by sum(s)`:                                  "argument 1 is of type string",
		`top-nested of s by v`:                                       "expected an aggregation",
		`top-nested of s by make_list(v)`:                            "a dynamic has no order",
		`top-nested of s with others = 1 by count()`:                 "others are of type string, as s is; found 1 of type long",
		`top-nested of v with others = "x" by count()`:               `others are of type long, as v is; found "x" of type string`,
		`top-nested of s with others = v by count()`:                 "unknown column 'v'",
		`top-nested of toint(v) with others = 1e9 by count()`:        "others are of type int",
		`top-nested of toint(v) with others = 9999999999 by count()`: "9999999999 is no value of type int",
	} {
		_, err := New(Options{}).Compile(context.Background(), rows+text, nil)
		var faults Faults
		if !errors.As(err, &faults) || !strings.Contains(err.Error(), want) || faults[0].Offset < len(rows) {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
}

func TestTopNestedBudget(t *testing.T) {
	_, _, err := rowsOf(Options{Memory: 1 << 20}, "range x from 1 to 100000 step 1 | top-nested 1 of x by count()")
	var full *BudgetError
	if !errors.As(err, &full) || full.Operator != "top-nested" {
		t.Error(err)
	}
}
