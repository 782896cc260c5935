package query

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
)

// scanEvents are rows in which sequences of s, b, ... and e begin and end.
const scanEvents = `datatable(t:long, e:string)[0, "a", 1, "s", 2, "b", 3, "d", 4, "e", 6, "c", 8, "s", 11, "f", 12, "e"] | sort by t asc `

func TestScan(t *testing.T) {
	for _, c := range []struct{ name, query, want string }{
		{"one step sums", `range x from 1 to 4 step 1 | scan declare (sum:long = 0) with (step s: true => sum = s.sum + x;)`, "x sum: 1,1 2,3 3,6 4,10"},
		{"without a value it is null", `range x from 1 to 2 step 1 | scan declare (n:long, s:string) with (step a: true => n = iff(isnull(a.n) and a.s == "", x, a.n);)`, "x n s: 1,1, 2,1,"},
		{"a declared column alone is its value", `range x from 1 to 3 step 1 | scan declare (n:long = 5) with (step a: true => n = n + x;)`, "x n: 1,6 2,7 3,8"},
		{"assignments see the state before", `range x from 1 to 3 step 1 | scan declare (a:long = 0, b:long = 1) with (step s: true => a = s.b, b = s.a + x;)`, "x a b: 1,1,1 2,1,3 3,3,4"},
		{"not assigned anew", `range x from 1 to 2 step 1 | scan declare (a:long = 7) with (step s: x == 1 => a = 8; step u: x == 2;)`, "x a: 1,8 2,7"},
		{"from start to end", scanEvents + `| scan with_match_id=m with (step s1: e == "s"; step s2: e != "s" and e != "e" and t - s1.t <= 5; step s3: e == "e" and t - s1.t <= 5;)`,
			"t e m: 1,s,0 2,b,0 3,d,0 4,e,0 8,s,1 11,f,1 12,e,1"},
		// From 32 on it is another session: the step without output takes the old one away first.
		{"sessions", `datatable(t:long)[0, 1, 32, 36, 75] | serialize | scan with_match_id=m declare (start:long) with (step a: true => start = iff(isnull(a.start), t, a.start); step z output=none: t - a.start > 30;)`,
			"t start m: 0,0,0 1,0,0 32,32,1 36,32,1 75,75,2"},
		// The row of 2 takes the sequence to b, and begins another: it comes out twice, of the later step first.
		{"several sequences", `range x from 1 to 4 step 1 | scan with_match_id=m declare (s:string) with (step a: true => s = strcat("a", a.x); step b: true => s = strcat("b", a.x, "-", b.x);)`,
			"x s m: 1,a,0 2,b1-,0 2,a,1 3,b2-,1 3,a,2 4,b3-,2 4,a,3"},
		// 5 meets b with the state of a before that of b: b holds then what a had.
		{"the state of the step before comes first", `datatable(k:string, x:long)["a", 1, "b", 2, "b", 3, "a", 4, "b", 5, "b", 6] | serialize | scan with_match_id=m declare (s:string) with (step a: k == "a"; step b: k == "b" => s = strcat(a.x, "/", b.x);)`,
			"k x s m: a,1,,0 b,2,1/,0 b,3,1/2,0 a,4,,1 b,5,4/,1 b,6,4/5,1"},
		// 13 does not meet b with the state of a, but does with that of b.
		{"the own state comes second", `datatable(k:string, x:long)["a", 10, "b", 12, "a", 1, "b", 13] | serialize | scan with_match_id=m with (step a: k == "a"; step b: k == "b" and x - a.x < 5;)`,
			"k x m: a,10,0 b,12,0 a,1,1 b,13,0"},
		{"a step holds those before it", `range x from 1 to 3 step 1 | scan declare (s:string) with (step a output=none: x == 1; step b output=none: x == 2; step c: x == 3 => s = strcat(a.x, b.x, c.x, ".");)`, "x s: 3,12."},
		{"a null condition is none", `datatable(x:long)[1, long(null), 3] | serialize | scan with (step a: x > 0;)`, "x: 1 3"},
		{"last of the step before", scanEvents + `| scan with_match_id=m with (step a output=last: e != "e"; step b: e == "e";)`, "t e m: 3,d,0 4,e,0 11,f,1 12,e,1"},
		{"last of all", scanEvents + `| scan with (step a output=last: e != "e";)`, "t e: 11,f"},
		{"last, replaced", `datatable(k:string, x:long)["a", 1, "b", 2, "b", 3, "a", 4, "b", 5] | serialize | scan with_match_id=m with (step a output=none: k == "a"; step b output=last: k == "b";)`, "k x m: b,3,0 b,5,1"},
		{"numbers", `print x = 1 | serialize | scan declare (i:int = 1, r:real = 2) with (step a: true => i = x + 1, r = x;) | extend k = strcat(gettype(i), gettype(r))`, "x i r k: 1,2,1.0,intreal"},
		{"members of a dynamic", `print d = dynamic({"n": 4}) | serialize | scan declare (n:long) with (step a: d.n == 4; step b: true => n = tolong(a.d.n);)`, "d n: {\"n\":4},-"},
		{"names in brackets", `print x = 1 | serialize | scan with_match_id=['m d'] declare (['last']:long = 3) with (step ['s 1']: ['s 1'].['last'] == 3;)`, "x last m d: 1,3,0"},
		{"none", `print x = 1 | serialize | scan with_match_id=m with (step a: x == 2;)`, "x m: "},
		{"another scan", `range x from 1 to 3 step 1 | scan declare (a:long = 0) with (step s: true => a = s.a + 1;) | scan declare (b:long = 0) with (step s: true => b = s.b + a;) | extend n = row_number()`, "x a b n: 1,1,1,1 2,2,3,2 3,3,6,3"},
		{"asked for twice", `let T = materialize(range x from 1 to 2 step 1); let S = T | serialize | scan declare (a:long = 0) with (step s: true => a = s.a + x;); union S, S | sort by a asc`, "x a: 1,1 1,1 2,3 2,3"},
	} {
		if got := joinResult(t, New(Options{}), c.query); got != c.want {
			t.Errorf("%s: %s:\n%s, want\n%s", c.name, c.query, got, c.want)
		}
	}
}

func TestScanRefused(t *testing.T) {
	for text, want := range map[string]string{
		`with (step s: true;)`: "",
		`with_match_id=m declare (a:long = -1, b:string = "") with (step s output = all: x > 0 => a = x, b = "y";)`: "",

		`with (step s: x;)`: "1:58: expected a condition, found x of type long",
		`with (step s: y == 1 and z == 2; step u: w == 3 => v = 1;)`:                      "1:58: unknown column 'y'\n1:69: unknown column 'z'\n1:85: unknown column 'w'\n1:95: a step assigns what declare gives, and 'v' is not among it",
		`with (step s: true; step s: true;)`:                                              "1:69: the step 's' is named twice",
		`with (step s: u.x == 1;)`:                                                        "1:58: unknown step or column 'u'",
		`with (step start: true; step u: strat.x == 1;)`:                                  "1:76: unknown step or column 'strat', did you mean 'start'?",
		`with (step s: u.x == 1; step u: true;)`:                                          "1:58: 'u' is a step behind 's', which sees those before it and itself",
		`with (step s: s.y == 1;)`:                                                        "1:58: unknown column 'y'",
		`with (step x: x.x == 1;)`:                                                        "1:58: 'x' is a column and a step: give the step another name",
		`with (step s: true => x = 2;)`:                                                   "1:66: a step assigns what declare gives, and 'x' is not among it",
		`declare (x:long) with (step s: true;)`:                                           "1:53: there is a column 'x' already",
		`declare (a:long, a:int) with (step s: true;)`:                                    "1:61: the column 'a' is declared twice",
		`declare (a:long = "x") with (step s: true;)`:                                     `1:62: 'a' is of type long, and "x" of type string`,
		`declare (a:long = x) with (step s: true;)`:                                       "1:62: unknown column 'x'",
		`declare (a:long) with (step s: true => a = 1.5;)`:                                "1:87: 'a' is of type long, and 1.5 of type real",
		`declare (a:string) with (step s: true => a = x;)`:                                "1:89: 'a' is of type string, and x of type long",
		`declare (a:long) with (step s: true => a = 1, a = 2;)`:                           "1:90: 'a' is assigned twice in a step",
		`declare (a:long, b:long) with (step s: true => a = 1, b = a;)`:                   "1:102: 'a' is assigned in this step before: write s.a for its value in the last row of the step",
		`declare (a:long) with (step s: true => a = x + prev(x);)`:                        "1:91: prev cannot stand here",
		`with_match_id=x with (step s: true;)`:                                            "1:58: there is a column 'x' already",
		`with (step s: true)`:                                                             "1:62: expected ';' at the end of a step, found ')'",
		`with ()`:                                                                         "1:50: expected 'step' and a name, as step s: true;, found ')'",
		`declare (last:long) with (step s: true;)`:                                        "1:53: expected the name of a column, as ['last'] for a word that output takes, found 'last'",
		`with (step s output=first: true;)`:                                               "1:64: expected all, last or none, found 'first'",
		`with (step s optional: true;)`:                                                   "1:57: 'optional' is KQL but not supported here",
		`partition by x with (step s: true;)`:                                             "1:44: 'partition by in scan' is KQL but not supported here",
		`with_step_name=n with (step s: true;)`:                                           "1:44: 'with_step_name' is KQL but not supported here",
		`with (step s output=last: true;) | extend n = row_number()`:                      "1:90: row_number needs rows in an order: put serialize or sort before",
		`declare () with (step s: true;)`:                                                 "1:53: expected the name of a column, found ')'",
		`declare (a:long) with (step s: true => a = foo(1), b = bar(2);) | where zz == 1`: "1:87: no function named 'foo'\n1:95: a step assigns what declare gives, and 'b' is not among it\n1:116: unknown column 'zz'",
	} {
		query := "datatable(x:long)[1, 2] | serialize | scan " + text
		got := strings.Join(faultLines(New(Options{}).Check(query, nil)), "\n")
		if got != want {
			t.Errorf("%s:\n%s, want\n%s", query, got, want)
		}
	}
}

// TestScanNeedsOrder holds that all faults of it are told with the missing order.
func TestScanNeedsOrder(t *testing.T) {
	err := New(Options{}).Check("datatable(x:long)[1] | scan with (step s: y == 1;)", nil)
	if got, want := strings.Join(faultLines(err), "\n"), "1:24: scan needs rows in an order: put serialize or sort before\n1:43: unknown column 'y'"; got != want {
		t.Errorf("%s, want\n%s", got, want)
	}
}

// TestScanBatches holds that rows of several batches are as those of one: the states, and the
// rows that wait until it is known that they are the last, go over their borders.
func TestScanBatches(t *testing.T) {
	n := 2*batchRows + 10
	query := fmt.Sprintf(`range x from 1 to %d step 1 | scan with_match_id=m declare (sum:long = 0) with (
		step s output=none: x %% %d == 1 => sum = x;
		step u output=last: x %% %[2]d > 1 => sum = iff(isnull(u.x), s.sum, u.sum) + x;
		step v: x %% %[2]d == 0 => sum = u.sum;)`, n, batchRows+3)
	sum := func(from, to int) int { return (from + to) * (to - from + 1) / 2 }
	a, b := batchRows+2, 2*(batchRows+3)-1
	want := fmt.Sprintf("x sum m: %d,%d,0 %d,%d,0 %d,%d,1 %d,%d,1 %d,%d,2", a, sum(1, a), a+1, sum(1, a), b, sum(a+2, b), b+1, sum(a+2, b), n, sum(b+2, n))
	if got := joinResult(t, New(Options{}), query); got != want {
		t.Errorf("%s, want\n%s", got, want)
	}
}

// TestScanMemory holds that what the states and the rows that wait hold is counted, and given back.
func TestScanMemory(t *testing.T) {
	read := func(query string) error {
		results, err := New(Options{Memory: 1 << 20}).Compile(context.Background(), query, nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, err := range results[0].Batches(context.Background()) {
			if err != nil {
				return err
			}
		}
		return nil
	}
	var budget *BudgetError
	if err := read(`range x from 1 to 5000 step 1 | scan declare (s:string) with (step a output=none: true => s = strcat(a.s, strrep("0123456789", 200));)`); !errors.As(err, &budget) || budget.Operator != "scan" {
		t.Errorf("a text that grows: %v, want a budget error of scan", err)
	}
	if err := read(`range x from 1 to 50000 step 1 | scan declare (s:string) with (step a output=last: true => s = strcat("0123456789", x); step b: x % 7 == 0 => s = a.s;)`); err != nil {
		t.Errorf("states that do not grow: %v", err)
	}
}
