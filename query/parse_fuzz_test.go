package query

import (
	"strings"
	"testing"

	"github.com/alecthomas/participle/v2/lexer"
)

// seedQueries are texts from which fuzzing starts.
func seedQueries(f *testing.F) {
	for _, op := range operators {
		f.Add(op.Example)
	}
	for _, list := range coreFuncs() {
		for _, fn := range list {
			f.Add("print r = (" + fn.Example + ")")
		}
	}
	for _, list := range coreAggregations() {
		for _, a := range list {
			f.Add(a.Example)
		}
	}
	for _, c := range conditions {
		f.Add("entries | where " + c)
	}
	for _, text := range []string{
		"let x = 1; let f = (a:long, b:string = 'x', T:(c:long)) { let y = a; T | where c == y }; f(1, T = entries)",
		"declare query_parameters(p:long = 1, q:datetime = datetime(2026-01-02)); print p, q",
		"T | join kind=leftouter hint.strategy=broadcast (U | where a == 1) on a, $left.b == $right.c",
		"T | mv-expand with_itemindex=i x = args.list to typeof(long), y limit 3 | sort by i asc nulls last, y",
		"T | parse kind=regex flags=i s with * 'a' b:long 'c' * | project-reorder a, * asc | project-away ['odd name'], b",
		"T | where a in ((U | project b)) or b has_any (dynamic(['x', 'y'])) and c !between (1 .. 2) | where * has 'x'",
		"union withsource=S kind=outer isfuzzy=true T, (print a = -1), U | search in (T, U) 'x' and b:'y'",
		"print a = -(1 + 2) * 3 % -4, b = args.['p'][(i + 1)][-1], c = x['a b'].d, 'a' 'b', @'c''d', ```e\nf```",
		"T | summarize (a, b) = arg_max(time, *), c = count() + sum(x) / 2 by bin(time, 1h), ['k l'] = strcat(d, '\\u00e9')",
		"T | make-series kind=nonempty (s) = sum(x) default=-1, count() on y = t in range(1, 2h, 3) by bin(z, 1) | make-series avg(a) on b from 1 to 2 step -3",
		"T | top-nested of a with others='x' by b = max(1) asc, top-nested 1 + 1 of c = bin(d, 1) by sum(e) / count() desc | top-nested 2 of f by count()",
		"T | sort by a asc | scan with_match_id=m declare (b:long = -1, ['c d']:dynamic) with (step s output=last: a > s.b and true => b = s.a + 1, ['c d'] = s.['c d']; step u: u.b != 2;) | count",
		"(print a = 1) | count; (T)", "T | where ((((a", "T | where a = 1", "print 1 +", "|", ";;", "let", "T | take 0x10 | as U | getschema",
	} {
		f.Add(text)
	}
}

// FuzzParse checks that a query that is read can be written, and is read again as the
// same one.
func FuzzParse(f *testing.F) {
	seedQueries(f)
	f.Fuzz(func(t *testing.T, text string) {
		s, err := parse(text)
		if err != nil {
			e, ok := err.(*Error)
			if !ok || e.Offset < 0 || e.Offset > len(text) || strings.Count(e.Error(), "\n") != 2 {
				t.Fatalf("%#v", err)
			}
			return
		}
		for _, st := range s.statements {
			if st.query == nil {
				continue
			}
			once := st.query.String()
			again, err := parse(once)
			if err != nil || len(again.statements) != 1 || again.statements[0].query == nil {
				t.Fatalf("%q is written as %q: %v", text, once, err)
			}
			if twice := again.statements[0].query.String(); twice != once {
				t.Fatalf("%q is written as %q, and that as %q", text, once, twice)
			}
		}
	})
}

// FuzzParseExpr does the same for an expression alone.
func FuzzParseExpr(f *testing.F) {
	for _, list := range coreFuncs() {
		for _, fn := range list {
			f.Add(fn.Example)
		}
	}
	for _, c := range conditions {
		f.Add(c)
	}
	f.Add("a + b * -c has 'x' and not(d) or e between (1 .. 2h) and f in ('a', g.h[0]['i j'], (T | take 1))")
	f.Fuzz(func(t *testing.T, text string) {
		n, ok := wholeExpr(text)
		if !ok {
			return
		}
		once := n.String()
		again, ok := wholeExpr(once)
		if !ok {
			t.Fatalf("%q is written as %q", text, once)
		}
		if twice := again.String(); twice != once {
			t.Fatalf("%q is written as %q, and that as %q", text, once, twice)
		}
	})
}

// wholeExpr reads a text that is one expression.
func wholeExpr(text string) (node, bool) {
	list, err := lex(text)
	if err != nil {
		return nil, false
	}
	lex, err := lexer.Upgrade(&tokens{list: list})
	if err != nil {
		return nil, false
	}
	p := &exprParser{lex: lex}
	n, err := p.valueOrQuery()
	return n, err == nil && p.peek().EOF()
}

// FuzzCompile checks that no text is too much for the binder.
func FuzzCompile(f *testing.F) {
	seedQueries(f)
	f.Fuzz(func(t *testing.T, text string) {
		if strings.Contains(text, "range") || strings.Contains(text, "repeat") { // may be long
			return
		}
		rowsOf(Options{Memory: 16 << 20}, text)
	})
}
