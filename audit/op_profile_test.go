package audit

import (
	"fmt"
	"strings"
	"testing"

	"toolledger/query"
)

const profileTable = `datatable(session:string, index:long, agent:string, time:datetime, tool:string, request:string, phase:string, authorization:string, duration_ms:real)[
	"s", 0, "a", datetime(2026-01-02 09:00:00), "search", "r1", "ATTEMPT", "ALLOWED", real(null),
	"s", 1, "a", datetime(2026-01-02 10:59:59), "", "r1", "START", "", real(null),
	"s", 2, "a", datetime(2026-01-02 11:00:00), "", "r1", "COMPLETE", "", 40,
	"s", 3, "a", datetime(2026-01-02 09:10:00), "search", "r2", "ATTEMPT", "ALLOWED", real(null),
	"s", 4, "a", datetime(2026-01-02 09:10:01), "", "r2", "ERROR", "", 10,
	"s", 5, "a", datetime(2026-01-03 23:00:00), "drop_table", "r1", "ATTEMPT", "DENIED", real(null),
	"s", 6, "a", datetime(2026-01-03 23:30:00), "read", "", "", "", 20,
	"t", 0, "a", datetime(2026-01-03 23:59:59), "read", "", "", "", 30,
	"t", 1, "b", datetime(2026-01-04 00:00:00), "read", "r1", "START", "", real(null)]`

// TestProfile has numbers that anybody can count: agent a made 5 calls, of which 2 began between
// 9 and 10 and 3 between 23 and 24, on two days.
func TestProfile(t *testing.T) {
	want := `agent,entries,calls,tools,per_hour,per_day,hours,denied,denial_rate,errors,error_rate,p50_ms,p95_ms,first,last
a,8,5,"{""read"":2,""search"":2,""drop_table"":1}",2.5,2.5,"[0,0,0,0,0,0,0,0,0,2,0,0,0,0,0,0,0,0,0,0,0,0,0,3]",1,0.2,1,0.2,20,40,2026-01-02T09:00:00.0000000Z,2026-01-03T23:59:59.0000000Z
b,1,1,"{""read"":1}",1,1,"[1,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0]",0,0,0,0,,,2026-01-04T00:00:00.0000000Z,2026-01-04T00:00:00.0000000Z
`
	if got := asCSV(nil, profileTable+` | profile`); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if got := asCSV(nil, profileTable+` | sort by index desc, session asc | profile`); got != want {
		t.Errorf("rows out of order:\n%s\nwant\n%s", got, want)
	}
	if got := asCSV(nil, profileTable+` | where false | profile | count`); got != "Count\n0\n" {
		t.Errorf("of nothing: %s", got)
	}
}

// TestProfileIsOfCalls: what is counted is what summarize counts of calls.
func TestProfileIsOfCalls(t *testing.T) {
	var entries []string
	phases := []string{"", `"phase":"ATTEMPT",`, `"phase":"START",`, `"phase":"COMPLETE",`, `"phase":"ERROR",`}
	for i := range 400 {
		n := i * 7919 % 1000
		request := ""
		if n%3 > 0 {
			request = fmt.Sprintf(`"request":"r%d",`, n%17)
		}
		entries = append(entries, fmt.Sprintf(`{"session":"s%d",%s%s"agent":"a%d","tool":"t%d","time":"2026-01-%02dT%02d:00:00Z","duration_ms":%d}`,
			n%4, request, phases[n/10%5], n%4, n%5, 1+i/40, i/3%24, n))
	}
	s := snapshotOf(t, madeLedger(t, entries...))
	got := asCSV(s, `entries | profile | project agent, calls, errors, p50_ms, p95_ms`)
	want := asCSV(s, `calls | summarize calls = count(), errors = countif(phase == "ERROR"), p50_ms = percentile(duration_ms, 50), p95_ms = percentile(duration_ms, 95) by agent | sort by agent asc | project agent, calls, p50_ms, p95_ms`)
	if got := asCSV(s, `entries | profile | project agent, calls, p50_ms, p95_ms`); got != want || !strings.Contains(got, "a3,") {
		t.Errorf("profile:\n%s\nsummarize:\n%s", got, want)
	}
	of := asCSV(s, `calls | extend time = start | profile | project agent, calls, errors, p50_ms, p95_ms`)
	if of != got {
		t.Errorf("of calls:\n%s\nof entries:\n%s", of, got)
	}
}

func TestProfileFaults(t *testing.T) {
	for text, want := range map[string]string{
		`print agent = "a" | profile`:                                     "profile needs the column 'time' (datetime)",
		`print agent = 1, time = datetime(2026-01-01) | profile`:          "profile needs the column 'agent' as string, it is long",
		`print agent = "a", time = datetime(2026-01-01) | profile 5`:      "expected profile",
		`print agent = "a", time = datetime(2026-01-01) | profile by="a"`: "profile has nothing named 'by'",
		`print agent = "a", time = datetime(null) | profile`:              "hint: profile: 1 rows without a time are left out",
		`print agent = "a", time = datetime(null) | drift`:                "hint: drift: 1 rows without a time are left out",
	} {
		if got := asCSV(nil, text); !strings.Contains(got, want) {
			t.Errorf("%s gives %s, want %s", text, got, want)
		}
	}
	text := `range x from 1 to 100000 step 1 | extend agent = "a", time = datetime(2026-01-01) | `
	for _, op := range []string{"profile", "drift"} {
		if got := askText(languageOn(nil, query.Options{Memory: 1 << 20}), text+op, "csv", query.FormatOptions{}); !strings.Contains(got, op+" needs more than the 1 MiB") {
			t.Errorf("with little memory: %s", got)
		}
	}
}

// TestOperatorExamples runs the example of each operator.
func TestOperatorExamples(t *testing.T) {
	s := snapshotOf(t, madeLedger(t, `{"session":"a","tool":"write_file"}`))
	for _, op := range Operators(s, nil) {
		got := asCSV(s, op.Example)
		if strings.Contains(got, "error: ") || strings.Count(got, "\n") < 2 || !strings.Contains(op.Example, op.Name) {
			t.Errorf("%s: %s gives %s", op.Name, op.Example, got)
		}
	}
}

// TestProfileOfCallRows: rows of calls have their time as start.
func TestProfileOfCallRows(t *testing.T) {
	s := snapshotOf(t, madeLedger(t, `{"session":"s","agent":"a","tool":"x","time":"2026-01-01T09:00:00Z"}`, `{"session":"s","agent":"a","tool":"y","time":"2026-01-03T09:00:00Z"}`))
	for _, operator := range []string{"profile", "drift"} {
		got, want := asCSV(s, `calls | `+operator), asCSV(s, `calls | extend time = start | `+operator)
		if got != want || !strings.Contains(got, "2026-01-03T09:00:00") {
			t.Errorf("%s: got\n%s\nwant\n%s", operator, got, want)
		}
	}
}

// TestProfileBudget: many agents, hours and tools count.
func TestProfileBudget(t *testing.T) {
	for text, operator := range map[string]string{
		`range i from 1 to 20000 step 1 | extend agent = tostring(i), time = datetime(2026-01-01) | profile`:                         "profile",
		`range i from 1 to 20000 step 1 | extend agent = tostring(i % 64), time = datetime(2026-01-01) + i * 1h | profile`:           "profile",
		`range i from 1 to 20000 step 1 | extend agent = tostring(i), time = datetime(2026-01-01) | drift baseline=10000m window=1m`: "drift",
	} {
		budget := int64(12 << 20)
		if strings.Contains(text, "64") {
			budget = 3 << 19
		}
		if got := askText(languageOn(nil, query.Options{Memory: budget}), text, "csv", query.FormatOptions{}); !strings.Contains(got, operator+" needs more than") {
			t.Errorf("%s: %.200s", text, got)
		}
	}
}

// TestCallsAnsweredLater: an upper bound on the start of calls does not cut their answers off.
func TestCallsAnsweredLater(t *testing.T) {
	s := snapshotOf(t, madeLedger(t, `{"session":"s","request":"r","phase":"ATTEMPT","time":"2026-01-01T00:59:59Z"}`,
		`{"session":"s","request":"r","phase":"COMPLETE","time":"2026-01-01T01:00:01Z"}`))
	got := asCSV(s, `calls | where start < datetime(2026-01-01 01:00) | calltree | project phase, duration_ms, note`)
	if got != "phase,duration_ms,note\nCOMPLETE,2000,\"\"\n" {
		t.Error(got)
	}
}
