package query

import (
	"math"
	"testing"
)

func TestToString(t *testing.T) {
	for _, tt := range []struct {
		v    Value
		want string
	}{
		{BoolOf(true), "True"},
		{BoolOf(false), "False"},
		{IntOf(-5), "-5"},
		{LongOf(math.MaxInt64), "9223372036854775807"},
		{NullOf(Long), ""},
		{NullOf(Dynamic), ""},
		{RealOf(1), "1.0"},
		{RealOf(1500), "1500.0"},
		{RealOf(-2.5), "-2.5"},
		{RealOf(1e11), "100000000000.0"},
		{RealOf(math.Nextafter(0.3, 1)), "0.30000000000000004"},
		{RealOf(1.0 / 3), "0.3333333333333333"},
		{RealOf(math.Copysign(0, -1)), "-0.0"},
		{RealOf(math.Inf(1)), "inf"},
		{RealOf(math.Inf(-1)), "-inf"},
		{RealOf(math.NaN()), "NaN"},
		{RealOf(1e16), "1e16"},
		{RealOf(1.5e-7), "1.5e-7"},
		{StringOf("a\"b"), "a\"b"},
		{DynamicOf(`"a\"b\né"`), "a\"b\né"},
		{DynamicOf(`true`), "true"},
		{DynamicOf(`12345678901234567890`), "12345678901234567890"},
		{DynamicOf(`1.50`), "1.5"},
		{DynamicOf(`1e3`), "1000.0"},
		{DynamicOf(`0.12345678901234567890`), "0.12345678901234567890"},
		{DynamicOf(`{"a":[1,"x"]}`), `{"a":[1,"x"]}`},
		{DatetimeOf(637134336000000000, 0), "2020-01-01T00:00:00.0000000Z"},
		{TimespanOf(864_000_000_000), "1.00:00:00"},
		{GuidOf("01234567-89AB-cdef-0123-456789abcdef"), "01234567-89ab-cdef-0123-456789abcdef"},
	} {
		if got := toString(tt.v); got != tt.want {
			t.Errorf("toString(%+v) = %q, want %q", tt.v, got, tt.want)
		}
	}
}

func TestConvertString(t *testing.T) {
	for _, tt := range []struct {
		text       string
		i, l, r, b string // as toString has it, "" null
	}{
		{"5", "5", "5", "5.0", "True"},
		{" 45 ", "45", "45", "45.0", "True"},
		{"\t456\t", "456", "456", "456.0", "True"},
		{"+7", "7", "7", "7.0", "True"},
		{"007", "7", "7", "7.0", "True"},
		{"-0", "0", "0", "-0.0", "False"},
		{"0", "0", "0", "0.0", "False"},
		{"0x1F", "31", "31", "", "True"},
		{"0X1f", "31", "31", "", "True"},
		{"0xFFFFFFFFFFFFFFFF", "", "-1", "", "True"},
		{"-0x10", "", "", "", ""},
		{"0x", "", "", "", ""},
		{"5.7", "", "", "5.7", ""},
		{"1.0", "", "", "1.0", ""},
		{"1e3", "", "", "1000.0", ""},
		{"1.5E+3", "", "", "1500.0", ""},
		{".5", "", "", "0.5", ""},
		{"5.", "", "", "5.0", ""},
		{"+.5", "", "", "0.5", ""},
		{"1_000", "", "", "", ""},
		{"1,000", "", "", "", ""},
		{"0x1p3", "", "", "", ""},
		{"1f", "", "", "", ""},
		{"2147483648", "", "2147483648", "2147483648.0", "True"},
		{"-9223372036854775808", "", "-9223372036854775808", "-9.223372036854776e18", "True"},
		{"9223372036854775808", "", "", "9.223372036854776e18", ""},
		{"nan", "", "", "NaN", ""},
		{"  NaN  ", "", "", "NaN", ""},
		{"Inf", "", "", "inf", ""},
		{"-inf", "", "", "-inf", ""},
		{"+Infinity", "", "", "inf", ""},
		{"INF", "", "", "", ""},
		{"+-inf", "", "", "", ""},
		{"TRUE", "", "", "", "True"},
		{"tRuE", "", "", "", "True"},
		{"False", "", "", "", "False"},
		{" true", "", "", "", ""},
		{"yes", "", "", "", ""},
		{"", "", "", "", ""},
		{"  ", "", "", "", ""},
	} {
		for k, want := range map[Kind]string{Int: tt.i, Long: tt.l, Real: tt.r, Bool: tt.b} {
			if got := convert(StringOf(tt.text), k); toString(got) != want || got.Kind != k || got.Null != (want == "") {
				t.Errorf("convert(%q, %s) = %q, want %q", tt.text, k, toString(got), want)
			}
		}
	}
}

func TestConvert(t *testing.T) {
	for _, tt := range []struct {
		v    Value
		to   Kind
		want Value
	}{
		{RealOf(2.9), Int, IntOf(2)},
		{RealOf(-2.9), Long, LongOf(-2)},
		{RealOf(1e30), Int, IntOf(math.MaxInt32)},
		{RealOf(-1e19), Long, LongOf(math.MinInt64)},
		{RealOf(9223372036854775807), Long, LongOf(math.MaxInt64)},
		{RealOf(math.NaN()), Long, NullOf(Long)},
		{LongOf(2147483648), Int, IntOf(math.MinInt32)},
		{LongOf(-2147483649), Int, IntOf(math.MaxInt32)},
		{LongOf(7), Real, RealOf(7)},
		{IntOf(7), Long, LongOf(7)},
		{LongOf(-256), Bool, BoolOf(true)},
		{RealOf(0), Bool, BoolOf(false)},
		{BoolOf(true), Long, LongOf(1)},
		{BoolOf(true), Real, RealOf(1)},
		{TimespanOf(36_000_000_000), Int, IntOf(1640261632)},
		{TimespanOf(864_000_000_000), Real, RealOf(864_000_000_000)},
		{LongOf(864_000_000_000), Timespan, TimespanOf(864_000_000_000)},
		{DatetimeOf(637134336000000000, 0), Long, LongOf(637134336000000000)},
		{RealOf(1.5), Datetime, DatetimeOf(1, 0)},
		{LongOf(-1), Datetime, NullOf(Datetime)},
		{NullOf(Real), String, StringOf("")},
		{NullOf(Int), Real, NullOf(Real)},
		{DynamicOf("1.5"), Int, IntOf(1)},
		{DynamicOf(`"5"`), Real, RealOf(5)},
		{DynamicOf(`"1.5"`), Int, NullOf(Int)},
		{DynamicOf("true"), Int, IntOf(1)},
		{DynamicOf("true"), Bool, BoolOf(true)},
		{DynamicOf(`"true"`), Bool, BoolOf(true)},
		{DynamicOf(`"null"`), Bool, NullOf(Bool)},
		{DynamicOf(`"123"`), Bool, BoolOf(true)},
		{DynamicOf("9223372036854775807"), Int, IntOf(-1)},
		{DynamicOf("1.7976931348623157e308"), Long, LongOf(math.MaxInt64)},
		{DynamicOf("5e-324"), Int, IntOf(0)},
		{DynamicOf("[1,2]"), Long, NullOf(Long)},
		{DynamicOf(`{"a":1}`), Real, NullOf(Real)},
		{StringOf(`{"a": 1}`), Dynamic, DynamicOf(`{"a":1}`)},
		{StringOf("not JSON"), Dynamic, DynamicOf(`"not JSON"`)},
		{LongOf(5), Dynamic, DynamicOf("5")},
		{StringOf("2020-01-01"), Datetime, DatetimeOf(637134336000000000, 0)},
		{StringOf("2020-02-30"), Datetime, NullOf(Datetime)},
		{DynamicOf(`"2020-01-01"`), Datetime, DatetimeOf(637134336000000000, 0)},
		{StringOf("90s"), Timespan, TimespanOf(900_000_000)},
		{StringOf("1.5"), Timespan, NullOf(Timespan)},
		{StringOf("0123456789ab-cdef-0123-456789ABCDEF"), Guid, GuidOf("01234567-89ab-cdef-0123-456789abcdef")},
		{StringOf("0123456789abcdef0123456789abcdef and more"), Guid, GuidOf("01234567-89ab-cdef-0123-456789abcdef")},
		{StringOf("a string that is not a guid"), Guid, NullOf(Guid)},
		{StringOf("0123"), Guid, NullOf(Guid)},
		{GuidOf("01234567-89ab-cdef-0123-456789abcdef"), Long, NullOf(Long)},
	} {
		if got := convert(tt.v, tt.to); got != tt.want {
			t.Errorf("convert(%+v, %s) = %+v, want %+v", tt.v, tt.to, got, tt.want)
		}
	}
}
