package audit

import (
	"math"
	"testing"
)

func TestSpread(t *testing.T) {
	for _, c := range []struct {
		name           string
		counts         []float64
		median, spread float64
		count, score   float64
		value          string
	}{
		{"the square root is greater", []float64{10, 12, 11, 9, 10, 13, 10}, 10, math.Sqrt(10), 22, 12 / math.Sqrt(10), `{"median":10,"spread":3.16,"least":0,"most":21.07}`},
		{"the MAD is greater", []float64{10, 40, 20, 50, 30}, 30, 14.826, 100, 70 / 14.826, `{"median":30,"spread":14.83,"least":0,"most":81.89}`},
		{"an even number", []float64{4, 1, 3, 2}, 2.5, math.Sqrt(2.5), 0, -2.5 / math.Sqrt(2.5), `{"median":2.5,"spread":1.58,"least":0,"most":8.03}`},
		{"never before", []float64{0, 0, 0}, 0, 1, 4, 4, `{"median":0,"spread":1,"least":0,"most":3.5}`},
		{"always the same", []float64{100, 100, 100}, 100, 10, 64, -3.6, `{"median":100,"spread":10,"least":65,"most":135}`},
		{"one wild day does not count", []float64{10, 10, 10, 10, 1e6}, 10, math.Sqrt(10), 10, 0, `{"median":10,"spread":3.16,"least":0,"most":21.07}`},
	} {
		s := spreadOf(c.counts)
		if s.median != c.median || math.Abs(s.spread-c.spread) > 1e-9 || math.Abs(s.score(c.count)-c.score) > 1e-9 || s.value(3.5).S != c.value {
			t.Errorf("%s: median %v, spread %v, score %v, %s; want %v, %v, %v, %s", c.name, s.median, s.spread, s.score(c.count), s.value(3.5).S, c.median, c.spread, c.score, c.value)
		}
	}
}

func TestShapeOf(t *testing.T) {
	for args, want := range map[string]string{
		``:                               ``,
		`{}`:                             `{}`,
		`{"path":"a"}`:                   `{"path":"string"}`,
		`{"b":1,"a":[1],"c":{"d":null}}`: `{"a":"array","b":"number","c":"object"}`,
		`{"t":true,"f":false,"n":null,"é\"":-1e400}`: `{"f":"bool","n":"null","t":"bool","é\"":"number"}`,
		`["a"]`: `"array"`,
	} {
		if got := shapeOf(args); got != want {
			t.Errorf("shapeOf(%s) = %s, want %s", args, got, want)
		}
	}
}
