package query

import (
	"context"
	"iter"
	"os"
	"strconv"
	"strings"
	"testing"
)

// Random conditions over random ledgers: what a scan leaves out must never show.

// TestScanProperty asks random conditions as they are, of which a scan leaves blocks and
// rows out, and once more of rows that were read without them. QUERY_ROUNDS sets of how
// many ledgers.
func TestScanProperty(t *testing.T) {
	rounds := 3
	if n, err := strconv.Atoi(os.Getenv("QUERY_ROUNDS")); err == nil {
		rounds = n
	}
	for seed := range rounds {
		w := &world{Rand: newRand(uint64(seed))}
		tables := w.ledger(t)
		w.texts = textsOf(t, tables)
		asked, refused, found, some := 0, 0, 0, 0
		l := New(Options{Tables: append(tables, heldTables(t, tables)...)})
		for range 300 {
			first, second := w.condition(w.IntN(4)), ""
			switch w.IntN(4) {
			case 0:
				first = w.selective()
			case 1:
				first = w.selective() + pick(w, " and ", " and ", " or ") + "(" + first + ")"
			case 2:
				second = " | where " + w.condition(1)
			}
			table := pick(w, "entries", "entries", "entries", "entries", "calls", "control")
			if table == "calls" && strings.Contains(first+second, "time") {
				table = "entries"
			}
			query := func(source string) string { return source + " | where " + first + second + " | project session, seq" }
			stats := l.Stats()
			scanned, skipped := stats.Scanned.Load(), stats.Skipped.Load()
			got, err := linesOf(l, query(table))
			if table == "entries" && stats.Scanned.Load() > scanned+60 && stats.Skipped.Load() > skipped+60 {
				some++
			}
			want, bad := linesOf(l, query("held_"+table))
			switch {
			case err != nil && bad != nil && errorText(err) == errorText(bad):
				refused++
				continue
			case err != nil || bad != nil || got != want:
				t.Errorf("seed %d: %s gives %v\n%s\nwithout filters %v\n%s", seed, query(table), err, got, bad, want)
			}
			asked++
			if want != "" {
				found++
			}
		}
		t.Logf("seed %d: %d conditions, %d refused, %d with rows, %d left out blocks and read others", seed, asked, refused, found, some)
		if asked < 200 || found < 50 || found > asked-50 || some < 30 {
			t.Errorf("seed %d: that proves little", seed)
		}
	}
}

// heldTables are tables with the same rows, which no condition leaves out before it is
// asked of each.
func heldTables(t *testing.T, tables []Table) (held []Table) {
	t.Helper()
	for _, table := range tables {
		fields, rows, err := rowsOf(Options{Tables: tables}, table.Name)
		if err != nil {
			t.Fatal(err)
		}
		held = append(held, Table{Name: "held_" + table.Name, Fields: fields, scan: func() *scan {
			return &scan{name: "held", fields: fields, source: heldRows{fields, rows}}
		}})
	}
	return held
}

type heldRows struct {
	fields []Field
	rows   [][]Value
}

func (h heldRows) parts(*run, []filter) iter.Seq[part] { return partsOf(batchesOf(h.fields, h.rows)) }

// errorText is what an error says, without where.
func errorText(err error) string {
	faults, ok := err.(Faults)
	if !ok {
		return err.Error()
	}
	var texts []string
	for _, e := range faults {
		texts = append(texts, e.Msg)
	}
	return strings.Join(texts, "\n")
}

// linesOf returns the rows of a query as lines.
func linesOf(l *Language, query string) (string, error) {
	var out strings.Builder
	results, err := l.Compile(context.Background(), query, nil)
	if err != nil {
		return "", err
	}
	for b, err := range results[0].Batches(context.Background()) {
		if err == nil {
			err = b.Fill()
		}
		if err != nil {
			return "", err
		}
		for i := range b.N {
			for _, v := range b.Row(i) {
				out.WriteString(toString(v) + "|")
			}
			out.WriteByte('\n')
		}
	}
	return out.String(), nil
}

// textsOf returns what the text columns of a ledger, and some members, have.
func textsOf(t *testing.T, tables []Table) (texts []string) {
	t.Helper()
	_, rows, err := rowsOf(Options{Tables: tables}, "entries | project id, agent, tool, request, reasoning, prompt, tostring(args.path), tostring(args.q), tostring(response.path), tostring(metadata.n), tostring(args)")
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range rows {
		for _, v := range row {
			if v.S != "" {
				texts = append(texts, v.S)
			}
		}
	}
	return texts
}
