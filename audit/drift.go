package audit

import "slices"

// A drift is what agents did in a window and in the baseline before it.
type drift struct {
	end, window, baseline int64 // ticks; the end is behind the last that counts
	agents                map[uint32]*agentDrift
}

// An agentDrift is one agent's.
type agentDrift struct {
	baseline, window period
	buckets          [][numTallies]int // of the baseline, each as long as the window, the last first
	earliest         int               // the bucket of its first call
}

// What is counted of calls.
const (
	tallyCalls = iota
	tallyDenied
	tallyErrors
	numTallies
)

var tallyNames = [numTallies]string{"calls", "denied calls", "errors"}

// A period is what an agent did in a stretch of time.
type period struct {
	calls  sighting
	tally  [numTallies]sighting
	tools  map[uint32]*sighting
	shapes map[toolShape]*sighting
	clock  map[int64]*sighting // by the hour of the day
	hours  map[int64]*sighting // by the hour since the year 1
}

type toolShape struct{ tool, shape uint32 }

// A sighting is how often something was seen, and where first.
type sighting struct {
	count   int
	session uint32
	index   int64
	time    int64
}

// sightingSize is about what a sighting takes in a map.
const sightingSize = 96

// see counts a call.
func (s *sighting) see(c *activityCall) {
	if s.count++; s.count == 1 || c.time < s.time {
		s.session, s.index, s.time = c.session, c.index, c.time
	}
}

// seeIn counts a call under a key, and returns how many bytes that takes.
func seeIn[K comparable](of map[K]*sighting, key K, c *activityCall) (size int) {
	s := of[key]
	if s == nil {
		s = new(sighting)
		of[key] = s
		size = sightingSize
	}
	s.see(c)
	return size
}

func newPeriod() period {
	return period{tools: map[uint32]*sighting{}, shapes: map[toolShape]*sighting{}, clock: map[int64]*sighting{}, hours: map[int64]*sighting{}}
}

// add adds a call and returns how many bytes it takes.
func (p *period) add(c *activityCall) int {
	p.calls.see(c)
	for i, counts := range [numTallies]bool{true, c.denied, c.errored} {
		if counts {
			p.tally[i].see(c)
		}
	}
	hour := c.time / ticksPerHour
	size := seeIn(p.tools, c.tool, c) + seeIn(p.clock, hour%24, c) + seeIn(p.hours, hour, c)
	if c.shape != 0 {
		size += seeIn(p.shapes, toolShape{c.tool, c.shape}, c)
	}
	return size
}

// add adds a call, if it is in the window or in the baseline.
func (d *drift) add(c *activityCall) (size int) {
	age := d.end - c.time // 1 of the last tick
	if age <= 0 || age > d.window+d.baseline {
		return 0
	}
	a := d.agents[c.agent]
	if a == nil {
		buckets := int(d.baseline / d.window)
		a = &agentDrift{baseline: newPeriod(), window: newPeriod(), buckets: make([][numTallies]int, buckets), earliest: -1}
		d.agents[c.agent] = a
		size = 8*numTallies*buckets + 8*sightingSize
	}
	if age <= d.window {
		return size + a.window.add(c)
	}
	if bucket := int((age - d.window - 1) / d.window); bucket < len(a.buckets) { // else of a rest that is shorter
		for i, counts := range [numTallies]bool{true, c.denied, c.errored} {
			if counts {
				a.buckets[bucket][i]++
			}
		}
		a.earliest = max(a.earliest, bucket)
	}
	return size + a.baseline.add(c)
}

// usual returns the spread of a count in the stretches of the baseline that are as long as the
// window, from the one with the agent's first call on. ok is false if there are too few.
func (a *agentDrift) usual(tally int) (s spread, ok bool) {
	var counts []float64
	for _, b := range a.buckets[:a.earliest+1] {
		counts = append(counts, float64(b[tally]))
	}
	if len(counts) < leastCounts {
		return s, false
	}
	return spreadOf(counts), true
}

// usualHour returns the spread of the calls in the hours of the baseline that had one.
func (a *agentDrift) usualHour() (s spread, ok bool) {
	var counts []float64
	for _, h := range a.baseline.hours {
		counts = append(counts, float64(h.count))
	}
	if len(counts) < leastCounts {
		return s, false
	}
	return spreadOf(counts), true
}

// busiest returns the hour of the window that had the most calls, the first of several.
func (p *period) busiest() (hour int64, most *sighting) {
	for h, s := range p.hours {
		if most == nil || s.count > most.count || s.count == most.count && h < hour {
			hour, most = h, s
		}
	}
	return hour, most
}

// newKeys returns what a window has and a baseline has not, in order.
func newKeys[K comparable](window, baseline map[K]*sighting, compare func(x, y K) int) (keys []K) {
	for k := range window {
		if baseline[k] == nil {
			keys = append(keys, k)
		}
	}
	slices.SortFunc(keys, compare)
	return keys
}
