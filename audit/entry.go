package audit

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unsafe"

	"toolledger/chain"
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

// names are texts that repeat, each with a number; that of the empty one, which is absent,
// is 0.
type names struct {
	codes map[string]uint32
	list  []string
	last  string
	code  uint32 // of last
}

func newNames() names { return names{codes: map[string]uint32{"": 0}, list: []string{""}} }

func (n *names) of(text string) uint32 {
	if text == n.last {
		return n.code
	}
	code, ok := n.codes[text]
	if !ok {
		code = uint32(len(n.list))
		text = strings.Clone(text)
		n.codes[text] = code
		n.list = append(n.list, text)
	}
	n.last, n.code = text, code
	return code
}

// entryChunk is how many entries are in one piece of memory.
const entryChunk = 4096

// entries are those of the input. They are kept, since those of one session may come in any
// order, and a session's between those of others.
type entries[T any] struct {
	operator                string
	read                    func(text string) (kept T, size int) // what is kept of a text, and the memory that it takes
	chunks                  [][]entry[T]
	sessions, tools, agents names
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
		e := entry[T]{index: index.N, session: l.sessions.of(text(inSession)), tool: l.tools.of(text(inTool)), agent: l.agents.of(text(inAgent)),
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

// each calls use with the entries of each session, by index, each once: the sessions in the
// order in which they came. The slice is used again.
func (l *entries[T]) each(r *query.Run, use func(session string, list []*entry[T]) error) error {
	places := make([]uint32, 0, entryChunk*len(l.chunks)) // by session
	if err := r.Hold(4 * cap(places)); err != nil {
		return err
	}
	places = places[:cap(places)]
	starts := make([]int, len(l.counts)+1)
	for i, n := range l.counts {
		starts[i+1] = starts[i] + n
	}
	next := slices.Clone(starts)
	for i, chunk := range l.chunks {
		for k := range chunk {
			s := chunk[k].session
			places[next[s]] = uint32(i*entryChunk + k)
			next[s]++
		}
	}
	var list []*entry[T]
	for s, name := range l.sessions.list {
		if s >= len(l.counts) || l.counts[s] == 0 {
			continue
		}
		if err := r.Context().Err(); err != nil {
			return err
		}
		list = list[:0]
		for _, p := range places[starts[s]:starts[s+1]] {
			list = append(list, &l.chunks[p/entryChunk][p%entryChunk])
		}
		byIndex := func(a, b *entry[T]) int { return cmp.Compare(a.index, b.index) }
		if !slices.IsSortedFunc(list, byIndex) {
			slices.SortStableFunc(list, byIndex)
		}
		once := slices.CompactFunc(list, func(a, b *entry[T]) bool { return a.index == b.index })
		l.twice += len(list) - len(once)
		if err := use(name, once); err != nil {
			return err
		}
	}
	if l.twice > 0 {
		r.Hint("%s: rows of an entry that stood in the input before are left out: %d", l.operator, l.twice)
	}
	return nil
}

// texts makes batches of entries such as [entries] takes: args and response are what make
// appends of their canonical texts without the paths that are ignored, and the column removed
// has the flags.
type texts struct {
	args, response paths // that are ignored
	make           func(dst, canonical []byte) []byte
}

func (t *texts) batch(b *query.Batch) (*query.Batch, error) {
	out := &query.Batch{N: b.N, Cols: slices.Clone(b.Cols)}
	has := make([]query.Value, b.N)
	for row := range b.N {
		has[row] = query.LongOf(int64(t.removed(b.Cols[inRemoved].At(row))))
	}
	out.Cols[inArgs] = t.column(b.Cols[inArgs], t.args, has, func(v *query.Value) bool { return !v.Null }, hasArgs)
	// A response of null is one; what is absent has no text at all.
	out.Cols[inResponse] = t.column(b.Cols[inResponse], t.response, has, func(v *query.Value) bool { return v.S != "" }, hasResponse)
	out.Cols[inRemoved] = query.VectorOf(query.Long, has)
	return out, nil
}

// column makes a column of texts of one of JSON, and marks the rows that have one.
func (t *texts) column(v *query.Vector, ignored paths, has []query.Value, present func(*query.Value) bool, flag flags) *query.Vector {
	var all, canonical, rest []byte
	last, from, to := "", 0, 0 // of the row before that had one: its JSON, and its place in all
	type span struct{ from, to int }
	spans := make([]span, len(has))
	for row := range has {
		value := v.At(row)
		if !present(&value) {
			continue
		}
		has[row].N |= int64(flag)
		if value.S != last {
			last, from = value.S, len(all)
			var err error
			if canonical, err = chain.Canonical(canonical[:0], []byte(value.S)); err != nil {
				canonical = append(canonical[:0], value.S...) // computed, and no text that an entry has
			} else if len(ignored) > 0 {
				rest = ignored.without(rest[:0], canonical)
				canonical, rest = rest, canonical
			}
			all = t.make(all, canonical)
			to = len(all)
		}
		spans[row] = span{from, to}
	}
	values, text := make([]query.Value, len(has)), string(all)
	for row, s := range spans {
		values[row] = query.StringOf(text[s.from:s.to])
	}
	return query.VectorOf(query.String, values)
}

// removed tells what of args and response was removed and is not ignored.
func (t *texts) removed(v query.Value) (f flags) {
	if v.Null {
		return 0
	}
	canonical, err := chain.Canonical(nil, []byte(v.S))
	if err != nil {
		return 0
	}
	for _, p := range chain.Elements(canonical) {
		if p[0] != '"' {
			continue
		}
		switch tokens := tokensOf(chain.Unquote(p)); {
		case tokens[0] == chain.Args.String() && !t.args.covers(tokens[1:]):
			f |= hasArgs | argsRemoved
		case tokens[0] == chain.Response.String() && !t.response.covers(tokens[1:]):
			f |= hasResponse | responseRemoved
		}
	}
	return f
}
