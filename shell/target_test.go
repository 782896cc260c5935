package shell

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestFormatOfFile(t *testing.T) {
	for name, want := range map[string]string{
		"a.csv": "csv", "A.CSV": "csv", "a.tsv": "tsv", "a.json": "json", "a.jsonl": "jsonl", "a.ndjson": "jsonl",
		"a.md": "markdown", "a.markdown": "markdown", "a.txt": "", "csv": "", "a.csv.gz": "", "dir.csv/a": "", "": "",
	} {
		if got := formatOfFile(name); got != want {
			t.Errorf("formatOfFile(%q) = %q, want %q", name, got, want)
		}
	}
}

// TestTargets sends results to files and commands. Files are named without their folder.
func TestTargets(t *testing.T) {
	for _, test := range []struct {
		name, script, out string
		files             map[string]string
		err               string
	}{
		{"once", ".once a.csv\nprint 1\n.timer off\nprint 2", "{\"print_0\":2}\n", map[string]string{"a.csv": "print_0\n1\n"}, ""},
		{"once, two results", ".once a.csv\nprint 1; print 2", "{\"print_0\":2}\n", map[string]string{"a.csv": "print_0\n1\n"}, ""},
		{"output appends", ".output a.csv\nprint 1; print x = 2\n.output\nprint 3", "{\"print_0\":3}\n", map[string]string{"a.csv": "print_0\n1\nx\n2\n"}, ""},
		{"output anew", ".output a.csv\nprint 1\n.output a.csv\nprint 2", "", map[string]string{"a.csv": "print_0\n2\n"}, ""},
		{"the ending goes before the format", ".format csv\n.output a.json\nprint 1\n.output a.txt\nprint 1", "", map[string]string{"a.json": "[\n{\"print_0\":1}\n]\n", "a.txt": "print_0\n1\n"}, ""},
		{"no colours in a file", ".format line\n.once a.txt\nprint 'DENIED'", "", map[string]string{"a.txt": "print_0: DENIED\n"}, ""},
		{"colours as asked for", ".format line\nprint 'DENIED'", "print_0: \x1b[31mDENIED\x1b[0m\n", nil, ""},
		{"a name in quotes", ".once 'a b.csv'\nprint 1", "", map[string]string{"a b.csv": "print_0\n1\n"}, ""},
		{"what is shown", ".once a.txt\n.help quit", "", map[string]string{"a.txt": ".quit [STATUS]\n    ends the shell, with an exit status\n    Also: .exit, .q\n"}, ""},
		{"a command", ".once |cat -n\nprint 1", "     1\t{\"print_0\":1}\n", nil, ""},
		{"a command for all", ".output |cat\nprint 1; print 2", "{\"print_0\":1}\n{\"print_0\":2}\n", nil, ""},
		{"one that reads a line", ".once |head -1\nrange x from 1 to 1000000 step 1", "{\"x\":1}\n", nil, ""},
		{"one that reads a line of a result that says no more", ".once |head -1\nrange x from 1 to 100000000000 step 1 | where x % 100000000000 == 1", "{\"x\":1}\n", nil, ""},
		{"one that fails", ".once |false\nrange x from 1 to 1000000 step 1", "", nil, "false: exit status 1"},
		{"one that fails at the end", ".once |cat >/dev/null; false\nprint 1", "", nil, "cat >/dev/null; false: exit status 1"},
		{"no such folder", ".once none/a.csv\nprint 1", "", nil, "cannot write the result: open none/a.csv: no such file or directory"},
		{"no file", ".once", "", nil, "expected .once FILE | |COMMAND"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Chdir(t.TempDir())
			s, out, _ := testShell(t, Config{Settings: Settings{Color: test.name != "once"}})
			err := s.Script(t.Context(), strings.NewReader(test.script), "")
			if test.err == "" && err != nil || test.err != "" && (err == nil || err.Error() != test.err) {
				t.Errorf("%v, want %q", err, test.err)
			}
			if out.String() != test.out {
				t.Errorf("out %q, want %q", out, test.out)
			}
			for name, want := range test.files {
				if got, err := os.ReadFile(name); string(got) != want {
					t.Errorf("%s has %q, %v, want %q", name, got, err, want)
				}
			}
		})
	}
}

// TestSafe forbids every command that writes, runs a program or names a file.
func TestSafe(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, line := range []string{".once a.csv", ".output a.csv", ".once |touch a", ".read a.kql", ".edit", ".edit a", ".pager touch a"} {
		s, _, _ := testShell(t, Config{Safe: true})
		if err := s.Script(t.Context(), strings.NewReader(line+"\nprint 1"), ""); err == nil || !strings.Contains(err.Error(), "--safe forbids it") {
			t.Errorf("%s: %v", line, err)
		}
	}
	if left, _ := filepath.Glob("*"); len(left) > 0 {
		t.Errorf("there are %q", left)
	}
}

// TestPager shows what is taller than a screen of 6 lines through a pager, and the rest as it is.
func TestPager(t *testing.T) {
	for _, test := range []struct {
		name, pager, query, want, said string
	}{
		{"not that tall", "sed s/^/P/", "print 1", "1\n", ""},
		{"taller", "sed s/^/P/", "range x from 1 to 7 step 1", "P1\nP2\nP3\nP4\nP5\nP6\nP7\n", ""},
		{"off", "", "range x from 1 to 7 step 1", "1\n2\n3\n4\n5\n6\n7\n", ""},
		{"left half-way", "head -1", "range x from 1 to 100000000 step 1", "1\n", ""},
		{"left before the query says more", "head -1", "range x from 1 to 100000000000 step 1 | where x <= 2000", "1\n", ""},
		{"left at once", "false", "range x from 1 to 100000000 step 1", "", ""},
		{"the next result is shown", "head -1", "range x from 1 to 100000000 step 1; print 2", "1\n2\n", ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			s, out, said := testShell(t, Config{Terminal: true, Size: func() (int, int) { return 80, 6 }, Settings: Settings{Pager: test.pager, Format: "raw"}})
			if err := s.Script(t.Context(), strings.NewReader(test.query), ""); err != nil {
				t.Error(err)
			}
			if out.String() != test.want || said.String() != test.said {
				t.Errorf("out %q, said %q, want %q, %q", out, said, test.want, test.said)
			}
			if s.interrupts.ignored {
				t.Error("interrupts are ignored behind it")
			}
		})
	}
}

// TestNoPager scrolls where no pager can be started.
func TestNoPager(t *testing.T) {
	s := New(Config{Terminal: true, Size: func() (int, int) { return 80, 6 }, Settings: Settings{Pager: "a\x00b"}})
	var out, said bytes.Buffer
	s.Out, s.Err = &out, &said
	w := s.pager(func() {})
	for range 10 {
		if _, err := w.Write([]byte("a\n")); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.close(nil); err != nil || out.String() != strings.Repeat("a\n", 10) || strings.Count(said.String(), "warning: no pager") != 1 {
		t.Errorf("%v, out %q, said %q", err, &out, &said)
	}
}
