package audit

import (
	"cmp"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
	"time"

	"toolledger/query"
)

// A Rule is a query whose rows somebody should look at. It has the shape of an analytic rule
// of Microsoft Sentinel; rule_member.go says which members count here.
type Rule struct {
	ID          string
	Name        string
	Description string
	Severity    Severity
	Tactics     []string      // of MITRE ATT&CK, for the reader
	Query       string        // KQL; of several queries the last one counts
	Period      time.Duration // how long before the end of a run it looks back; 0: to the beginning
	Compare     Comparison    // of the number of rows with Threshold
	Threshold   int64

	File string // where it stands
	Line int    // of its first member, from 1

	queryLine, queryColumn int  // of the query's first line in the file
	queryExact             bool // the lines of the query are lines of the file
}

// A Severity says how bad it is if a rule fires.
type Severity uint8

// The severities of Sentinel, from the least on.
const (
	Informational Severity = iota
	Low
	Medium
	High
)

var severityNames = []string{"Informational", "Low", "Medium", "High"}

func (s Severity) String() string { return severityNames[s] }

// SeverityNamed returns the severity of a name, in any case.
func SeverityNamed(name string) (Severity, error) {
	i := slices.IndexFunc(severityNames, func(n string) bool { return strings.EqualFold(n, name) })
	if i < 0 {
		return 0, fmt.Errorf("expected one of %s, found %q%s", strings.Join(severityNames, ", "), name, query.DidYouMean(name, severityNames))
	}
	return Severity(i), nil
}

// A Comparison says when a rule fires: if the number of its rows is so, compared with its
// threshold.
type Comparison uint8

// The comparisons of Sentinel.
const (
	Greater Comparison = iota
	Less
	Equal
	NotEqual
)

var comparisonNames = []string{"gt", "lt", "eq", "ne"}

// comparisonWords are the names that Sentinel's interface, in place of its files, has.
var comparisonWords = []string{"GreaterThan", "LessThan", "Equal", "NotEqual"}

func (c Comparison) String() string { return comparisonNames[c] }

// holds tells whether rows compared with threshold is as c says.
func (c Comparison) holds(rows, threshold int64) bool {
	switch c {
	case Less:
		return rows < threshold
	case Equal:
		return rows == threshold
	case NotEqual:
		return rows != threshold
	}
	return rows > threshold
}

// A RuleFolder is where rules are: the files *.yaml and *.yml of a folder and those below it.
type RuleFolder struct {
	Name  string // in front of the names of its files, "" for none
	Files fs.FS
}

// LoadRules reads the rules of some folders, in the order of their ids. lang is what their
// queries are checked against, with the tables of a ledger, of which no row is read. All that
// is wrong with files is in one [RuleFaults]; a folder without a rule is at fault too.
func LoadRules(lang *query.Language, folders ...RuleFolder) ([]*Rule, error) {
	l := ruleLoader{lang: lang}
	for _, f := range folders {
		if err := l.folder(f); err != nil {
			return nil, err
		}
	}
	slices.SortStableFunc(l.rules, func(a, b *Rule) int { return cmp.Compare(a.ID, b.ID) })
	for i := 1; i < len(l.rules); i++ {
		if a, b := l.rules[i-1], l.rules[i]; a.ID == b.ID {
			l.fault(b.File, b.Line, 1, fmt.Sprintf("the id %q is that of the rule at %s:%d", b.ID, a.File, a.Line))
		}
	}
	if len(l.faults) > 0 {
		return nil, l.faults
	}
	return l.rules, nil
}

// folder reads the rules of a folder.
func (l *ruleLoader) folder(f RuleFolder) error {
	files := 0
	err := fs.WalkDir(f.Files, ".", func(name string, d fs.DirEntry, err error) error {
		if ext := path.Ext(name); err != nil || d.IsDir() || ext != ".yaml" && ext != ".yml" {
			return err
		}
		files++
		text, err := fs.ReadFile(f.Files, name)
		if err == nil {
			l.load(path.Join(f.Name, name), text)
		}
		return err
	})
	if err != nil {
		return fmt.Errorf("cannot read the rules in %s: %w", cmp.Or(f.Name, "."), err)
	}
	if files == 0 {
		l.faults = append(l.faults, &RuleFault{File: cmp.Or(f.Name, "."), Msg: "expected rules in files *.yaml or *.yml, found none"})
	}
	return nil
}
