package main

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"toolledger/db/dbtest"
	"toolledger/shell"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"toolledger": main, "toolledger-panics": panics, "tamper": tamper})
}

// panics is a shell with a command that panics.
func panics() {
	s := shell.New(shell.Config{Ledger: new(askedLedger), Out: os.Stdout, Err: os.Stderr, Terminal: true, Commands: []shell.Command{
		{Name: "panic", Run: func(context.Context, *shell.Shell, string) error { panic("for the test") }}}})
	if err := new(shellFlags).interact(stdio{os.Stdin, os.Stdout, os.Stderr}, s, new(askedLedger)); err != nil {
		os.Exit(9)
	}
}

var update = flag.Bool("update", false, "write what the scripts print into them")

func TestScript(t *testing.T) {
	samples, err := filepath.Abs("../../samples")
	if err != nil {
		t.Fatal(err)
	}
	testscript.Run(t, testscript.Params{
		Dir:           "testdata/script",
		UpdateScripts: *update,
		Setup: func(env *testscript.Env) error {
			env.Setenv("SAMPLES", samples)
			env.Setenv("TMPDIR", env.WorkDir)
			return nil
		},
		Condition: func(cond string) (bool, error) {
			if cond == "root" {
				return os.Geteuid() == 0, nil
			}
			return false, fmt.Errorf("no condition %q", cond)
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"exits":    exits,
			"sameline": sameline,
		},
	})
}

// exits STATUS runs a command line with the shell, so that a story can show
// pipes, and holds its exit status against the one expected. Its output is
// written to the files out and err.
func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: exits STATUS 'COMMAND LINE'")
	}
	cmd := exec.Command("sh", "-c", args[1])
	cmd.Dir = ts.Getenv("WORK")
	cmd.Env = append(os.Environ(), "SAMPLES="+ts.Getenv("SAMPLES"), "TMPDIR="+ts.Getenv("TMPDIR"))
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Run()
	if cmd.ProcessState == nil {
		ts.Fatalf("%v", err)
	}
	ts.Check(os.WriteFile(ts.MkAbs("out"), stdout.Bytes(), 0o666))
	ts.Check(os.WriteFile(ts.MkAbs("err"), stderr.Bytes(), 0o666))
	if got := fmt.Sprint(cmd.ProcessState.ExitCode()); got != args[0] {
		ts.Fatalf("exit status %s, want %s\n%s%s", got, args[0], &stdout, &stderr)
	}
}

// tamper DIR OLD NEW, a program of its own for the memory that a store takes, changes a text in
// an entry of a ledger, unseen by its checksums.
func tamper() {
	if err := dbtest.Tamper(os.Args[1], os.Args[2], os.Args[3]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
}

// sameline checks that a file has exactly one line, and which.
func sameline(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: sameline FILE 'LINE'")
	}
	if got := ts.ReadFile(args[0]); got != args[1]+"\n" {
		ts.Fatalf("%s has\n%s\nwant the line\n%s", args[0], got, args[1])
	}
}

// layers says which packages of ours a package may import, and which modules.
// A package that is not listed may not exist.
var layers = map[string]struct{ ours, modules []string }{
	"chain":               {[]string{"chain/internal/sha2"}, []string{"golang.org/x/mod"}},
	"chain/internal/sha2": {nil, nil},
	"db":                  {[]string{"chain", "db/internal/column", "db/internal/guard"}, []string{"github.com/cespare/xxhash/v2", "github.com/dgraph-io/badger/v4"}},
	"db/internal/column":  {nil, []string{"github.com/cespare/xxhash/v2", "github.com/klauspost/compress"}},
	"db/internal/guard":   {nil, []string{"github.com/cespare/xxhash/v2", "github.com/dgraph-io/badger/v4", "github.com/dgraph-io/ristretto/v2", "golang.org/x/sys", "google.golang.org/protobuf"}},
	"capture":             {[]string{"chain", "db"}, []string{"github.com/go-json-experiment/json", "github.com/klauspost/compress"}},
	"db/dbtest":           {nil, []string{"github.com/cespare/xxhash/v2", "github.com/dgraph-io/badger/v4"}},
	"query":               {[]string{"chain", "db"}, []string{"github.com/agnivade/levenshtein", "github.com/alecthomas/participle/v2", "github.com/cespare/xxhash/v2", "github.com/rivo/uniseg"}},
	"audit":               {[]string{"chain", "db", "query"}, []string{"github.com/cedar-policy/cedar-go", "go.yaml.in/yaml/v3"}},
	"shell":               {[]string{"query"}, []string{"github.com/peterh/liner"}},
	"cmd/toolledger":      {[]string{"audit", "capture", "chain", "db", "query", "samples/rules", "shell"}, []string{"github.com/cespare/xxhash/v2", "github.com/spf13/pflag", "golang.org/x/term"}},
	"samples/embed":       {[]string{"db"}, nil},
	"samples/generate":    {nil, nil},
	"samples/rules":       {nil, nil},
}

func TestLayers(t *testing.T) {
	root := os.DirFS("../..")
	err := fs.WalkDir(root, ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && path != "." && strings.HasPrefix(d.Name(), ".") {
			return fs.SkipDir
		}
		if !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return nil
		}
		text, err := fs.ReadFile(root, path)
		if err != nil {
			return err
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, text, parser.ImportsOnly)
		if err != nil {
			return err
		}
		pkg := filepath.ToSlash(filepath.Dir(path))
		may, ok := layers[pkg]
		if !ok {
			t.Errorf("package %s is not in the table of layers", pkg)
		}
		for _, spec := range file.Imports {
			imported := strings.Trim(spec.Path.Value, `"`)
			ours, isOurs := strings.CutPrefix(imported, "toolledger/")
			switch first, _, _ := strings.Cut(imported, "/"); {
			case isOurs && !slices.Contains(may.ours, ours), strings.Contains(first, ".") && !slices.ContainsFunc(may.modules, func(m string) bool { return strings.HasPrefix(imported+"/", m+"/") }):
				t.Errorf("%s may not import %s", path, imported)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestReadme runs the session that the README shows and holds every file that it
// names against the tree.
func TestReadme(t *testing.T) {
	text, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, session, _ := strings.Cut(string(text), "```console\n")
	session, _, ok := strings.Cut(session, "```\n")
	if !ok {
		t.Fatal("no session in the README")
	}
	dir := t.TempDir()
	if err := os.CopyFS(filepath.Join(dir, "samples"), os.DirFS("../../samples")); err != nil {
		t.Fatal(err)
	}
	var script, want strings.Builder
	for line := range strings.Lines(session) {
		if command, ok := strings.CutPrefix(line, "$ "); ok {
			script.WriteString(command)
		} else {
			want.WriteString(line)
		}
	}
	cmd := exec.Command("sh", "-c", script.String())
	cmd.Dir = dir
	if got, _ := cmd.CombinedOutput(); string(got) != want.String() {
		t.Errorf("the README's session prints\n%s\nwant\n%s", got, &want)
	}
	example, err := os.ReadFile("../../db/example_test.go")
	if err != nil {
		t.Fatal(err)
	}
	_, code, _ := strings.Cut(string(text), "```go\n")
	code, _, _ = strings.Cut(code, "```")
	if code == "" || !strings.Contains(strings.ReplaceAll(string(example), "\n\t", "\n"), code) {
		t.Errorf("the README shows other code than the example:\n%s", code)
	}
	_, reading, ok := strings.Cut(string(text), "## Reading the source\n")
	if !ok {
		t.Fatal("no 'Reading the source' in the README")
	}
	files := 0
	for i, word := range strings.Split(reading, "`") {
		if i%2 == 1 && strings.Contains(word, "/") {
			files++
			if _, err := os.Stat(filepath.Join("../..", word)); err != nil {
				t.Errorf("the README names %s: %v", word, err)
			}
		}
	}
	if files < 5 {
		t.Errorf("the README names %d files to read", files)
	}
}

// TestHelp runs the example in each command's help where the samples have its files.
func TestHelp(t *testing.T) {
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS("../../samples")); err != nil {
		t.Fatal(err)
	}
	for _, c := range commands() {
		if c.short == "" || c.example == "" || strings.TrimSpace(c.example)[0] != '$' {
			t.Errorf("%s: help lacks a line or an example", c.name)
			continue
		}
		first, want, _ := strings.Cut(strings.TrimSpace(c.example), "\n")
		line := strings.TrimPrefix(first, "$ ")
		if want == "" {
			continue // shows no output
		}
		cmd := exec.Command("sh", "-c", line)
		cmd.Dir = dir
		if got, _ := cmd.CombinedOutput(); strings.TrimSpace(string(got)) != want {
			t.Errorf("$ %s\n%swant\n%s", line, got, want)
		}
	}
}
