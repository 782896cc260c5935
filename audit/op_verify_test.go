package audit

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"toolledger/query"
)

// smallLedger has three sessions, whose entries follow each other in turn.
func smallLedger(t testing.TB) string {
	t.Helper()
	var entries []string
	for i := range 9 {
		entries = append(entries, fmt.Sprintf(`{"session":"s%d","time":"2026-01-02T03:04:%02dZ","agent":"a%d","tool":"t%d","args":{"n":%d},"response":{"ok":true}}`, i%3, i, i%3, i%2, i))
	}
	return madeLedger(t, entries...)
}

// digests stand as D where they are only of this ledger.
var digests = regexp.MustCompile(`[0-9a-f]{64}`)

func TestVerifyOperator(t *testing.T) {
	const head = "kind,session,entries,status,index,expected,found,detail\n"
	const wrong = "its digest is not the one that is stored"
	for _, c := range []struct{ name, old, new, query, want string }{
		{"the whole ledger", "", "", "verify", head + `session,_ledger,1,intact,,"","",""` + "\n" + `session,s0,3,intact,,"","",""` + "\n" + `session,s1,3,intact,,"","",""` + "\n" +
			`session,s2,3,intact,,"","",""` + "\n" + `tree,"",10,intact,,D,D,""` + "\n"},
		{"an entry was changed", `"args":{"n":4}`, `"args":{"n":5}`, `verify | where status == "broken"`, head + `session,s1,3,broken,1,D,D,` + wrong + "\n" + `tree,"",10,broken,,D,D,""` + "\n"},
		{"the header was changed", `"agent":"a2","args":{"n":8}`, `"agent":"a1","args":{"n":8}`, `verify | where status == "broken" and kind == "session"`, head + `session,s2,3,broken,2,D,D,` + wrong + "\n"},
		{"rows of one session", `"args":{"n":4}`, `"args":{"n":5}`, `entries | where session == "s1" | take 1 | verify`, head + `session,s1,3,broken,1,D,D,` + wrong + "\n"},
		{"rows of another session", `"args":{"n":4}`, `"args":{"n":5}`, `entries | where args.n == 0 | verify`, head + `session,s0,3,intact,,"","",""` + "\n"},
		{"rows out of order", "", "", `entries | sort by seq desc | where session in ("s0", "s2") | verify | project session, status`, "session,status\ns0,intact\ns2,intact\n"},
		{"no rows", "", "", `entries | where session == "nobody" | verify`, head},
		{"rows of another ledger", "", "", `datatable(session:string)["s9", "s0", "", "s0"] | verify | project session, entries, status, detail`,
			"session,entries,status,detail\ns0,3,intact,\"\"\ns9,0,missing,the ledger has no such session\n"},
		{"in the middle of a pipe", `"args":{"n":4}`, `"args":{"n":5}`, `entries | verify | where status != "intact" | project session, index`, "session,index\ns1,1\n"},
		{"in a condition", `"args":{"n":4}`, `"args":{"n":5}`, `entries | where session in ((verify | where status != "intact" | project session)) | count`, "Count\n3\n"},
		{"no column session", "", "", `entries | project tool | verify`, "error: 1:26: verify needs the column 'session' (string), which is not among the columns before it: tool\n"},
		{"session is no string", "", "", `print session = 1 | verify`, "error: 1:21: verify needs the column 'session' as string, it is long\n"},
		{"a value too many", "", "", `verify "s1"`, "error: 1:8: expected verify\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := smallLedger(t)
			if c.old != "" {
				tamper(t, dir, c.old, c.new)
			}
			got := asCSV(snapshotOf(t, dir), c.query)
			if got := digests.ReplaceAllString(got, "D"); got != c.want {
				t.Errorf("%s\n gives %s\n want %s", c.query, got, c.want)
			}
		})
	}
}

// TestVerifyExpected: what is found is what the ledger says, and what is expected what the entry
// as it stands makes, so that they change with it.
func TestVerifyExpected(t *testing.T) {
	dir := smallLedger(t)
	stored := ""
	t.Run("before", func(t *testing.T) {
		stored = strings.Fields(asCSV(snapshotOf(t, dir), `entries | where session == "s1" and index == 1 | project digest`))[1]
	})
	tamper(t, dir, `"args":{"n":4}`, `"args":{"n":5}`)
	s := snapshotOf(t, dir)
	row := strings.Fields(asCSV(s, `verify | where kind == "session" and status == "broken" | project strcat(expected, " ", found)`))
	if len(row) != 3 || row[2] != stored || row[1] == stored || !digests.MatchString(row[1]) {
		t.Errorf("expected and found are %v, stored is %s", row, stored)
	}
	tree := strings.Fields(asCSV(s, `verify | where kind == "tree" | project strcat(expected, " ", found)`))
	if root := hexHash(s.Root()); len(tree) != 3 || tree[2] != root || tree[1] == root {
		t.Errorf("the tree's roots are %v, stored is %s", tree, root)
	}
}

// TestVerifySelected: sessions one by one and all at once tell the same.
func TestVerifySelected(t *testing.T) {
	dir := smallLedger(t)
	tamper(t, dir, `"args":{"n":4}`, `"args":{"n":5}`)
	s := snapshotOf(t, dir)
	single := query.Operator{Name: "single", Bind: func(*query.Arguments, []query.Field) (*query.Transform, error) {
		return &query.Transform{Needs: []query.Field{{Name: "session", Kind: query.String}}, Fields: verifyFields, Run: func(r *query.Run, in query.Batches, out func(...query.Value) error) error {
			v := &ledgerVerifier{r, s, out}
			names, err := v.names(in)
			for _, name := range names {
				if err == nil {
					err = v.one(name)
				}
			}
			return err
		}}, nil
	}}
	l := query.New(query.Options{Tables: query.LedgerTables(s), Operators: append(Operators(s, nil), single)})
	all, one := askText(l, `entries | verify`, "csv", query.FormatOptions{}), askText(l, `entries | single`, "csv", query.FormatOptions{})
	if all != one || strings.Count(all, statusBroken) != 1 || strings.Count(all, statusIntact) != 2 {
		t.Errorf("all at once:\n%s\none by one:\n%s", all, one)
	}
}

func TestVerifyWithoutLedger(t *testing.T) {
	for _, text := range []string{"verify", `datatable(session:string)["a"] | verify`} {
		if got, want := asCSV(nil, text), "error: verify reads the ledger, and the query has none: -l DIR names it\n"; !strings.HasSuffix(got, want) {
			t.Errorf("%s gives %q, want %q", text, got, want)
		}
	}
	s := snapshotOf(t, smallLedger(t))
	if got := askText(languageOn(s, query.Options{Memory: 1000}), "verify", "csv", query.FormatOptions{}); !strings.Contains(got, "verify needs more than the 0 MiB") {
		t.Errorf("with no memory: %s", got)
	}
}
