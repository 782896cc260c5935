package query

import (
	"errors"
	"io"
	"math"
	"runtime"
	"slices"
	"strings"
	"testing"
	"unicode"
)

// formatted returns a result in a format. Each row is a batch of its own if it is split.
func formatted(t testing.TB, name string, opt FormatOptions, fields []Field, rows [][]Value, split bool) string {
	t.Helper()
	var b strings.Builder
	if err := writeFormat(&b, name, opt, fields, rows, split); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return b.String()
}

func writeFormat(out io.Writer, name string, opt FormatOptions, fields []Field, rows [][]Value, split bool) error {
	w := formatNamed(name).New(out, opt)
	if err := w.Begin(fields); err != nil {
		return err
	}
	for len(rows) > 0 {
		n := len(rows)
		if split {
			n = 1
		}
		if err := w.Rows(batchOf(fields, rows[:n])); err != nil {
			return err
		}
		rows = rows[n:]
	}
	return w.End()
}

func formatNamed(name string) Format {
	for _, f := range Formats() {
		if f.Name == name {
			return f
		}
	}
	panic("no format " + name)
}

// asLines joins lines, each with its newline.
func asLines(list ...string) string { return strings.Join(list, "\n") + "\n" }

// oneText is a result of one text.
func oneText(text string) ([]Field, [][]Value) {
	return []Field{{"a", String}}, [][]Value{{StringOf(text)}}
}

// kindsResult has a column of each kind: values, then nulls.
func kindsResult() ([]Field, [][]Value) {
	values := []Value{
		BoolOf(true), IntOf(-7), LongOf(math.MaxInt64), RealOf(0.1), StringOf("é"),
		DatetimeOf(637134336000000000, 0), TimespanOf(36_000_000_000),
		DynamicOf(`{"b":9007199254740993,"a":[1e400,"x"]}`),
		GuidOf("74BE27DE-1E4E-49D9-B579-FE0B331D3642"),
	}
	fields, nulls := make([]Field, len(values)), make([]Value, len(values))
	for i, v := range values {
		fields[i] = Field{v.Kind.String(), v.Kind}
		nulls[i] = NullOf(v.Kind)
	}
	return fields, [][]Value{values, nulls}
}

func TestFormatsOfKinds(t *testing.T) {
	hour := formatTimespan(36_000_000_000)
	for name, want := range map[string]string{
		"json": asLines(`[`,
			`{"bool":true,"int":-7,"long":9223372036854775807,"real":0.1,"string":"é","datetime":"2020-01-01T00:00:00.0000000Z","timespan":"`+hour+`","dynamic":{"b":9007199254740993,"a":[1e400,"x"]},"guid":"74be27de-1e4e-49d9-b579-fe0b331d3642"},`,
			`{"bool":null,"int":null,"long":null,"real":null,"string":"","datetime":null,"timespan":null,"dynamic":null,"guid":null}`,
			`]`),
		"csv": asLines(`bool,int,long,real,string,datetime,timespan,dynamic,guid`,
			`true,-7,9223372036854775807,0.1,é,2020-01-01T00:00:00.0000000Z,`+hour+`,"{""b"":9007199254740993,""a"":[1e400,""x""]}",74be27de-1e4e-49d9-b579-fe0b331d3642`,
			`,,,,"",,,,`),
		"tsv": asLines("bool\tint\tlong\treal\tstring\tdatetime\ttimespan\tdynamic\tguid",
			"true\t-7\t9223372036854775807\t0.1\té\t2020-01-01T00:00:00.0000000Z\t"+hour+"\t"+`{"b":9007199254740993,"a":[1e400,"x"]}`+"\t74be27de-1e4e-49d9-b579-fe0b331d3642",
			`\N	\N	\N	\N		\N	\N	\N	\N`),
		"raw": asLines("true\t-7\t9223372036854775807\t0.1\té\t2020-01-01T00:00:00.0000000Z\t"+hour+"\t"+`{"b":9007199254740993,"a":[1e400,"x"]}`+"\t74be27de-1e4e-49d9-b579-fe0b331d3642",
			"\t\t\t\t\t\t\t\t"),
		"line": asLines("bool: true", "int: -7", "long: 9223372036854775807", "real: 0.1", "string: é", "datetime: 2020-01-01T00:00:00Z", "timespan: "+hour,
			`dynamic: {"b":9007199254740993,"a":[1e400,"x"]}`, "guid: 74be27de-1e4e-49d9-b579-fe0b331d3642", "",
			"bool: ∅", "int: ∅", "long: ∅", "real: ∅", "string: ", "datetime: ∅", "timespan: ∅", "dynamic: ∅", "guid: ∅"),
		"markdown": asLines("| bool | int | long | real | string | datetime | timespan | dynamic | guid |",
			"| --- | ---: | ---: | ---: | --- | --- | --- | --- | --- |",
			"| true | -7 | 9223372036854775807 | 0.1 | é | 2020-01-01T00:00:00Z | "+hour+` | {"b":9007199254740993,"a":[1e400,"x"]} | 74be27de-1e4e-49d9-b579-fe0b331d3642 |`,
			"| ∅ | ∅ | ∅ | ∅ |  | ∅ | ∅ | ∅ | ∅ |"),
	} {
		fields, rows := kindsResult()
		for _, split := range []bool{false, true} {
			if got := formatted(t, name, FormatOptions{}, fields, rows, split); got != want {
				t.Errorf("%s:\n%s\nwant\n%s", name, got, want)
			}
		}
	}
}

func TestFormatsOfNoRows(t *testing.T) {
	for name, want := range map[string]string{
		"csv": "a,b\n", "json": "[\n]\n", "jsonl": "", "line": "", "markdown": "| a | b |\n| --- | ---: |\n", "raw": "", "tsv": "a\tb\n",
		"table": asLines("┌───┬───┐", "│ a │ b │", "├───┼───┤", "└───┴───┘", "(0 rows)"),
	} {
		if got := formatted(t, name, FormatOptions{}, []Field{{"a", String}, {"b", Long}}, nil, false); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
		out := formatted(t, name, FormatOptions{Width: 80}, nil, [][]Value{{}, {}}, false)
		if name == "table" && out != "(2 rows)\n" {
			t.Errorf("%s without columns: %q", name, out)
		}
	}
}

func TestReals(t *testing.T) {
	for _, c := range []struct {
		f          float64
		text, json string
	}{
		{2, "2", "2"}, {math.Copysign(0, -1), "-0", "-0"}, {1e20, "100000000000000000000", "100000000000000000000"},
		{1e21, "1e+21", "1e+21"}, {1e-7, "1e-7", "1e-7"}, {5e-324, "5e-324", "5e-324"}, {-1.5e-10, "-1.5e-10", "-1.5e-10"},
		{0.1 + 0.2, "0.30000000000000004", "0.30000000000000004"}, {math.MaxFloat64, "1.7976931348623157e+308", "1.7976931348623157e+308"},
		{math.NaN(), "NaN", `"NaN"`}, {math.Inf(1), "Infinity", `"Infinity"`}, {math.Inf(-1), "-Infinity", `"-Infinity"`},
	} {
		x := c.f
		if c.f == 0.1+0.2 { // the compiler is exact
			a := 0.1
			x = a + 0.2
		}
		if got := string(appendJSONValue(nil, RealOf(x))); got != c.json {
			t.Errorf("%v in JSON: %s, want %s", x, got, c.json)
		}
		if got := string(appendText(nil, RealOf(x))); got != c.text {
			t.Errorf("%v: %s, want %s", x, got, c.text)
		}
	}
}

func TestJSONStrings(t *testing.T) {
	for text, want := range map[string]string{
		"plain":                 `"plain"`,
		"文字 é 👨‍👩‍👧":            `"文字 é 👨‍👩‍👧"`,
		"\"\\/\n\r\t\b\x00":     `"\"\\/\n\r\t\b\u0000"`,
		"\x1b[2J\u009b\x7f":     `"\u001b[2J\u009b\u007f"`,
		"\u202egnp\u2066\u2028": `"\u202egnp\u2066\u2028"`,
		"bad \xff\xe2\x82":      `"bad \ufffd\ufffd\ufffd"`,
		"\ufffd":                "\"\ufffd\"",
	} {
		if got := string(appendJSONString(nil, text)); got != want {
			t.Errorf("%q: %s, want %s", text, got, want)
		}
	}
}

func TestJSONDynamics(t *testing.T) {
	for text, want := range map[string]string{
		`{"id":9007199254740993,"u":18446744073709551615,"f":1e400}`: `{"id":9007199254740993,"u":18446744073709551615,"f":1e400}`,
		`[-0.10,1E+5,true,null]`:                                     `[-0.10,1E+5,true,null]`,
		`["NaN",NaN,-Infinity,[Infinity]]`:                           `["NaN","NaN","-Infinity",["Infinity"]]`,
		`{"NaN":NaN,"I\"N":"\\"}`:                                    `{"NaN":"NaN","I\"N":"\\"}`,
		"[1,\n2]":                                                    `[1, 2]`,
		"\"\u202e\u009b\x1b\"":                                       `"\u202e\u009b\u001b"`,
		"\"é\xff\"":                                                  `"é\ufffd"`,
		`"a`:                                                         `"a`,
		`"a\`:                                                        `"a\`,
		"":                                                           `null`,
	} {
		if got := string(appendJSONDynamic(nil, text)); got != want {
			t.Errorf("%q: %s, want %s", text, got, want)
		}
	}
}

func TestJSONNames(t *testing.T) {
	for in, want := range map[string]string{
		"a b":         "a b",
		"a a":         "a a1",
		"a a a1 a":    "a a2 a1 a3",
		"a1 a a a1":   "a1 a a2 a11",
		"a a a a1 a2": "a a3 a4 a1 a2",
		"A a":         "A a",
		"\xff \ufffd": "\ufffd \ufffd1",
	} {
		var fields []Field
		for name := range strings.FieldsSeq(in) {
			fields = append(fields, Field{name, Long})
		}
		if got := strings.Join(memberNames(fields), " "); got != want {
			t.Errorf("%s: %s, want %s", in, got, want)
		}
	}
	fields := []Field{{"x\"\x1b", Long}, {"", Long}, {"", Long}}
	want := `{"x\"\u001b":1,"":2,"1":3}` + "\n"
	if got := formatted(t, "jsonl", FormatOptions{}, fields, [][]Value{{LongOf(1), LongOf(2), LongOf(3)}}, false); got != want {
		t.Errorf("odd names: %s, want %s", got, want)
	}
}

func TestCSVTexts(t *testing.T) {
	for text, want := range map[string]string{
		"":           `""`,
		" ":          " ",
		"a,b":        `"a,b"`,
		`say "x"`:    `"say ""x"""`,
		`"`:          `""""`,
		"a\nb\r":     "\"a\nb\r\"",
		"文字\x1b\x00": "文字\x1b\x00",
		"=1+1":       "=1+1",
	} {
		fields, rows := oneText(text)
		if got := formatted(t, "csv", FormatOptions{}, fields, rows, false); got != "a\n"+want+"\n" {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

func TestTSVTexts(t *testing.T) {
	for text, want := range map[string]string{
		"":                     "",
		`\N`:                   `\\N`,
		"a\tb\nc\\d":           `a\tb\nc\\d`,
		"\r\b\f\x00'\"é\x1b\v": `\r\b\f\0'"é` + "\x1b\v",
	} {
		fields, rows := oneText(text)
		if got := formatted(t, "tsv", FormatOptions{}, fields, rows, false); got != "a\n"+want+"\n" {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

// TestCSVSafe writes what a spreadsheet would compute, in columns of text and others.
func TestCSVSafe(t *testing.T) {
	fields := []Field{{"=a", String}, {"-n", Long}, {"@d", Dynamic}}
	rows := [][]Value{
		{StringOf(`=HYPERLINK("http://x","y")`), LongOf(-5), DynamicOf("-5")},
		{StringOf(`+cmd|' /C notepad'!A1`), LongOf(5), DynamicOf(`"=1"`)},
		{StringOf("@SUM(1)"), NullOf(Long), NullOf(Dynamic)},
		{StringOf("-5"), LongOf(0), DynamicOf(`[]`)},
		{StringOf("\t=1"), LongOf(0), DynamicOf(`[]`)},
		{StringOf("\r=1"), LongOf(0), DynamicOf(`[]`)},
		{StringOf("\n=1"), LongOf(0), DynamicOf(`[]`)},
		{StringOf("＝1"), LongOf(0), DynamicOf(`[]`)},
		{StringOf("a=1"), LongOf(0), DynamicOf(`[]`)},
	}
	want := asLines(`'=a,'-n,'@d`, `"'=HYPERLINK(""http://x"",""y"")",-5,-5`, `'+cmd|' /C notepad'!A1,5,"""=1"""`, `'@SUM(1),,`,
		`'-5,0,[]`, "'\t=1,0,[]", "\"'\r=1\",0,[]", "\"'\n=1\",0,[]", `'＝1,0,[]`, `a=1,0,[]`)
	if got := formatted(t, "csv", FormatOptions{CSVSafe: true}, fields, rows, false); got != want {
		t.Errorf("csv:\n%q\nwant\n%q", got, want)
	}
	want = asLines("'=a\t'-n\t'@d", "'=HYPERLINK(\"http://x\",\"y\")\t-5\t-5")
	if got := formatted(t, "tsv", FormatOptions{CSVSafe: true}, fields, rows[:1], false); got != want {
		t.Errorf("tsv:\n%q\nwant\n%q", got, want)
	}
}

func TestMarkdownTexts(t *testing.T) {
	for text, want := range map[string]string{
		"a|b":               `a\|b`,
		`a\|b\c`:            `a\\\|b\c`,
		`\\|`:               `\\\\\|`,
		"a\nb\r\nc\n":       "a<br>b<br>c<br>",
		"\x1b[2J\u202e\r":   `\x1b[2J\u202e\x0d`,
		"<br><!-- a\tb -->": `&lt;br>&lt;!-- a b -->`,
	} {
		fields, rows := oneText(text)
		if got := formatted(t, "markdown", FormatOptions{}, fields, rows, false); got != "| a |\n| --- |\n| "+want+" |\n" {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

func TestRaw(t *testing.T) {
	fields := []Field{{"a", String}, {"b", Long}}
	got := formatted(t, "raw", FormatOptions{}, fields, [][]Value{{StringOf("\x1b[2J\t\n\"\u202e"), NullOf(Long)}}, false)
	if want := "\x1b[2J\t\n\"\u202e\t\n"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// TestActs compares with the classes of Unicode.
func TestActs(t *testing.T) {
	for r := range unicode.MaxRune + 1 {
		want := unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) || r == 0x2028 || r == 0x2029
		if acts(r) != want {
			t.Errorf("acts(%U) = %v", r, !want)
		}
	}
}

// A limited writer takes some bytes, then fails.
type limited struct{ left int }

var errFull = errors.New("no space left on device")

func (l *limited) Write(p []byte) (int, error) {
	if len(p) > l.left {
		return l.left, errFull
	}
	l.left -= len(p)
	return len(p), nil
}

// A shortWriter breaks its promise to say why it took less.
type shortWriter struct{}

func (shortWriter) Write(p []byte) (int, error) { return len(p) / 2, nil }

func TestFormatsReportWriteErrors(t *testing.T) {
	fields, rows := kindsResult()
	for _, f := range Formats() {
		for _, opt := range []FormatOptions{{}, {Width: 20}} {
			full := len(formatted(t, f.Name, opt, fields, rows, true))
			for n := range full {
				if err := writeFormat(&limited{n}, f.Name, opt, fields, rows, true); !errors.Is(err, errFull) {
					t.Errorf("%s on a disk with room for %d of %d bytes: error %v", f.Name, n, full, err)
				}
			}
		}
		if err := writeFormat(shortWriter{}, f.Name, FormatOptions{}, fields, rows, false); err != io.ErrShortWrite {
			t.Errorf("%s: a short write gives %v", f.Name, err)
		}
	}
}

// TestFormatsFill writes columns that are filled only now, one of which cannot be.
func TestFormatsFill(t *testing.T) {
	broken := errors.New("broken block")
	for _, f := range Formats() {
		w := f.New(io.Discard, FormatOptions{})
		w.Begin([]Field{{"a", Long}})
		ok := Lazy(Long, func(v *Vector) error { *v = *Repeated(LongOf(1)); return nil }, nil)
		if err := w.Rows(&Batch{N: 3, Cols: []*Vector{ok}}); err != nil {
			t.Errorf("%s: %v", f.Name, err)
		}
		bad := Lazy(Long, func(*Vector) error { return broken }, nil)
		if err := w.Rows(&Batch{N: 3, Cols: []*Vector{bad}}); err != broken {
			t.Errorf("%s: error %v", f.Name, err)
		}
	}
}

// TestFormatsStream writes many rows in little memory.
func TestFormatsStream(t *testing.T) {
	fields, rows := kindsResult()
	batch := batchOf(fields, slices.Repeat(rows, 500))
	for _, f := range Formats() {
		w := f.New(io.Discard, FormatOptions{Width: 200})
		w.Begin(fields)
		var before, after runtime.MemStats
		for n := range 60 {
			if n == 10 {
				runtime.GC()
				runtime.ReadMemStats(&before)
			}
			if err := w.Rows(batch); err != nil {
				t.Fatal(err)
			}
		}
		runtime.GC()
		runtime.ReadMemStats(&after)
		if grown := int64(after.HeapAlloc) - int64(before.HeapAlloc); grown > 1<<20 {
			t.Errorf("%s: 50,000 rows hold %d bytes", f.Name, grown)
		}
		w.End()
	}
}
