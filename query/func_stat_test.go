package query

import "testing"

// TestStatFuncs has the answers of the documentation, to twelve digits.
func TestStatFuncs(t *testing.T) {
	for _, c := range []struct{ expr, want string }{
		{`round(beta_cdf(0.9, 10.0, 20.0), 12)`, "1.0"},
		{`round(1 - beta_cdf(0.9, 10.0, 20.0), 15)`, "4.1e-14"},
		{`beta_cdf(0.5, 1, 1)`, "0.5"},
		{`beta_cdf(0.0007752600087380581, 0.24326854047024074, 1601.4361763647187) between (0.8 .. 1.0)`, "True"}, // is beyond the mean from both sides
		{`beta_cdf(1e-300, 2.0, 3.0)`, "0.0"},
		{`beta_cdf(1.5, 10.0, 20.0)`, "NaN"},
		{`beta_cdf(0.1, -1.0, 20.0)`, "NaN"},
		{`round(beta_inv(0.1, 10.0, 20.0), 12)`, "0.226415022389"},
		{`beta_inv(1.5, 10.0, 20.0)`, "-"},
		{`beta_inv(0.1, -1.0, 20.0)`, "NaN"},
		{`round(beta_pdf(0.5, 10.0, 20.0), 12)`, "0.746176019311"},
		{`beta_pdf(0, 1, 1)`, "1.0"},
		{`beta_pdf(-10, 10.0, 20.0)`, "NaN"},
		{`round(erfc(-3), 12)`, "1.999977909503"},
		{`erf(0)`, "0.0"},
		{`round(welch_test(20.819999999999997, 7.8674285714, 15, 22.986666666666668, 3.8126666667, 15), 8)`, "0.021378"},
		{`welch_test(1, 1, 1, 2, 1, 5)`, "NaN"},
		{`format_bytes(564)`, "564 Bytes"},
		{`format_bytes(10332, 1)`, "10.1 KB"},
		{`format_bytes(20010332)`, "19 MB"},
		{`format_bytes(20010332, 2)`, "19.08 MB"},
		{`format_bytes(20010332, 0, "KB")`, "19541 KB"},
		{`format_bytes(long(9223372036854775807))`, "8 EB"},
		{`around(5, 3, 2)`, "True"},
		{`around(5, 3, 1.5)`, "False"},
		{`around(datetime(2021-01-01 01:28), datetime(2021-01-01 01:30), 1min)`, "False"},
		{`around(1d, 2d, 1d)`, "True"},
		{`around(long(null), 2, 1)`, "-"},
		{`indexof_regex("abcabc", @"a.c")`, "0"},
		{`indexof_regex("abcabcdefg", @"a.c", 0, 9, 2)`, "3"},
		{`indexof_regex("abcabc", @"a.c", 1, -1, 2)`, "-1"},
		{`indexof_regex("ababaa", @"a.a", 0, -1, 2)`, "-1"},
		{`indexof_regex("abcabc", @"a|ab", -1)`, "-"},
		{`indexof_regex("äöü", "ü", 1)`, "2"},
		{`indexof_regex("abc", "", 3)`, "3"},
		{`indexof_regex("abc", "", 4)`, "-1"},
		{`format_bytes(real(+inf))`, ""},
		{`regex_quote("(so$me.Te^xt)")`, `\(so\$me\.Te\^xt\)`},
	} {
		if got := joinResult(t, New(Options{}), "print r = "+c.expr); got != "r: "+c.want {
			t.Errorf("%s is %s, want %s", c.expr, got, c.want)
		}
	}
}
