package capture

import (
	"strings"

	"toolledger/chain"
)

var permissionFormat = Format{
	Name:  "permission-ledger",
	Short: "entries with the field names of the article on permission ledgers",
	Maps:  permissionMaps(),
	Sniff: func(v Value) bool {
		return v.Get("tool_name") != nil && (v.Get("agent_session_id") != nil || v.Get("invocation_phase") != nil)
	},
	New: func(c *Conversion) Reader { return &permissionReader{c} },
}

// permissionNames are the names of an entry's members there.
var permissionNames = []struct {
	name   string
	member chain.Member
}{
	{"agent_session_id", chain.Session},
	{"timestamp", chain.At},
	{"entry_id", chain.ID},
	{"agent_id", chain.Agent},
	{"role", chain.Role},
	{"tool_name", chain.Tool},
	{"tool_action", chain.Action},
	{"input_parameters", chain.Args},
	{"authorization_result", chain.Authorization},
	{"authorization_policy_id", chain.Policy},
	{"invocation_phase", chain.Phase},
	{"request_id", chain.Request},
	{"llm_reasoning_trace", chain.Reasoning},
	{"user_query_context", chain.Context},
	{"system_prompt_snapshot", chain.Prompt},
	{"output_result", chain.Response},
	{"response_time_ms", chain.DurationMS},
	{"environment", chain.Environment},
	{"sampling_rate", chain.SampleRate},
}

const permissionParent = "parent_request_id" // in metadata

func permissionMaps() string {
	var b strings.Builder
	for _, n := range permissionNames {
		b.WriteString("\n" + n.name + strings.Repeat(" ", 30-len(n.name)) + n.member.String())
	}
	return b.String() + "\nmetadata.parent_request_id    parent\nother members                 metadata"
}

type permissionReader struct{ c *Conversion }

func (p *permissionReader) Read(r *Record) error {
	var m chain.Entry
	var rest []Field
members:
	for name, value := range r.Value.Members() {
		if value.IsNull() && name != "output_result" {
			continue // the article's optional fields
		}
		for _, n := range permissionNames {
			if n.name == name {
				m[n.member] = value
				continue members
			}
		}
		if name != "metadata" || !value.IsObject() {
			rest = append(rest, Field{name, value})
			continue
		}
		for name, value := range value.Members() {
			if name == permissionParent && value.IsText() {
				m[chain.Parent] = value
				continue
			}
			rest = append(rest, Field{name, value})
		}
	}
	if context := Value(m[chain.Context]); context.IsText() {
		m[chain.Context] = append(append(Value{'['}, context...), ']')
	}
	if at := Value(m[chain.At]); at != nil {
		t := ParseTime(at)
		if t.IsZero() {
			m[chain.At] = nil
			rest = append(rest, Field{"source_timestamp", at})
		} else {
			m[chain.At] = quotedTime(t)
			if t.Source != "" {
				rest = append(rest, Field{"time_source", TextValue(t.Source)})
			}
		}
	}
	p.c.Session(Value(m[chain.Session]).Text()).Entry(m, rest...)
	return nil
}

func (p *permissionReader) End() {}
