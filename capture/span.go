package capture

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// Attributes are what a span, an event or a resource has by name.
type attributes map[string]Value

// first returns the first of several names for one thing that has a value, and the name.
func (a attributes) first(names ...string) (Value, string) {
	for _, name := range names {
		if v := a[name]; v.Has() && string(v) != `""` {
			return v, name
		}
	}
	return nil, ""
}

func (a attributes) text(names ...string) string {
	v, _ := a.first(names...)
	return v.Key()
}

// is tells whether an attribute has a value: in any case of letters, and also as JSON within a string.
func (a attributes) is(name, value string) bool {
	text := strings.Trim(a[name].Text(), `"`)
	return text != "" && (value == "" || strings.EqualFold(text, value))
}

// clone keeps attributes longer than what they were read from.
func (a attributes) clone() attributes {
	own := make(attributes, len(a))
	for name, v := range a {
		own[name] = v.clone()
	}
	return own
}

// A span is one of a trace, in whatever form it was written.
type span struct {
	trace, id, parent string // in the form of W3C
	name              string
	start, end        Time
	failed            bool
	message           string // of its status
	attrs             attributes
	resource          attributes
	events            []spanEvent

	place  string  // pointer to it in its record
	record *Record // as which it is resumed
	also   []*Record
	waits  bool      // to be read
	call   *spanCall // of a tool span
	talk   *talk     // of a span of a model
}

// A spanEvent is something that happened in a span.
type spanEvent struct {
	name  string
	attrs attributes
}

// key identifies a span; "" if it has no id.
func (s *span) key() string {
	if s.id == "" {
		return ""
	}
	return s.trace + "/" + s.id
}

// clone keeps what points into the record.
func (s *span) clone() {
	s.attrs = s.attrs.clone()
	for i := range s.events {
		s.events[i].attrs = s.events[i].attrs.clone()
	}
	s.resource = nil
}

func (s *span) size() (n int) {
	for name, v := range s.attrs {
		n += len(name) + len(v)
	}
	for _, e := range s.events {
		for name, v := range e.attrs {
			n += len(name) + len(v)
		}
	}
	return n + 256
}

// isTool tells whether a span is that of a tool's call.
func (s *span) isTool() bool {
	for _, m := range toolMarks {
		if s.attrs.is(m.name, m.value) {
			return true
		}
	}
	if strings.HasPrefix(s.name, executeTool+" ") {
		return true
	}
	return s.attrs.is("gen_ai.tool.name", "") && !s.attrs.is(operationName, "") && !s.isGuardrail()
}

// isMCP tells whether a span is that of a message, which stands for the call around it.
func (s *span) isMCP() bool { return s.attrs.is(mcpMethodName, "") }

// isGuardrail tells whether a span is that of a gate's verdict.
func (s *span) isGuardrail() bool {
	return s.attrs.is(operationName, "run_guardrail") || s.attrs.is("gen_ai.guardrail.verdict.type", "") || strings.HasPrefix(s.name, "run_guardrail")
}

// tool returns the name of the tool.
func (s *span) tool() string {
	if name := strings.Trim(s.attrs.text(toolNames...), `"`); name != "" {
		return name
	}
	for _, prefix := range []string{executeTool + " ", mcpCallMethod + " "} {
		if name, ok := strings.CutPrefix(s.name, prefix); ok {
			return name
		}
	}
	return s.name
}

// args returns the arguments as the span has them, nil if it has none; withheld tells that a setting for
// privacy took them out.
func (s *span) args() (args Value, withheld bool) {
	args, name := s.attrs.first(argumentNames...)
	if args == nil {
		for _, e := range s.events { // deprecated: an event each for what goes in and what comes out
			if e.name == "gen_ai.tool.message" {
				args, _ = e.attrs.first("content", "arguments")
			}
		}
	}
	if args == nil {
		// By its definition this is the schema, in practice the arguments.
		if v, _ := s.attrs.first("tool.parameters"); !isSchema(v) {
			return v, false
		}
		return nil, false
	}
	if isRedacted(args) || name == adkArguments && s.attrs[adkArguments].Text() == "{}" && s.attrs[adkResult].Text() == "{}" {
		return nil, true
	}
	return args, false
}

// result returns what the tool returned, nil if the span does not have it.
func (s *span) result() (result Value, withheld bool) {
	result, name := s.attrs.first(resultNames...)
	if result == nil {
		for _, e := range s.events {
			if e.name == "gen_ai.choice" {
				result, _ = e.attrs.first("message", "content")
			}
		}
	}
	if isRedacted(result) || name == adkResult && result.Text() == "{}" && s.attrs[adkArguments].Text() == "{}" {
		return nil, true
	}
	return unpack(result), false
}

// unpack returns the object or list that a string holds, since attributes cannot have one; anything else as it is.
func unpack(v Value) Value {
	if text := v.Text(); strings.HasPrefix(text, "{") || strings.HasPrefix(text, "[") {
		if inner, _ := ParseValue([]byte(text)); inner != nil {
			return inner
		}
	}
	return v
}

// isRedacted tells whether a value only says that there was one.
func isRedacted(v Value) bool { return slices.Contains(redacted, v.Text()) }

// isSchema tells whether a value is a JSON Schema of arguments.
func isSchema(v Value) bool {
	v = unpack(v)
	return v.Get("type").Text() == "object" && v.Get("properties").IsObject()
}

// hasFailed tells whether a span ended in an error.
func (s *span) hasFailed(result Value) bool {
	if s.failed || s.attrs.is("error.type", "") || result.Get("isError").IsTrue() {
		return true
	}
	for _, name := range failedNames {
		if v := s.attrs[name]; v.IsTrue() || strings.EqualFold(v.Text(), "true") {
			return true
		}
	}
	return false
}

// failure returns what a span says of its error, nil if that is nothing.
func (s *span) failure() Value {
	var f []Field
	add := func(name, text string) {
		if text != "" {
			f = append(f, Field{name, TextValue(text)})
		}
	}
	add("message", s.message)
	add("type", s.attrs.text("error.type", "exception.type"))
	for _, e := range s.events {
		add("type", e.attrs.text("exception.type", "error.type"))
		add("message", e.attrs.text("exception.message", "error.message"))
	}
	if f == nil {
		return nil
	}
	return object(f)
}

// milliseconds returns how long a span took, as a number; "" if that is not known.
func (s *span) milliseconds() string {
	if s.start.IsZero() || s.end.IsZero() || s.end.Before(s.start.Time) {
		return ""
	}
	d := s.end.Sub(s.start.Time)
	text := fmt.Sprintf("%d.%06d", d/time.Millisecond, d%time.Millisecond)
	return strings.TrimSuffix(strings.TrimRight(text, "0"), ".")
}
