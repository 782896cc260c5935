package capture

import (
	"fmt"
	"strings"
	"testing"

	"toolledger/chain"
)

func TestTranscript(t *testing.T) {
	call := func(index string) string {
		return `{"index":` + index + `,"tool":"t","args":{},"response":{}}` + "\n"
	}
	for _, test := range []struct{ name, in, want string }{
		{"empty", "", ""},
		{"in order", call("0") + "\n" + call("1"), "0 1 "},
		{"does not begin at 0", call("1"), "line 1: index: expected 0, found 1"},
		{"a gap", call("0") + "\n" + call("2"), "0 line 3: index: expected 1, found 2"},
		{"the same twice", call("0") + call("0"), "0 line 2: index: expected 1, found 0"},
		{"order before a later line that is no JSON", call("1") + "x", "line 1: index: expected 0, found 1"},
		{"another member", call("0") + `{"a":1}`, "0 line 2: unexpected field(s): a; missing field(s): args, index, response, tool"},
	} {
		got := ""
		for index, err := range Transcript(strings.NewReader(test.in), false, Each(func(c *chain.Call) uint64 { return c.Index })) {
			if err != nil {
				got += err.Error()
			} else {
				got += fmt.Sprint(index, " ")
			}
		}
		if got != test.want {
			t.Errorf("%s: %s, want %s", test.name, got, test.want)
		}
	}
}

// TestTranscriptStays checks what a result keeps of a call while others are parsed.
func TestTranscriptStays(t *testing.T) {
	var in strings.Builder
	for i := range 20_000 {
		fmt.Fprintf(&in, `{"index": %d, "tool": "t%[1]d", "args": {"b": %[1]d, "a": 1}, "response": {}}`+"\n", i)
	}
	i := 0
	for c, err := range Transcript(strings.NewReader(in.String()), false, Each(func(c *chain.Call) chain.Call { return *c })) {
		if err != nil {
			t.Fatal(err)
		}
		if want := fmt.Sprintf(`"t%d" {"a":1,"b":%[1]d}`, i); fmt.Sprintf("%s %s", c.Tool, c.Args) != want {
			t.Fatalf("call %d is %s %s", i, c.Tool, c.Args)
		}
		i++
	}
	if i != 20_000 {
		t.Errorf("%d calls", i)
	}
}
