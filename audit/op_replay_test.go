package audit

import (
	"strings"
	"testing"
)

// findingsOf are the findings of a query, each as "session index kind other".
func findingsOf(t *testing.T, text string) (rows, hints []string) {
	t.Helper()
	out, hints := ask(text+` | project strcat(session, " ", index, " ", kind, " ", other)`, "raw")
	return strings.Split(strings.TrimSuffix(out, "\n"), "\n"), hints
}

const (
	aCall   = `{"tool":"ls","args":{"p":1},"response":{"r":1}}`
	another = `{"tool":"cat","args":{"p":1},"response":{"r":1}}`
	aChange = `{"tool":"write_file","args":{"p":1},"response":{"r":1}}`
)

func TestReplayOperator(t *testing.T) {
	ofRequest := func(phase, rest string) string {
		return `{"request":"q","phase":"` + phase + `"` + rest + `}`
	}
	for _, c := range []struct {
		name, options string
		entries       []string
		want          []string
		hints         []string
	}{
		{"nothing", "", nil, []string{""}, nil},
		{"as in a transcript", "", []string{aCall, aCall, `{"tool":"ls","args":{"p":1},"response":{"r":2}}`},
			[]string{"s 1 redundant-call 0", "s 2 non-determinism 0", "s 2 redundant-call 1"}, nil},
		{"sessions do not know each other, and stay in their order", "", []string{
			`{"session":"z","index":0,"tool":"ls","response":{}}`, `{"session":"a","index":0,"tool":"ls","response":{"n":1}}`,
			`{"session":"a","index":1,"tool":"ls","response":{"n":1}}`, `{"session":"z","index":1,"tool":"ls","response":{}}`},
			[]string{"z 1 redundant-call 0", "a 1 redundant-call 0"}, nil},
		{"rows in any order, and twice", "", []string{
			`{"index":2,"tool":"ls","response":{}}`, `{"index":0,"tool":"write_file","response":{}}`, `{"index":3,"tool":"ls","response":{}}`,
			`{"index":1,"tool":"ls","response":{"n":1}}`, `{"index":3,"tool":"ls","response":{}}`},
			[]string{"s 2 non-determinism 1", "s 2 redundant-call 1", "s 3 non-determinism 1", "s 3 redundant-call 2"},
			[]string{"replay: rows of an entry that stood in the input before are left out: 1"}},
		{"members in another order, and numbers as they are written", "", []string{
			`{"tool":"ls","args":{"a":1,"b":2},"response":{}}`, `{"tool":"ls","args":{"b":2,"a":1},"response":{}}`, `{"tool":"ls","args":{"a":1.0,"b":2},"response":{}}`},
			[]string{"s 1 redundant-call 0"}, nil},
		{"no response, no call", "", []string{aCall, `{"tool":"ls","args":{"p":1}}`, `{"tool":"ls","args":{"p":1},"phase":"ATTEMPT"}`}, []string{""}, nil},
		{"a call ends where it is answered", "", []string{
			ofRequest("ATTEMPT", `,"tool":"ls","args":{"p":1}`), aCall, ofRequest("START", ""), ofRequest("COMPLETE", `,"response":{"r":1}`)},
			[]string{"s 3 redundant-call 1"}, nil},
		{"tool and args stand in different entries", "", []string{
			ofRequest("ATTEMPT", `,"tool":"ls"`), ofRequest("START", `,"args":{"p":1}`), ofRequest("ERROR", `,"response":{"r":1}`), aCall},
			[]string{"s 3 redundant-call 2"}, nil},
		{"the last entry that has args has them", "", []string{
			ofRequest("ATTEMPT", `,"tool":"ls","args":{"p":9}`), ofRequest("COMPLETE", `,"args":{"p":1},"response":{"r":1}`), aCall},
			[]string{"s 2 redundant-call 1"}, nil},
		{"a request that is used again is two calls", "", []string{
			ofRequest("ATTEMPT", `,"tool":"ls"`), ofRequest("COMPLETE", `,"response":{"r":1}`), ofRequest("ATTEMPT", `,"tool":"ls"`), ofRequest("COMPLETE", `,"response":{"r":2}`)},
			[]string{"s 3 non-determinism 1", "s 3 redundant-call 1"}, nil},
		{"two answers are one call", "", []string{
			ofRequest("ATTEMPT", `,"tool":"ls","args":{"p":1}`), ofRequest("COMPLETE", `,"response":{"r":0}`), ofRequest("COMPLETE", `,"response":{"r":1}`), aCall},
			[]string{"s 3 redundant-call 2"}, nil},
		{"without a request entries are calls of their own", "", []string{
			`{"tool":"ls","phase":"ATTEMPT"}`, `{"tool":"ls","phase":"COMPLETE","response":{}}`, `{"tool":"ls","phase":"COMPLETE","response":{}}`, `{"tool":"ls","phase":"COMPLETE"}`},
			[]string{"s 2 redundant-call 1", "s 3 non-determinism 1", "s 3 redundant-call 2"}, nil},
		{"denied attempts are left out, and said", "", []string{
			aCall, `{"tool":"write_file","request":"d","phase":"ATTEMPT","authorization":"DENIED"}`,
			`{"tool":"write_file","request":"e","phase":"ATTEMPT","authorization":"DENIED"}`, `{"request":"e","phase":"ERROR","response":"no"}`, aCall},
			[]string{"s 4 redundant-call 0"}, []string{"replay: calls that were denied are left out: 2"}},
		{"denied, and then it ran", "", []string{
			aCall, ofRequest("ATTEMPT", `,"tool":"write_file","authorization":"DENIED"`), ofRequest("START", ""), ofRequest("COMPLETE", `,"response":{}`), aCall},
			[]string{""}, nil},
		{"other tools change state", ` mutating=dynamic(["ls"])`, []string{aCall, aCall, aChange, aChange}, []string{"s 3 redundant-call 2"}, nil},
		{"none does", ` mutating=dynamic([])`, []string{aChange, aChange}, []string{"s 1 redundant-call 0"}, nil},
		{"more tools change state", ` mutating_also=dynamic(["ls"])`, []string{aCall, aCall, aChange, aChange}, []string{""}, nil},
		{"paths are left out", ` ignore=dynamic(["args.t", "response.took"])`, []string{
			`{"tool":"ls","args":{"p":1,"t":1},"response":{"took":1}}`, `{"tool":"ls","args":{"p":1,"t":2},"response":{"took":2}}`, `{"tool":"ls","args":{"p":1},"response":{"took":2,"n":1}}`},
			[]string{"s 1 redundant-call 0", "s 2 non-determinism 0", "s 2 redundant-call 1"}, nil},
		{"args were removed", "", []string{aCall, `{"tool":"ls","args":{},"removed":["/args/p"],"response":{"r":1}}`, aCall, aCall},
			[]string{"s 1 unknown (removed) ", "s 3 redundant-call 2"}, nil},
		{"all of args and response were removed", "", []string{aCall, `{"tool":"ls","phase":"COMPLETE","removed":["/args","/response"]}`, `{"tool":"ls","removed":["/args/p","/response"]}`},
			[]string{"s 1 unknown (removed) ", "s 2 unknown (removed) "}, nil},
		{"a response was removed", "", []string{aCall, `{"tool":"ls","args":{"p":1},"response":{},"removed":["/response/r"]}`, aCall},
			[]string{"s 1 redundant-call 0", "s 1 unknown (removed) 0", "s 2 redundant-call 1"}, nil},
		{"the first response was removed", "", []string{`{"tool":"ls","args":{"p":1},"removed":["/response"]}`, aCall, `{"tool":"ls","args":{"p":1},"response":{"r":2}}`},
			[]string{"s 1 redundant-call 0", "s 1 unknown (removed) 0", "s 2 non-determinism 1", "s 2 redundant-call 1"}, nil},
		{"what is left out may be removed", ` ignore=dynamic(["args.p", "response.*"])`, []string{aCall, `{"tool":"ls","args":{},"response":{},"removed":["/args/p","/response/r"]}`},
			[]string{"s 1 redundant-call 0"}, nil},
		{"other members may be removed", "", []string{aCall, `{"tool":"ls","args":{"p":1},"response":{"r":1},"removed":["/reasoning","/argsy","/metadata/args"]}`},
			[]string{"s 1 redundant-call 0"}, nil},
	} {
		rows := entryRows(c.entries...)
		got, hints := findingsOf(t, rows+" | replay"+c.options)
		if strings.Join(got, "\n") != strings.Join(c.want, "\n") || strings.Join(hints, "\n") != strings.Join(c.hints, "\n") {
			t.Errorf("%s:\n got %q %q\nwant %q %q", c.name, got, hints, c.want, c.hints)
		}
	}
}

func TestReplayLoop(t *testing.T) {
	times := func(n int, lines ...string) (all []string) {
		for range n {
			all = append(all, lines...)
		}
		return all
	}
	for _, c := range []struct {
		name, options string
		entries       []string
		want          string // the loops, "index other" each
	}{
		{"four are none", "", times(4, aCall, another), ""},
		{"five are one, others between; the last is named", "", times(5, aCall, another), "8 0 9 1"},
		{"seven are one", "", times(7, aCall), "6 0"},
		{"fewer, if that is asked for", " loop=2", times(2, aCall), "1 0"},
		{"a change ends it", "", append(append(times(4, aCall), aChange), times(4, aCall)...), ""},
		{"two, with a change between", " loop=4", append(append(times(4, aCall), aChange), times(5, aCall)...), "3 0 9 5"},
		{"a change is in none", "", times(9, aChange), ""},
		{"unless it is not one", " mutating=dynamic([])", times(9, aChange), "8 0"},
		{"another response between does not end it", " loop=3", []string{aCall, aCall, `{"tool":"ls","args":{"p":1},"response":{"r":2}}`, aCall}, "3 0"},
		{"responses that differ are none", " loop=3", times(2, aCall, `{"tool":"ls","args":{"p":1},"response":{"r":2}}`), ""},
		{"what was removed does not count", " loop=3", append(times(2, aCall), `{"tool":"ls","args":{"p":1},"removed":["/response"]}`), ""},
	} {
		got, _ := ask(entryRows(c.entries...)+` | replay`+c.options+` | where kind == "loop" | project strcat(index, " ", other)`, "raw")
		if strings.Join(strings.Fields(got), " ") != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

func TestReplayRows(t *testing.T) {
	hostile := `"l\u001bs'\u202e"`
	call := func(request string) string {
		return `{"tool":` + hostile + `,"agent":"a","request":"` + request + `","response":{}}`
	}
	for query, want := range map[string]string{
		entryRows(call("q0"), call("q1")) + " | replay": `{"session":"s","index":1,"kind":"redundant-call","tool":"l\u001bs'\u202e","agent":"a","request":"q1","other":0,` +
			`"detail":"tool 'l\\x1bs\\x27\\u202e' repeats the identical call at index 0 with no state change between them"}`,
		entryRows(aCall, aCall) + ` | project response, args, tool, index, session | replay loop=2 | where kind == "loop" | project detail`: `{"detail":"tool 'ls' returned the same response to the identical call 2 times from index 0 on, with no state change between them"}`,
		entryRows(`{"tool":"ls","removed":["/args"]}`, `{"tool":"ls","response":{},"removed":["/args"]}`) + ` | replay | project detail`:    `{"detail":"tool 'ls': an argument was removed, so that it is not known whether the call repeats another"}`,
		// As rows of calls come: each is all of its call.
		`datatable(session:string, index:long, request:string, ordinal:long, phase:string, tool:string, args:dynamic, response:dynamic)[
			"s", 0, "q", 0, "COMPLETE", "ls", dynamic({}), dynamic({}), "s", 3, "q", 1, "COMPLETE", "ls", dynamic({}), dynamic({})] | replay | project index, kind`: `{"index":3,"kind":"redundant-call"}`,
	} {
		if got, _ := ask(query, "jsonl"); got != want+"\n" {
			t.Errorf("%s:\n got %s\nwant %s", query, got, want)
		}
	}
}

func TestReplayFaults(t *testing.T) {
	rows := entryRows(aCall)
	for query, want := range map[string]string{
		rows + " | replay loop=1":                             "loop: expected 2 or more, found 1",
		rows + ` | replay "x"`:                                "expected replay mutating=",
		rows + ` | replay mutating="ls"`:                      "mutating: expected an array of strings",
		rows + ` | replay mutating_also=dynamic([""])`:        "mutating_also: expected the names of tools, found an empty one",
		rows + ` | replay ignore=dynamic(["args.a", "tool"])`: `expected a path that begins with args or response`,
		rows + ` | replay mutatng=dynamic(["ls"])`:            "replay has nothing named 'mutatng', did you mean 'mutating'?",
		rows + " | project-away response | replay":            "replay needs the column 'response' (dynamic)",
		rows + ` | extend index = "0" | replay`:               "replay needs the column 'index' as long, it is string",
		rows + " | extend index = -1 | replay":                `replay: an entry of session "s" has no index`,
		rows + " | extend index = long(null) | replay":        `replay: an entry of session "s" has no index`,
		"replay": "replay needs a table before it",
	} {
		if got, _ := ask(query, "jsonl"); !strings.Contains(got, want) {
			t.Errorf("%s: %q, want %q", query, got, want)
		}
	}
}
