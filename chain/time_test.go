package chain

import (
	"math/rand/v2"
	"testing"
	"time"
)

// TestTimeAsStandard compares days from 0001 to 9999, each at a random time of it, with the
// standard library's.
func TestTimeAsStandard(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	end := time.Date(10000, 1, 1, 0, 0, 0, 0, time.UTC)
	for day := time.Date(1, 1, 1, 0, 0, 0, 0, time.UTC); day.Before(end); day = day.AddDate(0, 0, 1+rng.IntN(3)) {
		nanos := rng.Int64N(1e9)
		for range rng.IntN(10) {
			nanos -= nanos % 1000
			nanos /= 10
		}
		want := day.Add(time.Duration(rng.IntN(daySeconds))*time.Second + time.Duration(nanos))
		text := want.Format(time.RFC3339Nano)
		got := TimeOf(want)
		if got.String() != text {
			t.Fatalf("%v is written %s, want %s", got, got, text)
		}
		if parsed, err := ParseTime([]byte(text)); err != nil || parsed != got {
			t.Fatalf("ParseTime(%s) = %v, %v, want %v", text, parsed, err, got)
		}
		zone := time.FixedZone("", rng.IntN(2*1439+1)*60-1439*60)
		local := want.In(zone).Format(time.RFC3339Nano)
		if len(local) < len(text) || local[4] != '-' || local[:4] == "0000" {
			continue
		}
		if parsed, err := ParseTime([]byte(local)); err != nil || parsed != got {
			t.Fatalf("ParseTime(%s) = %v, %v, want %v", local, parsed, err, got)
		}
	}
}

// TestTimeEdges: dates that are none, and times just outside the years that there are.
func TestTimeEdges(t *testing.T) {
	for text, want := range map[string]string{
		"0000-12-31T23:59:59-00:01":      "0001-01-01T00:00:59Z",
		"0000-12-31T23:59:59Z":           "",
		"0001-01-01T00:00:00+00:01":      "",
		"9999-12-31T23:59:59.999999999Z": "9999-12-31T23:59:59.999999999Z",
		"9999-12-31T23:59:59-00:01":      "",
		"0000-01-01T00:00:00Z":           "",
		"2000-02-29T00:00:00Z":           "2000-02-29T00:00:00Z",
		"1900-02-29T00:00:00Z":           "",
		"2023-02-29T00:00:00Z":           "",
		"2024-04-31T00:00:00Z":           "",
		"2024-12-32T00:00:00Z":           "",
		"2024-12-00T00:00:00Z":           "",
		"2024-13-01T00:00:00Z":           "",
	} {
		got, err := ParseTime([]byte(text))
		if (err == nil) != (want != "") || err == nil && got.String() != want {
			t.Errorf("ParseTime(%s) = %s, %v, want %q", text, got, err, want)
		}
	}
	for _, far := range []Time{{Ticks: -1}, {Ticks: endTicks}, {Ticks: 1<<63 - 1}, {Ticks: -1 << 63, Rest: 99}} {
		if got, want := far.String(), far.Time().Format(time.RFC3339Nano); got != want {
			t.Errorf("%d is written %s, want %s", far.Ticks, got, want)
		}
	}
}
