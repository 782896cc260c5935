package capture

import (
	"strings"
	"testing"
)

func TestSWEAgent(t *testing.T) {
	for _, name := range []string{"marshmallow-1867-function_calling.traj", "ctf-web-i_got_id_demo.traj"} {
		t.Run(name, func(t *testing.T) {
			path := sharedFile(t, "swe-agent/"+name)
			dir := t.TempDir()
			report := importFile(t, dir, path, nil, nil)
			want := python(t, `
import json, sys
d = json.load(open(sys.argv[1]))
bad = ("Your proposed edit has introduced new syntax error", "EXECUTION TIMED OUT")
print(f"sessions 1, calls {len(d['trajectory'])}, unanswered 0, denied 0, errors {sum(s['observation'].startswith(bad) for s in d['trajectory'])}")`, path)
			if got := counted(report); got != want || report.Format != "swe-agent" {
				t.Errorf("%s: %s; counted otherwise: %s", report.Format, got, want)
			}
			if report := importFile(t, dir, path, nil, nil); report.Added != 0 {
				t.Errorf("the same file again: %d entries added", report.Added)
			}
			t.Logf("%+v\n%s", report, strings.Join(entriesOf(t, dir)[:3], "\n"))
		})
	}
}

func TestMiniSWEAgent(t *testing.T) {
	path := sharedFile(t, "mini-swe-agent/github_issue.traj.json")
	dir := t.TempDir()
	report := importFile(t, dir, path, nil, nil)
	want := python(t, `
import json, re, sys
d = json.load(open(sys.argv[1]))
print(f"sessions 1, calls {sum(m['role'] == 'assistant' for m in d)}, unanswered 0, denied 0, errors {sum(bool(re.match('<returncode>[^0]', m['content'])) for m in d)}")`, path)
	if got := counted(report); got != want || report.Format != "mini-swe-agent" {
		t.Errorf("%s: %s; counted otherwise: %s", report.Format, got, want)
	}
	if report := importFile(t, dir, path, nil, nil); report.Added != 0 {
		t.Errorf("the same file again: %d entries added", report.Added)
	}
	t.Logf("%+v\n%s", report, strings.Join(entriesOf(t, dir), "\n"))
}

// The formats of this family take their own files, and no others.
