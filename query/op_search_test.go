package query

import (
	"context"
	"strings"
	"testing"
)

// searchTables are what the queries of these tests read.
const searchTables = `let A = datatable(s:string, n:int)["red fox", 1, "foxes", 20, "Grey wolf", 300];
let B = datatable(s:string, n:long, z:string)["a fox", 5, "wolf", "x", 20, "y"];
let V = view () { print s = "viewed fox" };
`

func TestSearch(t *testing.T) {
	for _, c := range []struct{ query, want string }{
		{`A | search "FOX"`, "$table s n: search_arg0,red fox,1"},
		{`A | search "fox*"`, "$table s n: search_arg0,red fox,1 search_arg0,foxes,20"},
		{`A | search "*olf"`, "$table s n: search_arg0,Grey wolf,300"},
		{`A | search "*ox*" | count`, "Count: 2"},
		{`A | search "g*f"`, "$table s n: search_arg0,Grey wolf,300"},
		{`A | search "20" or "300" | project n`, "n: 20 300"},
		{`A | search s:"fox" | project n`, "n: 1"},
		{`A | search s:"fox*" and not(s:"red") | project n`, "n: 20"},
		{`A | search not("fox*") | project n`, "n: 300"},
		{`A | search ("red" or n > 100) and (s:"fox" or "wolf") | project n`, "n: 1 300"},
		{`A | search (n + 1) > 20 and ((n)) < 300 | project n`, "n: 20"},
		{`A | search n between (1 .. 20) and s !contains "red" | project n`, "n: 20"},
		{`A | search "fox" or 300 | project n`, "n: 1"},
		{`A | search * | count`, "Count: 3"},
		{`A | search "*" | count`, "Count: 3"},
		{`A | search "" | count`, "Count: 3"},
		{`A | search * and n == 1 | count`, "Count: 1"},
		{`A | search * contains "es" | project n`, "n: 20"},
		{`let q = "red"; A | search q | project n`, "n: 1"},
		{`A | search kind=case_sensitive "grey" or "fox" | project n`, "n: 1"},
		{`A | search kind=case_sensitive s contains "GREY" or s has "Grey" | project n`, "n: 300"},
		{`A | search kind=case_sensitive s =~ "FOXES" or s in~ ("RED FOX") | count`, "Count: 0"},
		{`A | search kind=case_insensitive "grey" | project n`, "n: 300"},
		{`A | as T | search "red"`, "$table s n: T,red fox,1"},
		{`A | take 1 | extend d = dynamic({"a": "owl"}), t = datetime(2026-01-02) | search "owl" and "2026" | project n`, "n: 1"},
		{`search in (A, B) "fox"`, "$table s n_int n_long z: search_arg0,red fox,1,-, search_arg1,a fox,-,5,wolf"},
		{`search in (A, B) n_long == 20`, "$table s n_int n_long z: search_arg1,x,-,20,y"},
		{`search in (V, A) "fox" and not(n == 1)`, "$table s n: V,viewed fox,-"},
		{`search in (V) *`, "$table s: V,viewed fox"},
		{`search in ((A | where n > 1)) "fox*" | project n`, "n: 20"},
		{`search "fox"`, "$table s: V,viewed fox"},
	} {
		if got := joinResult(t, New(Options{}), searchTables+c.query); got != c.want {
			t.Errorf("%s:\n%s, want\n%s", c.query, got, c.want)
		}
	}
	const given = `let A = datatable(s:string)["fox"]; let AB = datatable(s:string)["a fox"]; `
	for query, want := range map[string]string{
		`search in (A*) "fox"`: "$table s: search_arg0,fox search_arg1,a fox",
		`search "a"`:           "$table s: search_arg1,a fox",
	} {
		if got := joinResult(t, New(Options{}), given+query); got != want {
			t.Errorf("%s:\n%s, want\n%s", query, got, want)
		}
	}
}

func TestSearchRefused(t *testing.T) {
	for query, want := range map[string]string{
		`A | search "a*b*"`:                                     "not supported here",
		`A | search "a" | search "b"`:                           "not supported here",
		`A | search * !has "a"`:                                 "not supported here",
		`A | search kind=case_sensitive s has_any ("a")`:        "not supported here",
		`A | search kind=exact "a"`:                             "expected case_sensitive",
		`A | search in (A) "a"`:                                 "stands first",
		`A | search nosuch:"a"`:                                 "unknown column",
		`A | search s:5`:                                        "expected a term in quotes",
		`A | search (s):"a" and "b":"c"`:                        "expected the name of a column",
		`A | search s`:                                          "expected a condition",
		`A | search`:                                            "expected a value",
		`search in (Nosuch*) "a"`:                               "no table is named as Nosuch*",
		`search in () "a"`:                                      "found ')'",
		`A | search ` + strings.Repeat("(", 300) + `"a"`:        "nested",
		`A | search ` + strings.Repeat("not(", 300) + `"a" > 1`: "nested",
	} {
		wantRefusal(t, searchTables+query, want)
	}
	wantRefusal(t, `search "a"`, "there is no table to search")
}

// TestTermCodes tests that a value that rows repeat is tested once, and none of a row that
// was found.
func TestTermCodes(t *testing.T) {
	tested := ""
	e := &termExpr{[]expr{&colExpr{0, String}, &colExpr{1, Long}}, func(text string) bool {
		tested += text + " "
		return text == "b"
	}}
	b := &Batch{N: 4, Cols: []*Vector{
		Coded(String, []Value{StringOf("a"), StringOf("b"), StringOf("unused")}, []uint16{1, 0, 0, 1}),
		VectorOf(Long, []Value{LongOf(1), LongOf(2), LongOf(3), LongOf(4)}),
	}}
	rows, err := selected(e, b)
	if err != nil || len(rows) != 2 || rows[0] != 0 || rows[1] != 3 || tested != "b a 2 3 " {
		t.Errorf("rows %v, tested %q, %v", rows, tested, err)
	}
}

// TestSearchHint tests that one is told of a number that finds nothing.
func TestSearchHint(t *testing.T) {
	l := New(Options{})
	if _, err := l.Compile(context.Background(), searchTables+`A | search 20`, nil); err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(l.Hints(), "\n"); !strings.Contains(got, `"20" in quotes`) {
		t.Errorf("hints %q", got)
	}
}
