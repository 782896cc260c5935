package shell

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

func TestHistoryEscapes(t *testing.T) {
	for _, text := range []string{"print 1", "a\nb", `a\nb`, "\\", "\\\n", "\r\n", "文字 \\\\n", "tab\there", `\x`} {
		line := escapeHistory(text)
		if strings.ContainsAny(line, "\r\n") {
			t.Errorf("%q: %q is not a line", text, line)
		}
		if got := unescapeHistory(line); got != text {
			t.Errorf("%q comes back as %q", text, got)
		}
	}
}

// TestReadHistory reads around what no shell has written.
func TestReadHistory(t *testing.T) {
	long := strings.Repeat("x", 5000)
	for _, test := range []struct {
		name, text string
		want       []string
	}{
		{"empty", "", nil},
		{"no end of line", "a\nb", []string{"a", "b"}},
		{"5,000 bytes", "a\n" + long + "\nb\n", []string{"a", long, "b"}},
		{"the longest", strings.Repeat("y", longest) + "\nb\n", []string{strings.Repeat("y", longest), "b"}},
		{"too long", "a\n" + strings.Repeat("z", 1<<20) + "\nb\n", []string{"a", "b"}},
		{"too long at the end", "a\n" + strings.Repeat("z", 1<<20), []string{"a"}},
		{"not UTF-8", "a\n\xff\xfe\nb\n", []string{"a", "b"}},
		{"blank lines", "\n\na\n\n", []string{"a"}},
	} {
		path := filepath.Join(t.TempDir(), "history")
		if err := os.WriteFile(path, []byte(test.text), 0o600); err != nil {
			t.Fatal(err)
		}
		got, err := readHistory(path)
		if err != nil || !reflect.DeepEqual(got, test.want) {
			t.Errorf("%s: %d entries, %v; want %d", test.name, len(got), err, len(test.want))
		}
	}
}

// TestHistoryFile writes statements as they are called back, to a file of its user alone, and
// neither a key nor what begins with a space.
func TestHistoryFile(t *testing.T) {
	t.Setenv("TOOLLEDGER_KEY", " 00112233445566778899aabbccddeeff\n")
	t.Setenv("HISTSIZE", "")
	path := filepath.Join(t.TempDir(), "new", "history")
	s, _, said := testShell(t, Config{History: path})
	in := &scripted{lines: []any{"print 1 // one", "| extend x = '//'", ";", " print 2;", "print '00112233445566778899aabbccddeeff';", ".timer off", "print '" + strings.Repeat("x", longest) + "';"}}
	if err := s.Interact(in); err != nil {
		t.Fatal(err)
	}
	want := []string{"print 1 | extend x = '//' ;", ".timer off"}
	got, err := readHistory(path)
	if err != nil || !reflect.DeepEqual(got, want) || !reflect.DeepEqual(in.remembered, want) {
		t.Errorf("%q, %v, remembered %q, want %q", got, err, in.remembered, want)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v, want 0600", info.Mode(), err)
	}
	if said.String() != "\n" {
		t.Errorf("said %q", said)
	}
	next, _, _ := testShell(t, Config{History: path})
	again := &scripted{}
	if err := next.Interact(again); err != nil || !reflect.DeepEqual(again.remembered, want) {
		t.Errorf("the next shell has %q, %v, want %q", again.remembered, err, want)
	}
}

func TestHistoryIsCut(t *testing.T) {
	t.Setenv("HISTSIZE", "3")
	for lines, want := range map[string]string{
		"a\nb\n":                   "a\nb\n",
		"a\nb\nc\nd\n":             "a\nb\nc\nd\n", // cut only once it is twice as long
		"a\nb\nc\nd\ne\nf\ng\n":    "e\nf\ng\n",
		"a\nb\nc\nd\ne\nf\n\xff\n": "a\nb\nc\nd\ne\nf\n\xff\n",
	} {
		path := filepath.Join(t.TempDir(), "history")
		if err := os.WriteFile(path, []byte(lines), 0o600); err != nil {
			t.Fatal(err)
		}
		s, _, _ := testShell(t, Config{History: path})
		in := &scripted{}
		if err := s.Interact(in); err != nil {
			t.Fatal(err)
		}
		if got, _ := os.ReadFile(path); string(got) != want || len(in.remembered) > 3 {
			t.Errorf("%q: the file is %q, want %q; %q are remembered", lines, got, want, in.remembered)
		}
		if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%v, %v, want 0600", info.Mode(), err)
		}
	}
}

// TestNoHistory goes on where no history can be kept, and says so once.
func TestNoHistory(t *testing.T) {
	s, out, said := testShell(t, Config{History: filepath.Join(t.TempDir(), "a\x00b")})
	if err := s.Interact(&scripted{lines: []any{"print 1;", "print 2;"}}); err != nil {
		t.Fatal(err)
	}
	if strings.Count(said.String(), "warning: no history") != 1 || !strings.Contains(out.String(), "2") {
		t.Errorf("said %q, out %q", said, out)
	}
}
