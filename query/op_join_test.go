package query

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
)

// joinTables are what the queries of these tests read.
const joinTables = `let L = datatable(k:long, lv:string)[1, "a", 1, "b", 2, "c", long(null), "n"];
let R = datatable(k:int, rv:string)[3, "x", 1, "y", 1, "z", int(null), "m"];
`

// joinResult returns the columns and rows of a query's last result, as text.
func joinResult(t *testing.T, l *Language, text string) string {
	t.Helper()
	results, err := l.Compile(context.Background(), text, nil)
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	res := results[len(results)-1]
	var lines []string
	var names []string
	for _, f := range res.Fields {
		names = append(names, f.Name)
	}
	for b, err := range res.Batches(context.Background()) {
		if err == nil {
			err = b.Fill()
		}
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		for i := range b.N {
			var row []string
			for _, v := range b.Row(i) {
				if v.Null {
					row = append(row, "-")
				} else {
					row = append(row, toString(v))
				}
			}
			lines = append(lines, strings.Join(row, ","))
		}
	}
	return strings.Join(names, " ") + ": " + strings.Join(lines, " ")
}

func TestJoinKinds(t *testing.T) {
	for kind, want := range map[string]string{
		"innerunique":   "k lv k1 rv: 1,a,1,y 1,a,1,z -,n,-,m",
		"inner":         "k lv k1 rv: 1,a,1,y 1,a,1,z 1,b,1,y 1,b,1,z -,n,-,m",
		"leftouter":     "k lv k1 rv: 1,a,1,y 1,a,1,z 1,b,1,y 1,b,1,z 2,c,-, -,n,-,m",
		"rightouter":    "k lv k1 rv: 1,a,1,y 1,a,1,z 1,b,1,y 1,b,1,z -,n,-,m -,,3,x",
		"fullouter":     "k lv k1 rv: 1,a,1,y 1,a,1,z 1,b,1,y 1,b,1,z 2,c,-, -,n,-,m -,,3,x",
		"leftsemi":      "k lv: 1,a 1,b -,n",
		"rightsemi":     "k rv: 1,y 1,z -,m",
		"leftanti":      "k lv: 2,c",
		"anti":          "k lv: 2,c",
		"leftantisemi":  "k lv: 2,c",
		"rightanti":     "k rv: 3,x",
		"rightantisemi": "k rv: 3,x",
	} {
		if got := joinResult(t, New(Options{}), joinTables+"L | join kind="+kind+" R on k"); got != want {
			t.Errorf("kind=%s gives\n%s, expected\n%s", kind, got, want)
		}
	}
}

func TestJoinConditions(t *testing.T) {
	const tables = `let A = datatable(x:long, y:string, k1:long)[1, "p", 7, 1, "q", 8]; let B = datatable(y:string, x:long, k:real)["q", 1, 0.5];` + "\n"
	for query, want := range map[string]string{
		"A | join kind=inner B on x, y":                                               "x y k1 y1 x1 k: 1,q,8,q,1,0.5",
		"A | join kind=inner B on $left.x == $right.x, $right.y == $left.y":           "x y k1 y1 x1 k: 1,q,8,q,1,0.5",
		"A | join kind=inner B on $left.x == $right.x and $left.y == $right.y":        "x y k1 y1 x1 k: 1,q,8,q,1,0.5",
		"A | join hint.strategy=broadcast kind = inner hint.num_partitions=3 B on x":  "x y k1 y1 x1 k: 1,p,7,q,1,0.5 1,q,8,q,1,0.5",
		"A | join kind=inner (B | extend k1 = 1, k11 = 2) on x | project-away k":      "x y k1 y1 x1 k11 k111: 1,p,7,q,1,1,2 1,q,8,q,1,1,2",
		"A | join kind=leftouter (B | where x > 9) on x | where isnull(k) | count":    "Count: 2",
		"A | join kind=inner (A) on $left.x == $right.x | take 3 | summarize count()": "count_: 3",
		"A | where x > 9 | join kind=fullouter (B) on x":                              "x y k1 y1 x1 k: -,,-,q,1,0.5",
	} {
		if got := joinResult(t, New(Options{}), tables+query); got != want {
			t.Errorf("%s gives\n%s, expected\n%s", query, got, want)
		}
	}
}

func TestJoinErrors(t *testing.T) {
	for query, want := range map[string]string{
		"L | join kind=cross R on k":                                   "expected a kind",
		"L | join mode=inner R on k":                                   "expected kind=",
		"L | join kind=inner R":                                        "expected 'on'",
		"L | join kind=inner R on lv":                                  "the right table has no column 'lv', did you mean 'rv'?",
		"L | join kind=inner R on rv":                                  "the left table has no column 'rv'",
		"L | join kind=inner R on $left.lv == $right.k":                "lv is string on the left and k is int on the right",
		"L | join kind=inner R on $left.k > $right.k":                  "a condition of a join",
		"L | join kind=inner R on k == k":                              "a condition of a join",
		"L | extend k = dynamic(1) | join kind=inner R on k":           "k is dynamic",
		"L | lookup kind=fullouter R on k":                             "expected a kind: leftouter, inner",
		"union kind=both L, R":                                         "expected a kind: outer, inner",
		"union L, Missing":                                             "unknown table 'Missing'",
		"union isfuzzy=true Missing1, Missing2":                        "unknown table 'Missing1'",
		"union Z*":                                                     "no table is named as Z*",
		"union kind=inner (print x = 1), (print x = 'a')":              "not supported here",
		"union withsource=x (print x = 1)":                             "not supported here",
		"union (print x = 1), (print x = '') | project x":              "unknown column 'x'",
		"let f = () { print a = 1 | join kind=inner (f()) on a }; f()": "",
		"L | join kind=inner (R | where nothing == 1) on k":            "unknown column 'nothing'",
		"union":                    "",
		"L | join kind=inner R on": "expected a value",
		"L | join kind=inner hint.strategy= R on":                        "expected",
		"L | union withsource=3 R":                                       "expected the name of a column",
		"L | union isfuzzy=maybe R":                                      "expected true or false",
		"L | join kind=inner (L | join kind=inner (L | foo) on k) on k":  "no operator named 'foo'",
		"print a = 1 | lookup (print b = 1) on $left.a == $right.c":      "the right table has no column 'c'",
		"print a = real(1) | join kind=inner (print a = 1) on a":         "convert one of them",
		"print a = datetime(2020-01-01) | join (print a = 1s) on a":      "convert one of them",
		"union (print a = 1) | union with=x (print a = 1)":               "expected kind=",
		"print a = 1 | as T | join kind=inner T on $left.a == $right[0]": "a condition of a join",
	} {
		_, err := New(Options{}).Compile(context.Background(), joinTables+query, nil)
		var e *Error
		if !errors.As(err, &e) || !strings.Contains(e.Msg, want) {
			t.Errorf("%s: expected an error with %q, found %v", query, want, err)
		}
	}
}

func TestLookup(t *testing.T) {
	for query, want := range map[string]string{
		"L | lookup R on k":            "k lv rv: 1,a,z 1,a,y 1,b,z 1,b,y 2,c, -,n,m",
		"L | lookup kind=inner R on k": "k lv rv: 1,a,z 1,a,y 1,b,z 1,b,y -,n,m",
		"L | lookup (R | project lv = rv, k = tolong(k)) on k | take 1":        "k lv lv1: 1,a,z",
		"L | lookup (R | project id = k, rv) on $left.k == $right.id | take 1": "k lv rv: 1,a,z",
	} {
		if got := joinResult(t, New(Options{}), joinTables+query); got != want {
			t.Errorf("%s gives\n%s, expected\n%s", query, got, want)
		}
	}
}

func TestUnion(t *testing.T) {
	for query, want := range map[string]string{
		"union L, R | take 5": "k_long lv k_int rv: 1,a,-, 1,b,-, 2,c,-, -,n,-, -,,3,x",
		"L | union (L | where k == 2), (print z = 1s) | where isnotnull(z) or k == 2":                                    "k lv z: 2,c,- 2,c,- -,,00:00:01",
		"union kind=inner L, (L | extend a = 1 | project-reorder a) | count":                                             "Count: 8",
		"union kind=inner (print a = 1, b = 2), (print b = 3, c = 4)":                                                    "b: 2 3",
		"union withsource=S (print a = 1), (print a = 2 | as T)":                                                         "S a: union_arg0,1 T,2",
		"print a = 1 | as X | union with_source=S (print a = 2)":                                                         "S a: X,1 union_arg1,2",
		"let V = view () { print a = 1 }; union withsource=S V":                                                          "S a: V,1",
		"let V1 = view () { print a = 1 }; let V2 = view () { print a = 2 }; let W = print a = 3; union withsource=S V*": "S a: V1,1 V2,2",
		"union isfuzzy=true (print a = 1), Missing, (AlsoMissing | where x > 1)":                                         "a: 1",
		"union (print x = 1), (print x = int(2)), (print x_long = 3)":                                                    "x_long1 x_int x_long: 1,-,- -,2,- -,-,3",
		"union (union (print a = 1), (print a = 2)), (print a = 3)":                                                      "a: 1 2 3",
	} {
		if got := joinResult(t, New(Options{}), joinTables+query); got != want {
			t.Errorf("%s gives\n%s, expected\n%s", query, got, want)
		}
	}
}

func TestJoinHints(t *testing.T) {
	for query, want := range map[string]int{
		joinTables + "L | join R on k": 1, joinTables + "L | join kind=inner R on k": 0,
		"union isfuzzy=true (print a = 1), Missing": 1,
	} {
		l := New(Options{})
		joinResult(t, l, query)
		if len(l.Hints()) != want {
			t.Errorf("%s: expected %d hints, found %q", query, want, l.Hints())
		}
	}
}

// A join of one key with itself has very many rows: they come in batches, and reading can
// end at any of them.
func TestJoinStreams(t *testing.T) {
	const query = "let T = range x from 1 to 20000 step 1 | extend one = 1; T | join kind=inner T on one"
	l := New(Options{Memory: 64 << 20})
	results, err := l.Compile(context.Background(), query, nil)
	if err != nil {
		t.Fatal(err)
	}
	rows := 0
	for b, err := range results[0].Batches(context.Background()) {
		if err != nil {
			t.Fatal(err)
		}
		if b.N > batchRows {
			t.Fatalf("a batch has %d rows", b.N)
		}
		if rows += b.N; rows > 100000 {
			break
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	err = nil
	for _, err = range results[0].Batches(ctx) {
		cancel()
	}
	if !errors.Is(err, context.Canceled) {
		t.Errorf("a join that was cancelled ended with %v", err)
	}
}

func TestJoinBudget(t *testing.T) {
	for _, stage := range []string{"join kind=inner T on x", "join kind=leftanti T on x", "lookup T on x"} {
		l := New(Options{Memory: 1 << 20})
		results, err := l.Compile(context.Background(), "let T = range x from 1 to 100000 step 1; T | "+stage, nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, err = range results[0].Batches(context.Background()) {
			if err != nil {
				break
			}
		}
		var full *BudgetError
		if !errors.As(err, &full) {
			t.Errorf("%s: expected a budget error, found %v", stage, err)
		}
	}
}

func BenchmarkJoin(b *testing.B) {
	for _, kind := range []string{"inner", "leftanti"} {
		b.Run(kind, func(b *testing.B) {
			query := fmt.Sprintf("range x from 1 to 100000 step 1 | join kind=%s (range x from 1 to 100000 step 2) on x | count", kind)
			for b.Loop() {
				results, err := New(Options{}).Compile(context.Background(), query, nil)
				if err != nil {
					b.Fatal(err)
				}
				for _, err := range results[0].Batches(context.Background()) {
					if err != nil {
						b.Fatal(err)
					}
				}
			}
		})
	}
}

// TestUniqueJoinFiltered tests that a where right behind an innerunique join says which of
// the left rows with the same key is taken.
func TestUniqueJoinFiltered(t *testing.T) {
	const tables = `let L = datatable(k:long, v:string)[1, "a", 1, "b", 2, "c"]; let R = datatable(k:long, w:string)[1, "x", 1, "y", 2, "z"]; `
	for _, c := range []struct{ query, want string }{
		{`L | join kind=innerunique R on k`, "k v k1 w: 1,a,1,x 1,a,1,y 2,c,2,z"},
		{`L | join R on k | where v == "b"`, "k v k1 w: 1,b,1,x 1,b,1,y"},
		{`L | join R on k | where v == "b" and w == "y"`, "k v k1 w: 1,b,1,y"},
		{`L | join R on k | where w == "y" | where v == "b"`, "k v k1 w: 1,b,1,y"},
		{`let want = "b"; L | join R on k | where w == "y" and v in (want, "d")`, "k v k1 w: 1,b,1,y"},
		// Conditions on both sides at once, and behind another operator, are about what is joined.
		{`L | join R on k | where v == "b" or w == "z"`, "k v k1 w: 2,c,2,z"},
		{`L | join R on k | take 5 | where v == "b" | count`, "Count: 0"},
		{`L | join R on k | where pack_all().v == "b" | count`, "Count: 0"},
		{`L | join kind=inner R on k | where v == "b"`, "k v k1 w: 1,b,1,x 1,b,1,y"},
		{`L | join R on k | where 1 == 1 | where v == "b" | count`, "Count: 2"},
	} {
		if got := joinResult(t, New(Options{}), tables+c.query); got != c.want {
			t.Errorf("%s:\n%s, want\n%s", c.query, got, c.want)
		}
	}
	_, err := New(Options{}).Compile(context.Background(), tables+`L | join R on k | where v == "b" and nothing > 1`, nil)
	if err == nil || !strings.Contains(err.Error(), "unknown column 'nothing'") {
		t.Errorf("an unknown column: %v", err)
	}
}
