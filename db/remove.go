package db

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync"

	"toolledger/chain"
)

// # Removal
//
// A removal takes values out of stored entries, in steps that a crash may cut anywhere:
//
//  1. Where a target is in the tail, the open range is closed at the present size, and the tail
//     becomes blocks.
//  2. The entry of the ledger's own session that says what is removed, by whom and why, is
//     appended, in one transaction with a state that names it as pending. From here on the
//     removal happens, whoever stops it: the next opening goes on.
//  3. Each block that has a target is made again without the values (rebuild.go).
//  4. The state that names nothing as pending is written.
//
// Deleted bytes stay in Badger's files until [Vacuum].

// A Removal says what is to be removed, and why.
type Removal struct {
	Action  string // Redact or Prune
	Targets []Target
	By      string // who asks for it
	Policy  string // the rule that it follows, "" if there is none
	Reason  string
	Signer  *Signer // signs it, if not nil
}

// ErrNothing refuses a removal that would take no value: none is there, or all are gone.
var ErrNothing = errors.New("db: there is no such value to remove")

// maxControl is how many bytes the args of a removal's entry have at most. Whoever has more
// targets divides them.
const maxControl = 16 << 20

func (r *Removal) check() error {
	if r.Action != Redact && r.Action != Prune {
		return fmt.Errorf("action %q: expected %s or %s", r.Action, Redact, Prune)
	}
	for _, t := range r.Targets {
		if t.Session == "" || t.Session[0] == OwnSession[0] {
			return fmt.Errorf("session %q: the ledger's own entries are never removed", t.Session)
		}
		if t.From >= t.To {
			return fmt.Errorf("session %q: no entry is from index %d to before %d", t.Session, t.From, t.To)
		}
		if len(t.Pointers) == 0 {
			return fmt.Errorf("session %q: no pointer says what to remove", t.Session)
		}
		for _, p := range t.Pointers {
			if err := chain.CheckPointer(p); err != nil {
				return err
			}
		}
	}
	return nil
}

// Remove removes values by policy, and returns what it did with the entry that says so.
// [ErrNothing] if there is nothing to remove, and then no entry says so. If it ends with another error,
// the removal may have begun: then the next opening finishes it.
func (l *Ledger) Remove(ctx context.Context, r Removal) (*Control, error) {
	if err := r.check(); err != nil {
		return nil, fmt.Errorf("db: remove: %w", err)
	}
	l.mu.RLock()
	if l.closed {
		l.mu.RUnlock()
		return nil, ErrClosed
	}
	l.readers.Add(1) // Close waits for it
	l.mu.RUnlock()
	defer l.readers.Done()
	l.packing.Lock()
	defer l.packing.Unlock()
	if err := l.finishRemovals(ctx, &l.write); err != nil { // of one that was cut off
		return nil, err
	}
	c, err := l.planned(ctx, &r)
	if err == nil {
		err = l.intend(&r, c)
	}
	if err != nil {
		return nil, err
	}
	if err := testHook("remove: intended"); err != nil {
		return nil, err
	}
	return c, l.finishRemovals(ctx, &l.write)
}

// planned looks how much there is to remove.
func (l *Ledger) planned(ctx context.Context, r *Removal) (*Control, error) {
	s, err := l.Snapshot()
	if err != nil {
		return nil, err
	}
	defer s.Close()
	for i := range r.Targets {
		t := &r.Targets[i]
		h, err := s.Session(t.Session)
		if err != nil {
			return nil, fmt.Errorf("session %q: %w", t.Session, err)
		}
		if t.To = min(t.To, h.Count); t.From >= t.To {
			return nil, fmt.Errorf("session %q: index %d: %w", t.Session, t.From, ErrNotFound)
		}
	}
	c := &Control{Action: r.Action, By: r.By, Policy: r.Policy, Reason: r.Reason, Targets: r.Targets, Seq: s.state.size}
	if err := s.count(ctx, c); err != nil {
		return nil, err
	}
	if c.Values == 0 {
		return nil, ErrNothing
	}
	return c, nil
}

// count finds how many values of how many entries a removal takes.
func (s *Snapshot) count(ctx context.Context, c *Control) error {
	g := grantsOf(c)
	r := Range{}
	if len(g) == 1 {
		r.Session = c.Targets[0].Session
	}
	for e, err := range s.Records(ctx, r) {
		if err != nil {
			return err
		}
		if n := valuesIn(&e.Members, pointersOf(g.of(e.Session, e.Index, e.Seq))); n > 0 {
			c.Entries++
			c.Values += n
		}
	}
	return nil
}

// valuesIn returns how many values of an entry pointers take.
func valuesIn(m *chain.Entry, pointers []string) (n uint64) {
	if pointers == nil {
		return 0
	}
	for pointer := range new(chain.Committer).Pointers(m) {
		if chain.Covers(pointers, string(pointer)) {
			n++
		}
	}
	return n
}

// Count tells how many values of how many entries Remove would take.
func (l *Ledger) Count(ctx context.Context, r Removal) (entries, values uint64, err error) {
	if err := r.check(); err != nil {
		return 0, 0, fmt.Errorf("db: remove: %w", err)
	}
	c, err := l.planned(ctx, &r)
	if errors.Is(err, ErrNothing) {
		return 0, 0, nil
	}
	if err != nil {
		return 0, 0, err
	}
	return c.Entries, c.Values, nil
}

// intend appends the entry that says what will be removed; l.packing is held.
func (l *Ledger) intend(r *Removal, c *Control) error {
	args, err := json.Marshal(controlArgs{r.By, r.Policy, r.Reason, r.Targets})
	if err == nil {
		args, err = chain.Canonical(nil, args)
	}
	if err == nil && len(args) > maxControl {
		err = fmt.Errorf("db: remove: what is to be removed takes %d bytes to say, more than %d; divide it", len(args), maxControl)
	}
	if err != nil {
		return err
	}
	if r.Signer != nil {
		id, err := l.signing()
		if err == nil {
			err = maySign(r.Signer.Key(), &id)
		}
		if err != nil {
			return fmt.Errorf("db: remove: %w", err)
		}
	}
	text, err := controlEntry(r.Action, args, r.Signer)
	if err != nil {
		return err
	}
	l.write.Lock()
	defer l.write.Unlock()
	if l.failed != nil {
		return l.failed
	}
	if err := l.checkSpace(len(text) + blockBytes); err != nil {
		return err
	}
	if err := l.packFor(grantsOf(c)); err != nil {
		return err
	}
	if err := testHook("remove: packed"); err != nil {
		return err
	}
	var b batch
	c.Seq = l.link.state.size
	l.link.state.pending = append(l.link.state.pending, c.Seq)
	if err := l.appendOwn(&b, text); err != nil {
		return l.fail(err)
	}
	if err := l.publish(&b); err != nil {
		return err
	}
	h, err := l.link.head(OwnSession)
	if err == nil {
		c.Index = h.head.Count - 1
	}
	return err
}

// packFor makes blocks of the tail if entries of it lose values, which no entry of the tail does;
// l.packing and l.write are held.
func (l *Ledger) packFor(g grants) error {
	for session := range g {
		h, err := l.link.head(session)
		if err != nil {
			return err
		}
		if h.head != nil && h.head.seq >= l.link.state.packed {
			return l.packTail()
		}
	}
	return nil
}

// finishRemovals does what is left of the removals that are pending; l.packing is held, and lock
// is taken for what is short.
func (l *Ledger) finishRemovals(ctx context.Context, lock sync.Locker) error {
	lock.Lock()
	pending, failed := slices.Clone(l.link.state.pending), l.failed
	lock.Unlock()
	if failed != nil || len(pending) == 0 {
		return failed
	}
	s, err := newSnapshot(l.store)
	if err != nil {
		return err
	}
	defer s.Close()
	var controls []*Control
	all, err := s.Controls(ctx)
	if err != nil {
		return err
	}
	for _, c := range all {
		if c.Pending {
			controls = append(controls, c)
		}
	}
	g := grantsOf(controls...)
	lock.Lock()
	err = l.packFor(g)
	lock.Unlock()
	if err != nil {
		return err
	}
	if err := l.rebuildAll(ctx, g, lock); err != nil {
		return err
	}
	lock.Lock()
	defer lock.Unlock()
	if l.failed != nil {
		return l.failed
	}
	l.link.state.pending = nil
	var b batch
	b.set(stateKey, l.link.state.encode())
	if err := b.commit(l.store); err != nil {
		return l.fail(err)
	}
	return testHook("remove: done")
}
