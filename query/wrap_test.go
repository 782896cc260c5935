package query

import (
	"math/rand/v2"
	"strings"
	"testing"
)

func TestWrapText(t *testing.T) {
	for _, c := range []struct {
		text  string
		width int
		want  string
	}{
		{"", 5, ""},
		{"one two three", 7, "one two|three"},
		{"one  two", 8, "one  two"},
		{"one   two", 6, "one|two"},
		{"abcdefghij", 4, "abcd|efgh|ij"},
		{"a\nb", 9, "a|b"},
		{"a\n\nb\n", 9, "a||b"},
		{"删除缓存文件", 5, "删除|缓存|文件"},
		{"删 x", 2, "删|x"},
		{"日志。完", 4, "日|志。|完"}, // no line begins with 。
		{"👨‍👩‍👧👨‍👩‍👧", 2, "👨‍👩‍👧|👨‍👩‍👧"},
		{"wide 語", 1, "w|i|d|e|語"},
		{"  in", 4, "  in"},
	} {
		var got []string
		for _, l := range WrapText(c.text, c.width) {
			got = append(got, c.text[l.From:l.To])
		}
		if got := strings.Join(got, "|"); got != c.want {
			t.Errorf("%q in %d is %q, want %q", c.text, c.width, got, c.want)
		}
	}
}

// TestWrapTextKeeps wraps texts of all kinds of pieces: no line is too wide but one of a single
// wide character, and nothing but spaces and newlines is lost.
func TestWrapTextKeeps(t *testing.T) {
	pieces := []string{"a", "word", " ", "  ", "\n", "語", "。", "é", "🚀", "👨‍👩‍👧", "-", "/srv/x"}
	rnd := rand.New(rand.NewPCG(1, 2))
	for range 5000 {
		var b strings.Builder
		for range rnd.IntN(12) {
			b.WriteString(pieces[rnd.IntN(len(pieces))])
		}
		text, width := b.String(), 2+rnd.IntN(12)
		at := 0
		for _, l := range WrapText(text, width) {
			if l.From < at || strings.Trim(text[at:l.From], " \n") != "" || TextWidth(text[l.From:l.To]) > width {
				t.Fatalf("%q in %d: line %v %q", text, width, l, text[l.From:l.To])
			}
			at = l.To
		}
		if strings.Trim(text[at:], " \n") != "" {
			t.Fatalf("%q in %d lacks %q", text, width, text[at:])
		}
	}
}
