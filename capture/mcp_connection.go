package capture

import (
	"fmt"
	"strings"
)

// An mcpConnection is a client and a server, from one initialize to the next.
type mcpConnection struct {
	session  *Session
	agent    string
	server   string
	revision string
	used     bool // there was more than the handshake
	open     map[string][]*mcpRequest
	answered map[string]*mcpRequest // the last of an id
	tasks    map[string]*mcpCall
	waiting  []*mcpCall // for input
}

// An mcpRequest waits for its answer.
type mcpRequest struct {
	method string
	from   mcpSide
	text   string   // of a tools/call, to know it again
	call   *mcpCall // nil: of no tool
}

// An mcpCall is one call of a tool, which may need several requests.
type mcpCall struct {
	ref    Ref
	tool   string
	state  string // that the server wants back
	rounds []byte // what was asked and said, elements of a list
}

func (k *mcpConnection) metadata() (fields []Field) {
	for _, f := range []struct{ name, value string }{{"server", k.server}, {"protocol", k.revision}} {
		if f.value != "" {
			fields = append(fields, Field{f.name, TextValue(f.value)})
		}
	}
	return fields
}

// meet takes what one side says of itself: in the handshake, or before its name in _meta.
func (k *mcpConnection) meet(from Value, prefix string) {
	for _, f := range []struct {
		is    *string
		value Value
	}{
		{&k.agent, from.Get(prefix+"clientInfo", "name")},
		{&k.server, from.Get(prefix+"serverInfo", "name")},
		{&k.revision, from.Get(prefix + "protocolVersion")},
	} {
		if text := f.value.Text(); text != "" {
			*f.is = text
		}
	}
	k.session.Agent = k.agent
	k.session.Metadata = k.metadata()
}

func (k *mcpConnection) notification(r *Record, m mcpMessage, method string) {
	params := m.value.Get("params")
	if method == "notifications/cancelled" {
		id := mcpID(params.Get("requestId"))
		if q := k.find(id, m.from, nil); q != nil && q.call != nil {
			q.call.ref.Cancel(orTrue(params.Get("reason")), m.at)
			r.Context()
			return
		}
	}
	r.Skip("notification " + mcpKind(method))
}

func (k *mcpConnection) request(r *Record, m mcpMessage, method, id string) {
	params := m.value.Get("params")
	q := &mcpRequest{method: method, from: m.from}
	if method != mcpCallMethod {
		if method == "initialize" {
			k.meet(params, "")
			r.Context()
		} else {
			k.used = k.used || method != "ping" && method != "server/discover"
			k.meet(params.Get("_meta"), mcpPrefix)
			k.task(r, q, params, m.at)
		}
		k.wait(id, q)
		return
	}
	k.used = true
	k.meet(params.Get("_meta"), mcpPrefix)
	q.text = string(params)
	for _, had := range k.open[id] {
		if id != "" && had.text == q.text && had.method == method {
			r.Repeated()
			return
		}
	}
	if q.call = k.goesOn(params); q.call != nil {
		q.call.round("responses", params.Get("inputResponses"), id)
		r.Context()
	} else {
		q.call = k.attempt(params, id, m.at)
	}
	k.wait(id, q)
}

func (k *mcpConnection) attempt(params Value, id string, at Time) *mcpCall {
	call := Call{ID: id, Tool: params.Get("name").Text(), Args: params.Get("arguments"), Time: at}
	call.Trace, call.Parent = traceparent(params.Get("_meta", "traceparent").Text())
	return &mcpCall{ref: k.session.Of(k.session.Attempt(call)), tool: call.Tool}
}

// goesOn returns the call that waits for the input which a request has.
func (k *mcpConnection) goesOn(params Value) *mcpCall {
	state := params.Get("requestState")
	if !state.Has() && !params.Get("inputResponses").Has() {
		return nil
	}
	for i := len(k.waiting) - 1; i >= 0; i-- {
		c := k.waiting[i]
		if c.state == string(state) && c.tool == params.Get("name").Text() {
			k.waiting = append(k.waiting[:i:i], k.waiting[i+1:]...)
			return c
		}
	}
	return nil
}

// task notes that a request asks for the result of a call that runs as a task.
func (k *mcpConnection) task(r *Record, q *mcpRequest, params Value, at Time) {
	call := k.tasks[params.Get("taskId").Text()]
	switch {
	case call != nil && q.method == "tasks/cancel":
		call.ref.Cancel(Value(`"tasks/cancel"`), at)
		r.Context()
	case call != nil && (q.method == "tasks/result" || q.method == "tasks/get"):
		q.call = call
		fallthrough
	default:
		r.Skip("request " + mcpKind(q.method))
	}
}

func (k *mcpConnection) wait(id string, q *mcpRequest) {
	if id != "" {
		k.open[id] = append(k.open[id], q)
	}
}

// find returns the open request of an id: of the given side, and that the answer fits to, if it is given.
func (k *mcpConnection) find(id string, side mcpSide, answer Value) *mcpRequest {
	var best *mcpRequest
	fits := -1
	for _, q := range k.open[id] {
		if side != mcpEither && q.from != mcpEither && q.from != side {
			continue
		}
		if n := mcpFits(q.method, answer); n >= fits {
			best, fits = q, n
		}
	}
	return best
}

// mcpFits tells how well a result fits to a method: 2 well, 1 it may, 0 not.
func mcpFits(method string, result Value) int {
	names, ok := mcpAnswers[method]
	if !ok || !result.IsObject() {
		return 1
	}
	if result.First(names...) != nil {
		return 2
	}
	return 0
}

func (k *mcpConnection) answer(r *Record, m mcpMessage, id string) {
	result, failed := m.value.Get("result"), m.value.Get("error")
	asked := mcpEither
	switch m.from {
	case mcpClient:
		asked = mcpServer
	case mcpServer:
		asked = mcpClient
	}
	q := k.find(id, asked, result)
	if q == nil {
		k.late(r, m, id)
		return
	}
	list := k.open[id]
	for i := range list {
		if list[i] == q {
			k.open[id] = append(list[:i:i], list[i+1:]...)
			break
		}
	}
	k.answered[id] = q
	q.text = ""
	k.meet(result.Get("_meta"), mcpPrefix)
	switch {
	case q.method == "initialize":
		k.meet(result, "")
		r.Context()
	case q.call == nil:
		r.Skip("answer to " + mcpKind(q.method))
	case q.method == "tasks/get":
		k.polled(r, q.call, result, m.at)
	case failed.Has():
		q.call.finish(failed, true, m.at)
	case result.Get("resultType").Text() == "input_required":
		q.call.state = string(result.Get("requestState"))
		q.call.round("requests", result.Get("inputRequests"), id)
		k.waiting = append(k.waiting, q.call)
		r.Context()
	case q.method == mcpCallMethod && mcpTask(result).Text() != "":
		k.tasks[mcpTask(result).Text()] = q.call
		q.call.ref.Start(m.at, Field{"task", mcpTask(result).clone()})
	default:
		q.call.finish(result, result.Get("isError").IsTrue(), m.at)
	}
}

// mcpTask returns the id of the task that a call became.
func mcpTask(result Value) Value {
	if id := result.Get("task", "taskId"); id != nil {
		return id
	}
	if result.Get("resultType").Text() == "task" {
		return result.Get("taskId")
	}
	return nil
}

// polled takes what is known of a task, which in the later revisions has the result.
func (k *mcpConnection) polled(r *Record, call *mcpCall, task Value, at Time) {
	switch result, failed := task.Get("result"), task.Get("error"); {
	case failed.Has():
		call.finish(failed, true, at)
	case result.Has():
		call.finish(result, result.Get("isError").IsTrue(), at)
	default:
		r.Skip("answer to tasks/get")
	}
}

// late takes an answer to no request that is open: one that came again, or of another file.
func (k *mcpConnection) late(r *Record, m mcpMessage, id string) {
	result, failed := m.value.Get("result"), m.value.Get("error")
	isError := failed.Has() || result.Get("isError").IsTrue()
	if failed.Has() {
		result = failed
	}
	q := k.answered[id]
	switch {
	case q != nil && q.call != nil:
		q.call.finish(result, isError, m.at)
	case q != nil:
		r.Skip("answer to " + mcpKind(q.method))
	case id != "" && (mcpFits(mcpCallMethod, result) == 2 || failed.Has() && k.session.c.known.has(k.session.name, id)):
		k.session.Finish(id, "", mcpResult(result, isError, m.at))
	default:
		r.Skip("answer to a request that is not here")
	}
}

func (c *mcpCall) finish(response Value, isError bool, at Time) {
	r := mcpResult(response, isError, at)
	if c.rounds != nil {
		r.Metadata = append(r.Metadata, Field{"rounds", append(append(Value{'['}, c.rounds...), ']')})
	}
	c.ref.Finish(r)
}

func mcpResult(response Value, isError bool, at Time) Result {
	r := Result{Response: response, Error: isError, Time: at}
	text := response.Get("content").Plain()
	for _, denial := range mcpDenials {
		if isError && strings.HasPrefix(text, denial) {
			r.Denied = text
		}
	}
	return r
}

// round keeps what one side wants of the other before the call goes on.
func (c *mcpCall) round(what string, v Value, id string) {
	if c.rounds != nil {
		c.rounds = append(c.rounds, ',')
	}
	c.rounds = append(c.rounds, object([]Field{{"id", TextValue(id)}, {what, orTrue(v).clone()}})...)
}

func orTrue(v Value) Value {
	if !v.Has() {
		return Value("true")
	}
	return v
}

// mcpKind returns the name of a method for the kinds of lines: one for all those that nobody defined.
func mcpKind(method string) string {
	if _, ok := mcpMethods[method]; ok {
		return method
	}
	return "another method"
}

// mcpID returns a key for an id: 1 and "1" are two, 1 and 1.0 one; "" if there is none.
func mcpID(id Value) string {
	if id.IsNumber() {
		if f, ok := id.Float(); ok && f == float64(int64(f)) && strings.ContainsAny(string(id), ".eE") {
			return fmt.Sprint(int64(f))
		}
		return string(id)
	}
	text := id.Text()
	if _, ok := id.Float(); ok {
		return string(id)
	}
	return text
}
