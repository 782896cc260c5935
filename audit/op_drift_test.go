package audit

import (
	"fmt"
	"strings"
	"testing"
)

// A doing is n calls of a tool in an hour of a day of January 2026.
type doing struct {
	agent     string
	day, hour int
	n         int
	tool      string
	args      string
	verdict   string
	removed   string
}

// driftTable writes doings as rows, in sessions of a day.
func driftTable(doings ...doing) string {
	var rows []string
	index := map[int]int{}
	for _, d := range doings {
		args, removed := "dynamic(null)", "dynamic(null)"
		if d.args != "" {
			args = "dynamic(" + d.args + ")"
		}
		if d.removed != "" {
			removed = `dynamic(["` + d.removed + `"])`
		}
		for i := range d.n {
			rows = append(rows, fmt.Sprintf(`"day%d", %d, "%s", datetime(2026-01-%02d %02d:%02d:%02d), "%s", %s, "%s", %s`, d.day, index[d.day], d.agent, d.day, d.hour, i/60, i%60, d.tool, args, d.verdict, removed))
			index[d.day]++
		}
	}
	return `datatable(session:string, index:long, agent:string, time:datetime, tool:string, args:dynamic, authorization:string, removed:dynamic)[` + strings.Join(rows, ",\n") + `]`
}

// week is a regular week, the first of January: 10, 12, 11, 9, 10, 13, 10 calls a day, whose
// median is 10 and whose spread is the root of 10: 21 calls are usual (score 3.48), 22 are not
// (3.79).
func week(agent string) (list []doing) {
	for i, n := range []int{10, 12, 11, 9, 10, 13, 10} {
		list = append(list, doing{agent, 1 + i, 9, n, "read", `{"path":"a"}`, "ALLOWED", ""})
	}
	return list
}

const usualWeek = `"{""median"":10,""spread"":3.16,""least"":0,""most"":21.07}"`

func TestDrift(t *testing.T) {
	const to = ` | drift to=datetime(2026-01-09)`
	for _, c := range []struct {
		name  string
		table string
		op    string
		want  string
	}{
		{"a usual day", driftTable(append(week("a"), doing{"a", 8, 9, 21, "read", `{"path":"b"}`, "", ""})...), to, ""},
		{"too many calls, and in an hour", driftTable(append(week("a"), doing{"a", 8, 9, 22, "read", `{"path":"b"}`, "", ""})...), to,
			"a,rate,\"\",calls in 1d,22," + usualWeek + ",day8,0,2026-01-08T09:00:00.0000000Z\n" +
				"a,rate,\"\",calls in the hour from 2026-01-08 09:00 UTC on,22," + usualWeek + ",day8,0,2026-01-08T09:00:00.0000000Z\n"},
		{"another threshold", driftTable(append(week("a"), doing{"a", 8, 9, 22, "read", `{"path":"b"}`, "", ""})...), to + ` threshold=4`, ""},
		{"another tool", driftTable(append(week("a"), doing{"a", 8, 9, 2, "drop", "", "", ""})...), to,
			`a,new-tool,drop,tool that is not in the baseline,2,"{""read"":75}",day8,0,2026-01-08T09:00:00.0000000Z` + "\n"},
		{"another shape", driftTable(append(week("a"), doing{"a", 8, 9, 1, "read", `{"path":"b"}`, "", ""}, doing{"a", 8, 9, 1, "read", `{"path":["b"],"x":1}`, "", ""})...), to,
			`a,new-shape,read,arguments of another shape,"{""path"":""array"",""x"":""number""}","[{""path"":""string""}]",day8,1,2026-01-08T09:00:00.0000000Z` + "\n"},
		{"some arguments were removed", driftTable(append(week("a"), doing{"a", 8, 9, 1, "read", `{}`, "", "/args/path"})...), to, ""},
		{"an hour of the night", driftTable(append(week("a"), doing{"a", 8, 3, 1, "read", `{"path":"b"}`, "", ""})...), to,
			`a,new-hour,"",1 call between 03:00 and 04:00 UTC,3,[9],day8,0,2026-01-08T03:00:00.0000000Z` + "\n"},
		{"denials", driftTable(append(week("a"), doing{"a", 8, 9, 4, "read", `{"path":"b"}`, "DENIED", ""})...), to,
			`a,rate,"",denied calls in 1d,4,"{""median"":0,""spread"":1,""least"":0,""most"":3.5}",day8,0,2026-01-08T09:00:00.0000000Z` + "\n"},
		{"another agent", driftTable(append(week("a"), doing{"b", 8, 9, 3, "read", `{"path":"b"}`, "", ""})...), to,
			`b,new-agent,"",no call in the baseline,3,,day8,0,2026-01-08T09:00:00.0000000Z` + "\n"},
		{"up to the last row", driftTable(append(week("a"), doing{"a", 8, 3, 1, "read", `{"path":"b"}`, "", ""})...), ` | drift | where kind != "rate"`,
			`a,new-hour,"",1 call between 03:00 and 04:00 UTC,3,[9],day8,0,2026-01-08T03:00:00.0000000Z` + "\n"},
		{"what is behind the end does not count", driftTable(append(week("a"), doing{"a", 8, 9, 1, "read", "", "", ""}, doing{"a", 9, 0, 1, "drop", "", "", ""})...), to, ""},
		{"what is before the baseline does not count", driftTable(append(week("a"), doing{"a", 8, 9, 1, "read", "", "", ""})...), ` | drift to=datetime(2026-01-09) baseline=1d`,
			""},
		{"silence", driftTable(doing{"a", 5, 9, 100, "read", "", "", ""}, doing{"a", 6, 9, 100, "read", "", "", ""}, doing{"a", 7, 9, 100, "read", "", "", ""}, doing{"b", 8, 9, 1, "read", "", "", ""}), to + ` | where agent == "a"`,
			`a,rate,"",calls in 1d,0,"{""median"":100,""spread"":10,""least"":65,""most"":135}","",,` + "\n"},
		{"too few days to know", driftTable(doing{"a", 6, 9, 1, "read", "", "", ""}, doing{"a", 7, 9, 1, "read", "", "", ""}, doing{"a", 8, 9, 500, "read", "", "", ""}), to, ""},
		{"no baseline", driftTable(doing{"a", 8, 9, 1, "read", "", "", ""}), to,
			`a,new-agent,"",no call in the baseline,1,,day8,0,2026-01-08T09:00:00.0000000Z` + "\nhint: drift: no row is of the baseline, so that every agent is new\n"},
		{"rows out of order", driftTable(append(week("a"), doing{"a", 8, 9, 2, "drop", "", "", ""})...), ` | sort by time desc | drift to=datetime(2026-01-09)`,
			`a,new-tool,drop,tool that is not in the baseline,2,"{""read"":75}",day8,0,2026-01-08T09:00:00.0000000Z` + "\n"},
	} {
		const head = "agent,kind,tool,what,observed,expected,session,index,time\n"
		if got := asCSV(nil, c.table+c.op); got != head+c.want {
			t.Errorf("%s: got\n%s\nwant\n%s", c.name, got, head+c.want)
		}
	}
}

func TestDriftFaults(t *testing.T) {
	const rows = `print agent = "a", time = datetime(2026-01-01) | `
	for text, want := range map[string]string{
		`print agent = "a" | drift`:        "drift needs the column 'time' (datetime)",
		rows + `drift baseline=1h`:         "1:65: baseline: expected at least as long as the window, 1d, found 1h",
		rows + `drift window=8d`:           "1:63: window: expected at most as long as the baseline, 7d, found 8d",
		rows + `drift window=1s`:           "window: expected at least a 10000th of the baseline, 7d, found 1s",
		rows + `drift baseline=7`:          "baseline: expected a timespan, found 7",
		rows + `drift to="2026-01-01"`:     "to: expected a datetime, found \"2026-01-01\"",
		rows + `drift to=datetime(null)`:   "to: expected a datetime, found datetime(null)",
		rows + `drift threshold=0`:         "threshold: expected a number over 0",
		rows + `drift threshold=real(nan)`: "threshold: expected a number over 0",
		rows + `drift 7d`:                  "expected drift baseline=7d window=1d to=datetime(2026-01-09) threshold=3.5",
		rows + `drift basline=7d`:          "drift has nothing named 'basline', did you mean 'baseline'?",
	} {
		if got := asCSV(nil, text); !strings.Contains(got, want) {
			t.Errorf("%s gives %s, want %s", text, got, want)
		}
	}
}
