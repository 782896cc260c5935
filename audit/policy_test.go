package audit

import (
	"strings"
	"testing"
	"testing/fstest"
)

// TestParsePolicyRefuses has a fault in each policy, and where it is.
func TestParsePolicyRefuses(t *testing.T) {
	rule := func(members string) string { return "{\"rules\": [\n  {\"id\": \"r\", " + members + "}]}" }
	for _, c := range []struct{ name, text, want string }{
		{"p.json", ``, "p.json:1:1: expected a JSON value, found nothing"},
		{"p.json", "{\"rules\":\n [tool]}", "p.json:2:3: expected a value, found 't'"},
		{"p.json", "{\"rules\": [], \"rules\": []}", `p.json:1:15: duplicate member "rules"`},
		{"p.json", `[1]`, "p.json:1:1: " + expectedPolicy},
		{"p.json", `{"a": 1}`, "p.json:1:1: " + expectedPolicy},
		{"p.json", `permit(principal, action, resource);`, "p.json:1:1: expected a value, found 'p'"},
		{"p.json", "{\"agent\": \"a\",\n \"allowed_tools\": [\"x\", 1]}", "p.json:2:25: allowed_tools: expected an array of strings, element 1 is none"},
		{"p.json", `{"rules": []}`, "p.json:1:11: rules: expected an array of at least one rule, found an array"},
		{"p.json", `{"rules": [1]}`, "p.json:1:12: rule: expected an object, found the number 1"},
		{"p.json", `{"rules": [{}], "version": 1}`, "p.json:1:17: policy: unknown member 'version'"},
		{"p.json", rule(`"allow": ["a"], "agent": ["x"]`), "p.json:2:31: rule: unknown member 'agent', did you mean 'agents'?"},
		{"p.json", `{"rules": [{"id": "é", "deny": ["a"]}, {"id": "é", "deny": ["b"]}]}`, "p.json:1:47: id: 'é' is that of a rule before it"},
		{"p.json", `{"rules": [{"deny": ["a"]}]}`, "p.json:1:12: rule: expected an id, a string"},
		{"p.json", `{"rules": [{"id": "default", "deny": ["a"]}]}`, "p.json:1:19: id: 'default' is what decides where no rule does"},
		{"p.json", rule(`"args": {"p": {"min": 1}}`), "p.json:2:3: rule 'r': expected either allow or deny, an array of tools"},
		{"p.json", rule(`"allow": ["a"], "deny": ["b"]`), "p.json:2:3: rule 'r': expected either allow or deny, an array of tools"},
		{"p.json", rule(`"allow": "a"`), "p.json:2:24: allow: expected an array of strings, found the string 'a'"},
		{"p.json", rule(`"allow": ["a", null]`), "p.json:2:30: allow: expected an array of strings, found null in it"},
		{"p.json", rule(`"allow": []`), "p.json:2:24: allow: expected at least one string"},
		{"p.json", rule(`"allow": ["a"], "args": {}`), `p.json:2:39: args: expected an object of at least one path, as {"path": {"inside": "docs"}}, found an object`},
		{"p.json", rule(`"allow": ["a"], "args": {"p": {}}`), "p.json:2:45: args.p: expected one of prefix, glob, regex, one_of, min, max, inside"},
		{"p.json", rule(`"allow": ["a"], "args": {"p": {"insde": "x"}}`), "p.json:2:46: args.p: unknown member 'insde', did you mean 'inside'?"},
		{"p.json", rule(`"allow": ["a"], "args": {"p": {"inside": ["x", ""]}}`), `p.json:2:62: args.p: inside: expected a folder, as /srv/docs, docs, C:\docs or \\server\share\docs, found ''`},
		{"p.json", rule(`"allow": ["a"], "args": {"p": {"regex": "("}}`), "p.json:2:55: args.p: regex: missing closing ): `(` in '('"},
		{"p.json", rule(`"allow": ["a"], "args": {"p": {"min": 2, "max": 1}}`), "p.json:2:63: args.p: max 1 is less than min 2"},
		{"p.json", rule(`"allow": ["a"], "args": {"p": {"min": "2"}}`), "p.json:2:53: args.p: min: expected a number, found the string '2'"},
		{"p.json", rule(`"allow": ["a"], "args": {"p": {"one_of": [[]]}}`), "p.json:2:57: args.p: one_of: expected strings, numbers, true, false or null, found an array"},
		{"p.json", rule(`"allow": ["a"], "args": {"a..b": {"min": 1}}`), "p.json:2:40: args: expected a path into the arguments, as path, options.force or ['a.b'].c, found 'a..b'"},
		{"p.json", rule(`"allow": ["a"], "args": {"args.path": {"min": 1}}`), "p.json:2:40: args: expected a path that begins behind args, as path; an argument of the name args is ['args'], found 'args.path'"},
		{"p.cedar", ``, `p.cedar:1:1: expected a policy, as permit(principal, action == Tool::"search", resource);`},
		{"p.cedar", "permit(principal, action, resource);\n\n  permit(principal, acton, resource);", "p.cedar:3:21: expected action, found 'acton'"},
		{"p.cedar", "permit(principal, action, resource)", "p.cedar:1:36: expected ;, found the end"},
		{"p.cedar", "permit(principal, action, resource) when { \"abc };", "p.cedar:1:44: literal not terminated"},
		{"p.cedar", "permit(principal, action, resource);\npermit(principal, action, resource) when { f(1) };", "p.cedar:2:46: `f` is not a function"},
		{"p.cedar", `@id("a") permit(principal, action, resource); @id("a") permit(principal, action, resource);`, "p.cedar:1:47: @id: 'a' is that of a policy before it"},
		{"p.cedar", `@id("default") permit(principal, action, resource);`, "p.cedar:1:1: @id: expected a name other than '' and 'default', which is what decides where no policy does"},
		{"p.cedar", "// so deep\npermit(principal, action, resource) when {" + strings.Repeat("(", 1<<20), "p.cedar:1:1: a policy of over 32 KiB"},
	} {
		if _, err := ParsePolicy(c.name, []byte(c.text)); err == nil || err.Error() != c.want {
			t.Errorf("%.200s\ngives %v\n want %s", c.text, err, c.want)
		}
	}
	big := fstest.MapFS{"big.json": {Data: make([]byte, MaxPolicy+1)}, "d/f": {}}
	for name, want := range map[string]string{"big.json": "'big.json': a policy of over 16 MiB", "d": "expected a file, but 'd' is a directory"} {
		if _, err := ReadPolicy(big, name); err == nil || err.Error() != want {
			t.Errorf("%s gives %v, want %s", name, err, want)
		}
	}
}

// TestConstraints has arguments, what is wanted of them, and whether a rule that allows, and
// one that denies, is about them.
func TestConstraints(t *testing.T) {
	for _, c := range []struct {
		args, wants   string
		allow, denies bool
	}{
		{`{"p":"docs/a"}`, `"p": {"prefix": "docs/"}`, true, true},
		{`{"p":["docs/a","b"]}`, `"p": {"prefix": "docs/"}`, false, true},
		{`{"p":[["docs/a"],"docs/b"]}`, `"p": {"prefix": "docs/"}`, true, true},
		{`{"p":[]}`, `"p": {"prefix": ""}`, false, false},
		{`{"p":{}}`, `"p": {"prefix": ""}`, false, false},
		{`{"q":1}`, `"p": {"glob": "*"}`, false, false},
		{``, `"p": {"glob": "*"}`, false, false},
		{`{"f":[{"p":"a"},{}]}`, `"f.p": {"glob": "?"}`, false, true},
		{`{"f":{"a.b":{"p":"é"}}}`, `"f['a.b'].p": {"glob": "?"}`, true, true},
		{`{"p":"rm -rf /"}`, `"p": {"regex": ["^ls", "-rf"]}`, true, true},
		{`{"p":9007199254740993}`, `"p": {"max": 9007199254740992}`, false, false},
		{`{"p":9007199254740992.0}`, `"p": {"max": 9007199254740992, "min": 9007199254740992}`, true, true},
		{`{"p":1e99999999999999999999}`, `"p": {"min": 1e400}`, true, true},
		{`{"p":"-0.5"}`, `"p": {"min": -1, "max": 0}`, true, true},
		{`{"p":"5 "}`, `"p": {"min": 1}`, false, false},
		{`{"p":1.0}`, `"p": {"one_of": ["1", 1]}`, true, true},
		{`{"p":"1"}`, `"p": {"one_of": [1, null]}`, false, false},
		{`{"p":null}`, `"p": {"one_of": [1, null]}`, true, true},
		{`{"p":"a\"\\"}`, `"p": {"one_of": ["a\u0022\\"]}`, true, true},
		{`{"p":"docs/x.md","n":3}`, `"p": {"inside": "docs", "glob": "*.md"}, "n": {"max": 2}`, false, false},
	} {
		for effect, want := range map[string]bool{"allow": c.allow, "deny": c.denies} {
			p, err := ParsePolicy("p.json", []byte(`{"rules": [{"id": "all", "allow": ["other"]}, {"id": "r", "`+effect+`": ["t"], "args": {`+c.wants+`}}]}`))
			if err != nil {
				t.Fatal(err)
			}
			if got := p.Decide(&Access{Tool: "t", Args: []byte(c.args)}).Rule == "r"; got != want {
				t.Errorf("%s of %s, args %s: %v, want %v", effect, c.wants, c.args, got, want)
			}
		}
	}
}

func TestGlob(t *testing.T) {
	for _, c := range []struct {
		pattern, text string
		want          bool
	}{
		{"", "", true}, {"*", "", true}, {"?", "", false}, {"a", "A", false}, {"read_*", "read_file", true}, {"*_file", "read_files", false},
		{"*a*b*", "xxaxxbxx", true}, {"*a*b", "ba", false}, {"?", "文", true}, {"??", "文", false}, {"*文", "a文文", true}, {"a*", "b", false},
	} {
		if got := glob(c.pattern, c.text); got != c.want {
			t.Errorf("glob(%q, %q) = %v", c.pattern, c.text, got)
		}
	}
}

// FuzzRules parses rules, and asks those that it takes.
func FuzzRules(f *testing.F) {
	for _, text := range []string{
		`{"rules": [{"id": "a", "allow": ["*"], "args": {"p": {"inside": "docs"}, "n.m": {"min": 1, "max": 1e9}}}]}`,
		`{"rules": [{"id": "a", "deny": ["x"], "agents": ["?"], "roles": ["*"], "args": {"['a']": {"regex": "a+", "one_of": [1, null]}}}]}`,
		`{"rules": {}}`, `{"rules": [{"id": 1}]}`, `[`, `{"description": "d", "rules": [{"id": "\u00e9", "allow": ["\ud83d\ude00"]}]}`,
	} {
		f.Add([]byte(text), []byte(`{"a":[1],"n":{"m":5},"p":"docs/../x"}`))
	}
	f.Fuzz(func(t *testing.T, text, args []byte) {
		p, err := ParsePolicy("p.json", text)
		if err != nil {
			if !strings.HasPrefix(err.Error(), "p.json:") {
				t.Errorf("an error without a place: %v", err)
			}
			return
		}
		if v, err := parseJSON(args); err != nil || v.kind != '{' {
			args = nil
		} else {
			args = canonicalOf(args)
		}
		if d := p.Decide(&Access{Tool: "x", Agent: "y", Args: args}); d.Rule == "" || d.Why == "" {
			t.Errorf("%s decides %+v", text, d)
		}
	})
}
