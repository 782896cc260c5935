package main

import (
	"context"
	"fmt"
	"path"
	"strconv"
	"strings"

	"toolledger/db"
	"toolledger/query"
)

// A policyRule is a line of a retention policy:
//
//	hold                [session PATTERN | where CONDITION]
//	keep N UNIT         [session PATTERN | where CONDITION]
type policyRule struct {
	line    int
	text    string
	hold    bool
	keep    db.Period
	pattern string // of sessions; "": any
	where   string // a condition that an entry of theirs meets; "": any
}

// parsePolicy reads a policy. All that is wrong is told at the first line that has it.
func parsePolicy(text string) (rules []policyRule, err error) {
	n := 0
	for line := range strings.Lines(text) {
		n++
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' {
			continue
		}
		r, err := parseRule(line)
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", n, err)
		}
		r.line = n
		rules = append(rules, r)
	}
	if len(rules) == 0 {
		return nil, fmt.Errorf("expected a rule, as keep 7 years")
	}
	return rules, nil
}

func parseRule(line string) (r policyRule, err error) {
	r.text = strings.Join(strings.Fields(line), " ")
	word, rest := cutWord(line)
	switch word {
	case "hold":
		r.hold = true
	case "keep":
		if r.keep, rest, err = parsePeriod(rest); err != nil {
			return r, err
		}
	default:
		return r, fmt.Errorf("expected keep or hold, found %q", word)
	}
	switch word, rest = cutWord(rest); word {
	case "":
	case "session":
		if r.pattern = rest; len(strings.Fields(rest)) != 1 {
			return r, fmt.Errorf("session: expected a pattern, as test-*, found %q", rest)
		}
		if _, err := path.Match(r.pattern, ""); err != nil {
			return r, fmt.Errorf("session: %q is no pattern", rest)
		}
	case "where":
		if r.where, r.text = rest, line; rest == "" {
			return r, fmt.Errorf("where: expected a condition, as environment == \"staging\"")
		}
	default:
		return r, fmt.Errorf("expected session PATTERN or where CONDITION, found %q", word)
	}
	return r, nil
}

func cutWord(s string) (word, rest string) {
	s = strings.TrimSpace(s)
	if i := strings.IndexAny(s, " \t"); i >= 0 {
		return s[:i], strings.TrimSpace(s[i:])
	}
	return s, ""
}

// maxKeep is how long a rule may keep, in years: times end with the year 9999.
const maxKeep = 1000

func parsePeriod(text string) (p db.Period, rest string, err error) {
	number, rest := cutWord(text)
	unit, rest := cutWord(rest)
	n, err := strconv.Atoi(number)
	if err != nil || n < 1 || n > 366*maxKeep {
		return p, rest, fmt.Errorf("keep: expected a time, as 30 days or 7 years, found %q", strings.TrimSpace(number+" "+unit))
	}
	switch strings.TrimSuffix(unit, "s") {
	case "day":
		p.Days = n
	case "week":
		p.Days = 7 * n
	case "month":
		p.Months = n
	case "year":
		p.Years = n
	default:
		return p, rest, fmt.Errorf("keep: expected days, weeks, months or years, found %q", unit)
	}
	if p.Years > maxKeep || p.Months > 12*maxKeep {
		return p, rest, fmt.Errorf("keep: %s %s is over %d years", number, unit, maxKeep)
	}
	return p, rest, nil
}

// retention returns the rule as the ledger follows it: which sessions a condition is about is
// asked now.
func (r *policyRule) retention(ctx context.Context, led *db.Ledger) (db.RetentionRule, error) {
	out := db.RetentionRule{Text: r.text, Hold: r.hold, Keep: r.keep}
	switch {
	case r.pattern != "":
		out.Applies = func(h *db.Head) bool {
			ok, _ := path.Match(escapeSlashes(r.pattern), escapeSlashes(h.Session)) // was checked
			return ok
		}
	case r.where != "":
		sessions := map[string]bool{}
		err := eachFound(ctx, led, "entries\n| where "+r.where+"\n| distinct session", func(row []query.Value) { sessions[row[0].S] = true })
		if err != nil {
			return out, fmt.Errorf("line %d: where: %w", r.line, err)
		}
		out.Applies = func(h *db.Head) bool { return sessions[h.Session] }
	}
	return out, nil
}

// escapeSlashes keeps * from ending at a slash, of which the names of sessions may have some.
func escapeSlashes(s string) string { return strings.ReplaceAll(s, "/", "\x00") }
