package shell

import (
	"bytes"
	"strings"
	"testing"
)

// TestVisibleWriter writes texts byte by byte and whole.
func TestVisibleWriter(t *testing.T) {
	const text = "a\tb\r\nls\x1b[2J\u202e文é\u009b\xff\n\n"
	const want = "a\tb\\x0d\nls\\x1b[2J\\u202e文é\\x9b\\xff\n\n"
	for _, size := range []int{1, 2, 3, len(text)} {
		var out bytes.Buffer
		v := &visibleWriter{w: &out}
		for from := 0; from < len(text); from += size {
			part := text[from:min(from+size, len(text))]
			if n, err := v.Write([]byte(part)); n != len(part) || err != nil {
				t.Fatal(n, err)
			}
		}
		if out.String() != want {
			t.Errorf("%d at a time: %q, want %q", size, &out, want)
		}
	}
}

// TestDataOnTerminal shows escapes in csv and tsv to a person, and keeps them for a program.
func TestDataOnTerminal(t *testing.T) {
	for _, terminal := range []bool{true, false} {
		for _, format := range []string{"csv", "tsv"} {
			s, out, _ := testShell(t, Config{Terminal: terminal, Settings: Settings{Format: format}})
			if err := s.Script(t.Context(), strings.NewReader(`print a = "ls\x1b[2J"`), ""); err != nil {
				t.Fatal(err)
			}
			if strings.Contains(out.String(), "\x1b") == terminal {
				t.Errorf("%s, terminal %v: %q", format, terminal, out)
			}
		}
	}
}
