package audit

import (
	"errors"
	"iter"
	"strings"
	"testing"

	"toolledger/chain"
)

// accesses reads "tool args" pairs, args in JSON without spaces. An element "error" is an
// error.
func accesses(p Policy, lines ...string) iter.Seq2[Access, error] {
	of := AccessOf(p, "", "")
	return func(yield func(Access, error) bool) {
		for i, line := range lines {
			if line == "error" {
				yield(Access{}, errors.New("the input ends here"))
				return
			}
			tool, args, _ := strings.Cut(line, " ")
			if !yield(of(&chain.Call{Index: uint64(i), Tool: chain.Quote(tool), Args: []byte(args)}), nil) {
				return
			}
		}
	}
}

func TestScope(t *testing.T) {
	s, err := ParseScope([]byte(`{"agent": "docs'\u202e", "allowed_tools": ["ls", "c\"at", "ls"]}`))
	if err != nil {
		t.Fatal(err)
	}
	got := list(Findings(s, accesses(s, "ls {}", "Ls {}", `c"at {}`, "ls  {}", `l" {}`, "error")))
	want := `index 1: permission-overreach: tool 'Ls' is not in the declared scope for agent 'docs\x27\u202e'
index 4: permission-overreach: tool 'l\x22' is not in the declared scope for agent 'docs\x27\u202e'
the input ends here`
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	none, err := ParseScope([]byte(`{"agent":"","allowed_tools":[]}`))
	if err != nil || list(Findings(none, accesses(none, "ls {}"))) == "" {
		t.Errorf("an agent without tools: %v, or its call is allowed", err)
	}
}

func TestParseScopeRefuses(t *testing.T) {
	for in, want := range map[string]string{
		``:                                      "byte 0: expected a JSON value, found nothing",
		`[]`:                                    `expected an object, as {"agent": "a", "allowed_tools": ["t"]}`,
		`{"agent":"a"}`:                         "missing field(s): allowed_tools (an array of strings)",
		`{"allowed_tools":[]}`:                  "missing field(s): agent (a string)",
		`{"agent":1,"allowed_tools":[]}`:        "agent: expected a string",
		`{"agent":"a","allowed_tools":"x"}`:     "allowed_tools: expected an array of strings",
		`{"agent":"a","allowed_tools":["x",1]}`: "allowed_tools: expected an array of strings, element 1 is none",
		`{"agent":"a","allowed_tools":["x",["y"]]}`:   "allowed_tools: expected an array of strings, element 1 is none",
		`{"agent":"a","allowed_tools":[],"b":1}`:      "unexpected field(s): b",
		`{"agent":"a","allowed_tools":[],"agent":""}`: `byte 32: duplicate member "agent"`,
	} {
		if _, err := ParseScope([]byte(in)); err == nil || err.Error() != want {
			t.Errorf("ParseScope(%s): error %v, want %s", in, err, want)
		}
	}
}
