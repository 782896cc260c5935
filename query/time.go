package query

import "math"

// Ticks of 100 ns.
const (
	ticksMicro  = 10
	ticksMilli  = 1000 * ticksMicro
	ticksSecond = 1000 * ticksMilli
	ticksMinute = 60 * ticksSecond
	ticksHour   = 60 * ticksMinute
	ticksDay    = 24 * ticksHour
)

// unixEpoch is 1970-01-01 in ticks.
const unixEpoch = 719162 * ticksDay

// daysOf returns the days from 0001-01-01 to a date of the Gregorian calendar. Any year
// will do, so that what comes of it can be checked for being out of range. Years are
// counted from March, which puts the leap day last (Howard Hinnant's days_from_civil).
func daysOf(year, month, day int64) int64 {
	if month <= 2 {
		year--
		month += 12
	}
	era := floorDiv(year, 400)
	yearOfEra := year - era*400
	dayOfYear := (153*(month-3)+2)/5 + day - 1
	return era*146097 + yearOfEra*365 + yearOfEra/4 - yearOfEra/100 + dayOfYear - 306
}

// civilOf returns the date on a day counted from 0001-01-01, the inverse of daysOf.
func civilOf(days int64) (year, month, day int64) {
	days += 306
	era := floorDiv(days, 146097)
	dayOfEra := days - era*146097
	yearOfEra := (dayOfEra - dayOfEra/1460 + dayOfEra/36524 - dayOfEra/146096) / 365
	dayOfYear := dayOfEra - (365*yearOfEra + yearOfEra/4 - yearOfEra/100)
	fromMarch := (5*dayOfYear + 2) / 153
	day = dayOfYear - (153*fromMarch+2)/5 + 1
	year, month = yearOfEra+era*400, fromMarch+3
	if month > 12 {
		year, month = year+1, month-12
	}
	return year, month, day
}

// daysIn returns how many days a month has.
func daysIn(year, month int64) int64 {
	switch month {
	case 4, 6, 9, 11:
		return 30
	case 2:
		if year%4 == 0 && (year%100 != 0 || year%400 == 0) {
			return 29
		}
		return 28
	}
	return 31
}

// dateTicks returns the ticks of a date, if there is that date from the year 1 to 9999.
func dateTicks(year, month, day int64) (int64, bool) {
	if year < 1 || year > 9999 || month < 1 || month > 12 || day < 1 || day > daysIn(year, month) {
		return 0, false
	}
	return daysOf(year, month, day) * ticksDay, true
}

// floorDiv divides and rounds down, where b is above 0.
func floorDiv(a, b int64) int64 {
	q := a / b
	if a%b < 0 {
		q--
	}
	return q
}

// sumTicks adds, unless that overflows.
func sumTicks(a, b int64) (int64, bool) {
	sum := a + b
	return sum, (sum > a) == (b > 0)
}

// scaleTicks multiplies by a unit above 0, unless that overflows.
func scaleTicks(n, unit int64) (int64, bool) {
	if n > math.MaxInt64/unit || n < math.MinInt64/unit {
		return 0, false
	}
	return n * unit, true
}

// formatDatetime writes a datetime with seven digits after the point, nine if it has
// nanoseconds that seven cannot show.
func formatDatetime(v Value) string {
	if v.Null {
		return ""
	}
	year, month, day := civilOf(v.N / ticksDay)
	buf := make([]byte, 0, 32)
	buf = appendPadded(buf, year, 4)
	buf = append(buf, '-')
	buf = appendPadded(buf, month, 2)
	buf = append(buf, '-')
	buf = appendPadded(buf, day, 2)
	buf = append(buf, 'T')
	buf = appendClock(buf, v.N%ticksDay/ticksSecond)
	buf = append(buf, '.')
	buf = appendPadded(buf, v.N%ticksSecond, 7)
	if v.Rest != 0 {
		buf = appendPadded(buf, int64(v.Rest), 2)
	}
	return string(append(buf, 'Z'))
}

// formatTimespan writes a timespan as tostring does: days and a fraction only if there
// are any.
func formatTimespan(ticks int64) string {
	var buf []byte
	if ticks < 0 {
		buf = append(buf, '-')
	}
	days, rest := splitDays(ticks)
	if days > 0 {
		buf = append(appendPadded(buf, days, 1), '.')
	}
	buf = appendClock(buf, rest/ticksSecond)
	if fraction := rest % ticksSecond; fraction > 0 {
		buf = append(buf, '.')
		buf = appendPadded(buf, fraction, 7)
	}
	return string(buf)
}

// splitDays returns the whole days of a timespan without its sign, and the ticks left.
// The least timespan has no opposite: only its days do.
func splitDays(ticks int64) (days, rest int64) {
	days, rest = ticks/ticksDay, ticks%ticksDay
	if ticks < 0 {
		return -days, -rest
	}
	return days, rest
}

// appendClock writes seconds of a day as hh:mm:ss.
func appendClock(buf []byte, seconds int64) []byte {
	buf = append(appendPadded(buf, seconds/3600, 2), ':')
	buf = append(appendPadded(buf, seconds/60%60, 2), ':')
	return appendPadded(buf, seconds%60, 2)
}

// appendPadded writes a number that is not negative with at least so many digits.
func appendPadded(buf []byte, n int64, digits int) []byte {
	var text [20]byte
	at := len(text)
	for n > 0 || digits > 0 {
		at--
		text[at] = byte('0' + n%10)
		n /= 10
		digits--
	}
	return append(buf, text[at:]...)
}
