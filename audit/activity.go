package audit

import (
	"cmp"
	"encoding/binary"
	"hash/maphash"
	"math"
	"slices"
	"strconv"

	"toolledger/query"
)

// An activity is what an entry tells of what its agent did. Texts are numbers in names.
type activity struct {
	session, agent, tool, shape uint32
	index                       int64
	request                     uint64 // a hash of it; 0: none
	time                        int64  // ticks
	duration                    float64
	phase                       uint8 // in activityPhases
	denied                      bool
}

// activitySize is what an activity takes, with its place in the order.
const activitySize = 56 + 4

var activityPhases = []string{"", "ATTEMPT", "START", "COMPLETE", "ERROR"}

// activities keeps what entries tell, in chunks, so that it grows without being copied.
type activities struct {
	run     *query.Run
	names   *names
	seed    maphash.Seed
	chunks  [][]activity
	n       int
	untimed int // rows without a time, which are left out
}

const activityChunk = 8192

// activityHold is how many bytes are kept until they are counted.
const activityHold = 1 << 16

func newActivities(r *query.Run) *activities {
	return &activities{run: r, names: newNames(), seed: maphash.MakeSeed()}
}

// The columns that activities read, by place; the last is there for drift alone.
const (
	actAgent = iota
	actTime
	actSession
	actIndex
	actTool
	actRequest
	actOrdinal
	actPhase
	actVerdict
	actDuration
	actShape
)

var activityWants = []query.Field{{Name: "session", Kind: query.String}, {Name: "index", Kind: query.Long}, {Name: "tool", Kind: query.String}, {Name: "request", Kind: query.String},
	{Name: "ordinal", Kind: query.Long}, {Name: "phase", Kind: query.String}, {Name: "authorization", Kind: query.String}, {Name: "duration_ms", Kind: query.Real}}

// activityNeeds returns the columns that the input must have. Rows of calls have their time as
// start.
func activityNeeds(in []query.Field) []query.Field {
	at := query.Field{Name: "time", Kind: query.Datetime}
	start := query.Field{Name: "start", Kind: query.Datetime}
	if slices.Contains(in, start) && !slices.ContainsFunc(in, func(f query.Field) bool { return f.Name == at.Name }) {
		at = start
	}
	return []query.Field{{Name: "agent", Kind: query.String}, at}
}

// read takes the rows of a batch.
func (s *activities) read(b *query.Batch) error {
	chunks, size := len(s.chunks), s.names.size
	for row := range b.N {
		at := func(c int) query.Value { return b.Cols[c].At(row) }
		if at(actTime).Null {
			s.untimed++
			continue
		}
		e := activity{session: s.names.of(at(actSession).S), agent: s.names.of(at(actAgent).S), tool: s.names.of(at(actTool).S), index: math.MaxInt64,
			request: s.request(at(actRequest), at(actOrdinal)), time: at(actTime).N, duration: math.NaN(), denied: at(actVerdict).S == "DENIED",
			phase: uint8(max(slices.Index(activityPhases, at(actPhase).S), 0))}
		if v := at(actIndex); !v.Null {
			e.index = v.N
		}
		if v := at(actDuration); !v.Null {
			e.duration = v.Real()
		}
		if len(b.Cols) > actShape {
			e.shape = s.names.of(at(actShape).S)
		}
		if s.n%activityChunk == 0 {
			s.chunks = append(s.chunks, make([]activity, 0, activityChunk))
		}
		last := &s.chunks[len(s.chunks)-1]
		*last = append(*last, e)
		s.n++
	}
	return s.run.Hold((len(s.chunks)-chunks)*activityChunk*activitySize + s.names.size - size)
}

// request returns what tells the calls of a session apart. A row that is a call already has an
// ordinal too.
func (s *activities) request(request, ordinal query.Value) uint64 {
	if request.S == "" {
		return 0
	}
	text := request.S
	if !ordinal.Null {
		text += "\x00" + strconv.FormatInt(ordinal.N, 10)
	}
	return max(maphash.String(s.seed, text), 1)
}

func (s *activities) at(i uint32) *activity { return &s.chunks[i/activityChunk][i%activityChunk] }

// bySession returns the places of the activities, those of a session together, in the order of
// their indexes.
func (s *activities) bySession() [][]uint32 {
	counts := make([]uint32, len(s.names.texts)+1)
	for i := range uint32(s.n) {
		counts[s.at(i).session+1]++
	}
	for k := 1; k < len(counts); k++ {
		counts[k] += counts[k-1]
	}
	order, next := make([]uint32, s.n), slices.Clone(counts)
	for i := range uint32(s.n) {
		at := &next[s.at(i).session]
		order[*at] = i
		*at++
	}
	var sessions [][]uint32
	byIndex := func(i, j uint32) int { return cmp.Compare(s.at(i).index, s.at(j).index) }
	for k := range counts[1:] {
		if of := order[counts[k]:counts[k+1]]; len(of) > 0 {
			if !slices.IsSortedFunc(of, byIndex) {
				slices.SortStableFunc(of, byIndex)
			}
			sessions = append(sessions, of)
		}
	}
	return sessions
}

// An activityCall is a call: where and when it began, and what its entries tell, each of the last
// entry that tells it.
type activityCall struct {
	activity
	errored bool
}

// calls puts the entries of each session together as calls, and uses each. use returns how many
// bytes it keeps.
func (s *activities) calls(use func(*activityCall) int) error {
	var calls []activityCall
	for _, of := range s.bySession() {
		if err := s.run.Context().Err(); err != nil {
			return err
		}
		calls = calls[:0]
		folder := query.NewCallFolder()
		for _, i := range of {
			e := s.at(i)
			request := ""
			if e.request != 0 {
				request = string(binary.BigEndian.AppendUint64(nil, e.request))
			}
			part := folder.Add("", request, activityPhases[e.phase], false)
			if part.Begins {
				calls = append(calls, activityCall{activity: *e})
			}
			calls[part.Call].add(e)
		}
		size := 0
		for i := range calls {
			size += use(&calls[i])
			if size >= activityHold || i == len(calls)-1 {
				if err := s.run.Hold(size); err != nil {
					return err
				}
				size = 0
			}
		}
	}
	return nil
}

// add adds what another entry of the call tells.
func (c *activityCall) add(e *activity) {
	for _, m := range [...]struct{ to, from *uint32 }{{&c.agent, &e.agent}, {&c.tool, &e.tool}, {&c.shape, &e.shape}} {
		if *m.from != 0 {
			*m.to = *m.from
		}
	}
	if !math.IsNaN(e.duration) {
		c.duration = e.duration
	}
	c.denied = c.denied || e.denied
	c.errored = c.errored || activityPhases[e.phase] == "ERROR"
}

// hint says what was left out.
func (s *activities) hint(operator string) {
	if s.untimed > 0 {
		s.run.Hint("%s: %d rows without a time are left out", operator, s.untimed)
	}
}

// Ticks of 100 ns.
const (
	ticksPerHour = 36_000_000_000
	ticksPerDay  = 24 * ticksPerHour
)
