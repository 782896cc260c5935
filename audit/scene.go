package audit

import (
	"cmp"
	"hash/maphash"
	"slices"

	"toolledger/query"
)

// A sceneEntry is an entry that has to do with a call: the columns of sceneColumns, or only
// its keys.
type sceneEntry struct {
	v     []query.Value
	at    int64 // its place in the session: the index, or behind all that have one
	order int64 // its place in the ledger, or among the rows
}

// A scenePlace is where an entry is.
type scenePlace struct {
	session string
	at      int64
}

func (e *sceneEntry) text(c int) string { return e.v[c].S }
func (e *sceneEntry) place() scenePlace { return scenePlace{e.text(sceneSession), e.at} }
func (e *sceneEntry) answered() bool {
	return e.v[sceneAnswered].Bool() || len(e.v) > sceneKeys && !e.v[sceneResponse].Null
}

// size is about what the entry takes.
func (e *sceneEntry) size() int {
	n := 64 + 32*len(e.v)
	for i := range e.v {
		n += len(e.v[i].S)
	}
	return n
}

// entryOf returns a row of a batch of sceneColumns, or of its front.
func entryOf(b *query.Batch, row int) *sceneEntry {
	e := &sceneEntry{v: b.Row(row)}
	e.at, e.order = e.v[sceneIndex].N, e.v[sceneSeq].N
	if e.v[sceneIndex].Null {
		e.at = -1
	}
	return e
}

// A sceneCall is a call with its entries.
type sceneCall struct {
	ordinal  int64
	answered bool
	entries  []*sceneEntry // in their order; at least one
}

func (c *sceneCall) first() *sceneEntry { return c.entries[0] }
func (c *sceneCall) end() *sceneEntry   { return c.entries[len(c.entries)-1] }
func (c *sceneCall) session() string    { return c.first().text(sceneSession) }
func (c *sceneCall) request() string    { return c.first().text(sceneRequest) }

// last returns the last value of a column that an entry of the call has.
func (c *sceneCall) last(column int) query.Value {
	for _, e := range slices.Backward(c.entries) {
		if v := e.v[column]; !v.Null && (v.Kind != query.String || v.S != "") {
			return v
		}
	}
	return c.first().v[column]
}

func (c *sceneCall) parent() string { return c.last(sceneParent).S }

// compare compares the places of two calls in the ledger.
func (c *sceneCall) compare(o *sceneCall) int {
	return cmp.Or(cmp.Compare(c.first().order, o.first().order), cmp.Compare(c.session(), o.session()), cmp.Compare(c.first().at, o.first().at))
}

// foldCalls puts entries together as calls, which are in the order of their first entries.
func foldCalls(entries []*sceneEntry) (calls []*sceneCall) {
	slices.SortStableFunc(entries, func(a, b *sceneEntry) int {
		return cmp.Or(cmp.Compare(a.text(sceneSession), b.text(sceneSession)), cmp.Compare(a.at, b.at))
	})
	folder := query.NewCallFolder()
	for _, e := range entries {
		p := folder.Add(e.text(sceneSession), e.text(sceneRequest), e.text(scenePhase), e.answered())
		if p.Begins {
			calls = append(calls, &sceneCall{ordinal: p.Ordinal})
		}
		c := calls[p.Call]
		c.entries = append(c.entries, e)
		c.answered = c.answered || p.Ends
	}
	slices.SortStableFunc(calls, (*sceneCall).compare)
	return calls
}

// A sceneID stands for a call that was shown: its session, whose name is hashed with a key that
// nobody knows, and its first entry.
type sceneID struct {
	session   uint64
	at, order int64
}

var sceneSeed = maphash.MakeSeed()

func (c *sceneCall) id() sceneID {
	return sceneID{maphash.String(sceneSeed, c.session()), c.first().at, c.first().order}
}
