package query

import (
	"fmt"
	"iter"
	"math"
	"testing"
)

// A vectorTable has one column, x.
type vectorTable struct{ v *Vector }

func (t vectorTable) parts(*run, []filter) iter.Seq[part] {
	return func(yield func(part) bool) {
		n := max(len(t.v.ints), len(t.v.values))
		yield(func() (*Batch, error) { return &Batch{N: n, Cols: []*Vector{t.v}}, nil })
	}
}

func tableOf(v *Vector) []Table {
	fields := []Field{{"x", v.Kind}}
	return []Table{{Name: "T", Fields: fields, scan: func() *scan { return &scan{name: "T", fields: fields, source: vectorTable{v}} }}}
}

// TestInts requires of vectors of integers what those of values give.
func TestInts(t *testing.T) {
	numbers := []int64{math.MinInt64, math.MinInt64 + 1, -3, 0, 0, 1, 2, 2, 20, 1 << 53, 1<<53 + 1, math.MaxInt64}
	times := []int64{0, 1, 638000000000000000, 638000000000000001, 638000000000000001, maxTicks}
	tests := []struct {
		v         *Vector
		constants []string
	}{
		{intsOf(Long, numbers), []string{"-9223372036854775808", "-3", "0", "2", "20", "9223372036854775807", "2.5", "-0.0", "9007199254740993", "1e30", "real(nan)", "long(null)", "int(2)", "decimal(2.5)", "decimal(20)"}},
		{intsOf(Datetime, times), []string{"datetime(2022-09-28 23:06:40)", "datetime(2022-09-28 23:06:40.0000001)", "datetime(2022-09-28 23:06:40.000000150)", "datetime(9999-12-31)", "datetime(null)"}},
		{intsOf(Timespan, numbers), []string{"0s", "1tick", "-1tick", "timespan(null)"}},
	}
	for _, test := range tests {
		var queries []string
		for _, c := range test.constants {
			for _, op := range []string{"==", "!=", "<", "<=", ">", ">="} {
				queries = append(queries, fmt.Sprintf("T | where x %s %s", op, c), fmt.Sprintf("T | where not(x %s %s)", op, c),
					fmt.Sprintf("T | where x > %s and x != %[1]s and isnotnull(x)", c), fmt.Sprintf("T | extend y = x %s %s | summarize count() by y", op, c))
			}
			queries = append(queries, fmt.Sprintf("T | where x between (%s .. %[1]s)", c), fmt.Sprintf("T | where x in (%s)", c))
		}
		queries = append(queries, "T | summarize count() by x", "T | summarize min(x), max(x), dcount(x), percentile(x, 30), percentile(x, 100)", "T | distinct x", "T | sort by x asc",
			"T | summarize sum(x) by y = x == x", "T | summarize avg(x)", "T | summarize countif(x == x), make_list(x)", "T | top 3 by x | project z = tostring(x)")
		for _, q := range queries {
			got, want := outcome(tableOf(test.v), q), outcome(tableOf(test.v.boxed()), q)
			if got != want {
				t.Errorf("%s of %s gives\n%s\nof values\n%s", q, test.v.Kind, got, want)
			}
		}
	}
}

// outcome is the result of a query, or its error.
func outcome(tables []Table, query string) string {
	_, rows, err := rowsOf(Options{Tables: tables}, query)
	return fmt.Sprint(rows, err)
}

// TestPercentileNumbers requires of numbers that are not sorted what sorting gives.
func TestPercentileNumbers(t *testing.T) {
	for n := 1; n < 400; n += 7 {
		var values []Value
		for i := range n {
			f := float64(i*7919%n) / 3
			switch i % 11 {
			case 3:
				f = -f
			case 5:
				f = math.Inf(1 - i%2*2)
			case 7:
				f = math.NaN()
			}
			values = append(values, RealOf(f))
		}
		for _, p := range []float64{0, 1, 33.3, 50, 99, 100} {
			q := fmt.Sprintf("T | summarize percentile(x, %g)", p)
			weighted := fmt.Sprintf("T | summarize percentilew(x, 1, %g)", p)
			tables := tableOf(VectorOf(Real, values))
			if got, want := outcome(tables, q), outcome(tables, weighted); got != want {
				t.Errorf("%s of %d values is %s, want %s", q, n, got, want)
			}
		}
	}
}
