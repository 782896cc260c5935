package audit

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"toolledger/query"
)

// A place is where a walk is among the children of a call.
type treePlace struct {
	call   int32
	number int // of the call among those of its parent, from 1
}

// placeSize is what a level of the walk takes.
const placeSize = 16

// walk gives the calls out, each before those it caused. It keeps its way itself: a chain of
// calls may be longer than a stack.
func (f *forest) walk(out func(row ...query.Value) error) error {
	var way []treePlace
	for n, root := range f.roots {
		way = append(way[:0], treePlace{root, n + 1})
		for {
			at := way[len(way)-1]
			c := f.at(at.call)
			if err := f.give(c, way, out); err != nil {
				return err
			}
			if c.child != none {
				if len(way) == cap(way) {
					if err := f.run.Hold(placeSize * max(cap(way), 1)); err != nil {
						return err
					}
				}
				way = append(way, treePlace{c.child, 1})
				continue
			}
			for len(way) > 1 && f.at(way[len(way)-1].call).next == none {
				way = way[:len(way)-1]
			}
			if len(way) == 1 {
				break
			}
			last := &way[len(way)-1]
			last.call, last.number = f.at(last.call).next, last.number+1
		}
	}
	return nil
}

// give gives a call out.
func (f *forest) give(c *treeCall, way []treePlace, out func(row ...query.Value) error) error {
	name := func(n uint32) query.Value { return query.StringOf(f.names.texts[n]) }
	index, start := query.LongOf(c.index), query.NullOf(query.Datetime)
	if c.index == noIndex {
		index = query.NullOf(query.Long)
	}
	if c.start.known {
		start = query.DatetimeOf(c.start.ticks, c.start.rest)
	}
	return out(query.LongOf(int64(len(way)-1)), query.StringOf(pathOf(way)), name(c.session), index, name(c.request), query.LongOf(int64(c.ordinal)), name(c.agent), name(c.tool),
		name(c.verdict), name(c.policy), name(c.phase), start, c.took(), query.LongOf(int64(c.children)), name(c.parent), query.StringOf(f.noteOf(c)))
}

// took is the duration that the call says; where it says none, the time until it was answered.
func (c *treeCall) took() query.Value {
	switch {
	case !math.IsNaN(c.duration):
		return query.RealOf(c.duration)
	case c.answered && c.start.known && c.end.known:
		ticks := c.end.ticks - c.start.ticks
		return query.RealOf(float64(ticks)/1e4 + (float64(c.end.rest)-float64(c.start.rest))/1e6)
	}
	return query.NullOf(query.Real)
}

// pathLevels is how many levels a path shows: that of a deep call has the first and the last
// of them, and how many are between.
const pathLevels = 32

// pathOf returns the numbers of a call and of those above it, as 2.1.3.
func pathOf(way []treePlace) string {
	var b strings.Builder
	for i := 0; i < len(way); i++ {
		if between := len(way) - pathLevels; between > 0 && i == pathLevels/2 {
			fmt.Fprintf(&b, ".…%d…", between)
			i += between
		}
		if i > 0 {
			b.WriteByte('.')
		}
		b.WriteString(strconv.Itoa(way[i].number))
	}
	return b.String()
}

// What is odd about a call, in words.
const (
	orphanText     = "orphan: no call has the request of its parent"
	selfText       = "cycle: it is its own parent"
	noRequestText  = "no request"
	againText      = "request used again"
	noAttemptText  = "no attempt"
	unansweredText = "unanswered"
)

// noteOf says what is odd about a call.
func (f *forest) noteOf(c *treeCall) string {
	var notes []string
	add := func(is bool, format string, args ...any) {
		if is {
			notes = append(notes, fmt.Sprintf(format, args...))
		}
	}
	has := func(n treeNote) bool { return c.note&n != 0 }
	add(has(noteOrphan), orphanText)
	add(has(noteCycle) && c.parent == c.request && c.among == 1, selfText)
	add(has(noteCycle) && !(c.parent == c.request && c.among == 1), "cycle: its parent stands below it")
	if c.up != none {
		add(has(noteOther), "parent in session %s", f.names.texts[f.at(c.up).session])
		add(has(noteLater), "parent begins after it")
		add(c.among > 1, "parent is one of %d calls with that request", c.among)
	}
	add(c.request == 0, noRequestText)
	add(c.ordinal > 0, againText)
	add(has(noteNoAttempt), noAttemptText)
	add(!c.answered && f.names.texts[c.verdict] != "DENIED", unansweredText)
	return strings.Join(notes, "; ")
}
