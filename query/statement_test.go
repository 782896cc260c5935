package query

import (
	"testing"
)

func TestEnded(t *testing.T) {
	for _, c := range []struct {
		text  string
		ended bool
		open  string
	}{
		{"", false, ""},
		{"entries", false, ""},
		{"entries;", true, ""},
		{"entries ; // and why", true, ""},
		{"entries // not here;", false, ""},
		{"entries // not here;\n;", true, ""},
		{`print ";"`, false, ""},
		{`print ";";`, true, ""},
		{`print "a\";`, false, `"`},
		{`print @"a\";`, true, ""},
		{`print 'a`, false, "'"},
		{"print ```a;\nb", false, "```"},
		{"print ```a;\nb```;", true, ""},
		{"print ~~~a;", false, "~~~"},
		{"entries | where (a == 1;", false, "("},
		{"entries | where (a in [1;", false, "["},
		{"let f = (x:long) { x + 1;", false, "{"},
		{"let f = (x:long) { x + 1 };", true, ""},
		{"print 1); print 2;", true, ""},
		{"print 1; print 2", false, ""},
	} {
		if ended, open := Ended(c.text); ended != c.ended || open != c.open {
			t.Errorf("Ended(%q) = %v, %q, want %v, %q", c.text, ended, open, c.ended, c.open)
		}
	}
}

func TestOneLine(t *testing.T) {
	for text, want := range map[string]string{
		"":                                     "",
		"entries\n| take 1;":                   "entries | take 1;",
		"entries // all\n  | take 1 // one\n;": "entries | take 1 ;",
		"// why\nprint 1":                      "print 1",
		`print "a // b"  ,  'c  d'`:            `print "a // b" , 'c  d'`,
		"print ```a\n// b```\n;":               "print ```a\n// b``` ;",
		"print \"a // b\n| c":                  "print \"a // b | c",
	} {
		if got := OneLine(text); got != want {
			t.Errorf("OneLine(%q) = %q, want %q", text, got, want)
		}
	}
}

func FuzzOneLine(f *testing.F) {
	for _, s := range []string{"entries // x\n| take 1", "print ```a\nb``` // c", `print "a" 'b' @"c\" // d`} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if checkText(text) != nil {
			return
		}
		// What parses means the same in one line.
		before, err := parse(text)
		if err != nil {
			return
		}
		line := OneLine(text)
		after, err := parse(line)
		if err != nil || len(after.statements) != len(before.statements) {
			t.Fatalf("%q is %q in one line, which does not parse: %v", text, line, err)
		}
		for i, s := range before.statements {
			if s.query != nil && s.query.String() != after.statements[i].query.String() {
				t.Fatalf("%q is %q in one line: %s, not %s", text, line, after.statements[i].query, s.query)
			}
		}
	})
}
