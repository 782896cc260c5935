package query

import (
	"runtime"
	"sync"
	"sync/atomic"
)

// A rowGroup is rows with the same keys.
type rowGroup struct {
	keys []Value
	accs []Accumulator
	more []multiAccumulator

	counted int // bytes that are counted for it
}

// groups reads in and returns the groups, in the order in which they were first seen.
func (s *summary) groups(r *run, in *relation, operator string, grouped bool) ([]*rowGroup, error) {
	g := &grouper{s: s, r: r, operator: operator, one: map[key]int{}, many: map[string]int{}}
	if !grouped {
		g.add(nil)
	}
	if err := digested(r, in, s.group, g.batch); err != nil {
		return nil, err
	}
	return g.groups, nil
}

// A grouper puts the groups of batches together.
type grouper struct {
	s        *summary
	r        *run
	operator string
	groups   []*rowGroup
	one      map[key]int    // of a single key
	many     map[string]int // of several
	text     []byte
}

func (g *grouper) add(keys []Value) int {
	n := &rowGroup{keys: keys}
	for _, c := range g.s.calls {
		var a Accumulator
		var m multiAccumulator
		if c.multi != nil {
			m = c.multi()
		} else {
			a = c.make()
		}
		n.accs, n.more = append(n.accs, a), append(n.more, m)
	}
	g.groups = append(g.groups, n)
	return len(g.groups) - 1
}

// batch adds the groups of a batch to those of the batches before it.
func (g *grouper) batch(b *groupedBatch) error {
	of := make([]*rowGroup, len(b.first))
	for i, row := range b.first {
		of[i] = g.groups[g.find(b.keys, int(row))]
	}
	for c, call := range g.s.calls {
		if b.partials[c] != nil {
			for i, gr := range of {
				b.partials[c].mergeInto(gr.accs[c], i)
			}
			continue
		}
		args := b.args[c]
		values := make([]Value, len(args))
		for row, i := range b.of {
			for k, v := range args {
				values[k] = v.At(row)
			}
			if call.multi != nil {
				of[i].more[c].add(values)
			} else {
				of[i].accs[c].Add(values)
			}
		}
	}
	b.release()
	held := 0
	for _, n := range of {
		size := n.size()
		held += size - n.counted
		n.counted = size
	}
	return g.r.hold(g.operator, held)
}

// find returns the group of a row.
func (g *grouper) find(keys []*Vector, row int) int {
	switch len(keys) {
	case 0:
		if len(g.groups) == 0 {
			g.add(nil)
		}
		return 0
	case 1:
		return g.group1(keys[0].At(row))
	}
	values := make([]Value, len(keys))
	for i, v := range keys {
		values[i] = v.At(row)
	}
	return g.groupN(values)
}

func (g *grouper) group1(v Value) int {
	k := v.key()
	n, ok := g.one[k]
	if !ok {
		v = v.own()
		n = g.add([]Value{v})
		g.one[v.key()] = n
	}
	return n
}

func (g *grouper) groupN(values []Value) int {
	g.text = g.text[:0]
	for _, v := range values {
		g.text = v.key().append(g.text)
	}
	n, ok := g.many[string(g.text)]
	if !ok {
		keys := make([]Value, len(values))
		for i, v := range values {
			keys[i] = v.own()
		}
		n = g.add(keys)
		g.many[string(g.text)] = n
	}
	return n
}

// append appends k so that different lists of keys give different bytes.
func (k key) append(dst []byte) []byte {
	null := byte(0)
	if k.null {
		null = 1
	}
	dst = append(dst, byte(k.kind), null, k.rest)
	for s := 0; s < 64; s += 8 {
		dst = append(dst, byte(k.n>>s))
	}
	n := len(k.s)
	dst = append(dst, byte(n), byte(n>>8), byte(n>>16), byte(n>>24))
	return append(dst, k.s...)
}

// result returns the keys of a group and what its aggregations give.
func (s *summary) result(g *rowGroup) []Value {
	row := append(make([]Value, 0, len(s.keys)+s.width()), g.keys...)
	for c := range s.calls {
		if m := g.more[c]; m != nil {
			row = append(row, m.values()...)
		} else {
			row = append(row, g.accs[c].Value())
		}
	}
	return row
}

// results computes the columns of the groups.
func (s *summary) results(groups []*rowGroup) ([][]Value, error) {
	rows := make([][]Value, len(groups))
	var next atomic.Int64
	var done sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), len(groups)) { // a percentile looks at all values once more
		done.Go(func() {
			for i := next.Add(1) - 1; i < int64(len(groups)); i = next.Add(1) - 1 {
				rows[i] = s.result(groups[i])
			}
		})
	}
	done.Wait()
	var fields []Field
	for _, k := range s.keys {
		fields = append(fields, Field{Kind: k.kind()})
	}
	for _, c := range s.calls {
		if len(c.more) == 0 {
			fields = append(fields, Field{Kind: c.k})
		}
		fields = append(fields, c.more...)
	}
	b := batchOf(fields, rows)
	out := make([][]Value, len(groups))
	for i, g := range groups {
		out[i] = append(make([]Value, 0, len(s.fields)), g.keys...)
	}
	for _, e := range s.exprs {
		v, err := e.eval(b)
		if err != nil {
			return nil, err
		}
		for i := range out {
			out[i] = append(out[i], v.At(i))
		}
	}
	return out, nil
}
