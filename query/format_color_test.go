package query

import (
	"strings"
	"testing"
)

// TestMeanings holds each colour against its word in both formats for people: only in colour,
// only where the word is the whole of a text, and the word stays.
func TestMeanings(t *testing.T) {
	for _, test := range []struct {
		name  string
		value Value
		want  string
	}{
		{"verdict", StringOf("DENIED"), "\x1b[31mDENIED\x1b[0m"},
		{"phase", StringOf("ERROR"), "\x1b[31mERROR\x1b[0m"},
		{"status", StringOf("broken"), "\x1b[31mbroken\x1b[0m"},
		{"intact", StringOf("intact"), "\x1b[32mintact\x1b[0m"},
		{"null", NullOf(Long), "\x1b[2m∅\x1b[0m"},
		{"other case", StringOf("denied"), "denied"},
		{"a word of several", StringOf("ERROR 5"), "ERROR 5"},
		{"a dynamic", DynamicOf(`"DENIED"`), `"DENIED"`},
		{"escape", StringOf("\x1b[31mDENIED"), `\x1b[31mDENIED`},
	} {
		t.Run(test.name, func(t *testing.T) {
			fields, rows := []Field{{"x", test.value.Kind}}, [][]Value{{test.value}}
			plain := strings.NewReplacer("\x1b[31m", "", "\x1b[32m", "", "\x1b[2m", "", "\x1b[1m", "", "\x1b[0m", "")
			for _, format := range []string{"table", "line"} {
				got := formatted(t, format, FormatOptions{Color: true}, fields, rows, false)
				if !strings.Contains(got, " "+test.want+" ") && !strings.Contains(got, ": "+test.want+"\n") {
					t.Errorf("%s in colour: %q, want %q in it", format, got, test.want)
				}
				without := formatted(t, format, FormatOptions{}, fields, rows, false)
				if plain.Replace(got) != without {
					t.Errorf("%s: %q, in colour %q", format, without, got)
				}
			}
		})
	}
}
