package audit

import (
	"cmp"
	"math"
	"slices"

	"toolledger/query"
)

// A forest is calls and which of them caused which. A call names the request of its parent,
// and a request may have been used by several calls, in one session or in many: [nearest]
// chooses.
type forest struct {
	run   *query.Run
	names *names
	rows  int
	calls query.Chunks[treeCall] // first one an entry; once they are folded, one a call
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
	linkSize  = 4 + 4 + 4 + 4 // of a call in the lists by which links are found, and while they are sorted
	none      = -1            // no call
	noOrdinal = -1
	noIndex   = math.MaxInt64 // behind all that have one
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
	if err := f.run.Hold(f.rows * (linkSize + foldSize)); err != nil {
		return err
	}
	for _, step := range [...]func() error{f.sort, f.fold, f.link, f.cut, f.plant} {
		if err := step(); err != nil {
			return err
		}
	}
	f.run.Release(f.rows * foldSize)
	return nil
}

// at returns the call of a place.
func (f *forest) at(i int32) *treeCall { return f.calls.At(int(i)) }

// each calls use for the place of each call, until there is an error or the query is to end.
func (f *forest) each(use func(i int32)) error {
	for i := range f.calls.Len() {
		if i%4096 == 0 {
			if err := f.run.Context().Err(); err != nil {
				return err
			}
		}
		use(int32(i))
	}
	return nil
}

// order sorts a list of places.
func (f *forest) order(list []int32, compare func(a, b int32) int) error {
	return query.StableSort(f.run.Context(), list, compare)
}

// sort brings the entries of each session into their order, whatever order they came in.
func (f *forest) sort() error {
	last := make([]int64, len(f.names.texts)) // index of each session
	sorted := true
	err := f.each(func(i int32) {
		c := f.at(i)
		sorted = sorted && c.index >= last[c.session]
		last[c.session] = c.index
	})
	if err != nil || sorted {
		return err
	}
	list, err := f.list(func(*treeCall) bool { return true })
	if err != nil {
		return err
	}
	err = f.order(list, func(a, b int32) int {
		x, y := f.at(a), f.at(b)
		return cmp.Or(cmp.Compare(x.session, y.session), cmp.Compare(x.index, y.index))
	})
	if err != nil {
		return err
	}
	f.arrange(list)
	return nil
}

// arrange brings the calls into the order of a list of all places, which it uses up: it goes
// round each circle of calls that take one another's place.
func (f *forest) arrange(list []int32) {
	for i := range list {
		first, at := *f.at(int32(i)), int32(i)
		for list[at] != int32(i) {
			next := list[at]
			*f.at(at), list[at], at = *f.at(next), at, next
		}
		*f.at(at), list[at] = first, at
	}
}

// foldSize is about what a call takes while calls are put together.
const foldSize = 96

// fold puts the entries together as calls, each in the place of its first entry.
func (f *forest) fold() error {
	folder := query.NewCallFolder()
	places := make([]int32, 0, f.rows) // of the calls of the folder
	n := int32(0)
	err := f.each(func(i int32) {
		c := *f.at(i)
		if c.ordinal != noOrdinal {
			c.whole = true
			*f.at(n) = c
			n++
			return
		}
		phase := f.names.texts[c.phase]
		p := folder.Add(f.names.texts[c.session], f.names.texts[c.request], phase, c.answered)
		if p.Ends && !p.Begins { // of one entry alone it is not known how long it took
			c.end = c.start
		}
		c.answered, c.ordinal = p.Ends, int32(p.Ordinal)
		if !p.Begins {
			f.at(places[p.Call]).add(&c)
			return
		}
		if c.request != 0 && c.phase != 0 && phase != "ATTEMPT" {
			c.note |= noteNoAttempt
		}
		places = append(places, n)
		*f.at(n) = c
		n++
	})
	f.calls.Cut(int(n))
	return err
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
func (f *forest) plant() error {
	list, err := f.list(func(*treeCall) bool { return true })
	if err != nil {
		return err
	}
	err = f.order(list, func(a, b int32) int {
		x, y := f.at(a), f.at(b)
		return cmp.Or(x.start.compare(y.start), cmp.Compare(x.order, y.order), cmp.Compare(a, b))
	})
	if err != nil {
		return err
	}
	for _, i := range slices.Backward(list) {
		c := f.at(i)
		if c.up != none {
			up := f.at(c.up)
			c.next, up.child = up.child, i
			up.children++
		}
	}
	f.roots = slices.DeleteFunc(list, func(i int32) bool { return f.at(i).up != none })
	return f.order(f.roots, f.compare)
}

// compare compares the places of two calls.
func (f *forest) compare(a, b int32) int {
	return cmp.Or(cmp.Compare(f.at(a).order, f.at(b).order), cmp.Compare(a, b))
}

// list returns those of the calls that use wants.
func (f *forest) list(wants func(*treeCall) bool) ([]int32, error) {
	list := make([]int32, 0, f.calls.Len())
	err := f.each(func(i int32) {
		if wants(f.at(i)) {
			list = append(list, i)
		}
	})
	return list, err
}
