package query

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

func TestComplete(t *testing.T) {
	l := New(Options{Tables: LedgerTables(nil), Operators: []Operator{everyOperator}})
	for _, c := range []struct {
		text    string // the cursor stands at its end
		want    string // the candidates with a space between; ... for more
		without string // that must not be there
	}{
		{"en", "entries", "count"},
		{"", "entries control calls sessions let declare explain datatable print range search union every", "where"},
		{"explain ent", "", ""},
		{"let T = entries; T", "T", ""},
		{"let T = entr", "entries", ""},
		{"entries | whe", "where", ""},
		{"entries |", "as count distinct every extend ...", "range print"},
		{"entries | project-re", "project-rename project-reorder", ""},
		{"entries | project-", "project-away project-keep project-rename project-reorder", ""},
		{"entries | where a - b", "base64_decode_toarray ...", "bin_at_"},
		{"entries | where age", "agent", "age"},
		{"entries | where too", "tool toobject", ""},
		{"entries | project t = tool, agent | where t", "t ...", "tool trace"},
		{"entries | summarize n = count() by agent | where ", "agent n ...", "tool"},
		{"entries | summarize co", "context count ...", ""},
		{"entries | summarize count() b", "by ...", ""},
		{"entries | join (calls | where pol", "policy ...", ""},
		{"entries | join (ca", "calls", "case"},
		{"entries | join kind=inner (calls | project x = session) on ses", "session", "x"},
		{"entries | where agent in ((call", "calls", ""},
		{"entries | extend n = strl", "strlen", ""},
		{"entries | where tool == \"sh", "", ""},
		{"entries | take 5", "", ""},
		{"entries | every wi", "within=", ""},
		{"calls; sess", "sessions", ""},
		{"entries | where args.", "", ""},
		{"print x = 1 | where x", "x", "session"},
		{"entries | frob", "", ""},
		{"entries | frob x | where ", "...", ""},
	} {
		var got []string
		out := l.Complete(c.text, len(c.text))
		for _, x := range out.Candidates {
			got = append(got, x.Text)
			if !strings.HasPrefix(x.Text, c.text[out.From:]) || x.Doc == "" {
				t.Errorf("%q: the candidate %+v", c.text, x)
			}
		}
		want, more := strings.CutSuffix(c.want, "...")
		list := strings.Fields(want)
		if len(list) > len(got) || !more && len(list) < len(got) {
			t.Errorf("%q gives %q, want %q", c.text, got, c.want)
			continue
		}
		for _, w := range list {
			if !slices.Contains(got, w) {
				t.Errorf("%q gives %q, without %s", c.text, got, w)
			}
		}
		for _, w := range strings.Fields(c.without) {
			if slices.Contains(got, w) {
				t.Errorf("%q gives %s", c.text, w)
			}
		}
	}
}

func TestCompleteValues(t *testing.T) {
	l := New(Options{Tables: LedgerTables(nil)})
	for text, want := range map[string]string{
		`entries | where agent == "`:             `agent true 26`,
		`entries | where agent == "do`:           `agent true 26`,
		`entries | where agent == `:              `agent false 25`,
		`entries | where tool in ("a", "b`:       `tool true 31`,
		`entries | where tool !in~ ("a`:          `tool true 28`,
		`entries | where strcat(tool, "a`:        ` true 30`,
		`entries | where x > 1 and phase has "C`: `phase true 37`,
		`entries | where agent `:                 ` false 22`,
		`print "`:                                ` true 7`,
	} {
		out := l.Complete(text, len(text))
		if got := fmt.Sprint(out.Column, " ", out.Quoted, " ", out.From); got != want {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
	}
}

// FuzzComplete looks for texts that it does not survive, and for places that are none.
func FuzzComplete(f *testing.F) {
	for _, s := range []string{"entries | where a", "let f = (x:long) { x }; f(", `x | join (y | where z == "`, "))) | a-b-", "let let = ;", "|||"} {
		f.Add(s, len(s))
	}
	l := New(Options{Tables: LedgerTables(nil)})
	f.Fuzz(func(t *testing.T, text string, offset int) {
		if offset < 0 || checkText(text) != nil {
			return
		}
		if out := l.Complete(text, offset); out.From < 0 || out.From > min(offset, len(text)) {
			t.Errorf("Complete(%q, %d) begins at %d", text, offset, out.From)
		}
	})
}

// TestCompleteCall tells the function whose arguments are typed, and TestCompletePath the value
// whose members are.
func TestCompleteCall(t *testing.T) {
	l := New(Options{Tables: LedgerTables(nil)})
	for text, want := range map[string]string{
		"entries | where substring(":                     "substring",
		"entries | where substring(too":                  "substring",
		"entries | where substring(tolower(tool), ":      "substring",
		"entries | summarize dcount(":                    "dcount",
		"entries | where strcat(tool, (":                 "strcat",
		"entries | where (":                              "",
		"entries | where agent in (":                     "",
		"entries | where strlen(tool) > ":                "",
		"entries | extend a = strlen(tool) | where tool": "",
	} {
		usage := l.Complete(text, len(text)).Call
		if got, _, _ := strings.Cut(usage, "("); got != want {
			t.Errorf("%q: %q, want that of %q", text, usage, want)
		}
	}
}

func TestCompletePath(t *testing.T) {
	l := New(Options{Tables: LedgerTables(nil)})
	for text, want := range map[string]string{
		"entries | where args.":                    "args",
		"entries | where args.pa":                  "args",
		"entries | where response.data.":           "response.data",
		"entries | extend n = strlen(args.":        "args",
		"entries | where tool.":                    "",
		"entries | where nope.":                    "",
		"entries | project a = args | where a.":    "a",
		"entries | project a = args | where args.": "",
		"entries | where a[0].":                    "",
		"args.":                                    "",
	} {
		if got := l.Complete(text, len(text)).Path; got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}
