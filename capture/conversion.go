package capture

import (
	"context"
	"errors"
	"fmt"
	"hash/maphash"
	"io"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"toolledger/chain"
	"toolledger/db"
)

// A Conversion makes entries of the records of one file. It is for one goroutine.
type Conversion struct {
	// Name is the name for the session of a source that names none.
	Name string
	// Agent is who acted, where the source does not tell.
	Agent string
	// Links are what other files of the same import told.
	Links *Links

	prefix   string
	seed     maphash.Seed
	report   *Report
	tally    *tally
	lines    int              // read
	told     func(*LineError) // of what is refused
	record   *Record
	later    []*Record // parts of records that are not read yet, in the order of their lines
	sessions map[string]*Session
	requests map[string]bool // of all sessions: a parent names one whatever its session
	held     []*held
	heldSize int
	known    known
	sink     func(*db.Input) error // nil: nothing is added
	err      error                 // of the ledger: the file cannot go on
}

func newConversion(im *Import, report *Report) *Conversion {
	seed := maphash.MakeSeed()
	c := &Conversion{Name: im.Session, Agent: im.Agent, Links: im.Links, prefix: im.Prefix, seed: seed, report: report, tally: newTally(report), told: im.Refused,
		sessions: map[string]*Session{}, requests: map[string]bool{}, known: known{seed: seed, sessions: map[string]map[uint64]knownEntry{}}}
	if c.Links == nil {
		c.Links = new(Links)
	}
	return c
}

// Links are what one file tells of another's sessions: of a sub-agent, by whose call it was begun.
type Links struct {
	callers map[string]Caller
}

// A Caller is a call that caused a session.
type Caller struct {
	Session, Request string
	Agent            string // the name or kind of agent that it asked for, if the source tells
}

// Set says which call caused what has the given key.
func (l *Links) Set(key string, by Caller) {
	if l.callers == nil {
		l.callers = map[string]Caller{}
	}
	l.callers[key] = by
}

// Of returns the call that caused what has the given key.
func (l *Links) Of(key string) (Caller, bool) {
	c, ok := l.callers[key]
	return c, ok
}

// Session returns the session of a name that the source gives, "" if it gives none.
func (c *Conversion) Session(name string) *Session {
	if name == "" {
		name = c.Name
	}
	if s := c.sessions[name]; s != nil {
		return s
	}
	full := sessionName(c.prefix + name)
	s := &Session{Agent: c.Agent, c: c, name: full, quoted: TextValue(full),
		calls: map[string]*call{}, renamed: map[string]*call{}, open: map[string][]*group{}, seen: map[uint64]struct{}{}}
	c.sessions[name] = s
	return s
}

// sessionName makes a name that a ledger takes: a control character becomes _, as does the first
// character if the ledger's own sessions begin with it; of one that is too long the end is a sum of all.
func sessionName(name string) string {
	name = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || r == utf8.RuneError {
			return '_'
		}
		return r
	}, name)
	if name == "" || name[0] == db.OwnSession[0] {
		name = "session" + name
	}
	if len(name) > chain.MaxSession {
		sum := fmt.Sprintf("~%x", sum128(name))
		n := chain.MaxSession - len(sum)
		for !utf8.RuneStart(name[n]) {
			n--
		}
		name = name[:n] + sum
	}
	return name
}

// A held entry waits with all that are behind it: a verdict on its call may follow.
type held struct {
	entry *entry
	input db.Input // of the entry's text
	of    *call    // whose ATTEMPT it is; nil: it only stands behind one
	size  int
	known *knownEntry
}

// What may wait. When it is more, the first goes without a verdict.
const (
	maxHeld     = 1 << 12
	maxHeldSize = 8 << 20
)

// hold adds an entry whose verdict may follow.
func (c *Conversion) hold(e *entry, k *call) {
	h := c.admit(e)
	switch {
	case h == nil || e.members[chain.Authorization] != nil:
	case h.known != nil:
		k.decided = h.known.decided
	default:
		h.of, k.held = k, h
	}
	c.flush()
}

// add adds an entry behind those that wait.
func (c *Conversion) add(e *entry) {
	if c.admit(e) != nil {
		c.flush()
	}
}

// release ends the wait of an entry.
func (c *Conversion) release(h *held) {
	h.of.held, h.of = nil, nil
	c.flush()
}

// admit puts an entry at the end of the queue, unless it is refused.
func (c *Conversion) admit(e *entry) *held {
	h, err := e.held()
	if err == nil {
		h.known, err = c.known.find(e)
	}
	if err != nil {
		c.refuse(err)
		return nil
	}
	c.record.mark(isSource, "")
	c.report.Entries++
	if h.known != nil {
		c.report.Known++
	}
	c.held = append(c.held, h)
	c.heldSize += h.size
	return h
}

// amend gives a verdict to an entry that waits, and lets it go. Where it would be too large with it, the
// verdict is refused.
func (c *Conversion) amend(h *held, v Verdict) {
	e := *h.entry
	e.metadata = slices.Clone(e.metadata)
	e.set(chain.Authorization, textOrNone(v.Authorization))
	e.set(chain.Policy, textOrNone(v.Policy))
	e.note(v.Metadata)
	if with, err := e.held(); err != nil {
		c.refuse(err)
	} else {
		c.heldSize += with.size - h.size
		h.entry, h.input, h.size = with.entry, with.input, with.size
	}
	c.release(h)
}

// held checks an entry, and returns it as it goes to a ledger.
func (e *entry) held() (*held, error) {
	text := e.text()
	in, err := db.ParseInput(chain.TextOf(text))
	if err == nil {
		err = in.CheckHeader()
	}
	return &held{entry: e, input: in, size: len(text)}, err
}

// refuse refuses the record, or ends the file if the ledger failed.
func (c *Conversion) refuse(err error) {
	if c.err != nil {
		return
	}
	if failed := (*ledgerError)(nil); errors.As(err, &failed) {
		c.err = failed.err
		return
	}
	c.record.refuse(err)
}

func (r *Record) refuse(err error) {
	if r.err == nil {
		r.err = err
	}
}

// flush adds the entries that wait no longer to the ledger.
func (c *Conversion) flush() {
	for len(c.held) > 0 && c.err == nil {
		h := c.held[0]
		if h.of != nil {
			if len(c.held) <= maxHeld && c.heldSize <= maxHeldSize {
				return
			}
			h.of.held, h.of = nil, nil
		}
		c.held = c.held[1:]
		c.heldSize -= h.size
		if h.known != nil || c.sink == nil {
			continue
		}
		if c.err = c.sink(&h.input); c.err != nil {
			return
		}
		c.report.Added++
	}
}

// end lets go of all that waits.
func (c *Conversion) end() {
	for _, h := range c.held {
		if h.of != nil {
			h.of.held, h.of = nil, nil
		}
	}
	c.flush()
}

// read reads the records of a part of a file.
func (c *Conversion) read(ctx context.Context, split splitter, r io.Reader, reader Reader, noise bool, progress func()) error {
	before, lines := c.lines, 0
	for record, err := range split(r, &lines) {
		if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			return err
		}
		record.Line, record.last = record.Line+before, record.last+before
		c.record = record
		switch {
		case record.err == nil:
			if err := reader.Read(record); err != nil {
				record.refuse(err)
			}
		case record.noise && noise:
			record.err = nil
			record.Skip("no JSON")
		}
		if c.err != nil {
			return c.err
		}
		c.account(record)
		progress()
	}
	c.lines = before + lines
	c.record = &Record{Line: c.lines + 1, last: c.lines}
	c.endLines(c.lines + 1)
	c.report.Sessions = len(c.sessions)
	return nil
}

// finish ends a file.
func (c *Conversion) finish(reader Reader) {
	reader.End()
	for _, p := range c.later {
		p.resumed = true
	}
	c.settle()
	c.report.SkippedKinds = slices.DeleteFunc(c.report.SkippedKinds, func(k SkippedKind) bool { return k.Lines == 0 })
}

// pause ends a part of a file that goes on.
func (c *Conversion) pause(reader Reader) {
	if p, ok := reader.(Pauser); ok {
		p.Pause()
		c.settle()
	}
}

// Resume makes a part of an earlier record the one that is read: see [Record.Later].
func (c *Conversion) Resume(part *Record) {
	c.record = part
	part.resumed = true
}

// settle counts the lines of the parts that were read later.
func (c *Conversion) settle() {
	var waiting []*Record
	for _, p := range c.later {
		if p.resumed {
			c.note(p)
		} else {
			waiting = append(waiting, p)
		}
	}
	c.later = waiting
	c.endLines(c.lines + 1)
	c.report.Sessions = len(c.sessions)
}

// endLines counts the lines before the given one, but for those that parts which are read later stand in.
func (c *Conversion) endLines(before int) {
	if len(c.later) > 0 {
		before = min(before, c.later[0].Line)
	}
	c.tally.end(before)
}

// account counts the lines of a record.
func (c *Conversion) account(r *Record) {
	c.endLines(r.Line)
	c.note(r)
}

// note says what the lines of a record are.
func (c *Conversion) note(r *Record) {
	if r.err != nil {
		c.tally.note(r.Line, r.last, refused, "", nil)
		line := &LineError{r.Line, r.err}
		c.report.reason(line)
		if c.told != nil {
			c.told(line)
		}
		return
	}
	if r.last == r.Line {
		c.postpone(r, nil)
		for _, m := range r.marks {
			c.tally.note(r.Line, r.Line, m.class, m.kind, r.Value)
		}
		return
	}
	want := map[string][2]int{}
	for _, m := range r.marks {
		want[m.place] = [2]int{r.Line, r.last}
	}
	for _, p := range r.later {
		want[p.place] = [2]int{r.Line, r.last}
	}
	r.places(want)
	c.postpone(r, want)
	for _, m := range r.marks {
		at := want[m.place]
		c.tally.note(at[0], at[1], m.class, m.kind, nil)
	}
	// The rest, as the names of members around the parts.
	c.tally.note(r.Line, r.last, unread, "", nil)
}

// postpone keeps the parts of a record that are read later, with the places that they have in it;
// nil: all have the record's.
func (c *Conversion) postpone(r *Record, places map[string][2]int) {
	before := len(c.later)
	for _, p := range r.later {
		p.record.Line, p.record.last = r.Line, r.last
		if at, ok := places[p.place]; ok {
			p.record.Line, p.record.last = at[0], at[1]
		}
		c.later = append(c.later, p.record)
	}
	slices.SortStableFunc(c.later[before:], func(a, b *Record) int { return a.Line - b.Line })
}
