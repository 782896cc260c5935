package db

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"toolledger/chain"
)

// A Receipt is the ledger's word that an entry is in it, durably unless it was
// opened with NoSync.
type Receipt struct {
	Session  string
	Index    uint64
	Seq      uint64 // place in the ledger, from 0
	Digest   chain.Hash
	Recorded chain.Time
}

func (r *Record) receipt() Receipt {
	return Receipt{r.Session, r.Index, r.Seq, r.Digest, r.Recorded}
}

// A request is entries that somebody waits for. All of them become visible, or none.
type request struct {
	entries  []Input
	expect   *Head // how the session must end, nil: does not matter
	receipts []Receipt
	err      error
	done     chan struct{}
}

func (r *request) size() (n int) {
	for i := range r.entries {
		n += r.entries[i].size
	}
	return n
}

// Append appends an entry and returns once it is durable. The context counts until
// the entry has its place; after that Append waits for the disk.
//
// An entry with an index that the session has already gets the first receipt again
// if it is the same, so that a caller may repeat what it is not sure of; another
// one is a [*ConflictError].
func (l *Ledger) Append(ctx context.Context, e Entry) (Receipt, error) {
	receipts, err := l.AppendBatch(ctx, []Entry{e})
	if err != nil {
		return Receipt{}, err
	}
	return receipts[0], nil
}

// AppendBatch is Append for several entries, of one session or many: either all of
// them are in the ledger afterwards, or none that was not before.
func (l *Ledger) AppendBatch(ctx context.Context, entries []Entry) ([]Receipt, error) {
	return l.appendEntries(ctx, nil, entries)
}

// AppendAfter is AppendBatch on the condition that the head of a session is as the
// caller knows it: its Count and Digest. Otherwise it is a [*HeadError].
func (l *Ledger) AppendAfter(ctx context.Context, head Head, entries []Entry) ([]Receipt, error) {
	return l.appendEntries(ctx, &head, entries)
}

func (l *Ledger) appendEntries(ctx context.Context, expect *Head, entries []Entry) ([]Receipt, error) {
	r := &request{expect: expect}
	for i := range entries {
		m, err := entries[i].members()
		if err == nil {
			err = r.add(chain.TextOf(m.Append(nil)))
		}
		if err != nil {
			return nil, entryError(i, len(entries), err)
		}
	}
	return l.submit(ctx, r)
}

// AppendJSON is AppendBatch for entries in JSON.
func (l *Ledger) AppendJSON(ctx context.Context, texts ...[]byte) ([]Receipt, error) {
	r := &request{}
	for i, text := range texts {
		var t chain.Text
		_, err := t.Canonical(nil, text)
		if err == nil {
			err = r.add(&t)
		}
		if err != nil {
			return nil, entryError(i, len(texts), err)
		}
	}
	return l.submit(ctx, r)
}

func entryError(i, n int, err error) error {
	if n == 1 {
		return fmt.Errorf("db: append: %w", err)
	}
	return fmt.Errorf("db: append: entry %d of %d: %w", i+1, n, err)
}

func (r *request) add(text *chain.Text) error {
	in, err := ParseInput(text)
	r.entries = append(r.entries, in)
	return err
}

// submit queues a request and waits for it.
func (l *Ledger) submit(ctx context.Context, r *request) ([]Receipt, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if len(r.entries) == 0 {
		return nil, nil
	}
	r.done = make(chan struct{})
	if err := l.queue.push(r); err != nil {
		return nil, err
	}
	select {
	case <-r.done:
	case <-ctx.Done():
		if l.queue.remove(r) {
			return nil, ctx.Err()
		}
		<-r.done
	}
	return r.receipts, r.err
}

// A HeadError refuses entries since their session does not end as the caller thought.
type HeadError struct{ Want, Got Head }

func (e *HeadError) Error() string {
	return fmt.Sprintf("session %q has %d entries and ends with %x, not %d and %x", e.Got.Session, e.Got.Count, e.Got.Digest[:], e.Want.Count, e.Want.Digest[:])
}

// errLater tells that a request needs what the group it is in has not written yet.
var errLater = errors.New("db: after this group")

// check finds out whether every entry of r can be appended, before any is. For each
// it returns the record that is it already, or nil.
func (l *Ledger) check(r *request) ([]*Record, error) {
	if r.expect != nil {
		h, err := l.link.head(r.expect.Session)
		if err != nil {
			return nil, err
		}
		got := Head{Session: r.expect.Session}
		if h.head != nil {
			got = *h.head
		}
		if got.Count != r.expect.Count || got.Digest != r.expect.Digest {
			return nil, &HeadError{*r.expect, got}
		}
	}
	there := make([]*Record, len(r.entries))
	next := map[string]uint64{} // of the sessions that r changes
	for i := range r.entries {
		m, session := r.entries[i].m, r.entries[i].session
		h, err := l.link.head(session)
		if err != nil {
			return nil, err
		}
		had := uint64(0) // before this request
		if h.head != nil {
			had = h.head.Count
		}
		count, seen := next[session]
		if !seen {
			count = had
		}
		index := count
		if m[chain.Index] != nil {
			index = parseIndex(m[chain.Index])
		}
		switch {
		case index > count:
			return nil, entryError(i, len(r.entries), &ConflictError{Session: session, Index: index, Next: count})
		case index < count && index >= had:
			return nil, entryError(i, len(r.entries), fmt.Errorf("session %q: index %d stands twice in the batch", session, index))
		case index < count:
			if there[i], err = l.sameNow(h, &m, session, index); err != nil {
				return nil, entryError(i, len(r.entries), err)
			}
		default:
			next[session] = count + 1
			if err := r.entries[i].CheckHeader(); err != nil {
				return nil, entryError(i, len(r.entries), err)
			}
		}
	}
	return there, nil
}

// sameNow is sameAs for the ledger as it is.
func (l *Ledger) sameNow(h *headChange, m *chain.Entry, session string, index uint64) (*Record, error) {
	if h.stored == nil || index >= h.stored.Count {
		return nil, errLater
	}
	s, err := l.Snapshot()
	if err != nil {
		return nil, err
	}
	defer s.Close()
	return s.sameAs(m, session, index)
}

// sameAs returns the record at an index that the session has, if it is the entry m.
func (s *Snapshot) sameAs(m *chain.Entry, session string, index uint64) (*Record, error) {
	h, err := s.head(session)
	if err != nil {
		return nil, err
	}
	if h == nil || index >= h.Count {
		return nil, ErrNotFound
	}
	there, err := s.record(session, index)
	if err != nil {
		return nil, err
	}
	mine := there.Members
	for k := range m {
		k := chain.Member(k)
		if k == chain.Recorded || (k == chain.Index || k == chain.At) && m[k] == nil {
			continue
		}
		mine[k] = m[k]
	}
	if there.removal != nil { // what was removed is not known: the rest tells
		e := chain.Evidence{Entry: mine}
		e.Remove(there.removal.pointers()...)
		mine = e.Entry
	}
	if slices.EqualFunc(mine[:], there.Members[:], func(a, b []byte) bool { return string(a) == string(b) && (a == nil) == (b == nil) }) {
		return there, nil
	}
	of, _, err := s.saltsOf(there.Seq)
	if err != nil {
		return nil, err
	}
	if there.removal != nil {
		return nil, &ConflictError{Session: session, Index: index, Next: index + 1, Want: there.Digest}
	}
	salt := of.of(there.Seq)
	payload := new(chain.Committer).Payload(&salt, &mine)
	return nil, &ConflictError{Session: session, Index: index, Next: index + 1, Want: there.Digest,
		Got: chain.Digest(chain.AppendHeader(nil, &mine, &payload, &there.Prev))}
}
