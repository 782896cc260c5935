package audit

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"sync"
	"unsafe"

	"toolledger/query"
)

// What an operator over calls needs of its input, and what it looks at if it is there. Batches
// have these columns in this order.
var (
	entryNeeds = []query.Field{{Name: "session", Kind: query.String}, {Name: "index", Kind: query.Long}, {Name: "tool", Kind: query.String},
		{Name: "args", Kind: query.Dynamic}, {Name: "response", Kind: query.Dynamic}}
	entryWants = []query.Field{{Name: "agent", Kind: query.String}, {Name: "request", Kind: query.String}, {Name: "ordinal", Kind: query.Long},
		{Name: "phase", Kind: query.String}, {Name: "authorization", Kind: query.String}, {Name: "removed", Kind: query.Dynamic}}
)

const (
	inSession = iota
	inIndex
	inTool
	inArgs
	inResponse
	inAgent
	inRequest
	inOrdinal
	inPhase
	inAuthorization
	inRemoved
)

// An entry is what a call is put together from. T is what an operator keeps of args and
// response, which are canonical texts.
type entry[T any] struct {
	index                int64
	request              string // "" of one that is a call of its own
	args, response       T
	session, tool, agent uint32 // by [names]
	phase                phase
	has                  flags
}

// flags tell what an entry, or a call, has.
type flags uint8

const (
	hasArgs flags = 1 << iota
	hasResponse
	argsRemoved // with the has of the same: the value, or a part of it, was removed
	responseRemoved
	hasVerdict
	isDenied
)

// A phase is one of phases.
type phase uint8

var phases = []string{"", "ATTEMPT", "START", "COMPLETE", "ERROR", "?"}

func phaseOf(name string) phase {
	if i := slices.Index(phases, name); i >= 0 {
		return phase(i)
	}
	return phase(len(phases) - 1)
}

func (p phase) String() string { return phases[p] }

// entryChunk is how many entries are in one piece of memory.
const entryChunk = 4096

// entries are those of the input. They are kept, since those of one session may come in any
// order, and a session's between those of others.
type entries[T any] struct {
	operator                string
	read                    func(text string) (kept T, size int) // what is kept of a text, and the memory that it takes
	chunks                  [][]entry[T]
	sessions, tools, agents *names
	counts                  []int // of the entries of each session
	twice                   int   // rows that stood in the input already
}

func newEntries[T any](operator string, read func(text string) (T, int)) *entries[T] {
	return &entries[T]{operator: operator, read: read, sessions: newNames(), tools: newNames(), agents: newNames()}
}

// add keeps the rows of a batch, which [texts].batch made.
func (l *entries[T]) add(r *query.Run, b *query.Batch) error {
	size := b.N * int(unsafe.Sizeof(entry[T]{}))
	for row := range b.N {
		text := func(column int) string { return b.Cols[column].At(row).S }
		index := b.Cols[inIndex].At(row)
		e := entry[T]{index: index.N, session: l.sessions.next(0, text(inSession)), tool: l.tools.of(text(inTool)), agent: l.agents.of(text(inAgent)),
			phase: phaseOf(text(inPhase)), has: flags(b.Cols[inRemoved].At(row).N)}
		if index.Null || index.N < 0 {
			return fmt.Errorf("%s: an entry of session %q has no index, which counts from 0", l.operator, query.Visible(text(inSession)))
		}
		if b.Cols[inOrdinal].At(row).Null { // else it is a row of calls, all that its request has
			e.request = text(inRequest)
			size += len(e.request)
		}
		if verdict := text(inAuthorization); verdict != "" {
			e.has |= hasVerdict
			if verdict == "DENIED" {
				e.has |= isDenied
			}
		}
		var n int
		if e.has&hasArgs != 0 {
			e.args, n = l.read(text(inArgs))
			size += n
		}
		if e.has&hasResponse != 0 {
			e.response, n = l.read(text(inResponse))
			size += n
		}
		l.keep(e)
	}
	return r.Hold(size)
}

func (l *entries[T]) keep(e entry[T]) {
	last := len(l.chunks) - 1
	if last < 0 || len(l.chunks[last]) == entryChunk {
		l.chunks = append(l.chunks, make([]entry[T], 0, entryChunk))
		last++
	}
	l.chunks[last] = append(l.chunks[last], e)
	for int(e.session) >= len(l.counts) {
		l.counts = append(l.counts, 0)
	}
	l.counts[e.session]++
}

// sessionWindow is how many sessions are worked on at a time.
const sessionWindow = 64

// eachSession does something with the entries of each session, by index, each once, on all
// cores, and uses what comes out in the order in which the sessions came. Of each entry it may
// keep size bytes until then.
func eachSession[T, R any](r *query.Run, l *entries[T], size int, do func(session string, list []*entry[T]) R, use func(R) error) error {
	places, starts, err := l.bySession(r)
	if err != nil {
		return err
	}
	for first := 0; first < len(l.counts); first += sessionWindow {
		last := min(first+sessionWindow, len(l.counts))
		held := size * (starts[last] - starts[first])
		if err := errors.Join(r.Context().Err(), r.Hold(held)); err != nil {
			return err
		}
		results, twice := make([]R, last-first), make([]int, last-first)
		var workers sync.WaitGroup
		for s := first; s < last; s++ {
			workers.Go(func() {
				list := l.ordered(places[starts[s]:starts[s+1]])
				twice[s-first] = starts[s+1] - starts[s] - len(list)
				results[s-first] = do(l.sessions.texts[s], list)
			})
		}
		workers.Wait()
		for i := range results {
			l.twice += twice[i]
			if starts[first+i] == starts[first+i+1] {
				continue // the name of no session
			}
			if err := use(results[i]); err != nil {
				return err
			}
		}
		r.Release(held)
	}
	return nil
}

// bySession returns the places of all entries, those of session i from starts[i] on.
func (l *entries[T]) bySession(r *query.Run) (places []uint32, starts []int, err error) {
	starts = make([]int, len(l.counts)+1)
	for i, n := range l.counts {
		starts[i+1] = starts[i] + n
	}
	n := starts[len(l.counts)]
	if err := r.Hold(4 * n); err != nil {
		return nil, nil, err
	}
	places = make([]uint32, n)
	next := slices.Clone(starts)
	for i, chunk := range l.chunks {
		for k := range chunk {
			s := chunk[k].session
			places[next[s]] = uint32(i*entryChunk + k)
			next[s]++
		}
	}
	return places, starts, nil
}

// ordered returns the entries at places by index, each once.
func (l *entries[T]) ordered(places []uint32) []*entry[T] {
	list := make([]*entry[T], len(places))
	for i, p := range places {
		list[i] = &l.chunks[p/entryChunk][p%entryChunk]
	}
	byIndex := func(a, b *entry[T]) int { return cmp.Compare(a.index, b.index) }
	if !slices.IsSortedFunc(list, byIndex) {
		slices.SortStableFunc(list, byIndex)
	}
	return slices.CompactFunc(list, func(a, b *entry[T]) bool { return a.index == b.index })
}

// hints tells what calls and rows the operator left out.
func (l *entries[T]) hints(r *query.Run, denied int) {
	if l.twice > 0 {
		r.Hint("%s: rows of an entry that stood in the input before are left out: %d", l.operator, l.twice)
	}
	if denied > 0 {
		r.Hint("%s: calls that were denied are left out: %d", l.operator, denied)
	}
}
