package query

import (
	"math/bits"
	"strings"
)

// A timeScanner reads the parts of a time from a text.
type timeScanner struct {
	text string
	at   int
}

// peek returns the next byte, 0 at the end.
func (s *timeScanner) peek() byte {
	if s.at < len(s.text) {
		return s.text[s.at]
	}
	return 0
}

// take goes past the next byte if it is one of set, and returns it.
func (s *timeScanner) take(set string) byte {
	c := s.peek()
	if c == 0 || strings.IndexByte(set, c) < 0 {
		return 0
	}
	s.at++
	return c
}

func (s *timeScanner) spaces() {
	for s.peek() == ' ' {
		s.at++
	}
}

func (s *timeScanner) end() bool { return s.at == len(s.text) }

// number reads digits, and returns how many: none or more than most is 0.
func (s *timeScanner) number(most int) (n int64, digits int) {
	for c := s.peek(); c >= '0' && c <= '9'; c = s.peek() {
		if digits++; digits > most {
			return 0, 0
		}
		n = n*10 + int64(c-'0')
		s.at++
	}
	return n, digits
}

// fraction reads the digits after a point as so many digits; it drops what is beyond.
func (s *timeScanner) fraction(digits int) (n int64, found int) {
	for c := s.peek(); c >= '0' && c <= '9'; c = s.peek() {
		if found < digits {
			n = n*10 + int64(c-'0')
		}
		found++
		s.at++
	}
	for i := found; i < digits; i++ {
		n *= 10
	}
	return n, found
}

// parseDatetime reads a datetime: 2020-01-31, with T or a space and a time of day, with Z
// or an offset from UTC. A date may be written 2020, 1, 31 or 01-31-2020 as well. Of a
// fraction of a second, nine digits count.
func parseDatetime(text string) (Value, bool) {
	s := &timeScanner{text: strings.TrimSpace(text)}
	ticks, ok := s.date()
	if !ok {
		return NullOf(Datetime), false
	}
	var rest int64
	if !s.end() {
		if s.take("Tt ") == 0 {
			return NullOf(Datetime), false
		}
		s.spaces()
		clock, more, ok := s.timeOfDay()
		if !ok {
			return NullOf(Datetime), false
		}
		offset, ok := s.offset()
		if !ok {
			return NullOf(Datetime), false
		}
		ticks, rest = ticks+clock-offset, more
	}
	v := DatetimeOf(ticks, uint8(rest))
	return v, !v.Null
}

// date reads year, month and day in this order, or if the year is last, the month first.
func (s *timeScanner) date() (ticks int64, ok bool) {
	var parts [3]int64
	var digits [3]int
	var separator byte
	for i := range parts {
		if i > 0 {
			s.spaces()
			found := s.take("-/,.")
			if found == 0 || i == 2 && found != separator {
				return 0, false
			}
			separator = found
			s.spaces()
		}
		if parts[i], digits[i] = s.number(4); digits[i] == 0 {
			return 0, false
		}
	}
	switch {
	case digits[0] == 4 && digits[1] <= 2 && digits[2] <= 2:
		return dateTicks(parts[0], parts[1], parts[2])
	case digits[0] <= 2 && digits[1] <= 2 && digits[2] == 4 && separator != ',' && separator != '.':
		return dateTicks(parts[2], parts[0], parts[1])
	}
	return 0, false
}

// timeOfDay reads hours and minutes, with or without seconds and their fraction: ticks,
// and nanoseconds beyond them.
func (s *timeScanner) timeOfDay() (ticks, rest int64, ok bool) {
	hour, digits := s.number(2)
	if digits == 0 || hour > 23 || s.take(":") == 0 {
		return 0, 0, false
	}
	minute, digits := s.number(2)
	if digits == 0 || minute > 59 {
		return 0, 0, false
	}
	ticks = hour*ticksHour + minute*ticksMinute
	if s.take(":") == 0 {
		return ticks, 0, true
	}
	second, digits := s.number(2)
	if digits == 0 || second > 59 {
		return 0, 0, false
	}
	ticks += second * ticksSecond
	if s.take(".") == 0 {
		return ticks, 0, true
	}
	nanos, found := s.fraction(9)
	return ticks + nanos/100, nanos % 100, found > 0
}

// offset reads Z, +hh:mm, -hhmm or +hh up to the end, as ticks; nothing is UTC.
func (s *timeScanner) offset() (ticks int64, ok bool) {
	if s.end() {
		return 0, true
	}
	s.spaces()
	if s.take("Zz") != 0 {
		return 0, s.end()
	}
	sign := s.take("+-")
	start := s.at
	hour, digits := s.number(4)
	var minute int64
	switch {
	case sign == 0 || digits == 0:
		return 0, false
	case digits == 4:
		hour, minute = hour/100, hour%100
	case digits == 2 && s.take(":") != 0:
		if minute, digits = s.number(2); digits != 2 {
			return 0, false
		}
	case s.at-start > 2:
		return 0, false
	}
	ticks = hour*ticksHour + minute*ticksMinute
	if minute > 59 || ticks > 14*ticksHour || !s.end() {
		return 0, false
	}
	if sign == '-' {
		return -ticks, true
	}
	return ticks, true
}

// parseTimespan reads a timespan as totimespan and time() do: [-][d.]hh:mm[:ss[.fraction]],
// a number of days, or a literal with its unit.
func parseTimespan(text string) (ticks int64, ok bool) {
	text = strings.TrimSpace(text)
	body, negative := strings.CutPrefix(text, "-")
	if ticks, ok = parseTimespanLiteral(body); !ok {
		ticks, ok = parseClock(body)
	}
	if ok && negative {
		return -ticks, true
	}
	if !ok && body == "10675199.02:48:05.4775808" && negative {
		return -1 << 63, true // the least timespan, which has no opposite
	}
	return ticks, ok
}

// parseClock reads [d.]hh:mm[:ss[.fraction]] or d.
func parseClock(text string) (ticks int64, ok bool) {
	s := &timeScanner{text: text}
	n, digits := s.number(8)
	if digits == 0 {
		return 0, false
	}
	var days int64
	switch {
	case s.end():
		return scaleTicks(n, ticksDay)
	case s.take(".") != 0:
		days = n
	default:
		s.at = 0
	}
	clock, rest, ok := s.timeOfDay()
	if !ok || !s.end() || rest != 0 {
		return 0, false
	}
	if days, ok = scaleTicks(days, ticksDay); !ok {
		return 0, false
	}
	return sumTicks(days, clock)
}

// parseTimespanLiteral reads a number, which may have a fraction, and a unit, as 1.5h.
// What is less than a tick is dropped.
func parseTimespanLiteral(text string) (ticks int64, ok bool) {
	s := &timeScanner{text: text}
	whole, digits := s.number(18)
	if digits == 0 {
		return 0, false
	}
	var fraction int64
	if s.take(".") != 0 {
		if fraction, digits = s.fraction(18); digits == 0 {
			return 0, false
		}
	}
	s.spaces()
	unit, perTick := unitTicks(text[s.at:])
	if unit == 0 {
		return 0, false
	}
	if perTick > 1 {
		return whole / perTick, true
	}
	if ticks, ok = scaleTicks(whole, unit); !ok {
		return 0, false
	}
	high, low := bits.Mul64(uint64(fraction), uint64(unit))
	part, _ := bits.Div64(high, low, 1e18)
	return sumTicks(ticks, int64(part))
}

// unitTicks returns the ticks of a unit of timespan literals, or how many of it are a
// tick. An unknown unit has 0 ticks.
func unitTicks(unit string) (ticks, perTick int64) {
	switch unit {
	case "d", "day", "days":
		return ticksDay, 1
	case "h", "hr", "hrs", "hour", "hours":
		return ticksHour, 1
	case "m", "min", "minute", "minutes":
		return ticksMinute, 1
	case "s", "sec", "second", "seconds":
		return ticksSecond, 1
	case "ms", "milli", "millis", "millisec", "millisecond", "milliseconds":
		return ticksMilli, 1
	case "micro", "micros", "microsec", "microsecond", "microseconds":
		return ticksMicro, 1
	case "nano", "nanos", "nanosec", "nanosecond", "nanoseconds":
		return 1, 100
	case "tick", "ticks":
		return 1, 1
	}
	return 0, 1
}
