package query

import (
	"fmt"
	"testing"
	"time"

	"toolledger/db"
)

// callLedger returns the tables of a ledger with the entries, a minute after each other.
func callLedger(t *testing.T, entries []db.Entry) []Table {
	t.Helper()
	led := newLedger(t)
	for i := range entries {
		entries[i].Time = time.Date(2026, 2, 1, 0, i, 0, 0, time.UTC)
	}
	if _, err := led.AppendBatch(t.Context(), entries); err != nil {
		t.Fatal(err)
	}
	return tablesOf(t, led)
}

func TestCalls(t *testing.T) {
	tables := callLedger(t, []db.Entry{
		{Session: "a", Request: "r1", Phase: "ATTEMPT", Tool: "bash", Args: []byte(`{"cmd":"ls"}`), Reasoning: "to look", Authorization: "ALLOWED"},
		{Session: "a", Request: "r2", Phase: "ATTEMPT", Tool: "bash", Authorization: "DENIED"},
		{Session: "b", Request: "r1", Phase: "ATTEMPT", Tool: "search"},
		{Session: "a", Request: "r1", Phase: "START"},
		{Session: "a", Tool: "note", Response: []byte(`"kept"`)},
		{Session: "a", Tool: "note", Phase: "COMPLETE"},
		{Session: "a", Request: "r1", Phase: "COMPLETE", Response: []byte(`{"code":0}`), DurationMS: "7"},
		{Session: "a", Request: "r1", Phase: "START", Tool: "again"},
		{Session: "a", Request: "r1", Phase: "ERROR", Response: []byte(`{"code":1}`)},
		{Session: "a", Request: "r1", Phase: "ATTEMPT", Tool: "third"},
		{Session: "b", Request: "r9", Response: []byte(`1`)},
	})
	askAll(t, tables, map[string]string{
		"calls | project session, request, ordinal, index, seq, tool, phase, answered": `session|request|ordinal|index|seq|tool|phase|answered
a|r1|0|0|1|bash|COMPLETE|True
a|r2|0|1|2|bash|ATTEMPT|False
b|r1|0|0|3|search|ATTEMPT|False
a||0|3|5|note||True
a||0|4|6|note|COMPLETE|False
a|r1|1|6|8|again|ERROR|True
a|r1|2|8|10|third|ATTEMPT|False
b|r9|0|1|11|||True`,
		"calls | where ordinal == 0 and request == 'r1' | project args.cmd, reasoning, authorization, duration_ms, response.code": "args_cmd|reasoning|authorization|duration_ms|response_code\nls|to look|ALLOWED|7.0|0\n||||",
		"calls | where start < datetime(2026-02-01 00:01) | project start, end":                                                   "start|end\n2026-02-01T00:00:00.0000000Z|2026-02-01T00:06:00.0000000Z",
		"calls | where session == 'b' | project seq, end":                                                                         "seq|end\n3|\n11|2026-02-01T00:10:00.0000000Z",
		"calls | where session == '_ledger' | count":                                                                              "Count\n0",
		"calls | where not(answered) | count":                                                                                     "Count\n4",
		"calls | sort by seq desc | take 2 | project seq, tool":                                                                   "seq|tool\n11|\n10|third",
	})
}

// TestCallsOfBlocks folds calls whose entries lie in several blocks and in the tail.
func TestCallsOfBlocks(t *testing.T) {
	const n = 9000
	var entries []db.Entry
	for _, phase := range []string{"ATTEMPT", "COMPLETE"} {
		for i := range n {
			e := db.Entry{Session: fmt.Sprint("s", i%3), Request: fmt.Sprint("r", i), Phase: phase}
			if phase == "ATTEMPT" {
				e.Args = fmt.Appendf(nil, `{"n":%d}`, i)
			}
			entries = append(entries, e)
		}
	}
	tables := callLedger(t, entries)
	want := fmt.Sprintf("count_|n|same|places\n%d|%d|%d|%d", n, n*(n-1)/2, n, n*(n+1)/2)
	if got := ask(t, tables, "calls | where answered | summarize count(), n = sum(toint(args.n)), same = countif(request == strcat('r', args.n)), places = sum(seq)"); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}
