package audit

import (
	"cmp"
	"slices"

	"toolledger/query"
)

// A sceneSource is where the entries around a call are found.
type sceneSource interface {
	// find gives the entries that w wants, whole or only their keys.
	find(w *sceneWant, whole bool) ([]*sceneEntry, error)
	// around returns between which places, these too, there are up to so many entries of a
	// session before a place, and between which behind another one. Behind the end of the
	// session there may be none.
	around(session string, first, last int64, before, after int64) (front, back sceneSpan)
}

// A sceneWant says which entries are wanted.
type sceneWant struct {
	columns map[string]map[string]bool // of each column that is named, the values that all wanted entries have
	keep    func(session string, at int64, request string) bool
	parents map[string]bool // in the place of keep: what they name as their parent
}

// mostValues is how many values a look at a ledger is narrowed by: to ask each block for more
// would take longer than to read it.
const mostValues = 128

// A ledgerEntries finds them in the table entries.
type ledgerEntries struct{ s *scenes }

func (l ledgerEntries) find(w *sceneWant, whole bool) (found []*sceneEntry, err error) {
	look := query.Lookup{Table: "entries", Fields: sceneColumns[:sceneKeys],
		Keys: []query.Field{sceneColumns[sceneSession], sceneColumns[sceneIndex], sceneColumns[sceneRequest]},
		Keep: func(keys *query.Batch, row int) bool {
			return w.keep(keys.Cols[0].At(row).S, keys.Cols[1].At(row).N, keys.Cols[2].At(row).S)
		}}
	if w.parents != nil {
		look.Keys = []query.Field{sceneColumns[sceneParent]}
		look.Keep = func(keys *query.Batch, row int) bool { return w.parents[keys.Cols[0].At(row).S] }
	}
	if whole {
		look.Fields = sceneColumns
	}
	for column, values := range w.columns {
		if len(values) > mostValues {
			continue
		}
		c := query.Condition{Column: column}
		for text := range values {
			c.In = append(c.In, query.StringOf(text))
		}
		look.Where = append(look.Where, c)
	}
	err = l.s.run.Look(&look, func(b *query.Batch) error {
		size := 0
		for row := range b.N {
			e := entryOf(b, row)
			size += e.size()
			found = append(found, e)
		}
		return l.s.hold(size)
	})
	return found, err
}

// around counts: a session of a ledger has no gap.
func (l ledgerEntries) around(_ string, first, last int64, before, after int64) (front, back sceneSpan) {
	return sceneSpan{first - min(before, first), first - 1}, sceneSpan{last + 1, last + min(after, noIndex-last)}
}

// heldEntries are those of rows that are of no ledger, by session and place.
type heldEntries struct {
	entries  []*sceneEntry
	sessions map[string][]*sceneEntry
}

// holdEntries makes a source of rows. A row without index stands behind those of its session
// that have one.
func holdEntries(rows []*sceneEntry) *heldEntries {
	h := &heldEntries{rows, map[string][]*sceneEntry{}}
	for i, e := range rows {
		if e.v[sceneSeq].Null {
			e.order = int64(i)
		}
		if e.v[sceneIndex].Null {
			e.at = noIndex - int64(len(rows)-i)
		}
		h.sessions[e.text(sceneSession)] = append(h.sessions[e.text(sceneSession)], e)
	}
	for _, list := range h.sessions {
		slices.SortStableFunc(list, func(a, b *sceneEntry) int { return cmp.Compare(a.at, b.at) })
	}
	return h
}

func (h *heldEntries) find(w *sceneWant, _ bool) (found []*sceneEntry, err error) {
	for _, e := range h.entries {
		if w.parents[e.text(sceneParent)] || w.parents == nil && w.keep(e.text(sceneSession), e.at, e.text(sceneRequest)) {
			found = append(found, e)
		}
	}
	return found, nil
}

func (h *heldEntries) around(session string, first, last int64, before, after int64) (front, back sceneSpan) {
	list := h.sessions[session]
	from, to := firstFrom(list, first), firstFrom(list, last+1)
	front, back = sceneSpan{first, first - 1}, sceneSpan{last + 1, last}
	if n := int(min(before, int64(from))); n > 0 {
		front = sceneSpan{list[from-n].at, list[from-1].at}
	}
	if n := int(min(after, int64(len(list)-to))); n > 0 {
		back = sceneSpan{list[to].at, list[to+n-1].at}
	}
	return front, back
}
