package db

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// TestRetention prunes what was kept long enough, by the first rule that applies, and nothing
// that a hold forbids; while a ledger is open it does so by itself.
func TestRetention(t *testing.T) {
	now := time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)
	dir, opt := filepath.Join(t.TempDir(), "l"), Options{Now: func() time.Time { return now }}
	l := open(t, dir, opt)
	for session, at := range map[string]string{
		"test-old": "2026-01-01", "test-new": "2026-02-20", "old": "2018-12-31", "kept": "2019-06-01", "case-1": "2001-01-01",
	} {
		text := fmt.Appendf(nil, `{"session":%q,"time":"%sT00:00:00Z","tool":"t","args":{"n":1},"reasoning":"why"}`, session, at)
		if _, err := l.AppendJSON(t.Context(), text, text); err != nil {
			t.Fatal(err)
		}
	}
	begins := func(prefix string) func(*Head) bool {
		return func(h *Head) bool { return strings.HasPrefix(h.Session, prefix) }
	}
	r := Retention{By: "clock", Rules: []RetentionRule{
		{Text: "keep 30 days of tests", Keep: Period{Days: 30}, Applies: begins("test-")},
		{Text: "keep 7 years", Keep: Period{Years: 7}},
		{Text: "hold of a case", Hold: true, Applies: begins("case-")},
	}}
	due, err := l.Due(t.Context(), &r)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, d := range due {
		names = append(names, d.Session+": "+d.Rule.Text)
	}
	if want := []string{"old: keep 7 years", "test-old: keep 30 days of tests"}; !slices.Equal(names, want) {
		t.Fatalf("Due = %q, want %q", names, want)
	}
	closeLedger(t, l)
	opt.Retention = r
	l = open(t, dir, opt)
	eventually(t, l, "two prunes", func(s *state) bool { return s.size == 13 && len(s.pending) == 0 })
	rep := intact(t, l)
	if len(rep.Controls) != 2 || rep.Controls[0].Policy != "keep 30 days of tests" || rep.Controls[0].By != "clock" || rep.Controls[0].Values != 4 || rep.Controls[1].Values != 4 {
		t.Errorf("Controls = %+v, %+v", rep.Controls[0], rep.Controls[1])
	}
	if again, err := l.Prune(t.Context(), &r); err != nil || len(again) > 0 {
		t.Errorf("again: %v, %v, want nothing", again, err)
	}
	for session, pruned := range map[string]bool{"test-old": true, "old": true, "test-new": false, "kept": false, "case-1": false} {
		if e, err := l.Entry(t.Context(), session, 1); err != nil || (len(e.Removed()) > 0) != pruned {
			t.Errorf("session %q: %q, %v, want pruned %v", session, e.Removed(), err, pruned)
		}
	}
	closeLedger(t, l)
	for _, bad := range []RetentionRule{{}, {Hold: true, Keep: Period{Days: 1}}, {Keep: Period{Days: -1}}} {
		if _, err := Open(dir, Options{Retention: Retention{Rules: []RetentionRule{bad}}}); err == nil || !strings.Contains(err.Error(), "expected a hold, or a time to keep") {
			t.Errorf("rule %+v: %v", bad, err)
		}
	}
}
