package query

import (
	"context"
	"errors"
	"math"
	"strings"
	"testing"
)

func TestMakeSeries(t *testing.T) {
	const rows = `datatable(t:long, v:long, g:string)[1, 10, "a", 2, 20, "b", 3, 30, "a", 6, 5, "b"] | `
	const days = `datatable(t:datetime, v:real)[datetime(2016-12-31T06:00), 50, datetime(2017-01-01), 4, datetime(2017-01-03), 4, datetime(2017-01-03T03:00), 6, datetime(2017-01-04T05:00), 5] | `
	for _, c := range []struct{ query, want string }{
		{rows + `make-series sum(v) on t from 1 to 5 step 1`, "sum_v t: [10,20,30,0],[1,2,3,4]"},
		{rows + `make-series s = sum(v) default=-1, count() on t from 0 to 8 step 2 by g`, "g s count_ t: a,[10,30,-1,-1],[1,1,0,0],[0,2,4,6] b,[-1,20,-1,5],[0,1,0,1],[0,2,4,6]"},
		// Of an average it is a real, of nothing given a 0; a null is one.
		{rows + `make-series avg(v), x = max(v) default=long(null), y = min(v) default=real(null) on t from 1 to 3 step 1 by g`,
			"g avg_v x y t: a,[10.0,0.0],[10,null],[10,null],[1,2] b,[0.0,20.0],[null,20],[null,20],[1,2]"},
		{rows + `make-series avg(v) default=real(nan) on t from 3 to 5 step 1`, `avg_v t: [30.0,"NaN"],[3,4]`},
		{rows + `make-series r = 1.0 * sum(v) / count() default=7 on t from 3 to 5 step 1`, `r t: [30.0,7.0],[3,4]`},
		// A row with nothing but nulls is a row.
		{`datatable(t:long, v:long)[1, long(null)] | make-series sum(v) default=5, max(v) default=5 on t from 1 to 3 step 1`, "sum_v max_v t: [0,5],[null,5],[1,2]"},
		// Without bounds bins are those of bin, and each series has its own.
		{rows + `make-series count() on t step 2 by g`, "g count_ t: a,[1,1],[0,2] b,[1,0,1],[2,4,6]"},
		{rows + `make-series count() on t from -3 step 4 by g`, "g count_ t: a,[0,2],[-3,1] b,[0,1,1],[-3,1,5]"},
		{rows + `make-series count() on t to 6 step 3`, "count_ t: [2,1],[0,3]"},
		{rows + `extend t = -t | make-series count() on t step 4`, "count_ t: [1,3],[-8,-4]"},
		// Rows outside the bounds do not count, nor do those that are nowhere.
		{rows + `make-series count() on t from 2 to 3 step 1 by g`, "g count_ t: b,[1],[2]"},
		{rows + `make-series count() on t from 20 to 22 step 1`, "count_ t: "},
		{`datatable(t:long, v:long)[long(null), 1, 1, 2] | make-series sum(v) on t from 1 to 3 step 1`, "sum_v t: [2,0],[1,2]"},
		{`datatable(t:real)[real(nan), 1.5, real(+inf), real(-inf)] | make-series count() on t from 1 to 3 step 1`, "count_ t: [1,0],[1.0,2.0]"},
		{days + `make-series avg(v) on t from datetime(2017-01-01) to datetime(2017-01-04) step 1d`,
			`avg_v t: [4.0,0.0,5.0],["2017-01-01T00:00:00.0000000Z","2017-01-02T00:00:00.0000000Z","2017-01-03T00:00:00.0000000Z"]`},
		// in range(...) ends with the step that the end is in.
		{days + `make-series avg(v) on t in range(datetime(2017-01-02), datetime(2017-01-03), 1d)`,
			`avg_v t: [0.0,5.0],["2017-01-02T00:00:00.0000000Z","2017-01-03T00:00:00.0000000Z"]`},
		{rows + `make-series count() on t in range(2, 5, 2)`, "count_ t: [2,0],[2,4]"},
		{rows + `make-series count() on t in range(-2, 1, 2)`, "count_ t: [0,1],[-2,0]"},
		{`datatable(t:timespan)[1h, 90m, -30m] | make-series count() on t step 1h`, `count_ t: [1,0,2],["-01:00:00","00:00:00","01:00:00"]`},
		{`range t from 0 to 9 step 1 | make-series count() on x = t / 10.0 from 0 to 1 step 0.25`, "count_ x: [3,2,3,2],[0.0,0.25,0.5,0.75]"},
		{`range t from 1 to 3 step 1 | make-series count() on t + 1 step 1`, "count_ Column1: [1,1,1],[2,3,4]"},
		{`print t = 1, g = 2 | make-series count() on t step 1 by g % 2, h = g, t`, "Column1 h t count_ t1: 0,2,1,[1],[1]"},
		{`range t from 1 to 3 step 1 | take 0 | make-series count() default=7 on t from 1 to 3 step 1`, "count_ t: "},
		{`range t from 1 to 3 step 1 | take 0 | make-series kind=nonempty count(), a = avg(t) default=7 on t from 1 to 3 step 1`, "count_ a t: [0,0],[7.0,7.0],[1,2]"},
		{`range t from 1 to 2 step 1 | make-series kind=nonempty hint.shufflekey=t kind = count() on t from 1 to 3 step 1`, "kind t: [1,1],[1,2]"},
		{`range t from 1 to 2 step 1 | make-series kind = count() on t step 1`, "kind t: [1,1],[1,2]"},
		{`let a = toscalar(print 1); range t from 1 to 2 step 1 | make-series count() on t from a to a + 2 step a`, "count_ t: [1,1],[1,2]"},
		// The ends of long.
		{`datatable(t:long)[-9223372036854775807, 9223372036854775807] | make-series count() on t from -9223372036854775807 step 6148914691236517205`,
			"count_ t: [1,0,1],[-9223372036854775807,-3074457345618258602,3074457345618258603]"},
	} {
		if got := joinResult(t, New(Options{}), c.query); got != c.want {
			t.Errorf("%s:\n%s, want\n%s", c.query, got, c.want)
		}
	}
}

func TestMakeSeriesRefused(t *testing.T) {
	const rows = `datatable(t:long, v:long, s:string, d:datetime)[1, 10, "a", datetime(2026-01-02)] | make-series `
	for text, want := range map[string]string{
		`sum(v)`:                                            "expected 'on' and the axis",
		`sum(v) default 0 on t step 1`:                      "expected '=' and a value",
		`sum(v) on t`:                                       "expected 'step'",
		`sum(v) on t in range(1, 2)`:                        "expected a start, an end and a step",
		`sum(v) on t in (1, 2)`:                             "expected 'range'",
		`kind=empty sum(v) on t step 1`:                     "expected kind=nonempty",
		`kind=nonempty sum(v) on t step 1`:                  "with from and to",
		`kind=nonempty sum(v) on t from 1 to 2 step 1 by s`: "without by",
		`sum(w) on t step 1`:                                "unknown column 'w'",
		`sum(v) on u step 1`:                                "unknown column 'u'",
		`sum(v) on t step 1 by u`:                           "unknown column 'u'",
		`sum(v) on s step 1`:                                "found s of type string",
		`v on t step 1`:                                     "expected an aggregation",
		`make_list(v) on t step 1`:                          "aggregations that give numbers, found make_list(v) of type dynamic",
		`max(s) on t step 1`:                                "aggregations that give numbers",
		`percentiles(v, 5, 50) on t step 1`:                 "one result",
		`arg_max(v, *) on t step 1`:                         "one result",
		`sum(v) default=1.5 on t step 1`:                    "default 1.5 is no value of type long, which sum(v) gives",
		`sum(v) default="x" on t step 1`:                    `default "x" is no value of type long`,
		`sum(v) default=v on t step 1`:                      "unknown column 'v'",
		`sum(v) on t step 0`:                                "expected a step above 0, found 0",
		`sum(v) on t step -1`:                               "expected a step above 0",
		`sum(v) on t step 1h`:                               "expected a value of type long for an axis of type long, found 1h of type timespan",
		`sum(v) on d step 1`:                                "expected a value of type timespan for an axis of type datetime, found 1 of type long",
		`sum(v) on d from 1 step 1h`:                        "expected a value of type datetime",
		`sum(v) on t from long(null) step 1`:                "which is none",
		`sum(v) on t from 5 to 5 step 1`:                    "expected an end behind the start, found 5",
		`sum(v) on t from 0 to 1048577 step 1`:              "arrays of up to 1048576 elements; a step of 1 makes 1048577",
		`sum(v) on t in range(1, 9, 2)`:                     "a start that is no multiple of the step",
	} {
		_, err := New(Options{}).Compile(context.Background(), rows+text, nil)
		var faults Faults
		if !errors.As(err, &faults) || !strings.Contains(err.Error(), want) || faults[0].Offset < len(rows) && want != "expected 'on' and the axis" {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
}

// What only the rows can tell ends the query.
func TestMakeSeriesFails(t *testing.T) {
	for text, want := range map[string]string{
		`datatable(t:long)[1, 2000000] | make-series count() on t step 1`:                         "steps of 1 make 2000000",
		`datatable(t:long)[5] | make-series count() on t from 0 to 5 step 2`:                      "rows behind the end in the last step",
		`datatable(t:real)[1e300] | make-series count() on t step 1`:                              "too far from the start",
		`print t = -9223372036854775807 - 1 | make-series count() on t step 7`:                    "too far from the start",
		`range x from 1 to 60000 step 1 | make-series count() on x from 0 to 1000000 step 1 by x`: "make-series needs more than the 8 MiB",
	} {
		_, _, err := rowsOf(Options{Memory: 8 << 20}, text)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
}

// The index of a bin is that of bin_at, where that has one.
func TestAxisBins(t *testing.T) {
	numbers := []int64{math.MinInt64, math.MinInt64 + 1, -1 << 40, -8, -7, -1, 0, 1, 6, 7, 8, 1 << 40, math.MaxInt64 - 1, math.MaxInt64}
	tried := 0
	for _, start := range numbers {
		for _, step := range []int64{1, 2, 7, 1 << 62, math.MaxInt64} {
			for _, n := range numbers {
				x := &axisBins{kind: Long, start: LongOf(start), step: LongOf(step)}
				i, ok := x.bin(LongOf(n))
				want := binEval([]Value{LongOf(n), LongOf(step), LongOf(start)})
				if want.Null || !ok && step <= 2 { // its index may be too great
					continue
				}
				if tried++; !ok || x.at(i) != want {
					t.Errorf("%d is in bin %d, %v of %d step %d: it begins at %d, want %d", n, i, ok, start, step, x.at(i).N, want.N)
				}
			}
		}
	}
	if tried < 500 {
		t.Errorf("%d bins", tried)
	}
}
