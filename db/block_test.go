package db

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"toolledger/chain"
)

// rowsOf makes rows of entries in JSON, as a pack has them.
func rowsOf(t testing.TB, first uint64, texts ...string) []row {
	t.Helper()
	rows := make([]row, len(texts))
	next := map[string]uint64{}
	for i, text := range texts {
		canonical, err := chain.Canonical(nil, []byte(text))
		if err != nil {
			t.Fatal(err)
		}
		m, err := chain.ParseEntry(chain.TextOf(canonical))
		if err != nil {
			t.Fatalf("%v in %.200s", err, text)
		}
		if m[chain.Session] == nil {
			m[chain.Session] = []byte(`"s"`)
		}
		session := chain.Unquote(m[chain.Session])
		r := &rows[i]
		r.position = position{session: session, index: 1<<40 + next[session], seq: first + uint64(i), recorded: chain.Time{Ticks: 6e17 + int64(i), Rest: uint8(i % 100)}}
		next[session]++
		m[chain.Index], m[chain.Recorded] = formatIndex(r.index), quoteTime(r.recorded)
		if m[chain.At] == nil {
			m[chain.At] = m[chain.Recorded]
		}
		if r.at, err = chain.ParseTime(unquoted(m[chain.At])); err != nil {
			t.Fatal(err)
		}
		m[chain.At] = quoteTime(r.at)
		r.m, r.size = m, len(canonical)
	}
	return rows
}

// setOf makes a set of rows.
func setOf(rows []row) *rowSet {
	s := new(rowSet)
	s.reset(len(rows))
	for i := range rows {
		s.add(&rows[i].m, rows[i].position, asIs)
	}
	return s
}

// many returns n texts, of the rows that make gives.
func many(n int, make func(i int) string) (texts []string) {
	for i := range n {
		texts = append(texts, make(i))
	}
	return texts
}

func oddEntries(seed uint64, n int) []string {
	rng := rand.New(rand.NewPCG(seed, 1))
	return many(n, func(i int) string { return "{" + strings.Join(oddMembers(rng, i%50 > 0), ",") + "}" })
}

func TestBlock(t *testing.T) {
	object := func(member string, n int) string {
		names := many(n, func(i int) string { return fmt.Sprintf(`"k%d":%d`, i, i) })
		return fmt.Sprintf(`{"%s":{%s}}`, member, strings.Join(names, ","))
	}
	for _, tt := range []struct {
		name  string
		texts []string
	}{
		{"a single row", []string{`{}`}},
		{"absent, null, empty and false", []string{`{}`, `{"response":null}`, `{"response":{}}`, `{"response":[]}`, `{"response":""}`, `{"response":false}`, `{"args":{}}`, `{"metadata":{}}`, `{"tool":""}`, `{"context":[]}`}},
		{"a member that is an object here and not there", []string{`{"response":{"a":1}}`, `{"response":"{\"a\":1}"}`, `{"response":[{"a":1}]}`, `{"response":{"a":{"a":null}}}`, `{"response":{"b":0}}`, `{"response":null}`, `{}`}},
		{"members named alike", []string{`{"args":{"":1,"a":"","a.b":2,"a/b":3,"a~":4,"\"":5,"\\":6,"\u0000":7}}`, `{"args":{"a":{"b":1}}}`, `{"args":{"":{}}}`}},
		{"names in the order of UTF-16", []string{`{"args":{"\ue000":1,"😀":2,"z":3}}`, `{"args":{"😀":2}}`, `{"args":{"\ue000":1,"é":0}}`}},
		{"strings that look like something else", []string{`{"response":"\"quoted\""}`, `{"response":"null"}`, `{"response":"\\"}`, `{"response":"{"}`, `{"response":"\u0000"}`, `{"response":"a\nb"}`}},
		{"numbers keep their spelling", many(400, func(i int) string {
			return fmt.Sprintf(`{"duration_ms":%s,"args":{"n":%[1]s}}`, []string{"1", "1.0", "1e0", "-0", "0", "1e400", "9007199254740993", "-9223372036854775808", "18446744073709551616", "0.10"}[i%10])
		})},
		{"64 members", []string{object("args", 64)}},
		{"65 members", []string{object("args", 65), object("metadata", 65), object("response", 65)}},
		{"1,500 members", []string{object("response", 1500), object("response", 1499), `{"response":{"k7":"x"}}`}},
		{"a member of a name that gets no column", []string{`{"args":{"` + strings.Repeat("n", 1<<10) + `":1,"a":2}}`, `{"args":{"` + strings.Repeat("é", 511) + `":1}}`}},
		{"a rare member", many(1000, func(i int) string { return fmt.Sprintf(`{"args":{"a":%d,"rare%d":1}}`, i, i%300) })},
		{"many sessions", many(8192, func(i int) string { return fmt.Sprintf(`{"session":"s%d"}`, i*7%8192) })},
		{"names of 512 bytes", many(300, func(i int) string { return fmt.Sprintf(`{"session":"%s%03d"}`, strings.Repeat("x", 509), i) })},
		{"all rows alike", many(8192, func(int) string { return `{"tool":"ls","args":{"path":"/"}}` })},
		{"times at the ends", []string{`{"time":"0001-01-01T00:00:00Z"}`, `{"time":"9999-12-31T23:59:59.999999999Z"}`, `{"time":"1969-12-31T23:59:59.999999999Z"}`, `{"time":"2026-01-01T00:00:00.000000001+14:00"}`}},
		{"a value of several pages", []string{`{` + noise("args", rand.New(rand.NewPCG(1, 1)), 3<<20) + `}`, `{}`}},
		{"odd", oddEntries(1, 500)},
		{"odd, full", oddEntries(2, 8192)},
	} {
		t.Run(tt.name, func(t *testing.T) {
			rows := setOf(rowsOf(t, 1<<33, tt.texts...))
			var e blockEncoder
			pages := e.encode(rows)
			if err := checkBlock(3, pages, rows); err != nil {
				t.Fatal(err)
			}
			for _, p := range pages {
				if len(p.value) > maxValue {
					t.Errorf("column %d, page %d has %d bytes", p.column, p.page, len(p.value))
				}
			}
			kept := clonePages(pages)
			again := e.encode(rows)
			if len(again) != len(kept) {
				t.Fatalf("%d pages the second time, %d the first", len(again), len(kept))
			}
			for i := range kept {
				if !bytes.Equal(kept[i].value, again[i].value) {
					t.Errorf("page %d is another the second time", i)
				}
			}
		})
	}
}

func clonePages(pages []page) (c []page) {
	for _, p := range pages {
		c = append(c, page{p.column, p.page, bytes.Clone(p.value)})
	}
	return c
}

// TestCheckBlock: a block that is not what its rows are is found before it counts.
func TestCheckBlock(t *testing.T) {
	texts := oddEntries(3, 40)
	texts[20] = `{"tool":"a","args":{"n":1,"m":[]},"reasoning":"x\\\\y"}`
	texts[21] = `{"tool":"b","args":{"n":2,"m":[]},"reasoning":"x\\\\y"}`
	texts[22] = texts[21]
	rows := rowsOf(t, 5, texts...)
	pages := clonePages(new(blockEncoder).encode(setOf(rows)))
	for name, spoil := range map[string]func(rows []row) []row{
		"a value": func(rows []row) []row { rows[3].m[chain.Tool] = []byte(`"spoiled"`); return rows },
		"absent": func(rows []row) []row {
			rows[4].m[chain.Args] = []byte(`{}`)
			rows[4].m[chain.Response] = []byte(`1`)
			return rows
		},
		"an index":      func(rows []row) []row { rows[9].m[chain.Index] = []byte(`7`); return rows },
		"a time":        func(rows []row) []row { rows[9].m[chain.At] = []byte(`"2020-01-01T00:00:00Z"`); return rows },
		"a row too few": func(rows []row) []row { return rows[:39] },
		"the first seq": func(rows []row) []row { rows[0].seq++; return rows },
		"an escape":     func(rows []row) []row { rows[20].m[chain.Reasoning] = []byte(`"x\\y"`); return rows },
		"a value that comes again": func(rows []row) []row {
			rows[22].m[chain.Tool] = []byte(`"a"`)
			return rows
		},
		"an object that comes again": func(rows []row) []row {
			rows[22].m[chain.Args] = rows[20].m[chain.Args]
			return rows
		},
		"a value shared with the row before": func(rows []row) []row {
			rows[21].m[chain.Tool] = rows[20].m[chain.Tool]
			rows[22].m[chain.Tool] = rows[20].m[chain.Tool]
			return rows
		},
		"an object shared with the row before": func(rows []row) []row {
			rows[21].m[chain.Args] = rows[20].m[chain.Args]
			rows[22].m[chain.Args] = rows[20].m[chain.Args]
			return rows
		},
		"a time shared with the row before": func(rows []row) []row {
			rows[21].m[chain.Recorded] = rows[20].m[chain.Recorded]
			return rows
		},
		"a member without a column": func(rows []row) []row { rows[7].m[chain.Trace] = []byte(`"t"`); return rows },
		"rows exchanged":            func(rows []row) []row { rows[1], rows[2] = rows[2], rows[1]; return rows },
	} {
		if err := checkBlock(0, pages, setOf(spoil(append([]row(nil), rows...)))); err == nil {
			t.Errorf("%s: checkBlock = nil, want an error", name)
		}
	}
	head := pages[slices.IndexFunc(pages, func(p page) bool { return p.column == 0 && p.page == 0 })].value
	for at := blockHeadSize - 16; at < blockHeadSize; at += 8 { // the least time, the greatest
		head[at] ^= 1
		if err := checkBlock(0, pages, setOf(rows)); err == nil {
			t.Errorf("a head with byte %d changed: checkBlock = nil, want an error", at)
		}
		head[at] ^= 1
	}
}

// TestBlockDamaged flips every byte of a block, as if its checksum were made to fit:
// it is read as something or refused, but nothing panics.
func TestBlockDamaged(t *testing.T) {
	rows := setOf(rowsOf(t, 5, oddEntries(4, 60)...))
	pages := clonePages(new(blockEncoder).encode(rows))
	rng := rand.New(rand.NewPCG(1, 2))
	for i := range pages {
		for range min(400, len(pages[i].value)) {
			at := rng.IntN(len(pages[i].value))
			old := pages[i].value[at]
			pages[i].value[at] ^= 1 << rng.IntN(8)
			checkBlock(0, pages, rows)
			pages[i].value[at] = old
		}
		whole := pages[i].value
		for range 20 {
			pages[i].value = whole[:rng.IntN(len(whole)+1)]
			checkBlock(0, pages, rows)
		}
		pages[i].value = whole
	}
	if err := checkBlock(0, pages, rows); err != nil {
		t.Fatal(err)
	}
}
