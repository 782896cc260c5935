package query

import "sync"

// A groupedBatch is the rows of a batch by their groups, which are numbered in the order
// in which they come in it. Two may be of the same keys. It depends on no other batch, so
// it is made where a core is free.
type groupedBatch struct {
	keys     []*Vector
	of       []uint32    // the group of each row
	first    []uint32    // the first row of each group
	args     [][]*Vector // of each aggregation
	partials []partial   // of each aggregation that can be computed by batches, else nil
	batch    *Batch
}

// A partial is what an aggregation makes of each group of a batch.
type partial interface {
	// mergeInto adds what group i has to what came before.
	mergeInto(a Accumulator, i int)
}

// group groups the rows of a batch.
func (s *summary) group(b *Batch) (*groupedBatch, error) {
	g := &groupedBatch{batch: b, args: make([][]*Vector, len(s.calls)), partials: make([]partial, len(s.calls))}
	for _, e := range s.keys {
		v, err := e.eval(b)
		if err != nil {
			return nil, err
		}
		g.keys = append(g.keys, v)
	}
	g.number(b.N)
	for c, call := range s.calls {
		for _, e := range call.args {
			v, err := e.eval(b)
			if err != nil {
				return nil, err
			}
			g.args[c] = append(g.args[c], v)
		}
		if call.partial != nil {
			g.partials[c] = call.partial(g, g.args[c])
		}
	}
	return g, nil
}

// number numbers the groups of n rows.
func (g *groupedBatch) number(n int) {
	if g.of = takeNumbers(n); n == 0 {
		return
	}
	if len(g.keys) == 0 {
		g.first = []uint32{0}
		return
	}
	g.first = numbersOf(g.of, g.keys[0])
	for _, v := range g.keys[1:] {
		of := takeNumbers(n)
		first := numbersOf(of, v)
		g.cross(of, len(first))
		giveNumbers(of)
	}
}

// numberPool has slices with room for the rows of a block.
var numberPool = sync.Pool{New: func() any { return new([blockRows]uint32) }}

const blockRows = 8192

// takeNumbers returns n zeros.
func takeNumbers(n int) []uint32 {
	if n > blockRows || n < blockRows/16 {
		return make([]uint32, n)
	}
	of := numberPool.Get().(*[blockRows]uint32)[:n]
	clear(of)
	return of
}

// giveNumbers takes numbers back that nobody uses any more.
func giveNumbers(of []uint32) {
	if cap(of) == blockRows {
		numberPool.Put((*[blockRows]uint32)(of[:blockRows]))
	}
}

// release gives back the memory of the batch.
func (g *groupedBatch) release() {
	giveNumbers(g.of)
	g.of = nil
	g.batch.release()
}

// numbersOf numbers the values of a vector in the order in which they come, and returns
// the first row of each.
func numbersOf(of []uint32, v *Vector) (first []uint32) {
	switch {
	case v.one:
		return []uint32{0}
	case v.codes != nil:
		number := make([]uint32, len(v.values)) // plus one, of each code
		for row, c := range v.codes {
			if number[c] == 0 {
				first = append(first, uint32(row))
				number[c] = uint32(len(first))
			}
			of[row] = number[c] - 1
		}
	case v.ints != nil:
		number := map[int64]uint32{}
		for row, n := range v.ints {
			if row > 0 && n == v.ints[row-1] {
				of[row] = of[row-1]
				continue
			}
			k, ok := number[n]
			if !ok {
				k = uint32(len(first))
				first = append(first, uint32(row))
				number[n] = k
			}
			of[row] = k
		}
	default:
		number := map[key]uint32{}
		for row := range v.values {
			if row > 0 && v.values[row] == v.values[row-1] {
				of[row] = of[row-1]
				continue
			}
			value := v.values[row].key()
			k, ok := number[value]
			if !ok {
				k = uint32(len(first))
				first = append(first, uint32(row))
				number[value] = k
			}
			of[row] = k
		}
	}
	return first
}

// maxPairs is how many pairs of numbers have a place each.
const maxPairs = 1 << 16

// cross numbers the pairs of the groups so far and other numbers, of which there are most.
func (g *groupedBatch) cross(other []uint32, most int) {
	var first []uint32
	next := func(row int) uint32 {
		first = append(first, uint32(row))
		return uint32(len(first))
	}
	if len(g.first)*most <= maxPairs {
		number := make([]uint32, len(g.first)*most) // plus one
		for row, k := range g.of {
			at := &number[int(k)*most+int(other[row])]
			if *at == 0 {
				*at = next(row)
			}
			g.of[row] = *at - 1
		}
	} else {
		number := map[uint64]uint32{}
		for row, k := range g.of {
			pair := uint64(k)<<32 | uint64(other[row])
			at, ok := number[pair]
			if !ok {
				at = next(row)
				number[pair] = at
			}
			g.of[row] = at - 1
		}
	}
	g.first = first
}
