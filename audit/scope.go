package audit

import (
	"fmt"
	"iter"
	"slices"
	"strings"

	"toolledger/chain"
)

// The kinds of findings of a policy.
const (
	PermissionOverreach = "permission-overreach" // a call ran or was allowed, and the policy refuses it
	OverDenial          = "over-denial"          // a call was denied, and the policy permits it
)

// A Scope is the policy of one agent: the exact names of its tools.
type Scope struct {
	agent   string
	allowed map[string]bool
}

// ParseScope reads a scope, a JSON object such as
//
//	{"agent": "docs-reader", "allowed_tools": ["read_file", "search"]}
//
// with these two members and no other. An error is a [*Fault] or a [*chain.SyntaxError].
func ParseScope(text []byte) (*Scope, error) {
	root, err := parseJSON(text)
	if err != nil {
		return nil, err
	}
	return scopeOf(root)
}

func scopeOf(root *jsonValue) (*Scope, error) {
	if root.kind != '{' {
		return nil, root.faultf(`expected an object, as {"agent": "a", "allowed_tools": ["t"]}`)
	}
	agent, tools := root.member("agent"), root.member("allowed_tools")
	s := &Scope{allowed: map[string]bool{}}
	if agent != nil {
		if agent.kind != '"' {
			return nil, agent.faultf("agent: expected a string")
		}
		s.agent = agent.text
	}
	if tools != nil {
		if tools.kind != '[' {
			return nil, tools.faultf("allowed_tools: expected an array of strings")
		}
		for i, tool := range tools.values {
			if tool.kind != '"' {
				return nil, tool.faultf("allowed_tools: expected an array of strings, element %d is none", i)
			}
			s.allowed[tool.text] = true
		}
	}
	var unexpected []string
	at := root
	for _, name := range root.names {
		if name.text != "agent" && name.text != "allowed_tools" {
			unexpected = append(unexpected, name.text)
			if len(unexpected) == 1 {
				at = name
			}
		}
	}
	slices.Sort(unexpected)
	switch {
	case unexpected != nil:
		return nil, at.faultf("unexpected field(s): %s", strings.Join(unexpected, ", "))
	case agent == nil:
		return nil, root.faultf("missing field(s): agent (a string)")
	case tools == nil:
		return nil, root.faultf("missing field(s): allowed_tools (an array of strings)")
	}
	return s, nil
}

// Decide decides on the calls of the scope's agent, and on those whose agent nobody knows.
func (s *Scope) Decide(a *Access) Decision {
	switch {
	case a.Agent != "" && a.Agent != s.agent:
		return Decision{Verdict: Unconcerned}
	case s.allowed[a.Tool]:
		return Decision{Verdict: Permitted, Rule: "allowed_tools", Why: "is in the declared scope for agent " + quoteText(s.agent)}
	}
	return Decision{Verdict: Refused, Rule: "allowed_tools", Why: "is not in the declared scope for agent " + quoteText(s.agent)}
}

func (s *Scope) reads() reads { return reads{agent: true} }

// A toolList is the policy that permits tools, given by patterns, to everyone.
type toolList []string

func (l toolList) Decide(a *Access) Decision {
	if globs(l, a.Tool) {
		return Decision{Verdict: Permitted, Rule: "allow", Why: "is among the allowed tools"}
	}
	return Decision{Verdict: Refused, Rule: "allow", Why: "is not among the allowed tools"}
}

func (l toolList) reads() reads { return reads{} }

// An outcome is what became of a call.
type outcome struct {
	plain           bool // nothing is known but that it was made: a transcript has no more
	ran             bool // it has begun, ended or failed
	allowed, denied bool // the verdict that is recorded
	by              string
}

// judge compares what became of a call with what a policy says. The kind is "" if there is
// nothing to find.
func judge(a *Access, d Decision, o outcome) (kind, detail string) {
	state := ""
	switch {
	case d.Verdict == Permitted && o.denied:
		kind, state = OverDenial, "was denied"
		if o.by != "" {
			state += " by " + quoteText(o.by)
		}
	case d.Verdict != Refused:
		return "", ""
	case o.plain:
		return PermissionOverreach, fmt.Sprintf("tool %s %s", quoteText(a.Tool), d.Why)
	case o.ran && o.denied:
		kind, state = PermissionOverreach, "was denied and ran"
	case o.ran:
		kind, state = PermissionOverreach, "ran"
	case o.allowed:
		kind, state = PermissionOverreach, "was allowed"
	default:
		return "", ""
	}
	return kind, fmt.Sprintf("tool %s %s, but %s", quoteText(a.Tool), state, d.Why)
}

// Findings asks a policy about the calls of a transcript, and yields those that it refuses.
// It ends with the first error of calls.
func Findings(p Policy, calls iter.Seq2[Access, error]) iter.Seq2[Finding, error] {
	return func(yield func(Finding, error) bool) {
		for a, err := range calls {
			if err != nil {
				yield(Finding{}, err)
				return
			}
			kind, detail := judge(&a, p.Decide(&a), outcome{plain: true})
			if kind != "" && !yield(Finding{Index: uint64(a.Index), Kind: kind, Detail: detail}, nil) {
				return
			}
		}
	}
}

// AccessOf returns what makes the calls of a transcript, which an agent made in a role, what
// a policy decides on; valid as long as the call is.
func AccessOf(p Policy, agent, role string) func(*chain.Call) Access {
	reads := p.reads()
	return func(c *chain.Call) Access {
		a := Access{Index: int64(c.Index), Agent: agent, Role: role, Tool: chain.Unquote(c.Tool)}
		if reads.wantsArgs() {
			a.Args = c.Args
		}
		return a
	}
}
