package audit

import (
	"cmp"
	"slices"
	"sort"
)

// A sceneSpan is the places of a session from one to another, both too; none where to is less.
type sceneSpan struct{ from, to int64 }

// firstFrom returns where in a list of entries in order of their places that of a place, or the
// first behind it, is.
func firstFrom(list []*sceneEntry, place int64) int {
	return sort.Search(len(list), func(i int) bool { return list[i].at >= place })
}

// in returns those of entries in order of their places that are in the span.
func (s sceneSpan) in(list []*sceneEntry) []*sceneEntry {
	if s.to < s.from {
		return nil
	}
	from := firstFrom(list, s.from)
	to := from + sort.Search(len(list)-from, func(i int) bool { return list[from+i].at > s.to })
	return list[from:to]
}

// merged returns spans in order that have the same places and do not overlap.
func merged(spans []sceneSpan) []sceneSpan {
	slices.SortFunc(spans, func(a, b sceneSpan) int { return cmp.Compare(a.from, b.from) })
	out := spans[:0]
	for _, s := range spans {
		switch last := len(out) - 1; {
		case s.to < s.from:
		case last >= 0 && s.from <= out[last].to:
			out[last].to = max(out[last].to, s.to)
		default:
			out = append(out, s)
		}
	}
	return out
}

// A sceneNear is what stands around a call in its session. The call's own entries are whole in
// it.
type sceneNear struct{ before, after []*sceneEntry }

// near finds the neighbours of calls, and makes their own entries whole.
func (s *scenes) near(from sceneSource, calls []*sceneCall) (map[*sceneCall]*sceneNear, error) {
	w := newWant()
	delete(w.want.columns, "request")
	spans := map[string][]sceneSpan{}
	for _, c := range calls {
		w.pair(c.session(), "")
		front, back := from.around(c.session(), c.first().at, c.end().at, s.before, s.after)
		of := append(spans[c.session()], front, back)
		for _, e := range c.entries {
			of = append(of, sceneSpan{e.at, e.at})
		}
		spans[c.session()] = of
	}
	for session := range spans {
		spans[session] = merged(spans[session])
	}
	w.want.keep = func(session string, at int64, _ string) bool {
		of := spans[session]
		i := sort.Search(len(of), func(i int) bool { return of[i].to >= at })
		return i < len(of) && of[i].from <= at
	}
	entries, err := from.find(&w.want, true)
	if err != nil {
		return nil, err
	}
	found := map[string][]*sceneEntry{}
	for _, e := range entries {
		found[e.text(sceneSession)] = append(found[e.text(sceneSession)], e)
	}
	for _, list := range found {
		slices.SortStableFunc(list, func(a, b *sceneEntry) int { return cmp.Compare(a.at, b.at) })
	}
	near := map[*sceneCall]*sceneNear{}
	for _, c := range calls {
		list := found[c.session()]
		front, back := from.around(c.session(), c.first().at, c.end().at, s.before, s.after)
		near[c] = &sceneNear{front.in(list), back.in(list)}
		for i, e := range c.entries {
			if whole := (sceneSpan{e.at, e.at}).in(list); len(whole) == 1 { // of several, rows that are given, each is whole
				c.entries[i] = whole[0]
			}
		}
	}
	return near, nil
}
