package query

import (
	"math/big"
	"testing"
)

// TestDecimals has answers of Kusto, to the digits that it shows, and the ends of the range.
func TestDecimals(t *testing.T) {
	for _, c := range []struct{ expr, want string }{
		{`todecimal("3.14159265358979323846")`, "3.14159265358979323846"},
		{`todecimal("abc")`, "-"},
		{`todecimal("")`, "-"},
		{`todecimal(" 1e3 ")`, "1000"},
		{`todecimal("1_0")`, "-"},
		{`todecimal("--1")`, "-"},
		{`todecimal(".")`, "-"},
		{`todecimal("-0.0")`, "0"},
		{`todecimal("1.500")`, "1.5"},
		{`todecimal(0.1)`, "0.1"},
		{`todecimal(real(nan))`, "-"},
		{`todecimal(true)`, "1"},
		{`todecimal(dynamic(0.12345678901234567890))`, "0.1234567890123456789"},
		{`todecimal(dynamic({"a": 1}))`, "-"},
		{`todecimal(1) / todecimal(3)`, "0.3333333333333333333333333333333333"},
		{`todecimal(2) / 3`, "0.6666666666666666666666666666666667"},
		{`-todecimal(2) / 3`, "-0.6666666666666666666666666666666667"},
		{`todecimal(1) / 0`, "-"},
		{`todecimal(10) % todecimal(3)`, "1"},
		{`todecimal("-5.5") % 3`, "0.5"},
		{`decimal(0.1) + decimal(0.2) == decimal(0.3)`, "True"},
		{`decimal(0.1) + decimal(0.2) - decimal(0.3)`, "0"},
		{`2147483648 * todecimal(2)`, "4294967296"},
		{`decimal(1.5) > 1`, "True"},
		{`2 <= decimal(2.0)`, "True"},
		{`decimal(null) == decimal(1)`, "False"},
		{`toint(todecimal("9.99"))`, "9"},
		{`toint(todecimal("-9.99"))`, "-9"},
		{`tolong(todecimal("1e20"))`, "-"},
		{`todouble(todecimal("1.5"))`, "1.5"},
		{`tobool(todecimal("0.1"))`, "True"},
		{`tostring(todecimal("100"))`, "100"},
		{`gettype(todecimal("1.5") + toint(1))`, "decimal"},
		{`pack_array(decimal(1.50), 2)`, `["1.5",2]`},
		{`coalesce(decimal(null), decimal(7))`, "7"},
		{`todecimal("99999999999999999999999999999999999999")`, "99999999999999999999999999999999999999"},
		{`todecimal("99999999999999999999999999999999999999") + 1`, "-"},
		{`todecimal("1e-40")`, "0"},
		{`parse_version("0.0.0.5")`, "5"},
		{`parse_version("0.2")`, "20000000000000000"},
		{`parse_version("1.2.3.4")`, "1000000020000000300000004"},
		{`parse_version("1")`, "1000000000000000000000000"},
		{`parse_version("1.2.3.4.5")`, "-"},
		{`parse_version("1..2")`, "-"},
		{`parse_version("1.123456789")`, "-"},
		{`parse_version("1.2-rc1")`, "-"},
		{`todecimal("1e-38") / 3`, "0"},
	} {
		if got := joinResult(t, New(Options{}), "print r = "+c.expr); got != "r: "+c.want {
			t.Errorf("%s is %s, want %s", c.expr, got, c.want)
		}
	}
}

func TestDecimalColumns(t *testing.T) {
	const table = `datatable(k:long, v:decimal)[1, decimal(1.5), 1, decimal(2.5), 2, decimal(3.50), 2, decimal(null), 2, decimal(10)] | `
	for _, c := range []struct{ query, want string }{
		{table + `summarize s = sum(v), a = avg(v), x = max(v), n = min(v), l = make_list(v) by k`, `k s a x n l: 1,4,2,2.5,1.5,["1.5","2.5"] 2,13.5,6.75,10,3.5,["3.5","10"]`},
		{table + `summarize s = sum(v), a = avg(v) by v > 100 | where s < 0 | count`, "Count: 0"},
		{table + `where v == decimal(3.5) | project v`, "v: 3.5"},
		{table + `sort by v asc | project v`, "v: - 1.5 2.5 3.5 10"},
		{table + `where v in (decimal(1.50), decimal(10.0)) | project v`, "v: 1.5 10"},
		{`datatable(v:decimal)[] | summarize sum(v), avg(v)`, "sum_v avg_v: 0,-"},
		{`datatable(v:decimal)[decimal(1), decimal(1.0)] | distinct v`, "v: 1"},
		{`datatable(v:decimal)[] | getschema | project DataType, ColumnType`, "DataType ColumnType: System.Data.SqlTypes.SqlDecimal,decimal"},
		{`print a = pack_array(decimal(1.5), 2.25, "x") | mv-expand a to typeof(decimal)`, "a: 1.5 2.25 -"},
		{table + `where v in (10, 11) | project v`, "v: 10"},
		{`print s = "a=1.50" | parse s with "a=" d:decimal | project d`, "d: 1.5"},
	} {
		if got := joinResult(t, New(Options{}), c.query); got != c.want {
			t.Errorf("%s:\n%s, want\n%s", c.query, got, c.want)
		}
	}
}

// FuzzDecimals checks that what a decimal's text reads back as is that decimal, and that it
// adds as rationals do.
func FuzzDecimals(f *testing.F) {
	f.Add("0.1", "0.2")
	f.Add("-99999999999999999999.5", "1e-20")
	f.Add("007", "+0.50")
	f.Fuzz(func(t *testing.T, a, b string) {
		x, ok := parseDecimal(a)
		y, ok2 := parseDecimal(b)
		if !ok || !ok2 {
			return
		}
		if again, ok := parseDecimal(x.S); !ok || again != x {
			t.Fatalf("%q is %q, which reads back as %q, %v", a, x.S, again.S, ok)
		}
		p, _ := new(big.Rat).SetString(x.S)
		q, _ := new(big.Rat).SetString(y.S)
		if compare(x, y) != p.Cmp(q) {
			t.Fatalf("%s and %s compare as %d", x.S, y.S, compare(x, y))
		}
		exact := addDecimals(decimalOf(x), decimalOf(y))
		sum := exact.value()
		if len(exact.coef.String()) > decimalDigits { // may have been rounded
			return
		}
		if r, _ := new(big.Rat).SetString(sum.S); r.Cmp(p.Add(p, q)) != 0 {
			t.Fatalf("%s + %s is %s", x.S, y.S, sum.S)
		}
	})
}
