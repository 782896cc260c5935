package capture

import (
	"bytes"
	"flag"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"toolledger/chain"
)

var rewrite = flag.Bool("rewrite", false, "write the listings anew that the tests compare with")

// eachFile runs a test for each file of testdata: those of a format stand in a folder of its name.
func eachFile(t *testing.T, use func(t *testing.T, f *Format, path string)) {
	for _, f := range Formats {
		if f.New == nil || f == &permissionFormat {
			continue // see TestScript
		}
		files, err := filepath.Glob(filepath.Join("testdata", f.Name, "*"))
		if err != nil || len(files) == 0 {
			t.Errorf("no files of %s: %v", f.Name, err)
		}
		for _, path := range files {
			if filepath.Ext(path) != ".golden" {
				t.Run(f.Name+"/"+filepath.Base(path), func(t *testing.T) { use(t, f, path) })
			}
		}
	}
}

// Every irregularity that the formats are known for, in a file written for it: what becomes of each line,
// and each entry with all of its members.
func TestGolden(t *testing.T) {
	eachFile(t, func(t *testing.T, f *Format, path string) {
		dir := t.TempDir()
		report := importFile(t, dir, path, nil, nil)
		if report.Format != f.Name {
			t.Errorf("detected as %s", report.Format)
		}
		got := account(report) + listing(t, dir)
		golden := path + ".golden"
		if *rewrite {
			if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(golden)
		if err != nil {
			t.Fatal(err)
		}
		if got != string(want) {
			t.Errorf("%s is another now; -rewrite writes it:\n%s", golden, firstDifference(got, string(want)))
		}
		if again := importFile(t, dir, path, f, nil); again.Added != 0 || again.Known != report.Added || again.Refused != report.Refused {
			t.Errorf("the same file again: %d added, %d known of %d, %d refused", again.Added, again.Known, report.Added, again.Refused)
		}
	})
}

// firstDifference returns some lines from where two texts differ.
func firstDifference(got, want string) string {
	a, b := strings.Split(got, "\n"), strings.Split(want, "\n")
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return "got\n" + strings.Join(a[n:min(n+5, len(a))], "\n") + "\nwant\n" + strings.Join(b[n:min(n+5, len(b))], "\n")
}

// A file that grows ends with the calls and results of one that was imported whole. Only a verdict
// that comes after its call was taken is an entry more.
func TestGrown(t *testing.T) {
	eachFile(t, func(t *testing.T, f *Format, path string) {
		if filepath.Ext(path) != ".jsonl" {
			return // a document grows as a whole
		}
		grows(t, f, path, 5)
	})
}

// grows imports the beginnings of a file, step lines more each time, and wants what one import makes.
func grows(t *testing.T, f *Format, path string, step int) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	whole := t.TempDir()
	want := importFile(t, whole, path, f, nil)
	lines := strings.SplitAfter(string(text), "\n")
	grown, part := t.TempDir(), filepath.Join(t.TempDir(), filepath.Base(path))
	// A trace that is cut has not all that is told of it later: what names its session is there from the first on.
	from := 1
	if name := map[*Format]string{&otlpFormat: "invoke_agent", &langsmithFormat: "thread_id"}[f]; name != "" {
		from = 1 + slices.IndexFunc(lines, func(line string) bool { return strings.Contains(line, name) })
	}
	for n := from; n < len(lines); n += step {
		importFile(t, grown, writeFile(t, filepath.Base(part), strings.Join(lines[:n], "")), f, nil)
	}
	got := importFile(t, grown, path, f, nil)
	if counted(got) != counted(want) || got.Refused != want.Refused {
		t.Errorf("%s, refused %d; at once %s, refused %d", counted(got), got.Refused, counted(want), want.Refused)
	}
	if again := importFile(t, grown, path, f, nil); again.Added != 0 {
		t.Errorf("once more: %d entries added", again.Added)
	}
	if a, b := factsOf(t, whole), factsOf(t, grown); a != b {
		t.Errorf("makes\n%s\nat once\n%s", b, a)
	}
}

// factsOf returns the calls of a ledger and their results, sorted. That a call began may be told of one that turns out
// to be denied.
func factsOf(t *testing.T, dir string) string {
	t.Helper()
	var lines []string
	for _, e := range storedIn(t, dir) {
		if phase := e.text(chain.Phase); phase != "" && phase != "START" {
			lines = append(lines, e.session+e.values(chain.Phase, chain.Request, chain.Tool, chain.Args, chain.Response))
		}
	}
	slices.Sort(lines)
	return strings.Join(lines, "\n")
}

// TestDetect finds the format of each file of the data beside the checkout, and of none that has none.
func TestDetect(t *testing.T) {
	want := map[string]string{"anthropic-managed-agents": "anthropic", "claude-code": "claude-code", "mcp-stdio": "mcp", "mini-swe-agent": "mini-swe-agent",
		"openai-chat": "openai-chat", "otlp-json": "otlp", "swe-agent": "swe-agent", "toolreplay": "toolreplay", "data": ""}
	seen := 0
	err := filepath.WalkDir(sharedFile(t, ""), func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		name := ""
		if f, err := Detect(bytes.NewReader(text)); err == nil {
			name = f.Name
		}
		format := want[filepath.Base(filepath.Dir(path))]
		if d.Name() == "scope.json" {
			format = ""
		}
		if seen++; name != format {
			t.Errorf("%s: format %q, want %q", path, name, format)
		}
		return nil
	})
	if err != nil || seen == 0 {
		t.Errorf("%d files, error %v", seen, err)
	}
}
