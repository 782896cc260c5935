package query

import (
	"fmt"
	"sync"
	"time"
	_ "time/tzdata" // the same zones on every machine that has none of its own
)

// zoneFuncs go from UTC to the time of a zone and back.
var zoneFuncs = []Func{
	{
		Name: "datetime_local_to_utc", Usage: "datetime_local_to_utc(datetime, zone)",
		Doc:     "The UTC of a time of day in a time zone, as Europe/Paris. Where clocks change, what was skipped or came twice is taken for the time after the change.",
		Example: `datetime_local_to_utc(datetime(2020-02-02 20:02:20), "Europe/Paris") == datetime(2020-02-02 19:02:20)`,
		Params:  []kinds{datetimes, strs}, Result: zoneResult("datetime_local_to_utc"),
		Eval: func(args []Value) Value { return inZone(args, localToUTC) },
	},
	{
		Name: "datetime_utc_to_local", Usage: "datetime_utc_to_local(datetime, zone)",
		Doc:     "The time of day in a time zone, as Europe/Paris, at a UTC datetime.",
		Example: `datetime_utc_to_local(datetime(2022-03-27 01:00), "Europe/Brussels") == datetime(2022-03-27 03:00)`,
		Params:  []kinds{datetimes, strs}, Result: zoneResult("datetime_utc_to_local"),
		Eval: func(args []Value) Value { return inZone(args, utcToLocal) },
	},
}

// zones has the zones that were asked for. There are no more than some hundred: unknown
// names are not kept.
var zones sync.Map

// zoneOf returns a time zone of the IANA database, nil if there is none of that name.
func zoneOf(name string) *time.Location {
	if zone, ok := zones.Load(name); ok {
		return zone.(*time.Location)
	}
	if name == "" || name == "Local" { // to Go, names of its own
		return nil
	}
	zone, err := time.LoadLocation(name)
	if err != nil {
		return nil
	}
	zones.Store(name, zone)
	return zone
}

// zoneResult refuses a constant zone that there is not.
func zoneResult(name string) func([]Arg) (Kind, error) {
	return func(args []Arg) (Kind, error) {
		if zone := args[1].Const; zone != nil && zoneOf(zone.S) == nil {
			return 0, fmt.Errorf("%s: time zone %q is not supported here", name, zone.S)
		}
		return Datetime, nil
	}
}

// inZone moves a datetime by what offset finds; without a zone it is null.
func inZone(args []Value, offset func(ticks int64, zone *time.Location) int64) Value {
	zone := zoneOf(args[1].S)
	if zone == nil {
		return NullOf(Datetime)
	}
	return DatetimeOf(args[0].N+offset(args[0].N, zone), args[0].Rest)
}

// utcToLocal returns how far the zone is ahead of UTC, in ticks.
func utcToLocal(ticks int64, zone *time.Location) int64 {
	_, seconds := time.Unix(floorDiv(ticks-unixEpoch, ticksSecond), 0).In(zone).Zone()
	return int64(seconds) * ticksSecond
}

// localToUTC returns how far UTC is ahead of the zone. Two days that enclose all that
// could be meant have the offsets before and after a change, if there is one.
func localToUTC(ticks int64, zone *time.Location) int64 {
	before, after := utcToLocal(ticks-ticksDay, zone), utcToLocal(ticks+ticksDay, zone)
	if before != after && utcToLocal(ticks-after, zone) != after && utcToLocal(ticks-before, zone) == before {
		return -before
	}
	return -after
}
