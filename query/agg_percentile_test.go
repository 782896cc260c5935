package query

import (
	"context"
	"fmt"
	"strings"
	"testing"
)

func TestPercentile(t *testing.T) {
	for _, tt := range []struct {
		n       int
		percent string
		want    int64
	}{
		{2, "50", 1}, {3, "50", 2}, {5, "50", 3}, {10, "0", 1}, {10, "100", 10}, {20, "55", 11}, {1000, "99.9", 999}, {1000, "99.91", 1000}, {1, "1", 1},
	} {
		for _, call := range []string{"percentile(x, %s)", "percentilew(x, 3, %s)", "percentiles_array(x, %s)[0]"} {
			text := fmt.Sprintf("range x from 1 to %d step 1 | summarize r = "+call, tt.n, tt.percent)
			if got, want := joinResult(t, New(Options{}), text), fmt.Sprintf("r: %d", tt.want); got != want {
				t.Errorf("%s = %s, want %s", text, got, want)
			}
		}
	}
	small := "range x from 1 to 3 step 1 | extend y = -1e-320 | summarize r = percentile(y, 50) | project same = r == -1e-320"
	if got := joinResult(t, New(Options{}), small); got != "same: True" {
		t.Errorf("the percentile of the smallest reals is not one of them: %s", got)
	}
	rows := [][]Value{{IntOf(0), RealOf(50)}, {IntOf(9), RealOf(50)}, {IntOf(-3), RealOf(50)}, {NullOf(Int), RealOf(50)}}
	if got, err := aggregate("percentile", rows...); err != nil || got != LongOf(-3) {
		t.Errorf("percentile = %+v, %v", got, err)
	}
}

func TestPercentiles(t *testing.T) {
	const table = `let T = datatable(n:long, v:long)[8, 10, 6, 20, 3, 30, 1, 40]; T | summarize `
	for _, c := range []struct{ query, want string }{
		{table + `percentilesw(v, n, 50, 75, 99.9)`, "percentile_v_50 percentile_v_75 percentile_v_99_9: 20,20,40"},
		{table + `percentilew(v, n, 50)`, "percentile_v_50: 20"},
		{table + `percentilesw_array(v, n, 50, 75, 99.9)`, "percentiles_v: [20,20,40]"},
		{table + `percentilesw_array(v, n, dynamic([50, 75, 99.9]))`, "percentiles_v: [20,20,40]"},
		{table + `a = percentiles_array(v, 0, 50, 100), (p, q) = percentilesw(v, n, 1, 100)`, "a p q: [10,20,40],10,40"},
		// Nulls, and weights that are not above 0, do not count.
		{`datatable(n:long, v:long)[0, 1, -1, 2, long(null), 3, 1, long(null), 1, 7] | summarize percentilew(v, n, 50), percentiles_array(v, 50)`, "percentile_v_50 percentiles_v: 7,[2]"},
		{`datatable(v:datetime)[] | summarize percentiles_array(v, 50), percentile(v, 50)`, "percentiles_v percentile_v_50: -,-"},
	} {
		if got := joinResult(t, New(Options{}), c.query); got != c.want {
			t.Errorf("%s:\n%s, want\n%s", c.query, got, c.want)
		}
	}
	for text, want := range map[string]string{
		`range x from 1 to 2 step 1 | summarize percentile(x, 101)`:                   "101 is not between 0 and 100",
		`range x from 1 to 2 step 1 | summarize percentile(x, x)`:                     "expected a constant percentage",
		`range x from 1 to 2 step 1 | summarize percentiles_array(x, dynamic(["a"]))`: "expected a constant percentage",
		`range x from 1 to 2 step 1 | summarize percentilesw(x, 1)`:                   "expected an expression, weights and percentages",
		`range x from 1 to 2 step 1 | summarize percentilew(x, 1.5, 50)`:              "argument 2 is of type real",
	} {
		_, err := New(Options{}).Compile(context.Background(), text, nil)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
}

func TestCovariance(t *testing.T) {
	for _, c := range []struct{ query, want string }{
		{`datatable(x:real, y:real)[1.0, 14.0, 2.0, 10.0, 3.0, 17.0, 4.0, 20.0, 5.0, 50.0] | summarize covariance(x, y), covariancep(x, y)`, "covariance_x_y covariancep_x_y: 20.5,16.4"},
		{`range x from 1 to 100 step 1 | extend y = iff(x % 2 == 0, x * 2, x * 3) | summarize covarianceif(x, y, x % 3 == 0), covariancepif(x, y, x % 3 == 0)`, "covarianceif_x_y covariancepif_x_y: 2142.0,2077.0909090909"},
		{`datatable(x:long, y:long)[1, 1, 2, long(null), long(null), 3] | summarize covariance(x, y), covariancep(x, y)`, "covariance_x_y covariancep_x_y: 0.0,0.0"},
		{`range x from 1 to 6 step 1 | summarize stdevpif(x, x < 6)`, "stdevpif_x: 1.4142135623730951"},
	} {
		if got := joinResult(t, New(Options{}), c.query); got != c.want {
			t.Errorf("%s:\n%s, want\n%s", c.query, got, c.want)
		}
	}
}
