package shell

import (
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"toolledger/query"
)

// A small is a ledger that has one table of agents.
type small struct{ none }

func (small) Language(opt query.Options, safe bool) (*query.Language, func(), error) {
	opt.Before += "let entries = datatable(agent:string, tool:string, args:dynamic)['a1','ls',dynamic({'path':{'size':1},'p q':2}), 'a2','cat',dynamic({'page':3}), 'b\x1b[2J\"','ls',dynamic(null)];\n"
	return query.New(opt), func() {}, nil
}

func TestComplete(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, name := range []string{"one.kql", "two words.kql", "o[x]", "\x1b.kql"} {
		if err := os.WriteFile(name, nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir("odd", 0o700); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		name, pending, before string
		from                  int
		want                  []string // all of them, in order
	}{
		{"commands", "", ".ti", 1, []string{"timer"}},
		{"behind a space", "", "  .ti", 3, []string{"timer"}},
		{"values", "", ".timer o", 7, []string{"off", "on"}},
		{"formats", "", ".mode js", 6, []string{"json", "jsonl"}},
		{"no values", "", ".width ", 7, nil},
		{"files", "", ".read o", 6, []string{"o[x]", "odd/", "one.kql"}},
		{"a file with a bracket", "", ".read o[", 6, []string{"o[x]"}},
		{"no such command", "", ".nope x", 7, nil},
		{"help", "", ".help mv-exp", 6, []string{"mv-expand"}},
		{"explain", "", ".explain print 1 | tak", 19, []string{"take"}},
		{"an operator", "", "entries | mv-exp", 10, []string{"mv-expand"}},
		{"a column at that stage", "", "entries | project agent | where a", 32, nil}, // looked at below
		{"a line behind", "entries", "| mv-exp", 2, []string{"mv-expand"}},
		{"a dot within a statement", "entries", ".ti", 1, nil},
		{"values of a column", "", `entries | where agent == "a`, 26, []string{`a1"`, `a2"`}},
		{"values that act on a terminal", "", `entries | where agent == "b`, 26, []string{`b\u001b[2J\""`}},
		{"values alone where nothing is typed", "", `entries | where tool == `, 24, []string{`"cat"`, `"ls"`}},
		{"members", "", "entries | where args.pa", 21, []string{"page", "path"}},
		{"members of a member", "", "entries | where args.path.", 26, []string{"size"}},
		{"members of what is no column of the ledger", "", "entries | project a = args | where a.", 37, nil},
		{"values behind a list", "", `entries | where tool in ("ls", "c`, 32, []string{`cat"`}},
	} {
		s := New(Config{Ledger: small{}})
		s.readAhead()
		s.pending = test.pending
		from, list := s.complete(test.before)
		s.stopReading()
		if strings.HasPrefix(test.name, "a column") {
			if len(list) == 0 || list[0] != "agent" || from != test.from {
				t.Errorf("%s: from %d, %q", test.name, from, list)
			}
			for _, text := range list {
				if text == "tool" {
					t.Errorf("%s: tool is none there", test.name)
				}
			}
			continue
		}
		if len(list) == 0 {
			list = nil
		}
		if test.name == "a dot within a statement" {
			from = test.from // nothing to hold it against
		}
		if from != test.from || !reflect.DeepEqual(list, test.want) {
			t.Errorf("%s: from %d, %q, want %d, %q", test.name, from, list, test.from, test.want)
		}
	}
}

// TestCompleteNothing offers columns and words where nothing is typed, without the hundreds of
// functions; in the brackets of one, what its arguments are.
func TestCompleteNothing(t *testing.T) {
	s := New(Config{Ledger: small{}})
	for _, test := range []struct {
		before  string
		want    []string
		without string
	}{
		{"entries | where ", []string{"agent", "tool", "args"}, "strlen"},
		{"entries | where s", []string{"strlen"}, "agent"},
		{"entries | where strlen(", []string{"agent", "strlen(text)", ""}, "strlen"},
		{"print substring(", []string{"substring(text, start [, length])", ""}, "agent"},
	} {
		_, list := s.complete(test.before)
		for _, want := range test.want {
			if !slices.Contains(list, want) {
				t.Errorf("%q offers %q, without %q", test.before, list, want)
			}
		}
		if slices.Contains(list, test.without) {
			t.Errorf("%q offers %q", test.before, test.without)
		}
	}
}

// TestCompleteSafe offers nothing that is forbidden.
func TestCompleteSafe(t *testing.T) {
	s := New(Config{Ledger: small{}, Safe: true})
	if _, list := s.complete(".o"); len(list) > 0 {
		t.Errorf("offers %q", list)
	}
	if _, list := s.complete(".read "); len(list) > 0 {
		t.Errorf("offers files: %q", list)
	}
}

// TestCompletePasted goes over every front of a text: none may panic, and what is completed
// stands in what is typed.
func TestCompletePasted(t *testing.T) {
	const text = "entries | where agent in (\"a1\", '文字') and tool !has \"x\\\"\" // c\n| summarize n = count(), take_any(tool) by bin(1, 2h) | .help \x1b\xff ```a"
	for i := range len(text) + 1 {
		s := New(Config{Ledger: small{}})
		if at := strings.LastIndexByte(text[:i], '\n'); at >= 0 {
			s.pending = text[:at]
		}
		before := text[:i]
		if s.pending != "" {
			before = before[len(s.pending)+1:]
		}
		from, list := s.complete(before)
		if from < 0 || from > len(before) {
			t.Fatalf("%q: from %d", before, from)
		}
		for _, c := range list {
			if !strings.HasPrefix(c, before[from:]) || query.Visible(c) != c {
				t.Errorf("%q: from %d, %q", before, from, c)
			}
		}
	}
}
