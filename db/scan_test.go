package db

import (
	"context"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"testing"

	"toolledger/chain"
)

// TestScan reads the ledger by blocks, and by records, in blocks and in the tail.
func TestScan(t *testing.T) {
	ctx := context.Background()
	l := open(t, filepath.Join(t.TempDir(), "l"), Options{})
	defer l.Close()
	for i := range 40 {
		e := Entry{Session: fmt.Sprint("s", i%3), Tool: fmt.Sprint("t", i%4), Reasoning: fmt.Sprintf("because \"%d\"\n", i), Args: fmt.Appendf(nil, `{"path":"docs/%d","n":%d,"é/":null}`, i, i%2)}
		if _, err := l.Append(ctx, e); err != nil {
			t.Fatal(err)
		}
		if i%9 == 8 {
			if err := pack(l); err != nil {
				t.Fatal(err)
			}
		}
	}
	s, err := l.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	records := map[uint64]*Record{}
	for r, err := range s.Records(ctx, Range{}) {
		if err != nil {
			t.Fatal(err)
		}
		records[r.Seq] = r
	}
	for _, r := range []Range{{}, {Session: "s1"}, {Session: "none"}, {From: 7, To: 20}, {Since: &records[11].Recorded}, {Until: &records[11].Recorded}} {
		seen := map[uint64]bool{}
		for b, err := range s.Scan(ctx, r) {
			if err != nil {
				t.Fatal(err)
			}
			for row := range b.Rows() {
				seq := b.First() + uint64(row)
				m, err := b.Entry(row)
				if err != nil || string(m.Append(nil)) != string(records[seq].JSON()) {
					t.Fatalf("row %d is %s, %v, want %s", seq, m.Append(nil), err, records[seq].JSON())
				}
				if index, err := b.Index(row); err != nil || index != records[seq].Index {
					t.Errorf("row %d has index %d, %v", seq, index, err)
				}
				if at, err := b.Time(chain.Recorded, row); err != nil || at != records[seq].Recorded {
					t.Errorf("row %d was recorded %v, %v", seq, at, err)
				}
				seen[seq] = true
			}
		}
		want := 0
		for record, err := range s.Records(ctx, r) {
			if err != nil {
				t.Fatal(err)
			}
			if want++; !seen[record.Seq] {
				t.Errorf("%+v: entry %d is in no block of the scan", r, record.Seq)
			}
		}
		if r == (Range{}) && want != len(records) || r.Session == "s1" && want != 13 || r.Session == "none" && len(seen) > 0 || r.To == 20 && want != 13 {
			t.Errorf("%+v: %d records, %d rows of blocks", r, want, len(seen))
		}
	}
}

// TestScanColumns looks at what a scan goes by.
func TestScanColumns(t *testing.T) {
	ctx := context.Background()
	l := open(t, filepath.Join(t.TempDir(), "l"), Options{})
	defer l.Close()
	for i := range 10 {
		if _, err := l.Append(ctx, Entry{Session: "s", Tool: "ls", Args: fmt.Appendf(nil, `{"path":"docs/%d"}`, i)}); err != nil {
			t.Fatal(err)
		}
	}
	if err := pack(l); err != nil {
		t.Fatal(err)
	}
	if _, err := l.Append(ctx, Entry{Session: "s", Tool: "ls", Args: []byte(`{"path":"docs/10"}`)}); err != nil {
		t.Fatal(err)
	}
	s, err := l.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for b, err := range s.Scan(ctx, Range{Session: "s"}) {
		if err != nil {
			t.Fatal(err)
		}
		if b.First() > 10 { // the tail: no member of args has a column, so all stand in the rest
			c, err := b.Column(chain.Args, "")
			if subs := b.Subs(chain.Args); len(subs) > 0 || c == nil || err != nil {
				t.Fatalf("the tail has columns %v of args, and the rest is %v, %v", subs, c, err)
			}
			if may, err := c.MayEqual([]byte(`{"path":"docs/10"}`)); err != nil || !may {
				t.Errorf("docs/10 is ruled out: %v", err)
			}
			continue
		}
		if got := fmt.Sprint(b.Subs(chain.Args)); got != "[format id path]" { // two of the ledger's own entry
			t.Errorf("members of args with a column: %s", got)
		}
		c, err := b.Column(chain.Args, "path")
		if err != nil || c == nil {
			t.Fatalf("no column args.path: %v", err)
		}
		if may, err := c.MayEqual([]byte(`"docs/7`)); err != nil || !may {
			t.Errorf("docs/7 is ruled out: %v", err)
		}
		if may, err := c.MayEqual([]byte(`"other`)); err != nil || may {
			t.Errorf("other is not ruled out: %v", err)
		}
		if c, err := b.Column(chain.Phase, ""); c != nil || err != nil {
			t.Errorf("a column without a value: %v, %v", c, err)
		}
	}
}

// TestIndexesAt compares the indexes of a few rows with those of all.
func TestIndexesAt(t *testing.T) {
	ctx, rng := context.Background(), rand.New(rand.NewPCG(8, 8))
	l := open(t, filepath.Join(t.TempDir(), "l"), Options{NoSync: true})
	defer l.Close()
	for i := range 900 {
		if _, err := l.Append(ctx, Entry{Session: fmt.Sprint("s", rng.IntN(5)*rng.IntN(5))}); err != nil {
			t.Fatal(err)
		}
		if i%300 == 299 {
			if err := pack(l); err != nil {
				t.Fatal(err)
			}
		}
	}
	s, err := l.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for _, odds := range []int{1, 2, 30, 100, 1000} { // one row of so many
		for b, err := range s.Scan(ctx, Range{}) {
			if err != nil {
				t.Fatal(err)
			}
			var rows []uint16
			for row := range b.Rows() {
				if rng.IntN(odds) == 0 {
					rows = append(rows, uint16(row))
				}
			}
			if odds == 2 {
				slices.Reverse(rows)
			}
			got, err := b.IndexesAt(rows)
			if err != nil || len(got) != len(rows) {
				t.Fatalf("IndexesAt of %d rows: %d, %v", len(rows), len(got), err)
			}
			for i, row := range rows {
				if want, err := b.Index(int(row)); err != nil || got[i] != want {
					t.Errorf("row %d of the block from %d has index %d, want %d, %v", row, b.First(), got[i], want, err)
				}
			}
		}
	}
}
