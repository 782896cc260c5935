package query

import (
	"errors"
	"fmt"
	"strings"
)

// timeFormatFuncs write times in a form of one's own, which must be constant.
var timeFormatFuncs = []Func{
	{
		Name: "format_datetime", Usage: "format_datetime(datetime, format)",
		Doc:     "A datetime as text. The format is made of y yy yyyy M MM d dd h hh H HH m mm s ss tt, f or F up to seven times, and of space / - : , . _ [ ].",
		Example: `format_datetime(datetime(2017-01-29 09:00:05), "yy-MM-dd [hh:mm:ss tt]") == "17-01-29 [09:00:05 AM]"`,
		Params:  []kinds{datetimes, strs}, Result: timeFormatResult("format_datetime", datetimePieces),
		Bind: func(args []Arg) (func([]Value) Value, error) {
			return bindTimeFormat("format_datetime", datetimePieces, args)
		},
		KeepsName: true,
	},
	{
		Name: "format_timespan", Usage: "format_timespan(timespan, format)",
		Doc:     "A timespan as text. The format is made of d up to eight times, h hh H HH m mm s ss, f or F up to seven times, and of space / - : , . _ [ ].",
		Example: `format_timespan(1d + 2h + 30m, "d.hh:mm:ss") == "1.02:30:00"`,
		Params:  []kinds{timespans, strs}, Result: timeFormatResult("format_timespan", timespanPieces),
		Bind: func(args []Arg) (func([]Value) Value, error) {
			return bindTimeFormat("format_timespan", timespanPieces, args)
		},
		KeepsName: true,
	},
}

// datetimePieces and timespanPieces are what formats are made of, but for delimiters.
var (
	datetimePieces = []string{"y", "yy", "yyyy", "M", "MM", "d", "dd", "h", "hh", "H", "HH", "m", "mm", "s", "ss", "tt", "fffffff", "FFFFFFF"}
	timespanPieces = []string{"dddddddd", "h", "hh", "H", "HH", "m", "mm", "s", "ss", "fffffff", "FFFFFFF"}
)

// A timePiece of a format is a letter so many times, or a delimiter, which has 0 times.
type timePiece struct {
	letter byte
	times  int
}

// parseTimeFormat splits a format. A piece longer than others of allowed stands for the
// shorter ones.
func parseTimeFormat(format string, allowed []string) ([]timePiece, error) {
	if format == "" {
		return nil, errors.New("an empty format is not supported here")
	}
	var pieces []timePiece
	for i := 0; i < len(format); {
		c := format[i]
		if strings.IndexByte(" /-:,._[]", c) >= 0 {
			pieces = append(pieces, timePiece{letter: c})
			i++
			continue
		}
		n := i
		for n < len(format) && format[n] == c {
			n++
		}
		if !allowedTimePiece(format[i:n], allowed) {
			return nil, fmt.Errorf("%q is no part of a format", format[i:n])
		}
		if c == 'F' && i > 0 && format[i-1] == '.' {
			return nil, errors.New(`".F" in the format is not supported here`) // who knows whether the point goes too
		}
		pieces = append(pieces, timePiece{c, n - i})
		i = n
	}
	return pieces, nil
}

func allowedTimePiece(text string, allowed []string) bool {
	for _, a := range allowed {
		if a == text || len(a) > 6 && strings.HasPrefix(a, text) {
			return true
		}
	}
	return false
}

// constTimeFormat returns the pieces of the format, which is the second argument.
func constTimeFormat(name string, allowed []string, args []Arg) ([]timePiece, error) {
	if args[1].Const == nil {
		return nil, fmt.Errorf("%s: a format that is not constant is not supported here", name)
	}
	pieces, err := parseTimeFormat(args[1].Const.S, allowed)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return pieces, nil
}

func timeFormatResult(name string, allowed []string) func([]Arg) (Kind, error) {
	return func(args []Arg) (Kind, error) {
		_, err := constTimeFormat(name, allowed, args)
		return String, err
	}
}

// bindTimeFormat makes the function that writes times. A timespan is written without its
// sign after a minus.
func bindTimeFormat(name string, allowed []string, args []Arg) (func([]Value) Value, error) {
	pieces, err := constTimeFormat(name, allowed, args)
	if err != nil {
		return nil, err
	}
	return func(args []Value) Value {
		buf := make([]byte, 0, 32)
		v := args[0]
		if v.Kind == Timespan && v.N < 0 {
			buf = append(buf, '-')
		}
		days, clock := splitDays(v.N)
		for _, p := range pieces {
			switch {
			case p.times == 0:
				buf = append(buf, p.letter)
			case p.letter == 'd' && v.Kind == Timespan:
				buf = appendPadded(buf, days, p.times)
			case p.letter == 'h' && v.Kind == Datetime:
				buf = appendPadded(buf, (clock/ticksHour+11)%12+1, p.times)
			case strings.IndexByte("yMd", p.letter) >= 0:
				buf = appendDate(buf, days, p)
			default:
				buf = appendTimePiece(buf, clock, p)
			}
		}
		return StringOf(string(buf))
	}, nil
}

// appendDate writes a part of a date.
func appendDate(buf []byte, days int64, p timePiece) []byte {
	year, month, day := civilOf(days)
	switch {
	case p.letter == 'M':
		return appendPadded(buf, month, p.times)
	case p.letter == 'd':
		return appendPadded(buf, day, p.times)
	case p.times == 4:
		return appendPadded(buf, year, 4)
	}
	return appendPadded(buf, year%100, p.times)
}

// appendTimePiece writes a part of a time of day.
func appendTimePiece(buf []byte, clock int64, p timePiece) []byte {
	switch p.letter {
	case 'h', 'H':
		return appendPadded(buf, clock/ticksHour, p.times)
	case 'm':
		return appendPadded(buf, clock/ticksMinute%60, p.times)
	case 's':
		return appendPadded(buf, clock/ticksSecond%60, p.times)
	case 't':
		if clock < 12*ticksHour {
			return append(buf, "AM"...)
		}
		return append(buf, "PM"...)
	}
	start := len(buf)
	buf = appendPadded(buf, clock%ticksSecond, 7)[:start+p.times]
	if p.letter == 'F' {
		for len(buf) > start && buf[len(buf)-1] == '0' {
			buf = buf[:len(buf)-1]
		}
	}
	return buf
}
