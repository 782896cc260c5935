package capture

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"toolledger/chain"
)

// TestMCPRecordings counts two recordings by another program too: each id of a call, and what came for it.
func TestMCPRecordings(t *testing.T) {
	for _, file := range []string{"server-everything-session.jsonl", "server-filesystem-session.jsonl"} {
		path := sharedFile(t, "mcp-stdio/"+file)
		dir := t.TempDir()
		report := importFile(t, dir, path, nil, nil)
		got := fmt.Sprint(report.Format, " ", report.Calls, report.Unanswered, report.Errors, report.Refused)
		want := python(t, `
import json, sys
calls, answers, refused = {}, {}, 0
for line in open(sys.argv[1], encoding="utf-8", newline="\n"):
    try: m = json.loads(line)
    except ValueError: refused += 1; continue
    if isinstance(m, list): refused += 1; continue
    key = json.dumps(m.get("id"))
    if m.get("method") == "tools/call": calls[key] = m
    elif "method" not in m and key in calls: answers[key] = m
bad = sum("error" in a or bool(a["result"].get("isError")) for a in answers.values())
print("mcp", len(calls), len(calls) - len(answers), bad, refused)`, path)
		if got != want {
			t.Errorf("%s: calls, unanswered, errors, refused lines: %s; counted by another program: %s", file, got, want)
		}
		t.Logf("%s", account(report))
		again := importFile(t, dir, path, nil, nil)
		if again.Added != 0 || again.Known != report.Entries {
			t.Errorf("%s again: %d added, %d known; want 0, %d", file, again.Added, again.Known, report.Entries)
		}
	}
}

// TestMCPRefused shows that the two bad lines of a client are refused by their numbers.
func TestMCPRefused(t *testing.T) {
	path := sharedFile(t, "mcp-stdio/server-everything-session.jsonl")
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	want := ""
	for i, line := range strings.Split(string(text), "\n") {
		if strings.HasPrefix(line, "[") || strings.Contains(line, `"truncated`) {
			want += fmt.Sprint(" ", i+1)
		}
	}
	got := ""
	for _, l := range importFile(t, t.TempDir(), path, nil, nil).RefusedLines {
		got += fmt.Sprint(" ", l.Line)
	}
	if got != want {
		t.Errorf("refused lines%s, want%s", got, want)
	}
}

// TestMCPTwoFiles imports a connection of which each direction has its file: in both orders, all calls and
// results are of one session, and what came second is paired with what the ledger has.
func TestMCPTwoFiles(t *testing.T) {
	client := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"ls"}}
{"jsonrpc":"2.0","id":"1","method":"tools/call","params":{"name":"rm"}}
`
	server := `{"jsonrpc":"2.0","id":"1","result":{"content":[],"isError":true}}
{"jsonrpc":"2.0","id":1,"result":{"content":[]}}
`
	write := func(name, text string) string { return writeFile(t, name, text) }
	c, s := write("run.in.jsonl", client), write("run.out.jsonl", server)
	for _, order := range [][2]string{{c, s}, {s, c}} {
		dir := t.TempDir()
		for range 2 {
			for i, path := range order {
				report := importFile(t, dir, path, nil, nil)
				if report.Refused != 0 || report.Entries != 2 {
					t.Errorf("file %d: %s", i, account(report))
				}
			}
		}
		tool, unmatched := ` "rm"`, false
		if order[0] == s {
			tool, unmatched = "", true
		}
		list := storedIn(t, dir)
		if len(list) != 4 {
			t.Errorf("%d entries, want 4:\n%s", len(list), listing(t, dir))
		}
		var got []string
		for _, e := range list {
			if e.session != "run" {
				t.Errorf("session %q, want run", e.session)
			}
			if e.text(chain.Request) == `"1"` {
				got = append(got, strings.TrimSpace(e.values(chain.Phase, chain.Tool)))
			}
			if is := Value(e.members[chain.Metadata]).Get("unmatched").IsTrue(); is != (unmatched && e.text(chain.Phase) != "ATTEMPT") {
				t.Errorf("%s: unmatched is %v", e.values(chain.Phase, chain.Request), is)
			}
		}
		slices.Sort(got)
		if want := []string{`"ATTEMPT" "rm"`, `"ERROR"` + tool}; !slices.Equal(got, want) {
			t.Errorf("of request \"1\" there is %q, want %q", got, want)
		}
	}
}

func TestTraceID(t *testing.T) {
	const trace, span = "4bf92f3577b34da6a3ce929d0e0e4736", "00f067aa0ba902b7"
	for _, c := range []struct{ in, want string }{
		{trace, trace}, {strings.ToUpper(trace), trace}, {"0x" + trace, trace}, {"S/kvNXezTaajzpKdDg5HNg==", trace},
		{"f067aa0ba902b7", "000000000000000000f067aa0ba902b7"}, {"not an id", "not an id"}, {"", ""}, {strings.Repeat("0", 32), ""},
	} {
		if got := traceID(c.in); got != c.want {
			t.Errorf("trace %q: got %q, want %q", c.in, got, c.want)
		}
	}
	for _, c := range []struct{ in, want string }{{span, span}, {"APBnqgupArc=", span}, {"f067aa0ba902b7", span}, {"00F067AA0BA902B7", span}} {
		if got := spanID(c.in); got != c.want {
			t.Errorf("span %q: got %q, want %q", c.in, got, c.want)
		}
	}
}
