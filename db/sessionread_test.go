package db

import (
	"context"
	"fmt"
	"path/filepath"
	"testing"
)

// TestSessionRecords reads sessions in ranges, from blocks, from the tail and from both, and
// compares with what a walk over all entries gives. It does so more than once, since from the
// second time on pages are known.
func TestSessionRecords(t *testing.T) {
	ctx := context.Background()
	l := open(t, filepath.Join(t.TempDir(), "l"), Options{})
	defer l.Close()
	for i := range 120 {
		session := fmt.Sprint("s", i%3)
		switch {
		case i == 5 || i == 70:
			session = "rare" // is in two of the blocks
		case i > 110 && i%2 == 0:
			session = "late" // is in the tail alone
		}
		e := Entry{Session: session, Tool: fmt.Sprint("t", i%4), ID: fmt.Sprintf("id-%06d", i*7), Reasoning: fmt.Sprintf("because of %d", i/5), Args: fmt.Appendf(nil, `{"n":%d}`, i%2)}
		if i%11 == 0 {
			e.Response = []byte(`{"ok":true}`)
		}
		if _, err := l.Append(ctx, e); err != nil {
			t.Fatal(err)
		}
		if i%25 == 24 && i < 105 {
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
	all := collect(t, s, Range{})
	since, until := all[30].Recorded, all[90].Recorded
	for range 3 {
		for _, r := range []Range{{}, {From: 20}, {To: 60}, {From: 33, To: 108}, {From: 105}, {From: 118}, {Since: &since}, {Until: &until}, {From: 28, Since: &since, Until: &until}} {
			for _, r.Session = range []string{"s0", "s1", "s2", "rare", "late", "none", OwnSession, ""} {
				got := collect(t, s, r)
				for _, want := range all {
					in := want.Seq >= r.From && want.Seq < r.to() && (r.Session == "" || want.Session == r.Session) && r.inTime(want.Recorded)
					if !in {
						continue
					}
					if len(got) == 0 {
						t.Fatalf("%+v: entry %d is missing", r, want.Seq)
					}
					g := got[0]
					if got = got[1:]; g.Seq != want.Seq || g.Index != want.Index || g.Digest != want.Digest || g.Prev != want.Prev || string(g.JSON()) != string(want.JSON()) {
						t.Fatalf("%+v: got entry %d (index %d) %s, want %d (index %d) %s", r, g.Seq, g.Index, g.JSON(), want.Seq, want.Index, want.JSON())
					}
				}
				if len(got) > 0 {
					t.Fatalf("%+v: entry %d is too much", r, got[0].Seq)
				}
			}
		}
	}
	if len(l.pages.young) == 0 {
		t.Error("no page was kept")
	}
}

func collect(t *testing.T, s *Snapshot, r Range) (records []*Record) {
	t.Helper()
	for record, err := range s.Records(context.Background(), r) {
		if err != nil {
			t.Fatalf("%+v: %v", r, err)
		}
		records = append(records, record)
	}
	return records
}

// TestSessionTailMissing takes the place of an entry of the tail away.
func TestSessionTailMissing(t *testing.T) {
	ctx := context.Background()
	l := open(t, filepath.Join(t.TempDir(), "l"), Options{})
	defer l.Close()
	for i := range 20 {
		if _, err := l.Append(ctx, Entry{Session: "s", Tool: "ls"}); err != nil {
			t.Fatal(err)
		}
		if i == 9 {
			if err := pack(l); err != nil {
				t.Fatal(err)
			}
		}
	}
	var b batch
	b.delete(indexKey(spaceIndex, "s", 14))
	if err := b.commit(l.store); err != nil {
		t.Fatal(err)
	}
	s, err := l.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	n := 0
	for _, err = range s.Records(ctx, Range{Session: "s"}) {
		if err == nil {
			n++
		}
	}
	if !isDamaged(err) || n != 10 {
		t.Errorf("%d records, then %v; want the 10 of the block and a DamagedError", n, err)
	}
}

// TestPageCache fills a cache to more than it has room for.
func TestPageCache(t *testing.T) {
	var c pageCache
	const size = pageCacheSize / 64
	page := func(i int) cachedPage { return cachedPage{value: []byte{byte(i), byte(i >> 8)}, size: size} }
	held := func() (n int) { return (len(c.young) + len(c.old)) * size }
	for i := range 32 {
		c.add(pageID{block: uint64(i)}, page(i))
	}
	for i := range 1000 {
		id := pageID{block: uint64(i)}
		p, ok := c.find(id)
		if ok && (p.value[0] != byte(i) || p.value[1] != byte(i>>8)) {
			t.Fatalf("page %d is %v", i, p.value)
		}
		if !ok {
			c.add(id, page(i))
		}
		if _, ok := c.find(pageID{block: 7}); !ok {
			t.Fatalf("page 7, which is always used, was forgotten after page %d", i)
		}
		if i < 32 && !ok {
			t.Errorf("page %d was not kept", i)
		}
		if held() > pageCacheSize {
			t.Fatalf("%d bytes are kept, the limit is %d", held(), pageCacheSize)
		}
	}
}
