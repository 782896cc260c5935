package query

import (
	"fmt"
	"strings"
	"testing"
)

func TestTable(t *testing.T) {
	fields := []Field{{"tool", String}, {"n", Long}, {"d", Dynamic}}
	rows := [][]Value{
		{StringOf("ls"), LongOf(9007199254740993), DynamicOf(`"∅"`)},
		{StringOf(""), NullOf(Long), NullOf(Dynamic)},
	}
	want := asLines(
		"┌──────┬──────────────────┬─────┐",
		"│ tool │                n │ d   │",
		"├──────┼──────────────────┼─────┤",
		"│ ls   │ 9007199254740993 │ \"∅\" │",
		"│      │                ∅ │ ∅   │",
		"└──────┴──────────────────┴─────┘",
		"(2 rows)")
	if got := formatted(t, "table", FormatOptions{}, fields, rows, false); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	got := formatted(t, "table", FormatOptions{Color: true}, fields, rows, false)
	if !strings.Contains(got, "│                \x1b[2m∅\x1b[0m │") || !strings.Contains(got, "│ \x1b[1mtool\x1b[0m │") {
		t.Errorf("with colours: %q", got)
	}
}

// TestTableTexts shows texts in a column of eight.
func TestTableTexts(t *testing.T) {
	for text, want := range map[string]string{
		"abcdefgh":        "abcdefgh",
		"abcdefghi":       "abcdefg…",
		"文字文字":            "文字文字",
		"文字文字文":           "文字文… ",
		"a文字文字":           "a文字文…",
		"e\u0301e\u0301":  "e\u0301e\u0301      ",
		"abcdefe\u0301hi": "abcdefe\u0301…",
		"👨‍👩‍👧👨‍👩‍👧":      "👨‍👩‍👧👨‍👩‍👧    ",
		"👨‍👩‍👧👨‍👩‍👧👨‍👩‍👧ab👨‍👩‍👧": "👨‍👩‍👧👨‍👩‍👧👨‍👩‍👧a…",
		"🇺🇸🇳🇴":       "🇺🇸🇳🇴    ",
		"⚔️❤️":       "⚔️❤️    ",
		"Ａ":          "Ａ      ",
		"a\u200bb":   "a\u200bb      ",
		"a\tb\nc":    "a b⏎c   ",
		"\x1b[2J":    `\x1b[2J `,
		"\u202eab":   `\u202eab`,
		"\u009b\x7f": `\x9b\x7f`,
		"\xff\u0301": `\xff` + "\u0301    ",
		"ab\r\n":     `ab\x0d⏎ `,
	} {
		fields, rows := oneText(text)
		out := formatted(t, "table", FormatOptions{Width: 12}, fields, append(rows, []Value{StringOf("12345678")}), false)
		if got := strings.Split(out, "\n")[3]; got != "│ "+want+" │" {
			t.Errorf("%q: %s, want │ %s │", text, got, want)
		}
	}
}

func TestTableOddNames(t *testing.T) {
	got := formatted(t, "table", FormatOptions{}, []Field{{"\x1b]0;x\a", Long}, {"", String}}, nil, false)
	want := asLines(`┌──────────────┬───┐`, `│ \x1b]0;x\x07 │   │`, `├──────────────┼───┤`, `└──────────────┴───┘`, "(0 rows)")
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// TestTableLater writes values wider than those of the sample.
func TestTableLater(t *testing.T) {
	fields := []Field{{"n", Long}, {"s", String}}
	var rows [][]Value
	for n := range sampleRows {
		rows = append(rows, []Value{LongOf(int64(n % 10)), StringOf("x")})
	}
	rows = append(rows,
		[]Value{LongOf(123456), StringOf("x")},
		[]Value{LongOf(1), StringOf("a longer text")},
		[]Value{LongOf(1234567), StringOf("x")})
	for width, want := range map[int]string{
		0: asLines("│ 9 │ x │", "│ 123456 │ x │", "│      1 │ a longer text │", "│ 1234567 │ x             │",
			"└─────────┴───────────────┘", "(1003 rows)"),
		20: asLines("│ 9 │ x │", "│ 123456 │ x │", "│      1 │ a long… │", "│ 12345… │ x       │",
			"└────────┴─────────┘", "(1003 rows)"),
	} {
		for _, split := range []bool{false, true} {
			got := formatted(t, "table", FormatOptions{Width: width}, fields, rows, split)
			if !strings.HasSuffix(got, want) {
				t.Errorf("width %d: got\n%s\nwant\n%s", width, got[len(got)-len(want)-20:], want)
			}
		}
	}
}

// TestTableNarrow has more columns than fit.
func TestTableNarrow(t *testing.T) {
	var fields []Field
	var row []Value
	for c := range 4 {
		fields = append(fields, Field{fmt.Sprintf("column%d", c), String})
		row = append(row, StringOf(fmt.Sprintf("value %d", c)))
	}
	rows := [][]Value{row, row}
	want := asLines("column0: value 0", "column1: value 1", "column2: value 2", "column3: value 3")
	want += "\n" + want + "\n(2 rows)\n"
	if got := formatted(t, "table", FormatOptions{Width: 36}, fields, rows, true); got != want {
		t.Errorf("width 36: got\n%s\nwant\n%s", got, want)
	}
	for width := 37; width < 50; width++ {
		got := formatted(t, "table", FormatOptions{Width: width}, fields, rows, true)
		first, _, _ := strings.Cut(got, "\n")
		if w, _ := measure([]byte(first)); w != min(width, 41) {
			t.Errorf("width %d: the table is %d wide\n%s", width, w, got)
		}
	}
	if got := formatted(t, "table", FormatOptions{Width: 3}, fields, nil, true); got != "(0 rows)\n" {
		t.Errorf("no rows, width 3: got\n%s", got)
	}
}

// TestTableHuge cuts huge values soon, and not within a cluster.
func TestTableHuge(t *testing.T) {
	for name, text := range map[string]string{
		"letters":   strings.Repeat("x", 1<<20),
		"wide":      strings.Repeat("文", 1<<20),
		"combining": "ab" + strings.Repeat("e"+strings.Repeat("\u0301", 1<<18), 3),
	} {
		fields, rows := oneText(text)
		got := formatted(t, "table", FormatOptions{Width: 40}, fields, rows, false)
		row := strings.Split(got, "\n")[3]
		if w, _ := measure([]byte(row)); w != 40 || !strings.Contains(row, "…") || strings.Contains(row, "\u0301") {
			t.Errorf("%s: %d wide: %s", name, w, row)
		}
	}
	fields, rows := oneText(strings.Repeat("x", 5000))
	got := formatted(t, "table", FormatOptions{}, fields, append(rows, []Value{StringOf("y")}), false)
	if !strings.Contains(got, strings.Repeat("x", 5000)) || !strings.Contains(got, "│ y"+strings.Repeat(" ", maxPad)+"│") {
		t.Errorf("where nothing is cut, a value is, or others are padded for it")
	}
}

func TestSqueeze(t *testing.T) {
	for _, c := range []struct {
		in   string
		room int
		want string
	}{
		{"[1 2 3]", 6, "[1 2 3]"},
		{"[100]", 6, "[6]"},
		{"[3 100 8]", 30, "[3 19 8]"},
		{"[100 3 100]", 30, "[14 3 13]"},
		{"[3 3 3]", 8, "does not fit"},
		{"[7 7]", 12, "[6 6]"},
		{"[7 7]", 11, "does not fit"},
		{"[]", -5, "[]"},
		{"[1]", -5, "does not fit"},
	} {
		var widths []int
		for f := range strings.FieldsSeq(strings.Trim(c.in, "[]")) {
			var w int
			fmt.Sscan(f, &w)
			widths = append(widths, w)
		}
		got := "does not fit"
		if squeeze(widths, c.room) {
			got = fmt.Sprint(widths)
		}
		if got != c.want {
			t.Errorf("squeeze(%s, %d): %s, want %s", c.in, c.room, got, c.want)
		}
	}
}

// TestLine shows what line does with text that acts, and colours.
func TestLine(t *testing.T) {
	fields := []Field{{"a\nb", String}, {"n", Long}}
	got := formatted(t, "line", FormatOptions{Width: 5, Color: true}, fields, [][]Value{{StringOf("\x1b[2J a\tlong\ntext"), NullOf(Long)}}, false)
	if want := asLines(`a⏎b: \x1b[2J a long⏎text`, "n: \x1b[2m∅\x1b[0m"); got != want {
		t.Errorf("got\n%q\nwant\n%q", got, want)
	}
}
