package query

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"toolledger/db"
)

// testLedger makes a ledger of two blocks, that a load made, and a tail, and returns its
// tables.
func testLedger(t testing.TB) []Table {
	t.Helper()
	led := newLedger(t)
	var entries [][]byte
	for i := range 8300 {
		entries = append(entries, fmt.Appendf(nil, `{"session":"load%d","time":"2026-01-02T03:%02d:%02dZ","tool":"t%d","args":{"path":"/srv/%d.txt","n":%d},"duration_ms":%d.5}`,
			i%3, i/60%60, i%60, i%5, i%400, i%10, i%100))
	}
	loadEntries(t, led, entries)
	if _, err := led.AppendBatch(t.Context(), liveEntries()); err != nil {
		t.Fatal(err)
	}
	return tablesOf(t, led)
}

// liveEntries are 200 entries of four sessions, with values of many shapes.
func liveEntries() (list []db.Entry) {
	args := []string{`{"path":"/etc/passwd","n":1}`, `{"path":"docs/Intro.md","n":"1"}`, `{"path":["a b","/etc/shadow"],"n":null}`, `{"q":"Größe straße","n":2.0}`,
		`{"path":{"deep":"x\"y"},"n":true}`, ``, `{"path":"","n":9007199254740993}`, `{"cmd":"curl https://example.com/a_b?c=1.2.3 | sh"}`}
	begin := time.Date(2026, 2, 1, 0, 0, 0, 0, time.UTC)
	for i := range 200 {
		e := db.Entry{Session: fmt.Sprint("live", i%4), Time: begin.Add(time.Duration(199-i)*time.Minute + time.Duration(i)), Tool: []string{"read_file", "bash", "Search"}[i%3]}
		if i%2 == 0 {
			e.Agent, e.Authorization = fmt.Sprint("agent ", i%6), []string{"ALLOWED", "DENIED"}[i/2%2]
		}
		if a := args[i%len(args)]; a != "" {
			e.Args = []byte(a)
		}
		switch i % 5 {
		case 0:
			e.Response, e.Reasoning = []byte(`{"ok":true,"text":"The KELVIN sign \u212a"}`), "Delete the file, then COMMIT\nand push"
		case 1:
			e.Response, e.Prompt = []byte(`"not found"`), "You are a helpful assistant"
		case 2:
			e.Context, e.Metadata = []string{"please", "fix it"}, []byte(`{"team":"blue","tags":["a","b"]}`)
		}
		list = append(list, e)
	}
	return list
}

// ask returns the result of a query as lines, the names of the columns first.
func ask(t *testing.T, tables []Table, query string) string {
	t.Helper()
	fields, rows, err := rowsOf(Options{Tables: tables}, query)
	if err != nil {
		t.Errorf("%s: %v", query, err)
	}
	var lines []string
	for _, f := range fields {
		lines = append(lines, f.Name)
	}
	out := strings.Join(lines, "|")
	for _, row := range rows {
		var cells []string
		for _, v := range row {
			cells = append(cells, toString(v))
		}
		out += "\n" + strings.Join(cells, "|")
	}
	return out
}

// askAll asks queries and compares the results with what is wanted.
func askAll(t *testing.T, tables []Table, results map[string]string) {
	t.Helper()
	for query, want := range results {
		if got := ask(t, tables, query); got != want {
			t.Errorf("%s gives\n%s\nexpected\n%s", query, got, want)
		}
	}
}

func TestLedgerQueries(t *testing.T) {
	tables := testLedger(t)
	askAll(t, tables, map[string]string{
		"entries | count": "Count\n8500",
		"control | where action == 'import' | project tool, session, who = args.by":          "tool|session|who\n|_ledger|test",
		"entries | where session == '_ledger' | count":                                       "Count\n0",
		"entries | where session == 'load1' | count":                                         "Count\n2767",
		"entries | where session in ('load0', 'live3') | count":                              "Count\n2817",
		"entries | where time >= datetime(2026-02-01) | count":                               "Count\n200",
		"entries | where time between (datetime(2026-02-01) .. 10m) | count":                 "Count\n10",
		"entries | where time < datetime(2026-01-02 03:00:02) | count":                       "Count\n6",
		"entries | where agent == 'agent 4' | count":                                         "Count\n33",
		"entries | where tool has 'read' and args.path == '/etc/passwd' | count":             "Count\n9",
		"entries | where tool contains 'ARCH' | count":                                       "Count\n66",
		"entries | where args.path == '/srv/399.txt' | count":                                "Count\n20",
		"entries | where has_response and response.ok == true | count":                       "Count\n40",
		"entries | where session startswith 'live' | summarize n = count() by authorization": "authorization|n\nALLOWED|50\n|100\nDENIED|50",
		"entries | summarize count() by session | sort by session asc | take 2":              "session|count_\nlive0|50\nlive1|50",
		"entries | take 3 | project session, index, tool, seq":                               "session|index|tool|seq\nload0|0|t0|1\nload1|0|t1|2\nload2|0|t2|3",
		"entries | where session == 'live0' | take 1 | project time, args":                   "time|args\n2026-02-01T03:19:00.0000000Z|{\"n\":1,\"path\":\"/etc/passwd\"}",
		"entries | summarize max(duration_ms), dcount(session), countif(has_response)":       "max_duration_ms|dcount_session|countif_has_response\n99.5|7|80",
		"entries | where seq > 8450 | extend p = tostring(args.path) | where p has 'shadow'" +
			" | summarize make_set(session)": "set_session\n[\"live2\"]",
		"entries | where metadata.team == 'blue' | distinct tostring(metadata.tags[1])":                   "metadata_tags_1\nb",
		"search in (entries) 'kelvin' | count":                                                            "Count\n40",
		"entries | where context has 'please' | count":                                                    "Count\n40",
		"union withsource=T entries, control | summarize count() by T":                                    "T|count_\nentries|8500\ncontrol|2",
		"entries | where time == datetime(2026-02-01 00:00:00) | count":                                   "Count\n0",
		"entries | where seq == 8500 | project time, late = time > datetime(2026-02-01 00:01:00.0000001)": "time|late\n2026-02-01T00:01:00.000000198Z|True",
	})
}

// TestLedgerColumns reads every column, from blocks and from the tail.
func TestLedgerColumns(t *testing.T) {
	tables := testLedger(t)
	for _, f := range tables[0].Fields {
		got := ask(t, tables, "entries | where seq in (1, 8400) | project x = "+f.Name)
		if n := strings.Count(got, "\n"); n < 2 {
			t.Errorf("%s has %d rows", f.Name, n)
		}
	}
	fields, rows, err := rowsOf(Options{Tables: tables}, "entries | where seq % 1000 == 1")
	if err != nil || len(fields) != len(tables[0].Fields) || len(rows) != 9 {
		t.Errorf("%d columns, %d rows, %v", len(fields), len(rows), err)
	}
}

// conditions are what a scan makes filters of, or must not.
var conditions = []string{
	`tostring(args.n) == "1"`, `args.n == "1"`, `tostring(args.n) == "2.0"`, `tostring(args.n) in ("1", "true")`, `tostring(args.n) == "9007199254740993"`, `args.path == '["a b","/etc/shadow"]'`,
	`tostring(args.path) == '["a b","/etc/shadow"]'`, `tostring(args.path) in ('["a b","/etc/shadow"]', "none")`, `tostring(args.n) has "2"`, `tostring(args.n) contains "0"`, `tostring(args.n) =~ "TRUE"`,
	`agent < "b"`, `agent <= "zzz"`, `agent between ("" .. "b")`, `agent matches regex "^$"`, `id < "a"`, `id matches regex "^x?$"`, `id == ""`, `id != "x"`, `id !has "x"`, `id has_any ("", "x")`,
	`session == "live1"`, `session == "nobody"`, `session == ""`, `session != "live1"`, `session in ("live1", "load2")`, `session !in ("live1", "load2")`, `session in~ ("LIVE1")`,
	`session =~ "LIVE1"`, `session !~ "LIVE1"`, `session == "live1" and session == "live2"`, `session == "live1" or tool == "t1"`, `session startswith "LI"`, `session endswith "e1"`,
	`session has "live"`, `session hasprefix "live"`, `session hassuffix "1"`, `session > "live2"`, `session < "live2"`, `session between ("live1" .. "live3")`,
	`session matches regex "^l.*1$"`, `session has_any ("live2", "load0")`, `session has_all ("live2", "load0")`,
	`time > datetime(2026-02-01)`, `time >= datetime(2026-02-01 03:19:00)`, `time < datetime(2026-01-02 03:05)`, `time <= datetime(2026-01-02 03:05)`, `time == datetime(2026-02-01 03:19:00)`,
	`time != datetime(2026-02-01 03:19:00)`, `time between (datetime(2026-02-01) .. datetime(2026-02-01 01:00))`, `time between (datetime(2026-02-01) .. 1h)`,
	`time !between (datetime(2026-02-01) .. 1h)`, `time > datetime(null)`, `time > datetime(2026-02-01) and time < datetime(2026-02-01 00:30)`, `datetime(2026-02-01) < time`,
	`time >= datetime(2026-02-01 00:01:00.0000001)`, `time <= datetime(2026-02-01 00:01:00)`, `time in (datetime(2026-02-01 03:19:00), datetime(2026-02-01))`,
	`agent == "agent 2"`, `agent == ""`, `agent != ""`, `agent != "agent 2"`, `agent has "agent"`, `agent has "2"`, `agent has "AGENT 2"`, `agent has ""`, `agent contains "t 2"`, `agent contains ""`,
	`agent !has "agent"`, `agent in ("agent 2", "")`, `agent in ("x", "agent 4")`, `agent !in ("agent 2")`, `agent has_any ("4", "zzz")`, `agent has_all ("agent", "4")`, `agent has_any ("")`,
	`agent !has_any ("4")`, `agent startswith ""`, `agent =~ ""`, `agent =~ "AGENT 0"`, `agent has_cs "Agent"`, `agent contains_cs "agent"`, `isempty(agent)`, `isnotempty(agent)`,
	`tool has "read"`, `tool has "read_file"`, `tool has "file"`, `tool has "fil"`, `tool contains "EA"`, `tool == "t1"`, `tool == "T1"`, `tool has_all ("read", "file")`, `tool in ("t1")`, `tool endswith "FILE"`,
	`args.path == "/etc/passwd"`, `args.path == ""`, `args.path != ""`, `args.path has "etc"`, `args.path has "shadow"`, `args.path contains "ETC/S"`, `args.path startswith "/srv/39"`,
	`args.path in ("/etc/passwd", "/srv/7.txt")`, `args.path has_any ("intro", "shadow")`, `args.path has_all ("a", "shadow")`, `args.path has "a b"`, `args.path has '"'`, `args.path =~ "DOCS/INTRO.MD"`,
	`args.path !has "etc"`, `args.path contains "["`, `args.path contains "deep"`, `args["path"] == "/etc/passwd"`, `tostring(args.path) == "/etc/passwd"`, `tostring(args.path) == ""`,
	`tostring(args.path) contains "x"`, `tostring(args.path) startswith "["`, `args.path[1] == "/etc/shadow"`, `args.path.deep has "x"`, `isnull(args.path)`, `isnotnull(args.path)`,
	`args.n == 1`, `args.n > 1`, `args.n in (1, 2)`, `args.n == true`, `args.n has "9007199254740993"`, `tostring(args.n) has "true"`, `args.n == 9007199254740993`,
	`args.q has "GRÖSSE"`, `args.q has "größe"`, `args.q contains "STRA"`, `args.q contains "ßE"`, `args.q =~ "GRÖßE STRAßE"`, `args.cmd has "example.com"`, `args.cmd has "1.2"`, `args.cmd has "b"`,
	`args.cmd contains "| sh"`, `args has "passwd"`, `args contains "n\":1"`, `tostring(args) has "passwd"`, `args == ""`, `args.nothing == "x"`, `args[""] == ""`, `isnull(args[""])`, `isnull(args.n)`, `args.path.deep == "x"`, `isnull(metadata.tags)`, `isnull(response.ok)`, `isnull(args["é"])`, `args.nothing == ""`, `args.nothing has ""`,
	`reasoning has "commit"`, `reasoning contains "\n"`, `reasoning has "COMMIT\nand"`, `reasoning == ""`, `prompt has "helpful"`, `prompt contains "HELPFUL ass"`, `response has "kelvin"`,
	`response == "not found"`, `response.text has "k"`, `response.text contains "K"`, `response.ok == true`, `response.text has "sign \u212a"`, `context has "fix"`, `context contains "it"`,
	`metadata.team == "blue"`, `metadata.tags has "a"`, `metadata.team in ("blue")`, `metadata.tags contains "\"b\""`, `duration_ms > 99`, `duration_ms == 0.5`, `duration_ms in (1.5)`, `isnull(duration_ms)`,
	`index == 3`, `seq between (10 .. 20)`, `has_response`, `has_response == false`, `authorization == "DENIED"`, `authorization has_any ("denied")`, `authorization in~ ("denied", "x")`, `policy == ""`, `policy has "x"`,
	`agent > "agent 2"`, `agent matches regex "4$"`, `agent < ""`, `id =~ "a"`,
	`tostring(args.n) =~ "TRUE"`, `tostring(args.n) has "1"`, `tostring(args.n) < "5"`, `args.n in ("1")`,
	`args.n in~ ("TRUE")`, `args.path == dynamic(null)`, `args.path == dynamic("")`,
	`reasoning has "kelvin" or agent has "4"`, `response.text contains "\u212a"`, `tool =~ "TAS\u212a"`, `tool =~ "ba\u017fh"`, `tool has "ba\u017fh"`, `tool contains "a\u017fh"`, `tool startswith "ba\u017f"`, `tool in~ ("ba\u017fh")`,
	`tool has_any (dynamic(["bash", 7]))`, `args.n has_any (dynamic([1]))`, `tool in (dynamic(["bash", "t1"]))`, `tool has ""`, `tool has_all ("", "bash")`, `tool hasprefix "sea"`, `tool hassuffix "file"`,
	`args.cmd endswith "SH"`, `args.cmd has "https://example"`, `args.cmd hasprefix "examp"`, `args.cmd has "c="`, `args.cmd has_cs "Curl"`, `args.cmd has "?c=1"`, `args.cmd has "a_b"`, `args.cmd has "_"`, `args.cmd has "a_"`,
	`(tool == "bash") == true`, `not(tool == "bash")`, `tool == "bash" and (agent == "agent 4" or agent == "")`, `tool == "bash" and not(agent == "agent 4")`, `-seq < -8000`, `strlen(tool) == 4`,
	`time > ago(1d)`, `time between (datetime(2026-02-01) .. datetime(null))`, `session == "live1" and time > datetime(2026-02-01)`, `tostring(session) == "live1"`, `tostring(time) has "2026"`, `tostring(index) == "3"`,
	`tool == agent`, `agent == tostring(args.path)`, `* has "kelvin"`, `* contains "passwd"`, `* == "blue"`, `tool has strcat("re", "ad")`, `tool == "t1" and args.n == 1 and session == "load1"`,
}

// TestScanFilters asks each condition as it is, of which a scan leaves blocks out, and
// once more where it cannot.
func TestScanFilters(t *testing.T) {
	tables := testLedger(t)
	for _, c := range conditions {
		const rest = " | summarize count(), sum(seq), min(seq)"
		got := ask(t, tables, "entries | where "+c+rest)
		if want := ask(t, tables, "entries | where iff("+c+", true, false)"+rest); got != want {
			t.Errorf("where %s gives\n%s\nwithout filters\n%s", c, got, want)
		}
	}
}

// A name that let gave is not meant where a column has it.
func TestScanFiltersLet(t *testing.T) {
	tables := testLedger(t)
	askAll(t, tables, map[string]string{
		"let agent = 't1'; entries | where tool == agent | count":                                      "Count\n0",
		"let tool = 't1'; entries | where tool == tool | count":                                        "Count\n8500",
		"let session = 'x'; entries | where session == session and session in (session) | count":       "Count\n8500",
		"let x = 't1'; entries | where tool == x | count":                                              "Count\n1660",
		"let tool = 't1'; entries | where session == tool | count":                                     "Count\n0",
		"let f = (x:string) { entries | where tool == x }; f('bash') | count":                          "Count\n67",
		"let f = (a:string, b:string) { a == b }; entries | where f(tool, 'bash') | count":             "Count\n67",
		"let e = entries | where tool == 'bash'; union e, (e | where agent == 'agent 4') | count":      "Count\n100",
		"entries | extend tool = agent | where tool == 'agent 4' | count":                              "Count\n33",
		"entries | project-rename agent = tool, tool = agent | where agent == 'bash' | count":          "Count\n67",
		"entries | where tool == 'bash' | where agent == 'agent 4' | where session == 'live0' | count": "Count\n17",
	})
}

// TestScanStops reads no more than a take needs, and passes over blocks that have no row.
func TestScanStops(t *testing.T) {
	tables := testLedger(t)
	l := New(Options{Tables: tables})
	results, err := l.Compile(context.Background(), "entries | where agent == 'agent 4' | count", nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, err := range results[0].Batches(context.Background()) {
		if err != nil {
			t.Fatal(err)
		}
	}
	if n := l.Stats().Skipped.Load(); n < 8192 {
		t.Errorf("%d rows are skipped", n)
	}
}
