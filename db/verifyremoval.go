package db

import (
	"context"

	"toolledger/chain"
)

// readControls reads what the ledger's own entries say of removals. Where they cannot be read,
// nobody knows whether what is gone was removed.
func (v *verifier) readControls(ctx context.Context) error {
	controls, err := v.s.Controls(ctx)
	if isDamaged(err) {
		v.unknown = true
		v.fault(11, "%v", err)
		return nil
	}
	if err != nil {
		return err
	}
	for _, c := range controls {
		own := *c
		v.report.Controls = append(v.report.Controls, &own)
	}
	v.grants = grantsOf(v.report.Controls...)
	return nil
}

// removals compares what is gone of the rows of a part with what the ledger's own entries say.
func (v *verifier) removals(p *part) {
	if v.unknown {
		return
	}
	for r, m := range p.entries() {
		list := v.grants.of(r.session, r.index, r.seq)
		if r.removal != nil {
			v.gone(r, list)
		}
		if list != nil {
			v.left(r, m, list)
		}
	}
}

// gone requires that the removed values of a row were to be.
func (v *verifier) gone(r *position, list []grant) {
	var last *Control
	for _, value := range r.removal.removed {
		var by *Control
		for _, t := range list {
			if by == nil && chain.Covers(t.Pointers, value.pointer) {
				by = t.control
			}
		}
		if by == nil {
			if v.first(r) {
				v.faultOf(r.session, r.index, 11, "session %q: index %d: %s is gone, and no entry of the ledger's own says that it was removed", r.session, r.index, value.pointer)
			}
			return
		}
		if by != last {
			by.Entries++
		}
		by.Values, last = by.Values+1, by
		v.report.removed[r.session]++
	}
}

// left requires that what was to be removed of a row is gone.
func (v *verifier) left(r *position, m *chain.Entry, list []grant) {
	for pointer := range new(chain.Committer).Pointers(m) {
		for _, t := range list {
			if !chain.Covers(t.Pointers, string(pointer)) {
				continue
			}
			t.control.Left++
			if !t.control.Pending && v.first(r) {
				v.faultOf(r.session, r.index, 11, "session %q: index %d: %s is there, and the ledger's own entry %d says that it was removed", r.session, r.index, pointer, t.control.Index)
			}
		}
	}
}
