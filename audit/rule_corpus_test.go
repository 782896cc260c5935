package audit

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"toolledger/chain"
	"toolledger/db"
	"toolledger/query"
	"toolledger/samples/rules"
)

// A labelled is a session of a corpus. A file of them has, for each,
//
//	# LABEL NAME [start=TIME] [step=DURATION] [agent=NAME]
//
// and a line for each entry in its native form, whose time is a step after the one before;
// session, agent and time are put in, except what an entry has and what the settings leave
// empty: start= is a session without times. In front of an entry
//
//	12x    repeats it, %d being the number
//	+3h    lets time pass before it
//	full   makes of it ATTEMPT, START and COMPLETE, with a request
type labelled struct {
	label, name string
	entries     [][]byte
}

var corpusPrefix = regexp.MustCompile(`^(?:(\d+)x|\+(\S+)|(full)) +`)

func readCorpus(t *testing.T, file string) (list []labelled) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", "rules", file))
	if err != nil {
		t.Fatal(err)
	}
	var agent string
	var at time.Time
	var step time.Duration
	for n, line := range strings.Split(string(text), "\n") {
		fields := strings.Fields(line)
		if len(fields) == 0 {
			continue
		}
		if fields[0] == "#" {
			list = append(list, labelled{label: fields[1], name: fields[2]})
			agent, at, step = "helper", time.Date(2026, 3, 3, 10, 0, 0, 0, time.UTC), 15*time.Second
			for _, f := range fields[3:] {
				switch key, value, _ := strings.Cut(f, "="); key {
				case "agent":
					agent = value
				case "start":
					if at = (time.Time{}); value != "" {
						at, err = time.Parse(time.RFC3339, value)
					}
				case "step":
					step, err = time.ParseDuration(value)
				default:
					err = fmt.Errorf("no setting %q", key)
				}
				if err != nil {
					t.Fatalf("%s:%d: %v", file, n+1, err)
				}
			}
			continue
		}
		times, full := 1, false
		for m := corpusPrefix.FindStringSubmatch(line); m != nil; m = corpusPrefix.FindStringSubmatch(line) {
			line = line[len(m[0]):]
			switch {
			case m[1] != "":
				times, err = strconv.Atoi(m[1])
			case m[2] != "":
				var d time.Duration
				d, err = time.ParseDuration(m[2])
				at = at.Add(d)
			default:
				full = true
			}
			if err != nil {
				t.Fatalf("%s:%d: %v", file, n+1, err)
			}
		}
		s := &list[len(list)-1]
		for i := range times {
			s.add(t, strings.ReplaceAll(line, "%d", strconv.Itoa(i+1)), agent, at, full)
			if !at.IsZero() {
				at = at.Add(step)
			}
		}
	}
	return list
}

// add adds an entry, or the three of a call.
func (s *labelled) add(t *testing.T, line, agent string, at time.Time, full bool) {
	t.Helper()
	var e map[string]json.RawMessage
	if err := json.Unmarshal([]byte(line), &e); err != nil {
		t.Fatalf("%s: %v in %s", s.name, err, line)
	}
	text := func(v string) json.RawMessage { b, _ := json.Marshal(v); return b }
	put := func(name, value string) {
		if e[name] == nil {
			e[name] = text(value)
		}
	}
	put("session", s.name)
	if agent != "" {
		put("agent", agent)
	}
	if !at.IsZero() {
		put("time", at.Format(time.RFC3339Nano))
	}
	phases := []string{""}
	if full {
		phases = []string{"ATTEMPT", "START", "COMPLETE"}
		put("request", fmt.Sprint("call-", len(s.entries)))
	}
	response := e["response"]
	for _, p := range phases {
		if full {
			e["phase"] = text(p)
			delete(e, "response")
		}
		if p == "COMPLETE" && response != nil {
			e["response"] = response
		}
		b, err := json.Marshal(e)
		if err != nil {
			t.Fatal(err)
		}
		s.entries = append(s.entries, b)
	}
}

// ledgerOf returns a snapshot of a ledger with the entries of sessions.
func ledgerOf(t *testing.T, sessions []labelled) *db.Snapshot {
	t.Helper()
	led, err := db.Open(filepath.Join(t.TempDir(), "ledger"), db.Options{NoSync: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { led.Close() })
	for _, s := range sessions {
		if _, err := led.AppendJSON(t.Context(), s.entries...); err != nil {
			t.Fatalf("%s: %v", s.name, err)
		}
	}
	snap, err := led.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { snap.Close() })
	return snap
}

// languageOf returns a language with the tables of s, or with none that has rows.
func languageOf(s *db.Snapshot) *query.Language {
	opt := query.Options{Operators: Operators(nil, nil), Tables: query.LedgerTables(nil), Now: time.Date(2026, 3, 5, 0, 0, 0, 0, time.UTC)}
	if s != nil {
		opt.Tables = query.LedgerTables(s)
	}
	return query.New(opt)
}

func packOf(t *testing.T) []*Rule {
	t.Helper()
	pack, err := LoadRules(languageOf(nil), RuleFolder{"default", rules.Files})
	if err != nil {
		t.Fatal(err)
	}
	return pack
}

// firedOn returns which rules name each session in their rows.
func firedOn(t *testing.T, s *db.Snapshot, list []*Rule) map[string][]string {
	t.Helper()
	fired := map[string][]string{}
	for _, r := range list {
		w := Window{End: chain.TimeOf(time.Date(2026, 3, 5, 0, 0, 0, 0, time.UTC))}
		for _, row := range runRule(t, r, languageOf(s), w) {
			name, _ := row["session"].(string)
			if name == "" {
				t.Fatalf("%s gives a row without a session: %v", r.ID, row)
			}
			if !slices.Contains(fired[name], r.ID) {
				fired[name] = append(fired[name], r.ID)
			}
		}
	}
	return fired
}

// runRule returns the rows of a rule that fires, nil if it does not.
func runRule(t *testing.T, r *Rule, lang *query.Language, w Window) (rows []map[string]any) {
	t.Helper()
	var out bytes.Buffer
	fired, err := r.Run(context.Background(), lang, w, WithRule(r, query.FormatNamed("jsonl").New(&out, query.FormatOptions{})))
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(out.String()) {
		var row map[string]any
		if err := json.Unmarshal([]byte(line), &row); err != nil {
			t.Fatal(err)
		}
		rows = append(rows, row)
	}
	if fired != (len(rows) > 0) {
		t.Errorf("%s: fired is %v, with %d rows", r.ID, fired, len(rows))
	}
	return rows
}
