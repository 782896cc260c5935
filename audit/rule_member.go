package audit

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"
)

// A ruleMember is a member that a rule's file may have: adding one is adding a row.
type ruleMember struct {
	name  string
	other string // its short name
	need  bool
	// set reads the value into the rule; an error says what was expected.
	set func(r *Rule, value *yaml.Node) error
}

// ruleMembers are those that count.
var ruleMembers = []ruleMember{
	{name: "id", need: true, set: func(r *Rule, n *yaml.Node) error { return setText(&r.ID, n) }},
	{name: "name", need: true, set: func(r *Rule, n *yaml.Node) error { return setText(&r.Name, n) }},
	{name: "description", need: true, set: setDescription},
	{name: "severity", need: true, set: setSeverity},
	{name: "query", need: true, set: setQuery},
	{name: "queryPeriod", other: "period", set: func(r *Rule, n *yaml.Node) error { return setPeriod(&r.Period, n) }},
	{name: "queryFrequency", set: setFrequency},
	{name: "triggerOperator", set: setComparison},
	{name: "triggerThreshold", other: "threshold", set: setThreshold},
	{name: "tactics", set: setTactics},
}

// sentinelMembers are what else Sentinel's rules have. They say how Sentinel shows, groups
// and connects what is found, and do not count here.
var sentinelMembers = []string{
	"alertDetailsOverride", "alertRuleTemplateName", "customDetails", "entityMappings", "eventGroupingSettings", "incidentConfiguration", "kind", "metadata",
	"relevantTechniques", "requiredDataConnectors", "sentinelEntitiesMappings", "status", "subTechniques", "suppressionDuration", "suppressionEnabled",
	"tags", "techniques", "templateVersion", "version",
}

// memberNames are all names that a member may have.
func memberNames() []string {
	names := append([]string(nil), sentinelMembers...)
	for _, m := range ruleMembers {
		names = append(names, m.name)
		if m.other != "" {
			names = append(names, m.other)
		}
	}
	return names
}

// textOf returns a scalar, nothing else.
func textOf(n *yaml.Node) (string, error) {
	if n.Kind != yaml.ScalarNode || n.Tag == "!!null" {
		return "", fmt.Errorf("expected a text, found %s", kindOf(n))
	}
	return n.Value, nil
}

func kindOf(n *yaml.Node) string {
	switch {
	case n.Kind == yaml.MappingNode:
		return "a mapping"
	case n.Kind == yaml.SequenceNode:
		return "a list"
	case n.Tag == "!!null":
		return "nothing"
	}
	return strconv.Quote(n.Value)
}

func setText(to *string, n *yaml.Node) (err error) {
	*to, err = textOf(n)
	if *to = strings.TrimSpace(*to); err == nil && (*to == "" || strings.ContainsAny(*to, "\n\r")) {
		err = fmt.Errorf("expected a text of one line, found %q", n.Value)
	}
	return err
}

// setDescription: some of Sentinel's stand in quotes within their block.
func setDescription(r *Rule, n *yaml.Node) error {
	text, err := textOf(n)
	if r.Description = strings.Trim(strings.TrimSpace(text), `'"`); err == nil && r.Description == "" {
		err = fmt.Errorf("expected a text, found an empty one")
	}
	return err
}

func setSeverity(r *Rule, n *yaml.Node) error {
	text, err := textOf(n)
	if err == nil {
		r.Severity, err = SeverityNamed(text)
	}
	return err
}

func setQuery(r *Rule, n *yaml.Node) (err error) {
	if r.Query, err = textOf(n); err == nil && strings.TrimSpace(r.Query) == "" {
		err = fmt.Errorf("expected a query, found an empty text")
	}
	return err
}

func setPeriod(to *time.Duration, n *yaml.Node) error {
	text, err := textOf(n)
	if err != nil {
		return err
	}
	d, ok := parsePeriod(text)
	if !ok {
		return fmt.Errorf("expected a period as 30m, 5h, 7d or PT1H, found %q", text)
	}
	*to = d
	return nil
}

// setFrequency checks how often Sentinel would run the rule: here it runs when it is run.
func setFrequency(_ *Rule, n *yaml.Node) error {
	var d time.Duration
	return setPeriod(&d, n)
}

// maxPeriod keeps a period within the years that a time may have.
const maxPeriod = 100 * 365 * 24 * time.Hour

// parsePeriod reads a number and s, m, h or d, or a duration of ISO 8601 without months.
func parsePeriod(text string) (total time.Duration, ok bool) {
	units := map[byte]time.Duration{'s': time.Second, 'm': time.Minute, 'h': time.Hour, 'd': 24 * time.Hour}
	rest, iso := strings.CutPrefix(strings.ToLower(strings.TrimSpace(text)), "p")
	date, clock, _ := strings.Cut(rest, "t")
	parts := []string{rest}
	if iso {
		parts = []string{date, clock}
	}
	for i, part := range parts {
		for part != "" {
			end := strings.IndexFunc(part, func(c rune) bool { return c < '0' || c > '9' })
			if end <= 0 || iso && (i == 0) != (part[end] == 'd') {
				return 0, false
			}
			n, err := strconv.ParseInt(part[:end], 10, 64)
			unit := units[part[end]]
			if err != nil || unit == 0 || n > int64(maxPeriod/unit) {
				return 0, false
			}
			total += time.Duration(n) * unit
			if part = part[end+1:]; !iso && part != "" {
				return 0, false
			}
		}
	}
	return total, total > 0 && total <= maxPeriod
}

func setComparison(r *Rule, n *yaml.Node) error {
	text, err := textOf(n)
	if err != nil {
		return err
	}
	for i := range comparisonNames {
		if text == comparisonNames[i] || strings.EqualFold(text, comparisonWords[i]) {
			r.Compare = Comparison(i)
			return nil
		}
	}
	return fmt.Errorf("expected one of %s, found %q", strings.Join(comparisonNames, ", "), text)
}

func setThreshold(r *Rule, n *yaml.Node) error {
	text, err := textOf(n)
	if err == nil {
		if r.Threshold, err = strconv.ParseInt(text, 10, 32); err != nil || r.Threshold < 0 {
			err = fmt.Errorf("expected a number of rows, found %q", text)
		}
	}
	return err
}

func setTactics(r *Rule, n *yaml.Node) error {
	if n.Kind != yaml.SequenceNode {
		return fmt.Errorf("expected a list of tactics, found %s", kindOf(n))
	}
	for _, item := range n.Content {
		text, err := textOf(item)
		if err != nil {
			return fmt.Errorf("in the list: %w", err)
		}
		r.Tactics = append(r.Tactics, text)
	}
	return nil
}
