package capture

import "strings"

// stream reads a line of `claude --output-format stream-json`, which is a line of a transcript with other names, or one that
// only the stream has.
func (p *claudeReader) stream(r *Record, l *claudeLine) error {
	switch l.kind {
	case "system":
		if l.subtype == "init" {
			p.chat(l).settings(l)
			r.Context()
			return nil
		}
	case "stream_event":
		chat := p.chat(l)
		if chat.pieces.read(r, r.Value.Get("event")) {
			chat.flush(r)
		}
		return nil
	case "user":
		p.chat(l).flush(r)
		return p.line(r, l)
	case "result":
		return p.outcome(r, l)
	case "control_request", "control_response":
		p.control(r, l)
		return nil
	case "assistant":
		return p.line(r, l)
	}
	r.Skip(strings.TrimSpace(orUnnamed(l.kind) + " " + l.subtype))
	return nil
}

// flush makes a message of the pieces, as far as no line had it whole.
func (t *claudeChat) flush(r *Record) {
	if id, model, content := t.pieces.take(); content != nil {
		t.agent(r, "", id, content, Call{Parent: t.parent, Metadata: []Field{{"model", textOrNone(model)}, {"message_id", TextValue(id)},
			{"cwd", t.cwd}, {"version", t.version}, {"permission_mode", t.mode}}})
	}
}

// outcome reads the last line of a turn, which lists the calls that were denied.
func (p *claudeReader) outcome(r *Record, l *claudeLine) error {
	chat := p.chat(l)
	chat.flush(r)
	for _, d := range r.Value.Get("permission_denials").Elements() {
		id := d.Get("tool_use_id").Text()
		for _, of := range p.chats {
			if of.session == chat.session && of.Has(id) && !of.denied[id] {
				of.deny(id, Verdict{Metadata: []Field{{"denial", TextValue("permission_denials")}}})
			}
		}
	}
	r.Skip(strings.TrimSpace("result " + l.subtype))
	return nil
}

// control reads what passes between Claude Code and the program that has it ask for permissions.
func (p *claudeReader) control(r *Record, l *claudeLine) {
	if ask := r.Value.Get("request"); l.kind == "control_request" && ask.Get("subtype").Text() == "can_use_tool" {
		if id := ask.Get("tool_use_id").Text(); id != "" {
			p.asked[r.Value.Get("request_id").Text()] = claudeAsk{p.chat(l), id}
			r.Context()
			return
		}
	}
	answer := r.Value.Get("response")
	if ask, ok := p.asked[answer.Get("request_id").Text()]; ok && l.kind == "control_response" && ask.chat.Has(ask.id) {
		delete(p.asked, answer.Get("request_id").Text())
		v := Verdict{Policy: "can_use_tool", Time: ParseTime(l.time)}
		switch answer.Get("response", "behavior").Text() {
		case "allow":
			v.Authorization = "ALLOWED"
			ask.chat.Decide(ask.id, v)
			return
		case "deny":
			v.Metadata = []Field{{"denial", TextValue(firstWords(answer.Get("response", "message").Text(), "can_use_tool"))}}
			ask.chat.deny(ask.id, v)
			return
		}
	}
	r.Skip(l.kind)
}

// A claudeAsk is a call about which a program was asked.
type claudeAsk struct {
	chat *claudeChat
	id   string
}
