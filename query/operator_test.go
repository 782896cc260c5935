package query

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"
)

// everyOperator passes on the value of x in each n-th row, n words long.
var everyOperator = Operator{
	Name: "every", Usage: `every "WORD" n=2 within=1d also=dynamic(["a"])`, Doc: "passes some rows on", Example: `range x from 1 to 4 step 1 | every "w"`, Source: true,
	Bind: func(args *Arguments, in []Field) (*Transform, error) {
		word := args.Text(0, "a word")
		n := args.Long("n", 2, 1)
		within := args.Timespan("within", time.Hour)
		also := args.Strings("also")
		if word == "no" {
			args.FaultAt(0, fmt.Errorf("%s is no word", word))
		}
		t := &Transform{Needs: []Field{{"x", Long}}, Wants: []Field{{"y", String}}, Fields: []Field{{"word", String}, {"x", Long}, {"y", String}}}
		if in == nil {
			t.Needs = nil
		}
		t.Run = func(r *Run, in Batches, out func(...Value) error) error {
			if in == nil {
				return out(StringOf(fmt.Sprint(word, within, also)), LongOf(0), StringOf(""))
			}
			i := int64(0)
			return r.Each(in, func(b *Batch) error {
				for row := range b.N {
					if i++; i%n != 0 {
						continue
					}
					if err := r.Hold(64); err != nil {
						return err
					}
					if err := out(StringOf(word), b.Cols[0].At(row), b.Cols[1].At(row)); err != nil {
						return err
					}
				}
				return nil
			})
		}
		t.Text = func(f Format, w io.Writer, opt FormatOptions) Writer {
			io.WriteString(w, "by itself, as "+f.Name+"\n")
			return f.New(w, opt)
		}
		return t, nil
	},
}

func everyLanguage() *Language { return New(Options{Operators: []Operator{everyOperator}}) }

func TestOperator(t *testing.T) {
	for _, c := range []struct{ query, want string }{
		{`range x from 1 to 4 step 1 | every "w"`, "word x y: w,2, w,4,"},
		{`range x from 1 to 4 step 1 | every "w" n=3 | project x`, "x: 3"},
		{`let k = 3; range x from 1 to 4 step 1 | every "w" n=k | project x`, "x: 3"},
		{`datatable(y:string, x:long)["a", 1, "b", 2] | every "w"`, "word x y: w,2,b"},
		{`every "w" also=dynamic(["a", "b"]) within=7d`, "word x y: w168h0m0s [a b],0,"},
		{`every "w" | count`, "Count: 1"},
		{`print n = toscalar(every "w" | project x)`, "n: 0"},
		{`range x from 1 to 10000 step 1 | every "w" n=1 | take 1 | project x`, "x: 1"},
		{`range x from 1 to 10000 step 1 | every "w" n=1 | summarize sum(x)`, "sum_x: 50005000"},
		{`union (range x from 1 to 2 step 1 | every "w"), (range x from 3 to 4 step 1 | every "v") | project word`, "word: w v"},
	} {
		if got := joinResult(t, everyLanguage(), c.query); got != c.want {
			t.Errorf("%s\n gives %s\n want %s", c.query, got, c.want)
		}
	}
}

func TestOperatorFaults(t *testing.T) {
	const rows = "range x from 1 to 4 step 1 | "
	for _, c := range []struct{ query, want string }{
		{rows + `every`, "1:30: expected a word behind the operator, in quotes"},
		{rows + `every 5`, "1:36: a word: expected a string, found 5"},
		{rows + `every "w" "v"`, `1:40: expected every "WORD" n=2 within=1d also=dynamic(["a"])`},
		{rows + `every "w" m=2`, `1:40: every has nothing named 'm'; expected every "WORD" n=2 within=1d also=dynamic(["a"])`},
		{rows + `every "w" witin=1h`, `1:40: every has nothing named 'witin', did you mean 'within'?; expected`},
		{rows + `every "w" n=0`, "1:42: n: expected 1 or more, found 0"},
		{rows + `every "w" n=2 n=3`, "1:44: n stands twice"},
		{rows + `every "w" n=x`, "1:42: unknown column 'x'"},
		{rows + `every "w" within=0s`, "1:47: within: expected a timespan such as 7d, found 0s"},
		{rows + `every "w" also=dynamic([1])`, "1:45: also: expected an array of strings, found 1 in it"},
		{rows + `every "w" also="a"`, `1:45: also: expected an array of strings, as dynamic(["a", "b"]), found "a"`},
		{rows + `every "no"`, "1:36: no is no word"},
		{rows + `every "w", "v"`, `1:39: expected every "WORD" n=2 within=1d also=dynamic(["a"])`},
		{rows + `evry "w"`, "1:30: no operator named 'evry', did you mean 'every'?"},
		{rows + `evry w, v`, "1:30: no operator named 'evry', did you mean 'every'?"},
		{rows + `sumarize count() by x`, "1:30: no operator named 'sumarize', did you mean 'summarize'?"},
		{`print y = 1 | every "w"`, "1:15: every needs the column 'x' (long), which is not among the columns before it: y"},
		{`print x = "1" | every "w"`, "1:17: every needs the column 'x' as long, it is string"},
		{`evry "w"`, "1:1: no operator named 'evry', did you mean 'every'?"},
		{`let T = print x = 1; T "w"`, "1:24: expected '|', ';' or the end of the query"},
	} {
		for name, err := range map[string]error{"check": everyLanguage().Check(c.query, nil), "compile": compileError(c.query)} {
			got := strings.Join(faultLines(err), "\n")
			if !strings.HasPrefix(got, c.want) || strings.Contains(got, "\n") {
				t.Errorf("%s of %s\n says %s\n want %s", name, c.query, got, c.want)
			}
		}
	}
}

// onlyOperator passes on the rows of two sessions, of entries where it stands first.
var onlyOperator = Operator{
	Name: "these", Usage: `these "SESSION" since=datetime(2026-01-01)`, Doc: "passes some sessions on", Example: `print session = "s1" | these "s1"`, Source: true,
	Bind: func(args *Arguments, in []Field) (*Transform, error) {
		t := &Transform{Needs: []Field{{"session", String}}, Wants: []Field{{"index", Long}}, Fields: []Field{{"session", String}, {"index", Long}}, From: "entries"}
		t.Only = &Only{"session", []string{args.Text(0, "a session"), "it's \"x\""}}
		if since := args.Datetime("since"); !since.Null {
			t.Fields[0].Name = formatDatetime(since)[:4]
		}
		t.Run = func(r *Run, in Batches, out func(...Value) error) error {
			return r.Each(in, func(b *Batch) error {
				for row := range b.N {
					if err := out(b.Row(row)...); err != nil {
						return err
					}
				}
				return nil
			})
		}
		return t, nil
	},
}

// TestOperatorOnly: rows that an operator does not look at are not read.
func TestOperatorOnly(t *testing.T) {
	led := newLedger(t)
	var entries [][]byte
	for i := range 3 * 8192 {
		entries = append(entries, fmt.Appendf(nil, `{"session":"s%d"}`, i/8192))
	}
	loadEntries(t, led, entries)
	tables := tablesOf(t, led)
	for _, c := range []struct {
		query, want string
		scanned     int64 // at most
	}{
		{`these "s1" | summarize n = count(), max(index)`, "n max_index: 8192,8191", 2 * 8192},
		{`entries | these "s1" | summarize n = count(), max(index)`, "n max_index: 8192,8191", 2 * 8192},
		{`entries | where index < 5 | these "s2" | count`, "Count: 5", 2 * 8192},
		{`datatable(session:string)["s1", "s2", "it's \"x\"", "s1"] | these "s1" | project session`, `session: s1 it's "x" s1`, 0},
		{`these "s1" since=datetime(2027-01-02) | take 1 | getschema | project ColumnName`, "ColumnName: 2027 index", 2 * 8192},
	} {
		l := New(Options{Tables: tables, Operators: []Operator{onlyOperator}})
		if got := joinResult(t, l, c.query); got != c.want || l.Stats().Scanned.Load() > c.scanned {
			t.Errorf("%s\n gives %s and scans %d\n want %s and at most %d", c.query, got, l.Stats().Scanned.Load(), c.want, c.scanned)
		}
	}
	l := New(Options{Operators: []Operator{onlyOperator}})
	for query, want := range map[string]string{
		`these "s1"`:                     "1:1: unknown table 'entries', which these reads where nothing stands before it",
		`print x = 1 | these "s1"`:       "1:15: these needs the column 'session' (string), which is not among the columns before it: x",
		`print session = 1 | these "s1"`: "1:21: these needs the column 'session' as string, it is long",
		`these "s1" since="2026"`:        `1:18: since: expected a datetime, found "2026"`,
	} {
		if err := l.Check(query, nil); !strings.HasPrefix(strings.Join(faultLines(err), "\n"), want) {
			t.Errorf("check of %s says %v, want %s", query, faultLines(err), want)
		}
	}
}

// TestWidth: what is cut is no wider than it may be, and no cluster is split.
func TestWidth(t *testing.T) {
	for _, c := range []struct {
		text  string
		width int
		cut   string // to 5
	}{
		{"", 0, ""}, {"abcde", 5, "abcde"}, {"abcdef", 6, "abcd…"}, {"文字", 4, "文字"}, {"文字文", 6, "文字…"}, {"a文字文", 7, "a文…"},
		{"e\u0301e\u0301", 2, "e\u0301e\u0301"}, {"👨‍👩‍👧👨‍👩‍👧👨‍👩‍👧", 6, "👨‍👩‍👧👨‍👩‍👧…"},
	} {
		if got, cut := Width(c.text), Cut(c.text, 5); got != c.width || cut != c.cut {
			t.Errorf("%q is %d wide and cut to %q, want %d and %q", c.text, got, cut, c.width, c.cut)
		}
	}
}

func compileError(text string) error {
	_, err := everyLanguage().Compile(context.Background(), text, nil)
	return err
}

// TestOperatorExact shows rows that are canonical records: where a terminal shows them, and
// where another operator made something of them, what acts is escaped.
func TestOperatorExact(t *testing.T) {
	exact := everyOperator
	bind := exact.Bind
	exact.Bind = func(args *Arguments, in []Field) (*Transform, error) {
		t, err := bind(args, in)
		t.Exact = true
		return t, err
	}
	lang := New(Options{Operators: []Operator{exact}})
	for _, c := range []struct {
		query string
		width int
		want  string
	}{
		{`every "\u202e\u0085\u007f"`, 0, "{\"word\":\"\u202e\u0085\x7f1h0m0s []\",\"x\":0,\"y\":\"\"}\n"},
		{`every "\u202e"`, 80, `{"word":"\u202e1h0m0s []","x":0,"y":""}` + "\n"},
		{`every "\u202e" | project word`, 0, `{"word":"\u202e1h0m0s []"}` + "\n"},
	} {
		results, err := lang.Compile(context.Background(), c.query, nil)
		if err != nil {
			t.Fatal(err)
		}
		var out strings.Builder
		w := results[0].Writer(*FormatNamed("jsonl"), &out, FormatOptions{Width: c.width})
		err = w.Begin(results[0].Fields)
		for b, e := range results[0].Batches(context.Background()) {
			if err = errors.Join(err, e); err == nil {
				err = w.Rows(b)
			}
		}
		if err = errors.Join(err, w.End()); err != nil || out.String() != c.want {
			t.Errorf("%s at width %d: %q, %v; want %q", c.query, c.width, out.String(), err, c.want)
		}
	}
}

func TestOperatorBudget(t *testing.T) {
	l := New(Options{Operators: []Operator{everyOperator}, Memory: 1 << 20})
	results, err := l.Compile(context.Background(), `range x from 1 to 100000 step 1 | every "w" n=1`, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, err = range results[0].Batches(context.Background()) {
	}
	if want := "every needs more than the 1 MiB"; err == nil || !strings.HasPrefix(err.Error(), want) {
		t.Errorf("ends with %v, want %s", err, want)
	}
}

func TestOperatorWriter(t *testing.T) {
	for query, want := range map[string]string{
		`every "w"`:             "by itself, as table\n",
		`every "w" | take 1`:    "",
		`every "w" | project x`: "",
	} {
		results, err := everyLanguage().Compile(context.Background(), query, nil)
		if err != nil {
			t.Fatal(err)
		}
		for format, want := range map[string]string{"table": want, "json": ""} {
			var out strings.Builder
			results[0].Writer(*FormatNamed(format), &out, FormatOptions{})
			if out.String() != want {
				t.Errorf("%s as %s: %q, want %q", query, format, out.String(), want)
			}
		}
	}
}

// TestOperatorBatchBytes: rows that are large are given on when there are few of them.
func TestOperatorBatchBytes(t *testing.T) {
	large := Operator{Name: "large", Usage: "large", Doc: "large rows", Example: "large", Source: true, Bind: func(*Arguments, []Field) (*Transform, error) {
		return &Transform{Fields: []Field{{"s", String}}, Run: func(_ *Run, _ Batches, out func(...Value) error) error {
			for range 9 {
				if err := out(StringOf(strings.Repeat("x", operatorBytes/2))); err != nil {
					return err
				}
			}
			return nil
		}}, nil
	}}
	results, err := New(Options{Operators: []Operator{large}}).Compile(context.Background(), "large", nil)
	if err != nil {
		t.Fatal(err)
	}
	var sizes []int
	for b, err := range results[0].Batches(context.Background()) {
		if err != nil {
			t.Fatal(err)
		}
		sizes = append(sizes, b.N)
	}
	if fmt.Sprint(sizes) != "[2 2 2 2 1]" {
		t.Errorf("batches have %v rows", sizes)
	}
}
