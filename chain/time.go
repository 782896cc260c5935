package chain

import (
	"errors"
	"time"
)

// A Time is a point in time from 0001-01-01 to 9999-12-31, in UTC: ticks of
// 100 nanoseconds, as in the query language, and what is left of them. Both
// count where times are compared.
type Time struct {
	Ticks int64 // since 0001-01-01T00:00:00Z
	Rest  uint8 // 0 to 99 nanoseconds
}

// unixTicks is 1970-01-01 in ticks.
const unixTicks = 62135596800 * 1e7

// TimeOf returns t as a Time.
func TimeOf(t time.Time) Time {
	n := t.Nanosecond()
	return Time{t.Unix()*1e7 + unixTicks + int64(n/100), uint8(n % 100)}
}

// Time returns t as the standard library's, in UTC.
func (t Time) Time() time.Time {
	ticks := t.Ticks - unixTicks
	seconds := ticks / 1e7
	if ticks%1e7 < 0 {
		seconds--
	}
	return time.Unix(seconds, (ticks-seconds*1e7)*100+int64(t.Rest)).UTC()
}

// Compare returns -1, 0 or 1 as t is before, at or after u.
func (t Time) Compare(u Time) int {
	switch {
	case t.Ticks < u.Ticks || t.Ticks == u.Ticks && t.Rest < u.Rest:
		return -1
	case t == u:
		return 0
	}
	return 1
}

// Append appends t in its one form: RFC 3339 in UTC with Z, as many digits of
// fraction as it needs and no point where it needs none.
func (t Time) Append(dst []byte) []byte {
	if t.Ticks < 0 || t.Ticks >= endTicks { // of a year that has no such form
		return t.Time().AppendFormat(dst, time.RFC3339Nano)
	}
	seconds := t.Ticks / 1e7 // more than 32 bits
	year, month, day := dateOf(int(seconds / daySeconds))
	second := int(seconds % daySeconds)
	dst = append(appendDigits(dst, year, 4), '-')
	dst = append(appendDigits(dst, month, 2), '-')
	dst = append(appendDigits(dst, day, 2), 'T')
	dst = append(appendDigits(dst, second/3600, 2), ':')
	dst = append(appendDigits(dst, second/60%60, 2), ':')
	dst = appendDigits(dst, second%60, 2)
	if nanos := int(t.Ticks%1e7)*100 + int(t.Rest); nanos > 0 {
		digits := 9
		for ; nanos%10 == 0; nanos /= 10 {
			digits--
		}
		dst = appendDigits(append(dst, '.'), nanos, digits)
	}
	return append(dst, 'Z')
}

// appendDigits appends the last n digits of a number.
func appendDigits(dst []byte, number, n int) []byte {
	start := len(dst)
	dst = append(dst, "000000000"[:n]...)
	for i := start + n - 1; i >= start; i-- {
		dst[i] = byte('0' + number%10)
		number /= 10
	}
	return dst
}

const (
	daySeconds = 24 * 60 * 60
	endTicks   = 3652059 * daySeconds * 1e7 // 10000-01-01
)

// Days count from 0001-01-01. Both functions count in years that begin with March, so that
// a leap day is the last of a year, and in eras of 400 years, which are all as long: see
// Howard Hinnant, chrono-Compatible Low-Level Date Algorithms.
const (
	eraDays  = 146097
	marchDay = 306 // 0001-01-01, from 0000-03-01
)

func dateOf(days int) (year, month, day int) {
	days += marchDay
	era, days := days/eraDays, days%eraDays
	y := (days - days/1460 + days/36524 - days/(eraDays-1)) / 365
	days -= 365*y + y/4 - y/100
	m := (5*days + 2) / 153 // from March
	day = days - (153*m+2)/5 + 1
	year, month = era*400+y, m+3
	if month > 12 {
		year, month = year+1, month-12
	}
	return year, month, day
}

// daysOf is the opposite of dateOf; the first date that it takes is 0000-03-01.
func daysOf(year, month, day int) int {
	if month -= 3; month < 0 {
		year, month = year-1, month+12
	}
	y := year % 400
	return year/400*eraDays + 365*y + y/4 - y/100 + (153*month+2)/5 + day - 1 - marchDay
}

func (t Time) String() string { return string(t.Append(nil)) }

var errTime = errors.New("expected a time as 2026-01-02T15:04:05.123456789Z or with an offset as +02:00, of the years 0001 to 9999")

// ParseTime reads RFC 3339, more strictly than the standard library: a capital T,
// Z or an offset, at most nine digits of fraction, no second 60.
func ParseTime(text []byte) (Time, error) {
	if len(text) < len("2006-01-02T15:04:05Z") || text[4] != '-' || text[7] != '-' || text[10] != 'T' || text[13] != ':' || text[16] != ':' {
		return Time{}, errTime
	}
	num := func(from, to int) int {
		n := 0
		for _, d := range text[from:to] {
			if d-'0' > 9 {
				return 1 << 30 // is too large for every place
			}
			n = n*10 + int(d-'0')
		}
		return n
	}
	year, month, day := num(0, 4), num(5, 7), num(8, 10)
	hour, minute, second := num(11, 13), num(14, 16), num(17, 19)
	if month < 1 || month > 12 || day < 1 || hour > 23 || minute > 59 || second > 59 || year > 9999 {
		return Time{}, errTime
	}
	nanos, i := 0, 19
	if text[i] == '.' {
		digits := 0
		for i++; i < len(text) && text[i]-'0' <= 9; i++ {
			nanos = nanos*10 + int(text[i]-'0')
			if digits++; digits > 9 {
				return Time{}, errTime
			}
		}
		if digits == 0 {
			return Time{}, errTime
		}
		for ; digits < 9; digits++ {
			nanos *= 10
		}
	}
	offset, ok := parseOffset(text[i:])
	if !ok || year == 0 && month < 3 { // the year 0 is near enough to 1 at its end alone
		return Time{}, errTime
	}
	days := daysOf(year, month, day)
	if _, m, _ := dateOf(days); m != month { // the 30th of February has become another day
		return Time{}, errTime
	}
	seconds := int64(days)*daySeconds + int64(hour*3600+minute*60+second) - int64(offset/time.Second)
	t := Time{seconds*1e7 + int64(nanos/100), uint8(nanos % 100)}
	if seconds < 0 || t.Ticks >= endTicks {
		return Time{}, errTime
	}
	return t, nil
}

func parseOffset(text []byte) (time.Duration, bool) {
	if len(text) == 1 && text[0] == 'Z' {
		return 0, true
	}
	if len(text) != len("+02:00") || text[3] != ':' {
		return 0, false
	}
	for _, i := range [...]int{1, 2, 4, 5} {
		if text[i]-'0' > 9 {
			return 0, false
		}
	}
	hours, minutes := int(text[1]-'0')*10+int(text[2]-'0'), int(text[4]-'0')*10+int(text[5]-'0')
	if hours > 23 || minutes > 59 {
		return 0, false
	}
	d := time.Duration(hours)*time.Hour + time.Duration(minutes)*time.Minute
	switch text[0] {
	case '+':
		return d, true
	case '-':
		return -d, true
	}
	return 0, false
}
