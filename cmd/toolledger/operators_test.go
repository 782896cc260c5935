package main

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"toolledger/chain"
)

// output runs a command line in this process and returns its standard output, and the status.
func output(t *testing.T, args ...string) (string, int) {
	t.Helper()
	var out, err strings.Builder
	status := run(stdio{nil, &out, &err}, args)
	if status > 1 {
		t.Fatalf("%q: status %d: %s", args, status, err.String())
	}
	return out.String(), status
}

// randomTranscript has few different calls, some of them with names and values that a terminal
// would take for more than text.
func randomTranscript(r *rand.Rand) string {
	tools := []string{"ls", "cat", "write_file", "run_command", "", "l\u001b[2J\u202es'\"", "查询"}
	values := []string{`1`, `1.0`, `"a"`, `"\u202e\u0085\u007f\u2028\n\"\\"`, `{"z":1,"a":[{},[]],"é":9007199254740993}`, `null`}
	var b strings.Builder
	for i := range r.IntN(40) {
		tool, _ := json.Marshal(tools[r.IntN(1+r.IntN(len(tools)))])
		fmt.Fprintf(&b, "{\"index\": %d, \"tool\": %s, \"args\": {\"p\": %s}, \"response\": {\"r\":%s}}\n", i, tool, values[r.IntN(1+r.IntN(len(values)))], values[r.IntN(1+r.IntN(2))])
	}
	return b.String()
}

// transcripts returns files of transcripts by name: random ones, the samples, and the published
// ones of ToolReplay where they are there, the sealed ones without their seal.
func transcripts(t *testing.T) map[string]string {
	texts := map[string]string{}
	r := rand.New(rand.NewPCG(1, 2))
	for i := range 30 {
		texts[fmt.Sprint("random-", i)] = randomTranscript(r)
	}
	for _, dir := range []string{"../../samples", "../../../shared/data/toolreplay"} {
		files, _ := filepath.Glob(filepath.Join(dir, "*.jsonl"))
		if len(files) == 0 {
			t.Logf("%s has no transcripts here", dir)
		}
		for i, file := range files {
			if filepath.Base(file) == "agents.jsonl" { // entries of sessions
				continue
			}
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			texts[fmt.Sprint(filepath.Base(dir), i)] = unsealed(t, string(text))
		}
	}
	return texts
}

// unsealed takes digest and prev off the lines that have them.
func unsealed(t *testing.T, text string) string {
	var out strings.Builder
	for line := range strings.Lines(text) {
		canonical, err := chain.Canonical(nil, []byte(line))
		if err != nil {
			t.Fatal(err)
		}
		var members []string
		for name, value := range chain.Members(canonical) {
			if n := chain.Unquote(name); n != "digest" && n != "prev" {
				members = append(members, string(name)+":"+string(value))
			}
		}
		out.WriteString("{" + strings.Join(members, ",") + "}\n")
	}
	return out.String()
}

// importTexts writes texts into files of a folder and imports them, each as a session.
func importTexts(t *testing.T, dir, led string, texts map[string]string) {
	t.Helper()
	args := []string{"import", "-l", led}
	for name, text := range texts {
		file := filepath.Join(dir, name+".jsonl")
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		args = append(args, file)
	}
	output(t, args...)
}

// foundIn returns the findings of a query by session, as a command on a file prints them.
func foundIn(t *testing.T, led, query string) map[string]string {
	t.Helper()
	found := map[string]string{}
	rows, _ := output(t, "query", "-l", led, "--format", "tsv", query+` | project session, strcat("index ", index, ": ", kind, ": ", detail)`)
	for i, row := range strings.Split(strings.TrimSuffix(rows, "\n"), "\n") {
		if i > 0 {
			session, line, _ := strings.Cut(row, "\t")
			found[session] += strings.ReplaceAll(line, `\\`, `\`) + "\n"
		}
	}
	return found
}

// findingsOf returns the findings in what a command prints.
func findingsOf(report string) string {
	_, found, _ := strings.Cut(report, "\nfindings: ")
	_, found, _ = strings.Cut(found, "\n")
	return found
}

// TestScopeAsFile holds the operator scope against the command on the files that the sessions
// were imported from, with the policy of one agent, and with rules as they are for any agent
// and for one in a role.
func TestScopeAsFile(t *testing.T) {
	dir, led := t.TempDir(), filepath.Join(t.TempDir(), "led")
	texts := transcripts(t)
	importTexts(t, dir, led, texts)
	agent, role := "docs-\u202e1", "it's"
	policies := map[string]string{
		"a.json": `{"agent": "docs-reader", "allowed_tools": ["ls", "read_file", "查询"]}`,
		"b.json": `{"rules": [
		  {"id": "most", "allow": ["*s", "c?t", "read_*"], "args": {"p": {"max": 1}}},
		  {"id": "some", "agents": ["docs-*"], "roles": ["it's"], "allow": ["*"], "args": {"p.é": {"min": 9007199254740993}}},
		  {"id": "paths", "allow": ["*"], "args": {"path": {"inside": "docs"}}},
		  {"id": "never", "deny": ["run_*", ""]}, {"id": "no-a", "deny": ["*"], "args": {"p": {"one_of": ["a", null]}}}]}`,
	}
	for name, policy := range policies {
		file := filepath.Join(dir, name)
		if err := os.WriteFile(file, []byte(policy), 0o600); err != nil {
			t.Fatal(err)
		}
		for query, flags := range map[string][]string{
			"entries": nil,
			fmt.Sprintf("entries | extend agent = \"%s\", role = \"%s\"", agent, role): {"--agent", agent, "--role", role},
		} {
			if name == "a.json" && flags != nil {
				continue // it names its agent
			}
			found := foundIn(t, led, fmt.Sprintf("%s | scope %q", query, file))
			findings := 0
			for session := range texts {
				report, _ := output(t, append([]string{"scope", filepath.Join(dir, session+".jsonl"), file}, flags...)...)
				want := findingsOf(report)
				if want != found[session] {
					t.Errorf("%s, %s of %s: the operator finds\n%sthe command\n%s%s", query, name, session, found[session], want, texts[session])
				}
				findings += strings.Count(want, "\n")
			}
			if findings < 100 {
				t.Errorf("%s, %s: %d findings are too few to compare", query, name, findings)
			}
		}
	}
}

// TestOperatorsAsFiles holds replay and seal as operators against the commands on the files
// that the sessions were imported from: but for loops, which only the operator knows, they say
// the same, byte for byte.
func TestOperatorsAsFiles(t *testing.T) {
	dir, led := t.TempDir(), filepath.Join(t.TempDir(), "led")
	texts := transcripts(t)
	importTexts(t, dir, led, texts)
	found := foundIn(t, led, `entries | replay | where kind != "loop"`)
	findings := 0
	for name := range texts {
		file := filepath.Join(dir, name+".jsonl")
		report, _ := output(t, "replay", file)
		want := findingsOf(report)
		if want != found[name] {
			t.Errorf("%s: the operator finds\n%sthe command\n%s%s", name, found[name], want, texts[name])
		}
		findings += strings.Count(want, "\n")
		sealed, _ := output(t, "seal", file)
		got, _ := output(t, "query", "-l", led, "--format", "jsonl", fmt.Sprintf(`entries | where session == "%s" | seal`, name))
		if got != sealed {
			t.Errorf("%s: the operator seals\n%sthe command\n%s", name, got, sealed)
		}
	}
	if findings < 100 {
		t.Errorf("%d findings are too few to compare", findings)
	}
}

// TestPublishedSeal imports the calls of the sealed sample and seals them again.
func TestPublishedSeal(t *testing.T) {
	want, err := os.ReadFile("../../samples/sealed.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	file := filepath.Join(dir, "s.jsonl")
	if err := os.WriteFile(file, []byte(unsealed(t, string(want))), 0o600); err != nil {
		t.Fatal(err)
	}
	output(t, "import", "-l", filepath.Join(dir, "led"), file)
	if got, _ := output(t, "query", "-l", filepath.Join(dir, "led"), "--format", "jsonl", "entries | seal"); got != string(want) {
		t.Errorf("sealed again:\n%s", got)
	}
}
