package query

import (
	"context"
	"errors"
	"strings"
	"testing"
)

func TestExpand(t *testing.T) {
	for _, c := range []struct{ query, want string }{
		{`print a = dynamic([1, 2]), b = "x" | mv-expand a`, "a b: 1,x 2,x"},
		{`print a = dynamic([1, 2]) | mv-expand x = a`, "a x: [1,2],1 [1,2],2"},
		{`print a = dynamic([1, 2]) | mv-expand a = a to typeof(long)`, "a: 1 2"},
		{`print d = dynamic({"k": {"m": [1]}}) | mv-expand d.k.m`, `d d_k_m: {"k":{"m":[1]}},1`},
		{`print d = dynamic([1]) | mv-expand array_concat(d, d)`, "d Column1: [1],1 [1],1"},
		{`print s = "a|b" | mv-expand split(s, "|")`, "s: a b"},
		{`print d = dynamic({"p": "a", "q": [2]}) | mv-expand d`, `d: {"p":"a"} {"q":[2]}`},
		{`print d = dynamic({"p": "a", "q": [2]}) | mv-expand kind=array d`, `d: ["p","a"] ["q",[2]]`},
		{`print d = dynamic({"p": "a"}) | mv-expand bagexpansion=array with_itemindex=i d`, `d i: ["p","a"],0`},
		{`print a = dynamic([7, 8]) | mv-expand with_itemindex=i a`, "a i: 7,0 8,1"},
		{`print a = dynamic([7]), i = "x" | mv-expand with_itemindex=i a`, "a i i1: 7,x,0"},
		{`print a = dynamic([1, 2, 3]), b = dynamic(["x"]) | mv-expand a, b to typeof(string)`, "a b: 1,x 2, 3,"},
		// A null is a row; nothing is none, unless another column has something.
		{`datatable(d:dynamic)[dynamic([]), dynamic(null), dynamic([1, null])] | mv-expand d`, "d: - 1 -"},
		{`print d = dynamic({}) | mv-expand d | count`, "Count: 0"},
		{`print a = dynamic([]), b = dynamic([1]) | mv-expand a, b`, "a b: -,1"},
		{`print d = dynamic("text") | mv-expand d`, "d: text"},
		{`print a = dynamic([1, 2, 3]) | mv-expand a limit 2`, "a: 1 2"},
		{`print a = dynamic([1, 2, 3]) | mv-expand limit 2 a`, "a: 1 2"},
		{`print a = range(1, 200, 1) | mvexpand a | count`, "Count: 128"},
		{`print a = range(1, 200, 1) | mvexpand a limit 150 | count`, "Count: 150"},
		{`print a = range(1, 3000, 1), b = 1 | mv-expand a to typeof(long) | summarize count(), sum(a), sum(b)`, "count_ sum_a sum_b: 3000,4501500,3000"},
		// Columns with the names of options.
		{`print kind = dynamic([1]) | mv-expand kind`, "kind: 1"},
		{`print array = dynamic([1]) | mv-expand kind=array`, "array kind: [1],1"},
		{`print a = dynamic([1, 2]) | serialize | mv-expand a | extend n = row_number()`, "a n: 1,1 2,2"},
	} {
		if got := joinResult(t, New(Options{}), c.query); got != c.want {
			t.Errorf("%s:\n%s, want\n%s", c.query, got, c.want)
		}
	}
}

// TestExpandCast goes through what to typeof(...) makes of elements.
func TestExpandCast(t *testing.T) {
	const values = `print a = dynamic([1, 2.5, "3", true, null, {"x": 1}, "2026-01-02T03:04:05.0000000Z", "2026-01-02", "1.02:00:00", "74be27de-1e4e-49d9-b579-fe0b331d3642"]) | mv-expand a to typeof(`
	for kind, want := range map[string]string{
		"long":     "1 2 - - - - - - - -",
		"int":      "1 2 - - - - - - - -",
		"real":     "1.0 2.5 - - - - - - - -",
		"bool":     "- - - True - - - - - -",
		"datetime": "- - - - - - 2026-01-02T03:04:05.0000000Z - - -",
		"timespan": "- - - - - - - - 1.02:00:00 -",
		"guid":     "- - - - - - - - - 74be27de-1e4e-49d9-b579-fe0b331d3642",
		"string":   `1 2.5 3 true  {"x":1} 2026-01-02T03:04:05.0000000Z 2026-01-02 1.02:00:00 74be27de-1e4e-49d9-b579-fe0b331d3642`,
		"dynamic":  `1 2.5 3 true - {"x":1} 2026-01-02T03:04:05.0000000Z 2026-01-02 1.02:00:00 74be27de-1e4e-49d9-b579-fe0b331d3642`,
	} {
		if got := joinResult(t, New(Options{}), values+kind+")"); got != "a: "+want {
			t.Errorf("%s:\n%s, want\n%s", kind, got, want)
		}
	}
}

func TestExpandRefused(t *testing.T) {
	for query, want := range map[string]string{
		`print s = "x" | mv-expand s`:                                     "wants a dynamic",
		`print a = dynamic([1]) | mv-expand kind=list a`:                  "expected bag or array",
		`print a = dynamic([1]) | mv-expand b`:                            "unknown column",
		`print a = dynamic([1]) | mv-expand a to long`:                    "expected 'typeof'",
		`print a = dynamic([1]) | mv-expand a limit 0`:                    "not supported here",
		`print a = dynamic([1]) | mv-expand a limit -1`:                   "limit wants a count",
		`print a = dynamic([1]) | mv-expand`:                              "expected a value",
		`print a = dynamic([1]) | serialize | mv-expand b = row_number()`: "cannot stand here",
	} {
		wantRefusal(t, query, want)
	}
}

// wantRefusal tests that a query is refused, with a message that has want.
func wantRefusal(t *testing.T, query, want string) {
	t.Helper()
	if _, err := New(Options{}).Compile(context.Background(), query, nil); err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("%s: %v, want an error with %q", query, err, want)
	}
}

// TestExpandStops tests that rows nobody asks for are not made, and that a query can be
// ended.
func TestExpandStops(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	results, err := New(Options{}).Compile(ctx, `print a = range(1, 100000, 1) | mv-expand a`, nil)
	if err != nil {
		t.Fatal(err)
	}
	rows := 0
	for b, err := range results[0].Batches(ctx) {
		if err != nil {
			if !errors.Is(err, context.Canceled) {
				t.Fatal(err)
			}
			break
		}
		rows += b.N
		cancel()
	}
	if rows != batchRows {
		t.Errorf("%d rows before the end, want %d", rows, batchRows)
	}
}

// TestExpandShares tests that a column that is not looked at is not decoded, and one that
// is looked at is once, however many batches come of one.
func TestExpandShares(t *testing.T) {
	filled := 0
	lazy := Lazy(Long, func(v *Vector) error {
		filled++
		*v = *VectorOf(Long, []Value{LongOf(1), LongOf(2)})
		return nil
	}, func([]int) *Vector { panic("rows may be wanted twice") })
	e := &expander{fields: []Field{{"n", Long}, {"a", Dynamic}}, from: []int{-1, 0}, exprs: []expr{&colExpr{1, Dynamic}}, index: -1}
	array := DynamicOf("[" + strings.Repeat("0,", batchRows) + "0]")
	in := &Batch{N: 2, Cols: []*Vector{lazy, VectorOf(Dynamic, []Value{array, array})}}
	var batches []*Batch
	r := New(Options{}).run(context.Background())
	if _, err := e.expand(r, in, func(b *Batch, _ error) bool {
		batches = append(batches, b)
		return true
	}); err != nil || len(batches) != 3 {
		t.Fatalf("%d batches, %v", len(batches), err)
	}
	if filled != 0 {
		t.Error("filled though nobody looks at it")
	}
	some := batches[1].Take([]int{0, 1})
	for _, b := range []*Batch{batches[0], some, batches[2]} {
		if err := b.Fill(); err != nil {
			t.Fatal(err)
		}
	}
	if got := [3]int64{batches[0].Cols[0].At(0).N, some.Cols[0].At(1).N, batches[2].Cols[0].At(0).N}; got != [3]int64{1, 2, 2} || filled != 1 {
		t.Errorf("%v, filled %d times", got, filled)
	}
}
