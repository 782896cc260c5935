package query

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"io"
	"math"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"
)

// fuzzResult is a result of what a fuzzer thought of: a row of values, one of nulls.
func fuzzResult(name, text string, n int64, f float64) ([]Field, [][]Value) {
	quoted, _ := json.Marshal(text) // a dynamic is UTF-8
	number := strconv.FormatInt(n, 10) + "e400"
	dynamic := `{"` + "\u202e" + `":[` + string(quoted) + `,` + number + `]}`
	fields := []Field{{name, String}, {name, Long}, {"f", Real}, {"d", Dynamic}}
	nulls := []Value{StringOf(""), NullOf(Long), NullOf(Real), NullOf(Dynamic)}
	return fields, [][]Value{{StringOf(text), LongOf(n), RealOf(f), DynamicOf(dynamic)}, nulls}
}

// seedFormats adds what is known to be hard.
func seedFormats(f *testing.F) {
	for _, text := range []string{
		"", "plain", "文字 é 👨‍👩‍👧 🇺🇸 ⚔️ Ａ\u200b\t\n", "\x1b[2J\x1b]0;PWNED\a", "\u202egnp.exe", "\u009b31m\x7f\u2028",
		`=HYPERLINK("http://x","y")`, "\r\n", `\N`, `a\|b`, "bad \xff\xe2\x82", "\x00", "'", "<br>", "NaN",
	} {
		f.Add("tool", text, int64(9007199254740993), 0.1, 40)
		f.Add(text, "x", int64(math.MinInt64), math.Inf(-1), 0)
	}
}

func FuzzFormatJSON(f *testing.F) {
	seedFormats(f)
	f.Fuzz(func(t *testing.T, name, text string, n int64, x float64, _ int) {
		fields, rows := fuzzResult(name, text, n, x)
		out := formatted(t, "json", FormatOptions{}, fields, rows, true)
		if i := strings.IndexFunc(strings.ReplaceAll(out, "\n", ""), acts); i >= 0 {
			t.Errorf("a character that acts: %q", out)
		}
		var got []map[string]json.RawMessage
		if err := json.Unmarshal([]byte(out), &got); err != nil || len(got) != 2 {
			t.Fatalf("%d rows, error %v: %q", len(got), err, out)
		}
		jsonl := formatted(t, "jsonl", FormatOptions{}, fields, rows, true)
		if want := "[\n" + strings.Replace(strings.TrimSuffix(jsonl, "\n"), "\n", ",\n", 1) + "\n]\n"; out != want {
			t.Errorf("jsonl and json differ: %q, %q", jsonl, out)
		}
		checkJSON(t, got[0], memberNames(fields), rows[0])
	})
}

// checkJSON compares a row with the values that it was made of.
func checkJSON(t *testing.T, got map[string]json.RawMessage, names []string, row []Value) {
	if len(got) != len(names) {
		t.Fatalf("%d members of %q", len(got), names)
	}
	member := func(c int, v any) string {
		raw := got[names[c]]
		if err := json.Unmarshal(raw, v); err != nil {
			t.Errorf("%s: %v", names[c], err)
		}
		return string(raw)
	}
	var text string
	if member(0, &text); text != strings.ToValidUTF8(row[0].S, "\ufffd") && utf8.ValidString(row[0].S) {
		t.Errorf("text %q, want %q", text, row[0].S)
	}
	if raw := member(1, new(json.Number)); raw != strconv.FormatInt(row[1].N, 10) {
		t.Errorf("integer %s, want %d", raw, row[1].N)
	}
	raw := string(got[names[2]])
	if x, err := strconv.ParseFloat(strings.Trim(raw, `"`), 64); err != nil || x != row[2].Real() && x == x {
		t.Errorf("real %s, want %v", raw, row[2].Real())
	}
	a, b := decoded(t, string(got[names[3]])), decoded(t, row[3].S)
	if a != b {
		t.Errorf("dynamic %s, want %s", a, b)
	}
}

// decoded returns JSON in one spelling, numbers with their digits.
func decoded(t *testing.T, text string) string {
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		t.Errorf("%v: %q", err, text)
	}
	again, _ := json.Marshal(v)
	return string(again)
}

func FuzzFormatCSV(f *testing.F) {
	seedFormats(f)
	f.Fuzz(func(t *testing.T, name, text string, n int64, x float64, _ int) {
		fields, rows := fuzzResult(name, text, n, x)
		out := formatted(t, "csv", FormatOptions{}, fields, rows, true)
		// The reader makes \n of \r\n, in quotes too.
		r := csv.NewReader(strings.NewReader(strings.ReplaceAll(out, "\r\n", "\r\r\n")))
		got, err := r.ReadAll()
		if err != nil || len(got) != 3 {
			t.Fatalf("%d lines, error %v: %q", len(got), err, out)
		}
		for c, want := range []string{text, strconv.FormatInt(n, 10), string(appendShortest(nil, x)), rows[0][3].S} {
			if got[1][c] != want || got[2][c] != "" {
				t.Errorf("column %d: %q and %q, want %q and nothing", c, got[1][c], got[2][c], want)
			}
		}
		if got[0][0] != name || got[0][1] != name || !strings.HasSuffix(out, "\n\"\",,,\n") {
			t.Errorf("head %q, end %q", got[0], out)
		}
		safe := formatted(t, "csv", FormatOptions{CSVSafe: true}, fields, rows, true)
		head, _, _ := strings.Cut(strings.TrimPrefix(safe, `"`), "\n")
		if isFormula(head) {
			t.Errorf("a name is a formula: %q", head)
		}
	})
}

// unTSV undoes appendTSV.
var unTSV = strings.NewReplacer(`\\`, `\`, `\t`, "\t", `\n`, "\n", `\r`, "\r", `\b`, "\b", `\f`, "\f", `\0`, "\x00")

func FuzzFormatTSV(f *testing.F) {
	seedFormats(f)
	f.Fuzz(func(t *testing.T, name, text string, n int64, x float64, _ int) {
		fields, rows := fuzzResult(name, text, n, x)
		got := strings.Split(formatted(t, "tsv", FormatOptions{}, fields, rows, true), "\n")
		if len(got) != 4 || got[2] != `	\N	\N	\N` || got[3] != "" {
			t.Fatalf("lines %q", got)
		}
		cells := strings.Split(got[1], "\t")
		if len(cells) != 4 || unTSV.Replace(cells[0]) != text || unTSV.Replace(cells[3]) != rows[0][3].S {
			t.Errorf("%q, want %q and %q", cells, text, rows[0][3].S)
		}
		if strings.HasPrefix(cells[0], `\N`) {
			t.Errorf("%q is written as null", text)
		}
	})
}

func FuzzFormatTable(f *testing.F) {
	seedFormats(f)
	f.Fuzz(func(t *testing.T, name, text string, n int64, x float64, width int) {
		fields, rows := fuzzResult(name, text, n, x)
		for _, w := range []int{0, width % 200} {
			out := formatted(t, "table", FormatOptions{Width: max(w, 0)}, fields, rows, true)
			checkShown(t, out)
			if !strings.HasPrefix(out, "┌") { // line
				continue
			}
			rowLines := strings.Split(out, "\n")
			if len(rowLines) != 8 {
				t.Fatalf("%d lines: %q", len(rowLines), out)
			}
			if w <= 0 && len(text)+len(name) > maxPad/10 {
				continue // it may stand out
			}
			for _, l := range rowLines[:6] {
				if a, b := shownWidth(l), shownWidth(rowLines[0]); a != b || w > 0 && a > w {
					t.Errorf("of %d columns, a line of %d, one of %d: %s", w, b, a, out)
				}
			}
		}
	})
}

// shownWidth is the width of a line of a table. Its cells are measured one by one, as
// they are made: a combining character at the front of one joins the space before.
func shownWidth(line string) (width int) {
	for i, cell := range strings.Split(line, "│ ") {
		if i > 0 {
			width += 2
		}
		w, _ := measure([]byte(cell))
		width += w
	}
	return width
}

// checkShown makes sure that out is text that cannot act.
func checkShown(t *testing.T, out string) {
	if i := strings.IndexFunc(strings.ReplaceAll(out, "\n", ""), acts); i >= 0 || !utf8.ValidString(out) {
		t.Errorf("a character that acts, or no UTF-8: %q", out)
	}
}

func FuzzFormatMarkdown(f *testing.F) {
	seedFormats(f)
	f.Fuzz(func(t *testing.T, name, text string, n int64, x float64, _ int) {
		fields, rows := fuzzResult(name, text, n, x)
		out := formatted(t, "markdown", FormatOptions{}, fields, rows, true)
		checkShown(t, out)
		if strings.Count(out, "\n") != 4 {
			t.Errorf("lines: %q", out)
		}
		for line := range strings.Lines(out) {
			if cells := markdownCells(line); cells != 4 {
				t.Errorf("%d cells: %q", cells, line)
			}
		}
	})
}

// markdownCells counts cells as GitHub does: a \ takes the character after it along.
func markdownCells(line string) int {
	n := -1
	for i := 0; i < len(line); i++ {
		switch line[i] {
		case '\\':
			i++
		case '|':
			n++
		}
	}
	return n
}

func FuzzFormatLine(f *testing.F) {
	seedFormats(f)
	f.Fuzz(func(t *testing.T, name, text string, n int64, x float64, _ int) {
		fields, rows := fuzzResult(name, text, n, x)
		out := formatted(t, "line", FormatOptions{}, fields, rows, true)
		checkShown(t, out)
		if strings.Count(out, "\n") != 9 || strings.Count(out, "\n\n") != 1 {
			t.Errorf("lines: %q", out)
		}
	})
}

func FuzzFormatRaw(f *testing.F) {
	seedFormats(f)
	f.Fuzz(func(t *testing.T, name, text string, n int64, x float64, _ int) {
		fields, rows := fuzzResult(name, text, n, x)
		want := text + "\t" + strconv.FormatInt(n, 10) + "\t" + string(appendShortest(nil, x)) + "\t" + rows[0][3].S + "\n\t\t\t\n"
		if got := formatted(t, "raw", FormatOptions{}, fields, rows, true); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	})
}

// BenchmarkFormats writes 1,024 rows of 5 columns.
func BenchmarkFormats(b *testing.B) {
	fields := []Field{{"session", String}, {"seq", Long}, {"tool", String}, {"time", Datetime}, {"args", Dynamic}}
	var rows [][]Value
	for n := range int64(batchRows) {
		rows = append(rows, []Value{
			StringOf("session-2024-0001"), LongOf(n * 7919), StringOf("read_file"), DatetimeOf(638000000000000000+n*12345678, 0),
			DynamicOf(`{"path":"/home/user/src/main.go","limit":200}`),
		})
	}
	batch := batchOf(fields, rows)
	for _, f := range Formats() {
		b.Run(f.Name, func(b *testing.B) {
			var size bytes.Buffer
			writeFormat(&size, f.Name, FormatOptions{}, fields, rows, false)
			b.SetBytes(int64(size.Len()))
			w := f.New(io.Discard, FormatOptions{})
			w.Begin(fields)
			for b.Loop() {
				if err := w.Rows(batch); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
