package query

import "slices"

// timeFuncs are the functions of datetimes and timespans.
var timeFuncs = slices.Concat(binFuncs, calendarFuncs, clockFuncs, datePartFuncs, timeFormatFuncs, makeTimeFuncs, zoneFuncs)

// These are what arguments of functions of time may be.
var (
	datetimes = of(Datetime)
	timespans = of(Timespan)
)
