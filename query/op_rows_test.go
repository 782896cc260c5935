package query

import "testing"

func TestRows(t *testing.T) {
	for _, c := range []struct{ query, want string }{
		{`range x from 1 to 3 step 1 | count`, "Count: 3"},
		{`range x from 1 to 3 step 1 | count as rows | extend more = rows + 1`, "rows more: 3,4"},
		// Rows of range are in an order, those of a datatable are not.
		{`range x from 1 to 3 step 1 | extend before = prev(x), sum = row_cumsum(x)`, "x before sum: 1,-,1 2,1,3 3,2,6"},
	} {
		if got := joinResult(t, New(Options{}), c.query); got != c.want {
			t.Errorf("%s:\n%s, want\n%s", c.query, got, c.want)
		}
	}
}
