package query

import (
	"fmt"
	"math"
	"strings"
)

// datePartFuncs take the name of a part of a datetime, which must be constant.
var datePartFuncs = []Func{
	{
		Name: "datetime_add", Usage: "datetime_add(period, amount, datetime)",
		Doc:     "A datetime and so many years, quarters, months, weeks, days, hours, minutes, seconds, milliseconds, microseconds or nanoseconds. A day that the month lacks becomes its last.",
		Example: `datetime_add("month", 1, datetime(2020-01-31)) == datetime(2020-02-29)`,
		Params:  []kinds{strs, longs, datetimes}, Result: datePartResult("datetime_add", addPart, Datetime), Bind: bindAdd,
	},
	{
		Name: "datetime_diff", Usage: "datetime_diff(period, datetime1, datetime2)",
		Doc:     "How many borders of years, quarters, months, weeks, days, hours, minutes, seconds, milliseconds, microseconds or nanoseconds lie between two datetimes; below zero if the second is later.",
		Example: `datetime_diff("year", datetime(2017-01-01), datetime(2000-12-31)) == 17`,
		Params:  []kinds{strs, datetimes, datetimes}, Result: diffResult, Bind: bindDiff,
	},
	{
		Name: "datetime_part", Usage: "datetime_part(part, datetime)",
		Doc:     "A part of a datetime: year, quarter, month, week_of_year, day, dayofyear, hour, minute, second, millisecond, microsecond or nanosecond.",
		Example: `datetime_part("week_of_year", datetime(2017-10-30)) == 44`,
		Params:  []kinds{strs, datetimes}, Result: datePartResult("datetime_part", datetimePart, Long), Bind: bindPart,
	},
}

// datePartOf returns what a table has for the part that an argument names.
func datePartOf[T any](name string, arg Arg, find func(part string) (T, bool)) (T, error) {
	var none T
	if arg.Const == nil || arg.Const.Null {
		return none, fmt.Errorf("%s: a first argument that is not constant is not supported here", name)
	}
	found, ok := find(strings.ToLower(arg.Const.S))
	if !ok {
		return none, fmt.Errorf("%s: %q is not supported here", name, arg.Const.S)
	}
	return found, nil
}

// datePartResult is always of one kind, but refuses parts that there are not.
func datePartResult[T any](name string, find func(part string) (T, bool), k Kind) func([]Arg) (Kind, error) {
	return func(args []Arg) (Kind, error) {
		_, err := datePartOf(name, args[0], find)
		return k, err
	}
}

// diffResult is a long, but of weeks a real, as it is in Kusto.
func diffResult(args []Arg) (Kind, error) {
	if _, err := datePartOf("datetime_diff", args[0], diffPart); err != nil {
		return 0, err
	}
	if strings.EqualFold(args[0].Const.S, "week") {
		return Real, nil
	}
	return Long, nil
}

// tickParts are the periods that are always of one length, in ticks.
func tickParts(part string) (ticks int64, ok bool) {
	switch part {
	case "week":
		return 7 * ticksDay, true
	case "day":
		return ticksDay, true
	case "hour":
		return ticksHour, true
	case "minute":
		return ticksMinute, true
	case "second":
		return ticksSecond, true
	case "millisecond":
		return ticksMilli, true
	case "microsecond":
		return ticksMicro, true
	}
	return 0, false
}

// monthParts are the periods that are some months.
func monthParts(part string) (months int64, ok bool) {
	switch part {
	case "year":
		return 12, true
	case "quarter":
		return 3, true
	case "month":
		return 1, true
	}
	return 0, false
}

// addPart returns how to add so many of a period.
func addPart(part string) (func(v Value, amount int64) Value, bool) {
	if months, ok := monthParts(part); ok {
		return func(v Value, amount int64) Value { return addMonths(v, months, amount) }, true
	}
	if part == "nanosecond" {
		return addNanos, true
	}
	unit, ok := tickParts(part)
	return func(v Value, amount int64) Value {
		ticks, ok := scaleTicks(amount, unit)
		if ok {
			ticks, ok = sumTicks(v.N, ticks)
		}
		if !ok {
			return NullOf(Datetime)
		}
		return DatetimeOf(ticks, v.Rest)
	}, ok
}

// addMonths keeps the time of day, and the day of the month if there is one.
func addMonths(v Value, months, amount int64) Value {
	if amount > farOffset || amount < -farOffset {
		return NullOf(Datetime)
	}
	year, month, day := civilOf(v.N / ticksDay)
	month += year*12 - 1 + amount*months
	year = floorDiv(month, 12)
	month -= year*12 - 1
	if ticks, ok := dateTicks(year, month, min(day, daysIn(year, month))); ok {
		return DatetimeOf(ticks+v.N%ticksDay, v.Rest)
	}
	return NullOf(Datetime)
}

func addNanos(v Value, amount int64) Value {
	rest := amount%100 + int64(v.Rest)
	carry := floorDiv(rest, 100)
	// A hundredth of an amount and a datetime are far from overflowing together.
	return DatetimeOf(v.N+amount/100+carry, uint8(rest-carry*100))
}

// diffPart returns how to count the borders of a period from b to a.
func diffPart(part string) (func(a, b Value) Value, bool) {
	if months, ok := monthParts(part); ok {
		return func(a, b Value) Value { return LongOf(periodOf(a, months) - periodOf(b, months)) }, true
	}
	switch part {
	case "week":
		return func(a, b Value) Value {
			return RealOf(float64((startOfWeek(a.N/ticksDay, 0) - startOfWeek(b.N/ticksDay, 0)) / 7))
		}, true
	case "nanosecond":
		return func(a, b Value) Value {
			ticks := a.N - b.N
			if ticks > math.MaxInt64/100-1 || ticks < math.MinInt64/100+1 {
				return NullOf(Long)
			}
			return LongOf(ticks*100 + int64(a.Rest) - int64(b.Rest))
		}, true
	}
	unit, ok := tickParts(part)
	return func(a, b Value) Value { return LongOf(a.N/unit - b.N/unit) }, ok
}

// periodOf numbers the periods of so many months.
func periodOf(v Value, months int64) int64 {
	year, month, _ := civilOf(v.N / ticksDay)
	return (year*12 + month - 1) / months
}

// datetimePart returns how to take a part of a datetime.
func datetimePart(part string) (func(Value) int64, bool) {
	switch part {
	case "year":
		return yearOf, true
	case "quarter":
		return func(v Value) int64 { return (monthOf(v)-1)/3 + 1 }, true
	case "month":
		return monthOf, true
	case "week_of_year":
		return isoWeek, true
	case "day":
		return dayOfMonth, true
	case "dayofyear":
		return dayOfYear, true
	case "hour":
		return hourOf, true
	case "minute":
		return func(v Value) int64 { return v.N / ticksMinute % 60 }, true
	case "second":
		return func(v Value) int64 { return v.N / ticksSecond % 60 }, true
	case "millisecond":
		return func(v Value) int64 { return v.N % ticksSecond / ticksMilli }, true
	case "microsecond":
		return func(v Value) int64 { return v.N % ticksSecond / ticksMicro }, true
	case "nanosecond":
		return func(v Value) int64 { return v.N%ticksSecond*100 + int64(v.Rest) }, true
	}
	return nil, false
}

func bindAdd(args []Arg) (func([]Value) Value, error) {
	add, err := datePartOf("datetime_add", args[0], addPart)
	return func(args []Value) Value { return add(args[2], args[1].N) }, err
}

func bindDiff(args []Arg) (func([]Value) Value, error) {
	diff, err := datePartOf("datetime_diff", args[0], diffPart)
	return func(args []Value) Value { return diff(args[1], args[2]) }, err
}

func bindPart(args []Arg) (func([]Value) Value, error) {
	part, err := datePartOf("datetime_part", args[0], datetimePart)
	return func(args []Value) Value { return LongOf(part(args[1])) }, err
}
