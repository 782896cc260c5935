package capture

import (
	"maps"
	"slices"
	"strings"
)

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
			chat.flush(r, false)
		}
		return nil
	case "user":
		p.chat(l).flush(r, false)
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
func (t *claudeChat) flush(r *Record, cut bool) {
	if id, model, content := t.pieces.take(cut); content != nil {
		t.agent(r, "", id, content, Call{Parent: t.parent, Metadata: []Field{{"model", textOrNone(model)}, {"message_id", TextValue(id)},
			{"cwd", t.cwd}, {"version", t.version}, {"permission_mode", t.mode}}})
	}
}

// outcome reads the last line of a turn, which lists the calls that were denied.
func (p *claudeReader) outcome(r *Record, l *claudeLine) error {
	p.chat(l).flush(r, false)
	for _, d := range r.Value.Get("permission_denials").Elements() {
		id := d.Get("tool_use_id").Text()
		if chat := p.having(id); chat != nil && !chat.denied[id] {
			chat.deny(id, Verdict{Time: ParseTime(l.time), Metadata: []Field{{"denial", TextValue("permission_denials")}}})
		}
	}
	r.Skip(strings.TrimSpace("result " + l.subtype))
	return nil
}

// having returns the conversation that had a call, nil if none had.
func (p *claudeReader) having(id string) *claudeChat {
	for _, name := range slices.Sorted(maps.Keys(p.chats)) {
		if p.chats[name].Has(id) {
			return p.chats[name]
		}
	}
	return nil
}

// control reads what passes between Claude Code and the program that it asks for permissions. The answer has only the
// question's id.
func (p *claudeReader) control(r *Record, l *claudeLine) {
	if ask := r.Value.Get("request"); ask.Get("subtype").Text() == "can_use_tool" {
		if id := ask.Get("tool_use_id").Text(); id != "" {
			p.asked[r.Value.Get("request_id").Text()] = id
			r.Context()
			return
		}
	}
	answer := r.Value.Get("response")
	id := p.asked[answer.Get("request_id").Text()]
	delete(p.asked, answer.Get("request_id").Text())
	if chat := p.having(id); id != "" && chat != nil {
		v := Verdict{Policy: "can_use_tool", Time: ParseTime(l.time)}
		switch answer.Get("response", "behavior").Text() {
		case "allow":
			v.Authorization = "ALLOWED"
			chat.Decide(id, v)
			return
		case "deny":
			v.Metadata = []Field{{"denial", TextValue(firstWords(answer.Get("response", "message").Text(), "can_use_tool"))}}
			chat.deny(id, v)
			return
		}
	}
	r.Skip(l.kind)
}
