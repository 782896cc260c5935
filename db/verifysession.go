package db

import (
	"context"
	"iter"
	"maps"
	"slices"

	"toolledger/chain"
)

// A SessionReport is what verification found of one session.
type SessionReport struct {
	Session string
	Entries uint64            // that were verified
	Broken  *chain.BreakError // the first broken link, nil if there is none
	Fault   *Fault            // else the first other fault of the session, nil if there is none
	Removed uint64            // values that were removed by policy
	Unread  bool              // entries behind those that were verified could not be read
}

// Intact tells whether nothing was found.
func (r *SessionReport) Intact() bool { return r.Broken == nil && r.Fault == nil && !r.Unread }

// EachSession gives what was found of each session, in the order of their names.
func (r *Report) EachSession() iter.Seq[*SessionReport] {
	broken, faults := map[string]*chain.BreakError{}, map[string]*Fault{}
	for i := range r.Broken {
		broken[r.Broken[i].Session] = &r.Broken[i]
	}
	for i := range r.Faults {
		if f := &r.Faults[i]; f.Session != "" && faults[f.Session] == nil {
			faults[f.Session] = f
		}
	}
	names := slices.AppendSeq(make([]string, 0, len(r.heads)), maps.Keys(r.heads))
	for session := range r.unread {
		if r.heads[session] == nil {
			names = append(names, session)
		}
	}
	slices.Sort(names)
	return func(yield func(*SessionReport) bool) {
		for _, name := range names {
			out := &SessionReport{Session: name, Removed: r.removed[name], Broken: broken[name], Fault: faults[name]}
			if is := r.heads[name]; is != nil {
				out.Entries = is.head.Count
			}
			_, out.Unread = r.unread[name]
			if !yield(out) {
				return
			}
		}
	}
}

// sessionWindow is how many entries of a session are hashed together.
const sessionWindow = 1024

// VerifySession does for one session what Verify does for all: it recomputes every digest and
// the chain from the stored bytes, and compares the session's head. It reads no other entry,
// so it does not see what the tree alone tells: that the session as a whole was cut or put in
// another's place. [ErrNotFound] if the session has no entry.
func (s *Snapshot) VerifySession(ctx context.Context, session string) (*SessionReport, error) {
	stored, err := s.Session(session)
	if err != nil {
		return nil, err
	}
	v := newVerifier(s)
	if err := v.readControls(ctx); err != nil {
		return nil, err
	}
	unread, err := v.session(ctx, session)
	if err != nil {
		return nil, err
	}
	if is := v.link.heads[session]; unread == nil && !is.head.endsAs(stored) {
		v.headFault(is.head)
	}
	r := v.report
	r.heads = v.link.heads
	if unread != nil {
		n := uint64(0)
		if is := r.heads[session]; is != nil {
			n = is.head.Count
		}
		r.unread = map[string]uint64{session: n}
		v.faultOf(session, n, 1, "%v", unread)
	}
	for out := range r.EachSession() {
		return out, nil
	}
	return nil, damaged("session %q has a head and no entry", session)
}

// session goes through the entries of a session. unread is why it did not come to the end.
func (v *verifier) session(ctx context.Context, session string) (unread, err error) {
	p := new(part)
	p.begin(0, sessionWindow)
	flush := func() {
		p.committer.Flush()
		v.part(p)
		v.link.tiles.whole = nil // places in the tree are not those that the ledger has
		p.begin(0, sessionWindow)
	}
	var of *salts
	end := uint64(0) // of the range of salts
	for r, err := range v.s.Records(ctx, Range{Session: session}) {
		if err == nil && (of == nil || r.Seq < of.first || r.Seq >= end) {
			of, end, err = v.s.saltsOf(r.Seq)
		}
		if err == nil {
			err = p.add(&p.committer, of, r)
		}
		if err != nil {
			flush()
			if isDamaged(err) {
				return err, nil
			}
			return nil, err
		}
		if p.digests = append(p.digests, r.Digest); len(p.rows) == cap(p.rows) {
			flush()
		}
	}
	flush()
	return nil, nil
}

// endsAs tells whether a head is that of the same entries, wherever these are in the ledger.
func (h *Head) endsAs(other *Head) bool {
	a := *h
	a.seq = other.seq
	return a == *other
}
