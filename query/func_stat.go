package query

import "math"

// statFuncs are the functions of distributions.
var statFuncs = []Func{
	{
		Name: "beta_cdf", Usage: "beta_cdf(x, alpha, beta)", Doc: "The cumulative beta distribution; NaN outside of 0 to 1, and of parameters that are not above 0 and at most 10,000.",
		Example: `round(beta_cdf(0.2, 10.0, 20.0), 10) == 0.0492635173`,
		Params:  []kinds{of(Real), of(Real), of(Real)}, Result: fixed(Real),
		Eval: func(a []Value) Value {
			x, alpha, beta := a[0].Real(), a[1].Real(), a[2].Real()
			if !(x >= 0 && x <= 1) || !isBeta(alpha, beta) {
				return RealOf(math.NaN())
			}
			return RealOf(incompleteBeta(x, alpha, beta))
		},
	},
	{
		Name: "beta_inv", Usage: "beta_inv(probability, alpha, beta)", Doc: "The x of which beta_cdf(x, alpha, beta) is the probability; null of a probability that is not above 0 and at most 1, NaN of parameters that are not above 0 and at most 10,000.",
		Example: `round(beta_inv(0.1, 10.0, 20.0), 10) == 0.2264150224`,
		Params:  []kinds{of(Real), of(Real), of(Real)}, Result: fixed(Real),
		Eval: func(a []Value) Value {
			p, alpha, beta := a[0].Real(), a[1].Real(), a[2].Real()
			switch {
			case !isBeta(alpha, beta):
				return RealOf(math.NaN())
			case !(p > 0 && p <= 1):
				return NullOf(Real)
			}
			return RealOf(inverseBeta(p, alpha, beta))
		},
	},
	{
		Name: "beta_pdf", Usage: "beta_pdf(x, alpha, beta)", Doc: "The density of the beta distribution; NaN outside of 0 to 1, and of parameters that are not above 0 and at most 10,000.",
		Example: `round(beta_pdf(0.5, 10.0, 20.0), 10) == 0.7461760193`,
		Params:  []kinds{of(Real), of(Real), of(Real)}, Result: fixed(Real),
		Eval: func(a []Value) Value {
			x, alpha, beta := a[0].Real(), a[1].Real(), a[2].Real()
			if !(x >= 0 && x <= 1) || !isBeta(alpha, beta) {
				return RealOf(math.NaN())
			}
			return RealOf(math.Exp(xlogy(alpha-1, x) + xlogy(beta-1, 1-x) - logBeta(alpha, beta)))
		},
	},
	realFunc("erf", "The error function.", `round(erf(1), 10) == 0.8427007929`, math.Erf),
	realFunc("erfc", "1 less the error function.", `round(erfc(1), 10) == 0.1572992071`, math.Erfc),
	{
		Name: "welch_test", Usage: "welch_test(mean1, variance1, count1, mean2, variance2, count2)",
		Doc:     "How probable it is that two samples of normal distributions differ so much although their means are the same.",
		Example: `round(welch_test(20.82, 7.87, 15, 22.99, 3.81, 15), 4) == 0.0212`,
		Params:  []kinds{of(Real), of(Real), of(Real), of(Real), of(Real), of(Real)}, Result: fixed(Real), Eval: welchTest,
	},
}

func isBeta(alpha, beta float64) bool {
	return alpha > 0 && alpha <= 10000 && beta > 0 && beta <= 10000
}

func logBeta(alpha, beta float64) float64 {
	return logGamma(alpha) + logGamma(beta) - logGamma(alpha+beta)
}

// xlogy is x log y, 0 if x is.
func xlogy(x, y float64) float64 {
	if x == 0 {
		return 0
	}
	return x * math.Log(y)
}

// incompleteBeta is the regularized incomplete beta function, as a continued fraction that
// converges fast where x is less than the mean; beyond it is 1 less that of 1-x.
func incompleteBeta(x, alpha, beta float64) float64 {
	switch {
	case x <= 0:
		return 0
	case x >= 1:
		return 1
	case x > (alpha+1)/(alpha+beta+2):
		return 1 - betaFraction(1-x, beta, alpha) // which side it is on is asked once: rounding may put 1-x on the same
	}
	return betaFraction(x, alpha, beta)
}

// betaFraction is incompleteBeta of an x between 0 and 1 that is not far beyond the mean.
func betaFraction(x, alpha, beta float64) float64 {
	front := math.Exp(alpha*math.Log(x)+beta*math.Log1p(-x)-logBeta(alpha, beta)) / alpha
	// The method of Lentz: f is the product of the ratios of numerators and denominators.
	const tiny = 1e-300
	f, c, d := 1.0, 1.0, 0.0
	for i := 0; i < 10000; i++ {
		m := float64(i / 2)
		term := 1.0
		switch {
		case i > 0 && i%2 == 0:
			term = m * (beta - m) * x / ((alpha + 2*m - 1) * (alpha + 2*m))
		case i > 0:
			term = -(alpha + m) * (alpha + beta + m) * x / ((alpha + 2*m) * (alpha + 2*m + 1))
		}
		if d = 1 + term*d; d == 0 {
			d = tiny
		}
		if c = 1 + term/c; c == 0 {
			c = tiny
		}
		d = 1 / d
		f *= c * d
		if i > 0 && math.Abs(1-c*d) < 1e-16 {
			break
		}
	}
	return front * (f - 1)
}

// inverseBeta halves the interval in which the x of a probability is.
func inverseBeta(p, alpha, beta float64) float64 {
	lo, hi := 0.0, 1.0
	for {
		x := lo + (hi-lo)/2
		if x <= lo || x >= hi {
			return x
		}
		if incompleteBeta(x, alpha, beta) < p {
			lo = x
		} else {
			hi = x
		}
	}
}

// welchTest is the two-sided p-value of Welch's t-test.
func welchTest(a []Value) Value {
	mean1, variance1, n1 := a[0].Real(), a[1].Real(), a[2].Real()
	mean2, variance2, n2 := a[3].Real(), a[4].Real(), a[5].Real()
	if n1 < 2 || n2 < 2 || variance1 < 0 || variance2 < 0 {
		return RealOf(math.NaN())
	}
	s1, s2 := variance1/n1, variance2/n2
	t2 := (mean1 - mean2) * (mean1 - mean2) / (s1 + s2)
	freedom := (s1 + s2) * (s1 + s2) / (s1*s1/(n1-1) + s2*s2/(n2-1))
	return RealOf(incompleteBeta(freedom/(freedom+t2), freedom/2, 0.5))
}
