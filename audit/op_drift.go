package audit

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"time"

	"toolledger/query"
)

// The kinds of drift's findings, in the order in which an agent's stand.
const (
	newAgent  = "new-agent"
	newTool   = "new-tool"
	newShape  = "new-shape"
	newHour   = "new-hour"
	otherRate = "rate"
)

// driftOperator says what of each agent's calls in a window is not as in the time before it.
var driftOperator = query.Operator{
	Name:    "drift",
	Usage:   "drift baseline=7d window=1d to=datetime(2026-01-09) threshold=3.5",
	Doc:     "what each agent does in the last window that it did not in the baseline before: new tools, argument shapes, hours, and rates beyond what is usual",
	Example: `datatable(agent:string, time:datetime, tool:string)["a", datetime(2026-01-02 09:00), "search", "a", datetime(2026-01-03 09:30), "drop_table"] | drift baseline=7d`,
	Bind: func(args *query.Arguments, in []query.Field) (*query.Transform, error) {
		const day = 24 * time.Hour
		text := func(d time.Duration) string { return span(int64(d / 100)) }
		baseline, window := args.Timespan("baseline", 7*day), args.Timespan("window", day)
		to, threshold := args.Datetime("to"), args.Real("threshold", 3.5)
		if baseline < window {
			args.Fault("baseline", fmt.Errorf("baseline: expected at least as long as the window, %s, found %s", text(window), text(baseline)))
			args.Fault("window", fmt.Errorf("window: expected at most as long as the baseline, %s, found %s", text(baseline), text(window)))
		}
		if baseline/window > maxBuckets {
			args.Fault("window", fmt.Errorf("window: expected at least a %dth of the baseline, %s, found %s", maxBuckets, text(baseline), text(window)))
			args.Fault("baseline", fmt.Errorf("baseline: expected at most %d times the window, %s, found %s", maxBuckets, text(window), text(baseline)))
		}
		if !(threshold > 0) || math.IsInf(threshold, 0) {
			args.Fault("threshold", fmt.Errorf("threshold: expected a number over 0"))
		}
		t := &query.Transform{
			Needs:  activityNeeds(in),
			Wants:  append(slices.Clone(activityWants), query.Field{Name: "args", Kind: query.Dynamic}, query.Field{Name: "removed", Kind: query.Dynamic}),
			Fields: driftFields,
			Batch:  shaped,
			Notes:  []string{"holds about 60 bytes a row and each name and argument shape once"},
		}
		t.Run = func(r *query.Run, in query.Batches, out func(row ...query.Value) error) error {
			s := newActivities(r)
			if err := r.Each(in, s.read); err != nil {
				return err
			}
			s.hint("drift")
			f := &driftFinder{s: s, threshold: threshold, out: out}
			f.drift = drift{window: int64(window / 100), baseline: int64(baseline / 100), agents: map[uint32]*agentDrift{}}
			f.end = to.N
			for i := uint32(0); to.Null && i < uint32(s.n); i++ {
				f.end = max(f.end, s.at(i).time+1)
			}
			return f.find()
		}
		return t, nil
	},
}

// maxBuckets is how many windows a baseline may have.
const maxBuckets = 10_000

var driftFields = []query.Field{
	{Name: "agent", Kind: query.String}, {Name: "kind", Kind: query.String}, {Name: "tool", Kind: query.String}, {Name: "what", Kind: query.String},
	{Name: "observed", Kind: query.Dynamic}, {Name: "expected", Kind: query.Dynamic},
	{Name: "session", Kind: query.String}, {Name: "index", Kind: query.Long}, {Name: "time", Kind: query.Datetime},
}

// A driftFinder gives the findings.
type driftFinder struct {
	drift
	s         *activities
	threshold float64
	out       func(row ...query.Value) error
}

func (f *driftFinder) find() error {
	if err := f.s.calls(f.add); err != nil {
		return err
	}
	before := false
	for _, agent := range slices.SortedFunc(maps.Keys(f.agents), f.s.names.compare) {
		a := f.agents[agent]
		before = before || a.baseline.calls.count > 0
		if err := f.agent(agent, a); err != nil {
			return err
		}
	}
	if !before && len(f.agents) > 0 {
		f.s.run.Hint("drift: no row is of the baseline, so that every agent is new")
	}
	return nil
}

// agent gives the findings of an agent.
func (f *driftFinder) agent(agent uint32, a *agentDrift) error {
	names := f.s.names
	finding := func(kind string, tool uint32, what string, observed, expected query.Value, s *sighting) error {
		index, at, session := query.NullOf(query.Long), query.NullOf(query.Datetime), ""
		if s.count > 0 {
			session, at = names.texts[s.session], query.DatetimeOf(s.time, 0)
			if s.index != math.MaxInt64 {
				index = query.LongOf(s.index)
			}
		}
		return f.out(query.StringOf(names.texts[agent]), query.StringOf(kind), query.StringOf(names.texts[tool]), query.StringOf(what), observed, expected, query.StringOf(session), index, at)
	}
	if a.baseline.calls.count == 0 {
		return finding(newAgent, 0, "no call in the baseline", number(a.window.calls.count), query.NullOf(query.Dynamic), &a.window.calls)
	}
	for _, tool := range newKeys(a.window.tools, a.baseline.tools, names.compare) {
		s := a.window.tools[tool]
		if err := finding(newTool, tool, "tool that is not in the baseline", number(s.count), f.tools(a), s); err != nil {
			return err
		}
	}
	byName := func(x, y toolShape) int {
		return cmp.Or(names.compare(x.tool, y.tool), names.compare(x.shape, y.shape))
	}
	for _, k := range newKeys(a.window.shapes, a.baseline.shapes, byName) {
		known := f.shapes(a, k.tool)
		if known.S == "[]" { // the tool is new, or nothing is known of its arguments
			continue
		}
		if err := finding(newShape, k.tool, "arguments of another shape", query.DynamicOf(names.texts[k.shape]), known, a.window.shapes[k]); err != nil {
			return err
		}
	}
	for _, hour := range newKeys(a.window.clock, a.baseline.clock, cmp.Compare[int64]) {
		s := a.window.clock[hour]
		if err := finding(newHour, 0, fmt.Sprintf("%s between %02d:00 and %02d:00 UTC", counted(s.count, "call"), hour, (hour+1)%24), query.DynamicOf(strconv.FormatInt(hour, 10)), hoursOf(&a.baseline), s); err != nil {
			return err
		}
	}
	return f.rates(a, finding)
}

// rates gives the counts that are not as usual. Fewer calls than usual are a finding, fewer
// denials and errors are none.
func (f *driftFinder) rates(a *agentDrift, finding func(kind string, tool uint32, what string, observed, expected query.Value, s *sighting) error) error {
	for tally, name := range tallyNames {
		s := &a.window.tally[tally]
		usual, ok := a.usual(tally)
		score := usual.score(float64(s.count))
		if !ok || score <= f.threshold && (tally != tallyCalls || score >= -f.threshold) {
			continue
		}
		what := fmt.Sprintf("%s in %s", name, span(f.window))
		if err := finding(otherRate, 0, what, number(s.count), usual.value(f.threshold), s); err != nil {
			return err
		}
	}
	hour, most := a.window.busiest()
	if usual, ok := a.usualHour(); ok && f.window > ticksPerHour && most != nil && usual.score(float64(most.count)) > f.threshold {
		at := time.Date(1, 1, 1, 0, 0, 0, 0, time.UTC).AddDate(0, 0, int(hour/24)).Format("2006-01-02")
		return finding(otherRate, 0, fmt.Sprintf("calls in the hour from %s %02d:00 UTC on", at, hour%24), number(most.count), usual.value(f.threshold), most)
	}
	return nil
}

// tools returns the tools of the baseline, the most used first.
func (f *driftFinder) tools(a *agentDrift) query.Value {
	counts := map[uint32]int{}
	for tool, s := range a.baseline.tools {
		counts[tool] = s.count
	}
	return bagOfCounts(f.s.names, counts)
}

// shownShapes is how many shapes of the baseline a finding shows.
const shownShapes = 5

// shapes returns the shapes that a tool's arguments have in the baseline, those of the most calls first.
func (f *driftFinder) shapes(a *agentDrift, tool uint32) query.Value {
	var keys []toolShape
	for k := range a.baseline.shapes {
		if k.tool == tool {
			keys = append(keys, k)
		}
	}
	slices.SortFunc(keys, func(x, y toolShape) int {
		return cmp.Or(cmp.Compare(a.baseline.shapes[y].count, a.baseline.shapes[x].count), f.s.names.compare(x.shape, y.shape))
	})
	out := []byte{'['}
	for i, k := range keys[:min(len(keys), shownShapes)] {
		if i > 0 {
			out = append(out, ',')
		}
		out = append(out, f.s.names.texts[k.shape]...)
	}
	return query.DynamicOf(string(append(out, ']')))
}

// hoursOf returns the hours of the day in which there were calls.
func hoursOf(p *period) query.Value {
	var hours []int
	for _, h := range slices.Sorted(maps.Keys(p.clock)) {
		hours = append(hours, int(h))
	}
	return arrayOfCounts(hours)
}

func number(n int) query.Value { return query.DynamicOf(strconv.Itoa(n)) }

func counted(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// span writes ticks as the language does: 1d, 12h, 30m, or in seconds.
func span(ticks int64) string {
	for _, u := range []struct {
		ticks int64
		name  string
	}{{ticksPerDay, "d"}, {ticksPerHour, "h"}, {ticksPerHour / 60, "m"}} {
		if ticks%u.ticks == 0 {
			return fmt.Sprintf("%d%s", ticks/u.ticks, u.name)
		}
	}
	return fmt.Sprintf("%gs", float64(ticks)/1e7)
}
