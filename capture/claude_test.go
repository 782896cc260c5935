package capture

import (
	"encoding/json"
	"strings"
	"testing"

	"toolledger/chain"
)

// countClaude counts in Python what a transcript has: by json.loads and nothing of ours.
const countClaude = `
import json,sys
L=[json.loads(l) for l in open(sys.argv[1])]
B=[(d,b) for d in L if d["type"] in ("assistant","user") and isinstance(d["message"]["content"],list) for b in d["message"]["content"]]
use=[b["id"] for d,b in B if b["type"]=="tool_use"]; res=[b for d,b in B if b["type"]=="tool_result"]
hooks={}
for d in L:
    if d["type"]=="progress" and d["data"]["type"]=="hook_progress": hooks[d["parentToolUseID"]]=d["data"]["hookEvent"]
print(json.dumps(dict(lines=len(L),calls=len(use),distinct=len(set(use)),results=len(res),
    unanswered=len(set(use)-{b["tool_use_id"] for b in res}), errors=sum(b.get("is_error") is True for b in res),
    denied=sum(b.get("is_error") is True and hooks.get(b["tool_use_id"])=="PreToolUse" for b in res),
    source=len({id(d) for d,b in B if b["type"] in ("tool_use","tool_result")}))))`

type claudeCounts struct{ Lines, Calls, Distinct, Results, Unanswered, Errors, Denied, Source int }

// requests returns how many distinct requests a ledger has in its sessions.
func requests(t *testing.T, dir string) int {
	t.Helper()
	seen := map[string]bool{}
	for _, e := range storedIn(t, dir) {
		seen[e.session+" "+string(e.members[chain.Request])] = true
	}
	return len(seen)
}

// TestClaudeFiles imports real transcripts and compares with counts made without this package.
func TestClaudeFiles(t *testing.T) {
	for _, name := range []string{"spotter-ae4a77f8.jsonl", "spotter-ae4a77f8-subagent-aac57f5.jsonl", "spotter-tool_heavy.jsonl", "agentcmd-askuserquestion.jsonl"} {
		t.Run(name, func(t *testing.T) {
			file := sharedFile(t, "claude-code/"+name)
			dir := t.TempDir()
			r := importFile(t, dir, file, nil, nil)
			var want claudeCounts
			if err := json.Unmarshal([]byte(python(t, countClaude, file)), &want); err != nil {
				t.Fatal(err)
			}
			got := claudeCounts{r.Lines, int(r.Calls), requests(t, dir), int(r.Entries - r.Calls), int(r.Unanswered), int(r.Errors), int(r.Denied), r.Source}
			if got != want || r.Format != "claude-code" || r.Refused != 0 {
				t.Errorf("as %s, %d lines refused:\ngot  %+v\nwant %+v", r.Format, r.Refused, got, want)
			}
			grows(t, &claudeFormat, file, r.Lines/2)
		})
	}
}

// TestClaudeLinks imports the file of a sub-agent behind that of the agent that began it, in one run and in another.
func TestClaudeLinks(t *testing.T) {
	main, sub := sharedFile(t, "claude-code/spotter-ae4a77f8.jsonl"), sharedFile(t, "claude-code/spotter-ae4a77f8-subagent-aac57f5.jsonl")
	const request = "toolu_01Hf8v1Za7y4af8VUwSR4CXU" // jq: the parentToolUseID of the lines of agent_progress
	for _, c := range []struct {
		name         string
		links, alone bool
		parent       string
	}{
		{"in one import", true, false, request},
		{"in two", false, false, request},
		{"alone", false, true, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			var links *Links
			if c.links {
				links = new(Links)
			}
			if !c.alone {
				importFile(t, dir, main, nil, links)
			}
			importFile(t, dir, sub, nil, links)
			n := 0
			for _, e := range storedIn(t, dir) {
				if strings.HasSuffix(e.session, "/agent-aac57f5") && e.text(chain.Phase) == "ATTEMPT" {
					n++
					if got := e.text(chain.Parent); got != c.parent {
						t.Errorf("%s has the parent %q, want %q", e.text(chain.Request), got, c.parent)
					}
				}
			}
			if n != 12 {
				t.Errorf("the sub-agent has %d calls, want 12", n)
			}
		})
	}
}

// TestClaudeAgentType finds what kind a sub-agent is by the call that began it, by way of a ledger too.
func TestClaudeAgentType(t *testing.T) {
	line := `{"type":"assistant","isSidechain":true,"agentId":"abc1234","sessionId":"5e551011-0000-4000-8000-000000000001","uuid":"x1","timestamp":"2026-03-01T09:00:46Z","message":{"id":"m","role":"assistant","content":[{"type":"tool_use","id":"toolu_x","name":"Grep","input":{}}]}}` + "\n"
	file := writeFile(t, "agent-abc1234.jsonl", line)
	for _, links := range []*Links{nil, new(Links)} {
		dir := t.TempDir()
		importFile(t, dir, "testdata/claude-code/main.jsonl", nil, links)
		importFile(t, dir, file, nil, links)
		list := storedIn(t, dir)
		e := list[len(list)-1]
		if e.text(chain.Agent) != "Explore" || e.text(chain.Parent) != "toolu_12" || e.session != "5e551011-0000-4000-8000-000000000001/agent-abc1234" {
			t.Errorf("with links %v: session %q, agent %q, parent %q", links != nil, e.session, e.text(chain.Agent), e.text(chain.Parent))
		}
	}
}

func TestDenialOf(t *testing.T) {
	for _, c := range []struct{ text, kind, words, policy string }{
		{"Permission to use Bash with command rm -rf x has been denied.", "", "Permission to use Bash with command rm -rf x has been denied.", "permission-rule"},
		{"Error: Permission to use Bash has been denied. IMPORTANT: You *may* attempt", "", "Permission to use Bash has been denied. IMPORTANT: You *may* attempt", "permission-rule"},
		{"Claude requested permissions to write to /x, but you haven't granted it yet.", "", "Claude requested permissions to write to /x, but you haven't granted it yet.", "permission-rule"},
		{"This Bash command contains multiple operations. The following parts require approval: a, b", "", "This Bash command contains multiple operations. The following parts require approval: a, b", "permission-rule"},
		{"This Bash command contains multiple operations. The following part requires approval: a", "", "This Bash command contains multiple operations. The following part requires approval: a", "permission-rule"},
		{"ls in '/x' was blocked. For security, Claude Code may only list files in the allowed working directories", "", "ls in '/x' was blocked. For security, Claude Code may only list files in the allowed working directories", "working-directories"},
		{"PreToolUse:Edit hook error: [node guard.mjs]: no\nmore", "", "PreToolUse:Edit hook error: [node guard.mjs]: no", "PreToolUse:Edit"},
		{"<tool_use_error>Execution stopped by PreToolUse hook: halt</tool_use_error>", "", "Execution stopped by PreToolUse hook: halt", "PreToolUse"},
		{"Permission for this action has been denied. Reason: push to main", "", "Permission for this action has been denied. Reason: push to main", "classifier"},
		{"no, thanks", "user-rejected", "no, thanks", "user-rejected"},
		{"", "permission-rule", "permission-rule", "permission-rule"},
		{"The user doesn't want to take this action right now.", "cancelled", "", ""},
		// Errors of calls that were allowed, or that nobody decided on.
		{"<tool_use_error>Sibling tool call errored</tool_use_error>", "", "", ""},
		{"Exit code 1\n(eval):1: permission denied:", "", "", ""},
		{"Exit code 1\nPermission to use x has been denied", "", "", ""},
		{"<tool_use_error>File has not been read yet. Read it first before writing to it.</tool_use_error>", "", "", ""},
		{"PostToolUse:Bash hook error: [lint.sh]: style", "", "", ""},
	} {
		if words, policy := denialOf(c.text, c.kind); words != c.words || policy != c.policy {
			t.Errorf("denialOf(%q, %q) = %q, %q, want %q, %q", c.text, c.kind, words, policy, c.words, c.policy)
		}
	}
}

func TestClaudeDetail(t *testing.T) {
	long := strings.Repeat("x", 300)
	for _, c := range []struct{ name, detail, response, want string }{
		{"absent", "", `"a"`, ""},
		{"null", "null", `"a"`, ""},
		{"the response's own words", `"Error: no file"`, `"<tool_use_error>no file</tool_use_error>"`, ""},
		{"other words", `"Error: User rejected tool use"`, `"The user"`, `"Error: User rejected tool use"`},
		{"stdout again", `{"stderr":"e","stdout":"` + long + `"}`, `"` + long + `\ne"`, `{"stderr":"e","stdout":{"in":"response"}}`},
		{"stdout that the response lacks", `{"stdout":"` + long + `"}`, `"cut"`, `{"stdout":"` + long + `"}`},
		{"a file", `{"file":{"content":"` + long + `","numLines":1}}`, `"1\tx"`,
			`{"file":{"content":{"bytes":300,"sha256":"0d4e2ca9e9cbced7a7a5380eb29e1a3783b9b6d0db72de36a1051038e1c1fbc7"},"numLines":1}}`},
		{"blocks again", `[{"text":"` + long + `","type":"text"}]`, `[{"text":"` + long + `","type":"text"}]`, `{"in":"response"}`},
	} {
		if got := string(claudeDetail(Value(c.detail), Value(c.response))); got != c.want {
			t.Errorf("%s: got %s, want %s", c.name, got, c.want)
		}
	}
}

func TestClaudeWords(t *testing.T) {
	for _, c := range []struct{ text, words, kind string }{
		{" fix it ", "fix it", "without text"},
		{"<command-message>x</command-message>\n<command-name>/x</command-name>\n<command-args>a b</command-args>", "/x a b", ""},
		{"<command-name>/clear</command-name>\n<command-args></command-args>", "/clear", ""},
		{"<bash-input>ls</bash-input>", "! ls", ""},
		{"<local-command-stdout>ok</local-command-stdout>", "", "local-command-stdout"},
		{"<system-reminder>\nx", "", "system-reminder"},
		{"<div> is the tag that I mean", "<div> is the tag that I mean", "without text"},
		{"", "", "without text"},
	} {
		words, kind := claudeWords(c.text)
		if words != c.words || words == "" && kind != c.kind {
			t.Errorf("claudeWords(%q) = %q, %q, want %q, %q", c.text, words, kind, c.words, c.kind)
		}
	}
}
