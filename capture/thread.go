package capture

import (
	"fmt"
	"hash/maphash"
)

// threads are the conversations of a file in which each record has all messages so far, as the
// requests to an API have: later records repeat what earlier ones had.
//
// A record goes on with a conversation if it begins with all messages of that, in their order.
// One that shares only a beginning is another conversation, even if both were the same for long:
// two runs of one task are never put into one session. A conversation whose name the source gives
// is known by that; there, what a record leaves out or sums up of the messages before is no
// new conversation, and what it has up to the last message that was known is not told again.
type threads struct {
	c     *Conversion
	names map[string]*thread
	ends  map[uint64]*thread // by all of their messages
	made  map[string]int     // conversations by the name that they would have
	asked *thread            // of the record before, if that is a request alone: an answer may follow
}

type thread struct {
	s    *Session
	end  uint64
	told map[uint64]bool // single messages, of a conversation that has a name
}

// An origin is what a record says of the conversation that it is of.
type origin struct {
	id   string // of the conversation: all records that have it are of that
	run  string // of a run that is recorded whole: no other record goes on with it unless it has it too
	hint string // what a conversation is called that has neither, as the id of its first response
}

// A part is a message, or another item, of a record.
type part struct {
	Value
	at    string // pointer to it
	sum   uint64 // of what it says, however that is spelled
	aside bool   // the conversation does not go on with it: another choice
}

func newThreads(c *Conversion) *threads {
	return &threads{c: c, names: map[string]*thread{}, ends: map[uint64]*thread{}, made: map[string]int{}}
}

// of returns the conversation of a record, and how many of its parts were told before: of an answer that stands
// alone that of the request before it, if there is one.
func (t *threads) of(o origin, parts []part, answer bool) (*thread, int) {
	if answer {
		if th := t.answer(o.id, parts); th != nil {
			return th, 0
		}
	}
	return t.find(o, parts)
}

// find returns the conversation of a record, and how many of its parts were told before.
func (t *threads) find(o origin, parts []part) (*thread, int) {
	sum := maphash.String(t.c.seed, o.id+"\x00"+o.run)
	start := sum
	ends := make([]uint64, len(parts)) // of the conversation up to each part
	for i, p := range parts {
		if !p.aside {
			sum = maphash.Comparable(t.c.seed, [2]uint64{sum, p.sum})
		}
		ends[i] = sum
	}
	th, from := t.names[o.id], 0
	for i := len(ends) - 1; i >= 0 && from == 0; i-- {
		if at := t.ends[ends[i]]; at != nil && ends[i] != start {
			th, from = at, i+1
		}
	}
	switch {
	case th == nil:
		th = t.start(o)
	case from == 0:
		for i, p := range parts {
			if th.told[p.sum] {
				from = i + 1
			}
		}
	}
	for th.told != nil && from < len(parts) && parts[from].aside {
		from++
	}
	t.reach(th, sum, parts)
	t.asked = nil
	return th, from
}

// answer returns the conversation whose request was the record before, and which goes on with the answer to it,
// a record of its own. It is nil if there is none, or where the answer names another conversation.
func (t *threads) answer(id string, parts []part) *thread {
	th := t.asked
	t.asked = nil
	if th == nil || id != "" && t.names[id] != th {
		return nil
	}
	sum := th.end
	for _, p := range parts {
		if !p.aside {
			sum = maphash.Comparable(t.c.seed, [2]uint64{sum, p.sum})
		}
	}
	t.reach(th, sum, parts)
	return th
}

// reach notes that a conversation has all parts of a record, and what the sum of its messages is then.
func (t *threads) reach(th *thread, end uint64, parts []part) {
	if t.ends[th.end] == th {
		delete(t.ends, th.end)
	}
	th.end = end
	t.ends[end] = th
	if th.told != nil {
		for _, p := range parts {
			th.told[p.sum] = true
		}
	}
}

// start makes a conversation.
func (t *threads) start(o origin) *thread {
	th := &thread{}
	name := o.run
	switch {
	case o.id != "":
		name = o.id
		th.told = map[uint64]bool{}
		t.names[o.id] = th
	case name == "":
		name = o.hint
	}
	if name == "" {
		name = t.c.Name
	}
	t.made[name]++
	if n := t.made[name]; n > 1 {
		name = fmt.Sprintf("%s:%d", name, n)
	}
	th.s = t.c.Session(name)
	return th
}
