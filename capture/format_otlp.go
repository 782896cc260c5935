package capture

import (
	"fmt"
	"strings"
	"time"
)

var otlpFormat = Format{
	Name:  "otlp",
	Short: "spans of OpenTelemetry as JSON: OTLP, as documents or lines; Tempo's and Jaeger's; the console exporter's",
	Maps: `
span of execute_tool, of OpenInference's TOOL, of MCP's tools/call, ...
                              ATTEMPT, START at its start, COMPLETE or ERROR at its end; spans of one call are one
gen_ai.tool.name, ...         tool
gen_ai.tool.call.id, ...      request, else the id of the span
gen_ai.tool.call.arguments    args, or under the names of the other conventions
gen_ai.tool.call.result       response; of an error without one, its message and type
status, error.type            ERROR
gen_ai.conversation.id, session.id, mcp.session.id, ...
                              session, of the span or one above it; else the trace
gen_ai.agent.name, ...        agent, of the span or one above it; else service.name
the call above                parent
span of a model               context, prompt; reasoning and args of the calls that it wants
span run_guardrail            authorization, policy of the call target.id; all of it in metadata.guardrails`,
	Sniff: func(v Value) bool { return otlpShape(v) != nil },
	New:   func(c *Conversion) Reader { return &otlpReader{newSpanReader(c)} },
}

// An otlpReader reads the forms in which spans are written.
type otlpReader struct{ *spanReader }

// otlpShape returns how a record is read, nil if it holds no spans.
func otlpShape(v Value) func(*otlpReader, *Record, string, Value) {
	switch {
	case v.First(resourceLists...).IsArray(), v.First(scopeLists...).IsArray():
		return (*otlpReader).resources
	case otlpShapeOfTrace(v.Get("trace")):
		return func(p *otlpReader, r *Record, place string, v Value) { p.resources(r, place+"/trace", v.Get("trace")) }
	case isJaeger(v):
		return (*otlpReader).jaegerTrace
	case isJaegerList(v.Get("data")):
		return func(p *otlpReader, r *Record, place string, v Value) {
			for i, t := range v.Get("data").Elements() {
				p.jaegerTrace(r, fmt.Sprintf("%s/data/%d", place, i), t)
			}
		}
	case v.First("spanId", "span_id").IsText() && v.First("traceId", "trace_id").IsText(), v.Get("context", "span_id").IsText():
		return func(p *otlpReader, r *Record, place string, v Value) {
			p.add(r, spanOf(place, v, plain(v.Get("resource", "attributes"))))
		}
	case isAttributes(v):
		return func(p *otlpReader, r *Record, place string, v Value) { p.add(r, &span{place: place, attrs: plain(v)}) }
	}
	return nil
}

func otlpShapeOfTrace(v Value) bool { return v.First(resourceLists...).IsArray() }

// isAttributes tells whether an object is the attributes of a span alone.
func isAttributes(v Value) bool {
	for name, value := range v.Members() {
		if (strings.HasPrefix(name, "gen_ai.") || strings.HasPrefix(name, "openinference.")) && !value.IsObject() {
			return true
		}
	}
	return false
}

func (p *otlpReader) Read(r *Record) error {
	p.full()
	shape := otlpShape(r.Value)
	switch {
	case shape != nil:
		shape(p, r, "", r.Value)
	case r.Value.First("resourceLogs", "resource_logs") != nil:
		r.Skip("logs")
	case r.Value.First("resourceMetrics", "resource_metrics") != nil:
		r.Skip("metrics")
	default:
		r.Skip("no span")
	}
	return nil
}

// The names of the lists, in OTLP of all versions and in Tempo.
var (
	resourceLists = []string{"resourceSpans", "resource_spans", "batches"}
	scopeLists    = []string{"scopeSpans", "scope_spans", "instrumentationLibrarySpans", "instrumentation_library_spans", "ilSpans"}
)

func (p *otlpReader) resources(r *Record, place string, v Value) {
	for _, list := range resourceLists {
		for i, resource := range v.Get(list).Elements() {
			p.scopesOf(r, fmt.Sprintf("%s/%s/%d", place, list, i), resource)
		}
	}
	p.scopesOf(r, place, v)
}

func (p *otlpReader) scopesOf(r *Record, place string, v Value) {
	resource := plain(v.Get("resource", "attributes"))
	for _, list := range scopeLists {
		for i, scope := range v.Get(list).Elements() {
			for j, s := range scope.Get("spans").Elements() {
				p.add(r, spanOf(fmt.Sprintf("%s/%s/%d/spans/%d", place, list, i, j), s, resource))
			}
		}
	}
}

// spanOf reads a span of OTLP, or of an exporter that writes what an SDK has.
func spanOf(place string, v Value, resource attributes) *span {
	s := &span{place: place, resource: resource, name: v.Get("name").Text()}
	ids := v
	if context := v.Get("context"); context.IsObject() {
		ids = context
	}
	s.trace = traceID(ids.First("traceId", "trace_id").Text())
	s.id = spanID(ids.First("spanId", "span_id").Text())
	s.parent = spanID(v.First("parentSpanId", "parent_span_id", "parent_id").Text())
	s.start = UnixTime(v.First("startTimeUnixNano", "start_time_unix_nano", "start_time"), time.Nanosecond)
	s.end = UnixTime(v.First("endTimeUnixNano", "end_time_unix_nano", "end_time"), time.Nanosecond)
	status := v.Get("status")
	switch strings.ToUpper(status.First("code", "status_code").Key()) {
	case "2", "ERROR", "STATUS_CODE_ERROR", "STATUSCODE.ERROR":
		s.failed = true
	}
	s.message = status.First("message", "description").Text()
	s.attrs = plain(v.Get("attributes"))
	for _, e := range v.Get("events").Elements() {
		s.events = append(s.events, spanEvent{e.Get("name").Text(), plain(e.Get("attributes"))})
	}
	return s
}

// maxAttributes is how many attributes of a span are read.
const maxAttributes = 1 << 14

// plain reads attributes: a list of keys with values that name their types, or an object.
func plain(v Value) attributes {
	a := attributes{}
	for _, pair := range v.Elements() {
		if len(a) < maxAttributes {
			a[pair.Get("key").Text()] = anyValue(pair.Get("value"))
		}
	}
	for name, value := range v.Members() {
		a[name] = value
	}
	if v.IsObject() && (a["gen_ai"].IsObject() || a["openinference"].IsObject()) {
		a.flatten("", v, 0) // the dots of the names became objects
	}
	return a
}

// flatten adds the leaves of objects and lists by their whole names.
func (a attributes) flatten(prefix string, v Value, depth int) {
	const deepest = 12
	if depth == deepest || len(a) > maxAttributes {
		return
	}
	for name, value := range v.Members() {
		a[prefix+name] = value
		a.flatten(prefix+name+".", value, depth+1)
	}
	for i, value := range v.Elements() {
		if value.IsObject() {
			a.flatten(fmt.Sprintf("%s%d.", prefix, i), value, depth+1)
		}
	}
}

// anyValue returns what an AnyValue of OTLP holds.
func anyValue(v Value) Value {
	for name, value := range v.Members() {
		switch name {
		case "stringValue", "boolValue", "bytesValue", "string_value", "bool_value", "bytes_value":
			return value
		case "intValue", "doubleValue", "int_value", "double_value":
			if number, _ := ParseValue([]byte(value.Text())); number.IsNumber() {
				return number
			}
			return value
		case "arrayValue", "array_value":
			list := Value{'['}
			for i, element := range value.Get("values").Elements() {
				if i > 0 {
					list = append(list, ',')
				}
				list = append(list, orNull(anyValue(element))...)
			}
			return append(list, ']')
		case "kvlistValue", "kvlist_value":
			var fields []Field
			for _, pair := range value.Get("values").Elements() {
				fields = append(fields, Field{pair.Get("key").Text(), orNull(anyValue(pair.Get("value")))})
			}
			if text, _ := ParseValue(object(fields)); text != nil { // in the order of canonical form
				return text
			}
		}
	}
	return v
}

func orNull(v Value) Value {
	if v == nil {
		return Value("null")
	}
	return v
}
