package audit

import (
	"context"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"strings"
	"testing"
	"testing/fstest"

	"toolledger/query"
)

// askWith runs a query that needs no ledger. It returns the rows, one a line, the hints behind
// them, and the error.
func askWith(t *testing.T, files fstest.MapFS, text string) string {
	t.Helper()
	lang := query.New(query.Options{Operators: Operators(nil, files)})
	results, err := lang.Compile(context.Background(), text, nil)
	if err != nil {
		return "error: " + strings.SplitN(err.Error(), "\n", 2)[0]
	}
	var lines []string
	for b, err := range results[0].Batches(context.Background()) {
		if err == nil {
			err = b.Fill()
		}
		if err != nil {
			lines = append(lines, "error: "+err.Error())
			break
		}
		for row := range b.N {
			var values []string
			for _, v := range b.Row(row) {
				if v.Kind == query.Long {
					v.S = fmt.Sprint(v.N)
				}
				values = append(values, v.S)
			}
			lines = append(lines, strings.Join(values, "|"))
		}
	}
	return strings.Join(append(lines, lang.Hints()...), "\n")
}

// The life of some calls: what ran, was denied, was both, was neither.
const lives = `datatable(session:string, index:long, agent:string, role:string, tool:string, args:dynamic, request:string, phase:string, authorization:string, policy:string, environment:string, time:datetime)[
	"s", 0, "docs-1", "reader", "read_file", dynamic({"path":"docs/a.md"}), "r1", "ATTEMPT", "", "", "production", datetime(2026-03-01 09:00),
	"s", 1, "docs-1", "reader", "read_file", dynamic({"path":"docs/../etc/passwd"}), "r2", "ATTEMPT", "", "", "production", datetime(2026-03-01 09:00),
	"s", 2, "", "", "", dynamic(null), "r1", "", "DENIED", "gate-1", "", datetime(2026-03-01 09:00),
	"s", 3, "", "", "", dynamic(null), "r2", "START", "ALLOWED", "", "", datetime(2026-03-01 09:00),
	"s", 4, "", "", "", dynamic(null), "r2", "COMPLETE", "", "", "", datetime(2026-03-01 09:00),
	"s", 5, "docs-1", "reader", "write_file", dynamic({"path":"docs/a.md"}), "r2", "ATTEMPT", "ALLOWED", "", "production", datetime(2026-03-01 20:00),
	"s", 6, "docs-1", "reader", "write_file", dynamic({"path":"docs/a.md"}), "r3", "ATTEMPT", "DENIED", "gate-2", "production", datetime(2026-03-01 20:00),
	"s", 7, "docs-1", "reader", "write_file", dynamic({"path":"docs/a.md"}), "r3", "ERROR", "", "", "production", datetime(2026-03-01 20:00),
	"s", 8, "docs-1", "reader", "write_file", dynamic({"path":"docs/a.md"}), "r4", "ATTEMPT", "DENIED", "", "production", datetime(2026-03-01 20:00),
	"s", 9, "docs-1", "reader", "write_file", dynamic({"path":"docs/a.md"}), "r4", "START", "", "", "production", datetime(2026-03-01 20:00),
	"s", 10, "docs-1", "reader", "write_file", dynamic({"path":"docs/a.md"}), "r5", "ATTEMPT", "", "", "production", datetime(2026-03-01 20:00),
	"t", 0, "bot", "admin", "deploy", dynamic({"branch":"dev"}), "", "COMPLETE", "", "", "staging", datetime(2026-03-01 20:00)]
`

var policies = fstest.MapFS{
	"scope.json": {Data: []byte(`{"agent": "docs-1", "allowed_tools": ["read_file"]}`)},
	"rules.json": {Data: []byte(`{"rules": [
	  {"id": "read", "agents": ["docs-*"], "roles": ["reader"], "allow": ["read_*"], "args": {"path": {"inside": "docs"}}},
	  {"id": "branches", "environments": ["staging"], "allow": ["deploy"], "args": {"branch": {"one_of": ["main"]}}},
	  {"id": "no-etc", "deny": ["*"], "args": {"path": {"glob": "*etc*"}}}]}`)},
	"p.cedar": {Data: []byte(`@id("read") permit(principal in Role::"reader", action == Tool::"read_file", resource)
	  when { resource has path && context.args.path like "docs/*" };
	@id("night") forbid(principal, action, resource in Environment::"production") when { context.time.toTime() > duration("18h") };
	@id("branch") permit(principal == Agent::"bot", action in Action::"deploy", resource) when { resource.brnch == "dev" };`)},
}

func TestScopeOperator(t *testing.T) {
	for name, c := range map[string]struct{ query, want string }{
		"(a), about its agent": {`scope "scope.json"`, `s|0|over-denial|read_file|docs-1|reader|r1|allowed_tools|tool 'read_file' was denied by 'gate-1', but is in the declared scope for agent 'docs-1'
s|5|permission-overreach|write_file|docs-1|reader|r2|allowed_tools|tool 'write_file' was allowed, but is not in the declared scope for agent 'docs-1'
s|8|permission-overreach|write_file|docs-1|reader|r4|allowed_tools|tool 'write_file' was denied and ran, but is not in the declared scope for agent 'docs-1'
1 attempts that the policy refuses have neither a verdict nor an outcome: they are no findings`},
		"rules": {`scope "rules.json"`, `s|0|over-denial|read_file|docs-1|reader|r1|read|tool 'read_file' was denied by 'gate-1', but is allowed by rule 'read'
s|1|permission-overreach|read_file|docs-1|reader|r2|no-etc|tool 'read_file' ran, but is denied by rule 'no-etc'
s|5|permission-overreach|write_file|docs-1|reader|r2|default|tool 'write_file' was allowed, but is allowed by no rule for agent 'docs-1' in role 'reader'
s|8|permission-overreach|write_file|docs-1|reader|r4|default|tool 'write_file' was denied and ran, but is allowed by no rule for agent 'docs-1' in role 'reader'
t|0|permission-overreach|deploy|bot|admin||default|tool 'deploy' ran, but is allowed by no rule for agent 'bot' in role 'admin': rule 'branches' wants args.branch one_of 'main', found 'dev'
1 attempts that the policy refuses have neither a verdict nor an outcome: they are no findings`},
		"Cedar": {`scope "p.cedar" | project session, index, kind, rule`, `s|0|over-denial|read
s|5|permission-overreach|night
s|8|permission-overreach|night
t|0|permission-overreach|default
1 attempts that the policy refuses have neither a verdict nor an outcome: they are no findings
of 1 calls a policy could not be evaluated and was left out, first: policy 'branch': ` + "`Call::\"t/0\"` does not have the attribute `brnch`"},
		"patterns in the query": {`scope allow=dynamic(["write_*", "d?ploy"]) | project session, index, kind, rule, detail`, `s|1|permission-overreach|allow|tool 'read_file' ran, but is not among the allowed tools
s|6|over-denial|allow|tool 'write_file' was denied by 'gate-2', but is among the allowed tools
s|8|over-denial|allow|tool 'write_file' was denied, but is among the allowed tools`},
		"other columns before": {`project session, tool, index | where tool != "" | scope allow=dynamic(["read_file"]) | count`, "7"},
		"other order":          {`sort by index desc | scope allow=dynamic([])`, "error: scope needs the entries of a session in their order, each once: in session 's', 9 comes after 10; put | sort by session asc, index asc before it"},
		"back in order":        {`sort by index desc | sort by session asc, index asc | scope "scope.json" | count`, "3\n1 attempts that the policy refuses have neither a verdict nor an outcome: they are no findings"},
		"without arguments":    {`project-away args | scope "rules.json"`, "error: 14:23: scope needs the column 'args' (dynamic), which is not among the columns before it: session, index, agent, role, tool, request, phase, authorization, policy, environment, time"},
		"a removed argument": {`extend removed = iff(tool == "deploy", dynamic(["/args/branch"]), dynamic(null)), args = iff(tool == "deploy", dynamic({}), args) | scope "rules.json" | where session == "t"`,
			"1 attempts that the policy refuses have neither a verdict nor an outcome: they are no findings\nof 1 calls the policy is unknown: it depends on arguments that were removed"},
		"a tool that acts on terminals": {`where session == "t" | extend tool = "d\u001b[2J'" | scope allow=dynamic([]) | project detail`, `tool 'd\x1b[2J\x27' ran, but is not among the allowed tools`},
		"rows of calls":                 {`where index in (1, 5) | extend ordinal = iff(index == 1, 0, 1), phase = "COMPLETE" | scope allow=dynamic([]) | project index`, "1\n5"},
		"no index":                      {`extend index = long(null) | scope allow=dynamic([])`, "error: scope needs the index of every entry; one of session 's' has none"},
		"nothing named":                 {`scope`, "error: 14:3: expected the file of a policy behind the operator, in quotes"},
		"two policies":                  {`scope "scope.json" allow=dynamic([])`, "error: 14:28: expected either the file of a policy or allow"},
		"no such file":                  {`scope "scop.json"`, "error: 14:9: cannot open 'scop.json': file does not exist"},
		"no file name":                  {`scope ""`, "error: 14:9: expected the name of a file, found none"},
	} {
		if got := askWith(t, policies, lives+"| "+c.query); got != c.want {
			t.Errorf("%s\ngot\n%s\nwant\n%s", name, got, c.want)
		}
	}
}

// TestDocPolicies parses the policies that the documentation shows.
func TestDocPolicies(t *testing.T) {
	file, err := parser.ParseFile(token.NewFileSet(), "doc.go", nil, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	text := (&ast.CommentGroup{List: file.Doc.List}).Text()
	i, j := strings.Index(text, "\t{\"description\""), strings.Index(text, "\t@id(\"read-docs\")")
	rules, _, _ := strings.Cut(text[i:], "\n\nA rule has")
	cedar, _, _ := strings.Cut(text[j:], "\n\nCedar leaves")
	for name, text := range map[string]string{"rules.json": rules, "p.cedar": cedar} {
		if _, err := ParsePolicy(name, []byte(text)); err != nil {
			t.Error(err)
		}
	}
}
