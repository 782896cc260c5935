package query

import "fmt"

// calendarFuncs find the beginnings and ends of days, weeks, months and years. An offset
// counts in these.
var calendarFuncs = []Func{
	endFunc("day", startOfDay, `endofday(datetime(2017-01-01 10:10:17), 1) == datetime(2017-01-02 23:59:59.9999999)`),
	endFunc("month", startOfMonth, `endofmonth(datetime(2020-02-15)) == datetime(2020-02-29 23:59:59.9999999)`),
	endFunc("week", startOfWeek, `endofweek(datetime(2017-01-01 10:10:17)) == datetime(2017-01-07 23:59:59.9999999)`),
	endFunc("year", startOfYear, `endofyear(datetime(2020-06-15)) == datetime(2020-12-31 23:59:59.9999999)`),
	startFunc("day", startOfDay, `startofday(datetime(2017-01-01 10:10:17), -1) == datetime(2016-12-31)`),
	startFunc("month", startOfMonth, `startofmonth(datetime(2020-06-15), -13) == datetime(2019-05-01)`),
	startFunc("week", startOfWeek, `startofweek(datetime(2020-06-15 13:45)) == datetime(2020-06-14)`),
	startFunc("year", startOfYear, `startofyear(datetime(2017-06-01), 1) == datetime(2018-01-01)`),
}

// farOffset is more than there are days in a datetime's range: every greater offset leads
// out of it, and it keeps the arithmetic from overflowing.
const farOffset = 4_000_000

// A startOf returns the first day, counted from 0001-01-01, of the day, week, month or
// year that is offset away from the one that has a day in it.
type startOf func(day, offset int64) int64

func startOfDay(day, offset int64) int64 { return day + offset }

// startOfWeek is a Sunday; 0001-01-01 was a Monday.
func startOfWeek(day, offset int64) int64 { return (floorDiv(day+1, 7)+offset)*7 - 1 }

func startOfMonth(day, offset int64) int64 {
	year, month, _ := civilOf(day)
	months := year*12 + month - 1 + offset
	year = floorDiv(months, 12)
	return daysOf(year, months-year*12+1, 1)
}

func startOfYear(day, offset int64) int64 {
	year, _, _ := civilOf(day)
	return daysOf(year+offset, 1, 1)
}

// startFunc makes the row of startofday and its like.
func startFunc(unit string, start startOf, example string) Func {
	name := "startof" + unit
	return Func{
		Name: name, Usage: name + "(datetime [, offset])",
		Doc:     fmt.Sprintf("The first moment of the datetime's %s, or of the %s that is offset away.", unit, unit) + weekNote(unit),
		Example: example,
		Params:  []kinds{datetimes, longs}, Min: 1, Result: fixed(Datetime), KeepsName: unit == "day",
		Eval: func(args []Value) Value { return startOfUnit(args, start, 0, 0) },
	}
}

// endFunc makes the row of endofday and its like: the last tick before the next one.
func endFunc(unit string, start startOf, example string) Func {
	name := "endof" + unit
	return Func{
		Name: name, Usage: name + "(datetime [, offset])",
		Doc:     fmt.Sprintf("The last tick of the datetime's %s, or of the %s that is offset away.", unit, unit) + weekNote(unit),
		Example: example,
		Params:  []kinds{datetimes, longs}, Min: 1, Result: fixed(Datetime),
		Eval: func(args []Value) Value { return startOfUnit(args, start, 1, -1) },
	}
}

func weekNote(unit string) string {
	if unit == "week" {
		return " Weeks begin on Sunday."
	}
	return ""
}

// startOfUnit returns a start, so many units later and ticks beyond it.
func startOfUnit(args []Value, start startOf, later, ticks int64) Value {
	offset := later
	if len(args) == 2 {
		if n := args[1].N; n > farOffset || n < -farOffset {
			return NullOf(Datetime)
		}
		offset += args[1].N
	}
	day, ok := scaleTicks(start(args[0].N/ticksDay, offset), ticksDay)
	if !ok {
		return NullOf(Datetime)
	}
	return DatetimeOf(day+ticks, 0)
}
