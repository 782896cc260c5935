package query

import (
	"fmt"
	"strings"
	"testing"
)

// typicalQuery is as long as what people save.
const typicalQuery = `let lookback = 7d;
let known = entries | where time < ago(lookback) | distinct agent, tool;
entries
| where time > ago(lookback) and authorization == "DENIED" and tool in ("read_file", "write_file", "exec")
| where tostring(args.path) has_any ("secrets", ".ssh", "passwd") or args.command matches regex @"curl\s+-s"
| extend path = tostring(args.path), day = bin(time, 1d), outcome = iff(isempty(policy), "none", policy)
| join kind=leftanti (known) on agent, tool
| summarize calls = count(), paths = make_set(path, 10), ['first'] = min(time), (last, request) = arg_max(time, request) by agent, tool, day
| where calls > 3
| sort by calls desc, agent asc
| project day, agent, tool, calls, paths, ['first'], last`

// BenchmarkParse reads texts: a typical one, and what a program may write.
func BenchmarkParse(b *testing.B) {
	var words []string
	for i := range 100_000 {
		words = append(words, fmt.Sprintf("'%x'", i))
	}
	for _, text := range []struct{ name, text string }{
		{"typical", typicalQuery},
		{"in-100000", "print 'beef' in (" + strings.Join(words, ",") + ")"},
		{"string-400kB", "print strlen('" + strings.Repeat("x", 400_000) + "')"},
		{"brackets-100000", "print " + strings.Repeat("(", 100_000) + "1" + strings.Repeat(")", 100_000)},
	} {
		b.Run(text.name, func(b *testing.B) {
			b.SetBytes(int64(len(text.text)))
			for b.Loop() {
				if _, err := parse(text.text); (err != nil) != (text.name == "brackets-100000") {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkCheck parses and binds a typical text.
func BenchmarkCheck(b *testing.B) {
	l := New(Options{Tables: LedgerTables(nil)})
	for b.Loop() {
		if err := l.Check(typicalQuery, nil); err != nil {
			b.Fatal(err)
		}
	}
}
