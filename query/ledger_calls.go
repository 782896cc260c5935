package query

import (
	"iter"
	"slices"
	"sync"

	"toolledger/chain"
	"toolledger/db"
)

// callMembers are the columns of the table calls that are members of its entries: each has
// the value of the call's last entry that has one.
var callMembers = []struct {
	m    chain.Member
	kind Kind
}{
	{chain.Agent, String}, {chain.Role, String}, {chain.Tool, String}, {chain.Action, String}, {chain.Args, Dynamic}, {chain.Reasoning, String},
	{chain.Parent, String}, {chain.Trace, String}, {chain.Authorization, String}, {chain.Policy, String}, {chain.Phase, String},
	{chain.DurationMS, Real}, {chain.Response, Dynamic},
}

// callsTable has a row for each call, in the order of their first entries, without those of
// the ledger's own session.
// What is a call, [CallFolder] says.
func callsTable(src Source) Table {
	fields := []Field{{"session", String}, {"request", String}, {"ordinal", Long}, {"index", Long}, {"seq", Long}, {"start", Datetime}, {"end", Datetime}, {"answered", Bool}}
	for _, c := range callMembers {
		fields = append(fields, Field{c.m.String(), c.kind})
	}
	return Table{Name: "calls", Doc: "one row a call: its entries, which share session and request, put together", Fields: fields, scan: func() *scan {
		return &scan{name: "calls", fields: fields, source: &callScan{src, fields}}
	}}
}

type callScan struct {
	src    Source
	fields []Field
}

// A call is what its entries say, but for the members that are read when they are asked for.
type call struct {
	ordinal    int64
	start, end Value
	answered   bool
	entries    []entryAt
}

// An entryAt is where an entry is: in which of the blocks, and in which row.
type entryAt struct{ block, row uint32 }

// callSize is about what a call and its place among the open ones take.
const callSize = 320

// callBatch is how many calls come at a time.
const callBatch = 8192

// blockSize is about what of a block stays in memory.
const blockSize = 256 << 10

// A callFold puts calls together. Its blocks are read by one goroutine at a time.
type callFold struct {
	sync.Mutex
	blocks []*db.Block
	calls  []*call
	folder *CallFolder
}

// open reads who called what, folds it, and gives the calls out. Of the filters, only the
// session narrows what is read: an entry outside of a time may belong to a call inside.
func (c *callScan) parts(r *run, filters []filter) iter.Seq[part] {
	return partsOf(c.open(r, filters))
}

func (c *callScan) open(r *run, filters []filter) Batches {
	f := &callFold{folder: NewCallFolder()}
	session := rangeOfFilters(filters).Session
	for b, err := range c.src.Scan(r.ctx, db.Range{Session: session}) {
		if err == nil {
			r.stats.Scanned.Add(int64(b.Rows()))
			before := len(f.calls)
			err = f.add(b, session)
			if held := r.hold("calls", blockSize+callSize*(len(f.calls)-before)); err == nil {
				err = held
			}
		}
		if err != nil {
			return failed(err)
		}
	}
	f.folder = nil
	return func(yield func(*Batch, error) bool) {
		for calls := range slices.Chunk(f.calls, callBatch) {
			if !yield(f.batch(calls), nil) {
				return
			}
		}
	}
}

// add adds the entries of a block, of one session if it is not "".
func (f *callFold) add(b *db.Block, session string) error {
	sessions := columnOf(b, chain.Session, String)
	if err := sessions.Fill(); err != nil {
		return err
	}
	var rows []int
	for row := range b.Rows() {
		if s := sessions.At(row).S; (s == session || session == "") && s != db.OwnSession {
			rows = append(rows, row)
		}
	}
	requests, phases := columnOf(b, chain.Request, String).Take(rows), columnOf(b, chain.Phase, String).Take(rows)
	times := columnOf(b, chain.At, Datetime).Take(rows)
	for _, v := range []*Vector{requests, phases, times} {
		if err := v.Fill(); err != nil {
			return err
		}
	}
	var asked []uint16 // rows that are answered if they have a response
	for i, row := range rows {
		if AsksResponse(requests.At(i).S, phases.At(i).S) {
			asked = append(asked, uint16(row))
		}
	}
	responses, err := b.Members(chain.Response, asked)
	if err != nil {
		return err
	}
	removed, err := b.Removed()
	if err != nil {
		return err
	}
	block := uint32(len(f.blocks))
	f.blocks = append(f.blocks, b)
	for i, row := range rows {
		response := false
		if len(asked) > 0 && int(asked[0]) == row {
			response = responses[0] != nil || removed != nil && isGone(removed[row], "/response")
			asked, responses = asked[1:], responses[1:]
		}
		part := f.folder.Add(sessions.At(row).S, requests.At(i).S, phases.At(i).S, response)
		if part.Begins {
			f.calls = append(f.calls, &call{ordinal: part.Ordinal, start: times.At(i), end: NullOf(Datetime)})
		}
		c := f.calls[part.Call]
		c.entries = append(c.entries, entryAt{block, uint32(row)})
		if part.Ends {
			c.answered, c.end = true, times.At(i)
		}
	}
	return nil
}

// batch returns the rows of some calls.
func (f *callFold) batch(calls []*call) *Batch {
	of := func(k Kind, value func(c *call) Value) *Vector {
		return Lazy(k, func(v *Vector) error {
			values := make([]Value, len(calls))
			for i, c := range calls {
				values[i] = value(c)
			}
			*v = *VectorOf(k, values)
			return nil
		}, nil)
	}
	cols := []*Vector{
		f.member(calls, chain.Session, String),
		f.member(calls, chain.Request, String),
		of(Long, func(c *call) Value { return LongOf(c.ordinal) }),
		f.index(calls),
		of(Long, func(c *call) Value {
			at := c.entries[0]
			return LongOf(int64(f.blocks[at.block].First()) + int64(at.row))
		}),
		of(Datetime, func(c *call) Value { return c.start }),
		of(Datetime, func(c *call) Value { return c.end }),
		of(Bool, func(c *call) Value { return BoolOf(c.answered) }),
	}
	for _, m := range callMembers {
		cols = append(cols, f.member(calls, m.m, m.kind))
	}
	return &Batch{N: len(calls), Cols: cols}
}

// member is a member of calls.
func (f *callFold) member(calls []*call, m chain.Member, k Kind) *Vector {
	return f.lazy(calls, k, func(b *db.Block) *Vector { return columnOf(b, m, k) }, func(c *call) []entryAt { return c.entries },
		func(calls []*call) *Vector { return f.member(calls, m, k) })
}

// index is the place of the first entry of calls in their sessions.
func (f *callFold) index(calls []*call) *Vector {
	return f.lazy(calls, Long, func(b *db.Block) *Vector { return columnOf(b, chain.Index, Long) }, func(c *call) []entryAt { return c.entries[:1] }, f.index)
}

// lazy is a column whose value for a call is the last one that its entries have.
func (f *callFold) lazy(calls []*call, k Kind, column func(*db.Block) *Vector, entries func(*call) []entryAt, again func([]*call) *Vector) *Vector {
	fill := func(v *Vector) error {
		f.Lock()
		defer f.Unlock()
		type place struct {
			entryAt
			call int
		}
		var places []place
		values := make([]Value, len(calls))
		for i, c := range calls {
			values[i] = NullOf(k)
			for _, at := range entries(c) {
				places = append(places, place{at, i})
			}
		}
		slices.SortStableFunc(places, func(a, b place) int {
			if a.block != b.block {
				return int(a.block) - int(b.block)
			}
			return int(a.row) - int(b.row)
		})
		for from := 0; from < len(places); {
			to := from
			var rows []int
			for ; to < len(places) && places[to].block == places[from].block; to++ {
				rows = append(rows, int(places[to].row))
			}
			some := column(f.blocks[places[from].block]).Take(rows)
			if err := some.Fill(); err != nil {
				return err
			}
			for i := range rows {
				if value := some.At(i); value.isRemoved() || !value.Null && (k != String || value.S != "") {
					values[places[from+i].call] = value
				}
			}
			from = to
		}
		*v = *VectorOf(k, values)
		return nil
	}
	return Lazy(k, fill, func(rows []int) *Vector {
		some := make([]*call, len(rows))
		for i, row := range rows {
			some[i] = calls[row]
		}
		return again(some)
	})
}
