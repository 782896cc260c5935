package audit

import (
	"fmt"
	"iter"
	"strconv"
	"strings"

	"github.com/cedar-policy/cedar-go"
	"github.com/cedar-policy/cedar-go/types"

	"toolledger/chain"
)

// The types of entities that calls have, for Cedar.
const (
	cedarAgent       = "Agent"
	cedarRole        = "Role"
	cedarTool        = "Tool"
	cedarAction      = "Action"
	cedarCall        = "Call"
	cedarEnvironment = "Environment"
)

// A Cedar is a policy in Cedar's language. Of a call,
//
//   - principal is Agent::"name", in Role::"role" if it has one;
//   - action is Tool::"name", in Action::"name", since other implementations want the type
//     Action there;
//   - resource is Call::"session/index", in Environment::"name" if it has one; its attributes
//     are the arguments;
//   - context has args, environment, action and time, each if the call has it, and args always.
//
// An integer that Cedar's long holds is one, any other number a string of its digits, and
// what is null is absent.
type Cedar struct {
	policies []cedarPolicy // in the order of the text
	uses     cedarUses
}

type cedarPolicy struct {
	id     cedar.PolicyID
	policy *cedar.Policy
}

// ParseCedar reads policies. The id of one is its annotation @id, else policy and its place
// from 0, as Cedar does. An error is a [*Fault].
func ParseCedar(text []byte) (*Cedar, error) {
	if err := checkCedar(text); err != nil {
		return nil, err
	}
	list, err := cedar.NewPolicyListFromBytes("", text)
	if err != nil {
		return nil, cedarFault(text, err)
	}
	if len(list) == 0 {
		return nil, &Fault{0, `expected a policy, as permit(principal, action == Tool::"search", resource);`}
	}
	c := &Cedar{}
	seen := map[cedar.PolicyID]bool{}
	for i, p := range list {
		id := cedar.PolicyID(fmt.Sprint("policy", i))
		if given, ok := p.Annotations()["id"]; ok {
			id = cedar.PolicyID(given)
		}
		switch at := p.Position().Offset; {
		case id == DefaultRule || id == "":
			return nil, &Fault{at, fmt.Sprintf("@id: expected a name other than '' and '%s', which is what decides where no policy does", DefaultRule)}
		case seen[id]:
			return nil, &Fault{at, fmt.Sprintf("@id: %s is that of a policy before it", quoteText(string(id)))}
		}
		seen[id] = true
		c.policies = append(c.policies, cedarPolicy{id, p})
		c.uses.policy(p)
	}
	c.uses.agent = strings.Contains(string(text), cedarAgent+"::")
	c.uses.role = strings.Contains(string(text), cedarRole+"::")
	c.uses.environment = c.uses.environment || strings.Contains(string(text), cedarEnvironment+"::")
	return c, nil
}

// All walks the policies in their order, for the authorizer.
func (c *Cedar) All() iter.Seq2[cedar.PolicyID, *cedar.Policy] {
	return func(yield func(cedar.PolicyID, *cedar.Policy) bool) {
		for _, p := range c.policies {
			if !yield(p.id, p.policy) {
				return
			}
		}
	}
}

// Decide decides.
func (c *Cedar) Decide(a *Access) Decision {
	for _, pointer := range a.Removed {
		name := strings.TrimPrefix(pointer, "/args/")
		if c.uses.allArgs || pointer == "/args" && len(c.uses.args) > 0 || c.uses.args[pointerUnescaper.Replace(name)] {
			return Decision{Verdict: Undecided}
		}
	}
	e := entitiesOf(a)
	verdict, diagnostic := cedar.Authorize(c, e, cedar.Request{Principal: e.principal, Action: e.action, Resource: e.resource, Context: c.uses.context(a)})
	var d Decision
	if len(diagnostic.Reasons) > 0 {
		d.Rule = string(diagnostic.Reasons[0].PolicyID)
	}
	switch {
	case verdict == cedar.Allow:
		d.Verdict, d.Why = Permitted, "is permitted by policy "+quoteText(d.Rule)
	case d.Rule != "":
		d.Why = "is forbidden by policy " + quoteText(d.Rule)
	default:
		d.Rule, d.Why = DefaultRule, "is permitted by no policy"+whose(a)
	}
	if len(diagnostic.Errors) > 0 {
		first := diagnostic.Errors[0]
		d.Fault = "policy " + quoteText(string(first.PolicyID)) + ": " + visible(first.Message)
	}
	return d
}

func (c *Cedar) reads() reads { return c.uses.reads }

var pointerUnescaper = strings.NewReplacer("~1", "/", "~0", "~")

// cedarEntities are the entities of one call.
type cedarEntities struct {
	access                      *Access
	principal, action, resource types.EntityUID
	attributes                  types.Record // of the resource, if they are made
	made                        bool
}

func entitiesOf(a *Access) *cedarEntities {
	uid := func(kind types.EntityType, id string) types.EntityUID {
		return types.NewEntityUID(kind, types.String(id))
	}
	call := a.Session + "/" + strconv.FormatInt(a.Index, 10)
	return &cedarEntities{access: a, principal: uid(cedarAgent, a.Agent), action: uid(cedarTool, a.Tool), resource: uid(cedarCall, call)}
}

// Get returns an entity. Attributes are made when they are asked for the first time.
func (e *cedarEntities) Get(uid types.EntityUID) (types.Entity, bool) {
	out := types.Entity{UID: uid}
	in := func(kind types.EntityType, id string) {
		if id != "" {
			out.Parents = types.NewEntityUIDSet(types.NewEntityUID(kind, types.String(id)))
		}
	}
	switch uid {
	case e.principal:
		in(cedarRole, e.access.Role)
	case e.action:
		in(cedarAction, e.access.Tool)
	case e.resource:
		in(cedarEnvironment, e.access.Environment)
		if !e.made {
			e.attributes, e.made = cedarRecord(e.access.Args), true
		}
		out.Attributes = e.attributes
	default:
		return out, false
	}
	return out, true
}

// context makes of a call what policies look at in their context.
func (u *cedarUses) context(a *Access) types.Record {
	m := types.RecordMap{}
	if u.contextArgs {
		m["args"] = cedarRecord(a.Args)
	}
	if u.environment && a.Environment != "" {
		m["environment"] = types.String(a.Environment)
	}
	if u.action && a.Action != "" {
		m["action"] = types.String(a.Action)
	}
	if u.time && a.Millis != nil {
		m["time"] = types.NewDatetimeFromMillis(*a.Millis)
	}
	return types.NewRecord(m)
}

// cedarRecord makes a record of an object in canonical JSON.
func cedarRecord(object []byte) types.Record {
	m := types.RecordMap{}
	for name, value := range chain.Members(object) {
		if v := cedarValue(value); v != nil {
			m[types.String(chain.Unquote(name))] = v
		}
	}
	return types.NewRecord(m)
}

// cedarValue makes a value of canonical JSON, nil of null.
func cedarValue(value []byte) types.Value {
	switch value[0] {
	case '{':
		return cedarRecord(value)
	case '[':
		var list []types.Value
		for _, e := range chain.Elements(value) {
			if v := cedarValue(e); v != nil {
				list = append(list, v)
			}
		}
		return types.NewSet(list...)
	case '"':
		return types.String(chain.Unquote(value))
	case 't', 'f':
		return types.Boolean(value[0] == 't')
	case 'n':
		return nil
	}
	return cedarNumber(string(value))
}
