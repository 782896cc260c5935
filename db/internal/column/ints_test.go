package column

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

func checkInts(tb testing.TB, values []int64) {
	tb.Helper()
	data := AppendInts([]byte("x"), values)
	got, err := DecodeInts([]int64{42}, data[1:])
	if err != nil || got[0] != 42 || !slices.Equal(got[1:], values) {
		tb.Fatalf("integers came back as %d, %v, want %d", got[1:], err, values)
	}
	r := rand.New(rand.NewPCG(uint64(len(values)), 1))
	for _, odds := range []int{1, 3, 1000} { // one integer of so many
		at, want := []uint16{}, []int64{}
		for i, v := range values {
			if r.IntN(odds) == 0 {
				at, want = append(at, uint16(i)), append(want, v)
			}
		}
		if got, err := DecodeIntsAt(nil, data[1:], at); err != nil || !slices.Equal(got, want) {
			tb.Fatalf("integers at %d came back as %d, %v, want %d", at, got, err, want)
		}
	}
	if _, err := DecodeIntsAt(nil, data[1:], []uint16{uint16(len(values))}); !errors.Is(err, ErrCorrupt) {
		tb.Fatalf("DecodeIntsAt past the end: error %v, want ErrCorrupt", err)
	}
	for _, bad := range [][]byte{data[1 : len(data)-1], append(data[1:], 0)} {
		if _, err := DecodeInts(nil, bad); !errors.Is(err, ErrCorrupt) {
			tb.Fatalf("DecodeInts of bytes cut short or too long: error %v, want ErrCorrupt", err)
		}
	}
}

func TestInts(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	series := func(n int, next func(i int) int64) (values []int64) {
		for i := range n {
			values = append(values, next(i))
		}
		return values
	}
	clock := int64(638_000_000_000_000_000)
	tests := []struct {
		name   string
		values []int64
		most   int // bytes
	}{
		{"none", nil, 1},
		{"one", []int64{-5}, 8},
		{"limits", []int64{math.MinInt64, math.MaxInt64, 0, -1, math.MaxInt64, math.MinInt64}, 90},
		{"constant", series(MaxRows, func(i int) int64 { return 1 << 60 }), 16},
		{"counter", series(MaxRows, func(i int) int64 { return int64(i) * 10 }), 16},
		{"countdown", series(MaxRows, func(i int) int64 { return -int64(i) }), 16},
		{"clock of milliseconds in ticks", series(MaxRows, func(i int) int64 { clock += r.Int64N(40) * 10_000; return clock }), MaxRows * 3 / 4},
		{"counter with a leap", series(MaxRows, func(i int) int64 { return int64(i) + int64(i/5000)<<50 }), 200},
		{"random", series(MaxRows, func(i int) int64 { return int64(r.Uint64()) }), MaxRows*8 + 64},
		{"random below 500", series(MaxRows, func(i int) int64 { return r.Int64N(500) }), MaxRows * 10 / 8},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			checkInts(t, test.values)
			if n := len(AppendInts(nil, test.values)); n > test.most {
				t.Errorf("%d integers take %d bytes, want at most %d", len(test.values), n, test.most)
			}
		})
	}
}
