package capture

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"toolledger/chain"
	"toolledger/db"
)

// importFile imports a file into the ledger in dir, and checks that its lines add up. Without a format it is found
// by the content; links may be nil.
func importFile(t *testing.T, dir, path string, f *Format, links *Links) *Report {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	led, err := db.Open(dir, db.Options{})
	if err != nil {
		t.Fatal(err)
	}
	name := filepath.Base(path)
	im := Import{Format: f, Name: name, Session: strings.TrimSuffix(name, filepath.Ext(name)), Links: links}
	report, err := im.Run(t.Context(), led, bytes.NewReader(text))
	if err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	if err := led.Close(); err != nil {
		t.Fatal(err)
	}
	checkLines(t, path, text, report)
	return report
}

// checkLines checks that each line of a text is counted once.
func checkLines(t *testing.T, what string, text []byte, r *Report) {
	t.Helper()
	lines := bytes.Count(text, []byte("\n"))
	if len(text) > 0 && text[len(text)-1] != '\n' {
		lines++
	}
	kinds := 0
	for _, k := range r.SkippedKinds {
		kinds += k.Lines
	}
	if sum := r.Source + r.Context + r.Repeated + r.Skipped + r.Refused; sum != r.Lines || r.Lines != lines || kinds != r.Skipped {
		t.Fatalf("%s: %d lines; the report says %d, by their classes %d, skipped %d, by their kinds %d", what, lines, r.Lines, sum, r.Skipped, kinds)
	}
	if r.Unanswered > r.Calls {
		t.Fatalf("%s: %d of %d calls unanswered", what, r.Unanswered, r.Calls)
	}
}

// writeFile writes a text to a file with that name.
func writeFile(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// A stored is an entry as a ledger has it.
type stored struct {
	session string
	index   uint64
	members chain.Entry
}

func (s stored) text(m chain.Member) string { return Value(s.members[m]).Text() }

// values returns the values of some members, those that are absent left out.
func (s stored) values(members ...chain.Member) string {
	var b strings.Builder
	for _, m := range members {
		if v := s.members[m]; v != nil {
			fmt.Fprintf(&b, " %s", v)
		}
	}
	return b.String()
}

// storedIn returns the entries of a ledger, without its own.
func storedIn(t *testing.T, dir string) (list []stored) {
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
	for r, err := range s.Records(t.Context(), db.Range{}) {
		if err != nil {
			t.Fatal(err)
		}
		if r.Session != db.OwnSession {
			list = append(list, stored{r.Session, r.Index, r.Members})
		}
	}
	return list
}

// entriesOf returns the entries of a ledger, short.
func entriesOf(t *testing.T, dir string) (lines []string) {
	t.Helper()
	for _, e := range storedIn(t, dir) {
		lines = append(lines, fmt.Sprint(e.index)+e.values(chain.Phase, chain.Request, chain.Tool, chain.Authorization, chain.Args, chain.Reasoning, chain.Response))
	}
	return lines
}

// listing returns the entries of a ledger with all that a source tells, but for what differs from import to import.
func listing(t *testing.T, dir string) string {
	t.Helper()
	var b strings.Builder
	session := ""
	for _, e := range storedIn(t, dir) {
		if e.session != session {
			session = e.session
			fmt.Fprintf(&b, "\nsession %s\n", session)
		}
		fmt.Fprintf(&b, "%s %s\n", e.text(chain.Phase), e.text(chain.Request))
		timed := Value(e.members[chain.Metadata]).Get("time_source").Text() != "import"
		for m, v := range e.members {
			switch m := chain.Member(m); {
			case v == nil, m == chain.Session, m == chain.Index, m == chain.Recorded, m == chain.Phase, m == chain.Request, m == chain.At && !timed:
			default:
				fmt.Fprintf(&b, "    %s %s\n", m, v)
			}
		}
	}
	return b.String()
}

// counted returns the figures of a report that an independent count gives too.
func counted(r *Report) string {
	return fmt.Sprintf("sessions %d, calls %d, unanswered %d, denied %d, errors %d", r.Sessions, r.Calls, r.Unanswered, r.Denied, r.Errors)
}

// account returns a report.
func account(r *Report) string {
	s := fmt.Sprintf("lines %d: source %d, context %d, repeated %d, skipped %d, refused %d\n%s, entries %d\n",
		r.Lines, r.Source, r.Context, r.Repeated, r.Skipped, r.Refused, counted(r), r.Entries)
	for _, k := range r.SkippedKinds {
		s += fmt.Sprintf("skipped %s: %d, first %d: %s\n", k.Kind, k.Lines, k.First, k.Text)
	}
	for _, l := range r.RefusedLines {
		s += fmt.Sprintf("refused %d: %s\n", l.Line, l.Reason)
	}
	return s
}

// sharedFile returns the path of a file of the data beside the checkout, and skips the test where ../shared is missing.
func sharedFile(t *testing.T, name string) string {
	t.Helper()
	shared := filepath.Join("..", "..", "shared")
	if _, err := os.Stat(shared); err != nil {
		t.Skip("no ../shared")
	}
	return filepath.Join(shared, "data", name)
}

// python runs a program that counts something by other means.
func python(t *testing.T, program, path string) string {
	t.Helper()
	if _, err := exec.LookPath("python3"); err != nil {
		t.Skip("no python3")
	}
	out, err := exec.CommandContext(t.Context(), "python3", "-c", program, path).CombinedOutput()
	if err != nil {
		t.Fatalf("python3: %v\n%s", err, out)
	}
	return strings.TrimSpace(string(out))
}
