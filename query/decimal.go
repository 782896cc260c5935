package query

import (
	"math/big"
	"strconv"
	"strings"
)

// A decimal is coef / 10^scale. In a [Value] it is text: digits with a point or without, and
// no zeros that say nothing, so that equal decimals are equal texts.
type decimal struct {
	coef  *big.Int
	scale int
}

const (
	decimalDigits   = 34 // that a result keeps
	maxDecimalScale = 38 // digits behind the point
	maxDecimalWhole = 38 // digits before it
)

var ten = big.NewInt(10)

func powerOfTen(n int) *big.Int { return new(big.Int).Exp(ten, big.NewInt(int64(n)), nil) }

// parseDecimal reads digits with or without a sign, a point and an exponent.
func parseDecimal(text string) (Value, bool) {
	text = strings.Trim(text, blanks)
	mantissa, exponent, scientific := text, 0, false
	if at := strings.IndexAny(text, "eE"); at >= 0 {
		n, err := strconv.Atoi(text[at+1:])
		if err != nil || n > maxDecimalWhole || n < -10*maxDecimalScale {
			return NullOf(Decimal), false
		}
		mantissa, exponent, scientific = text[:at], n, true
	}
	whole, fraction, point := strings.Cut(strings.TrimLeft(mantissa, "+-"), ".")
	digits := whole + fraction
	if signs := len(mantissa) - len(strings.TrimLeft(mantissa, "+-")); signs > 1 || whole == "" || (point || scientific) && digits == "" || len(digits) > 1000 {
		return NullOf(Decimal), false
	}
	coef, ok := new(big.Int).SetString(digits, 10)
	if !ok || strings.ContainsAny(digits, "+-_") {
		return NullOf(Decimal), false
	}
	if strings.HasPrefix(mantissa, "-") {
		coef.Neg(coef)
	}
	v := decimal{coef, len(fraction) - exponent}.value()
	return v, !v.Null
}

// decimalOf reads a value that is one, or a long.
func decimalOf(v Value) decimal {
	if v.Kind != Decimal {
		return decimal{big.NewInt(v.N), 0}
	}
	whole, fraction, _ := strings.Cut(v.S, ".")
	coef, _ := new(big.Int).SetString(whole+fraction, 10)
	return decimal{coef, len(fraction)}
}

// value rounds to what a decimal holds, half away from zero. What is too great is null.
func (d decimal) value() Value {
	size := len(new(big.Int).Abs(d.coef).String())
	d = d.rounded(max(d.scale-max(size-decimalDigits, 0), min(d.scale, 0)))
	if d.scale > maxDecimalScale {
		d = d.rounded(maxDecimalScale)
	}
	if d.scale < 0 {
		d = decimal{new(big.Int).Mul(d.coef, powerOfTen(-d.scale)), 0}
	}
	digits := new(big.Int).Abs(d.coef).String()
	if len(digits) <= d.scale {
		digits = strings.Repeat("0", d.scale-len(digits)+1) + digits
	}
	whole, fraction := digits[:len(digits)-d.scale], strings.TrimRight(digits[len(digits)-d.scale:], "0")
	if len(whole) > maxDecimalWhole {
		return NullOf(Decimal)
	}
	if fraction != "" {
		whole += "." + fraction
	}
	if d.coef.Sign() < 0 {
		whole = "-" + whole
	}
	return Value{Kind: Decimal, S: whole}
}

// rounded has so many digits behind the point, if it had more.
func (d decimal) rounded(scale int) decimal {
	if scale >= d.scale {
		return d
	}
	by := powerOfTen(d.scale - scale)
	half := new(big.Int).Quo(by, big.NewInt(2))
	if d.coef.Sign() < 0 {
		half.Neg(half)
	}
	sum := new(big.Int).Add(d.coef, half)
	return decimal{sum.Quo(sum, by), scale}
}

// aligned gives two decimals the same scale.
func aligned(a, b decimal) (x, y *big.Int, scale int) {
	scale = max(a.scale, b.scale)
	x = new(big.Int).Mul(a.coef, powerOfTen(scale-a.scale))
	y = new(big.Int).Mul(b.coef, powerOfTen(scale-b.scale))
	return x, y, scale
}

func addDecimals(a, b decimal) decimal {
	x, y, scale := aligned(a, b)
	return decimal{x.Add(x, y), scale}
}

func subtractDecimals(a, b decimal) decimal {
	return addDecimals(a, decimal{new(big.Int).Neg(b.coef), b.scale})
}

func multiplyDecimals(a, b decimal) decimal {
	return decimal{new(big.Int).Mul(a.coef, b.coef), a.scale + b.scale}
}

// divideDecimals computes more digits than a decimal holds. b is not 0.
func divideDecimals(a, b decimal) decimal {
	x, y, _ := aligned(a, b)
	more := 2*decimalDigits + max(0, len(y.String())-len(x.String()))
	x.Mul(x, powerOfTen(more))
	return decimal{x.Quo(x, y), more}
}

// moduloDecimals is never negative, as modulo. b is not 0.
func moduloDecimals(a, b decimal) decimal {
	x, y, scale := aligned(a, b)
	return decimal{x.Mod(x, y), scale}
}

func compareDecimals(a, b Value) int {
	x, y, _ := aligned(decimalOf(a), decimalOf(b))
	return x.Cmp(y)
}

// decimals2 is an operator of decimals and longs.
func decimals2(f func(a, b decimal) decimal, divides bool) arith {
	return arith{Decimal, func(a []Value) Value {
		x, y := decimalOf(a[0]), decimalOf(a[1])
		if divides && y.coef.Sign() == 0 {
			return NullOf(Decimal)
		}
		return f(x, y).value()
	}}
}

// toDecimal converts what is not null. A real is the shortest decimal that reads back as it.
func toDecimal(v Value) Value {
	switch v.Kind {
	case Bool, Int, Long:
		return decimal{big.NewInt(v.N), 0}.value()
	case Real:
		d, _ := parseDecimal(strconv.FormatFloat(v.Real(), 'e', -1, 64))
		return d
	case String:
		d, _ := parseDecimal(v.S)
		return d
	}
	return NullOf(Decimal)
}

// decimalTo converts a decimal to another kind; to a whole number it loses its fraction.
func decimalTo(v Value, to Kind) Value {
	switch to {
	case Bool:
		return BoolOf(v.S != "0")
	case Real:
		return RealOf(v.Real())
	case Int, Long:
		whole, _, _ := strings.Cut(v.S, ".")
		bits := 64
		if to == Int {
			bits = 32
		}
		if n, err := strconv.ParseInt(whole, 10, bits); err == nil {
			return Value{Kind: to, N: n}
		}
	}
	return NullOf(to)
}

// A decimalSum has the sum of decimals and, for avg, how many they are.
type decimalSum struct {
	sum  decimal
	n    int64
	mean bool
}

func (s *decimalSum) Add(args []Value) {
	if !args[0].Null {
		s.sum = addDecimals(s.sum, decimalOf(args[0]))
		s.n++
	}
}

// Value of a mean of nothing is null.
func (s *decimalSum) Value() Value {
	switch {
	case !s.mean:
		return s.sum.value()
	case s.n == 0:
		return NullOf(Decimal)
	}
	return divideDecimals(s.sum, decimalOf(LongOf(s.n))).value()
}
func (s *decimalSum) Size() int { return 96 }
