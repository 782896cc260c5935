package audit

import (
	"fmt"
	"strings"
	"testing"

	"toolledger/query"
)

func TestCalltreeGolden(t *testing.T) {
	l := ledgerLanguage(t, "swarm.jsonl")
	for _, c := range []struct {
		file, format string
		width        int
	}{{"calltree-80.txt", "table", 80}, {"calltree-120.txt", "table", 120}, {"calltree.md", "markdown", 0}, {"calltree.jsonl", "jsonl", 0}} {
		holdGolden(t, c.file, printed(t, l, "entries | calltree", c.format, query.FormatOptions{Width: c.width}))
	}
}

func TestCalltreeExample(t *testing.T) {
	want := "0,plan,a\n1,search,b\n"
	if got := printed(t, plainLanguage(), calltree.Example+" | project depth, tool, session", "csv", query.FormatOptions{}); got != "depth,tool,session\n"+want {
		t.Errorf("the example gives\n%swant\n%s", got, want)
	}
}

// treeRows is a table of entries: session index request parent phase, with - for none, and a
// second between them.
func treeRows(lines ...string) string {
	var b strings.Builder
	b.WriteString("datatable(session:string, index:long, request:string, parent:string, phase:string, tool:string, time:datetime, response:dynamic)[")
	for i, line := range lines {
		f := strings.Fields(strings.ReplaceAll(line, "-", `""`))
		index, tool, response := f[1], "t"+fmt.Sprint(i), "dynamic(null)"
		text := func(s string) string { return `"` + strings.Trim(s, `"`) + `"` }
		if len(f) > 5 {
			response = "dynamic(" + f[5] + ")"
		}
		if index == "?" {
			index = "long(null)"
		}
		fmt.Fprintf(&b, "%s,%s,%s,%s,%s,%q,datetime(2026-01-01 00:00:%02d),%s,\n", text(f[0]), index, text(f[2]), text(f[3]), text(f[4]), tool, i, response)
	}
	return b.String() + "]"
}

func TestCalltree(t *testing.T) {
	for _, c := range []struct {
		name string
		rows []string
		want string // path tool note
	}{
		{"nothing", nil, ""},
		{"without request each is a call", []string{"a 0 - - -", "a 1 - - COMPLETE", "a 2 - - - 1"}, "1 t0 no request; unanswered|2 t1 no request; unanswered|3 t2 no request"},
		{"a response without phase answers", []string{"a 0 r - - 1"}, "1 t0 "},
		{"a response without an attempt", []string{"a 0 r - COMPLETE 1"}, "1 t0 no attempt"},
		{"a request used again", []string{"a 0 r - ATTEMPT", "a 1 r - ATTEMPT"}, "1 t0 unanswered|2 t1 request used again; unanswered"},
		{"the same request in two sessions", []string{"a 0 r - -  1", "b 0 r - - 1"}, "1 t0 |2 t1 "},
		{"no such parent", []string{"a 0 r x - 1"}, "1 t0 orphan: no call has the request of its parent"},
		{"a parent in another session", []string{"a 0 r - - 1", "b 0 q r - 1"}, "1 t0 |1.1 t1 parent in session a"},
		{"the nearest before", []string{"a 0 r - - 1", "a 1 r - ATTEMPT", "a 2 r - ATTEMPT", "a 3 q r - 1", "a 4 r - ATTEMPT"},
			"1 t0 |2 t1 request used again; unanswered|3 t2 request used again; unanswered|3.1 t3 parent is one of 4 calls with that request|4 t4 request used again; unanswered"},
		{"its own session first", []string{"a 0 r - - 1", "b 0 r - - 1", "a 1 q r - 1"}, "1 t0 |1.1 t2 parent is one of 2 calls with that request|2 t1 "},
		{"before in another session rather than behind in its own", []string{"b 0 r - - 1", "a 0 q r - 1", "a 1 r - - 1"}, "1 t0 |1.1 t1 parent in session b; parent is one of 2 calls with that request|2 t2 "},
		{"behind it", []string{"a 0 q r - 1", "a 1 r - - 1"}, "1 t1 |1.1 t0 parent begins after it"},
		{"a circle", []string{"a 0 r q - 1", "a 1 q s - 1", "a 2 s r - 1"}, "1 t0 cycle: its parent stands below it|1.1 t2 |1.1.1 t1 parent begins after it"},
		{"its own parent", []string{"a 0 r r - 1"}, "1 t0 cycle: it is its own parent"},
		{"entries out of order", []string{"a 2 r - COMPLETE", "a 1 r - START", "a 0 r - ATTEMPT"}, "1 t0 "},
		{"without index they come last", []string{"a ? r - COMPLETE", "a 0 r - ATTEMPT"}, "1 t0 "},
		{"the same entry twice", []string{"a 0 r - ATTEMPT", "a 0 r - ATTEMPT"}, "1 t0 unanswered|2 t1 request used again; unanswered"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := printed(t, plainLanguage(), treeRows(c.rows...)+` | calltree | project strcat(path, " ", tool, " ", note)`, "raw", query.FormatOptions{})
			if got = strings.ReplaceAll(strings.TrimSuffix(got, "\n"), "\n", "|"); got != c.want {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
		})
	}
}

// TestCalltreeOfCalls puts the rows of calls into the tree that their entries make.
func TestCalltreeOfCalls(t *testing.T) {
	l := ledgerLanguage(t, "swarm.jsonl")
	const columns = " | project depth, path, session, index, request, ordinal, tool, phase, children"
	want := printed(t, l, "entries | calltree"+columns, "csv", query.FormatOptions{})
	for _, q := range []string{"calls | calltree", "entries | sort by index desc | calltree", "entries | project-reorder tool, * | extend x = 1 | calltree"} {
		if got := printed(t, l, q+columns, "csv", query.FormatOptions{}); got != want {
			t.Errorf("%s gives\n%swant\n%s", q, got, want)
		}
	}
}

func TestCalltreeFaults(t *testing.T) {
	for q, want := range map[string]string{
		`print session = "a" | calltree`:                                    "calltree needs the column 'index' (long), which is not among the columns before it: session",
		`print session = "a", index = "0", request = "" | calltree`:         "calltree needs the column 'index' as long, it is string",
		`print session = "a", index = 0, request = "", seq = "" | calltree`: "calltree needs the column 'seq' as long, it is string",
		`print session = "a", index = 0, request = "" | calltree 5`:         "expected calltree",
		`print session = "a", index = 0, request = "" | calltree deep=1`:    "calltree has nothing named 'deep'; expected calltree",
		`calltree`: "calltree needs a table before it, as entries | calltree",
	} {
		if got := printed(t, plainLanguage(), q, "csv", query.FormatOptions{}); !strings.Contains(got, want) {
			t.Errorf("%s says %s, want %s", q, got, want)
		}
	}
}

// TestCalltreeDeep walks a chain that no stack of calls would hold, and shows it in lines of
// some length.
func TestCalltreeDeep(t *testing.T) {
	const n = 100000
	rows := fmt.Sprintf(`range i from 0 to %d step 1 | extend session = "a", index = i, request = strcat("r", i), parent = iff(i == 0, "", strcat("r", i - 1)), tool = "t", phase = "" | calltree`, n-1)
	got := printed(t, plainLanguage(), rows+" | summarize max(depth), max(strlen(path)), countif(children == 1)", "csv", query.FormatOptions{})
	if want := fmt.Sprintf("max_depth,max_,countif_\n%d,71,%d\n", n-1, n-1); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	for line := range strings.Lines(printed(t, plainLanguage(), rows+" | where depth > 99990 | project path | take 1", "raw", query.FormatOptions{})) {
		if want := strings.Repeat("1.", 15) + "1.…99960…" + strings.Repeat(".1", 16) + "\n"; line != want {
			t.Errorf("path %s, want %s", line, want)
		}
	}
	for line := range strings.Lines(printed(t, plainLanguage(), rows, "table", query.FormatOptions{Width: 100})) {
		if query.TextWidth(strings.TrimSuffix(line, "\n")) > 100 {
			t.Fatalf("a line is wider than 100: %q", line)
		}
	}
}

func TestCalltreeBudget(t *testing.T) {
	l := query.New(query.Options{Operators: Operators(nil, nil), Memory: 1 << 20})
	got := printed(t, l, `range i from 0 to 100000 step 1 | extend session = "a", index = i, request = "" | calltree | count`, "csv", query.FormatOptions{})
	if want := "calltree needs more than the 1 MiB"; !strings.HasPrefix(got, want) {
		t.Errorf("got %s, want %s", got, want)
	}
}
