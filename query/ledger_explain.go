package query

import (
	"context"
	"fmt"
	"slices"

	"toolledger/chain"
	"toolledger/db"
)

// explain says which blocks are read. Where there is a ledger it counts them: each is
// counted for the first of what leaves it out, in the order in which a scan asks.
func (l *ledgerScan) explain(ctx context.Context, filters []filter, need columnSet) ([]string, error) {
	skips := skipsOf(filters)
	if s := l.skipUnread(filters, need); s != nil {
		skips = append([]*blockSkip{s}, skips...)
	}
	total, err := l.count(ctx, skips)
	if err != nil {
		return nil, err
	}
	lines := []string{"blocks in the order of the ledger, then the entries that are in none"}
	if l.own {
		lines[0] = "the ledger's own session; " + lines[0]
	}
	if total != nil {
		lines[0] += ": " + blocksOf(total.blocks, total.rows)
	}
	for _, s := range skips {
		line := s.text
		if total != nil && s.by != "" {
			line += fmt.Sprintf(": leaves out %d of %d", s.left, s.of)
		}
		lines = append(lines, line)
	}
	if total != nil {
		lines = append(lines, "of them are read "+blocksOf(total.read, total.readRows))
	}
	return lines, nil
}

func blocksOf(blocks, rows int) string {
	if blocks == 1 {
		return fmt.Sprintf("1 block of %d rows", rows)
	}
	return fmt.Sprintf("%d blocks of %d rows", blocks, rows)
}

// A blockSkip is one thing that leaves out blocks.
type blockSkip struct {
	text string
	by   string             // "": nothing tells of a block
	part func(db.Part) bool // what a scan asks before it reads a block
	r    *db.Range
	f    *filter
	left int // blocks that it leaves out
	of   int // those that it was asked of
}

// skipUnread returns what a scan knows before it reads a block, nil if it reads them all.
func (l *ledgerScan) skipUnread(filters []filter, need columnSet) *blockSkip {
	if l.own {
		return &blockSkip{text: "only blocks that may have entries of that session", by: "session", part: func(p db.Part) bool { return p.Own }}
	}
	seq := len(entryColumns) // the column that is known without the block
	if len(filters) > 0 || slices.ContainsFunc(slices.Concat(need[:seq], need[seq+1:]), columnUse.any) {
		return nil
	}
	return &blockSkip{text: "only blocks that may have entries of the ledger's own session; of others the number of rows is known", by: "session",
		part: func(p db.Part) bool { return p.Own || !p.All }}
}

// skipsOf returns what leaves out blocks: the range, then each filter. What a filter puts
// into the range stands once.
func skipsOf(filters []filter) (skips []*blockSkip) {
	r := rangeOfFilters(filters)
	if r.Session != "" {
		text := "only blocks with the session " + Quote(r.Session) + ", found by its entries"
		skips = append(skips, &blockSkip{text: text, by: "session", r: &db.Range{Session: r.Session}})
	}
	if r.Since != nil || r.Until != nil {
		text := "only blocks with a time"
		if r.Since != nil {
			text += " from " + timeText(*r.Since)
		}
		if r.Until != nil {
			text += " before " + timeText(*r.Until)
		}
		skips = append(skips, &blockSkip{text: text, by: "time", r: &db.Range{Since: r.Since, Until: r.Until}})
	}
	for i := range filters {
		f := &filters[i]
		if one := rangeOfFilters(filters[i : i+1]); one.Session != "" && one.Session == r.Session || one.Since != nil || one.Until != nil {
			continue
		}
		_, skip := f.skip()
		switch {
		case skip == nil:
			skips = append(skips, &blockSkip{text: "no block is left out by " + f.String()})
		case f.finder() != nil:
			skips = append(skips, &blockSkip{text: "only blocks, and of them rows, that may have " + f.String() + ", by their " + skip.by, by: skip.by, f: f})
		default:
			skips = append(skips, &blockSkip{text: "only blocks that may have " + f.String() + ", by their " + skip.by, by: skip.by, f: f})
		}
	}
	return skips
}

func timeText(t chain.Time) string { return toString(DatetimeOf(t.Ticks, t.Rest)) }

// A blockCount is how many blocks a table has, and how many of them are read.
type blockCount struct{ blocks, rows, read, readRows int }

// count asks all blocks of the ledger what a scan asks; nil without a ledger.
func (l *ledgerScan) count(ctx context.Context, skips []*blockSkip) (*blockCount, error) {
	if l.src == nil {
		return nil, nil
	}
	within := make([]map[uint64]bool, len(skips)) // of a range: the first rows of its blocks
	for i, s := range skips {
		if s.r == nil {
			continue
		}
		within[i] = map[uint64]bool{}
		for b, err := range l.src.Scan(ctx, *s.r) {
			if err != nil {
				return nil, err
			}
			within[i][b.First()] = true
			b.Release()
		}
	}
	parts, err := l.src.Parts(db.Range{})
	if err != nil {
		return nil, err
	}
	total := new(blockCount)
	for _, p := range parts {
		b, err := p.Open(ctx)
		if err != nil {
			return nil, err
		}
		left, err := leftOut(p, b, skips, within)
		rows := b.Rows()
		b.Release()
		if err != nil {
			return nil, err
		}
		total.blocks++
		total.rows += rows
		if !left {
			total.read++
			total.readRows += rows
		}
	}
	return total, nil
}

// leftOut asks of a block what may leave it out, one after the other.
func leftOut(p db.Part, b *db.Block, skips []*blockSkip, within []map[uint64]bool) (bool, error) {
	for i, s := range skips {
		may, err := true, error(nil)
		switch {
		case s.part != nil:
			may = s.part(p)
		case s.r != nil:
			may = within[i][b.First()]
		case s.by != "":
			may, err = mayPass(b, s.f)
		default:
			continue
		}
		if err != nil {
			return false, err
		}
		if s.of++; !may {
			s.left++
			return true, nil
		}
	}
	return false, nil
}

// explain says which entries are put together.
func (c *callScan) explain(_ context.Context, filters []filter, _ columnSet) ([]string, error) {
	lines := []string{"puts the entries of all sessions together, and holds which belong to each call"}
	r := rangeOfFilters(filters)
	if r.Session != "" {
		lines[0] = "puts the entries of the session " + Quote(r.Session) + " together, and holds which belong to each call"
	}
	for i := range filters {
		if f := &filters[i]; f.column != "session" || rangeOfFilters(filters[i:i+1]).Session != r.Session || r.Session == "" {
			lines = append(lines, "no entry is left out by "+f.String())
		}
	}
	return lines, nil
}

// explain says where the columns stand.
func (s *sessionScan) explain(_ context.Context, filters []filter, need columnSet) ([]string, error) {
	lines := []string{"holds the heads of all sessions"}
	for i, f := range s.fields {
		if f.Name == "agents" && need[i].any() {
			lines = append(lines, "reads session and agent of all entries, for agents")
		}
	}
	for i := range filters {
		lines = append(lines, "no session is left out by "+filters[i].String())
	}
	return lines, nil
}
