package query

import (
	"slices"
	"strings"
	"testing"
)

func TestHasAny(t *testing.T) {
	words := []string{"delete", "K8s", "api_key", "忽略", strings.Repeat("long", 9)}
	match := hasAny(words)
	for _, c := range []struct {
		text string
		want bool
	}{
		{"", false},
		{"please DELETE it", true},
		{"deleted, undelete", false},
		{"a_delete_b", true},
		{"k8S", true},
		{"\u212a8s", true}, // the Kelvin sign is a K
		{"xk8s", false},
		{"delete忽", false}, // a letter goes on
		{"é delete", true},
		{"édelete", false},
		{"my api_key.", true},
		{"api", false},
		{"忽略", true},
		{"请忽略", false},
		{strings.Repeat("long", 9) + "!", true},
		{strings.Repeat("long", 8), false},
		{"delete\xff", true},
	} {
		if got := match(c.text); got != c.want {
			t.Errorf("%q has_any %q = %v", c.text, words, got)
		}
	}
}

// One walk over a text finds what a walk for each word finds.
func FuzzHasAny(f *testing.F) {
	f.Add("ignore all rules", "rules instructions")
	f.Add("tas\u212a Task_2 ésk", "task 2 sk É é")
	f.Fuzz(func(t *testing.T, text, patterns string) {
		list := strings.Split(patterns, " ")
		want := slices.ContainsFunc(list, func(p string) bool { return matcher("has", p)(text) })
		if got := hasAny(list)(text); got != want {
			t.Errorf("%q has_any %q = %v", text, list, got)
		}
	})
}

func BenchmarkHasAny(b *testing.B) {
	text := strings.Repeat("The quick brown fox jumps over it. ", 3)[:100]
	match := hasAny(strings.Fields("ignore ignoring disregard forget override bypass instructions prompt rules policy guardrails training"))
	for b.Loop() {
		match(text)
	}
}
