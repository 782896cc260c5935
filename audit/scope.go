package audit

import (
	"errors"
	"fmt"
	"iter"
	"strings"

	"toolledger/chain"
)

// PermissionOverreach is the kind of [Scope]'s findings.
const PermissionOverreach = "permission-overreach"

// A Scope is what an agent may use: the exact names of its tools.
type Scope struct {
	Calls uint64 // how many were read

	agent   []byte          // in canonical JSON, with its quotes
	allowed map[string]bool // by canonical name, in quotes
}

// ParseScope reads a scope, a JSON object such as
//
//	{"agent": "docs-reader", "allowed_tools": ["read_file", "search"]}
//
// with these two members and no other.
func ParseScope(text []byte) (*Scope, error) {
	canonical, err := chain.Canonical(nil, text)
	if err != nil {
		return nil, err
	}
	if canonical[0] != '{' {
		return nil, errors.New(`expected an object, as {"agent": "a", "allowed_tools": ["t"]}`)
	}
	s := &Scope{}
	var unexpected []string
	for name, value := range chain.Members(canonical) {
		switch chain.Unquote(name) {
		case "agent":
			if value[0] != '"' {
				return nil, errors.New("agent: expected a string")
			}
			s.agent = value
		case "allowed_tools":
			if value[0] != '[' {
				return nil, errors.New("allowed_tools: expected an array of strings")
			}
			s.allowed = map[string]bool{}
			for i, tool := range chain.Elements(value) {
				if tool[0] != '"' {
					return nil, fmt.Errorf("allowed_tools: expected an array of strings, element %d is none", i)
				}
				s.allowed[string(tool)] = true
			}
		default:
			unexpected = append(unexpected, chain.Unquote(name))
		}
	}
	switch {
	case unexpected != nil:
		return nil, fmt.Errorf("unexpected field(s): %s", strings.Join(unexpected, ", "))
	case s.agent == nil:
		return nil, errors.New("missing field(s): agent (a string)")
	case s.allowed == nil:
		return nil, errors.New("missing field(s): allowed_tools (an array of strings)")
	}
	return s, nil
}

// Findings reads the calls and yields a finding for each whose tool is not
// allowed. It ends with the first error of calls.
func (s *Scope) Findings(calls iter.Seq2[Call, error]) iter.Seq2[Finding, error] {
	return func(yield func(Finding, error) bool) {
		for c, err := range calls {
			if err != nil {
				yield(Finding{}, err)
				return
			}
			s.Calls++
			if s.allowed[string(c.Tool)] {
				continue
			}
			if !yield(Finding{Index: c.Index, Kind: PermissionOverreach,
				Detail: fmt.Sprintf("tool %s is not in the declared scope for agent %s", quote(c.Tool), quote(s.agent))}, nil) {
				return
			}
		}
	}
}
