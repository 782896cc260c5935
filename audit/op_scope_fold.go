package audit

import (
	"fmt"
	"strings"
	"unsafe"

	"toolledger/query"
)

// A scopeFold puts the entries of calls together, as the table calls does: entries of a session
// with the same request are a call, whose members are those of its last entry that has them;
// an ATTEMPT begins another one, and so does a START after the end; an entry without request
// is a call of its own. The entries of a session have to come in their order: those of others
// may stand between them.
type scopeFold struct {
	run   *query.Run
	place [numCols]int       // of each column in a batch, -1: it has none
	calls [][]scopeCall      // in pieces of callChunk
	names *names             // the texts that calls name
	last  map[callKey]uint32 // the place of the call that an entry of a session with a request belongs to
	ends  map[uint32]int64   // the last index of each session
	held  int
}

// A callKey is whose entries are one call: session, request, and ordinal where rows have one.
type callKey struct {
	session uint32
	request string
	ordinal int64
}

// callChunk is how many calls are in one piece of memory, which are decided on before their
// findings go out.
const callChunk = 8192

// A scopeCall is what its entries say together. Texts that repeat are numbers among the
// scopeFold's names.
type scopeCall struct {
	session, agent, role, tool, action, environment, authorization, policy uint32
	phases                                                                 uint8 // a bit for each that was reached
	timed, answered                                                        bool
	index, millis                                                          int64
	request, removed                                                       string
	args                                                                   []byte // canonical JSON; nil: it has none
}

// The bits of phases.
const (
	phaseNone = 1 << iota
	phaseAttempt
	phaseStart
	phaseComplete
	phaseError
)

var phaseBits = map[string]uint8{"ATTEMPT": phaseAttempt, "START": phaseStart, "COMPLETE": phaseComplete, "ERROR": phaseError}

// perCall is about what a call and its place among the last ones take, perText what a text
// does beside its bytes.
const (
	perCall = int(unsafe.Sizeof(scopeCall{})) + 96
	perText = 64
)

func newFold(run *query.Run, place [numCols]int) *scopeFold {
	return &scopeFold{run: run, place: place, names: newNames(), last: map[callKey]uint32{}, ends: map[uint32]int64{}}
}

// add adds the entries of a batch. What it keeps is counted until the end.
func (f *scopeFold) add(b *query.Batch) error {
	if err := f.run.Context().Err(); err != nil {
		return err
	}
	size := -f.names.size
	for row := range b.N {
		n, err := f.entry(b, row)
		if err != nil {
			return err
		}
		size += n
	}
	size += f.names.size
	f.held += size
	return f.run.Hold(size)
}

// entry adds one entry. It returns about what is kept of it beside names.
func (f *scopeFold) entry(b *query.Batch, row int) (size int, err error) {
	session := f.names.next(colSession, f.text(b, colSession, row))
	index := f.value(b, colIndex, row, query.Long)
	if last, ok := f.ends[session]; index.Null || ok && index.N <= last {
		return 0, f.misplaced(session, index, last)
	}
	f.ends[session] = index.N
	phase := f.text(b, colPhase, row)
	c, size := f.call(session, f.text(b, colRequest, row), f.value(b, colOrdinal, row, query.Long), phase)
	if c.phases == 0 {
		c.index = index.N
		if t := f.value(b, colTime, row, query.Datetime); !t.Null {
			c.timed, c.millis = true, millisOf(t.N)
		}
	}
	c.phases |= max(phaseBits[phase], phaseNone)
	c.answered = c.answered || query.EndsCall(phase, f.value(b, colResponse, row, query.Bool).N != 0)
	f.set(&c.tool, b, colTool, row)
	f.set(&c.agent, b, colAgent, row)
	f.set(&c.role, b, colRole, row)
	f.set(&c.action, b, colAction, row)
	f.set(&c.environment, b, colEnvironment, row)
	f.set(&c.authorization, b, colAuthorization, row)
	f.set(&c.policy, b, colPolicy, row)
	return size + c.setArgs(f.value(b, colArgs, row, query.Dynamic), f.value(b, colRemoved, row, query.Dynamic)), nil
}

// call returns the call that an entry belongs to, which may be a new one.
func (f *scopeFold) call(session uint32, request string, ordinal query.Value, phase string) (c *scopeCall, size int) {
	key := callKey{session, request, ordinal.N}
	at, ok := f.last[key]
	if ok {
		c = &f.calls[at/callChunk][at%callChunk]
		if !query.BeginsCall(phase, c.answered) {
			return c, 0
		}
		key.request = c.request
	} else {
		key.request = strings.Clone(request)
	}
	n := len(f.calls) - 1
	if n < 0 || len(f.calls[n]) == callChunk {
		f.calls = append(f.calls, make([]scopeCall, 0, callChunk))
		n++
	}
	if request != "" {
		f.last[key] = uint32(n*callChunk + len(f.calls[n]))
	}
	f.calls[n] = append(f.calls[n], scopeCall{session: session, request: key.request})
	return &f.calls[n][len(f.calls[n])-1], perCall + len(request)
}

// setArgs gives a call the arguments of an entry, if that has any, and with them which of
// them were removed.
func (c *scopeCall) setArgs(args, removed query.Value) (size int) {
	if args.Null && (c.args != nil || removed.Null) || args.S == string(c.args) && removed.S == c.removed {
		return 0
	}
	size = len(args.S) + len(removed.S) - len(c.args) - len(c.removed)
	c.args, c.removed = nil, strings.Clone(removed.S)
	if !args.Null {
		c.args = []byte(args.S)
	}
	return size
}

// misplaced is the error of an entry that does not come in the order of its session.
func (f *scopeFold) misplaced(session uint32, index query.Value, last int64) error {
	if index.Null {
		return fmt.Errorf("scope needs the index of every entry; one of session %s has none", quoteText(f.names.texts[session]))
	}
	return fmt.Errorf("scope needs the entries of a session in their order, each once: in session %s, %d comes after %d; put | sort by session asc, index asc before it", quoteText(f.names.texts[session]), index.N, last)
}

// epoch is 1970 in ticks, and ticksPerMilli what a millisecond has.
const (
	epoch         = 621355968000000000
	ticksPerMilli = 10000
)

// millisOf makes milliseconds since 1970 of ticks, which begin with the year 1.
func millisOf(ticks int64) int64 { return ticks/ticksPerMilli - epoch/ticksPerMilli }

// text returns a value of a row that is a string, "" if there is no such column.
func (f *scopeFold) text(b *query.Batch, col, row int) string {
	if f.place[col] < 0 {
		return ""
	}
	return b.Cols[f.place[col]].At(row).S
}

// value returns any other value of a row.
func (f *scopeFold) value(b *query.Batch, col, row int, k query.Kind) query.Value {
	if f.place[col] < 0 {
		return query.NullOf(k)
	}
	return b.Cols[f.place[col]].At(row)
}

// set puts the number of a text that is not "" in the place of the one that a call has.
func (f *scopeFold) set(at *uint32, b *query.Batch, col, row int) {
	if text := f.text(b, col, row); text != "" && f.names.texts[*at] != text {
		*at = f.names.next(col, text)
	}
}
