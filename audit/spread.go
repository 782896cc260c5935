package audit

import (
	"math"
	"slices"
	"strconv"

	"toolledger/query"
)

// A spread says what is usual of a count, by those of earlier times of the same length. It is
// robust: one wild day in the baseline does not hide the next.
//
//	median  the middle one in order, or the mean of the two in the middle
//	MAD     the median of the distances from the median
//	spread  the greatest of 1.4826 MAD, the square root of the median, and 1
//	score   (count - median) / spread
//
// 1.4826 makes of the MAD what the standard deviation is where counts are normally distributed;
// a score beyond 3.5 is called an outlier by Iglewicz and Hoaglin, "How to Detect and Handle
// Outliers", 1993, whom the NIST/SEMATECH e-Handbook of Statistical Methods follows (1.3.5.17;
// its 0.6745 is 1/1.4826). The MAD of counts that hardly differ is 0 or near, and every other
// count would be an outlier: the square root is how much counts of independent events differ at
// least (Poisson), and 1 is one event.
type spread struct{ median, spread float64 }

// leastCounts is how many earlier counts there must be: of fewer nobody knows what is usual.
const leastCounts = 3

const madScale = 1.4826

// spreadOf returns the spread of counts, of which there is at least one. It sorts them.
func spreadOf(counts []float64) spread {
	median := medianOf(counts)
	distances := make([]float64, len(counts))
	for i, n := range counts {
		distances[i] = math.Abs(n - median)
	}
	return spread{median, max(madScale*medianOf(distances), math.Sqrt(median), 1)}
}

func medianOf(numbers []float64) float64 {
	slices.Sort(numbers)
	n := len(numbers)
	if n%2 == 1 {
		return numbers[n/2]
	}
	return (numbers[n/2-1] + numbers[n/2]) / 2
}

// score returns how many spreads a count is above the median.
func (s spread) score(count float64) float64 { return (count - s.median) / s.spread }

// value returns what is expected within a threshold: median, spread, and the least and the
// greatest count, to two places.
func (s spread) value(threshold float64) query.Value {
	out := []byte(`{"median":`)
	number := func(f float64) { out = strconv.AppendFloat(out, math.Round(f*100)/100, 'f', -1, 64) }
	number(s.median)
	out = append(out, `,"spread":`...)
	number(s.spread)
	out = append(out, `,"least":`...)
	number(max(s.median-threshold*s.spread, 0))
	out = append(out, `,"most":`...)
	number(s.median + threshold*s.spread)
	return query.DynamicOf(string(append(out, '}')))
}
