package capture

// verdict takes what a gate decided of a call.
func (b *spanBatch) verdict(s *span) {
	id := s.guard("target.id")
	if id == "" || s.guard("target.subtype") != "" && s.guard("target.subtype") != "tool_call" {
		return
	}
	of := b.r.resolve(s)
	c := b.r.calls[callKey(s.trace, id)]
	if c == nil {
		c = b.r.calls[callKey("session "+of.session, id)]
	}
	if c == nil {
		c = b.call(id, s.attrs.text(toolNames...), of, s)
		c.at = s.start
	}
	s.call = c
	if c.made {
		b.late = append(b.late, func() { b.decide(c, []*span{s}) })
		return
	}
	c.guards = append(c.guards, s)
}

// guard returns what a gate's span says under a name.
func (s *span) guard(name string) string {
	for _, prefix := range guardrailPrefixes {
		if text := s.attrs[prefix+name].Key(); text != "" {
			return text
		}
	}
	return ""
}

// verdicts are what gates say, and what that means.
var verdicts = map[string]string{"allow": "ALLOWED", "modify": "ALLOWED", "warn": "ALLOWED", "deny": "DENIED", "block": "DENIED"}

// decide gives a call its verdict: the first that denies, else the first of all. All are in metadata.
func (b *spanBatch) decide(c *spanCall, guards []*span) {
	best := -1
	list := Value{'['}
	for i, g := range guards {
		verdict := verdicts[g.verdict()]
		if verdict != "" && (best < 0 || verdict == "DENIED" && verdicts[guards[best].verdict()] != "DENIED") {
			best = i
		}
		if i > 0 {
			list = append(list, ',')
		}
		var f []Field
		for _, name := range []string{"verdict.type", "verdict.reason", "action.type", "target.type", "policy.id", "policy.rule.id", "content.input.hash"} {
			if text := g.guard(name); text != "" {
				f = append(f, Field{name, TextValue(text)})
			}
		}
		list = append(list, object(f)...)
	}
	v := Verdict{Time: guards[0].start, Metadata: []Field{{"guardrails", append(list, ']')}}}
	if best >= 0 {
		g := guards[best]
		v.Authorization, v.Policy, v.Time = verdicts[g.verdict()], g.guard("policy.id"), g.start
	}
	b.session(c).Of(c.request).Decide(v)
}

// verdict returns what a gate decided; where it does not say, what it did.
func (s *span) verdict() string {
	if text := s.guard("verdict.type"); text != "" {
		return text
	}
	return s.guard("action.type")
}
