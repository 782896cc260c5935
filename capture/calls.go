package capture

import "fmt"

// A call is what the session knows of a call.
type call struct {
	request   string
	tool      Value
	action    Value
	agent     string
	turn      int
	attempted bool // it has an ATTEMPT of this file
	answered  bool
	results   []uint64       // hashes of those that came
	phases    map[string]int // how many entries it has of each
	decided   bool           // the ledger's ATTEMPT has the verdict
	held      *held          // its ATTEMPT, as long as that waits for a verdict
}

// A group is the calls of one turn that have the same id, and wait for their results.
type group struct {
	turn  int
	calls []*call
}

// Has tells whether a call of that id was made in this session.
func (s *Session) Has(id string) bool { return s.call(id) != nil }

// call returns the latest call of an id, or the one of a request.
func (s *Session) call(id string) *call {
	if k := s.renamed[id]; k != nil {
		return k
	}
	return s.calls[id]
}

// IsOpen tells whether a call of that id waits for its result.
func (s *Session) IsOpen(id string) bool { return s.top(id) != nil }

// named returns the call that is spoken of by an id or a request: the one that waits for its result, else the latest,
// else one that the source does not show.
func (s *Session) named(id string) *call {
	if k := s.top(id); k != nil {
		return k
	}
	if k := s.call(id); k != nil {
		return k
	}
	return s.unknown(id, "")
}

// unknown returns a call that the source does not show.
func (s *Session) unknown(id, tool string) *call {
	request := id
	if request == "" {
		request = fmt.Sprintf("%s:%d", s.name, s.ordinal)
		s.ordinal++
	}
	k := &call{request: request, tool: textOrNone(tool), agent: s.Agent, phases: map[string]int{}}
	if tool == "" {
		k.tool = s.c.known.tool(s.name, request)
	}
	s.calls[request] = k
	return k
}

// byTool is under what the open calls of a tool are found, which is no id.
func byTool(tool string) string { return "\x00" + tool }

// wait puts a call among those that wait for a result.
func (s *Session) wait(id string, k *call) {
	groups := s.open[id]
	if n := len(groups); n > 0 && groups[n-1].turn == k.turn {
		groups[n-1].calls = append(groups[n-1].calls, k)
		return
	}
	s.open[id] = append(groups, &group{k.turn, []*call{k}})
}

// top returns the first call of that id that waits in the latest turn.
func (s *Session) top(id string) *call {
	groups := s.open[id]
	for len(groups) > 0 {
		g := groups[len(groups)-1]
		for len(g.calls) > 0 && g.calls[0].answered {
			g.calls = g.calls[1:]
		}
		if len(g.calls) > 0 {
			s.open[id] = groups
			return g.calls[0]
		}
		groups = groups[:len(groups)-1]
	}
	delete(s.open, id)
	return nil
}

// pop returns the call that a result belongs to, which waits no longer.
func (s *Session) pop(id, tool string) *call {
	k := s.top(id)
	switch {
	case id != "":
	case tool != "":
		k = s.top(byTool(tool))
	default:
		for len(s.last) > 0 && s.last[0].answered {
			s.last = s.last[1:]
		}
		if len(s.last) > 0 {
			k = s.last[0]
		}
	}
	return k
}
