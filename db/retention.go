package db

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"
)

// A Retention says how long the payload of sessions is kept. A hold that applies to a session
// forbids to remove any of it; else the first rule that applies decides, and a session to which
// none does is kept.
type Retention struct {
	Rules []RetentionRule
	// Every is how often a ledger that is open for writing prunes, an hour if it is 0.
	Every time.Duration
	// By is who is said to have asked for it.
	By string
	// Signer signs what was pruned, if it is not nil.
	Signer *Signer
	// Failed is told of an error, if it is not nil; the next time tries again.
	Failed func(error)
}

// A RetentionRule keeps the payload of sessions for a time after their last entry.
type RetentionRule struct {
	Text    string           // as it stands in the ledger's own entry
	Hold    bool             // nothing is removed
	Keep    Period           // else
	Applies func(*Head) bool // to which sessions; nil: all
}

// A Period is a time by the calendar.
type Period struct{ Years, Months, Days int }

// Before returns the time that is a period before another.
func (p Period) Before(t time.Time) time.Time { return t.AddDate(-p.Years, -p.Months, -p.Days) }

func (r *Retention) check() error {
	var errs []error
	for i, rule := range r.Rules {
		if k := rule.Keep; rule.Hold != (k == Period{}) || k.Years < 0 || k.Months < 0 || k.Days < 0 {
			errs = append(errs, fmt.Errorf("Retention.Rules[%d]: expected a hold, or a time to keep", i))
		}
	}
	if r.Every < 0 {
		errs = append(errs, errors.New("Retention.Every is negative"))
	}
	return errors.Join(errs...)
}

// rule returns the rule that decides about a session; nil if none does.
func (r *Retention) rule(h *Head) *RetentionRule {
	var first *RetentionRule
	for i := range r.Rules {
		rule := &r.Rules[i]
		switch applies := rule.Applies == nil || rule.Applies(h); {
		case applies && rule.Hold:
			return rule
		case applies && first == nil:
			first = rule
		}
	}
	return first
}

// A Due is a session whose payload is kept no longer.
type Due struct {
	Head
	Rule *RetentionRule
}

// Due returns the sessions whose payload a retention keeps no longer, and which have not been
// pruned. What counts is the greatest time of their entries.
func (l *Ledger) Due(ctx context.Context, r *Retention) (due []Due, err error) {
	if err := r.check(); err != nil {
		return nil, fmt.Errorf("db: prune: %w", err)
	}
	s, err := l.Snapshot()
	if err != nil {
		return nil, err
	}
	defer s.Close()
	controls, err := s.Controls(ctx)
	if err != nil {
		return nil, err
	}
	done, now := grantsOf(controls...), l.opt.Now()
	for h, err := range s.Sessions() {
		if err != nil {
			return nil, err
		}
		if h.Session == OwnSession {
			continue
		}
		rule := r.rule(h)
		if rule == nil || rule.Hold || !h.Last.Time().Before(rule.Keep.Before(now)) || done.isPruned(h) {
			continue
		}
		due = append(due, Due{*h, rule})
	}
	return due, nil
}

// isPruned tells whether all payload of a session was to be removed.
func (g grants) isPruned(h *Head) bool {
	return slices.ContainsFunc(g[h.Session], func(t grant) bool {
		return t.From == 0 && t.To >= h.Count && slices.Equal(t.Pointers, Payload())
	})
}

// pruneAtOnce is how many sessions one entry of the ledger's own names at most.
const pruneAtOnce = 10_000

// Prune removes the payload of the sessions that a retention keeps no longer: by an entry of the
// ledger's own for each rule.
func (l *Ledger) Prune(ctx context.Context, r *Retention) (done []*Control, err error) {
	due, err := l.Due(ctx, r)
	if err != nil {
		return nil, err
	}
	for i := range r.Rules {
		var targets []Target
		for _, d := range due {
			if d.Rule == &r.Rules[i] {
				targets = append(targets, Target{d.Session, 0, d.Count, Payload()})
			}
		}
		for some := range slices.Chunk(targets, pruneAtOnce) {
			c, err := l.Remove(ctx, Removal{Action: Prune, Targets: some, By: r.By, Policy: r.Rules[i].Text, Signer: r.Signer})
			if errors.Is(err, ErrNothing) { // they had no payload
				continue
			}
			if err != nil {
				return done, err
			}
			done = append(done, c)
		}
	}
	return done, nil
}

// pruneLoop prunes at once, and then again and again.
func (l *Ledger) pruneLoop() {
	r := &l.opt.Retention
	if len(r.Rules) == 0 || l.opt.late() {
		return
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	go func() {
		select {
		case <-l.stop:
			cancel()
		case <-ctx.Done():
		}
	}()
	tick := time.NewTicker(r.Every)
	defer tick.Stop()
	for {
		if _, err := l.Prune(ctx, r); err != nil && ctx.Err() == nil && !errors.Is(err, ErrClosed) && r.Failed != nil {
			r.Failed(err)
		}
		select {
		case <-l.stop:
			return
		case <-tick.C:
		}
	}
}
