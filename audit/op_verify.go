package audit

import (
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"toolledger/chain"
	"toolledger/db"
	"toolledger/query"
)

// verifyOperator recomputes digests and says of each session whether its chain holds.
func verifyOperator(led Ledger) query.Operator {
	return query.Operator{
		Name:    "verify",
		Usage:   "verify",
		Doc:     "recomputes the digests of the sessions that the rows belong to; first in a query, of the whole ledger",
		Example: `entries | where tool == "write_file" | verify`,
		Source:  true,
		Bind: func(_ *query.Arguments, in []query.Field) (*query.Transform, error) {
			t := &query.Transform{Fields: verifyFields, Notes: []string{"reads the ledger's stored bytes, on all cores"}}
			if in != nil {
				t.Needs = []query.Field{{Name: "session", Kind: query.String}}
				t.Notes = []string{"reads the stored bytes of the sessions, or of the whole ledger where that costs less"}
			}
			t.Run = func(r *query.Run, in query.Batches, out func(row ...query.Value) error) error {
				if led == nil {
					return needsLedger("verify")
				}
				v := &ledgerVerifier{r, led, out}
				if in == nil {
					return v.ledger()
				}
				return v.sessions(in)
			}
			return t, nil
		},
	}
}

var verifyFields = []query.Field{
	{Name: "kind", Kind: query.String}, {Name: "session", Kind: query.String}, {Name: "entries", Kind: query.Long}, {Name: "status", Kind: query.String},
	{Name: "index", Kind: query.Long}, {Name: "expected", Kind: query.String}, {Name: "found", Kind: query.String}, {Name: "detail", Kind: query.String},
}

// What the column status says.
const (
	statusIntact  = "intact"
	statusRemoved = "removed" // intact, but for values that were removed by policy
	statusBroken  = "broken"
	statusMissing = "missing" // the ledger has no such session
)

// A ledgerVerifier is one run of verify.
type ledgerVerifier struct {
	run *query.Run
	led Ledger
	out func(row ...query.Value) error
}

// verifiedSession is about what verification keeps of each session.
const verifiedSession = 320

// verify verifies the whole ledger. What it keeps counts until release.
func (v *ledgerVerifier) verify() (report *db.Report, release func(), err error) {
	size := verifiedSession * int(v.led.SessionCount())
	if err := v.run.Hold(size); err != nil {
		return nil, nil, err
	}
	report, err = v.led.Verify(v.run.Context(), nil)
	return report, func() { v.run.Release(size) }, err
}

// ledger gives a row for each session, one for the tree, and one for each fault that is
// neither a session's nor the tree's.
func (v *ledgerVerifier) ledger() error {
	report, release, err := v.verify()
	if err != nil {
		return err
	}
	defer release()
	for s := range report.EachSession() {
		if err := v.session(s); err != nil {
			return err
		}
	}
	var ofTree []string
	for _, f := range report.Faults {
		if f.Session == "" && f.Invariant == treeInvariant {
			ofTree = append(ofTree, f.What)
		}
	}
	status := statusIntact
	if len(ofTree) > 0 || report.Root != report.Stored {
		status = statusBroken
	}
	err = v.row("tree", "", report.Entries, status, query.NullOf(query.Long), hexHash(report.Root), hexHash(report.Stored), strings.Join(ofTree, "; "))
	for _, f := range report.Faults {
		if err == nil && f.Session == "" && f.Invariant != treeInvariant {
			err = v.row("fault", "", 0, statusBroken, query.NullOf(query.Long), "", "", f.What)
		}
	}
	return err
}

// treeInvariant is the number of db's invariant on the tree.
const treeInvariant = 4

// sessionCost is how many entries, verified with the whole ledger, cost what a session costs
// that is verified by itself: about those of a block.
const sessionCost = 8192

// sessions gives a row for each session that rows belong to. Whether they are all that the
// ledger had is known of the whole ledger alone, so the tree has no row here.
func (v *ledgerVerifier) sessions(in query.Batches) error {
	names, err := v.names(in)
	if err != nil {
		return err
	}
	entries := uint64(0)
	for _, name := range names {
		h, err := v.led.Session(name)
		switch {
		case err == nil:
			entries += h.Count
		case !isDamaged(err) && !errors.Is(err, db.ErrNotFound):
			return err
		}
	}
	if uint64(len(names))*sessionCost+entries < v.led.Size() {
		for _, name := range names {
			if err := v.one(name); err != nil {
				return err
			}
		}
		return nil
	}
	report, release, err := v.verify()
	if err != nil {
		return err
	}
	defer release()
	for s := range report.EachSession() {
		for len(names) > 0 && names[0] < s.Session {
			if err := v.one(names[0]); err != nil {
				return err
			}
			names = names[1:]
		}
		if len(names) > 0 && names[0] == s.Session {
			if err := v.session(s); err != nil {
				return err
			}
			names = names[1:]
		}
	}
	for _, name := range names {
		if err := v.one(name); err != nil {
			return err
		}
	}
	return nil
}

// names returns the sessions of rows, in order.
func (v *ledgerVerifier) names(in query.Batches) ([]string, error) {
	seen := map[string]bool{}
	err := v.run.Each(in, func(b *query.Batch) error {
		for row := range b.N {
			name := b.Cols[0].At(row).S
			if seen[name] || name == "" {
				continue
			}
			seen[strings.Clone(name)] = true
			if err := v.run.Hold(nameSize + len(name)); err != nil {
				return err
			}
		}
		return nil
	})
	return slices.Sorted(maps.Keys(seen)), err
}

// one verifies one session.
func (v *ledgerVerifier) one(name string) error {
	s, err := v.led.VerifySession(v.run.Context(), name)
	switch {
	case errors.Is(err, db.ErrNotFound):
		return v.row("session", name, 0, statusMissing, query.NullOf(query.Long), "", "", "the ledger has no such session")
	case isDamaged(err):
		return v.row("session", name, 0, statusBroken, query.LongOf(0), "", "", err.Error())
	case err != nil:
		return err
	}
	return v.report(s)
}

// session gives the row of a session that was verified with the whole ledger. Where something
// that cannot be read kept that from its end, the session is verified by itself: what cannot be
// read may be another's.
func (v *ledgerVerifier) session(s *db.SessionReport) error {
	if s.Unread && s.Broken == nil {
		return v.one(s.Session)
	}
	return v.report(s)
}

// report gives the row of a session.
func (v *ledgerVerifier) report(s *db.SessionReport) error {
	switch {
	case s.Broken != nil:
		return v.row("session", s.Session, s.Entries, statusBroken, query.LongOf(int64(s.Broken.Index)), s.Broken.Want, s.Broken.Got, "its digest is not the one that is stored")
	case s.Fault != nil:
		return v.row("session", s.Session, s.Entries, statusBroken, query.LongOf(int64(s.Fault.Index)), "", "", s.Fault.What)
	}
	if s.Removed > 0 {
		return v.row("session", s.Session, s.Entries, statusRemoved, query.NullOf(query.Long), "", "", fmt.Sprintf("%d values were removed by policy, as the ledger's own entries say", s.Removed))
	}
	return v.row("session", s.Session, s.Entries, statusIntact, query.NullOf(query.Long), "", "", "")
}

func (v *ledgerVerifier) row(kind, session string, entries uint64, status string, index query.Value, expected, found, detail string) error {
	count := query.LongOf(int64(entries))
	if kind == "fault" {
		count = query.NullOf(query.Long)
	}
	if status == statusBroken {
		v.run.Broken()
	}
	return v.out(query.StringOf(kind), query.StringOf(session), count, query.StringOf(status), index, query.StringOf(expected), query.StringOf(found), query.StringOf(detail))
}

func hexHash(h chain.Hash) string { return hex.EncodeToString(h[:]) }

// isDamaged tells whether an error is what is wrong with the ledger itself.
func isDamaged(err error) bool {
	var d *db.DamagedError
	return errors.As(err, &d)
}
