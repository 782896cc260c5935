package capture

import (
	"fmt"
	"strings"
)

var langsmithFormat = Format{
	Name:  "langsmith",
	Short: "runs of LangSmith, as lines or documents, and the batches that its clients send",
	Maps: `
run of run_type tool          ATTEMPT, START at start_time, COMPLETE or ERROR at end_time
name, inputs, outputs         tool, args, response; a lone input or output stands for itself
error, status                 ERROR; response: the error
tool_call_id in outputs       request, else the id of the run
extra.metadata.thread_id, .session_id, .conversation_id
                              session, of the run or one above it; else the trace
run above of run_type tool    parent
trace_id                      trace
run of a model                context, prompt; reasoning and args of the calls that it wants
patch                         what its post had not yet`,
	Sniff: func(v Value) bool { return len(langsmithRuns(v)) > 0 },
	New:   func(c *Conversion) Reader { return &langsmithReader{newSpanReader(c)} },
}

// A langsmithReader reads runs as the spans of a trace, which they are.
type langsmithReader struct{ *spanReader }

// A langsmithRun is a run and where it stands.
type langsmithRun struct {
	place string
	value Value
}

// langsmithRuns returns the runs of a record: itself, those of a batch, of a list that an API gave.
func langsmithRuns(v Value) (runs []langsmithRun) {
	if isLangsmithRun(v) {
		return []langsmithRun{{"", v}}
	}
	for _, list := range []string{"post", "patch", "runs"} {
		for i, run := range v.Get(list).Elements() {
			if isLangsmithRun(run) || list == "patch" && run.Get("id").IsText() && run.Get("trace_id").IsText() {
				runs = append(runs, langsmithRun{fmt.Sprintf("/%s/%d", list, i), run})
			}
		}
	}
	return runs
}

func isLangsmithRun(v Value) bool {
	return v.Get("run_type").IsText() && v.Get("id").IsText() && (v.Get("inputs") != nil || v.Get("start_time") != nil)
}

func (p *langsmithReader) Read(r *Record) error {
	p.full()
	runs := langsmithRuns(r.Value)
	if len(runs) == 0 {
		r.Skip("no run")
		return nil
	}
	for _, run := range runs {
		p.run(r, run.place, run.value, 0)
	}
	return nil
}

// run reads a run, and those that stand in it: in the record, they are parts of it.
func (p *langsmithReader) run(r *Record, place string, v Value, depth int) {
	p.add(r, langsmithSpan(place, v))
	if depth == maxDepth {
		return
	}
	for i, child := range v.Get("child_runs").Elements() {
		p.run(r, fmt.Sprintf("%s/child_runs/%d", place, i), child, depth+1)
	}
}

// langsmithSpan makes a span of a run, with the attributes of the conventions of OpenTelemetry.
func langsmithSpan(place string, v Value) *span {
	s := &span{place: place, name: v.Get("name").Text(), attrs: attributes{}, id: v.Get("id").Text(), trace: v.Get("trace_id").Text(),
		parent: v.Get("parent_run_id").Text(), start: ParseTime(v.Get("start_time")), end: ParseTime(v.Get("end_time"))}
	s.message = v.Get("error").Text()
	s.failed = s.message != "" || v.Get("status").Text() == "error"
	set := func(name string, value Value) {
		if value.Has() {
			s.attrs[name] = value
		}
	}
	metadata := v.Get("extra", "metadata")
	set("gen_ai.conversation.id", metadata.First("thread_id", "session_id", "conversation_id"))
	set("gen_ai.agent.name", metadata.First("agent_name", "lc_agent_name", "langgraph_node"))
	outputs := v.Get("outputs")
	switch v.Get("run_type").Text() {
	case "tool":
		set(operationName, Value(`"`+executeTool+`"`))
		set("gen_ai.tool.name", v.Get("name"))
		set("gen_ai.tool.call.arguments", alone(v.Get("inputs"), "input"))
		message := langchain(alone(outputs, "output"))
		if id := message.Get("tool_call_id"); id.Has() {
			set("gen_ai.tool.call.id", id)
			if message.Get("status").Text() == "error" {
				s.failed = true
			}
			message = message.Get("content")
		}
		set("gen_ai.tool.call.result", message)
	case "llm":
		set(operationName, Value(`"chat"`))
		set("gen_ai.input.messages", langchainMessages(v.Get("inputs", "messages")))
		out := outputs.Get("messages")
		for _, generation := range flatList(outputs.Get("generations")) {
			out = append(append(Value{'['}, orNull(generation.Get("message"))...), ']')
		}
		if m := outputs.First("message", "output"); out == nil && m.IsObject() {
			out = append(append(Value{'['}, m...), ']')
		}
		if choice := outputs.Get("choices"); out == nil {
			for _, c := range choice.Elements() {
				out = append(append(Value{'['}, orNull(c.Get("message"))...), ']')
			}
		}
		set("gen_ai.output.messages", langchainMessages(out))
	default:
		set(operationName, v.Get("run_type"))
	}
	return s
}

// alone returns a member that stands alone in an object, else the object.
func alone(v Value, name string) Value {
	n := 0
	for range v.Members() {
		n++
	}
	if inner := v.Get(name); n == 1 && inner != nil {
		return inner
	}
	return v
}

// langchain returns what a serialised object of LangChain was made of, anything else as it is.
func langchain(v Value) Value {
	if v.Get("lc") == nil || !v.Get("kwargs").IsObject() {
		return v
	}
	return v.Get("kwargs")
}

// flatList returns the elements of a list of lists, or of a list.
func flatList(v Value) (list []Value) {
	for _, element := range v.Elements() {
		if element.IsArray() {
			list = append(list, flatList(element)...)
		} else {
			list = append(list, element)
		}
	}
	return list
}

// langchainMessages returns messages as a list of objects with a role.
func langchainMessages(v Value) Value {
	list := Value{'['}
	for _, m := range flatList(v) {
		fields := []Field{}
		kind := m.Get("type").Text()
		if ids := m.Get("id"); m.Get("lc") != nil && ids.IsArray() { // the name of its class is the last
			for _, id := range ids.Elements() {
				kind = strings.ToLower(strings.TrimSuffix(strings.TrimSuffix(id.Text(), "Chunk"), "Message"))
			}
		}
		m = langchain(m)
		for name, value := range m.Members() {
			if name != "additional_kwargs" { // it repeats the calls
				fields = append(fields, Field{name, value})
			}
		}
		if role := langchainRoles[kind]; role != "" && m.Get("role") == nil {
			fields = append(fields, Field{"role", TextValue(role)})
		}
		if len(list) > 1 {
			list = append(list, ',')
		}
		list = append(list, object(fields)...)
	}
	return append(list, ']')
}

// langchainRoles are the roles of the classes of messages.
var langchainRoles = map[string]string{"system": "system", "human": "user", "ai": "assistant", "tool": "tool", "user": "user", "assistant": "assistant"}
