package audit

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"toolledger/chain"
)

// ruleFile is a rule that is right, in whose text the tests of this file change something.
const ruleFile = `id: r1
name: Deletions
description: Files go.
severity: High
queryPeriod: 1h
queryFrequency: 30m
triggerOperator: gt
triggerThreshold: 1
tactics:
  - Impact
entityMappings:
  - entityType: Account
version: 1.0.0
query: |
  entries
  | where tool == "delete_file"
  | project session, index
`

func loadOne(text string) ([]*Rule, error) {
	return LoadRules(languageOf(nil), RuleFolder{"d", fstest.MapFS{"a.yaml": {Data: []byte(text)}}})
}

func TestLoadRules(t *testing.T) {
	list, err := loadOne(ruleFile)
	if err != nil || len(list) != 1 {
		t.Fatal(list, err)
	}
	r := list[0]
	if got, want := fmt.Sprint(r.ID, r.Name, r.Severity, r.Period, r.Compare, r.Threshold, r.Tactics, r.File, r.Line), "r1DeletionsHigh1h0m0sgt1[Impact]d/a.yaml1"; strings.ReplaceAll(got, " ", "") != want {
		t.Errorf("got %s", got)
	}
	short := strings.NewReplacer("queryPeriod: 1h", "period: PT90M", "triggerThreshold: 1", "threshold: 7", "triggerOperator: gt", "triggerOperator: LessThan", "severity: High", "severity: low").Replace(ruleFile)
	if list, err = loadOne(short); err != nil || list[0].Period != 90*time.Minute || list[0].Threshold != 7 || list[0].Compare != Less || list[0].Severity != Low {
		t.Errorf("short names: %+v %v", list, err)
	}
}

// TestRuleFaults: what is wrong with a file, and where.
func TestRuleFaults(t *testing.T) {
	for _, c := range []struct{ name, old, new, want string }{
		{"unknown member", "severity", "severty", `d/a.yaml:4:1: no member of a rule is named "severty", did you mean 'severity'?`},
		{"member missing", "description: Files go.\n", "", "d/a.yaml:1:1: the rule has no description"},
		{"severity", "High", "Mediun", `d/a.yaml:4:11: severity: expected one of Informational, Low, Medium, High, found "Mediun", did you mean 'Medium'?`},
		{"period", "1h", "1 hour", `d/a.yaml:5:14: queryPeriod: expected a period as 30m, 5h, 7d or PT1H, found "1 hour"`},
		{"period of nothing", "1h", "0h", `expected a period`},
		{"period without end", "1h", "99999999999999999999d", `expected a period`},
		{"frequency", "30m", "often", `d/a.yaml:6:17: queryFrequency: expected a period`},
		{"both names of a member", "queryFrequency: 30m", "period: 2h", "d/a.yaml:6:1: queryPeriod is given twice, period being its short name"},
		{"comparison", "gt", "ge", `d/a.yaml:7:18: triggerOperator: expected one of gt, lt, eq, ne, found "ge"`},
		{"threshold", "Threshold: 1", "Threshold: -1", `d/a.yaml:8:19: triggerThreshold: expected a number of rows, found "-1"`},
		{"list of tactics", "tactics:\n  - Impact", "tactics: Impact", `d/a.yaml:9:10: tactics: expected a list of tactics, found "Impact"`},
		{"query is a list", "query: |\n", "query:\n  - x\nname2: |\n", "query: expected a text, found a list"},
		{"query's column", "tool ==", "tol ==", "d/a.yaml:16:11: unknown column 'tol'"},
		{"query's table", "entries", "entires", "d/a.yaml:15:3: unknown table 'entires'"},
		{"query on one line", "query: |\n  entries\n  | where tool == \"delete_file\"\n  | project session, index", "query: entries | wher x", "d/a.yaml:14:18: "},
		{"no YAML", "id: r1", "id: [", "d/a.yaml:"},
		{"a list", ruleFile, "- a\n- b\n", "d/a.yaml:1:1: expected the members of a rule, as id: and query:, found a list"},
		{"empty", ruleFile, "", "d/a.yaml:1:1: expected a rule, found an empty file"},
		{"only a comment", ruleFile, "# nothing\n", "d/a.yaml:1:1: expected a rule"},
		{"no UTF-8", "Files", "\xff", "d/a.yaml: expected UTF-8"},
		{"two of one id", ruleFile, ruleFile + "---\n" + ruleFile, `d/a.yaml:19:1: the id "r1" is that of the rule at d/a.yaml:1`},
	} {
		_, err := loadOne(strings.Replace(ruleFile, c.old, c.new, 1))
		if faults := (RuleFaults)(nil); !errors.As(err, &faults) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %s", c.name, err, c.want)
		}
	}
	if _, err := LoadRules(languageOf(nil), RuleFolder{"d", fstest.MapFS{"a.txt": {}}}); err == nil || err.Error() != "d: expected rules in files *.yaml or *.yml, found none" {
		t.Errorf("folder without a rule: %v", err)
	}
}

// TestRuleTrigger: a rule fires if its number of rows is so, and gives all its rows.
func TestRuleTrigger(t *testing.T) {
	for _, c := range []struct {
		compare   string
		threshold int
		rows      int
		want      int // rows that come out; -1: it does not fire
	}{
		{"gt", 0, 0, -1}, {"gt", 0, 1, 1}, {"gt", 3, 3, -1}, {"gt", 3, 4, 4}, {"gt", 1500, 5000, 5000}, {"gt", 5000, 5000, -1},
		{"lt", 1, 0, 1}, {"lt", 3, 2, 2}, {"lt", 3, 3, -1}, {"lt", 3, 4000, -1},
		{"eq", 0, 0, 1}, {"eq", 2, 2, 2}, {"eq", 2, 3, -1}, {"eq", 2, 1, -1}, {"eq", 2000, 2000, 2000},
		{"ne", 0, 0, -1}, {"ne", 2, 1, 1}, {"ne", 2, 2, -1}, {"ne", 2, 3000, 3000}, {"ne", 3, 0, 1},
	} {
		text := strings.NewReplacer("gt", c.compare, "Threshold: 1", fmt.Sprint("Threshold: ", c.threshold)).Replace(ruleFile)
		query, _, _ := strings.Cut(text, "query:")
		list, err := loadOne(query + fmt.Sprintf("query: range x from 1 to %d step 1\n", c.rows))
		if err != nil {
			t.Fatal(err)
		}
		rows := runRule(t, list[0], languageOf(nil), Window{})
		if got := len(rows); got != max(c.want, 0) {
			t.Errorf("%d rows %s %d: %d rows, want %d", c.rows, c.compare, c.threshold, got, c.want)
		}
		if c.rows == 0 && c.want == 1 && fmt.Sprint(rows[0]["rows"]) != "0" {
			t.Errorf("%s %d without a row: %v", c.compare, c.threshold, rows)
		}
	}
}

// TestRuleWindow: a rule sees what its period and the window have, of all tables.
func TestRuleWindow(t *testing.T) {
	var s labelled
	s.name = "s"
	for i := range 6 {
		line := fmt.Sprintf(`{"tool":"t","request":"r%d"}`, i)
		s.add(t, line, "a", time.Date(2026, 3, 3, 10+i, 0, 0, 0, time.UTC), true)
	}
	snap := ledgerOf(t, []labelled{s})
	at := func(hour int) *chain.Time {
		at := chain.TimeOf(time.Date(2026, 3, 3, hour, 0, 0, 0, time.UTC))
		return &at
	}
	for _, c := range []struct {
		table, period string
		w             Window
		want          int
	}{
		{"entries", "", Window{End: *at(16)}, 18},
		{"entries", "period: 2h", Window{End: *at(16)}, 6},
		{"entries", "period: 2h", Window{End: *at(13)}, 6},
		{"entries", "period: 2h", Window{Since: at(12), End: *at(13)}, 3},
		{"entries", "", Window{Since: at(14), End: *at(16)}, 6},
		{"entries", "", Window{Until: at(11), End: *at(11)}, 3},
		{"calls", "period: 1h", Window{End: *at(16)}, 1},
		{"sessions", "", Window{Since: at(16), End: *at(17)}, 0},
		{"sessions", "period: 1h", Window{End: *at(13)}, 1},
		{"control", "", Window{Until: at(1), End: *at(1)}, 0},
	} {
		text, _, _ := strings.Cut(ruleFile, "query: |")
		text = strings.NewReplacer("queryPeriod: 1h", c.period, "Threshold: 1", "Threshold: 0").Replace(text)
		list, err := loadOne(text + "query: " + c.table + "\n")
		if err != nil {
			t.Fatal(err)
		}
		if got := len(runRule(t, list[0], languageOf(snap), c.w)); got != c.want {
			t.Errorf("%s of %+v: %d rows, want %d", c.table, c, got, c.want)
		}
	}
}

// TestRuleColumns: the columns of a rule come before those of its rows, whatever their names.
func TestRuleColumns(t *testing.T) {
	text, _, _ := strings.Cut(ruleFile, "query: |")
	list, err := loadOne(strings.Replace(text, "Threshold: 1", "Threshold: 0", 1) + "query: print name = 1, rule = 2, rule1 = 3, a = 4\n")
	if err != nil {
		t.Fatal(err)
	}
	row := runRule(t, list[0], languageOf(nil), Window{})[0]
	if got, want := fmt.Sprint(row), "map[a:4 name:Deletions name1:1 rule:r1 rule1:3 rule11:2 severity:High]"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}
