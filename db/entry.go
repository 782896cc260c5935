package db

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"time"
	"unicode/utf8"

	"toolledger/chain"
)

// OwnSession is the session that the ledger itself writes. A name that begins
// with its first character is refused from anybody else.
const OwnSession = "_ledger"

// An Entry is one thing that was done about a tool call, as a program records it.
// A member that is empty is absent. [Ledger.AppendJSON] takes entries in JSON,
// where "" and absent are two things.
type Entry struct {
	Session string          // the chain that it belongs to: 1 to 512 bytes, no control characters; needed
	Index   *uint64         // its place in the session, if the caller wants to be sure of it: the next
	Time    time.Time       // when it happened; the ledger's clock where zero
	ID      string          // the caller's own identifier; need not be unique
	Agent   string          // who acted
	Role    string          // in which role
	Tool    string          // what was called
	Action  string          // what of the tool
	Args    json.RawMessage // the arguments, an object

	Authorization string // the gate's verdict: ALLOWED or DENIED
	Policy        string // the rule that decided
	Phase         string // where in its life the call is: ATTEMPT, START, COMPLETE or ERROR

	Request string // one call's entries share it
	Parent  string // the request that caused this one, in any session
	Trace   string // 1 to 128 printable characters, as W3C's trace-id

	Reasoning string   // why the agent decided so
	Context   []string // the last messages of the user
	Prompt    string   // the system prompt in force

	Response    json.RawMessage // result or error, any JSON value
	DurationMS  json.Number     // how long it took, in milliseconds
	Environment string          // such as production
	SampleRate  json.Number     // the share of such calls that is recorded, over 0 and at most 1
	Metadata    json.RawMessage // everything else, an object
}

// members returns e in canonical form.
func (e *Entry) members() (chain.Entry, error) {
	var m chain.Entry
	for _, t := range [...]struct {
		m    chain.Member
		text string
	}{
		{chain.Session, e.Session}, {chain.ID, e.ID}, {chain.Agent, e.Agent}, {chain.Role, e.Role}, {chain.Tool, e.Tool}, {chain.Action, e.Action},
		{chain.Authorization, e.Authorization}, {chain.Policy, e.Policy}, {chain.Phase, e.Phase}, {chain.Request, e.Request}, {chain.Parent, e.Parent},
		{chain.Trace, e.Trace}, {chain.Reasoning, e.Reasoning}, {chain.Prompt, e.Prompt}, {chain.Environment, e.Environment},
	} {
		if t.text == "" {
			continue
		}
		quoted, err := quote(t.text)
		if err != nil {
			return m, fmt.Errorf("%s: %w", t.m, err)
		}
		m[t.m] = quoted
	}
	for _, t := range [...]struct {
		m    chain.Member
		text []byte
	}{
		{chain.Args, e.Args}, {chain.Response, e.Response}, {chain.Metadata, e.Metadata}, {chain.DurationMS, []byte(e.DurationMS)}, {chain.SampleRate, []byte(e.SampleRate)},
	} {
		if len(t.text) == 0 {
			continue
		}
		canonical, err := chain.Canonical(nil, t.text)
		if err != nil {
			return m, fmt.Errorf("%s: %w", t.m, err)
		}
		m[t.m] = canonical
	}
	if e.Index != nil {
		m[chain.Index] = strconv.AppendUint(nil, *e.Index, 10)
	}
	if !e.Time.IsZero() {
		m[chain.At] = quoteTime(chain.TimeOf(e.Time))
	}
	if e.Context != nil {
		list := []byte("[")
		for i, text := range e.Context {
			quoted, err := quote(text)
			if err != nil {
				return m, fmt.Errorf("context: %w at %d", err, i)
			}
			if i > 0 {
				list = append(list, ',')
			}
			list = append(list, quoted...)
		}
		m[chain.Context] = append(list, ']')
	}
	return m, nil
}

func quote(text string) ([]byte, error) {
	if !utf8.ValidString(text) {
		return nil, errors.New("not valid UTF-8")
	}
	return chain.Quote(text), nil
}

func quoteTime(t chain.Time) []byte { return appendQuotedTime(nil, t) }

func appendQuotedTime(dst []byte, t chain.Time) []byte {
	return append(t.Append(append(dst, '"')), '"')
}

// An Input is an entry that may go into a ledger: its members are known, of their
// types, in their one form. It points into the text that it was read from.
type Input struct {
	m       chain.Entry
	session string
	at      chain.Time // its time, if it has one
	size    int        // bytes of its canonical form
	source  *source    // of an entry of another ledger, or of an older state of this one
	refused error      // why it cannot be added, unless the ledger has its source
}

// ParseInput reads an entry as a caller gives it: without
// what only the ledger sets.
func ParseInput(text *chain.Text) (Input, error) {
	in, err := parseOwn(text)
	if err == nil {
		err = admit(&in.m)
	}
	return in, err
}

// Session returns the session that the entry belongs to.
func (in *Input) Session() string { return in.session }

// parseOwn is ParseInput for whatever the ledger writes itself.
func parseOwn(text *chain.Text) (Input, error) {
	if n := len(text.Bytes); n > chain.MaxEntry {
		return Input{}, fmt.Errorf("an entry of %d bytes is over the limit of %d (64 MiB)", n, chain.MaxEntry)
	}
	m, err := chain.ParseEntry(text)
	if err != nil {
		return Input{}, err
	}
	if m[chain.Session] == nil {
		return Input{}, ErrNoSession
	}
	in := Input{m: m, session: chain.Unquote(m[chain.Session]), size: len(text.Bytes)}
	return in, in.setTime()
}

// setTime takes the time from the members, and brings it to one form there.
func (in *Input) setTime() (err error) {
	if at := in.m[chain.At]; at != nil {
		if in.at, err = chain.ParseTime(unquoted(at)); err == nil && !isOneForm(unquoted(at)) {
			in.m[chain.At] = quoteTime(in.at)
		}
	}
	return err
}

// An InputDecoder reads the entries of many lines, see [chain.EntryDecoder].
type InputDecoder struct {
	entries chain.EntryDecoder
	quoted  []byte // the session of the last entry, as it stands there
	session string
}

// Decode is [chain.EntryDecoder.Decode] for entries as a caller gives them.
func (d *InputDecoder) Decode(dst, line []byte, in *Input) (out []byte, ok bool) {
	in.at, in.source, in.refused = chain.Time{}, nil, nil
	out, in.size, ok = d.entries.Decode(dst, line, &in.m)
	if !ok || in.size > chain.MaxEntry || in.m[chain.Session] == nil || admit(&in.m) != nil || in.setTime() != nil {
		d.entries.Forget()
		d.quoted = nil
		return dst, false
	}
	if s := in.m[chain.Session]; !bytes.Equal(s, d.quoted) {
		d.quoted, d.session = s, chain.Unquote(s)
	}
	in.session = d.session
	return out, true
}

// isOneForm tells whether a valid time is in UTC without zeros at the end.
func isOneForm(t []byte) bool {
	n := len(t)
	return t[n-1] == 'Z' && (n == len("2006-01-02T15:04:05Z") || t[n-2] != '0')
}

// admit tells whether m may be given by a caller.
func admit(m *chain.Entry) error {
	switch {
	case m[chain.Recorded] != nil:
		return errors.New("recorded: is set by the ledger alone")
	case m[chain.Session][1] == OwnSession[0]:
		return fmt.Errorf("session: a name that begins with %c is the ledger's own", OwnSession[0])
	}
	return nil
}

// unquoted returns a string in canonical form that has no escapes without its quotes.
func unquoted(s []byte) []byte { return s[1 : len(s)-1] }

// A Record is an entry as the ledger holds it.
type Record struct {
	Session  string
	Index    uint64
	Seq      uint64 // place in the ledger, from 0
	Recorded chain.Time
	Digest   chain.Hash
	Prev     chain.Hash // digest of the entry before it in the session; zeros if there is none
	Members  chain.Entry
	removal  *removal // nil: it has all its values
}

// Removed returns the pointers of the values that were removed, in order.
func (r *Record) Removed() []string { return r.removal.pointers() }

// JSON returns the entry in canonical form, with the members that the ledger set.
func (r *Record) JSON() []byte { return r.Members.Append(nil) }

// Entry returns the entry as a program gives it. What JSON tells apart and Go's
// type does not, "" and absent, becomes absent.
func (r *Record) Entry() Entry {
	text := func(m chain.Member) string {
		if r.Members[m] == nil {
			return ""
		}
		return chain.Unquote(r.Members[m])
	}
	index := r.Index
	e := Entry{
		Session: r.Session, Index: &index, ID: text(chain.ID), Agent: text(chain.Agent), Role: text(chain.Role), Tool: text(chain.Tool),
		Action: text(chain.Action), Args: json.RawMessage(r.Members[chain.Args]), Authorization: text(chain.Authorization),
		Policy: text(chain.Policy), Phase: text(chain.Phase), Request: text(chain.Request), Parent: text(chain.Parent), Trace: text(chain.Trace),
		Reasoning: text(chain.Reasoning), Prompt: text(chain.Prompt), Response: json.RawMessage(r.Members[chain.Response]),
		DurationMS: json.Number(r.Members[chain.DurationMS]), Environment: text(chain.Environment),
		SampleRate: json.Number(r.Members[chain.SampleRate]), Metadata: json.RawMessage(r.Members[chain.Metadata]),
	}
	if at := r.Members[chain.At]; at != nil {
		t, _ := chain.ParseTime(unquoted(at))
		e.Time = t.Time()
	}
	for _, message := range chain.Elements(r.Members[chain.Context]) {
		e.Context = append(e.Context, chain.Unquote(message))
	}
	return e
}
