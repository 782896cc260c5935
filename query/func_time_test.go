package query

import (
	"math"
	"strconv"
	"strings"
	"testing"
)

// timeArg makes a value: of texts, one that begins with @ is a datetime, with ~ a timespan.
func timeArg(a any) Value {
	switch a := a.(type) {
	case int:
		return LongOf(int64(a))
	case float64:
		return RealOf(a)
	case Kind:
		return NullOf(a)
	case string:
		if text, ok := strings.CutPrefix(a, "@"); ok {
			v, _ := parseDatetime(text)
			return v
		}
		if text, ok := strings.CutPrefix(a, "~"); ok {
			ticks, _ := parseTimespan(text)
			return TimespanOf(ticks)
		}
		return StringOf(a)
	}
	panic("no such argument")
}

// callTime calls a function as a query does and returns the value as text, or "refused".
func callTime(name string, list []any) string {
	var f Func
	for _, f = range timeFuncs {
		if f.Name == name {
			break
		}
	}
	values, args := make([]Value, len(list)), make([]Arg, len(list))
	null := false
	for i, a := range list {
		values[i] = timeArg(a)
		args[i] = Arg{values[i].Kind, &values[i]}
		null = null || values[i].Null
	}
	if checkArgs(f.Name, f.Usage, f.Params, f.Min, f.Variadic, args) != nil {
		return "refused"
	}
	kind, err := f.Result(args)
	if err != nil {
		return "refused"
	}
	eval := f.Eval
	if f.Bind != nil {
		if eval, err = f.Bind(args); err != nil {
			return "refused by Bind"
		}
	}
	v := NullOf(kind)
	if !null {
		v = eval(values)
	}
	switch {
	case v.Kind != kind:
		return "of kind " + v.Kind.String() + ", not " + kind.String()
	case v.Null:
		return "null"
	case kind == Datetime:
		return formatDatetime(v)
	case kind == Timespan:
		return formatTimespan(v.N)
	case kind == String:
		return v.S
	case kind == Real:
		return strconv.FormatFloat(v.Real(), 'g', -1, 64)
	}
	return strconv.FormatInt(v.N, 10)
}

type timeCase struct {
	name string
	args []any
	want string
}

func given(args ...any) []any { return args }

func testTime(t *testing.T, cases []timeCase) {
	t.Helper()
	for _, c := range cases {
		if got := callTime(c.name, c.args); got != c.want {
			t.Errorf("%s%v: got %s, want %s", c.name, c.args, got, c.want)
		}
	}
}

func TestTimeFuncsTable(t *testing.T) {
	seen := map[string]bool{}
	for _, f := range timeFuncs {
		if seen[f.Name] || f.Doc == "" || !strings.HasPrefix(f.Usage, f.Name+"(") || !strings.Contains(f.Example, f.Name+"(") {
			t.Errorf("row of %s", f.Name)
		}
		seen[f.Name] = true
		if f.Result == nil || (f.Eval == nil) == (f.Bind == nil) {
			t.Errorf("%s cannot be called", f.Name)
		}
	}
}

func TestBin(t *testing.T) {
	testTime(t, []timeCase{
		{"bin", given(-7, 4), "-8"},
		{"bin", given(5, 2), "4"},
		{"bin", given(-5, 2), "-6"},
		{"bin", given(0, 3), "0"},
		{"bin", given(5.5, 2), "4"},
		{"bin", given(-5.5, 2.0), "-6"},
		{"bin", given(5, 2.5), "5"},
		{"bin", given(-0.1, 0.5), "-0.5"},
		{"floor", given(1.5, 0.5), "1.5"},
		{"bin", given(Real, 1.0), "null"},
		{"bin", given(5, Long), "null"},
		{"bin", given(5, 0), "null"},
		{"bin", given(5, -2), "null"},
		{"bin", given(5.0, -2.0), "null"},
		{"bin", given(math.NaN(), 1), "NaN"},
		{"bin", given(math.MinInt64, 7), "null"},
		{"bin", given(math.MaxInt64, 1), "9223372036854775807"},
		{"bin", given("@1955-11-05 06:15:00.5", "~7d"), "1955-10-31T00:00:00.0000000Z"},
		{"bin", given("@1969-12-31 23:30:00", "~1h"), "1969-12-31T23:00:00.0000000Z"},
		{"bin", given("@2020-06-15 13:45:30.765432199", "~1tick"), "2020-06-15T13:45:30.7654321Z"},
		{"bin", given("@2007-03-09", "~30d"), "2007-02-14T00:00:00.0000000Z"},
		{"bin", given("@2020-10-25 02:30:00", "~-1h"), "null"},
		{"bin", given("~16d", "~7d"), "14.00:00:00"},
		{"bin", given("~-1h", "~1d"), "-1.00:00:00"},
		{"bin", given("@2020-10-25", 5), "refused"},
		{"bin", given(5, "~1d"), "refused"},
		{"bin", given("~1d", 5), "refused"},
		{"bin", given("a", 5), "refused"},
		{"bin_at", given(6.5, 2.5, 7), "4.5"},
		{"bin_at", given("~1h", "~1d", "~12h"), "-12:00:00"},
		{"bin_at", given(5, 2, 1), "5"},
		{"bin_at", given("@2017-05-17 10:20:00.0", "~7d", "@2017-06-04"), "2017-05-14T00:00:00.0000000Z"},
		{"bin_at", given("@2023-03-12 07:30:00", "~90m", "@2023-03-12 00:07:00"), "2023-03-12T06:07:00.0000000Z"},
		{"bin_at", given("@0001-01-01", "~1d", "@2023-03-12 00:07:00"), "null"},
		{"bin_at", given("~1h", "~1d", "@2020-01-01"), "refused"},
		{"bin_at", given(math.MaxInt64, 2, -1), "null"},
		{"bin_at", given(0, 2, math.MinInt64), "null"},
	})
}

func TestCalendar(t *testing.T) {
	testTime(t, []timeCase{
		{"startofweek", given("@2020-06-15 13:45:00", -2), "2020-05-31T00:00:00.0000000Z"},
		{"startofweek", given("@2020-06-15 13:45:00", 3), "2020-07-05T00:00:00.0000000Z"},
		{"startofmonth", given("@2020-06-15", -13), "2019-05-01T00:00:00.0000000Z"},
		{"startofyear", given("@2020-06-15", -5), "2015-01-01T00:00:00.0000000Z"},
		{"startofday", given("@1950-06-15 13:45:00.000000001"), "1950-06-15T00:00:00.0000000Z"},
		{"endofweek", given("@2017-01-01 10:10:17", -1), "2016-12-31T23:59:59.9999999Z"},
		{"endofday", given("@2017-01-01 10:10:17", -1), "2016-12-31T23:59:59.9999999Z"},
		{"endofmonth", given("@0100-02-28"), "0100-02-28T23:59:59.9999999Z"},
		{"endofyear", given("@9999-12-31"), "9999-12-31T23:59:59.9999999Z"},
		{"endofweek", given("@9999-12-31"), "null"},
		{"startofweek", given("@0001-01-01"), "null"},
		{"startofweek", given("@0001-01-07"), "0001-01-07T00:00:00.0000000Z"},
		{"startofyear", given("@2020-01-01", math.MaxInt64), "null"},
		{"startofyear", given("@2020-01-01", farOffset), "null"},
		{"startofweek", given("@2020-01-01", -farOffset), "null"},
		{"startofmonth", given("@2020-01-01", math.MinInt64), "null"},
		{"startofday", given(Datetime), "null"},
		{"startofday", given("@2020-01-01", Long), "null"},
		{"startofday", given("2020-01-01"), "refused"},
		{"startofday", given("@2020-01-01", 1.5), "refused"},
		{"dayofweek", given("@0001-01-01"), "1.00:00:00"},
		{"dayofweek", given("@9999-12-31"), "null"},
		{"dayofweek", given("@1947-11-30 10:00:05"), "00:00:00"},
		{"dayofweek", given("@2015-12-31"), "4.00:00:00"},
		{"dayofyear", given("@1900-03-01"), "60"},
		{"dayofyear", given("@2020-12-31"), "366"},
		{"hourofday", given("@2020-06-15 23:59:59.9999999"), "23"},
		{"getyear", given("@9999-12-31"), "9999"},
		{"monthofyear", given("@2024-12-31"), "12"},
		{"week_of_year", given("@2021-01-02"), "53"},
		{"week_of_year", given("@2020-02-29"), "9"},
		{"week_of_year", given("@1999-12-31"), "52"},
		{"week_of_year", given("@2000-01-01"), "52"},
		{"week_of_year", given("@2020-12-28"), "53"},
		{"week_of_year", given("@9999-12-31"), "52"},
		{"weekofyear", given("@2030-12-31"), "1"},
		{"weekofyear", given("@1950-06-15"), "24"},
		{"weekofyear", given("@0001-01-01"), "1"},
	})
}

func TestDatetimeParts(t *testing.T) {
	const when = "@2017-10-30 01:02:03.765432109"
	testTime(t, []timeCase{
		{"datetime_part", given("year", when), "2017"},
		{"datetime_part", given("Quarter", when), "4"},
		{"datetime_part", given("month", when), "10"},
		{"datetime_part", given("week_of_year", when), "44"},
		{"datetime_part", given("day", when), "30"},
		{"datetime_part", given("DayOfYear", when), "303"},
		{"datetime_part", given("hour", when), "1"},
		{"datetime_part", given("minute", when), "2"},
		{"datetime_part", given("second", when), "3"},
		{"datetime_part", given("millisecond", when), "765"},
		{"datetime_part", given("microsecond", when), "765432"},
		{"datetime_part", given("nanosecond", when), "765432109"},
		{"datetime_part", given("weekofyear", when), "refused"},
		{"datetime_part", given("", when), "refused"},
		{"datetime_add", given("month", 13, "@2019-01-31"), "2020-02-29T00:00:00.0000000Z"},
		{"datetime_add", given("year", 4, "@2020-02-29"), "2024-02-29T00:00:00.0000000Z"},
		{"datetime_add", given("year", 1, "@2020-02-29"), "2021-02-28T00:00:00.0000000Z"},
		{"datetime_add", given("quarter", 1, "@2020-11-30"), "2021-02-28T00:00:00.0000000Z"},
		{"datetime_add", given("month", -1, "@2020-03-31 10:11:12.000000013"), "2020-02-29T10:11:12.000000013Z"},
		{"datetime_add", given("week", -53, "@2021-03-15 12:00:00"), "2020-03-09T12:00:00.0000000Z"},
		{"datetime_add", given("day", -1, "@0001-01-01 12:00:00"), "null"},
		{"datetime_add", given("hour", 100000, "@2020-01-01"), "2031-05-29T16:00:00.0000000Z"},
		{"datetime_add", given("second", -90061, "@2020-01-01"), "2019-12-30T22:58:59.0000000Z"},
		{"datetime_add", given("millisecond", 1500, "@2020-01-01"), "2020-01-01T00:00:01.5000000Z"},
		{"datetime_add", given("nanosecond", -1, "@2020-01-01"), "2019-12-31T23:59:59.999999999Z"},
		{"datetime_add", given("nanosecond", 200, "@2020-01-01"), "2020-01-01T00:00:00.0000002Z"},
		{"datetime_add", given("day", math.MaxInt64, "@2020-01-01"), "null"},
		{"datetime_add", given("month", math.MinInt64, "@2020-01-01"), "null"},
		{"datetime_add", given("year", 7980, "@2020-01-01"), "null"},
		{"datetime_add", given("year", -2020, "@2020-01-01"), "null"},
		{"datetime_add", given("eon", 1, "@2020-01-01"), "refused"},
		{"datetime_add", given(String, 1, "@2020-01-01"), "refused"},
		{"datetime_add", given("day", 1.5, "@2020-01-01"), "refused"},
		{"datetime_diff", given("year", "@2020-12-31", "@2021-01-01"), "-1"},
		{"datetime_diff", given("quarter", "@2024-03-31", "@2020-04-01"), "15"},
		{"datetime_diff", given("month", "@2017-01-01", "@2015-12-30"), "13"},
		{"datetime_diff", given("week", "@2017-10-29 00:00", "@2017-09-30 23:59"), "5"},
		{"datetime_diff", given("week", "@2020-12-31", "@2020-01-01"), "52"},
		{"datetime_diff", given("day", "@2017-10-29 00:00", "@2017-09-30 23:59"), "29"},
		{"datetime_diff", given("hour", "@2020-03-01", "@2020-02-28 12:00:00"), "36"},
		{"datetime_diff", given("minute", "@2017-10-30 23:05:01", "@2017-10-30 23:00:59"), "5"},
		{"datetime_diff", given("second", "@2020-01-01 00:00:01.9999999", "@2020-01-01 00:00:00.0000001"), "1"},
		{"datetime_diff", given("millisecond", "@2020-01-01 00:00:01.9999999", "@2020-01-01 00:00:00.0000001"), "1999"},
		{"datetime_diff", given("microsecond", "@2020-01-01 00:00:00.0000020", "@2020-01-01 00:00:00.0000005"), "2"},
		{"datetime_diff", given("nanosecond", "@2017-10-30", "@2017-10-30 00:00:00.0000007"), "-700"},
		{"datetime_diff", given("nanosecond", "@9999-10-30", "@0001-10-30"), "null"},
		{"datetime_diff", given("day", "@2020-01-01", Datetime), "null"},
	})
}

func TestMakeTime(t *testing.T) {
	testTime(t, []timeCase{
		{"make_datetime", given(2017, 10, 1), "2017-10-01T00:00:00.0000000Z"},
		{"make_datetime", given(2017, 10, 1, 12, 10), "2017-10-01T12:10:00.0000000Z"},
		{"make_datetime", given(2017, 10, 1, 12, 11, 0.1234567), "2017-10-01T12:11:00.1234567Z"},
		{"make_datetime", given(2020, 2, 29, 13, 45, 9), "2020-02-29T13:45:09.0000000Z"},
		{"make_datetime", given(2020, 13, 1), "null"},
		{"make_datetime", given(2021, 2, 29), "null"},
		{"make_datetime", given(0, 1, 1), "null"},
		{"make_datetime", given(10000, 1, 1), "null"},
		{"make_datetime", given(2020, 1, 1, 24, 0), "null"},
		{"make_datetime", given(2020, 1, 1, 0, 0, 60), "null"},
		{"make_datetime", given(2020, 1, 1, 0, 0, math.NaN()), "null"},
		{"make_datetime", given(2020, Long, 1), "null"},
		{"make_datetime", given(2020.5, 1, 1), "refused"},
		{"make_timespan", given(0, 25, 61, 61.5), "null"},
		{"make_timespan", given(-1, -2), "null"},
		{"make_timespan", given(1, 2, 3), "01:02:03"},
		{"make_timespan", given(0, 0, 0, 0.0000001), "00:00:00.0000001"},
		{"make_timespan", given(1, 12, 30, 55.123), "1.12:30:55.1230000"},
		{"make_timespan", given(1, 2, 3, 4), "1.02:03:04"},
		{"make_timespan", given(5, 0), "05:00:00"},
		{"make_timespan", given(math.MaxInt64, 0, 0, 0), "null"},
		{"make_timespan", given(1, 2, 3.5, 4), "refused"},
		{"make_timespan", given(0, 0, 59.99999999), "null"},
		{"unixtime_seconds_todatetime", given(1546300800), "2019-01-01T00:00:00.0000000Z"},
		{"unixtime_seconds_todatetime", given(-1), "1969-12-31T23:59:59.0000000Z"},
		{"unixtime_milliseconds_todatetime", given(1546300800123), "2019-01-01T00:00:00.1230000Z"},
		{"unixtime_microseconds_todatetime", given(1), "1970-01-01T00:00:00.0000010Z"},
		{"unixtime_nanoseconds_todatetime", given(1546300800000000000), "2019-01-01T00:00:00.0000000Z"},
		{"unixtime_nanoseconds_todatetime", given(-1), "1969-12-31T23:59:59.999999999Z"},
		{"unixtime_seconds_todatetime", given(math.MaxInt64), "null"},
		{"unixtime_milliseconds_todatetime", given(math.MaxInt64/10000 + 1), "null"},
		{"unixtime_seconds_todatetime", given(1.5), "refused"},
	})
}

func TestTimeFormats(t *testing.T) {
	testTime(t, []timeCase{
		{"format_datetime", given("@2017-01-29 09:00:05", "yyyy-M-dd [H:mm:ss]"), "2017-1-29 [9:00:05]"},
		{"format_datetime", given("@2017-01-29 09:00:05", "yy-MM-dd [hh:mm:ss tt]"), "17-01-29 [09:00:05 AM]"},
		{"format_datetime", given("@2020-06-15 09:05:03.007", "M/d/yy H:m:s"), "6/15/20 9:5:3"},
		{"format_datetime", given("@2020-12-09 23:45:59.999", "yyyyMMddHHmmss"), "20201209234559"},
		{"format_datetime", given("@2020-12-31 23:59:59.9999999", "fffffff"), "9999999"},
		{"format_datetime", given("@2020-06-15 13:45:09.05", "ss.ff"), "09.05"},
		{"format_datetime", given("@2007-03-09 05:04:03.5", "s.f"), "3.5"},
		{"format_datetime", given("@2007-03-09 17:04:03", "h tt"), "5 PM"},
		{"format_datetime", given("@2007-03-09 00:30", "hh:mm tt"), "12:30 AM"},
		{"format_datetime", given("@0001-01-01 12:00", "yyyy y yy h"), "0001 1 01 12"},
		{"format_datetime", given("@2009-06-15 00:00:00.0001150", "FFFFFFF"), "000115"},
		{"format_datetime", given("@2009-06-15", "s:FF"), "0:"},
		{"format_datetime", given(Datetime, "yyyy"), ""},
		{"format_datetime", given("@2020-01-01", ""), "refused"},
		{"format_datetime", given("@2020-01-01", "yyyy-MM-ddTHH"), "refused"},
		{"format_datetime", given("@2020-01-01", "zzz"), "refused"},
		{"format_datetime", given("@2020-01-01", "K"), "refused"},
		{"format_datetime", given("@2020-01-01", "ddd"), "refused"},
		{"format_datetime", given("@2020-01-01", "MMMM"), "refused"},
		{"format_datetime", given("@2020-01-01", "t"), "refused"},
		{"format_datetime", given("@2020-01-01", "ffffffff"), "refused"},
		{"format_datetime", given("@2020-01-01", "ss.FFF"), "refused"},
		{"format_datetime", given("@2020-01-01", "yyyyé"), "refused"},
		{"format_timespan", given("~29.09:00:05.12345", "dd.hh:mm:ss:FF"), "29.09:00:05:12"},
		{"format_timespan", given("~29.09:00:05.12345", "ddd.h:mm:ss [fffffff]"), "029.9:00:05 [1234500]"},
		{"format_timespan", given("~26h", "hh:mm"), "02:00"},
		{"format_timespan", given("~26h", "h:m"), "2:0"},
		{"format_timespan", given("~2d", "d"), "2"},
		{"format_timespan", given("~-1.02:30:00", "d.hh:mm:ss"), "-1.02:30:00"},
		{"format_timespan", given("~-90s", "mm:ss"), "-01:30"},
		{"format_timespan", given("~7d", "d.hh:mm:ss.fffffff"), "7.00:00:00.0000000"},
		{"format_timespan", given("~1.02:03:04.567", "dd.HH:mm:ss.fffffff"), "01.02:03:04.5670000"},
		{"format_timespan", given("~-10675199.02:48:05.4775808", "dddddddd.hh"), "-10675199.02"},
		{"format_timespan", given("~1d", "c"), "refused"},
		{"format_timespan", given("~1d", "g"), "refused"},
		{"format_timespan", given("~1d", `d\.hh`), "refused"},
		{"format_timespan", given("~1d", "ddddddddd"), "refused"},
	})
}

func TestZones(t *testing.T) {
	testTime(t, []timeCase{
		{"datetime_local_to_utc", given("@2020-02-02 20:02:20", "US/Pacific"), "2020-02-03T04:02:20.0000000Z"},
		{"datetime_local_to_utc", given("@2020-02-02 20:02:20", "America/Chicago"), "2020-02-03T02:02:20.0000000Z"},
		{"datetime_local_to_utc", given("@2020-02-02 20:02:20", "Europe/Paris"), "2020-02-02T19:02:20.0000000Z"},
		{"datetime_local_to_utc", given("@2022-03-27 01:00", "Europe/Brussels"), "2022-03-27T00:00:00.0000000Z"},
		{"datetime_local_to_utc", given("@2022-03-27 02:00", "Europe/Brussels"), "2022-03-27T00:00:00.0000000Z"},
		{"datetime_local_to_utc", given("@2022-03-27 03:00", "Europe/Brussels"), "2022-03-27T01:00:00.0000000Z"},
		{"datetime_local_to_utc", given("@2022-03-27 04:00", "Europe/Brussels"), "2022-03-27T02:00:00.0000000Z"},
		{"datetime_utc_to_local", given("@2022-03-27 01:00", "Europe/Brussels"), "2022-03-27T03:00:00.0000000Z"},
		{"datetime_utc_to_local", given("@2022-03-27 00:59:59.999999999", "Europe/Brussels"), "2022-03-27T01:59:59.999999999Z"},
		{"datetime_utc_to_local", given("@2022-03-27", "Mars/Base"), "refused"},
		{"datetime_utc_to_local", given("@2022-03-27", "Local"), "refused"},
		{"datetime_utc_to_local", given("@2022-03-27", ""), "refused"},
		{"datetime_utc_to_local", given("@2022-03-27", "../x"), "refused"},
		{"datetime_utc_to_local", given("@9999-12-31 23:59", "Asia/Tokyo"), "null"},
	})
	if v := inZone([]Value{timeArg("@2022-03-27"), StringOf("Mars/Base")}, utcToLocal); !v.Null {
		t.Error("unknown zone of a row:", formatDatetime(v))
	}
}
