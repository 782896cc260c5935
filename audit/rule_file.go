package audit

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"

	"toolledger/query"
)

// A ruleLoader collects rules, and all that is wrong with their files.
type ruleLoader struct {
	lang   *query.Language
	rules  []*Rule
	faults RuleFaults
}

func (l *ruleLoader) fault(file string, line, column int, msg string) {
	l.faults = append(l.faults, &RuleFault{File: file, Line: line, Column: column, Msg: msg})
}

// maxRuleFile is how large a file of rules may be: a query's text and what describes it.
const maxRuleFile = 2 * query.MaxText

// yamlLine finds the line in an error of the YAML parser, which tells it in no other way.
var yamlLine = regexp.MustCompile(`^yaml: (?:line (\d+): )?`)

// load reads a file: a rule, or several with --- between.
func (l *ruleLoader) load(file string, text []byte) {
	if len(text) > maxRuleFile {
		l.fault(file, 0, 0, fmt.Sprintf("a file of rules may have %d bytes, this one has %d", maxRuleFile, len(text)))
		return
	}
	if !utf8.Valid(text) {
		l.fault(file, 0, 0, "expected UTF-8")
		return
	}
	lines := strings.Split(string(text), "\n")
	d := yaml.NewDecoder(bytes.NewReader(text))
	for n := 0; ; n++ {
		var doc yaml.Node
		err := d.Decode(&doc)
		switch {
		case errors.Is(err, io.EOF):
			if n == 0 {
				l.fault(file, 1, 1, "expected a rule, found an empty file")
			}
			return
		case err != nil:
			line := 1
			if m := yamlLine.FindStringSubmatch(err.Error()); len(m) > 1 && m[1] != "" {
				line, _ = strconv.Atoi(m[1])
			}
			l.fault(file, line, 1, "expected YAML: "+yamlLine.ReplaceAllString(err.Error(), ""))
			return
		}
		l.rule(file, lines, doc.Content[0])
	}
}

// rule reads one rule.
func (l *ruleLoader) rule(file string, lines []string, top *yaml.Node) {
	if top.Kind != yaml.MappingNode {
		l.fault(file, top.Line, top.Column, "expected the members of a rule, as id: and query:, found "+kindOf(top))
		return
	}
	r, before := &Rule{File: file, Line: top.Line}, len(l.faults)
	seen := map[string]bool{}
	for i := 0; i+1 < len(top.Content); i += 2 {
		key, value := top.Content[i], top.Content[i+1]
		if value.Kind == yaml.AliasNode {
			value = value.Alias
		}
		l.member(r, seen, key, value)
		if key.Value == "query" {
			r.placeQuery(lines, value)
		}
	}
	for _, m := range ruleMembers {
		if m.need && !seen[m.name] {
			l.fault(file, top.Line, top.Column, "the rule has no "+m.name)
		}
	}
	if len(l.faults) > before {
		return
	}
	var faults query.Faults
	if err := l.lang.Check(r.Query, nil); errors.As(err, &faults) {
		l.faults = append(l.faults, r.queryFaults(faults, 0)...)
		return
	}
	l.rules = append(l.rules, r)
}

// member reads one member.
func (l *ruleLoader) member(r *Rule, seen map[string]bool, key, value *yaml.Node) {
	if slices.Contains(sentinelMembers, key.Value) {
		return
	}
	for _, m := range ruleMembers {
		if key.Value != m.name && (key.Value != m.other || m.other == "") {
			continue
		}
		if seen[m.name] {
			l.fault(r.File, key.Line, key.Column, fmt.Sprintf("%s is given twice%s", m.name, orAs(m.other)))
			return
		}
		seen[m.name] = true
		if err := m.set(r, value); err != nil {
			l.fault(r.File, value.Line, value.Column, key.Value+": "+err.Error())
		}
		return
	}
	l.fault(r.File, key.Line, key.Column, fmt.Sprintf("no member of a rule is named %q%s", key.Value, query.DidYouMean(key.Value, memberNames())))
}

func orAs(other string) string {
	if other == "" {
		return ""
	}
	return ", " + other + " being its short name"
}

// placeQuery sets where the lines of the query stand in the file.
func (r *Rule) placeQuery(lines []string, n *yaml.Node) {
	r.queryLine, r.queryColumn = n.Line, n.Column
	switch {
	case n.Style&yaml.LiteralStyle != 0:
		r.queryLine, r.queryColumn, r.queryExact = n.Line+1, 1+blockIndent(lines[min(n.Line, len(lines)):]), true
	case n.Style == 0 && !strings.Contains(n.Value, "\n") && n.Line <= len(lines) && strings.Contains(lines[n.Line-1], n.Value):
		r.queryExact = true
	}
}

// blockIndent is how far the lines of a block are indented: as far as the first of them that
// is not blank.
func blockIndent(lines []string) int {
	for _, line := range lines {
		if text := strings.TrimLeft(line, " "); strings.TrimSpace(text) != "" {
			return len(line) - len(text)
		}
	}
	return 0
}
