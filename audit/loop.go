package audit

import "fmt"

// Loop is the kind of the findings of calls that go round.
const Loop = "loop"

// loops counts the calls of a session that are the same and have the same response, with no
// state-changing call between them, whatever other calls there are. A state-changing call
// ends all loops and is in none.
type loops struct {
	least uint64 // so many calls are a loop
	epoch uint64 // how often the state changed so far
	runs  map[run]*runState
	found []loop
}

// A run is what is the same in the calls of a loop.
type run struct{ identity, response Fingerprint }

type runState struct {
	epoch uint64 // in which it is counted
	loop
}

// A loop is a number of calls that are the same, each by its place among the calls.
type loop struct {
	first, last int
	count       uint64
}

func newLoops(least uint64) *loops { return &loops{least: least, runs: map[run]*runState{}} }

// add takes the next call, which stands at a place and changes state or not.
func (l *loops) add(place int, c *Call, changes bool) {
	switch {
	case changes:
		l.epoch++
		return
	case !c.Identity.Known() || !c.Response.Known():
		return
	}
	k := run{c.Identity, c.Response}
	r := l.runs[k]
	if r == nil {
		r = new(runState)
		l.runs[k] = r
	}
	if r.count == 0 || r.epoch != l.epoch {
		l.end(r)
		*r = runState{l.epoch, loop{first: place}}
	}
	r.last = place
	r.count++
}

// end keeps what is a loop.
func (l *loops) end(r *runState) {
	if r.count >= l.least {
		l.found = append(l.found, r.loop)
	}
}

// all ends the session and returns its loops, in no order.
func (l *loops) all() []loop {
	for _, r := range l.runs {
		l.end(r)
	}
	return l.found
}

// finding is what a loop says of its calls, of which the indexes of the first and last are
// given.
func (p *loop) finding(tool []byte, first, last uint64) Finding {
	return Finding{last, Loop, fmt.Sprintf("tool %s returned the same response to the identical call %d times from index %d on, with no state change between them", quote(tool), p.count, first), &first}
}
