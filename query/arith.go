package query

import (
	"math"
	"sync"
)

// An arithKey is an operator with the kinds of its operands, where int and long are one.
type arithKey struct {
	op   byte
	l, r Kind
}

// An arith is what an operator does: the kind of its result, and how.
type arith struct {
	k Kind
	f func(a []Value) Value
}

func longs2(f func(a, b int64) int64) arith {
	return arith{Long, func(a []Value) Value { return LongOf(f(a[0].N, a[1].N)) }}
}

func reals2(f func(a, b float64) float64) arith {
	return arith{Real, func(a []Value) Value { return RealOf(f(a[0].Real(), a[1].Real())) }}
}

func spans(f func(a, b Value) (ticks int64, ok bool)) arith {
	return arith{Timespan, func(a []Value) Value {
		n, ok := f(a[0], a[1])
		if !ok {
			return NullOf(Timespan)
		}
		return TimespanOf(n)
	}}
}

// arithmetic is what + - * / and % do.
var arithmetic = sync.OnceValue(func() map[arithKey]arith {
	m := map[arithKey]arith{
		{'+', Long, Long}: longs2(func(a, b int64) int64 { return a + b }),
		{'-', Long, Long}: longs2(func(a, b int64) int64 { return a - b }),
		{'*', Long, Long}: longs2(func(a, b int64) int64 { return a * b }),
		{'/', Long, Long}: {Long, divideLongs},
		{'%', Long, Long}: {Long, func(a []Value) Value { return modulo(Long, a[0].N, a[1].N) }},

		{'+', Datetime, Timespan}: {Datetime, func(a []Value) Value { return addTicks(a[0], a[1].N) }},
		{'+', Timespan, Datetime}: {Datetime, func(a []Value) Value { return addTicks(a[1], a[0].N) }},
		{'-', Datetime, Timespan}: {Datetime, func(a []Value) Value { return addTicks(a[0], -a[1].N) }},
		{'-', Datetime, Datetime}: spans(func(a, b Value) (int64, bool) { return a.N - b.N, true }),
		{'+', Timespan, Timespan}: spans(func(a, b Value) (int64, bool) { return a.N + b.N, true }),
		{'-', Timespan, Timespan}: spans(func(a, b Value) (int64, bool) { return a.N - b.N, true }),
		{'%', Timespan, Timespan}: {Timespan, func(a []Value) Value { return modulo(Timespan, a[0].N, a[1].N) }},
		{'%', Datetime, Timespan}: {Timespan, func(a []Value) Value { return modulo(Timespan, a[0].N, a[1].N) }},
		{'/', Timespan, Timespan}: reals2(func(a, b float64) float64 { return a / b }),
		{'/', Datetime, Timespan}: reals2(func(a, b float64) float64 { return a / b }),
	}
	for _, n := range []Kind{Long, Real} {
		m[arithKey{'*', Timespan, n}] = spans(func(a, b Value) (int64, bool) { return scaled(a.N, b) })
		m[arithKey{'*', n, Timespan}] = spans(func(a, b Value) (int64, bool) { return scaled(b.N, a) })
		m[arithKey{'/', Timespan, n}] = spans(func(a, b Value) (int64, bool) {
			if b.Kind != Real {
				if b.N == 0 {
					return 0, false
				}
				return a.N / b.N, true
			}
			return ticksOf(float64(a.N) / b.Real())
		})
	}
	for _, pair := range [][2]Kind{{Decimal, Decimal}, {Decimal, Long}, {Long, Decimal}} {
		m[arithKey{'+', pair[0], pair[1]}] = decimals2(addDecimals, false)
		m[arithKey{'-', pair[0], pair[1]}] = decimals2(subtractDecimals, false)
		m[arithKey{'*', pair[0], pair[1]}] = decimals2(multiplyDecimals, false)
		m[arithKey{'/', pair[0], pair[1]}] = decimals2(divideDecimals, true)
		m[arithKey{'%', pair[0], pair[1]}] = decimals2(moduloDecimals, true)
	}
	for _, l := range []Kind{Long, Real} {
		for _, r := range []Kind{Long, Real} {
			if l == Long && r == Long {
				continue
			}
			m[arithKey{'+', l, r}] = reals2(func(a, b float64) float64 { return a + b })
			m[arithKey{'-', l, r}] = reals2(func(a, b float64) float64 { return a - b })
			m[arithKey{'*', l, r}] = reals2(func(a, b float64) float64 { return a * b })
			m[arithKey{'/', l, r}] = reals2(func(a, b float64) float64 { return a / b })
			m[arithKey{'%', l, r}] = reals2(realModulo)
		}
	}
	return m
})

func addTicks(v Value, ticks int64) Value {
	n := v.N + ticks
	if ticks > 0 && n < v.N || ticks < 0 && n > v.N {
		return NullOf(Datetime)
	}
	return DatetimeOf(n, v.Rest)
}

func divideLongs(a []Value) Value {
	if a[1].N == 0 {
		return NullOf(Long)
	}
	return LongOf(a[0].N / a[1].N) // truncates; the least long by -1 is itself
}

// modulo is never negative.
func modulo(k Kind, a, b int64) Value {
	if b == 0 {
		return NullOf(k)
	}
	n := a % b
	if n < 0 {
		if b < 0 {
			n -= b
		} else {
			n += b
		}
	}
	return Value{Kind: k, N: n}
}

// realModulo is never negative, as modulo.
func realModulo(a, b float64) float64 {
	m := math.Mod(a, b)
	if m < 0 {
		m += math.Abs(b)
	}
	return m
}

func scaled(ticks int64, by Value) (int64, bool) {
	if by.Kind == Real {
		return ticksOf(float64(ticks) * by.Real())
	}
	return ticks * by.N, true
}

func ticksOf(f float64) (int64, bool) {
	if math.IsNaN(f) || math.Abs(f) >= math.MaxInt64 {
		return 0, false
	}
	return int64(f), true
}
