package audit

import (
	"cmp"
	"slices"

	"toolledger/query"
)

// A call is what the entries of a session with one request say of it, as in the table calls:
// each member is that of its last entry that has it.
type call[T any] struct {
	index          int64 // of the last entry that is an answer; of a call without, of the last one
	request        string
	args, response T
	tool, agent    uint32
	has            flags
	answered       bool // it has a COMPLETE or ERROR, or is of no phase and has a response
	ran            bool // it has a START or COMPLETE
}

// denied tells whether the call was denied and, as far as its entries say, did not run.
func (c *call[T]) denied() bool { return c.has&isDenied != 0 && !c.ran }

// fold puts the entries of a session, by index, together to calls, in the order of their
// first entries.
func fold[T any](list []*entry[T]) (calls []call[T]) {
	last := map[string]int{} // the call of each request
	for _, e := range list {
		at, ok := last[e.request]
		if !ok || query.BeginsCall(e.phase.String(), calls[at].answered) {
			at = len(calls)
			calls = append(calls, call[T]{request: e.request})
			if e.request != "" {
				last[e.request] = at
			}
		}
		calls[at].add(e)
	}
	return calls
}

// add takes the next entry of the call.
func (c *call[T]) add(e *entry[T]) {
	ends := query.EndsCall(e.phase.String(), e.has&hasResponse != 0)
	if ends || !c.answered {
		c.index = e.index
	}
	c.answered = c.answered || ends
	c.ran = c.ran || e.phase.String() == "START" || e.phase.String() == "COMPLETE"
	if e.tool != 0 {
		c.tool = e.tool
	}
	if e.agent != 0 {
		c.agent = e.agent
	}
	take := func(flags flags) { c.has = c.has&^flags | e.has&flags }
	if e.has&hasArgs != 0 {
		c.args = e.args
		take(hasArgs | argsRemoved)
	}
	if e.has&hasResponse != 0 {
		c.response = e.response
		take(hasResponse | responseRemoved)
	}
	if e.has&hasVerdict != 0 {
		take(hasVerdict | isDenied)
	}
}

// answered returns the calls that have an answer, in the order of the answers, and how many
// there are that were denied, which are left out.
func answered[T any](calls []call[T]) (list []call[T], denied int) {
	list = calls[:0]
	for _, c := range calls {
		switch {
		case c.denied():
			denied++
		case c.answered:
			list = append(list, c)
		}
	}
	slices.SortStableFunc(list, func(a, b call[T]) int { return cmp.Compare(a.index, b.index) })
	return list, denied
}
