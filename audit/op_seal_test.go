package audit

import (
	"strings"
	"testing"

	"toolledger/chain"
)

// sealed is what seal gives of a transcript.
func sealed(t *testing.T, lines ...string) string {
	t.Helper()
	var out strings.Builder
	sealer := chain.NewSealer()
	for _, line := range lines {
		text := &chain.Text{}
		if _, err := text.Canonical(nil, []byte(line)); err != nil {
			t.Fatal(err)
		}
		c, err := chain.ParseCall(text, false)
		if err != nil {
			t.Fatal(err)
		}
		sealer.Seal(&out, &c)
	}
	return out.String()
}

func TestSealOperator(t *testing.T) {
	one := `{"index":0,"tool":"ls","args":{"b":1,"a":2.0},"response":{"r":"\u001b\u202e\u0085\u007f\"é"}}`
	two := `{"index":1,"tool":"l\u2028'\"s","args":{},"response":{"n":9007199254740993}}`
	for _, c := range []struct{ name, query, want, hints string }{
		{"nothing", entryRows() + " | seal", "", ""},
		{"a transcript", entryRows(one, two) + " | seal", sealed(t, one, two), ""},
		{"rows in any order", entryRows(two, one) + " | seal", sealed(t, one, two), ""},
		{"calls count from 0", entryRows(`{"index":7,"tool":"ls","response":{}}`) + " | seal", sealed(t, `{"index":0,"tool":"ls","args":{},"response":{}}`), ""},
		{"phases are put together, in the order of the answers", entryRows(
			`{"request":"q","phase":"ATTEMPT","tool":"ls","args":{"p":1}}`, `{"tool":"cat","args":{},"response":{}}`, `{"request":"q","phase":"COMPLETE","response":{"r":1}}`) + " | seal",
			sealed(t, `{"index":0,"tool":"cat","args":{},"response":{}}`, `{"index":1,"tool":"ls","args":{"p":1},"response":{"r":1}}`), ""},
		{"denied calls are left out", entryRows(one, `{"index":5,"request":"q","phase":"ATTEMPT","tool":"ls","authorization":"DENIED"}`) + " | seal",
			sealed(t, one), "seal: calls that were denied are left out: 1"},
		{"several sessions", entryRows(one, `{"session":"t","index":0,"tool":"ls","response":{}}`) + " | seal",
			sealed(t, one) + sealed(t, `{"index":0,"tool":"ls","args":{},"response":{}}`), "seal: these are the chains of 2 sessions, one behind the other; verify takes one at a time"},
		{"several sessions, named", entryRows(`{"tool":"ls","agent":"a","request":"q","response":{}}`, `{"session":"t","index":0,"tool":"ls","response":{}}`) +
			` | seal keep=dynamic(["session", "agent", "request"]) | project session, agent, request, index`,
			`{"session":"s","agent":"a","request":"q","index":0}` + "\n" + `{"session":"t","agent":"","request":"","index":0}` + "\n", ""},
		{"a response that is no object", entryRows(`{"index":0,"tool":"ls","args":{},"response":["x"]}`) + " | seal | project response",
			`{"response":["x"]}` + "\n", "seal: args or response is no object, as a transcript has it, or a line too long, so that verify refuses the file: 1 calls"},
		{"not as the last operator: characters that act are escaped", entryRows(one) + " | seal | project response",
			`{"response":{"r":"\u001b\u202e\u0085\u007f\"é"}}` + "\n", ""},
	} {
		got, hints := ask(c.query, "jsonl")
		if got != c.want || strings.Join(hints, "\n") != c.hints {
			t.Errorf("%s:\n got %s %q\nwant %s %q", c.name, got, hints, c.want, c.hints)
		}
	}
}

func TestSealFaults(t *testing.T) {
	for query, want := range map[string]string{
		entryRows(aCall, `{"session":"t","tool":"ls","args":{},"response":{},"removed":["/args/p"]}`) + " | seal": `seal: a value was removed from the call at index 1 of session t, so that it can have no seal; leave the session out`,
		entryRows(aCall) + ` | seal keep=dynamic(["digest"])`:                                                     `keep: expected session, agent or request, each once, found "digest"`,
		entryRows(aCall) + ` | seal keep=dynamic(["session","session"])`:                                          `keep: expected session, agent or request, each once, found "session"`,
		entryRows(aCall) + ` | seal "x"`:                                                                          "expected seal keep=",
		entryRows(aCall) + ` | project-away args | seal`:                                                          "seal needs the column 'args' (dynamic)",
	} {
		if got, _ := ask(query, "jsonl"); !strings.Contains(got, want) || strings.Contains(got, `{"args"`) {
			t.Errorf("%s: %q, want %q", query, got, want)
		}
	}
}
