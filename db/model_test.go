package db

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"toolledger/chain"
)

// A model is a ledger as plain slices: what it must hold after each step.
type model struct {
	t        *testing.T
	rng      *rand.Rand
	dir      string
	l        *Ledger
	clock    time.Time
	entries  []modelEntry
	sessions map[string][]int // places in entries
	names    []string
	n        int
}

type modelEntry struct {
	receipt Receipt
	input   []byte // as it was given, without an index
	json    string // as the ledger must give it
}

// TestModel takes random steps on a ledger and on a model of it.
func TestModel(t *testing.T) {
	steps := 200
	if testing.Short() {
		steps = 60
	}
	for _, tt := range []struct {
		name string
		seed uint64
		key  string
	}{
		{"one", 1, ""}, {"two", 2, ""}, {"three", 3, ""}, {"encrypted", 4, "0123456789abcdef"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			m := newModel(t, tt.seed)
			opt := Options{Key: []byte(tt.key), Now: m.now}
			m.open(opt)
			for range steps {
				m.step(opt)
				if t.Failed() {
					t.FailNow()
				}
			}
			m.reopen(opt)
		})
	}
}

func newModel(t *testing.T, seed uint64) *model {
	return &model{
		t: t, rng: rand.New(rand.NewPCG(seed, 7)), dir: filepath.Join(t.TempDir(), "l"), clock: time.Unix(1_800_000_000, 0), sessions: map[string][]int{},
		names: []string{"a", "ab", "é", strings.Repeat("é", 256), "q\"uo\\te", "日本 語", "a/b~c", strings.Repeat("x", 512), "s1", "s2", "s3"},
	}
}

// now is a clock that goes on by odd steps, and at times back.
func (m *model) now() time.Time {
	m.clock = m.clock.Add(time.Duration(m.rng.IntN(2000)-200) * 1_000_003 * time.Nanosecond)
	return m.clock
}

func (m *model) open(opt Options) {
	m.l = open(m.t, m.dir, opt)
	if len(m.entries) == 0 {
		m.takeRecords()
	}
}

// step does something at random.
func (m *model) step(opt Options) {
	m.n++
	type action struct {
		weight int
		do     func()
	}
	actions := []action{
		{20, m.appendOne}, {12, m.appendBatch}, {6, m.appendAfter}, {6, m.repeat}, {4, m.conflict}, {3, m.gap}, {3, m.mixed},
		{4, m.loadFew}, {1, m.loadMany}, {2, m.abort}, {2, m.loadConflict}, {6, func() { packNow(m.t, m.l) }}, {8, m.lookup}, {4, m.scan}, {4, m.ranges}, {3, m.heads}, {2, m.refused}, {3, m.remove},
		{3, func() { m.reopen(opt) }},
	}
	sum := 0
	for _, a := range actions {
		sum += a.weight
	}
	at := m.rng.IntN(sum)
	for _, a := range actions {
		if at -= a.weight; at < 0 {
			a.do()
			return
		}
	}
}

func (m *model) session() string {
	if m.rng.IntN(8) == 0 {
		m.names = append(m.names, fmt.Sprintf("new-%d", m.n))
	}
	return m.names[m.rng.IntN(len(m.names))]
}

// input makes an entry for a session: small if it is to be one of many.
func (m *model) input(session string, small bool) []byte {
	text := []byte(`{"session":`)
	text = append(text, chain.Quote(session)...)
	for _, member := range oddMembers(m.rng, small) {
		text = append(append(text, ','), member...)
	}
	return append(text, '}')
}

// expect returns the JSON that the ledger must give for an input at a place.
func (m *model) expect(input []byte, index uint64, recorded chain.Time) string {
	canonical, err := chain.Canonical(nil, input)
	if err != nil {
		m.t.Fatal(err)
	}
	e, err := chain.ParseEntry(chain.TextOf(canonical))
	if err != nil {
		m.t.Fatalf("%v in %.200s", err, canonical)
	}
	e[chain.Index] = fmt.Append(nil, index)
	e[chain.Recorded] = chain.Quote(recorded.Time().UTC().Format(time.RFC3339Nano))
	at := e[chain.Recorded]
	if e[chain.At] != nil {
		parsed, err := time.Parse(time.RFC3339Nano, string(unquoted(e[chain.At])))
		if err != nil {
			m.t.Fatal(err)
		}
		at = chain.Quote(parsed.UTC().Format(time.RFC3339Nano))
	}
	e[chain.At] = at
	return string(e.Append(nil))
}

// took notes an entry that the ledger took, with the receipt it gave.
func (m *model) took(input []byte, session string, r Receipt) {
	m.t.Helper()
	if want := uint64(len(m.sessions[session])); r.Index != want || r.Seq != uint64(len(m.entries)) || r.Session != session {
		m.t.Fatalf("step %d: receipt %+v, want session %q, index %d, seq %d", m.n, r, session, want, len(m.entries))
	}
	if n := len(m.entries); n > 0 && r.Recorded.Compare(m.entries[n-1].receipt.Recorded) < 0 {
		m.t.Fatalf("step %d: recorded went back to %s", m.n, r.Recorded)
	}
	m.sessions[session] = append(m.sessions[session], len(m.entries))
	m.entries = append(m.entries, modelEntry{r, input, m.expect(input, r.Index, r.Recorded)})
}

func (m *model) must(receipts []Receipt, err error, inputs [][]byte, sessions []string) {
	m.t.Helper()
	if err != nil || len(receipts) != len(inputs) {
		m.t.Fatalf("step %d: %d receipts of %d, %v", m.n, len(receipts), len(inputs), err)
	}
	for i, r := range receipts {
		m.took(inputs[i], sessions[i], r)
	}
}

func (m *model) appendOne() {
	session := m.session()
	input := m.input(session, false)
	if m.rng.IntN(2) == 0 {
		receipts, err := m.l.AppendJSON(context.Background(), input)
		m.must(receipts, err, [][]byte{input}, []string{session})
		return
	}
	e, input := m.entryOf(input)
	r, err := m.l.Append(context.Background(), e)
	m.must([]Receipt{r}, err, [][]byte{input}, []string{session})
}

// entryOf returns an input as a program gives it, and what of it Go's type can say.
func (m *model) entryOf(input []byte) (Entry, []byte) {
	canonical, err := chain.Canonical(nil, input)
	if err != nil {
		m.t.Fatal(err)
	}
	r := Record{}
	if r.Members, err = chain.ParseEntry(chain.TextOf(canonical)); err != nil {
		m.t.Fatal(err)
	}
	r.Session = chain.Unquote(r.Members[chain.Session])
	e := r.Entry()
	e.Index = nil
	for k, v := range r.Members {
		if string(v) == `""` && k != int(chain.Response) || k == int(chain.Context) && string(v) == `[]` {
			r.Members[k] = nil
		}
	}
	return e, r.Members.Append(nil)
}

func (m *model) batch(small bool) (inputs [][]byte, sessions []string) {
	one := m.session()
	for range 1 + m.rng.IntN(20) {
		session := one
		if m.rng.IntN(3) == 0 {
			session = m.session()
		}
		sessions, inputs = append(sessions, session), append(inputs, m.input(session, small))
	}
	return inputs, sessions
}

func (m *model) appendBatch() {
	inputs, sessions := m.batch(m.rng.IntN(4) > 0)
	receipts, err := m.l.AppendJSON(context.Background(), inputs...)
	m.must(receipts, err, inputs, sessions)
}

func (m *model) head(session string) Head {
	h := Head{Session: session, Count: uint64(len(m.sessions[session]))}
	if h.Count > 0 {
		h.Digest = m.entries[m.sessions[session][h.Count-1]].receipt.Digest
	}
	return h
}

func (m *model) appendAfter() {
	session := m.session()
	head := m.head(session)
	e, input := m.entryOf(m.input(session, true))
	wrong := m.rng.IntN(2) == 0
	if wrong && m.rng.IntN(2) == 0 {
		head.Count++
	} else if wrong {
		head.Digest[m.rng.IntN(32)] ^= 1
	}
	receipts, err := m.l.AppendAfter(context.Background(), head, []Entry{e, e})
	if !wrong {
		m.must(receipts, err, [][]byte{input, input}, []string{session, session})
		return
	}
	var h *HeadError
	if !errors.As(err, &h) || h.Got.Count != m.head(session).Count || h.Got.Digest != m.head(session).Digest {
		m.t.Fatalf("step %d: AppendAfter a wrong head = %v, want a HeadError", m.n, err)
	}
}

// pick returns an entry of the model that a caller gave.
func (m *model) pick() *modelEntry {
	for range 100 {
		if e := &m.entries[m.rng.IntN(len(m.entries))]; e.receipt.Session != OwnSession {
			return e
		}
	}
	return nil
}

func withIndex(input []byte, index uint64) []byte {
	return append(fmt.Appendf(nil, `{"index":%d,`, index), input[1:]...)
}

func (m *model) repeat() {
	e := m.pick()
	if e == nil {
		return
	}
	receipts, err := m.l.AppendJSON(context.Background(), withIndex(e.input, e.receipt.Index))
	if err != nil || receipts[0] != e.receipt {
		m.t.Fatalf("step %d: the same entry again: %+v, %v, want %+v", m.n, receipts, err, e.receipt)
	}
}

// mixed appends a batch of which some entries are there already.
func (m *model) mixed() {
	e := m.pick()
	if e == nil {
		return
	}
	session := m.session()
	input := m.input(session, true)
	receipts, err := m.l.AppendJSON(context.Background(), withIndex(e.input, e.receipt.Index), input, withIndex(e.input, e.receipt.Index))
	if err != nil || receipts[0] != e.receipt || receipts[2] != e.receipt {
		m.t.Fatalf("step %d: a batch with an entry that is there: %+v, %v", m.n, receipts, err)
	}
	m.took(input, session, receipts[1])
}

func (m *model) conflict() {
	e := m.pick()
	if e == nil {
		return
	}
	session := e.receipt.Session
	fresh := m.input(m.names[0], true)
	_, err := m.l.AppendJSON(context.Background(), fresh, withIndex(m.inputWith(session, `"tool":"of a conflict"`), e.receipt.Index))
	var c *ConflictError
	if !errors.As(err, &c) || c.Session != session || c.Index != e.receipt.Index || c.Want != e.receipt.Digest || c.Got == c.Want {
		m.t.Fatalf("step %d: another entry at %q, %d: %v, want a ConflictError", m.n, session, e.receipt.Index, err)
	}
}

func (m *model) inputWith(session, members string) []byte {
	return fmt.Appendf(nil, `{"session":%s,%s}`, chain.Quote(session), members)
}

func (m *model) gap() {
	session := m.session()
	next := uint64(len(m.sessions[session]))
	_, err := m.l.AppendJSON(context.Background(), withIndex(m.input(session, true), next+1+m.rng.Uint64N(5)))
	var c *ConflictError
	if !errors.As(err, &c) || c.Next != next {
		m.t.Fatalf("step %d: an index after a gap: %v, want a ConflictError", m.n, err)
	}
}

// remove takes a value of an entry, or all that it has.
func (m *model) remove() {
	e := m.pick()
	if e == nil {
		return
	}
	before, err := chain.ParseEntry(chain.TextOf([]byte(e.json)))
	if err != nil {
		m.t.Fatal(err)
	}
	pointers := Payload()
	for pointer := range new(chain.Committer).Pointers(&before) {
		if m.rng.IntN(2) == 0 {
			pointers = []string{string(pointer)}
		}
	}
	left := chain.Evidence{Entry: before}
	n := left.Remove(pointers...)
	session, index := e.receipt.Session, e.receipt.Index
	c, err := m.l.Remove(context.Background(), redaction(session, index, index+1, pointers...))
	if n == 0 {
		if !errors.Is(err, ErrNothing) {
			m.t.Fatalf("step %d: Remove of %q from an entry that has none: %v, want ErrNothing", m.n, pointers, err)
		}
		return
	}
	if err != nil || c.Values != uint64(n) || c.Entries != 1 {
		m.t.Fatalf("step %d: Remove of %q = %+v, %v, want %d values", m.n, pointers, c, err, n)
	}
	e.json = string(left.Entry.Append(nil))
	m.takeRecords()
}

// refused appends what no ledger takes.
func (m *model) refused() {
	for _, text := range []string{
		`{"session":"_ledger"}`, `{"session":"\u005fown"}`, `{"session":""}`, `{"session":"a","recorded":"2026-01-01T00:00:00Z"}`, `{"session":"a","unknown":1}`,
		`{"session":"a","args":[]}`, `{"tool":"x"}`, `{"session":"a","time":"2026-02-30T00:00:00Z"}`, `{"session":"a","agent":"` + strings.Repeat("x", 33<<10) + `"}`,
	} {
		if _, err := m.l.AppendJSON(context.Background(), []byte(text)); err == nil {
			m.t.Fatalf("step %d: %.60s was taken, want an error", m.n, text)
		}
	}
}

func (m *model) loadFew() { m.load(1 + m.rng.IntN(60)) }

func (m *model) loadMany() {
	if len(m.entries) < 20_000 {
		m.load(8_192*m.rng.IntN(2) + 8_190 + m.rng.IntN(300))
	}
}

func (m *model) load(n int) {
	texts, inputs, sessions := m.loadTexts(n)
	fresh, err := load(m.l, texts)
	if err != nil || fresh != len(inputs) {
		m.t.Fatalf("step %d: a load took %d entries, %v, want %d", m.n, fresh, err, len(inputs))
	}
	m.takeLoaded(inputs, sessions)
}

// loadTexts makes a load of n new entries, and at times some that are there.
func (m *model) loadTexts(n int) (texts, inputs [][]byte, sessions []string) {
	for i := range n {
		if e := m.pick(); e != nil && m.rng.IntN(n) < 3 {
			texts = append(texts, withIndex(e.input, e.receipt.Index))
		}
		session := m.names[m.rng.IntN(len(m.names))]
		small := n > 100 || m.rng.IntN(4) > 0
		input := m.input(session, small && i != n/2)
		texts, inputs, sessions = append(texts, input), append(inputs, input), append(sessions, session)
	}
	return texts, inputs, sessions
}

// takeLoaded notes what a load took: it gives no receipts, so they come from a scan.
func (m *model) takeLoaded(inputs [][]byte, sessions []string) {
	m.t.Helper()
	if n := len(inputs); n > 0 {
		before := len(m.entries)
		m.scanFrom(uint64(before), uint64(before+n), func(i int, r *Record) {
			m.took(inputs[i], sessions[i], r.receipt())
			if got := string(r.JSON()); got != m.entries[before+i].json {
				m.t.Fatalf("step %d: loaded %.300s, want %.300s", m.n, got, m.entries[before+i].json)
			}
		})
	}
	if len(inputs) > 0 {
		m.takeRecords()
	}
}

// takeRecords notes the entries of the ledger itself behind those that are known.
func (m *model) takeRecords() {
	m.t.Helper()
	m.scanFrom(uint64(len(m.entries)), 1<<63, func(i int, r *Record) {
		if r.Session != OwnSession || i > 0 {
			m.t.Fatalf("step %d: an entry too many: %.300s", m.n, r.JSON())
		}
		text := string(r.JSON())
		m.sessions[OwnSession] = append(m.sessions[OwnSession], len(m.entries))
		m.entries = append(m.entries, modelEntry{r.receipt(), nil, text})
	})
}

func (m *model) scanFrom(from, to uint64, use func(i int, r *Record)) {
	m.t.Helper()
	s, err := m.l.Snapshot()
	if err != nil {
		m.t.Fatal(err)
	}
	defer s.Close()
	i := 0
	for r, err := range s.Records(context.Background(), Range{From: from, To: to}) {
		if err != nil {
			m.t.Fatalf("step %d: %v", m.n, err)
		}
		if r.Seq != from+uint64(i) {
			m.t.Fatalf("step %d: record %d stands where %d should", m.n, r.Seq, from+uint64(i))
		}
		use(i, r)
		i++
	}
	if want := min(to, s.Size()) - min(from, s.Size()); uint64(i) != want {
		m.t.Fatalf("step %d: %d records from %d to %d, want %d", m.n, i, from, to, want)
	}
}

func (m *model) abort() {
	w, err := m.l.NewLoader(context.Background())
	if err != nil {
		m.t.Fatal(err)
	}
	n := m.rng.IntN(100)
	if m.rng.IntN(6) == 0 {
		n = 8_192 + m.rng.IntN(9_000)
	}
	texts, _, _ := m.loadTexts(n)
	if _, err := addAll(w, texts); err != nil {
		m.t.Fatalf("step %d: %v", m.n, err)
	}
	w.Abort()
	m.size()
}

func (m *model) loadConflict() {
	e := m.pick()
	if e == nil {
		return
	}
	texts, _, _ := m.loadTexts(10)
	_, err := load(m.l, append(texts, withIndex(m.inputWith(e.receipt.Session, `"tool":"of a conflict"`), e.receipt.Index)))
	var c *ConflictError
	if !errors.As(err, &c) || c.Want != e.receipt.Digest {
		m.t.Fatalf("step %d: a load of another entry: %v, want a ConflictError", m.n, err)
	}
	m.size()
}

func (m *model) size() {
	m.t.Helper()
	s, err := m.l.Snapshot()
	if err != nil {
		m.t.Fatal(err)
	}
	defer s.Close()
	if s.Size() != uint64(len(m.entries)) {
		m.t.Fatalf("step %d: the ledger has %d entries, want %d", m.n, s.Size(), len(m.entries))
	}
}

func (m *model) lookup() {
	for range 20 {
		e := &m.entries[m.rng.IntN(len(m.entries))]
		r, err := m.l.Entry(context.Background(), e.receipt.Session, e.receipt.Index)
		if err != nil {
			m.t.Fatalf("step %d: entry %+v: %v", m.n, e.receipt, err)
		}
		m.same(e, r)
	}
	for session, at := range m.sessions {
		if _, err := m.l.Entry(context.Background(), session, uint64(len(at))); !errors.Is(err, ErrNotFound) {
			m.t.Fatalf("step %d: an entry after the last of %q: %v, want ErrNotFound", m.n, session, err)
		}
		break
	}
}

func (m *model) same(e *modelEntry, r *Record) {
	m.t.Helper()
	if got := string(r.JSON()); got != e.json || r.receipt() != e.receipt {
		m.t.Fatalf("step %d: entry %+v is %+v,\n%.300s\nwant\n%.300s", m.n, e.receipt, r.receipt(), got, e.json)
	}
	prev := chain.Hash{}
	if r.Index > 0 {
		prev = m.entries[m.sessions[r.Session][r.Index-1]].receipt.Digest
	}
	if r.Prev != prev {
		m.t.Fatalf("step %d: entry %+v has prev %x, want %x", m.n, e.receipt, r.Prev, prev)
	}
}

func (m *model) scan() {
	from := m.rng.Uint64N(uint64(len(m.entries)))
	m.scanFrom(from, from+1+m.rng.Uint64N(500), func(i int, r *Record) { m.same(&m.entries[from+uint64(i)], r) })
}

// ranges scans for a session and a time.
func (m *model) ranges() {
	var r Range
	if m.rng.IntN(3) > 0 {
		r.Session = m.names[m.rng.IntN(len(m.names))]
	}
	if m.rng.IntN(3) > 0 {
		since := m.at(&m.entries[m.rng.IntN(len(m.entries))])
		r.Since = &since
	}
	if m.rng.IntN(3) > 0 {
		until := m.at(&m.entries[m.rng.IntN(len(m.entries))])
		r.Until = &until
	}
	if m.rng.IntN(3) == 0 {
		r.From = m.rng.Uint64N(uint64(len(m.entries)))
		r.To = r.From + 1 + m.rng.Uint64N(3000)
	}
	s, err := m.l.Snapshot()
	if err != nil {
		m.t.Fatal(err)
	}
	defer s.Close()
	want := m.inRange(r)
	for got, err := range s.Records(context.Background(), r) {
		if err != nil || len(want) == 0 {
			m.t.Fatalf("step %d: range %+v: %v, want %d records more", m.n, r, err, len(want))
		}
		m.same(want[0], got)
		want = want[1:]
	}
	if len(want) > 0 {
		m.t.Fatalf("step %d: range %+v: %d records are missing", m.n, r, len(want))
	}
}

func (m *model) at(e *modelEntry) chain.Time {
	_, after, _ := strings.Cut(e.json[strings.LastIndex(e.json, `"session":`):], `"time":"`)
	text, _, _ := strings.Cut(after, `"`)
	t, err := chain.ParseTime([]byte(text))
	if err != nil {
		m.t.Fatalf("%v in %.300s", err, e.json)
	}
	return t
}

func (m *model) inRange(r Range) (in []*modelEntry) {
	for i := range m.entries {
		e := &m.entries[i]
		seq, at := e.receipt.Seq, m.at(e)
		if (r.Session == "" || r.Session == e.receipt.Session) && seq >= r.From && (r.To == 0 || seq < r.To) &&
			(r.Since == nil || at.Compare(*r.Since) >= 0) && (r.Until == nil || at.Compare(*r.Until) < 0) {
			in = append(in, e)
		}
	}
	return in
}

func (m *model) heads() {
	s, err := m.l.Snapshot()
	if err != nil {
		m.t.Fatal(err)
	}
	defer s.Close()
	n, last := 0, ""
	for h, err := range s.Sessions() {
		if err != nil {
			m.t.Fatalf("step %d: %v", m.n, err)
		}
		if want := m.head(h.Session); h.Count != want.Count || h.Digest != want.Digest || h.Session <= last && n > 0 {
			m.t.Fatalf("step %d: head %+v after %q, want %+v", m.n, *h, last, want)
		}
		n, last = n+1, h.Session
	}
	if n != len(m.sessions) {
		m.t.Fatalf("step %d: %d sessions, want %d", m.n, n, len(m.sessions))
	}
}

// reopen closes the ledger and looks at all of it, both ways.
func (m *model) reopen(opt Options) {
	closeLedger(m.t, m.l)
	reading := opt
	reading.ReadOnly = true
	m.l = open(m.t, m.dir, reading)
	m.whole()
	if _, err := m.l.AppendJSON(context.Background(), []byte(`{"session":"a"}`)); !errors.Is(err, ErrReadOnly) {
		m.t.Fatalf("append to a ledger that is open for reading = %v, want ErrReadOnly", err)
	}
	closeLedger(m.t, m.l)
	m.l = open(m.t, m.dir, opt)
	m.size()
}

func (m *model) whole() {
	m.t.Helper()
	rep := intact(m.t, m.l)
	if rep.Entries != uint64(len(m.entries)) || rep.Sessions != uint64(len(m.sessions)) {
		m.t.Fatalf("step %d: %+v, want %d entries in %d sessions", m.n, rep, len(m.entries), len(m.sessions))
	}
	m.scanFrom(0, 1<<63, func(i int, r *Record) { m.same(&m.entries[i], r) })
	m.heads()
	m.lookup()
}

// oddMembers returns members of an entry as JSON, at random and mostly odd.
func oddMembers(rng *rand.Rand, small bool) (members []string) {
	pick := func(odds int, choices ...func() string) {
		if rng.IntN(odds) == 0 {
			members = append(members, choices[rng.IntN(len(choices))]())
		}
	}
	text := func(s string) func() string { return func() string { return s } }
	pick(2, text(`"tool":"ls"`), text(`"tool":""`), text(`"tool":"\u0000\u001f\"\\\/é日本😀\ud83d\ude00"`), func() string { return fmt.Sprintf(`"tool":"t%d"`, rng.IntN(30)) })
	pick(3, text(`"time":"2026-01-02T03:04:05.123456789+02:00"`), text(`"time":"0001-01-01T00:00:00.000000001Z"`), text(`"time":"9999-12-31T23:59:59.9999999Z"`), text(`"time":"2026-01-02T03:04:05.120-11:30"`))
	pick(3, text(`"id":"a1b2"`), func() string { return fmt.Sprintf(`"id":"id-%08d"`, rng.IntN(1e8)) }, func() string { return fmt.Sprintf(`"id":"%x-%x"`, rng.Uint32(), rng.Uint64()) })
	pick(3, text(`"authorization":"DENIED"`), text(`"phase":"ATTEMPT"`), text(`"policy":"p\t1"`), text(`"trace":"00-ab-cd-01"`), text(`"role":"\u007f "`))
	pick(3, text(`"duration_ms":1.0`), text(`"duration_ms":-0`), text(`"duration_ms":1e400`), text(`"sample_rate":1e-3`), text(`"duration_ms":9007199254740993`))
	pick(4, text(`"context":[]`), text(`"context":["a","","\n"]`), text(`"reasoning":""`), text(`"prompt":"say \"hi\"\r\n"`))
	pick(2, text(`"args":{}`), text(`"args":{"":0,"~/":"a","a":null,"b":[1,[2,{}]],"\ue000":1,"😀":2}`), func() string { return object("args", rng, 3) }, text(`"args":{"n":1.0,"m":-0,"big":1e400,"odd":9007199254740993}`))
	pick(2, text(`"response":null`), text(`"response":{}`), text(`"response":[]`), text(`"response":""`), text(`"response":"\"x"`), text(`"response":[1.0,-0,1e400]`), text(`"response":9007199254740993`), text(`"response":false`), func() string { return object("response", rng, 5) })
	if !small {
		pick(6, func() string { return object("metadata", rng, 70) }, func() string { return object("metadata", rng, 1500) }, func() string { return noise("metadata", rng, 1<<20+rng.IntN(2<<20)) }, text(`"metadata":{"a":{"b":{"c":[]}}}`))
	} else {
		pick(8, text(`"metadata":{}`), func() string { return noise("metadata", rng, rng.IntN(600)) })
	}
	return members
}

// object makes a member that is an object of n members.
func object(name string, rng *rand.Rand, n int) string {
	var b bytes.Buffer
	fmt.Fprintf(&b, `"%s":{`, name)
	for i := range n {
		if i > 0 {
			b.WriteByte(',')
		}
		value := []string{"1", `"x"`, "null", "{}", "[]", "1.50", `""`, `{"y":-0}`, "true"}[rng.IntN(9)]
		fmt.Fprintf(&b, `"k%d":%s`, i*7%1009+i/1009*2000, value)
	}
	b.WriteByte('}')
	return b.String()
}

// noise makes a member that no codec makes smaller than three quarters.
func noise(name string, rng *rand.Rand, n int) string {
	const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
	text := make([]byte, n)
	for i := range text {
		text[i] = letters[rng.IntN(64)]
	}
	return fmt.Sprintf(`"%s":{"noise":"%s"}`, name, text)
}
