package audit

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"testing/fstest"

	"toolledger/chain"
	"toolledger/query"
)

// ask runs a query without a ledger and returns its rows in a format, and the hints. An error
// is what it returns in place of rows.
func ask(text, format string) (rows string, hints []string) {
	lang := query.New(query.Options{Operators: Operators(nil, fstest.MapFS{})})
	results, err := lang.Compile(context.Background(), text, nil)
	if err != nil {
		return err.Error(), nil
	}
	var out strings.Builder
	for _, r := range results {
		w := r.Writer(*query.FormatNamed(format), &out, query.FormatOptions{})
		if err := w.Begin(r.Fields); err != nil {
			return err.Error(), nil
		}
		for b, err := range r.Batches(context.Background()) {
			if err == nil {
				err = w.Rows(b)
			}
			if err != nil {
				return err.Error(), lang.Hints()
			}
		}
		if err := w.End(); err != nil {
			return err.Error(), nil
		}
	}
	return out.String(), lang.Hints()
}

// TestExamples runs the example of each operator, which has a row: that of verify is of a
// ledger.
func TestExamples(t *testing.T) {
	s := snapshotOf(t, madeLedger(t, `{"session":"s","tool":"write_file"}`))
	for _, op := range Operators(s, fstest.MapFS{}) {
		if rows := askText(languageOn(s, query.Options{}), op.Example, "jsonl", query.FormatOptions{}); !strings.HasPrefix(rows, "{") {
			t.Errorf("%s: %s", op.Name, rows)
		}
	}
}

// entryRows is a datatable of entries: each line has members of one, of which index, where it
// is not given, counts in the session, which is "s" if it is not given.
func entryRows(lines ...string) string {
	columns := []struct{ name, kind, absent string }{
		{"session", "string", `"s"`}, {"index", "long", ""}, {"tool", "string", `""`}, {"args", "dynamic", "dynamic(null)"}, {"response", "dynamic", "dynamic(null)"},
		{"agent", "string", `""`}, {"request", "string", `""`}, {"phase", "string", `""`}, {"authorization", "string", `""`}, {"removed", "dynamic", "dynamic(null)"},
	}
	var head, rows []string
	for _, c := range columns {
		head = append(head, c.name+":"+c.kind)
	}
	for i, line := range lines {
		text := &chain.Text{}
		if _, err := text.Canonical(nil, []byte(line)); err != nil {
			panic(line + ": " + err.Error())
		}
		given := map[string]string{}
		for name, value := range text.Members() {
			given[chain.Unquote(name)] = string(value)
		}
		for _, c := range columns {
			value, ok := given[c.name]
			switch {
			case ok && c.kind == "dynamic":
				value = "dynamic(" + value + ")"
			case !ok && c.name == "index":
				value = fmt.Sprint(i)
			case !ok:
				value = c.absent
			}
			rows = append(rows, value)
		}
	}
	return "datatable(" + strings.Join(head, ", ") + ")[" + strings.Join(rows, ",\n") + "]"
}
