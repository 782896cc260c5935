package capture

import (
	"fmt"
	"strings"
	"testing"
)

// toyFormat has a record a call or result: {"call":id,"tool":…}, {"result":id,…}, {"say":…}.
var toyFormat = Format{Name: "toy", New: func(c *Conversion) Reader { return &toyReader{c} }}

type toyReader struct{ c *Conversion }

func (t *toyReader) Read(r *Record) error {
	s := t.c.Session("")
	list := []Value{r.Value}
	pointer := func(i int) string { return "" }
	if all := r.Value.Get("all"); all != nil {
		list = nil
		for _, v := range all.Elements() {
			list = append(list, v)
		}
		pointer = func(i int) string { return fmt.Sprintf("/all/%d", i) }
	}
	for i, v := range list {
		r.At(pointer(i))
		switch {
		case v.Get("call") != nil:
			s.Attempt(Call{ID: v.Get("call").Key(), Tool: v.Get("tool").Text(), Args: v.Get("args")})
		case v.Get("result") != nil:
			s.Finish(v.Get("result").Key(), "", Result{Response: v.Get("response"), Denied: v.Get("denied").Text()})
		case v.Get("say") != nil:
			s.Turn()
			s.Say(v.Get("say").Text())
			r.Context()
		case v.Get("bad") != nil:
			return fmt.Errorf("is bad")
		default:
			r.Skip("other")
		}
	}
	return nil
}

func (t *toyReader) End() {}

// convert imports a text into the ledger in dir and returns the report.
func convert(t *testing.T, dir string, f *Format, text string) *Report {
	t.Helper()
	return importFile(t, dir, writeFile(t, "toy.jsonl", text), f, nil)
}

func TestConversion(t *testing.T) {
	dir := t.TempDir()
	text := `{"say":"first"}
{"call":"a","tool":"ls","args":"{\"x\":1}"}
{"call":"a","tool":"rm","args":{}}
{"result":"a","response":1}{"result":"a","response":null,"denied":"no"}

{"x":
{"bad":1}
{"call":"b","tool":"cat"}
{"what":"\ud800"}
`
	report := convert(t, dir, &toyFormat, text)
	want := `0 "ATTEMPT" "a" "ls" {"x":1} "first"
1 "ATTEMPT" "toy:1:a" "rm" "DENIED" {} "first"
2 "COMPLETE" "a" "ls" 1
3 "ERROR" "toy:1:a" "rm" null
4 "ATTEMPT" "b" "cat" "first"`
	if got := strings.Join(entriesOf(t, dir), "\n"); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	got := fmt.Sprintf("%+v", *report)
	for _, want := range []string{"Lines:9 Source:4 Context:1 Repeated:0 Skipped:2 Refused:2", "Calls:3 Unanswered:1 Denied:1 Errors:1", "Added:5 Known:0"} {
		if !strings.Contains(got, want) {
			t.Errorf("report %s\nwant %s", got, want)
		}
	}

	// It grows: what is there is known.
	report = convert(t, dir, &toyFormat, text+`{"result":"b","response":"x"}`+"\n")
	if report.Added != 1 || report.Known != 5 {
		t.Errorf("the same file, grown: %d added, %d known; want 1, 5", report.Added, report.Known)
	}
	report = convert(t, dir, &toyFormat, strings.Replace(text, "ls", "lo", 1))
	if report.Added != 0 || report.Refused != 4 {
		t.Errorf("a file that was changed: %d added, %d lines refused; want 0, 4", report.Added, report.Refused)
	}
}

func TestConversionOfDocument(t *testing.T) {
	report := convert(t, t.TempDir(), &toyFormat, `[
  {
    "all": [
      {"say": "x"},
      {
        "call": 1, "tool": "ls"
      },
      {"result": 1},
      {"else": 1}
    ]
  },
  {"call": 2, "tool": "ls"}, {"bad": 1},
  {"what": 1}
]
`)
	got := fmt.Sprintf("%+v", *report)
	for _, want := range []string{"Lines:14 Source:4 Context:1 Repeated:0 Skipped:8 Refused:1", "Calls:2 Unanswered:1", "Added:3"} {
		if !strings.Contains(got, want) {
			t.Errorf("report %s\nwant %s", got, want)
		}
	}
}

// A request is of one call in all sessions of a file, and a result that comes once more is known
// by the id that the source has, whatever the request.
func TestRequestsOfAFile(t *testing.T) {
	f := &Format{Name: "toy", New: func(c *Conversion) Reader {
		return readerFunc(func(r *Record) error {
			s := c.Session(r.Value.Get("s").Text())
			if tool := r.Value.Get("tool"); tool != nil {
				s.Turn()
				s.Attempt(Call{ID: "a", Tool: tool.Text()})
				return nil
			}
			s.Finish("a", "", Result{Response: r.Value.Get("response")})
			return nil
		})
	}}
	dir := t.TempDir()
	report := convert(t, dir, f, `{"s":"x","tool":"ls"}
{"s":"x","response":1}
{"s":"y","tool":"ls"}
{"s":"y","response":2}
{"s":"y","response":2}
{"s":"y","response":3}
`)
	want := `0 "ATTEMPT" "a" "ls"
1 "COMPLETE" "a" "ls" 1
0 "ATTEMPT" "y:0:a" "ls"
1 "COMPLETE" "y:0:a" "ls" 2
2 "COMPLETE" "y:0:a" "ls" 3`
	if got := strings.Join(entriesOf(t, dir), "\n"); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if report.Repeated != 1 || report.Unanswered != 0 {
		t.Errorf("%d lines repeated, %d calls unanswered; want 1, 0", report.Repeated, report.Unanswered)
	}
}

// A readerFunc is a reader that needs no end.
type readerFunc func(*Record) error

func (f readerFunc) Read(r *Record) error { return f(r) }
func (f readerFunc) End()                 {}

// A verdict that its call has no room for refuses its line, and nothing else.
func TestVerdictTooLarge(t *testing.T) {
	f := &Format{Name: "toy", New: func(c *Conversion) Reader {
		return readerFunc(func(r *Record) error {
			s := c.Session("")
			if id := r.Value.Get("call"); id != nil {
				s.Attempt(Call{ID: id.Text(), Tool: "ls"})
			} else {
				s.Decide("a", Verdict{Authorization: "DENIED", Policy: strings.Repeat("p", 40<<10)})
			}
			return nil
		})
	}}
	dir := t.TempDir()
	report := convert(t, dir, f, `{"call":"a"}
{"verdict":1}
{"call":"b"}
`)
	got := strings.Join(entriesOf(t, dir), "\n")
	if want := `0 "ATTEMPT" "a" "ls"` + "\n" + `1 "ATTEMPT" "b" "ls"`; got != want || report.Refused != 1 {
		t.Errorf("got\n%s\nwant\n%s\n%d lines refused, want 1", got, want, report.Refused)
	}
}
