package query

import (
	"context"
	"flag"
	"fmt"
	"iter"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"toolledger/db"
)

var rewrite = flag.Bool("rewrite", false, "write the plans that explain gives into testdata")

// planOf returns the plan of a query.
func planOf(t *testing.T, tables []Table, query string) string {
	t.Helper()
	i := 0
	if strings.HasPrefix(query, "let ") {
		i = strings.LastIndex(query, "; ") + 1
	}
	fields, rows, err := rowsOf(Options{Tables: tables, Now: testNow}, query[:i]+" explain "+query[i:])
	if err != nil || len(fields) != 1 || fields[0] != (Field{"Plan", String}) {
		t.Errorf("explain %s: %v, columns %v", query, err, fields)
	}
	var out strings.Builder
	for _, row := range rows {
		out.WriteString(row[0].S + "\n")
	}
	return out.String()
}

// TestPlans holds the plans of many queries against those that are written down, without
// a ledger. A query begins with > in testdata/plans.txt.
func TestPlans(t *testing.T) {
	const file = "testdata/plans.txt"
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	queries := 0
	for _, part := range strings.Split(string(text), "\n\n") {
		query, want, _ := strings.Cut(part, "\n")
		query, ok := strings.CutPrefix(query, "> ")
		if !ok {
			out.WriteString(part + "\n\n")
			continue
		}
		queries++
		got := strings.TrimRight(planOf(t, LedgerTables(nil), query), "\n")
		if got != strings.TrimRight(want, "\n") && !*rewrite {
			t.Errorf("explain %s gives\n%s\nexpected\n%s", query, got, want)
		}
		out.WriteString("> " + query + "\n" + got + "\n\n")
	}
	if queries < 40 {
		t.Errorf("%s has %d queries", file, queries)
	}
	if *rewrite {
		if err := os.WriteFile(file, []byte(strings.TrimRight(out.String(), "\n")+"\n"), 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

// A columnSpy is a table whose columns, and members that it has apart, say when they are
// filled.
type columnSpy struct {
	fields []Field
	rows   [][]Value
	apart  func(column string) bool
	mu     sync.Mutex
	filled map[string]bool
	plan   map[string]bool // what a plan says is filled
}

func (s *columnSpy) parts(*run, []filter) iter.Seq[part] {
	return partsOf(func(yield func(*Batch, error) bool) {
		for _, row := range s.rows {
			b := &Batch{N: 1}
			for c, f := range s.fields {
				b.Cols = append(b.Cols, &Vector{Kind: f.Kind, from: &spyColumn{s, f, row[c]}})
			}
			if !yield(b, nil) {
				return
			}
		}
	})
}

func (s *columnSpy) note(name string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.filled[name] = true
}

// A spyColumn is a column of one row.
type spyColumn struct {
	spy   *columnSpy
	field Field
	value Value
}

func (c *spyColumn) fill(v *Vector, _ []int) error {
	c.spy.note(c.field.Name)
	*v = *VectorOf(c.field.Kind, []Value{c.value})
	return nil
}

func (c *spyColumn) fillMember(v *Vector, name string, _ []int) (bool, error) {
	if !c.spy.apart(c.field.Name) {
		return false, nil
	}
	c.spy.note(memberText(c.field.Name, name))
	*v = *VectorOf(Dynamic, []Value{memberOf(c.value, name)})
	return true, nil
}

// explain notes what a plan says is filled.
func (s *columnSpy) explain(_ context.Context, _ []filter, need columnSet) ([]string, error) {
	for _, name := range need.list(s.fields, s.apart) {
		s.plan[name] = true
	}
	return nil, nil
}

// spied returns tables of some rows of others, with columns that say when they are filled.
func spied(t *testing.T, tables []Table) (spies []*columnSpy, list []Table) {
	t.Helper()
	for _, table := range tables {
		fields, rows, err := rowsOf(Options{Tables: tables}, table.Name+" | take 60")
		if err != nil {
			t.Fatal(err)
		}
		spy := &columnSpy{fields: fields, rows: rows, apart: apartOf(table.scan())}
		spies = append(spies, spy)
		list = append(list, Table{Name: table.Name, Fields: fields, scan: func() *scan { return &scan{name: table.Name, fields: fields, source: spy} }})
	}
	return spies, list
}

// TestPlanColumns runs the queries of the plans and holds the columns that are filled
// against those that the plan names.
func TestPlanColumns(t *testing.T) {
	text, err := os.ReadFile("testdata/plans.txt")
	if err != nil {
		t.Fatal(err)
	}
	w := &world{Rand: newRand(7)}
	spies, tables := spied(t, w.ledger(t))
	equal, queries := 0, 0
	for line := range strings.Lines(string(text)) {
		query, ok := strings.CutPrefix(strings.TrimSpace(line), "> ")
		if !ok {
			continue
		}
		queries++
		for _, s := range spies {
			s.filled, s.plan = map[string]bool{}, map[string]bool{}
		}
		planOf(t, tables, query)
		_, _, err := rowsOf(Options{Tables: tables, Now: testNow}, query)
		if err != nil {
			t.Errorf("%s: %v", query, err)
		}
		missing := 0
		for _, s := range spies {
			for name := range s.filled {
				column, _, _ := strings.Cut(strings.ReplaceAll(name, "[", "."), ".")
				if !s.plan[name] && !s.plan[column] {
					t.Errorf("%s fills %s, which is not in its plan\n%s", query, name, planOf(t, LedgerTables(nil), query))
				}
			}
			for name := range s.plan {
				if !s.filled[name] {
					missing++
				}
			}
		}
		if missing == 0 {
			equal++
		} else {
			t.Logf("%s: %d columns of the plan are not filled, as no row came so far", query, missing)
		}
	}
	if equal < queries*2/3 {
		t.Errorf("of %d queries, %d fill all columns of their plans", queries, equal)
	}
}

// TestPlanCounts holds the counts of a plan against what a run of the query says.
func TestPlanCounts(t *testing.T) {
	for seed := range uint64(2) {
		w := &world{Rand: newRand(seed)}
		tables := w.ledger(t)
		w.texts = textsOf(t, tables)
		for range 60 {
			l := New(Options{Tables: tables})
			condition := w.condition(2)
			if _, err := linesOf(l, "entries | where "+condition); err != nil {
				continue
			}
			plan := planOf(t, tables, "entries | where "+condition)
			_, read, ok := strings.Cut(plan, "of them are read ")
			_, read, _ = strings.Cut(read, " of ")
			var rows int64
			fmt.Sscanf(read, "%d rows", &rows)
			if !ok || rows != l.Stats().Scanned.Load() {
				t.Errorf("where %s: %d rows are looked at, the plan is\n%s", condition, l.Stats().Scanned.Load(), plan)
			}
		}
	}
}

// A partSpy is a ledger that counts the rows of blocks that are opened. It says of every
// other block that it has no entries of the ledger's own session.
type partSpy struct {
	Source
	opened atomic.Int64
}

func (s *partSpy) Parts(r db.Range) ([]db.Part, error) {
	parts, err := s.Source.Parts(r)
	for i := range parts {
		open := parts[i].Open
		parts[i].Own = i%2 == 1
		parts[i].Open = func(ctx context.Context) (*db.Block, error) {
			b, err := open(ctx)
			if b != nil {
				s.opened.Add(int64(b.Rows()))
			}
			return b, err
		}
	}
	return parts, err
}

// TestPlanUnread holds what a plan says of blocks that are not read, since a scan knows
// enough of them, against the blocks that a run opens.
func TestPlanUnread(t *testing.T) {
	spy := &partSpy{Source: testLedger(t)[0].scan().source.(*ledgerScan).src}
	tables := LedgerTables(spy)
	for query, all := range map[string]bool{
		"entries | count":                   false,
		"entries | project seq":             false,
		"entries | summarize count()":       false,
		"control | count":                   false,
		"control":                           false,
		"entries":                           true,
		"entries | summarize dcount(agent)": true,
		"entries | where seq >= 0 | count":  true,
	} {
		plan := planOf(t, tables, query)
		rowsBehind := func(text string) (rows int) {
			_, counts, _ := strings.Cut(plan, text)
			_, counts, _ = strings.Cut(counts, " of ")
			fmt.Sscanf(counts, "%d rows", &rows)
			return rows
		}
		total, read := rowsBehind("that are in none: "), rowsBehind("of them are read ")
		spy.opened.Store(0)
		if _, err := linesOf(New(Options{Tables: tables}), query); err != nil {
			t.Errorf("%s: %v", query, err)
		}
		if got := int(spy.opened.Load()); got != read || (read == total) != all || read == 0 {
			t.Errorf("%s: opens blocks of %d rows, the plan is\n%s", query, got, plan)
		}
	}
}

var testNow = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

func TestExplainParse(t *testing.T) {
	for query, want := range map[string]string{
		"explain let x = 1":                "1:9: explain stands before a query",
		"explain":                          "unknown table 'explain'",
		"explain | take 1":                 "unknown table 'explain'",
		"explain explain print 1":          "1:17: expected '|' before print",
		"explain entries | where nope > 1": "unknown column 'nope'",
	} {
		_, _, err := rowsOf(Options{Tables: LedgerTables(nil)}, query)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, expected %s", query, err, want)
		}
	}
	for query, want := range map[string]string{
		"let explain = print a = 1; explain | take 1":                   "a|1|",
		"let explain = (x:long) { print a = x }; explain(2)":            "a|2|",
		"explain (print a = 1)":                                         "Plan|print a = 1|",
		"let T = print a = 1; explain T | extend b = a":                 "Plan|print a = 1|",
		"let f = (n:long) { range x from 1 to n step 1 }; explain f(3)": "Plan|range x from 1 to n step 1|",
		"let explain = 1; explain print a = explain":                    "",
		"print explain = 1 | where explain == 1":                        "explain|1|",
	} {
		fields, rows, err := rowsOf(Options{Tables: LedgerTables(nil)}, query)
		if want == "" {
			if err == nil {
				t.Errorf("%s is accepted", query)
			}
			continue
		}
		if err != nil || fields[0].Name+"|"+toString(rows[0][0])+"|" != want {
			t.Errorf("%s: %v, %v", query, rows, err)
		}
	}
}
