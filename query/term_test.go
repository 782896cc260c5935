package query

import (
	"fmt"
	"strings"
	"testing"
)

func TestTerms(t *testing.T) {
	var got string
	op := Operator{Name: "terms", Usage: "terms", Bind: func(args *Arguments, _ []Field) (*Transform, error) {
		var list []string
		for _, term := range args.Terms() {
			list = append(list, term.Op+":"+term.Text)
		}
		got = strings.Join(list, " ")
		return &Transform{Run: func(*Run, Batches, func(...Value) error) error { return nil }}, nil
	}}
	const rows = `datatable(x:string, y:string)["a", "b"]`
	for _, c := range []struct{ query, want string }{
		{rows + ` | terms`, ""},
		{rows + ` | where x has "a" | terms`, "has:a"},
		{rows + ` | where x contains_cs "a" and (y startswith "b" or x == "c") | terms`, "contains_cs:a startswith:b"},
		{rows + ` | where x !has "a" and not(x has "b") and x =~ "c" and x matches regex "d" | terms`, ""},
		{rows + ` | where x has_any ("a", "b") or x has_all ("c") | terms`, "has:a has:b has:c"},
		{rows + ` | where x has "a" | extend z = 1 | project x | where x has "b" | terms`, "has:a has:b"},
		{rows + ` | where x has "" | terms`, ""},
		{`let w = "a"; ` + rows + ` | where x has w | terms`, "has:a"},
		{`let T = ` + rows + ` | where x has "a"; T | terms`, "has:a"},
		{`let T = ` + rows + ` | where x has "a"; T | where y has "b" | count; T | terms`, "has:a"},
		{`let f = (T:(x:string)) { T | where x has "a" }; f(` + rows + `) | terms`, "has:a"},
		{rows + ` | as T | where x has "a" | terms`, "has:a"},
		{rows + ` | search "a" or x:"b*" and *c* | terms`, ""},
		{rows + ` | search "a" or x:"b*" or "*c*" or "*d" or "e*f" | terms`, "has:a hasprefix:b contains:c hassuffix:d"},
	} {
		got = ""
		_, err := New(Options{Operators: []Operator{op}}).Compile(t.Context(), c.query, nil)
		if got != c.want {
			t.Errorf("%s has %s, want %s (%v)", c.query, got, c.want, err)
		}
	}
}

func TestTermIn(t *testing.T) {
	for _, c := range []struct{ op, term, text, want string }{
		{"has", "ab", "ab cab AB ab_c", "[ab] cab [AB] [ab]_c"},
		{"has_cs", "ab", "ab AB", "[ab] AB"},
		{"contains", "aa", "aaaaa", "[aa][aa]a"},
		{"hasprefix", "ab", "abc xab", "[ab]c xab"},
		{"hassuffix", "ab", "abc xab", "abc x[ab]"},
		{"startswith", "ab", "ab ab", "[ab] ab"},
		{"endswith", "ab", "ab ab", "ab [ab]"},
		{"contains", "删除", "要删除吗", "要[删除]吗"},
		{"contains", "ß", "Straße ẞ", "Stra[ß]e [ẞ]"},
		{"has", "-x", "a-x -xy", "a[-x] -xy"},
	} {
		term := Term{c.op, c.term, newNeedle(c.term, textOps[c.op].fold)}
		var b strings.Builder
		at := 0
		for from, to := range term.In(c.text) {
			fmt.Fprintf(&b, "%s[%s]", c.text[at:from], c.text[from:to])
			at = to
		}
		if got := b.String() + c.text[at:]; got != c.want {
			t.Errorf("%s %q in %q: %s, want %s", c.op, c.term, c.text, got, c.want)
		}
	}
}
