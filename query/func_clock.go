package query

// clockFuncs return one part of a datetime each.
var clockFuncs = []Func{
	clockFunc("dayofmonth", "The day of the month, 1 to 31.", dayOfMonth, `dayofmonth(datetime(2020-06-15)) == 15`),
	{
		Name: "dayofweek", Usage: "dayofweek(datetime)",
		Doc:     "How long ago Sunday was, in whole days: a timespan.",
		Example: `dayofweek(datetime(2015-12-31)) == 4d`,
		Params:  []kinds{datetimes}, Result: fixed(Timespan), Eval: dayOfWeek,
	},
	clockFunc("dayofyear", "The day of the year, 1 to 366.", dayOfYear, `dayofyear(datetime(2020-12-31)) == 366`),
	clockFunc("getmonth", "The month, 1 to 12.", monthOf, `getmonth(datetime(2020-06-15)) == 6`),
	clockFunc("getyear", "The year.", yearOf, `getyear(datetime(2020-06-15)) == 2020`),
	clockFunc("hourofday", "The hour, 0 to 23.", hourOf, `hourofday(datetime(2015-12-14 18:54)) == 18`),
	clockFunc("monthofyear", "The same as getmonth.", monthOf, `monthofyear(datetime(2015-12-14)) == 12`),
	clockFunc("week_of_year", "The week of ISO 8601: the first has the year's first Thursday, and weeks begin on Monday.",
		isoWeek, `week_of_year(datetime(2021-01-01)) == 53`),
	clockFunc("weekofyear", "The older count of weeks: the first has the year's first Wednesday, and weeks begin on Sunday.",
		sundayWeek, `weekofyear(datetime(2020-06-15)) == 25`),
}

// clockFunc makes a row of a function that takes a datetime and returns a long.
func clockFunc(name, doc string, part func(Value) int64, example string) Func {
	return Func{
		Name: name, Usage: name + "(datetime)", Doc: doc, Example: example,
		Params: []kinds{datetimes}, Result: fixed(Long),
		Eval: func(args []Value) Value { return LongOf(part(args[0])) },
	}
}

func yearOf(v Value) int64 {
	year, _, _ := civilOf(v.N / ticksDay)
	return year
}

func monthOf(v Value) int64 {
	_, month, _ := civilOf(v.N / ticksDay)
	return month
}

func dayOfMonth(v Value) int64 {
	_, _, day := civilOf(v.N / ticksDay)
	return day
}

func dayOfYear(v Value) int64 {
	day := v.N / ticksDay
	return day - startOfYear(day, 0) + 1
}

func hourOf(v Value) int64 { return v.N / ticksHour % 24 }

// dayOfWeek is null on the last day there is, as Kusto's is: it looks at the next one.
func dayOfWeek(args []Value) Value {
	if args[0].N > maxTicks-ticksDay {
		return NullOf(Timespan)
	}
	day := args[0].N / ticksDay
	return TimespanOf((day - startOfWeek(day, 0)) * ticksDay)
}

// isoWeek numbers weeks from Monday, which 0001-01-01 was.
func isoWeek(v Value) int64 { return weekNumber(v.N/ticksDay, 0) }

func sundayWeek(v Value) int64 { return weekNumber(v.N/ticksDay, 1) }

// weekNumber returns the number of a day's week, which belongs to the year of its fourth
// day. Shift is how many days before Monday weeks begin.
func weekNumber(day, shift int64) int64 {
	fourth := floorDiv(day+shift, 7)*7 - shift + 3
	return (fourth-startOfYear(fourth, 0))/7 + 1
}
