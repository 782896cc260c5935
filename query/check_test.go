package query

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// checkTables are those that the texts of these tests ask.
func checkTables() []Table {
	fields := []Field{{"tool", String}, {"agent", String}, {"args", Dynamic}, {"time", Datetime}, {"n", Long}, {"request", String}}
	return []Table{{Name: "entries", Fields: fields, scan: func() *scan { return &scan{name: "entries", fields: fields, source: noRows{}} }}}
}

type noRows struct{}

func (noRows) parts(*run, []filter) iter.Seq[part] { return func(func(part) bool) {} }

// faultLines are faults as LINE:COLUMN: MESSAGE.
func faultLines(err error) (lines []string) {
	var faults Faults
	errors.As(err, &faults)
	for _, e := range faults {
		line, column := e.Line()
		lines = append(lines, fmt.Sprintf("%d:%d: %s", line, column, e.Msg))
	}
	return lines
}

// TestCheck reads testdata/check.txt: texts, each with all that is wrong with it behind
// ----, and a line between two.
func TestCheck(t *testing.T) {
	file, err := os.ReadFile("testdata/check.txt")
	if err != nil {
		t.Fatal(err)
	}
	for _, block := range strings.Split(strings.TrimSuffix(string(file), "\n"), "\n\n") {
		text, want, ok := strings.Cut(block, "\n----")
		if !ok {
			t.Fatalf("no ---- in %q", block)
		}
		got := faultLines(New(Options{Tables: checkTables()}).Check(text, nil))
		if g, w := strings.Join(got, "\n"), strings.TrimPrefix(want, "\n"); g != w {
			t.Errorf("%s\n----\n%s\nexpected\n%s", text, g, w)
		}
	}
}

// TestCheckAccepts finds no fault in what runs.
func TestCheckAccepts(t *testing.T) {
	var texts []string
	for _, op := range operators {
		texts = append(texts, op.Example)
	}
	for _, list := range coreFuncs() {
		for _, f := range list {
			texts = append(texts, "print r = ("+f.Example+")")
		}
	}
	for _, list := range coreAggregations() {
		for _, a := range list {
			texts = append(texts, a.Example)
		}
	}
	for _, c := range conditions {
		texts = append(texts, "entries | where "+c)
	}
	ledger := []string{ // a table in a list, as it is and by a name
		"entries | where session in (sessions)",
		"entries | where session !in (calls | distinct session) and tool has_any ((entries | distinct tool))",
		"let busy = entries | distinct session; entries | where session in (busy) | where agent == 'a' and session !in (busy)",
		"let of = () { sessions | project session }; entries | where session in (of())",
	}
	for _, text := range append(texts, ledger...) {
		tables := checkTables()
		if strings.HasPrefix(text, "entries") || slices.Contains(ledger, text) {
			tables = LedgerTables(nil)
		}
		if err := New(Options{Tables: tables}).Check(text, nil); err != nil {
			t.Errorf("%s: %v", text, err)
		}
	}
}

// TestCheckReadsNothing checks a text whose tables would not end.
func TestCheckReadsNothing(t *testing.T) {
	endless := "range x from 1 to 1000000000000 step 1 | where x < 0"
	for _, text := range []string{
		"print toscalar(" + endless + ")",
		"print 1 in (" + strings.Replace(endless, "|", "| project x |", 1) + ")",
		"let m = toscalar(" + endless + "); entries | take m | where n > m and tool matches regex tostring(m)",
		"let f = (s:string) { s has 'a' }; print f(toscalar(range n from 1 to 3 step 1))",
		"let f = (s:string) { entries | where tool has s }; f(toscalar(range n from 1 to 3 step 1))",
		"declare query_parameters(p:long); entries | where n == p | take p",
	} {
		if err := New(Options{Tables: checkTables()}).Check(text, nil); err != nil {
			t.Errorf("%s: %v", text, err)
		}
	}
}

// TestCheckHuge has more faults than anybody reads.
func TestCheckHuge(t *testing.T) {
	const many = 20_000
	for _, text := range []string{
		"print 1" + strings.Repeat(" | where x == 1", many), "print " + strings.Repeat("x, ", many) + "1",
		"T" + strings.Repeat(" | frob x", many), "T | where " + strings.Repeat("&", many), strings.Repeat("frob x y;", many),
		"print\n" + strings.Repeat("'a\n", many), "let a = " + strings.Repeat("(;", many), strings.Repeat("é", many),
	} {
		got := faultLines(New(Options{}).Check(text, nil))
		if len(got) == 0 || len(got) > maxFaults+2 {
			t.Errorf("%.40s…: %d faults", text, len(got))
		}
		if last := got[len(got)-1]; len(got) >= maxFaults && !strings.Contains(last, "there may be more") {
			t.Errorf("%.40s…: the last of %d faults is %s", text, len(got), last)
		}
	}
}

// TestCompileTellsAll gives all faults to who runs a query, too, and the first ones alone
// to who asks for an Error.
func TestCompileTellsAll(t *testing.T) {
	_, err := New(Options{Tables: checkTables()}).Compile(context.Background(), "entries | where tol == 1\n| frob\n| where n == 'x'", nil)
	want := []string{"1:17: unknown column 'tol', did you mean 'tool'?", "2:3: no operator named 'frob'"}
	if got := faultLines(err); !slices.Equal(got, want) {
		t.Errorf("%q, expected %q", got, want)
	}
	if e := (*Error)(nil); !errors.As(err, &e) || e.Offset != 16 {
		t.Errorf("%v", e)
	}
}

// TestCheckHunting checks queries that hunters wrote for other tables: but for what we
// lack, nearly all must be right.
func TestCheckHunting(t *testing.T) {
	files, _ := filepath.Glob(filepath.Join("..", "..", "shared", "kql", "sentinel", "*.kql"))
	if len(files) == 0 {
		t.Skip("no folder of hunting queries beside the checkout")
	}
	known := []string{"unknown table '", "unknown column '", "' is KQL but not supported here"}
	wrong := 0
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		other := slices.DeleteFunc(faultLines(New(Options{}).Check(string(text), nil)), func(line string) bool {
			return slices.ContainsFunc(known, func(k string) bool { return strings.Contains(line, k) })
		})
		if len(other) > 0 {
			wrong++
			t.Logf("%s: %s", filepath.Base(file), strings.Join(other, "; "))
		}
	}
	if wrong*100 > len(files)*3 {
		t.Errorf("%d of %d queries have another fault", wrong, len(files))
	}
}

// FuzzCheck holds Check against Compile: what compiles has no fault, and what does not has
// that at which Compile stopped, but where rows had to be read for it.
func FuzzCheck(f *testing.F) {
	seedQueries(f)
	for _, text := range checkTexts(f) {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if strings.Contains(text, "range") || strings.Contains(text, "repeat") { // may be long
			return
		}
		l := New(Options{Tables: checkTables(), Memory: 16 << 20})
		results, err := l.compile(context.Background(), text, nil)
		check := l.Check(text, nil)
		if err == nil {
			if check != nil && len(results) > 0 {
				t.Fatalf("%q compiles, and is at fault: %v", text, check)
			}
			return
		}
		for _, reads := range []string{"toscalar", "in", "has_any", "has_all"} {
			if strings.Contains(text, reads) && check == nil {
				return
			}
		}
		if strings.Contains(text, "query_parameters") { // which lack their values
			return
		}
		var e *Error
		if !errors.As(err, &e) {
			return
		}
		faults, _ := check.(Faults)
		if !slices.ContainsFunc(faults, func(f *Error) bool { return f.Msg == e.Msg && f.Offset == e.Offset }) && len(faults) < maxFaults {
			t.Fatalf("%q: %v\nis not among\n%v", text, e, check)
		}
		for _, f := range faults {
			if strings.Count(f.Error(), "\n") != 2 {
				t.Fatalf("%q: %q", text, f.Error())
			}
		}
	})
}

func checkTexts(t testing.TB) (texts []string) {
	file, err := os.ReadFile("testdata/check.txt")
	if err != nil {
		t.Fatal(err)
	}
	for _, block := range strings.Split(string(file), "\n\n") {
		text, _, _ := strings.Cut(block, "\n----")
		texts = append(texts, text)
	}
	return texts
}
