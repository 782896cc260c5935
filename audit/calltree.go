package audit

import (
	"cmp"
	"math"
	"slices"
	"unsafe"

	"toolledger/query"
)

// A forest is calls and which of them caused which. A call names the request of its parent,
// and a request may have been used by several calls, in one session or in many: [nearest]
// chooses.
type forest struct {
	run   *query.Run
	names *names
	rows  int
	calls []treeCall // first one an entry; once they are folded, one a call
	roots []int32
}

// A treeCall is a call; before they are folded, an entry. Texts are numbers of names, calls
// places among calls.
type treeCall struct {
	session, request, agent, tool, verdict, policy, phase, parent uint32

	index    int64 // of the first entry
	order    int64 // its place in the ledger, or among the rows
	start    moment
	end      moment  // of the entry that answered it
	duration float64 // in milliseconds, NaN if it is not known
	ordinal  int32
	answered bool // of an entry: it has a response
	whole    bool // it came as a call, not as entries
	note     treeNote
	among    int32 // calls that have the request of its parent

	up, child, next int32 // its parent, its first child, and the next child of its parent
	children        int32
}

const (
	treeCallSize = int(unsafe.Sizeof(treeCall{}))
	linkSize     = 4 + 4 + 4 + 4 // of a call in the lists by which links are found
	none         = -1            // no call
	noOrdinal    = -1
	noIndex      = math.MaxInt64 // behind all that have one
)

// A moment is a time, the zero one none.
type moment struct {
	ticks int64
	rest  uint8
	known bool
}

func momentOf(v query.Value) moment {
	if v.Null {
		return moment{}
	}
	return moment{v.N, v.Rest, true}
}

// compare puts a time that is not known behind those that are.
func (m moment) compare(o moment) int {
	if m.known != o.known {
		if m.known {
			return -1
		}
		return 1
	}
	return cmp.Or(cmp.Compare(m.ticks, o.ticks), cmp.Compare(m.rest, o.rest))
}

func newForest(r *query.Run) *forest { return &forest{run: r, names: newNames()} }

// grow makes calls of the entries, and trees of the calls.
func (f *forest) grow() error {
	f.sort()
	if err := f.run.Hold(len(f.calls) * (linkSize + foldSize)); err != nil {
		return err
	}
	f.fold()
	f.run.Release(f.rows * foldSize)
	f.link()
	f.cut()
	f.plant()
	return f.run.Context().Err()
}

// sort brings the entries of each session into their order, whatever order they came in.
func (f *forest) sort() {
	before := func(a, b *treeCall) int {
		return cmp.Or(cmp.Compare(a.session, b.session), cmp.Compare(a.index, b.index))
	}
	last := make([]int64, len(f.names.texts)) // index of each session
	for i := range f.calls {
		c := &f.calls[i]
		if c.index < last[c.session] {
			slices.SortStableFunc(f.calls, func(a, b treeCall) int { return before(&a, &b) })
			return
		}
		last[c.session] = c.index
	}
}

// foldSize is about what a call takes while calls are put together.
const foldSize = 96

// fold puts the entries together as calls, each in the place of its first entry.
func (f *forest) fold() {
	folder := query.NewCallFolder()
	places := make([]int32, 0, len(f.calls)) // of the calls of the folder
	n := 0
	for i := range f.calls {
		c := f.calls[i]
		if c.ordinal != noOrdinal {
			c.whole = true
			f.calls[n] = c
			n++
			continue
		}
		phase := f.names.texts[c.phase]
		p := folder.Add(f.names.texts[c.session], f.names.texts[c.request], phase, c.answered)
		if p.Ends && !p.Begins { // of one entry alone it is not known how long it took
			c.end = c.start
		}
		c.answered, c.ordinal = p.Ends, int32(p.Ordinal)
		if !p.Begins {
			f.calls[places[p.Call]].add(&c)
			continue
		}
		if c.request != 0 && c.phase != 0 && phase != "ATTEMPT" {
			c.note |= noteNoAttempt
		}
		places = append(places, int32(n))
		f.calls[n] = c
		n++
	}
	f.calls = f.calls[:n]
}

// add adds an entry: of each member the last value counts.
func (c *treeCall) add(e *treeCall) {
	for _, m := range [...]struct {
		to   *uint32
		from uint32
	}{{&c.agent, e.agent}, {&c.tool, e.tool}, {&c.verdict, e.verdict}, {&c.policy, e.policy}, {&c.phase, e.phase}, {&c.parent, e.parent}} {
		if m.from != 0 {
			*m.to = m.from
		}
	}
	if !math.IsNaN(e.duration) {
		c.duration = e.duration
	}
	if e.answered {
		c.answered, c.end = true, e.end
	}
}

// plant makes the lists of children and of roots.
func (f *forest) plant() {
	list := f.list(func(*treeCall) bool { return true })
	slices.SortFunc(list, func(a, b int32) int {
		x, y := &f.calls[a], &f.calls[b]
		return cmp.Or(x.start.compare(y.start), cmp.Compare(x.order, y.order), cmp.Compare(a, b))
	})
	for _, i := range slices.Backward(list) {
		c := &f.calls[i]
		if c.up != none {
			up := &f.calls[c.up]
			c.next, up.child = up.child, i
			up.children++
		}
	}
	f.roots = slices.DeleteFunc(list, func(i int32) bool { return f.calls[i].up != none })
	slices.SortFunc(f.roots, f.compare)
}

// compare compares the places of two calls.
func (f *forest) compare(a, b int32) int {
	return cmp.Or(cmp.Compare(f.calls[a].order, f.calls[b].order), cmp.Compare(a, b))
}

// list returns those of the calls that use wants.
func (f *forest) list(wants func(*treeCall) bool) []int32 {
	list := make([]int32, 0, len(f.calls))
	for i := range f.calls {
		if wants(&f.calls[i]) {
			list = append(list, int32(i))
		}
	}
	return list
}
