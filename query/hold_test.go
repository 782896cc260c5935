package query

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
)

// holders are queries of which an operator holds more than the 1 MiB that it is given.
var holders = []struct{ operator, query string }{
	{"sort", "range x from 1 to 1000000 step 1 | sort by x"},
	{"sort", "range x from 1 to 1000000 step 1 | order by x"},
	{"sort", "range x from 1 to 2000 step 1 | extend s = strcat(x, strrep('y', 1000)) | sort by x"},
	{"sort", "range x from 1 to 2000 step 1 | sort by strcat(strrep('y', 1000), x)"},
	{"sort", "range x from 1 to 2000 step 1 | project s = tostring(parse_json(strcat('{\"b\":\"', strrep('y', 1000), '\",\"a\":\"', x, strrep('y', 1000), '\"}')).a) | sort by s"},
	{"top", "range x from 1 to 1000000 step 1 | top 100000000 by x"},
	{"top", "range x from 1 to 1000000 step 1 | top 20000 by x asc"},
	{"summarize", "range x from 1 to 1000000 step 1 | summarize count() by x"},
	{"summarize", "range x from 1 to 1000000 step 1 | summarize count() by x, y = x % 7"},
	{"summarize", "range x from 1 to 1000000 step 1 | summarize by tostring(x)"},
	{"summarize", "range x from 1 to 1000000 step 1 | summarize make_list(x)"},
	{"summarize", "range x from 1 to 2000 step 1 | summarize make_list(strcat(strrep('y', 1000), x)) by x % 3"},
	{"summarize", "range x from 1 to 1000000 step 1 | summarize make_set(x)"},
	{"summarize", "range x from 1 to 1000000 step 1 | summarize dcount(x)"},
	{"summarize", "range x from 1 to 1000000 step 1 | summarize count_distinct(strcat('z', x))"},
	{"summarize", "range x from 1 to 1000000 step 1 | summarize percentile(x, 50)"},
	{"summarize", "range x from 1 to 100000 step 1 | summarize make_bag(bag_pack(tostring(x), x))"},
	{"summarize", "range x from 1 to 2000 step 1 | summarize arg_max(x, s = strcat(x, strrep('y', 1000))) by x"},
	{"summarize", "range x from 1 to 2000 step 1 | summarize take_any(strcat(strrep('y', 1000), x)) by x"},
	{"summarize", "range x from 1 to 2000 step 1 | summarize max(strcat(strrep('y', 1000), x)) by x"},
	{"distinct", "range x from 1 to 1000000 step 1 | distinct x"},
	{"distinct", "range x from 1 to 1000000 step 1 | distinct *"},
	{"join", "print x = 1 | join kind=inner (range x from 1 to 1000000 step 1) on x"},
	{"join", "print x = 1 | join kind=leftsemi (range x from 1 to 1000000 step 1) on x"},
	{"join", "range x from 1 to 1000000 step 1 | join kind=rightanti (print x = 1) on x"},
	{"lookup", "print x = 1 | lookup (range x from 1 to 1000000 step 1) on x"},
	{"materialize", "materialize(range x from 1 to 1000000 step 1) | count"},
	{"serialize", "range x from 1 to 1000000 step 1 | serialize n = row_number()"},
	{"extend", "range x from 1 to 1000000 step 1 | serialize | extend n = prev(x)"},
	{"in", "print x = 1 | where x in ((range x from 1 to 1000000 step 1))"},
	{"mv-expand", "print a = range(1, 1000000, 1) | mv-expand a | count"},
	{"sort", "union (range x from 1 to 20000 step 1), (range x from 1 to 20000 step 1) | sort by x"},
	{"strcat", "range x from 1 to 1000 step 1 | extend s = strcat(x, strrep('y', 1000)) | where strcat(s, s, s, s, s, s, s, s, s, s, s, s, s, s, s, s, s, s, s, s) endswith 'z' | count"},
}

// TestBudget asks each with 1 MiB, and with more than it needs.
func TestBudget(t *testing.T) {
	for _, h := range holders {
		_, _, err := rowsOf(Options{Memory: 1 << 20}, h.query)
		var budget *BudgetError
		if !errors.As(err, &budget) {
			if e := (*Error)(nil); errors.As(err, &e) && strings.HasPrefix(e.Msg, h.operator+" needs more than the 1 MiB") { // while it was bound
				continue
			}
			t.Errorf("%s: %v, expected that it needs more than 1 MiB", h.query, err)
		} else if budget.Operator != h.operator {
			t.Errorf("%s: %v, expected it of %s", h.query, err, h.operator)
		}
	}
	for _, query := range []string{
		"range x from 1 to 1000000 step 1 | top 10 by x", "range x from 1 to 1000000 step 1 | top 1000 by x asc", "range x from 1 to 1000000 step 1 | summarize max(x), count() by x % 10",
		"range x from 1 to 1000000 step 1 | where x > 5 | extend y = x | count", "union (range x from 1 to 1000000 step 1), (range x from 1 to 1000000 step 1) | count",
		"range x from 1 to 1000000 step 1 | join kind=inner (range x from 1 to 10 step 1) on x | count", "range x from 1 to 100000 step 1 | mv-expand a = pack_array(x, x) | count",
		"range x from 1 to 500 step 1 | extend s = strcat(x, strrep('y', 1000)) | sort by x", "range x from 1 to 8000 step 1 | extend s = strrep('y', 1000) | sort by x | summarize take_any(s)",
		"range x from 1 to 3000 step 1 | project s = substring(strcat(x, strrep('y', 1000)), 0, 4) | summarize by s | count",
	} {
		if _, _, err := rowsOf(Options{Memory: 1 << 20}, query); err != nil {
			t.Errorf("%s: %v", query, err)
		}
	}
}

// A countdown is a context that is cancelled when it has been looked at so often.
type countdown struct {
	context.Context
	looks, end int
}

func (c *countdown) Err() error {
	if c.looks++; c.end >= 0 && c.looks > c.end {
		return context.Canceled
	}
	return nil
}

// TestStableSort holds the sort against the library's, also when it is cancelled somewhere.
func TestStableSort(t *testing.T) {
	w := &world{Rand: newRand(3)}
	compares := 0
	type row struct{ key, place int }
	compare := func(a, b row) int { compares++; return cmp.Compare(a.key, b.key) }
	for _, n := range []int{0, 1, 2, 100, 2047, 2048, 2049, 4096, 5000, 30000, 65536, 70001} {
		for _, keys := range []int{1, 2, 100, 1 << 30} {
			list := make([]row, n)
			for i := range list {
				list[i] = row{w.IntN(keys), i}
			}
			want, again := slices.Clone(list), slices.Clone(list)
			slices.SortStableFunc(want, compare)
			ctx := &countdown{Context: context.Background(), end: -1}
			compares = 0
			if err := StableSort(ctx, list, compare); err != nil || !slices.Equal(list, want) {
				t.Fatalf("%d rows of %d keys: %v, not in order", n, keys, err)
			}
			if most := 40_000; compares > most*(ctx.looks+1) {
				t.Errorf("%d rows of %d keys: %d compares, the context is looked at %d times", n, keys, compares, ctx.looks)
			}
			for end := range ctx.looks {
				if err := StableSort(&countdown{Context: ctx, end: end}, slices.Clone(again), compare); err != context.Canceled && end < ctx.looks {
					t.Fatalf("%d rows: cancelled after %d looks of %d: %v", n, end, ctx.looks, err)
				}
				if end > 40 {
					break
				}
			}
		}
	}
}

// TestCancelInside cancels queries in whatever an operator does between two batches: each
// look at the context may be the last.
func TestCancelInside(t *testing.T) {
	const rows = 20000
	source := fmt.Sprintf("range x from 1 to %d step 1", rows)
	for _, query := range []string{
		source + " | sort by x", source + " | top 5000 by x asc", source + " | summarize count() by x", source + " | distinct x", source + " | serialize n = row_number()",
		source + " | join kind=rightouter (" + source + ") on x", "print a = range(1, 20000, 1) | mv-expand a", "materialize(" + source + ")",
	} {
		l := New(Options{})
		results, err := l.Compile(context.Background(), query, nil)
		if err != nil {
			t.Fatal(err)
		}
		read := func(end int) (looks int, err error) {
			ctx := &countdown{Context: context.Background(), end: end}
			for _, e := range results[0].Batches(ctx) {
				if e != nil {
					err = e
				}
			}
			return ctx.looks, err
		}
		looks, err := read(-1)
		if err != nil || looks < rows/batchRows {
			t.Errorf("%s: %v, looks %d times at the context", query, err, looks)
		}
		if strings.HasPrefix(query, "materialize") {
			continue // is read once
		}
		for end := 0; end < looks; end += 1 + looks/25 {
			if _, err := read(end); err != context.Canceled {
				t.Errorf("%s: cancelled after %d looks of %d: %v", query, end, looks, err)
			}
		}
	}
}
