package audit

import (
	"fmt"
	"strings"
)

// Rules are a policy for many agents and roles. One rule that denies a call is enough to
// refuse it, whatever rules allow it; a call that no rule allows is refused too.
type Rules struct{ rules []*rule }

// A rule says what some may call, or may not.
type rule struct {
	id                                 string
	denies                             bool
	agents, roles, environments, tools []string // patterns; nil: any
	args                               []constraint
}

// ruleNames are the members of a rule.
var ruleNames = []string{"id", "description", "agents", "roles", "environments", "allow", "deny", "args"}

// rulesOf reads rules.
func rulesOf(root *jsonValue) (*Rules, error) {
	if err := root.object("policy", "description", "rules"); err != nil {
		return nil, err
	}
	if d := root.member("description"); d != nil {
		if _, err := d.string("description"); err != nil {
			return nil, err
		}
	}
	list := root.member("rules")
	if list.kind != '[' || len(list.values) == 0 {
		return nil, list.faultf("rules: expected an array of at least one rule, found %s", list.found())
	}
	p, ids := &Rules{}, map[string]bool{}
	for _, v := range list.values {
		r, err := ruleOf(v)
		if err != nil {
			return nil, err
		}
		if ids[r.id] {
			return nil, v.member("id").faultf("id: %s is that of a rule before it", quoteText(r.id))
		}
		ids[r.id] = true
		p.rules = append(p.rules, r)
	}
	return p, nil
}

func ruleOf(v *jsonValue) (r *rule, err error) {
	if err := v.object("rule", ruleNames...); err != nil {
		return nil, err
	}
	id, allow, deny := v.member("id"), v.member("allow"), v.member("deny")
	switch {
	case id == nil:
		return nil, v.faultf("rule: expected an id, a string")
	case id.kind != '"' || id.text == "":
		return nil, id.faultf("id: expected a string that is not empty, found %s", id.found())
	case id.text == DefaultRule:
		return nil, id.faultf("id: %s is what decides where no rule does", quoteText(DefaultRule))
	case (allow == nil) == (deny == nil):
		return nil, v.faultf("rule %s: expected either allow or deny, an array of tools", quoteText(id.text))
	}
	r = &rule{id: id.text, denies: deny != nil}
	lists := map[string]*[]string{"agents": &r.agents, "roles": &r.roles, "environments": &r.environments, "allow": &r.tools, "deny": &r.tools}
	for i, name := range v.names {
		value := v.values[i]
		switch list := lists[name.text]; {
		case list != nil:
			*list, err = value.strings(name.text)
		case name.text == "description":
			_, err = value.string(name.text)
		case name.text == "args":
			r.args, err = constraintsOf(value)
		}
		if err != nil {
			return nil, err
		}
	}
	return r, nil
}

func constraintsOf(v *jsonValue) (list []constraint, err error) {
	if v.kind != '{' || len(v.names) == 0 {
		return nil, v.faultf(`args: expected an object of at least one path, as {"path": {"inside": "docs"}}, found %s`, v.found())
	}
	for i, path := range v.names {
		c, err := constraintOf(path, v.values[i])
		if err != nil {
			return nil, err
		}
		list = append(list, c)
	}
	return list, nil
}

// Decide decides.
func (p *Rules) Decide(a *Access) Decision {
	var allows, doubt *rule // the first that allows; one that might decide otherwise
	var near near           // why the first rule that is about such a call does not allow it
	for _, r := range p.rules {
		if !globs(r.tools, a.Tool) || !globs(r.agents, a.Agent) || !globs(r.roles, a.Role) || !globs(r.environments, a.Environment) {
			continue
		}
		ok, unknown, failed, found := r.check(a)
		switch {
		case r.denies && ok:
			return Decision{Verdict: Refused, Rule: r.id, Why: "is denied by rule " + quoteText(r.id)}
		case unknown && (r.denies || doubt == nil):
			doubt = r
		case !r.denies && ok && allows == nil:
			allows = r
		case !r.denies && failed != nil && near.rule == nil:
			near.rule, near.failed, near.found = r, failed, found
		}
	}
	switch {
	case doubt != nil && (doubt.denies || allows == nil):
		return Decision{Verdict: Undecided, Rule: doubt.id}
	case allows != nil:
		return Decision{Verdict: Permitted, Rule: allows.id, Why: "is allowed by rule " + quoteText(allows.id)}
	}
	return Decision{Verdict: Refused, Rule: DefaultRule, Why: "is allowed by no rule" + whose(a) + near.String()}
}

// check tells whether a rule that is about such calls is about this one, by its arguments;
// if it is not, what of them failed and which value was found there, nil if there is none.
func (r *rule) check(a *Access) (ok, unknown bool, failed *constraint, found []byte) {
	for i := range r.args {
		c := &r.args[i]
		holds, open, found := c.check(a, r.denies)
		switch {
		case open:
			unknown = true
		case !holds:
			return false, false, c, found
		}
	}
	return !unknown, unknown, nil, nil
}

// A near is a rule that nearly allows a call, and what it is that fails. Most calls are allowed
// by another rule, so that its text is made only of those that are not.
type near struct {
	rule   *rule
	failed *constraint
	found  []byte
}

func (n *near) String() string {
	if n.rule == nil {
		return ""
	}
	found := "nothing"
	if n.found != nil {
		found = shown(n.found)
	}
	return fmt.Sprintf(": rule %s wants %s, found %s", quoteText(n.rule.id), n.failed.wants(), found)
}

// whose says who calls.
func whose(a *Access) string {
	var out strings.Builder
	if a.Agent != "" {
		out.WriteString(" for agent " + quoteText(a.Agent))
	}
	if a.Role != "" {
		out.WriteString(" in role " + quoteText(a.Role))
	}
	return out.String()
}

func (p *Rules) reads() reads {
	out := reads{args: map[string]bool{}}
	for _, r := range p.rules {
		out.agent = out.agent || r.agents != nil
		out.role = out.role || r.roles != nil
		out.environment = out.environment || r.environments != nil
		for _, c := range r.args {
			out.args[c.names[0]] = true
		}
	}
	return out
}
