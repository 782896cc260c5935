package capture

// A Ref is one call of a session, for sources that tell exactly which call they speak of, whatever
// else has its id.
type Ref struct {
	s *Session
	k *call
}

// Of returns the call of a request that Attempt returned.
func (s *Session) Of(request string) Ref {
	k := s.calls[request]
	if k == nil {
		k = s.unknown(request, "")
	}
	return Ref{s, k}
}

// Start is [Session.Start] of the call.
func (r Ref) Start(at Time, metadata ...Field) { r.s.start(r.k, at, metadata) }

// Decide is [Session.Decide] of the call.
func (r Ref) Decide(v Verdict) { r.s.decide(r.k, v) }

// Finish is [Session.Finish] of the call.
func (r Ref) Finish(result Result) { r.s.finish(r.k, result) }

// Cancel says that the call was cancelled: metadata.cancelled of its ATTEMPT as long as that waits,
// else of an entry more. It has no result for that.
func (r Ref) Cancel(why Value, at Time) {
	r.s.decide(r.k, Verdict{Time: at, Metadata: []Field{{cancelled, why.clone()}}})
}

// cancelled is the name in metadata.
const cancelled = "cancelled"
