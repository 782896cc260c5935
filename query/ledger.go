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
	Digests(b *db.Block) (digests, prevs []chain.Hash, err error)
	Sessions() iter.Seq2[*db.Head, error]
}

// entryColumns are the columns of the table entries that are members of an entry.
var entryColumns = []struct {
	m    chain.Member
	kind Kind
}{
	{chain.Session, String}, {chain.Index, Long}, {chain.At, Datetime}, {chain.Recorded, Datetime}, {chain.ID, String}, {chain.Agent, String}, {chain.Role, String},
	{chain.Tool, String}, {chain.Action, String}, {chain.Args, Dynamic}, {chain.Authorization, String}, {chain.Policy, String}, {chain.Phase, String},
	{chain.Request, String}, {chain.Parent, String}, {chain.Trace, String}, {chain.Reasoning, String}, {chain.Context, Dynamic}, {chain.Prompt, String},
	{chain.Response, Dynamic}, {chain.DurationMS, Real}, {chain.Environment, String}, {chain.SampleRate, Real}, {chain.Metadata, Dynamic},
}

// LedgerTables returns the tables of a ledger: entries has a row for each entry, in the
// order of the ledger, without the ledger's own session, which control has.
func LedgerTables(src Source) []Table {
	var fields []Field
	for _, c := range entryColumns {
		fields = append(fields, Field{c.m.String(), c.kind})
	}
	fields = append(fields, Field{"seq", Long}, Field{"digest", String}, Field{"prev", String}, Field{"has_response", Bool})
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

// open reads the blocks that filters do not exclude, as batches whose columns are decoded
// when they are asked for.
func (l *ledgerScan) open(r *run, filters []filter) Batches {
	return func(yield func(*Batch, error) bool) {
		for b, err := range l.src.Scan(r.ctx, rangeOfFilters(filters)) {
			if err != nil {
				yield(nil, err)
				return
			}
			skip, err := excluded(b, filters)
			if err != nil {
				yield(nil, err)
				return
			}
			if skip {
				r.stats.Skipped.Add(int64(b.Rows()))
				continue
			}
			r.stats.Scanned.Add(int64(b.Rows()))
			batch, err := l.batch(b, filters)
			if err != nil {
				yield(nil, err)
				return
			}
			if batch.N > 0 && !yield(batch, nil) {
				return
			}
		}
	}
}

// batch makes a batch of a block: the rows of other sessions than the ledger's own, or of
// that, without those that a filter by words is known to refuse.
func (l *ledgerScan) batch(b *db.Block, filters []filter) (*Batch, error) {
	rows, err := l.rows(b)
	for i := 0; err == nil && i < len(filters); i++ {
		rows, err = havingTerms(b, &filters[i], rows)
	}
	if err != nil {
		return nil, err
	}
	out := &Batch{N: b.Rows()}
	for _, c := range entryColumns {
		out.Cols = append(out.Cols, columnOf(b, c.m, c.kind))
	}
	seq := Lazy(Long, func(v *Vector) error {
		values := make([]Value, b.Rows())
		for i := range values {
			values[i] = LongOf(int64(b.First()) + int64(i))
		}
		*v = *VectorOf(Long, values)
		return nil
	}, nil)
	out.Cols = append(out.Cols, seq)
	out.Cols = append(out.Cols, l.digestsOf(b)...)
	has := Lazy(Bool, func(v *Vector) error { return fillHas(b, v) }, nil)
	out.Cols = append(out.Cols, has)
	if rows != nil {
		out = out.Take(rows)
	}
	return out, nil
}

// digestsOf returns the columns digest and prev of a block.
func (l *ledgerScan) digestsOf(b *db.Block) []*Vector {
	var columns [2][]Value
	fill := func(i int) func(*Vector) error {
		return func(v *Vector) error {
			l.digests.Lock()
			defer l.digests.Unlock()
			if columns[0] == nil {
				digests, prevs, err := l.src.Digests(b)
				if err != nil {
					return err
				}
				for k, list := range [][]chain.Hash{digests, prevs} {
					columns[k] = make([]Value, len(list))
					for row := range list {
						columns[k][row] = StringOf(hex.EncodeToString(list[row][:]))
					}
				}
			}
			*v = *VectorOf(String, columns[i])
			return nil
		}
	}
	return []*Vector{Lazy(String, fill(0), nil), Lazy(String, fill(1), nil)}
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
