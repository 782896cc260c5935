package query

// A rowGroup is rows with the same keys.
type rowGroup struct {
	keys []Value
	accs []Accumulator
	more []multiAccumulator

	counted int // bytes that are counted for it
	seen    int // the last batch that had it
}

// groups reads in and returns the groups, in the order in which they were first seen.
func (s *summary) groups(r *run, in *relation, operator string, grouped bool) ([]*rowGroup, error) {
	g := &grouper{s: s, r: r, operator: operator}
	if !grouped {
		g.add(nil)
	}
	err := r.each2(in.open(r), func(b *Batch) error { return g.batch(b) })
	if err != nil {
		return nil, err
	}
	return g.groups, nil
}

// each2 is each for an operator that fills the columns that it needs itself.
func (r *run) each2(in Batches, use func(b *Batch) error) error {
	for b, err := range in {
		if err == nil {
			err = r.ctx.Err()
		}
		if err == nil {
			err = use(b)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// A grouper finds the group of each row.
type grouper struct {
	s        *summary
	r        *run
	operator string
	groups   []*rowGroup
	batches  int            // so far
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

// batch adds the rows of a batch to their groups.
func (g *grouper) batch(b *Batch) error {
	keys := make([]*Vector, len(g.s.keys))
	for i, e := range g.s.keys {
		v, err := e.eval(b)
		if err != nil {
			return err
		}
		keys[i] = v
	}
	of, err := g.find(b, keys)
	if err != nil {
		return err
	}
	for c, call := range g.s.calls {
		args := make([]*Vector, len(call.args))
		for i, e := range call.args {
			v, err := e.eval(b)
			if err != nil {
				return err
			}
			args[i] = v
		}
		values := make([]Value, len(args))
		for row := range b.N {
			for i, v := range args {
				values[i] = v.At(row)
			}
			gr := g.groups[of[row]]
			if call.multi != nil {
				gr.more[c].add(values)
			} else {
				gr.accs[c].Add(values)
			}
		}
	}
	g.batches++
	held := 0
	for _, i := range of {
		if n := g.groups[i]; n.seen < g.batches {
			n.seen = g.batches
			size := n.size()
			held += size - n.counted
			n.counted = size
		}
	}
	return g.r.hold(g.operator, held)
}

// find returns the group of each row, new ones included.
func (g *grouper) find(b *Batch, keys []*Vector) ([]int, error) {
	of := make([]int, b.N)
	switch len(keys) {
	case 0:
		if len(g.groups) == 0 && b.N > 0 {
			g.add(nil)
		}
		return of, nil
	case 1:
		if g.one == nil {
			g.one = map[key]int{}
		}
		v := keys[0]
		if v.codes != nil { // once a value
			known := make([]int, len(v.values))
			for row, c := range v.codes {
				if known[c] == 0 {
					known[c] = g.group1(v.values[c]) + 1
				}
				of[row] = known[c] - 1
			}
			return of, nil
		}
		for row := range of {
			of[row] = g.group1(v.At(row))
		}
		return of, nil
	}
	if g.many == nil {
		g.many = map[string]int{}
	}
	values := make([]Value, len(keys))
	for row := range of {
		for i, v := range keys {
			values[i] = v.At(row)
		}
		of[row] = g.groupN(values)
	}
	return of, nil
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

// results computes the columns of the groups.
func (s *summary) results(groups []*rowGroup) ([][]Value, error) {
	rows := make([][]Value, len(groups))
	for i, g := range groups {
		row := append(make([]Value, 0, len(s.keys)+s.width()), g.keys...)
		for c := range s.calls {
			if m := g.more[c]; m != nil {
				row = append(row, m.values()...)
			} else {
				row = append(row, g.accs[c].Value())
			}
		}
		rows[i] = row
	}
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
