package capture

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"toolledger/chain"
	"toolledger/db"
)

var rewrite = flag.Bool("rewrite", false, "write the listings anew that the tests compare with")

// familyFiles returns the small files of the formats of this family, by format.
func familyFiles(t *testing.T, use func(t *testing.T, f *Format, path string)) {
	for _, f := range []*Format{&codexFormat, &openaiChatFormat, &openaiResponsesFormat, &sweAgentFormat, &miniSWEAgentFormat} {
		files, err := filepath.Glob(filepath.Join("testdata", f.Name, "*"))
		if err != nil || len(files) == 0 {
			t.Fatalf("no files of %s: %v", f.Name, err)
		}
		for _, path := range files {
			if filepath.Ext(path) != ".golden" {
				t.Run(f.Name+"/"+filepath.Base(path), func(t *testing.T) { use(t, f, path) })
			}
		}
	}
}

// listing returns all entries of a ledger with all that a source tells.
func listing(t *testing.T, dir string) string {
	t.Helper()
	led, err := db.Open(dir, db.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer led.Close()
	s, err := led.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	var b strings.Builder
	session := ""
	for r, err := range s.Records(t.Context(), db.Range{}) {
		if err != nil {
			t.Fatal(err)
		}
		if r.Session == db.OwnSession {
			continue
		}
		if r.Session != session {
			session = r.Session
			fmt.Fprintf(&b, "\nsession %s\n", session)
		}
		fmt.Fprintf(&b, "%s %s", Value(r.Members[chain.Phase]).Text(), Value(r.Members[chain.Request]).Text())
		untimed := Value(r.Members[chain.Metadata]).Get("time_source").Text() == "import"
		for m, v := range r.Members {
			switch member := chain.Member(m); member {
			case chain.Session, chain.Index, chain.Recorded, chain.Phase, chain.Request:
				continue
			case chain.At:
				if untimed {
					continue
				}
				fallthrough
			default:
				if v != nil {
					fmt.Fprintf(&b, "\n    %s %s", member, v)
				}
			}
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// Every irregularity that the formats are known for, in a file written for it: what becomes of each line,
// and each entry with all of its members.
func TestListings(t *testing.T) {
	familyFiles(t, func(t *testing.T, f *Format, path string) {
		in, err := os.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		defer in.Close()
		if got, err := Detect(in); err != nil || got != f {
			t.Errorf("detected as %v, %v", got, err)
		}
		dir := t.TempDir()
		report := importFile(t, dir, path, f)
		got := fmt.Sprintf("lines %d: source %d, context %d, repeated %d, skipped %d, refused %d\n%s\n",
			report.Lines, report.Source, report.Context, report.Repeated, report.Skipped, report.Refused, counted(report))
		for _, k := range report.SkippedKinds {
			got += fmt.Sprintf("skipped %d: %s\n", k.Lines, k.Kind)
		}
		for _, k := range report.RefusedLines {
			got += fmt.Sprintf("refused %d: %s\n", k.Line, k.Reason)
		}
		got += listing(t, dir)
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
			t.Errorf("got\n%s\nwant\n%s", got, want)
		}
		if again := importFile(t, dir, path, f); again.Added != 0 || again.Known != report.Added || again.Refused != report.Refused {
			t.Errorf("the same file again: %d added, %d known of %d, %d refused", again.Added, again.Known, report.Added, again.Refused)
		}
	})
}

// A file that grows ends with the calls and results of one that was imported whole. Only a verdict that
// comes after its call was taken is an entry more.
func TestGrownFiles(t *testing.T) {
	familyFiles(t, func(t *testing.T, f *Format, path string) {
		if filepath.Ext(path) != ".jsonl" {
			t.Skip("a document grows as a whole")
		}
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		whole := t.TempDir()
		want := importFile(t, whole, path, f)
		lines := strings.SplitAfter(string(text), "\n")
		grown := t.TempDir()
		part := filepath.Join(t.TempDir(), filepath.Base(path))
		var got *Report
		for _, n := range []int{len(lines) / 3, len(lines) / 2, len(lines) * 3 / 4, len(lines)} {
			if err := os.WriteFile(part, []byte(strings.Join(lines[:n], "")), 0o600); err != nil {
				t.Fatal(err)
			}
			got = importFile(t, grown, part, f)
		}
		if counted(got) != counted(want) || got.Refused != want.Refused {
			t.Errorf("%s, refused %d; at once %s, refused %d", counted(got), got.Refused, counted(want), want.Refused)
		}
		if again := importFile(t, grown, path, f); again.Added != 0 {
			t.Errorf("once more: %d entries added", again.Added)
		}
		if got, want := results(t, grown), results(t, whole); got != want {
			t.Errorf("results\n%s\nat once\n%s", got, want)
		}
	})
}

// results returns which calls have which results, in an order of their own.
func results(t *testing.T, dir string) string {
	t.Helper()
	var list []string
	for _, line := range entriesOf(t, dir) {
		_, line, _ = strings.Cut(line, " ")
		if strings.HasPrefix(line, `"COMPLETE"`) || strings.HasPrefix(line, `"ERROR"`) {
			list = append(list, line)
		}
	}
	slices.Sort(list)
	return strings.Join(list, "\n")
}
