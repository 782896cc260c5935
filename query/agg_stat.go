package query

import "math"

// distinctAgg counts different values, exactly. Of the arguments least must be there;
// dcount and dcountif may have one more, how exact Kusto's estimate is to be.
func distinctAgg(name string, least int, predicate bool) Agg {
	a := Agg{
		Name: name, Usage: name + "(value)", Doc: "How many different values there are, nulls left out; exact.",
		Example: `range x from 1 to 4 step 1 | summarize ` + name + `(x % 2) == 2`,
		Params:  []kinds{anyKind}, Min: least, Result: fixed(Long), Prefix: name + "_",
		New:     func([]Arg) Accumulator { return &distinctCount{seen: map[key]struct{}{}} },
		Partial: distinctByGroup,
	}
	a = withPredicate(a, predicate)
	if predicate {
		a.Example = `range x from 1 to 4 step 1 | summarize ` + name + `(x % 2, x < 2) == 1`
	}
	if name[0] == 'd' {
		a.Usage = a.Usage[:len(a.Usage)-1] + " [, accuracy])"
		a.Params = append(a.Params, longs)
	}
	return a
}

type distinctCount struct {
	seen map[key]struct{}
	size int
}

func (d *distinctCount) Add(args []Value) {
	if args[0].Null {
		return
	}
	k := args[0].key()
	if _, ok := d.seen[k]; !ok {
		d.seen[k] = struct{}{}
		d.size += 64 + len(k.s)
	}
}
func (d *distinctCount) Value() Value { return LongOf(int64(len(d.seen))) }
func (d *distinctCount) Size() int    { return 48 + d.size }

// spreadAgg is a variance or its root, of a sample or of a whole population.
func spreadAgg(name string, predicate, root, population bool) Agg {
	doc, value := "The variance", "2.5"
	switch {
	case root && population:
		value = "1.4142135623730951"
	case root:
		value = "1.5811388300841898"
	case population:
		value = "2.0"
	}
	if root {
		doc = "The standard deviation"
	}
	if population {
		doc += " of a whole population, 0 if there is nothing."
	} else {
		doc += " of a sample, 0 of less than two values."
	}
	call := name + "(x)"
	if predicate {
		call = name + "(x, x < 6)"
	}
	return withPredicate(Agg{
		Name: name, Doc: doc, Example: "range x from 1 to 5 step 1 | summarize " + call + " == " + value,
		Params: []kinds{numbers}, Result: fixed(Real), Prefix: name + "_",
		New: func([]Arg) Accumulator { return &deviation{root: root, population: population} },
	}, predicate)
}

// A deviation follows the mean and the sum of the squared distances from it (Welford).
type deviation struct {
	root, population bool
	n, mean, squares float64
}

func (s *deviation) Add(args []Value) {
	if args[0].Null {
		return
	}
	f := args[0].Real()
	s.n++
	d := f - s.mean
	s.mean += d / s.n
	s.squares += d * (f - s.mean)
}

// Value rounds the variance to ten digits after the point, as Kusto does, also before it
// takes the root.
func (s *deviation) Value() Value {
	n := s.n
	if !s.population {
		n--
	}
	if n < 1 {
		return RealOf(0)
	}
	variance := round10(s.squares / n)
	if s.root {
		variance = math.Sqrt(variance)
	}
	return RealOf(variance)
}
func (s *deviation) Size() int { return 32 }

func round10(f float64) float64 {
	if math.Abs(f) >= 1e16 {
		return f
	}
	return math.RoundToEven(f*1e10) / 1e10
}

// covarianceAgg is the covariance of two expressions, of a sample or of a whole population.
func covarianceAgg(name string, predicate, population bool) Agg {
	a := Agg{
		Name: name, Usage: name + "(x, y)", Doc: "The covariance of a sample, 0 of less than two pairs; pairs with a null are left out.",
		Example: "range x from 1 to 4 step 1 | summarize " + name + "(x, 3 * x) == 5.0",
		Params:  []kinds{numbers, numbers}, Result: fixed(Real), Prefix: name + "_", NameArgs: 2,
		New: func([]Arg) Accumulator { return &covariation{population: population} },
	}
	if population {
		a.Doc = "The covariance of a whole population, 0 if there is nothing; pairs with a null are left out."
		a.Example = "range x from 1 to 4 step 1 | summarize " + name + "(x, 4 * x) == 5.0"
	}
	if predicate {
		a.Usage = name + "(x, y, predicate)"
		a.Doc += " Only rows where the predicate is true count."
		a.Example = "range x from 1 to 6 step 1 | summarize " + name + a.Example[len("range x from 1 to 4 step 1 | summarize ")+len(name):]
		a.Example = a.Example[:len(a.Example)-len(") == 5.0")] + ", x < 5) == 5.0"
		a.Params = append(a.Params, of(Bool))
		a.New = filtered(a.New, 2)
	}
	return a
}

// A covariation follows two means and the sum of the products of the distances from them.
type covariation struct {
	population              bool
	n, meanX, meanY, spread float64
}

func (c *covariation) Add(args []Value) {
	if args[0].Null || args[1].Null {
		return
	}
	x, y := args[0].Real(), args[1].Real()
	c.n++
	dx := x - c.meanX
	c.meanX += dx / c.n
	c.meanY += (y - c.meanY) / c.n
	c.spread += dx * (y - c.meanY)
}

// Value is rounded as that of a variance is.
func (c *covariation) Value() Value {
	n := c.n
	if !c.population {
		n--
	}
	if n < 1 {
		return RealOf(0)
	}
	return RealOf(round10(c.spread / n))
}
func (c *covariation) Size() int { return 40 }
