package audit

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"toolledger/query"
)

func TestSceneGolden(t *testing.T) {
	l := ledgerLanguage(t, "swarm.jsonl")
	const told = `entries | where reasoning contains "删除" or reasoning contains "delet" or request == "w4" | scene`
	for _, c := range []struct {
		file, query, format string
		opt                 query.FormatOptions
	}{
		{"scene-80.txt", told, "table", query.FormatOptions{Width: 80}},
		{"scene-120.txt", told, "line", query.FormatOptions{Width: 120}},
		{"scene-odd.txt", `entries | where session == "odd" | scene before=1 after=0`, "table", query.FormatOptions{}},
		{"scene.jsonl", told, "jsonl", query.FormatOptions{}},
	} {
		holdGolden(t, c.file, printed(t, l, c.query, c.format, c.opt))
	}
}

// TestSceneFits holds every line of every page against its width, and against control
// characters but those of colours.
func TestSceneFits(t *testing.T) {
	l := ledgerLanguage(t, "swarm.jsonl")
	for _, width := range []int{24, 40, 80, 120} {
		plain := printed(t, l, `entries | where * contains "a" | scene`, "table", query.FormatOptions{Width: width})
		for line := range strings.Lines(plain) {
			line = strings.TrimSuffix(line, "\n")
			if query.TextWidth(line) > width || strings.ContainsAny(line, "\x1b\x07\u202e\r") {
				t.Errorf("width %d: %q takes %d", width, line, query.TextWidth(line))
			}
		}
		colored := printed(t, l, `entries | where * contains "a" | scene`, "table", query.FormatOptions{Width: width, Color: true})
		if got := strings.NewReplacer(pageBold, "", pageMark, "", pageOff, "").Replace(colored); got != plain || colored == plain {
			t.Errorf("width %d: without its colours a page is\n%s\nwant\n%s", width, got, plain)
		}
	}
}

// documents returns the scenes of a query.
func documents(t *testing.T, l *query.Language, text string) (list []sceneDoc) {
	t.Helper()
	for line := range strings.Lines(printed(t, l, text, "jsonl", query.FormatOptions{})) {
		var row struct{ Scene sceneDoc }
		if err := json.Unmarshal([]byte(line), &row); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		list = append(list, row.Scene)
	}
	return list
}

// inShort says what is in a scene: the call, its entries, its neighbours, its children, its
// parent and its notes.
func inShort(d sceneDoc) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s/%s", d.Call.Session, d.Call.Index)
	list := func(name string, n int, text func(i int) string) {
		for i := range n {
			if i == 0 {
				b.WriteString(" " + name)
			}
			b.WriteString(" " + text(i))
		}
	}
	list("life", len(d.Phases), func(i int) string { return string(d.Phases[i].Index) })
	list("before", len(d.Before), func(i int) string { return string(d.Before[i].Index) })
	list("after", len(d.After), func(i int) string { return string(d.After[i].Index) })
	list("children", len(d.Children), func(i int) string { return d.Children[i].Session + "/" + string(d.Children[i].Index) })
	if d.Parent != nil {
		b.WriteString(" parent " + d.Parent.Session + "/" + string(d.Parent.Index))
	}
	list("notes", len(d.Notes), func(i int) string { return d.Notes[i] + ";" })
	return b.String()
}

func TestScene(t *testing.T) {
	l := ledgerLanguage(t, "swarm.jsonl")
	for _, c := range []struct{ query, want string }{
		{`entries | where tool == "plan" | scene`, "plan-7/0 life 0 1 children work-1/0 work-2/0"},
		{`entries | where request == "w3" and phase == "ERROR" | scene before=1 after=1`, "work-2/1 life 1 6 before 0 after 7 children work-2/2 work-2/4 parent work-1/0"},
		{`entries | where request == "w4" | scene before=0 after=0`, "work-2/2 life 2 3 parent work-2/1|work-2/4 life 4 5 children odd/3 parent work-2/1 notes request used again;"},
		{`entries | where tool == "note" | scene`, "work-2/7 life 7 before 4 5 6 notes no request;"},
		{`entries | where request == "o3" | scene before=0 after=0`, "odd/2 life 2 notes orphan: no call has the request of its parent; no attempt;"},
		{`entries | where request == "o1" | scene before=0 after=0`, "odd/0 life 0 children odd/1 parent odd/1 notes unanswered;"},
		{`entries | where request == "o5" | scene before=0 after=0`, "odd/4 life 4 notes cycle: it is its own parent; unanswered;"},
		{`calls | where request == "w1" | scene after=0`, "work-1/0 life 0 1 2 children work-2/1 parent plan-7/0"},
		{`entries | where request == "w1" | sort by index desc | scene after=0`, "work-1/0 life 0 1 2 children work-2/1 parent plan-7/0"},
		// Rows that are of no ledger are one another's neighbours.
		{`datatable(session:string, index:long, request:string, parent:string)["x", 4, "r", "", "x", 9, "q", "r", "x", 2, "", "", "x", 2, "", ""] | scene after=1 before=1`,
			"x/4 life 4 before 2 2 after 9 children x/9 notes unanswered;|x/9 life 9 before 4 parent x/4 notes unanswered;|x/2 life 2 after 4 notes no request; unanswered;|x/2 life 2 after 4 notes no request; unanswered;"},
		{`entries | where request == "w1" | extend session = "moved" | scene`, "moved/0 life 0 1 2 notes orphan: no call has the request of its parent;"},
		{`entries | where request == "nothing" | scene`, ""},
	} {
		var got []string
		for _, d := range documents(t, l, c.query) {
			got = append(got, inShort(d))
		}
		if got := strings.Join(got, "|"); got != c.want {
			t.Errorf("%s\n gives %s\n want  %s", c.query, got, c.want)
		}
	}
}

// TestSceneOfRows gives the scenes of rows that are all there is, and of the ledger that has
// them: the same.
func TestSceneOfRows(t *testing.T) {
	l := ledgerLanguage(t, "swarm.jsonl")
	want := printed(t, l, "entries | scene", "jsonl", query.FormatOptions{})
	got := printed(t, l, `entries | extend session = strcat("m", session) | scene`, "jsonl", query.FormatOptions{})
	for _, s := range []string{"plan-7", "work-1", "work-2", "odd"} {
		got = strings.ReplaceAll(got, `"session":"m`+s, `"session":"`+s)
	}
	of := strings.Split(want, "\n")
	for i, line := range strings.Split(got, "\n") {
		if line != of[i] {
			t.Errorf("of rows alone\n%s\nof a ledger\n%s", line, of[i])
		}
	}
	if n := strings.Count(want, "\n"); n != 12 {
		t.Errorf("there are %d scenes, want one for each of 12 calls", n)
	}
}

func TestSceneTerms(t *testing.T) {
	const rows = `datatable(session:string, index:long, request:string, tool:string, reasoning:string, args:dynamic)["a", 0, "r", "rm", "Delete ORDERS, undelete none. »quoted« ordering 订单删除", dynamic({"q": "drop delete"})] | `
	for _, c := range []struct{ query, want string }{
		{`where reasoning has "delete" | scene`, `»Delete« ORDERS, undelete none. »quoted« ordering 订单删除|q  drop »delete«`},
		{`where reasoning contains "delete" | scene`, `»Delete« ORDERS, un»delete« none. »quoted« ordering 订单删除|q  drop »delete«`},
		{`where reasoning has_cs "delete" or reasoning hasprefix "order" | scene`, `Delete »ORDER«S, undelete none. »quoted« »order«ing 订单删除|q  drop »delete«`},
		{`where reasoning has_any ("none", "drop") and reasoning contains "删除" | scene`, `Delete ORDERS, undelete »none«. »quoted« ordering 订单»删除«|q  »drop« delete`},
		{`where reasoning !has "gone" and not(reasoning has "quoted!") and tool == "rm" | scene`, `Delete ORDERS, undelete none. »quoted« ordering 订单删除|q  drop delete`},
		{`where reasoning startswith "del" | extend n = 1 | sort by n | where reasoning has "none" | scene`, `»Del«ete ORDERS, undelete »none«. »quoted« ordering 订单删除|q  drop delete`},
		{`search "drop" | scene`, `Delete ORDERS, undelete none. »quoted« ordering 订单删除|q  »drop« delete`},
	} {
		page := printed(t, plainLanguage(), rows+c.query, "table", query.FormatOptions{Width: 200})
		var lines []string
		for line := range strings.Lines(page) {
			if line = strings.TrimSpace(line); strings.Contains(line, "quoted") || strings.HasPrefix(line, "q  ") {
				lines = append(lines, strings.Replace(line, "q »", "q  »", 1))
			}
		}
		if got := strings.Join(lines, "|"); got != c.want {
			t.Errorf("%s\n marks %s\n want  %s", c.query, got, c.want)
		}
	}
}

// TestSceneLong says how much of a long value is left out, and keeps all of it in a document.
func TestSceneLong(t *testing.T) {
	const rows = `print session = "a", index = 0, request = "r", reasoning = strcat(strcat_array(repeat("語", 2500), ""), "end") | scene`
	if page := printed(t, plainLanguage(), rows, "table", query.FormatOptions{}); !strings.Contains(strings.Join(strings.Fields(page), " "), "… (503 more characters)") {
		t.Errorf("the page does not say what is left out:\n%s", page)
	}
	if doc := printed(t, plainLanguage(), rows, "jsonl", query.FormatOptions{}); !strings.Contains(doc, `語end"`) {
		t.Errorf("the document is cut: %s", doc)
	}
}

// TestSceneMany shows so many calls that they are taken in several pieces.
func TestSceneMany(t *testing.T) {
	l := ledgerLanguage(t, "swarm.jsonl")
	got := printed(t, l, `range i from 1 to 3000 step 1 | extend k = 1 | join kind=inner (entries | extend k = 1) on k | scene | count`, "raw", query.FormatOptions{})
	if got != "12\n" {
		t.Errorf("12 calls, each selected 3000 times, have %s scenes", got)
	}
}

// TestSceneNoJSON has values that a dynamic may hold and JSON may not.
func TestSceneNoJSON(t *testing.T) {
	const row = `print session = "a", index = 0, request = "r", args = bag_pack("a", real(nan), "b", real(-inf), "c", parse_json("1e400")), duration_ms = real(nan) | scene`
	for _, d := range documents(t, plainLanguage(), row) {
		if got, want := string(d.Args[0].Value), `{"a":"NaN","b":"-Infinity","c":1e400}`; got != want || string(d.Call.Duration) != `"NaN"` {
			t.Errorf("args are %s, want %s; the duration is %s", got, want, d.Call.Duration)
		}
	}
}

func TestSceneFaults(t *testing.T) {
	const row = `print session = "a", index = 0, request = "r" | `
	for q, want := range map[string]string{
		`print session = "a" | scene`:                                    "scene needs the column 'index' (long), which is not among the columns before it: session",
		`print session = 1, index = 0, request = "" | scene`:             "scene needs the column 'session' as string, it is",
		`print session = "", index = 0, request = "", args = "" | scene`: "scene needs the column 'args' as dynamic, it is string",
		row + `scene before=-1`:                                          "before: expected 0 or more, found -1",
		row + `scene before="1"`:                                         "before: expected a long",
		row + `scene befor=1`:                                            "scene has nothing named 'befor', did you mean 'before'?; expected scene before=3 after=2",
		row + `scene 3`:                                                  "expected scene before=3 after=2",
		`scene`:                                                          "scene needs a table before it, as entries | scene",
	} {
		if got := printed(t, plainLanguage(), q, "csv", query.FormatOptions{}); !strings.Contains(got, want) {
			t.Errorf("%s says %s, want %s", q, got, want)
		}
	}
	l := query.New(query.Options{Operators: Operators(nil, nil), Memory: 1 << 20})
	got := printed(t, l, `range index from 0 to 100000 step 1 | extend session = "a", request = "" | scene | count`, "csv", query.FormatOptions{})
	if want := "scene needs more than the 1 MiB"; !strings.HasPrefix(got, want) {
		t.Errorf("got %s, want %s", got, want)
	}
	if got := printed(t, plainLanguage(), scene.Example+" | project session, index", "csv", query.FormatOptions{}); got != "session,index\na,0\n" {
		t.Errorf("the example gives %s", got)
	}
}

// TestSceneWide asks for more neighbours than there can be.
func TestSceneWide(t *testing.T) {
	s := snapshotOf(t, madeLedger(t, `{"session":"s","tool":"a"}`, `{"session":"s","tool":"b"}`, `{"session":"s","tool":"c"}`))
	const rows = `datatable(session:string, index:long, request:string, tool:string)["r", 0, "", "a", "r", long(null), "", "c", "r", 7, "", "b"]`
	for _, source := range []string{"entries", rows} {
		n := 0
		for _, d := range documents(t, languageOn(s, query.Options{}), source+` | scene before=9223372036854775807 after=9223372036854775807`) {
			n++
			if len(d.Before)+len(d.After) != 2 || d.Call.Tool == "b" && len(d.Before) != 1 {
				t.Errorf("%s: %s", source, inShort(d))
			}
		}
		if n != 3 {
			t.Errorf("%s: %d scenes", source, n)
		}
	}
}
