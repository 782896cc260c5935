package query

// What aggregations make of the groups of a batch.

// counts is how many rows each group has.
type counts []int64

func countsByGroup(g *groupedBatch, _ []*Vector) partial {
	n := make(counts, len(g.first))
	for _, i := range g.of {
		n[i]++
	}
	return n
}

func (n counts) mergeInto(a Accumulator, i int) { a.(*rowCount).n += n[i] }

// A numberAdder is an accumulator that takes the N of values, in the order of their rows,
// and keeps them if it wants to.
type numberAdder interface {
	addNumbers(numbers []int64)
}

// groupNumbers are the N of the values of a column, by groups, in the order of the rows.
type groupNumbers struct {
	of    []int64
	start []int // of each group, and the end of the last
}

// numbersByGroup gives the first argument by groups; nil if N is not all that its values are.
func numbersByGroup(g *groupedBatch, args []*Vector) partial {
	v := args[0]
	if v.Kind == Decimal {
		return nil
	}
	for i := range v.values {
		if v.values[i].Rest > 0 || v.values[i].S != "" {
			return nil
		}
	}
	if v.codes != nil {
		return codedByGroup(g, v)
	}
	out := &groupNumbers{start: make([]int, len(g.first)+1)}
	next := make([]int, len(g.first)+1) // how many, then where the next one goes
	for row, i := range g.of {
		if v.ints != nil || !v.values[v.place(row)].Null {
			next[i+1]++
		}
	}
	for i := 1; i < len(next); i++ {
		next[i] += next[i-1]
	}
	copy(out.start, next)
	out.of = make([]int64, next[len(next)-1])
	if v.ints != nil {
		for row, i := range g.of {
			out.of[next[i]] = v.ints[row]
			next[i]++
		}
		return out
	}
	for row, i := range g.of {
		if value := &v.values[v.place(row)]; !value.Null {
			out.of[next[i]] = value.N
			next[i]++
		}
	}
	return out
}

// codedByGroup is numbersByGroup of a vector with codes. The rows that are not null are found
// first, without a jump: which they are, no processor foresees.
func codedByGroup(g *groupedBatch, v *Vector) *groupNumbers {
	present := make([]uint8, len(v.values))
	for code := range v.values {
		if !v.values[code].Null {
			present[code] = 1
		}
	}
	rows := takeNumbers(len(g.of))
	defer giveNumbers(rows)
	codes, found := v.codes[:len(g.of)], 0
	for row, code := range codes {
		rows[found] = uint32(row)
		found += int(present[code])
	}
	out := &groupNumbers{of: make([]int64, found), start: make([]int, len(g.first)+1)}
	next := make([]int, len(g.first)+1) // how many, then where the next one goes
	for _, row := range rows[:found] {
		next[g.of[row]+1]++
	}
	for i := 1; i < len(next); i++ {
		next[i] += next[i-1]
	}
	copy(out.start, next)
	for _, row := range rows[:found] {
		i := g.of[row]
		out.of[next[i]] = v.values[codes[row]].N
		next[i]++
	}
	return out
}

// place returns where the value of a row is among the values.
func (v *Vector) place(row int) int {
	switch {
	case v.codes != nil:
		return int(v.codes[row])
	case v.one:
		return 0
	}
	return row
}

func (n *groupNumbers) mergeInto(a Accumulator, i int) {
	if from, to := n.start[i], n.start[i+1]; from < to {
		a.(numberAdder).addNumbers(n.of[from:to:to])
	}
}

// extremes are the greatest values of groups, or the least.
type extremes []extremeValue

func extremesByGroup(sign int) func(g *groupedBatch, args []*Vector) partial {
	return func(g *groupedBatch, args []*Vector) partial {
		best := make(extremes, len(g.first))
		for i := range best {
			best[i] = extremeValue{best: NullOf(args[0].Kind), sign: sign}
		}
		value := make([]Value, 1)
		for row, i := range g.of {
			value[0] = args[0].At(row)
			best[i].Add(value)
		}
		return best
	}
}

func (e extremes) mergeInto(a Accumulator, i int) {
	if e[i].any {
		a.Add([]Value{e[i].best})
	}
}

// distinctRows are the rows in which each group has a value for the first time.
type distinctRows struct {
	v    *Vector
	rows [][]uint32 // of each group
}

func distinctByGroup(g *groupedBatch, args []*Vector) partial {
	pairs := &groupedBatch{of: append(takeNumbers(len(g.of))[:0], g.of...), first: g.first}
	of := takeNumbers(len(g.of))
	first := numbersOf(of, args[0])
	pairs.cross(of, len(first))
	giveNumbers(pairs.of)
	giveNumbers(of)
	out := &distinctRows{args[0], make([][]uint32, len(g.first))}
	for _, row := range pairs.first {
		i := g.of[row]
		out.rows[i] = append(out.rows[i], row)
	}
	return out
}

func (d *distinctRows) mergeInto(a Accumulator, i int) {
	value := make([]Value, 1)
	for _, row := range d.rows[i] {
		value[0] = d.v.At(int(row))
		a.Add(value)
	}
}

// filteredPartial gives a Partial the rows alone whose predicate, an argument, is true.
func filteredPartial(of func(*groupedBatch, []*Vector) partial, predicate int) func(*groupedBatch, []*Vector) partial {
	if of == nil {
		return nil
	}
	return func(g *groupedBatch, args []*Vector) partial {
		rows, err := selected(vectorExpr{args[predicate]}, &Batch{N: len(g.of)})
		if err != nil {
			return nil
		}
		some := &groupedBatch{of: make([]uint32, len(rows)), first: g.first}
		for i, row := range rows {
			some.of[i] = g.of[row]
		}
		taken := make([]*Vector, predicate)
		for i := range taken {
			taken[i] = args[i].Take(rows)
		}
		p := of(some, taken)
		if p == nil {
			return nil
		}
		return filteredMerge{p}
	}
}

type filteredMerge struct{ partial }

func (f filteredMerge) mergeInto(a Accumulator, i int) {
	f.partial.mergeInto(a.(filteredRows).Accumulator, i)
}
