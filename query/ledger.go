package query

import (
	"context"
	"encoding/hex"
	"iter"
	"strconv"
	"strings"
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

func (l *ledgerScan) path(string, string) (int, bool) { return 0, false }

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

// rangeOfFilters returns what of the filters a scan by session and time can use.
func rangeOfFilters(filters []filter) (r db.Range) {
	for _, f := range filters {
		if f.member != "" || len(f.values) != 1 || f.values[0].Null {
			continue
		}
		v := f.values[0]
		t := chain.Time{Ticks: v.N, Rest: v.Rest}
		switch {
		case f.column == "session" && f.op == "==" && v.Kind == String && v.S != "":
			r.Session = v.S
		case f.column != "time" || v.Kind != Datetime:
		case f.op == ">" || f.op == ">=" || f.op == "==":
			if r.Since == nil || r.Since.Compare(t) < 0 {
				r.Since = &t
			}
		}
		if f.column == "time" && v.Kind == Datetime && (f.op == "<" || f.op == "<=" || f.op == "==") {
			end := chain.Time{Ticks: v.N + 1} // not before: a scan's end is left out
			if r.Until == nil || r.Until.Compare(end) > 0 {
				r.Until = &end
			}
		}
	}
	return r
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

// havingTerms returns those of rows, nil for all, that may pass a filter by words.
func havingTerms(b *db.Block, f *filter, rows []int) ([]int, error) {
	m, ok := chain.MemberOf(f.column)
	if kind, _ := kindOfMember(m); !ok || kind != String || f.member != "" || f.op != "has" && f.op != "has_cs" || len(f.values) != 1 || f.values[0].S == "" {
		return rows, nil
	}
	c, err := b.Column(m, "")
	if err != nil || c == nil {
		return rows, err
	}
	found, ok, err := c.Having([]byte(f.values[0].S))
	if err != nil || !ok {
		return rows, err
	}
	codes, err := c.Codes()
	if err != nil {
		return nil, err
	}
	if rows == nil {
		rows = allRows(b)
	}
	kept := rows[:0]
	for _, row := range rows {
		if code := codes[row]; code != 0 && found[code-1] {
			kept = append(kept, row)
		}
	}
	return kept, nil
}

// columnOf returns a member of a block as a lazy vector.
func columnOf(b *db.Block, m chain.Member, k Kind) *Vector {
	switch {
	case m == chain.Index:
		return each(b, Long, func(row int) (Value, error) {
			n, err := b.Index(row)
			return LongOf(int64(n)), err
		})
	case k == Datetime:
		var ticks, rest []int64
		return each(b, Datetime, func(row int) (v Value, err error) {
			if ticks == nil {
				ticks, rest, err = b.Times(m)
			}
			if err != nil {
				return v, err
			}
			if rest == nil {
				return DatetimeOf(ticks[row], 0), nil
			}
			return DatetimeOf(ticks[row], uint8(rest[row])), nil
		})
	case k == Dynamic:
		return dynamicOf(b, m, nil)
	}
	return dictionaryOf(b, m, k, nil)
}

// each is a vector whose rows are computed one by one.
func each(b *db.Block, k Kind, at func(row int) (Value, error)) *Vector {
	some := func(rows []int) ([]Value, error) {
		values := make([]Value, len(rows))
		for i, row := range rows {
			var err error
			if values[i], err = at(row); err != nil {
				return nil, err
			}
		}
		return values, nil
	}
	var make func(rows []int) *Vector
	make = func(rows []int) *Vector {
		return Lazy(k, func(v *Vector) error {
			all := rows
			if all == nil {
				all = allRows(b)
			}
			values, err := some(all)
			if err == nil {
				*v = *VectorOf(k, values)
			}
			return err
		}, func(take []int) *Vector { return make(through(rows, take)) })
	}
	return make(nil)
}

func allRows(b *db.Block) []int {
	rows := make([]int, b.Rows())
	for i := range rows {
		rows[i] = i
	}
	return rows
}

// through returns the rows of a block that are at places among rows.
func through(rows, places []int) []int {
	if rows == nil {
		return places
	}
	out := make([]int, len(places))
	for i, p := range places {
		out[i] = rows[p]
	}
	return out
}

// dictionaryOf is a column whose values stand once each.
func dictionaryOf(b *db.Block, m chain.Member, k Kind, rows []int) *Vector {
	return Lazy(k, func(v *Vector) error {
		c, err := b.Column(m, "")
		if err != nil {
			return err
		}
		if c == nil {
			*v = *Repeated(NullOf(k))
			return nil
		}
		codes, err := codesOf(c, rows)
		if err != nil {
			return err
		}
		return fillCoded(v, k, codes, c)
	}, func(take []int) *Vector { return dictionaryOf(b, m, k, through(rows, take)) })
}

func codesOf(c *db.Column, rows []int) ([]uint16, error) {
	if rows == nil || len(rows)*4 > c.Rows() {
		codes, err := c.Codes()
		if err != nil || rows == nil {
			return codes, err
		}
		out := make([]uint16, len(rows))
		for i, row := range rows {
			out[i] = codes[row]
		}
		return out, nil
	}
	return c.CodesAt(make([]uint16, 0, len(rows)), short(rows))
}

func short(rows []int) []uint16 {
	out := make([]uint16, len(rows))
	for i, row := range rows {
		out[i] = uint16(row)
	}
	return out
}

// fillCoded decodes the values that the codes name, each once.
func fillCoded(v *Vector, k Kind, codes []uint16, c *db.Column) error {
	place := make([]uint32, c.Distinct()+1) // of each code, plus one
	var values []Value
	out := make([]uint32, len(codes))
	var text []byte
	for i, code := range codes {
		if place[code] == 0 {
			value := NullOf(k)
			if code != 0 {
				var err error
				if text, err = c.Value(text[:0], code); err != nil {
					return err
				}
				value = valueOf(k, text)
			}
			values = append(values, value)
			place[code] = uint32(len(values))
		}
		out[i] = place[code] - 1
	}
	*v = *Coded(k, values, out)
	return nil
}

// valueOf makes a value of what a column stores.
func valueOf(k Kind, text []byte) Value {
	if k == Real {
		f, err := strconv.ParseFloat(string(text), 64)
		if err != nil {
			return NullOf(Real)
		}
		return RealOf(f)
	}
	return StringOf(string(text))
}

// dynamicOf is a member that is JSON.
func dynamicOf(b *db.Block, m chain.Member, rows []int) *Vector {
	return Lazy(Dynamic, func(v *Vector) error {
		all := rows
		if all == nil {
			all = allRows(b)
		}
		texts, err := b.Members(m, short(all))
		if err != nil {
			return err
		}
		var values []Value
		codes := make([]uint32, len(texts))
		for i, text := range texts {
			if i == 0 || !sameBytes(text, texts[i-1]) {
				value := NullOf(Dynamic)
				if text != nil {
					value = DynamicOf(string(text))
				}
				values = append(values, value)
			}
			codes[i] = uint32(len(values) - 1)
		}
		*v = *Coded(Dynamic, values, codes)
		return nil
	}, func(take []int) *Vector { return dynamicOf(b, m, through(rows, take)) })
}

// sameBytes tells whether two values are one piece of memory.
func sameBytes(a, b []byte) bool {
	return len(a) == len(b) && (len(a) == 0 || &a[0] == &b[0])
}

// fillHas tells which rows have a response.
func fillHas(b *db.Block, v *Vector) error {
	texts, err := b.Members(chain.Response, short(allRows(b)))
	if err != nil {
		return err
	}
	values := make([]Value, len(texts))
	for i, text := range texts {
		values[i] = BoolOf(text != nil)
	}
	*v = *VectorOf(Bool, values)
	return nil
}

// excluded tells whether no row of a block can pass the filters.
func excluded(b *db.Block, filters []filter) (bool, error) {
	for _, f := range filters {
		may, err := mayPass(b, &f)
		if err != nil || !may {
			return err == nil, err
		}
	}
	return false, nil
}

// mayPass tells whether a row of b may pass a filter. It looks at dictionaries and
// filters of text, not at rows.
func mayPass(b *db.Block, f *filter) (bool, error) {
	m, ok := chain.MemberOf(f.column)
	if !ok {
		return true, nil
	}
	kind, ok := kindOfMember(m)
	if !ok || kind != String && (kind != Dynamic || f.member == "") {
		return true, nil
	}
	c, err := b.Column(m, f.member)
	if err != nil || c == nil && f.member != "" { // a member without a column stands in the rest
		return true, err
	}
	if c == nil {
		return matchesEmpty(f), nil
	}
	return f.may(c, f.member != "")
}

func kindOfMember(m chain.Member) (Kind, bool) {
	for _, c := range entryColumns {
		if c.m == m {
			return c.kind, true
		}
	}
	return 0, false
}

// findsText tells the operators that no text passes which has not a value that is asked
// for, or is it.
var findsText = words("== =~ in in~ has has_cs has_any has_all hasprefix hassuffix contains contains_cs startswith startswith_cs endswith endswith_cs")

// matchesEmpty tells whether an absent text, which is an empty one, may pass.
func matchesEmpty(f *filter) bool {
	for _, v := range f.values {
		if v.S == "" || v.Kind != String {
			return true
		}
	}
	return !findsText[f.op]
}

// spelledAnew tells whether a text that is asked for may be found in one that is not stored
// as it is: that of a number, or all of a value that is no string.
func spelledAnew(text, op string) bool {
	if strings.ContainsAny(text, "0123456789") && strings.Trim(text, "+-.0123456789eE") == "" {
		return true
	}
	return (op == "==" || op == "in") && strings.ContainsRune("tTfFnN[{\"", rune(text[0]))
}

// may asks a column whether a value may pass. A member of a dynamic has a quote before the
// characters of a string.
func (f *filter) may(c *db.Column, member bool) (bool, error) {
	ask := func(v Value) (bool, error) {
		if v.Kind != String || v.S == "" || member && spelledAnew(v.S, f.op) {
			return true, nil
		}
		switch f.op {
		case "==", "in":
			if member {
				return c.MayEqual(append([]byte{'"'}, v.S...))
			}
			return c.MayEqual([]byte(v.S))
		case "has", "has_cs", "has_any", "has_all":
			return c.MayHaveTerm([]byte(v.S))
		case "contains", "contains_cs", "startswith", "startswith_cs", "endswith", "endswith_cs", "hasprefix", "hassuffix", "=~", "in~":
			return c.MayContain([]byte(v.S))
		}
		return true, nil
	}
	for _, v := range f.values {
		may, err := ask(v)
		if err != nil || may != (f.op == "has_all") {
			return may || err != nil, err
		}
	}
	return f.op == "has_all", nil
}
