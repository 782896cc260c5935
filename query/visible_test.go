package query

import (
	"slices"
	"testing"
)

func TestVisible(t *testing.T) {
	for in, want := range map[string]string{
		"plain":                   "plain",
		"文字 é 👨‍👩‍👧":              "文字 é 👨‍👩‍👧",
		"\x1b[2J\x1b]0;x\a":       `\x1b[2J\x1b]0;x\x07`,
		"\u009b31m\x7f":           `\x9b31m\x7f`,
		"\u202egnp.exe\u2066":     `\u202egnp.exe\u2066`,
		"a\nb\tc\u2028d\u2029":    `a\x0ab\x09c\u2028d\u2029`,
		"bad \xff\xfe end \ufffd": `bad \xff\xfe end ` + "\ufffd",
	} {
		if got := Visible(in); got != want {
			t.Errorf("Visible(%q) = %s, want %s", in, got, want)
		}
	}
}

func FuzzVisible(f *testing.F) {
	for _, seed := range []string{"a", "\x1b", "\u202e", "\xff", "é"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		got := Visible(text)
		if i := slices.IndexFunc([]rune(got), acts); i >= 0 || Visible(got) != got {
			t.Errorf("Visible(%q) = %q", text, got)
		}
	})
}
