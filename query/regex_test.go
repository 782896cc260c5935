package query

import (
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"
)

func TestRegexMatches(t *testing.T) {
	for _, c := range []struct {
		pattern, text string
		want          bool
	}{
		{`^\d+$`, "１２3", true},
		{`^[\d.]+$`, "１.2", true},
		{`\D`, "１2", false},
		{`^[\D]$`, "x", true},
		{`^\s$`, "\u00a0", true},
		{`^\s$`, "\u0085", true},
		{`^\s$`, "\u200b", false},
		{`^[^\s]$`, "\u3000", false},
		{`^[\S]$`, "\u3000", false},
		{`^[\S]$`, "x", true},
		{`^\w+$`, "café_Привет9", true},
		{`^\W$`, "é", false},
		{`^[\W]$`, "é", false},
		{`^[\W_]$`, "_", true},
		{`^[\w-.]+$`, "a-b.c", true},
		{`^[\s-a]+$`, " -a", true},
		{`^[^\w]+$`, "-  // $", true},
		{`^[[:alpha:]]+$`, "é", false},
		{`^[]a]+$`, "a]", true},
		{`\bпривет\b`, "да привет.", true},
		{`\bпривет\b`, "дапривет.", false},
		{`\bfoo\b`, "éfoo", false},
		{`\bfoo\b`, "é foo", true},
		{`\Bfoo`, "éfoo", true},
		{`(?i)ПРИВЕТ`, "привет", true},
		{`(?i)\bÉTÉ$`, "un été", true},
		{`\u0041\U{42}\u{43}\U00000044`, "ABCD", true},
		{`a{2}\{`, "aa{", true},
		{`\p{Letter}\pL\p{Greek}`, "aéλ", true},
		{`(?P<a>x)(?<b>y)`, "xy", true},
		{`a.c`, "a\nc", false},
		{`(?s)a.c`, "a\nc", true},
		{`a$`, "a\n", false},
		{`(?m)a$`, "a\nb", true},
		{`"\/\-\_`, `"/-_`, true},
	} {
		re, err := newRegex(c.pattern)
		if err != nil {
			t.Errorf("%q: %v", c.pattern, err)
		} else if got := re.MatchString(c.text); got != c.want {
			t.Errorf("%q matches regex %q = %v", c.text, c.pattern, got)
		}
	}
}

func TestRegexRefused(t *testing.T) {
	for pattern, want := range map[string]string{
		`(?=a)`: "no look-around", `(?!a)`: "no look-around", `(?<=a)b`: "no look-around", `(?<!a)b`: "no look-around",
		`(a)\1`: "not supported here", `(?P<n>a)(?P=n)`: "no back-references", `\k<n>`: "no back-references",
		`[a[b]]`: "not supported here", `[a-z&&[^b]]`: "not supported here", `[0-9--4]`: "not supported here",
		`(?x) a`: "not supported here", `(?i-u:a)`: "not supported here", `\<a`: "not supported here", `\b{start}a`: "not supported here",
		`a{2000}`: "not supported here", `a**`: "not supported here", `\p{Alphabetic}`: "not supported here",
		`{a`: `\{`, `a{,3}`: `\{`, `\Qa\E`: `\Q`, `\é`: `\é`, `a\`: "at the end", `(a`: "missing closing", `[a`: "missing", `*`: "missing argument", `[z-a]`: "invalid", `\uZZ`: "code of a character",
	} {
		_, err := newRegex(pattern)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: got %v, want %q", pattern, err, want)
		}
	}
}

func TestWordClass(t *testing.T) {
	class := map[string]*regexp.Regexp{}
	for name, expr := range map[string]string{"w": perlClass('w', false), "W": "[" + perlClass('W', true) + "]", "s": perlClass('s', false), "S": "[" + perlClass('S', true) + "]"} {
		class[name] = regexp.MustCompile("^" + expr + "$")
	}
	for r := rune(0); r <= 0x20000; r++ {
		if r >= 0xD800 && r < 0xE000 {
			continue
		}
		s := string(r)
		if w := isWordRune(r); class["w"].MatchString(s) != w || class["W"].MatchString(s) == w {
			t.Fatalf("%U is taken for a word rune in one way only", r)
		}
		if is := unicode.IsSpace(r); class["s"].MatchString(s) != is || class["S"].MatchString(s) == is {
			t.Fatalf("%U is taken for a space in one way only", r)
		}
	}
}

// The two ways to run an expression find the same in ASCII.
func TestBacktracker(t *testing.T) {
	texts := []string{"", "foo bar", "aaa", "abcabc", " a b ", "x1y22z333", "foofoo"}
	for _, pattern := range []string{`\b`, `\B`, `\b\w`, `\b(\w)(\w*)\b`, `(a|ab)(c|bcd)?\b`, `\b.*?\b`, `(\B[a-z])*`, `^\bfoo|bar\b$`, `(\w\b)?`, `a*\b`} {
		re, err := newRegex(pattern)
		if err != nil {
			t.Fatal(err)
		}
		for _, text := range texts {
			want := re.re.FindAllStringSubmatchIndex(text, -1)
			if got := re.runAll(text); !slices.EqualFunc(got, want, slices.Equal[[]int]) {
				t.Errorf("%q in %q: got %v, want %v", pattern, text, got, want)
			}
		}
	}
	re, _ := newRegex(`\b(\w+)\b`)
	text := "café au lait"
	var words []string
	for _, m := range re.findAll(text) {
		words = append(words, text[m[2]:m[3]])
	}
	if got := strings.Join(words, "|"); got != "café|au|lait" {
		t.Errorf("got %s", got)
	}
}

func TestRegexCache(t *testing.T) {
	for i := range 2 * regexCacheSize {
		if _, err := newRegex(strings.Repeat("a", i)); err != nil {
			t.Fatal(err)
		}
	}
	a, _ := newRegex("same")
	b, _ := newRegex("same")
	if a != b || len(regexCache.m) > regexCacheSize {
		t.Error("not kept, or too many")
	}
}
