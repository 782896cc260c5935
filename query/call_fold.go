package query

// A CallFolder tells which entries are one call: those of a session with the same request. An
// ATTEMPT begins another one with that request, and so does a START after the end. An entry
// without request is a call of its own. The entries of a session come in their order.
type CallFolder struct {
	n    int // calls so far
	last map[[2]string]openCall
}

// An openCall is the last call of a session and request.
type openCall struct {
	call     int
	ordinal  int64
	answered bool
}

// A CallPart is what an entry is in its call.
type CallPart struct {
	Call    int   // which, from 0 in the order of the calls' first entries
	Ordinal int64 // of the call among those of its session and request, from 0
	Begins  bool  // it is the first
	Ends    bool  // with it the call is answered
}

// NewCallFolder returns a folder that has no entry yet.
func NewCallFolder() *CallFolder { return &CallFolder{last: map[[2]string]openCall{}} }

// BeginsCall tells whether an entry in a phase begins another call than that of the entries
// before it which have its request, and which were answered or not.
func BeginsCall(phase string, answered bool) bool {
	return phase == "ATTEMPT" || phase == "START" && answered
}

// EndsCall tells whether an entry in a phase is the answer to a call, where responded tells
// that it has a response.
func EndsCall(phase string, responded bool) bool {
	return phase == "COMPLETE" || phase == "ERROR" || phase == "" && responded
}

// AsksResponse tells whether the part that an entry has depends on its having a response:
// where no phase says so, or no request, a response is an end.
func AsksResponse(request, phase string) bool { return request == "" || phase == "" }

// Add adds the next entry. response, where [AsksResponse] says that it counts, tells whether
// it has one.
func (f *CallFolder) Add(session, request, phase string, response bool) CallPart {
	ends := EndsCall(phase, response)
	if request == "" { // whatever its phase
		ends = response
	}
	p := CallPart{Call: f.n, Begins: true, Ends: ends}
	if request == "" {
		f.n++
		return p
	}
	key := [2]string{session, request}
	before, again := f.last[key]
	switch {
	case again && !BeginsCall(phase, before.answered):
		p.Call, p.Ordinal, p.Begins = before.call, before.ordinal, false
		ends = ends || before.answered
	case again:
		p.Ordinal = before.ordinal + 1
		fallthrough
	default:
		f.n++
	}
	f.last[key] = openCall{p.Call, p.Ordinal, ends}
	return p
}
