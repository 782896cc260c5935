package capture

import (
	"math"
	"math/big"
	"strconv"
	"strings"
	"time"
)

// ParseTime reads a time in the forms that logs have:
//
//	RFC 3339, as 2026-02-12T14:12:02.413Z      source ""
//	the same without a zone, which means UTC   source "no zone"
//	a number of seconds, milliseconds, microseconds or nanoseconds since 1970,
//	told apart by its size                     source "", or "rounded" if a double cannot hold the nanoseconds
//
// It is zero for anything else.
func ParseTime(v Value) Time {
	if v.IsNumber() {
		return parseUnix(string(v), true)
	}
	text := v.Text()
	if t, err := time.Parse(time.RFC3339Nano, text); err == nil {
		return inRange(Time{Time: t})
	}
	for _, layout := range []string{"2006-01-02T15:04:05.999999999", "2006-01-02 15:04:05.999999999Z07:00", "2006-01-02 15:04:05.999999999"} {
		if t, err := time.Parse(layout, text); err == nil {
			if strings.Contains(layout, "Z07") {
				return inRange(Time{Time: t})
			}
			return inRange(Time{t, "no zone"})
		}
	}
	return parseUnix(text, false)
}

// parseUnix reads a number; isNumber tells that it is none in a string, so that it may have gone through a double.
func parseUnix(token string, isNumber bool) Time {
	size, err := strconv.ParseFloat(token, 64)
	if err != nil || math.Abs(size) > math.MaxInt64 {
		return Time{}
	}
	unit := time.Second
	for _, u := range []struct {
		below float64
		unit  time.Duration
	}{{1e11, time.Second}, {1e14, time.Millisecond}, {1e17, time.Microsecond}, {math.MaxInt64, time.Nanosecond}} {
		if math.Abs(size) < u.below {
			unit = u.unit
			break
		}
	}
	return unixTime(token, unit, isNumber)
}

// UnixTime reads a time as a number of units since 1970, in a string or not, and one in RFC 3339 too. Zero is none.
func UnixTime(v Value, unit time.Duration) Time {
	token := v.Key()
	if f, err := strconv.ParseFloat(token, 64); err != nil || f == 0 {
		if v.IsText() && err != nil {
			return ParseTime(v)
		}
		return Time{}
	}
	return unixTime(token, unit, v.IsNumber())
}

// unixTime reads a number of units since 1970.
func unixTime(token string, unit time.Duration, isNumber bool) Time {
	size, err := strconv.ParseFloat(token, 64)
	if err != nil || math.Abs(size) > math.MaxInt64 {
		return Time{}
	}
	r := new(big.Rat)
	if len(token) > 40 || strings.ContainsAny(token, "eExXpP_") { // would be slow to take to the letter
		r.SetFloat64(size)
	} else if _, ok := r.SetString(token); !ok {
		return Time{}
	}
	r.Mul(r, new(big.Rat).SetInt64(int64(unit)))
	nanos := new(big.Int).Quo(r.Num(), r.Denom())
	if !nanos.IsInt64() {
		return Time{}
	}
	t := Time{Time: time.Unix(0, nanos.Int64()).UTC()}
	if isNumber && unit == time.Nanosecond {
		t.Source = "rounded"
	}
	return inRange(t)
}

// inRange returns t, or zero if a ledger has no such time.
func inRange(t Time) Time {
	if y := t.UTC().Year(); y < 1 || y > 9999 {
		return Time{}
	}
	t.Time = t.UTC()
	return t
}
