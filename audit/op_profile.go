package audit

import (
	"cmp"
	"errors"
	"maps"
	"math"
	"slices"
	"strconv"

	"toolledger/chain"
	"toolledger/query"
)

// profileOperator says what each agent does.
var profileOperator = query.Operator{
	Name:    "profile",
	Usage:   "profile",
	Doc:     "what each agent does: tools, rates, hours of activity, denials, errors, durations",
	Example: `datatable(agent:string, time:datetime, tool:string)["a", datetime(2026-01-02 09:00), "search", "a", datetime(2026-01-02 09:30), "read_file"] | profile`,
	Bind: func(_ *query.Arguments, in []query.Field) (*query.Transform, error) {
		t := &query.Transform{Needs: activityNeeds(in), Wants: activityWants, Fields: profileFields, Notes: []string{"holds about 60 bytes a row and each name once"}}
		t.Run = func(r *query.Run, in query.Batches, out func(row ...query.Value) error) error {
			s := newActivities(r)
			if err := r.Each(in, s.read); err != nil {
				return err
			}
			s.hint("profile")
			return s.profiles(out)
		}
		return t, nil
	},
}

var profileFields = []query.Field{
	{Name: "agent", Kind: query.String}, {Name: "entries", Kind: query.Long}, {Name: "calls", Kind: query.Long}, {Name: "tools", Kind: query.Dynamic},
	{Name: "per_hour", Kind: query.Real}, {Name: "per_day", Kind: query.Real}, {Name: "hours", Kind: query.Dynamic},
	{Name: "denied", Kind: query.Long}, {Name: "denial_rate", Kind: query.Real}, {Name: "errors", Kind: query.Long}, {Name: "error_rate", Kind: query.Real},
	{Name: "p50_ms", Kind: query.Real}, {Name: "p95_ms", Kind: query.Real}, {Name: "first", Kind: query.Datetime}, {Name: "last", Kind: query.Datetime},
}

// An agentProfile is what an agent did.
type agentProfile struct {
	entries, calls, denied, errors int
	tools                          map[uint32]int
	hours                          [24]int        // calls, by the hour of the day
	active                         map[int64]bool // hours since the year 1 that had a call
	durations                      []float64
	first, last                    int64
}

// What the profile of an agent takes, and each tool or hour in it, about.
const (
	profileSize = 768
	profileKey  = 32
)

// profiles gives a row for each agent, in the order of their names.
func (s *activities) profiles(out func(row ...query.Value) error) error {
	agents, size := map[uint32]*agentProfile{}, 0
	of := func(agent uint32) *agentProfile {
		p := agents[agent]
		if p == nil {
			p = &agentProfile{tools: map[uint32]int{}, active: map[int64]bool{}, first: math.MaxInt64}
			agents[agent] = p
			size += profileSize
		}
		return p
	}
	for i := range uint32(s.n) {
		e := s.at(i)
		p := of(e.agent)
		if size >= activityHold || i == uint32(s.n)-1 {
			if err := errors.Join(s.run.Context().Err(), s.run.Hold(size)); err != nil {
				return err
			}
			size = 0
		}
		p.entries++
		p.first, p.last = min(p.first, e.time), max(p.last, e.time)
	}
	if err := s.calls(func(c *activityCall) int { return of(c.agent).add(c) }); err != nil {
		return err
	}
	for _, agent := range slices.SortedFunc(maps.Keys(agents), s.names.compare) {
		if err := agents[agent].row(s.names, agent, out); err != nil {
			return err
		}
	}
	return nil
}

// add adds a call and returns about how many bytes it takes.
func (p *agentProfile) add(c *activityCall) (size int) {
	hour := c.time / ticksPerHour
	seen := len(p.tools) + len(p.active)
	p.calls++
	p.tools[c.tool]++
	p.hours[hour%24]++
	p.active[hour] = true
	size = profileKey * (len(p.tools) + len(p.active) - seen)
	if c.denied {
		p.denied++
	}
	if c.errored {
		p.errors++
	}
	if !math.IsNaN(c.duration) {
		p.durations = append(p.durations, c.duration)
		size += 16
	}
	return size
}

func (p *agentProfile) row(n *names, agent uint32, out func(row ...query.Value) error) error {
	days := map[int64]bool{}
	for hour := range p.active {
		days[hour/24] = true
	}
	slices.Sort(p.durations)
	return out(query.StringOf(n.texts[agent]), long(p.entries), long(p.calls), bagOfCounts(n, p.tools),
		ratio(p.calls, len(p.active)), ratio(p.calls, len(days)), arrayOfCounts(p.hours[:]),
		long(p.denied), ratio(p.denied, p.calls), long(p.errors), ratio(p.errors, p.calls),
		percentile(p.durations, 50), percentile(p.durations, 95), query.DatetimeOf(p.first, 0), query.DatetimeOf(p.last, 0))
}

func long(n int) query.Value { return query.LongOf(int64(n)) }

// ratio is null where there is nothing to divide by.
func ratio(n, by int) query.Value {
	if by == 0 {
		return query.NullOf(query.Real)
	}
	return query.RealOf(float64(n) / float64(by))
}

// percentile returns what the language's percentile does of sorted numbers, null of none.
func percentile(sorted []float64, percent float64) query.Value {
	if len(sorted) == 0 {
		return query.NullOf(query.Real)
	}
	return query.RealOf(sorted[query.PercentileRank(percent, len(sorted))])
}

// bagOfCounts returns counts by name, the greatest first.
func bagOfCounts(n *names, counts map[uint32]int) query.Value {
	keys := slices.SortedFunc(maps.Keys(counts), func(x, y uint32) int {
		return cmp.Or(cmp.Compare(counts[y], counts[x]), n.compare(x, y))
	})
	out := []byte{'{'}
	for i, k := range keys {
		if i > 0 {
			out = append(out, ',')
		}
		out = append(append(out, chain.Quote(n.texts[k])...), ':')
		out = strconv.AppendInt(out, int64(counts[k]), 10)
	}
	return query.DynamicOf(string(append(out, '}')))
}

func arrayOfCounts(counts []int) query.Value {
	out := []byte{'['}
	for i, n := range counts {
		if i > 0 {
			out = append(out, ',')
		}
		out = strconv.AppendInt(out, int64(n), 10)
	}
	return query.DynamicOf(string(append(out, ']')))
}

// compare orders two numbers as their texts are.
func (n *names) compare(x, y uint32) int { return cmp.Compare(n.texts[x], n.texts[y]) }
