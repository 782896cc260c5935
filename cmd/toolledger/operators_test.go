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

// TestOperatorsAsFiles holds replay and seal as operators against the commands on the files
// that the sessions were imported from: but for loops, which only the operator knows, they say
// the same, byte for byte.
func TestOperatorsAsFiles(t *testing.T) {
	dir := t.TempDir()
	led := filepath.Join(dir, "led")
	texts := transcripts(t)
	args := []string{"import", "-l", led}
	for name, text := range texts {
		file := filepath.Join(dir, name+".jsonl")
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		args = append(args, file)
	}
	output(t, args...)
	found := map[string]string{}
	rows, _ := output(t, "query", "-l", led, "--format", "tsv", `entries | replay | where kind != "loop" | project session, strcat("index ", index, ": ", kind, ": ", detail)`)
	for i, row := range strings.Split(strings.TrimSuffix(rows, "\n"), "\n") {
		if i > 0 {
			session, line, _ := strings.Cut(row, "\t")
			found[session] += strings.ReplaceAll(line, `\\`, `\`) + "\n"
		}
	}
	findings := 0
	for name := range texts {
		file := filepath.Join(dir, name+".jsonl")
		report, _ := output(t, "replay", file)
		_, want, _ := strings.Cut(report, "\nfindings: ")
		if _, want, _ = strings.Cut(want, "\n"); want != found[name] {
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
