package capture

import (
	"fmt"
	"strings"
	"time"
)

// isJaeger tells whether a value is a trace as Jaeger writes it.
func isJaeger(v Value) bool {
	return v.Get("spans").IsArray() && (v.Get("processes").IsObject() || v.Get("traceID").IsText())
}

func isJaegerList(v Value) bool {
	for _, t := range v.Elements() {
		return isJaeger(t)
	}
	return false
}

// jaegerTrace reads a trace: times and durations are in microseconds, what a resource has is a process.
func (p *otlpReader) jaegerTrace(r *Record, place string, v Value) {
	processes := map[string]attributes{}
	for name, process := range v.Get("processes").Members() {
		a := tags(process.Get("tags"))
		a["service.name"] = process.Get("serviceName")
		processes[name] = a
	}
	for i, s := range v.Get("spans").Elements() {
		resource := processes[s.Get("processID").Text()]
		if process := s.Get("process"); process.IsObject() {
			resource = tags(process.Get("tags"))
			resource["service.name"] = process.Get("serviceName")
		}
		p.add(r, jaegerSpan(fmt.Sprintf("%s/spans/%d", place, i), s, resource))
	}
}

func jaegerSpan(place string, v Value, resource attributes) *span {
	s := &span{place: place, resource: resource, name: v.Get("operationName").Text(), attrs: tags(v.Get("tags"))}
	s.trace = traceID(v.First("traceID", "traceId").Text())
	s.id = spanID(v.First("spanID", "spanId").Text())
	s.parent = spanID(v.First("parentSpanID", "parentSpanId").Text())
	for _, ref := range v.Get("references").Elements() {
		if s.parent == "" || strings.EqualFold(ref.Get("refType").Text(), "CHILD_OF") {
			s.parent = spanID(ref.First("spanID", "spanId").Text())
		}
	}
	s.start = UnixTime(v.Get("startTime"), time.Microsecond)
	if d, ok := v.Get("duration").Float(); ok && !s.start.IsZero() && d >= 0 && d < float64(time.Hour*24*365/time.Microsecond) {
		s.end = s.start
		s.end.Time = s.start.Add(time.Duration(d) * time.Microsecond)
	}
	s.failed = s.attrs.is("otel.status_code", "ERROR")
	s.message = s.attrs.text("otel.status_description")
	for _, log := range v.Get("logs").Elements() {
		a := tags(log.Get("fields"))
		s.events = append(s.events, spanEvent{a.text("event"), a})
	}
	return s
}

// tags reads a list of keys with a type and a value.
func tags(list Value) attributes {
	a := attributes{}
	for _, t := range list.Elements() {
		if len(a) < maxAttributes {
			a[t.Get("key").Text()] = t.First("value", "vStr", "vBool", "vLong", "vInt64", "vDouble")
		}
	}
	return a
}
