package audit

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"toolledger/query"
)

var rewrite = flag.Bool("rewrite", false, "write the golden files anew")

// goldenFile holds a text against a file of testdata.
func goldenFile(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *rewrite {
		if err := os.WriteFile(path, []byte(got), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil || got != string(want) {
		t.Errorf("%s: %v, got\n%s\nwant\n%s", name, err, got, want)
	}
}

// entriesOf returns the lines of a file of testdata.
func entriesOf(t testing.TB, name string) []string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return strings.Split(strings.TrimSpace(string(text)), "\n")
}

func TestDiffGolden(t *testing.T) {
	s := snapshotOf(t, madeLedger(t, entriesOf(t, "diff.jsonl")...))
	for _, width := range []int{80, 120, 0} {
		got := askText(languageOn(s, query.Options{}), `diff "周一" "周二"`, "table", query.FormatOptions{Width: width})
		goldenFile(t, fmt.Sprintf("diff-%d.txt", width), got)
		for line := range strings.Lines(got) {
			if w := query.Width(strings.TrimSuffix(line, "\n")); width > 0 && w > width {
				t.Errorf("width %d: a line has %d columns: %s", width, w, line)
			}
		}
	}
	goldenFile(t, "diff.jsonl.golden", askText(languageOn(s, query.Options{}), `diff "周一" "周二" | project kind, divergence, tool, index_a, index_b, changes`, "jsonl", query.FormatOptions{}))
	first, piped := asCSV(s, `diff "周一" "周二"`), asCSV(s, `entries | diff "周一" "周二"`)
	if first != piped || !strings.Contains(first, differentArgs) {
		t.Errorf("first in the query:\n%s\nbehind entries:\n%s", first, piped)
	}
	if got := asCSV(s, `entries | sort by index desc | diff "周一" "周二"`); got != first {
		t.Errorf("rows out of order:\n%s\nwant\n%s", got, first)
	}
	calls := asCSV(s, `calls | diff "周一" "周二" | project kind, tool, index_a`)
	if want := asCSV(s, `diff "周一" "周二" | project kind, tool, index_a`); calls != want {
		t.Errorf("of calls:\n%s\nof entries:\n%s", calls, want)
	}
}

// TestDiffKinds compares sessions that are written as a letter a call: the tool, and behind it
// the args and the response.
func TestDiffKinds(t *testing.T) {
	table := func(session string, calls string) (rows []string) {
		for i, c := range strings.Fields(calls) {
			rows = append(rows, fmt.Sprintf(`"%s", %d, "%c", dynamic({"x":"%c"}), dynamic({"r":"%c"})`, session, i, c[0], c[1], c[2]))
		}
		return rows
	}
	short := map[string]string{sameCall: "=", differentArgs: "≠", differentResponse: "~", onlyA: "<", onlyB: ">"}
	for _, c := range []struct{ name, a, b, want string }{
		{"the same", "f11 g11", "f11 g11", "= ="},
		{"other args", "f11 g11", "f11 g21", "= ≠!"},
		{"other response", "f11 g11", "f11 g12", "= ~!"},
		{"other args and response", "f11", "f22", "≠!"},
		{"an insertion does not shift what follows", "f11 g11 h11", "f11 x11 g11 h11", "= >! = ="},
		{"a removal neither", "f11 x11 g11 h11", "f11 g11 h11", "= <! = ="},
		{"another tool", "f11 g11 h11", "f11 x11 h11", "= <! >! ="},
		{"the same tool among others", "f11 x11 g11 h11", "f11 y11 g21 h11", "= <! >! ≠ ="},
		{"nothing in common", "f11 f12", "g11", "<! <! >!"},
		{"once more at the end", "f11", "f11 f11", "= >!"},
		{"a longer session of one tool", "f11 f21 f31", "f11 f31", "= <! ="},
	} {
		rows := append(table("a", c.a), table("b", c.b)...)
		text := `datatable(session:string, index:long, tool:string, args:dynamic, response:dynamic)[` + strings.Join(rows, ", ") + `] | diff "a" "b" | project kind, divergence`
		want := "kind,divergence\n"
		marked := false
		for _, k := range strings.Fields(c.want) {
			mark := strings.HasSuffix(k, "!")
			for kind, sign := range short {
				if sign == strings.TrimSuffix(k, "!") {
					want += fmt.Sprintf("%s,%t\n", kind, mark && !marked)
				}
			}
			marked = marked || mark
		}
		if got := asCSV(nil, text); got != want {
			t.Errorf("%s: %s and %s give\n%s\nwant\n%s", c.name, c.a, c.b, got, want)
		}
	}
}

func TestDiffRemoved(t *testing.T) {
	const table = `datatable(session:string, index:long, tool:string, args:dynamic, response:dynamic, removed:dynamic)[`
	for _, c := range []struct{ name, rows, want string }{
		{"an argument", `"a", 0, "f", dynamic({"x":1}), dynamic(1), dynamic(null), "b", 0, "f", dynamic({}), dynamic(2), dynamic(["/args/x"])`, "unknown (removed),false,[{\"\"path\"\":\"\"response\"\",\"\"a\"\":1,\"\"b\"\":2}]"},
		{"the response", `"a", 0, "f", dynamic({"x":1}), dynamic(null), dynamic(["/response"]), "b", 0, "f", dynamic({"x":1}), dynamic(2), dynamic(null)`, "unknown (removed),false,[]"},
		{"something else", `"a", 0, "f", dynamic({"x":1}), dynamic(1), dynamic(["/reasoning"]), "b", 0, "f", dynamic({"x":1}), dynamic(2), dynamic(null)`, "different-response,true,[{\"\"path\"\":\"\"response\"\",\"\"a\"\":1,\"\"b\"\":2}]"},
	} {
		got := strings.ReplaceAll(asCSV(nil, table+c.rows+`] | diff "a" "b" | project kind, divergence, changes`), `"[`, "[")
		if want := "kind,divergence,changes\n" + c.want; strings.TrimRight(got, "\"\n") != want {
			t.Errorf("%s: got\n%s\nwant\n%s", c.name, got, want)
		}
	}
}

func TestDiffFaults(t *testing.T) {
	s := snapshotOf(t, madeLedger(t, entriesOf(t, "diff.jsonl")...))
	for text, want := range map[string]string{
		`diff "周一"`:                 "expected a session behind the operator, in quotes",
		`diff`:                      "expected a session behind the operator, in quotes",
		`diff "周一" "周二" "周三"`:       `expected diff "SESSION" "SESSION" context=3`,
		`diff "周一" 5`:               "a session: expected a string, found 5",
		`diff "周一" "周二" context=-1`: "context: expected 0 or more, found -1",
		`diff "周一" "nobody\u202e"`:  `diff: no session "nobody\u202e" in the ledger`,
		`entries | where index == 99 | diff "周一" "周二"`:      `diff: no row is of session "周一", which the ledger has`,
		`entries | project session, index | diff "周一" "周二"`: "diff needs the column 'tool' (string)",
		`entries | extend index = "1" | diff "周一" "周二"`:     "diff needs the column 'index' as long, it is string",
	} {
		if got := asCSV(s, text); !strings.Contains(got, want) {
			t.Errorf("%s gives %s, want %s", text, got, want)
		}
	}
	near := snapshotOf(t, madeLedger(t, `{"session":"build-1","tool":"ls"}`, `{"session":"deploy","tool":"ls"}`))
	if got, want := asCSV(near, `diff "deploy" "build-2"`), `error: diff: no session "build-2" in the ledger, did you mean "build-1"?`; !strings.Contains(got, want) {
		t.Errorf("got %s, want %s", got, want)
	}
	if got, want := asCSV(nil, `diff "a" "b"`), "unknown table 'entries', which diff reads where nothing stands before it"; !strings.Contains(got, want) {
		t.Errorf("got %s, want %s", got, want)
	}
	if got, want := asCSV(nil, `datatable(session:string, index:long, tool:string)["a", 0, "f"] | diff "a" "b"`), `diff: no row is of session "b"`; !strings.Contains(got, want) {
		t.Errorf("got %s, want %s", got, want)
	}
}

// TestChanges names where texts differ.
func TestChanges(t *testing.T) {
	long := func(n int, v string) []byte {
		return []byte("[" + strings.TrimSuffix(strings.Repeat(v+",", n), ",") + "]")
	}
	for _, c := range []struct {
		name string
		a, b []byte
		want string
	}{
		{"nothing", []byte(`{"a":1}`), []byte(`{"a":1}`), `[]`},
		{"a member", []byte(`{"a":1,"b":2}`), []byte(`{"a":1,"b":3}`), `[{"path":"args.b","a":2,"b":3}]`},
		{"one that is absent", []byte(`{"a":1}`), []byte(`{"b":null}`), `[{"path":"args.a","a":1},{"path":"args.b","b":null}]`},
		{"deep", []byte(`{"a":{"b":[1,{"c":2}]}}`), []byte(`{"a":{"b":[1,{"c":3}]}}`), `[{"path":"args.a.b[1].c","a":2,"b":3}]`},
		{"names that need quotes", []byte(`{"":1,"1a":1,"a b":1,"é\n":1}`), []byte(`{"":2,"1a":2,"a b":2,"é\n":2}`),
			`[{"path":"args[\"\"]","a":1,"b":2},{"path":"args[\"1a\"]","a":1,"b":2},{"path":"args[\"a b\"]","a":1,"b":2},{"path":"args[\"é\\n\"]","a":1,"b":2}]`},
		{"a longer array", []byte(`[1]`), []byte(`[1,2]`), `[{"path":"args[1]","b":2}]`},
		{"a shorter one", []byte(`[1,2]`), []byte(`[]`), `[{"path":"args[0]","a":1},{"path":"args[1]","a":2}]`},
		{"another type", []byte(`{"a":1}`), []byte(`[1]`), `[{"path":"args","a":{"a":1},"b":[1]}]`},
		{"1 and 1.0", []byte(`1`), []byte(`1.0`), `[{"path":"args","a":1,"b":1.0}]`},
		{"absent and there", nil, []byte(`""`), `[{"path":"args","b":""}]`},
	} {
		var list changes
		list.compare("args", c.a, c.b)
		if got := list.JSON(); got != c.want {
			t.Errorf("%s: %s", c.name, got)
		}
	}
	var list changes
	list.compare("args", long(150, "1"), long(150, "2"))
	if len(list.list) != maxChanges || !strings.HasSuffix(list.JSON(), `,{"more":50}]`) {
		t.Errorf("%d changes are listed: %s", len(list.list), list.JSON())
	}
}

// TestDiffNoIndex: a row without index stands behind the others, and has none in the result.
func TestDiffNoIndex(t *testing.T) {
	const rows = `datatable(session:string, index:long, tool:string)["a", long(null), "x", "a", 0, "y", "b", 0, "y", "b", long(null), "z"] | diff "a" "b"`
	if got, want := asCSV(nil, rows+` | project kind, index_a, index_b`), "kind,index_a,index_b\nsame,0,0\nonly-a,,\nonly-b,,\n"; got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if got := askText(languageOn(nil, query.Options{}), rows, "table", query.FormatOptions{}); !strings.Contains(got, "    ∅ x") || !strings.Contains(got, ">     ∅ z") {
		t.Errorf("for people:\n%s", got)
	}
}
