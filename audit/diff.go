package audit

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"

	"toolledger/chain"
	"toolledger/query"
)

// A diffCall is a call of one of two sessions that are compared. Texts are numbers in names, 0
// for what is absent.
type diffCall struct {
	index                        int64 // of its first entry
	tool, args, response         uint32
	verdict, phase               uint32
	argsRemoved, responseRemoved bool
	request                      uint32 // of an entry
	ordinal                      int32  // of a row that is a call already, else -1
}

// diffCallSize is about what an entry takes, and the call that it becomes.
const diffCallSize = 2 * 56

// A diffSide is one of the sessions.
type diffSide struct {
	session string
	entries []diffCall
	calls   []diffCall
}

// A differ compares two sessions.
type differ struct {
	run   *query.Run
	names *names
	sides [2]*diffSide
	held  int
}

// The columns that diff reads, by place.
const (
	diffSession = iota
	diffIndex
	diffTool
	diffArgs
	diffResponse
	diffRequest
	diffPhase
	diffVerdict
	diffOrdinal
	diffRemoved
)

// read takes the rows of a batch.
func (d *differ) read(b *query.Batch) error {
	for row := range b.N {
		at := func(c int) query.Value { return b.Cols[c].At(row) }
		name := func(c int) uint32 { return d.names.of(at(c).S) }
		e := diffCall{index: noIndex, tool: name(diffTool), args: d.json(at(diffArgs)), response: d.json(at(diffResponse)),
			request: name(diffRequest), phase: name(diffPhase), verdict: name(diffVerdict), ordinal: -1}
		if v := at(diffIndex); !v.Null {
			e.index = v.N
		}
		if v := at(diffOrdinal); !v.Null {
			e.ordinal = int32(min(v.N, math.MaxInt32))
		}
		e.argsRemoved, e.responseRemoved = removedFrom(at(diffRemoved), "args"), removedFrom(at(diffRemoved), "response")
		for i, side := range d.sides {
			if side.session == at(diffSession).S && (i == 0 || side != d.sides[0]) {
				side.entries = append(side.entries, e)
				d.held += diffCallSize
			}
		}
	}
	size := d.held + d.names.size
	d.held, d.names.size = 0, 0
	return d.run.Hold(size)
}

// json keeps a text in canonical form.
func (d *differ) json(v query.Value) uint32 {
	if v.Null {
		return 0
	}
	text, err := chain.Canonical(nil, []byte(v.S))
	if err != nil { // as 1e400 made by a function may be none
		return d.names.of(v.S)
	}
	return d.names.of(string(text))
}

// removedFrom tells whether the pointers of removed values lead into a member.
func removedFrom(pointers query.Value, member string) bool {
	if pointers.Null {
		return false
	}
	for _, p := range chain.Elements([]byte(pointers.S)) {
		if name, _, _ := strings.Cut(strings.TrimPrefix(chain.Unquote(p), "/"), "/"); name == member {
			return true
		}
	}
	return false
}

// fold puts the entries of a session together as calls: each member is that of the call's last
// entry that has it.
func (d *differ) fold(side *diffSide) {
	slices.SortStableFunc(side.entries, func(x, y diffCall) int { return cmp.Compare(x.index, y.index) })
	folder := query.NewCallFolder()
	for _, e := range side.entries {
		request := d.names.texts[e.request]
		if request != "" && e.ordinal >= 0 {
			request += "\x00" + strconv.Itoa(int(e.ordinal))
		}
		part := folder.Add("", request, d.names.texts[e.phase], e.response != 0)
		if part.Begins {
			side.calls = append(side.calls, e)
			continue
		}
		c := &side.calls[part.Call]
		for _, m := range [...]struct{ to, from *uint32 }{{&c.tool, &e.tool}, {&c.args, &e.args}, {&c.response, &e.response}, {&c.verdict, &e.verdict}, {&c.phase, &e.phase}} {
			if *m.from != 0 {
				*m.to = *m.from
			}
		}
		c.argsRemoved, c.responseRemoved = c.argsRemoved || e.argsRemoved, c.responseRemoved || e.responseRemoved
	}
	side.entries = nil
}

// identities returns what tells calls apart: tool and args. One whose args were removed is like
// no other.
func (d *differ) identities() (of [2][]uint32) {
	type call struct{ tool, args uint32 }
	number := map[call]uint32{}
	next := uint32(0)
	for i, side := range d.sides {
		for _, c := range side.calls {
			key := call{c.tool, c.args}
			n, ok := number[key]
			if !ok || c.argsRemoved {
				next++
				n = next
			}
			if !ok && !c.argsRemoved {
				number[key] = n
			}
			of[i] = append(of[i], n)
		}
	}
	return of
}

// A diffStep is one row of the comparison: the places of a call in both sessions, -1 in that which
// has it not.
type diffStep struct{ a, b int }

// steps aligns the calls by what they are, and then those between by their tools.
func (d *differ) steps() ([]diffStep, error) {
	a, b := d.sides[0].calls, d.sides[1].calls
	check := func() error { return d.run.Context().Err() }
	size := alignTrace + alignSize*(len(a)+len(b))
	if err := d.run.Hold(size); err != nil {
		return nil, err
	}
	of := d.identities()
	partner, err := align(of[0], of[1], check)
	if err != nil {
		return nil, err
	}
	var steps []diffStep
	i, j := 0, 0
	for next := 0; next <= len(a); next++ {
		to := len(b)
		if next < len(a) {
			if partner[next] < 0 {
				continue
			}
			to = int(partner[next])
		}
		if steps, err = d.between(steps, i, next, j, to, check); err != nil {
			return nil, err
		}
		if next < len(a) {
			steps = append(steps, diffStep{next, to})
		}
		i, j = next+1, to+1
	}
	d.run.Release(alignTrace)
	return steps, nil
}

// kind says how the calls of a step differ.
func (d *differ) kind(s diffStep) string {
	switch {
	case s.a < 0:
		return onlyB
	case s.b < 0:
		return onlyA
	}
	a, b := &d.sides[0].calls[s.a], &d.sides[1].calls[s.b]
	other := func(x, y uint32) bool { return x != y && x != 0 && y != 0 }
	switch {
	case a.argsRemoved || b.argsRemoved:
		return unknownRemoved
	case a.args != b.args:
		return differentArgs
	case other(a.verdict, b.verdict), other(a.phase, b.phase):
		return differentResponse
	case a.responseRemoved || b.responseRemoved:
		return unknownRemoved
	case a.response != b.response:
		return differentResponse
	}
	return sameCall
}

// changes says where the calls of a step differ; of what was removed, nothing.
func (d *differ) changes(s diffStep) (c changes) {
	a, b := &d.sides[0].calls[s.a], &d.sides[1].calls[s.b]
	text := func(n uint32) []byte {
		if n == 0 {
			return nil
		}
		return []byte(d.names.texts[n])
	}
	if !a.argsRemoved && !b.argsRemoved {
		c.compare("args", text(a.args), text(b.args))
	}
	if !a.responseRemoved && !b.responseRemoved {
		c.compare("response", text(a.response), text(b.response))
	}
	for _, m := range [...]struct {
		path string
		a, b uint32
	}{{"authorization", a.verdict, b.verdict}, {"phase", a.phase, b.phase}} {
		if m.a != 0 && m.b != 0 {
			c.compare(m.path, chain.Quote(d.names.texts[m.a]), chain.Quote(d.names.texts[m.b]))
		}
	}
	return c
}

// between appends the steps of calls none of which is in both sessions. Those of the same tool are
// the same call with other args.
func (d *differ) between(steps []diffStep, i, iEnd, j, jEnd int, check func() error) ([]diffStep, error) {
	tools := func(calls []diffCall) (list []uint32) {
		for _, c := range calls {
			list = append(list, c.tool)
		}
		return list
	}
	var partner []int32
	if i < iEnd && j < jEnd {
		var err error
		if partner, err = align(tools(d.sides[0].calls[i:iEnd]), tools(d.sides[1].calls[j:jEnd]), check); err != nil {
			return nil, err
		}
	}
	from := j
	for at := i; at < iEnd; at++ {
		if partner == nil || partner[at-i] < 0 {
			steps = append(steps, diffStep{at, -1})
			continue
		}
		for ; j < from+int(partner[at-i]); j++ {
			steps = append(steps, diffStep{-1, j})
		}
		steps = append(steps, diffStep{at, j})
		j++
	}
	for ; j < jEnd; j++ {
		steps = append(steps, diffStep{-1, j})
	}
	return steps, nil
}
