package query

import (
	"fmt"
	"math"
)

// makeTimeFuncs make datetimes and timespans of numbers.
var makeTimeFuncs = []Func{
	{
		Name: "make_datetime", Usage: "make_datetime(year, month, day [, hour [, minute [, second]]])",
		Doc:     "The datetime of these numbers, null if there is none.",
		Example: `make_datetime(2017, 10, 1, 12, 10) == datetime(2017-10-01 12:10)`,
		Params:  []kinds{longs, longs, longs, longs, longs, numbers}, Min: 3, Result: fixed(Datetime),
		Eval: makeDatetime,
	},
	{
		Name: "make_timespan", Usage: "make_timespan([days,] hours, minutes [, seconds])",
		Doc:     "The timespan of these numbers, null if there are more hours, minutes or seconds than in a day, an hour or a minute. Three are hours, minutes and seconds.",
		Example: `make_timespan(1, 12, 30, 55.5) == 1d + 12h + 30m + 55.5s`,
		Params:  []kinds{longs, longs, numbers, numbers}, Min: 2, Result: makeTimespanResult,
		Eval: makeTimespan,
	},
	unixFunc("microseconds", `unixtime_microseconds_todatetime(1546300800000000) == datetime(2019-01-01)`, ticksMicro),
	unixFunc("milliseconds", `unixtime_milliseconds_todatetime(1546300800000) == datetime(2019-01-01)`, ticksMilli),
	{
		Name: "unixtime_nanoseconds_todatetime", Usage: "unixtime_nanoseconds_todatetime(n)",
		Doc:     "The datetime so many nanoseconds after 1970-01-01.",
		Example: `unixtime_nanoseconds_todatetime(1546300800000000000) == datetime(2019-01-01)`,
		Params:  []kinds{numbers}, Result: unixResult("unixtime_nanoseconds_todatetime"),
		Eval: func(args []Value) Value { return addNanos(Value{Kind: Datetime, N: unixEpoch}, args[0].N) },
	},
	unixFunc("seconds", `unixtime_seconds_todatetime(1546300800) == datetime(2019-01-01)`, ticksSecond),
}

func makeDatetime(args []Value) Value {
	ticks, ok := dateTicks(args[0].N, args[1].N, args[2].N)
	if !ok {
		return NullOf(Datetime)
	}
	var hour, minute int64
	second := LongOf(0)
	if len(args) > 3 {
		hour = args[3].N
	}
	if len(args) > 4 {
		minute = args[4].N
	}
	if len(args) > 5 {
		second = args[5]
	}
	clock, ok := clockTicks(hour, minute, second)
	if !ok {
		return NullOf(Datetime)
	}
	return DatetimeOf(ticks+clock, 0)
}

// makeTimespanResult refuses a fraction of minutes: only seconds have them.
func makeTimespanResult(args []Arg) (Kind, error) {
	if len(args) == 4 && args[2].Kind == Real {
		return 0, fmt.Errorf("make_timespan: minutes of type real is not supported here")
	}
	return Timespan, nil
}

func makeTimespan(args []Value) Value {
	var days int64
	if len(args) == 4 {
		days, args = args[0].N, args[1:]
	}
	second := LongOf(0)
	if len(args) == 3 {
		second = args[2]
	}
	clock, ok := clockTicks(args[0].N, args[1].N, second)
	if ok && days >= 0 {
		if days, ok = scaleTicks(days, ticksDay); ok {
			clock, ok = sumTicks(clock, days)
		}
	}
	if !ok || days < 0 {
		return NullOf(Timespan)
	}
	return TimespanOf(clock)
}

// clockTicks returns the ticks of a time of day, if there is that time.
func clockTicks(hour, minute int64, second Value) (int64, bool) {
	s := second.Real()
	if hour < 0 || hour > 23 || minute < 0 || minute > 59 || !(s >= 0 && s < 60) {
		return 0, false
	}
	ticks := int64(math.Round(s * ticksSecond))
	return hour*ticksHour + minute*ticksMinute + ticks, ticks < ticksMinute
}

// unixFunc makes the row of unixtime_seconds_todatetime and its like.
func unixFunc(units, example string, ticks int64) Func {
	name := "unixtime_" + units + "_todatetime"
	return Func{
		Name: name, Usage: name + "(n)", Doc: "The datetime so many " + units + " after 1970-01-01.", Example: example,
		Params: []kinds{numbers}, Result: unixResult(name),
		Eval: func(args []Value) Value {
			after, ok := scaleTicks(args[0].N, ticks)
			if ok {
				after, ok = sumTicks(unixEpoch, after)
			}
			if !ok {
				return NullOf(Datetime)
			}
			return DatetimeOf(after, 0)
		},
	}
}

// unixResult refuses reals: how Kusto rounds them is not known.
func unixResult(name string) func([]Arg) (Kind, error) {
	return func(args []Arg) (Kind, error) {
		if args[0].Kind == Real {
			return 0, fmt.Errorf("%s: a real is not supported here", name)
		}
		return Datetime, nil
	}
}
