package query

import (
	"strings"
	"testing"
)

func TestMatch(t *testing.T) {
	for _, c := range []struct {
		op, pattern string
		yes, no     []string
	}{
		{"has", "co", []string{"co-op", "co op", "CO-OP", "a_co_b"}, []string{"coop", "", "xco"}},
		{"has_cs", "co", []string{"co-op"}, []string{"CO-OP", "coop"}},
		{"has", "bar", []string{"foo.bar", "foo/bar", `foo\bar`}, []string{"foobar"}},
		{"has", "2.3", []string{"version=1.2.3", "2.3"}, []string{"12.3", "2.34", "2,3"}},
		{"has", " ", []string{"a b"}, []string{"a\tb", "aaa\u200bbbb", "ab"}},
		{"has", "", []string{"", "x"}, nil},
		{"has", "привет", []string{"Привет Мир", "МИР привет"}, []string{"ПриветМир"}},
		{"has_cs", "ПРИВЕТ", []string{"ПРИВЕТ"}, []string{"Привет Мир"}},
		{"has", "café", []string{"I like CAFÉ au lait"}, []string{"cafés", "cafe\u0301"}},
		{"has", "caf", []string{"caf e"}, []string{"café"}},
		{"has", "term", []string{"xterm term", "termterm, TERM", "éterm-term"}, []string{"termterm", "éterm"}},
		{"has", "task", []string{"tas\u212a", "TA\u017fK!"}, []string{"tas\u212as"}},
		{"hasprefix", "cat", []string{"category", "cats", "a CAT", "cat"}, []string{"scatter"}},
		{"hasprefix_cs", "cat", []string{"a cat"}, []string{"Category"}},
		{"hassuffix", "end", []string{"end.", "end ", "end", "the END", "bend"}, []string{"ending"}},
		{"hassuffix_cs", "end", []string{"bend it"}, []string{"END"}},
		{"hassuffix", "", []string{"", "x"}, nil},
		{"contains", "MIDDLE", []string{"a middle b", "Middle"}, []string{"midle", ""}},
		{"contains", "😀", []string{"emoji😀here"}, []string{"emoji"}},
		{"contains", "忽略 2", []string{"请忽略 2 条", "忽略 2"}, []string{"忽略2", "略 2", ""}},
		{"contains", "\ufffd", []string{"a\xffb", "a\ufffdb"}, []string{"a忽b", ""}},
		{"contains", "4\xff", []string{"4\ufffd", "4\xfe"}, []string{"4忽"}},
		{"has", "忽略", []string{"a 忽略"}, []string{"请忽略", "忽略x"}},
		{"startswith", "忽略", []string{"忽略x"}, []string{"请忽略", "忽"}},
		{"endswith", "略1", []string{"忽略1"}, []string{"忽略12", "1"}},
		{"contains", "É", []string{"café"}, []string{"cafe"}},
		{"contains", "k", []string{"300 \u212a"}, []string{"x"}},
		{"contains_cs", "RED", []string{"RED green"}, []string{"red"}},
		{"startswith", "ab", []string{"ABc"}, []string{"b", "xab"}},
		{"startswith", "éa", []string{"ÉA"}, []string{"ea"}},
		{"startswith_cs", "ab", []string{"abc"}, []string{"ABc"}},
		{"endswith", "bc", []string{"aBC"}, []string{"c", "bcd"}},
		{"endswith", "é", []string{"CAFÉ"}, []string{"cafe", ""}},
		{"endswith_cs", "bc", []string{"abc"}, []string{"aBC"}},
		{"=~", "straße", []string{"Straße", "STRA\u1e9eE"}, []string{"strasse", "STRASSE"}},
		{"=~", "full", []string{"FULL"}, []string{"ＦＵＬＬ", ""}},
	} {
		match := matcher(c.op, c.pattern)
		for _, text := range c.yes {
			if !match(text) {
				t.Errorf("%q %s %q is false", text, c.op, c.pattern)
			}
		}
		for _, text := range c.no {
			if match(text) {
				t.Errorf("%q %s %q is true", text, c.op, c.pattern)
			}
		}
	}
	if matcher("has_all", "x") != nil {
		t.Error("there is no such operator here")
	}
}

// The fast path finds what the slow one finds.
func FuzzMatch(f *testing.F) {
	f.Add("The Quick brown\u212a fox", "QUICK")
	f.Add("tasK tas\u212a", "task")
	f.Fuzz(func(t *testing.T, text, pattern string) {
		runes := foldRunes(pattern)
		if pattern == "" || strings.ContainsRune(pattern, '\ufffd') || strings.ContainsRune(text, '\ufffd') ||
			strings.ToValidUTF8(text+pattern, "") != text+pattern {
			return
		}
		want := strings.Contains(string(foldRunes(text)), string(runes))
		if got := matcher("contains", pattern)(text); got != want {
			t.Errorf("%q contains %q = %v", text, pattern, got)
		}
		want = strings.HasSuffix(string(foldRunes(text)), string(runes))
		if got := matcher("endswith", pattern)(text); got != want {
			t.Errorf("%q endswith %q = %v", text, pattern, got)
		}
	})
}

func BenchmarkHas(b *testing.B) {
	text := strings.Repeat("The quick brown fox jumps over it. ", 3)[:100]
	for _, pattern := range []string{"password", "the", "jump", "over"} {
		match := matcher("has", pattern)
		b.Run(pattern, func(b *testing.B) {
			for b.Loop() {
				match(text)
			}
		})
	}
}
