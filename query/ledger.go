package query

import (
	"context"
	"encoding/hex"
	"iter"
	"sync"

	"toolledger/chain"
	"toolledger/db"
)

// A Source is a ledger as queries read it; *db.Snapshot is one.
type Source interface {
	Scan(ctx context.Context, r db.Range) iter.Seq2[*db.Block, error]
	Parts(r db.Range) ([]db.Part, error)
	Digests(b *db.Block, rows []int) ([]chain.Hash, error)
	Prevs(b *db.Block, rows []int) ([]chain.Hash, error)
	Sessions() iter.Seq2[*db.Head, error]
}

// entryColumns are the columns of the table entries that are members of an entry.
var entryColumns = []entryColumn{
	{chain.Session, String}, {chain.Index, Long}, {chain.At, Datetime}, {chain.Recorded, Datetime}, {chain.ID, String}, {chain.Agent, String}, {chain.Role, String},
	{chain.Tool, String}, {chain.Action, String}, {chain.Args, Dynamic}, {chain.Authorization, String}, {chain.Policy, String}, {chain.Phase, String},
	{chain.Request, String}, {chain.Parent, String}, {chain.Trace, String}, {chain.Reasoning, String}, {chain.Context, Dynamic}, {chain.Prompt, String},
	{chain.Response, Dynamic}, {chain.DurationMS, Real}, {chain.Environment, String}, {chain.SampleRate, Real}, {chain.Metadata, Dynamic},
}

type entryColumn struct {
	m    chain.Member
	kind Kind
}

// LedgerTables returns the tables of a ledger: entries has a row for each entry, in the
// order of the ledger, without the ledger's own session, which control has.
func LedgerTables(src Source) []Table {
	var fields []Field
	for _, c := range entryColumns {
		fields = append(fields, Field{c.m.String(), c.kind})
	}
	fields = append(fields, Field{"seq", Long}, Field{"digest", String}, Field{"prev", String}, Field{"has_response", Bool}, Field{"removed", Dynamic})
	digests := new(sync.Mutex)
	table := func(name, doc string, own bool) Table {
		return Table{Name: name, Doc: doc, Fields: fields, scan: func() *scan {
			return &scan{name: name, fields: fields, source: &ledgerScan{src, own, digests}}
		}}
	}
	return []Table{
		table("entries", "one row an entry, in the order of the ledger", false),
		table("control", "the ledger's own entries", true),
		callsTable(src),
		sessionsTable(src),
	}
}

// A ledgerScan reads the blocks of a ledger.
type ledgerScan struct {
	src Source
	own bool // the ledger's own session alone; else all others

	digests *sync.Mutex // held while digests are looked for, one block at a time
}

// parts are the blocks that filters do not exclude, as batches whose columns are decoded
// when they are asked for.
func (l *ledgerScan) parts(r *run, filters []filter) iter.Seq[part] {
	return func(yield func(part) bool) {
		parts, err := l.src.Parts(rangeOfFilters(filters))
		if err != nil {
			yield(func() (*Batch, error) { return nil, err })
			return
		}
		for _, p := range parts {
			if !yield(func() (*Batch, error) { return l.read(r, p, filters) }) {
				return
			}
		}
	}
}

// read reads a block, nil if filters exclude it.
func (l *ledgerScan) read(r *run, p db.Part, filters []filter) (*Batch, error) {
	if l.own && !p.Own {
		return nil, nil
	}
	if p.All && !p.Own && len(filters) == 0 {
		r.stats.Scanned.Add(int64(p.Rows))
		return l.columns(&blockAt{open: func() (*db.Block, error) { return p.Open(r.ctx) }, first: p.First, rows: p.Rows}), nil
	}
	b, err := p.Open(r.ctx)
	if err != nil || b == nil {
		return nil, err
	}
	skip, err := excluded(b, filters)
	if err != nil {
		return nil, err
	}
	if skip {
		r.stats.Skipped.Add(int64(b.Rows()))
		b.Release()
		return nil, nil
	}
	r.stats.Scanned.Add(int64(b.Rows()))
	batch, err := l.batch(b, p.Own, filters)
	if batch == nil {
		b.Release()
	}
	return batch, err
}

// batch makes a batch of a block: the rows of other sessions than the ledger's own, of which
// it may have some, or of that, without those that a filter by words, or by parts of texts, is
// known to refuse. If none is left it is nil.
func (l *ledgerScan) batch(b *db.Block, own bool, filters []filter) (*Batch, error) {
	var rows []int
	var err error
	if own {
		rows, err = l.rows(b)
	}
	for i := 0; err == nil && i < len(filters); i++ {
		rows, err = rowsFinding(b, &filters[i], rows)
	}
	if err != nil || rows != nil && len(rows) == 0 {
		return nil, err
	}
	out := l.columns(&blockAt{b: b, first: b.First(), rows: b.Rows()})
	if rows != nil {
		out = out.Take(rows)
	}
	return out, nil
}

// A blockAt is a block that is read when a column of it is asked for.
type blockAt struct {
	b     *db.Block // nil until then
	open  func() (*db.Block, error)
	first uint64
	rows  int
	taken []*[]Value // that release gives back

	removed func() ([][]string, error) // see removedIn; nil until then
}

// valuePool has slices of values: columns of one ledger have about as many in each block.
var valuePool = sync.Pool{New: func() any { return new([]Value) }}

// takeValues returns n values that are to be set, and belong to the block.
func (b *blockAt) takeValues(n int) []Value {
	if n < blockRows/64 { // is not worth keeping
		return make([]Value, n)
	}
	values := valuePool.Get().(*[]Value)
	if cap(*values) < n {
		*values = make([]Value, 0, (n+127)&^127)
	}
	b.taken = append(b.taken, values)
	return (*values)[:n]
}

// release gives back the memory of what was read.
func (b *blockAt) release() {
	for _, values := range b.taken {
		clear((*values)[:cap(*values)]) // they hold texts
		valuePool.Put(values)
	}
	b.taken = nil
	if b.b != nil {
		b.b.Release()
	}
}

func (b *blockAt) read() (_ *db.Block, err error) {
	if b.b == nil {
		b.b, err = b.open()
	}
	return b.b, err
}

// all returns all rows.
func (b *blockAt) all() []int {
	rows := make([]int, b.rows)
	for i := range rows {
		rows[i] = i
	}
	return rows
}

// columns returns the rows of a block.
func (l *ledgerScan) columns(b *blockAt) *Batch {
	out := &Batch{N: b.rows, Cols: make([]*Vector, 0, len(entryColumns)+5), from: b}
	columns, vectors := make([]memberColumn, len(entryColumns)), make([]Vector, len(entryColumns))
	for i, c := range entryColumns {
		columns[i] = memberColumn{b, c.m, c.kind}
		vectors[i] = Vector{Kind: c.kind, from: &columns[i]}
		out.Cols = append(out.Cols, &vectors[i])
	}
	out.Cols = append(out.Cols, &Vector{Kind: Long, from: seqColumn{b}})
	for _, of := range []func(*db.Block, []int) ([]chain.Hash, error){l.src.Digests, l.src.Prevs} {
		out.Cols = append(out.Cols, &Vector{Kind: String, from: &digestColumn{b, l.digests, of}})
	}
	out.Cols = append(out.Cols, &Vector{Kind: Bool, from: responseColumn{b}}, &Vector{Kind: Dynamic, from: removedColumn{b}})
	return out
}

// A digestColumn is the digest of each entry, or of the one before it in its session.
type digestColumn struct {
	at   *blockAt
	lock *sync.Mutex // held while digests are looked for
	of   func(b *db.Block, rows []int) ([]chain.Hash, error)
}

func (c *digestColumn) fill(v *Vector, rows []int) error {
	c.lock.Lock()
	defer c.lock.Unlock()
	b, err := c.at.read()
	if err != nil {
		return err
	}
	digests, err := c.of(b, rows)
	if err != nil {
		return err
	}
	values := make([]Value, len(digests))
	for i := range digests {
		values[i] = StringOf(hex.EncodeToString(digests[i][:]))
	}
	*v = *VectorOf(String, values)
	return nil
}

func kindOfMember(m chain.Member) (Kind, bool) {
	for _, c := range entryColumns {
		if c.m == m {
			return c.kind, true
		}
	}
	return 0, false
}

// rows returns the rows of b that are of the table, nil for all.
func (l *ledgerScan) rows(b *db.Block) ([]int, error) {
	c, err := b.Column(chain.Session, "")
	if err != nil || c == nil {
		return nil, err
	}
	code, err := c.Find([]byte(db.OwnSession))
	if err != nil || code == 0 && !l.own {
		return nil, err
	}
	codes, err := c.Codes()
	if err != nil {
		return nil, err
	}
	rows := []int{}
	for i, x := range codes {
		if (x == code && code != 0) == l.own {
			rows = append(rows, i)
		}
	}
	return rows, nil
}
