package query

import (
	"context"
	"strings"
	"testing"
)

func TestWindows(t *testing.T) {
	const groups = `datatable(g:string, v:long)["a", 5, "a", 5, "a", 8, "b", 3, "b", 3] | sort by g asc, v asc | project g, `
	for _, c := range []struct{ query, want string }{
		{groups + `d = row_rank_dense(v), m = row_rank_min(v)`, "g d m: a,1,1 a,1,1 a,2,3 b,3,4 b,3,4"},
		{groups + `d = row_rank_dense(v, g != prev(g)), m = row_rank_min(v, g != prev(g)), n = row_number(1, g != prev(g))`, "g d m n: a,1,1,1 a,1,1,2 a,2,3,3 b,1,1,1 b,1,1,2"},
		{`datatable(v:long)[long(null), 1, long(null)] | sort by v | project r = row_rank_min(v)`, "r: 1 2 2"},
		{`datatable(v:long)[] | serialize r = row_rank_dense(v), n = row_number()`, "v r n: "},
		// A session ends an hour after its first row, or five minutes after its last.
		{`datatable(id:string, t:datetime)["1", datetime(2024-04-11 10:00), "2", datetime(2024-04-11 10:18), "1", datetime(2024-04-11 11:00), "2", datetime(2024-04-11 10:16)]
			| sort by id asc, t asc | project s = format_datetime(row_window_session(t, 1h, 5m, id != prev(id)), "HH:mm")`, "s: 10:00 11:00 10:16 10:16"},
		{`range t from datetime(2024-01-01 00:00) to datetime(2024-01-01 00:08) step 2m | project s = format_datetime(row_window_session(t, 6m, 5m), "mm")`, "s: 00 00 00 06 06"},
		{`datatable(t:datetime)[datetime(2024-01-01 01:01), datetime(null), datetime(2024-01-01 01:02)] | serialize s = row_window_session(t, 1h, 1h) | project format_datetime(s, "mm")`, "s: 01  02"},
	} {
		if got := joinResult(t, New(Options{}), c.query); got != c.want {
			t.Errorf("%s:\n%s, want\n%s", c.query, got, c.want)
		}
	}
}

func TestWindowsRefused(t *testing.T) {
	for text, want := range map[string]string{
		`datatable(v:long)[1] | extend r = row_rank_dense(v)`:                                                             "row_rank_dense needs rows in an order",
		`range v from 1 to 2 step 1 | extend r = row_rank_min()`:                                                          "expected 1 to 2 arguments, found 0",
		`range v from 1 to 2 step 1 | extend r = row_window_session(v, 1h, 1h)`:                                           "expected a datetime first",
		`range t from datetime(2024-01-01) to datetime(2024-01-02) step 1d | extend r = row_window_session(t, 1h, t - t)`: "expected two timespans",
		`range v from 1 to 2 step 1 | extend r = row_cumsum("x")`:                                                         "expected a number",
		`range v from 1 to 2 step 1 | extend r = prev(v, 0)`:                                                              "a number from 1 on",
	} {
		_, err := New(Options{}).Compile(context.Background(), text, nil)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
}
