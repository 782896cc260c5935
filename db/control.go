package db

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"

	"toolledger/chain"
)

// A Target is values of entries of a session: those at and below the pointers, in the entries
// with the indexes From to To, without To.
type Target struct {
	Session  string   `json:"session"`
	From     uint64   `json:"from"`
	To       uint64   `json:"to"`
	Pointers []string `json:"pointers"`
}

// Payload are the pointers of all that can be removed of an entry.
func Payload() (pointers []string) {
	for m := range chain.Member(chain.NumMembers) {
		if m.IsPayload() {
			pointers = append(pointers, "/"+m.String())
		}
	}
	return pointers
}

// A Control is what an entry of the ledger's own session says of a removal: it is the intent,
// and was there before the first value was gone.
type Control struct {
	Index  uint64 // in the ledger's own session
	Seq    uint64
	Action string // redact or prune
	By     string // who asked for it
	Policy string // the rule that it follows, "" if there is none
	Reason string
	Note   string // a signed note over all of this, "" if it was not signed

	Targets []Target

	Entries, Values uint64 // that were found removed by it, where the ledger was verified
	Left            uint64 // values that are still there
	Pending         bool   // it is not done; the next writer that opens the ledger does it

	args []byte // of the entry, in canonical form
}

// The actions of the ledger's own entries that are removals.
const (
	Redact = "redact"
	Prune  = "prune"
)

// controlArgs are the args of a removal's entry.
type controlArgs struct {
	By      string   `json:"by,omitempty"`
	Policy  string   `json:"policy,omitempty"`
	Reason  string   `json:"reason,omitempty"`
	Targets []Target `json:"targets"`
}

// SignedBy returns the trusted key that signed the removal; an error if none did, or if what it
// signed is another removal. Keys that a trusted one named as the next count with
// [Snapshot.Trusted].
func (c *Control) SignedBy(trust *chain.Trust) (*chain.Key, error) {
	if c.Note == "" {
		return nil, errors.New("it is not signed")
	}
	n, err := chain.OpenNote(c.Note, trust.Logs()...)
	if err != nil {
		return nil, err
	}
	for _, by := range n.By {
		if n.Text == chain.ControlText(by.Key.Name(), c.Action, c.args) {
			return by.Key, nil
		}
	}
	return nil, errors.New("its note is one of something else")
}

// Signer names who is said to have signed the removal, "" where nobody did. That they did, only
// SignedBy tells.
func (c *Control) Signer() string {
	_, signatures, _ := strings.Cut(c.Note, "\n\n")
	name, _ := strings.CutPrefix(signatures, "— ")
	name, _, _ = strings.Cut(name, " ")
	return name
}

// Controls returns what the ledger's own entries say of removals, in their order.
func (s *Snapshot) Controls(ctx context.Context) ([]*Control, error) {
	if s.controls != nil {
		return s.controls, nil
	}
	list := []*Control{}
	for r, err := range s.Records(ctx, Range{Session: OwnSession}) {
		if err != nil {
			return nil, err
		}
		c, err := controlOf(r)
		if err != nil {
			return nil, err
		}
		if c != nil {
			c.Pending = slices.Contains(s.state.pending, c.Seq)
			list = append(list, c)
		}
	}
	s.controls = list
	return list, nil
}

// controlOf reads an entry of the ledger's own session; nil if it is of no removal.
func controlOf(r *Record) (*Control, error) {
	action := ""
	if r.Members[chain.Action] != nil {
		action = chain.Unquote(r.Members[chain.Action])
	}
	if action != Redact && action != Prune {
		return nil, nil
	}
	var args controlArgs
	if err := json.Unmarshal(r.Members[chain.Args], &args); err != nil {
		return nil, damaged("the ledger's own entry %d says %s, and not what: %v", r.Index, action, err)
	}
	var metadata struct {
		Note string `json:"note"`
	}
	if m := r.Members[chain.Metadata]; m != nil {
		if err := json.Unmarshal(m, &metadata); err != nil {
			return nil, damaged("the ledger's own entry %d: metadata: %v", r.Index, err)
		}
	}
	return &Control{Index: r.Index, Seq: r.Seq, Action: action, By: args.By, Policy: args.Policy, Reason: args.Reason, Note: metadata.Note,
		Targets: args.Targets, args: r.Members[chain.Args]}, nil
}

// A grant is a target with the entry that says it.
type grant struct {
	*Target
	control *Control
}

// grants are targets by session.
type grants map[string][]grant

func grantsOf(controls ...*Control) grants {
	g := grants{}
	for _, c := range controls {
		for i := range c.Targets {
			t := &c.Targets[i]
			g[t.Session] = append(g[t.Session], grant{t, c})
		}
	}
	return g
}

// of returns what applies to an entry.
func (g grants) of(session string, index, seq uint64) (list []grant) {
	for _, t := range g[session] {
		if t.From <= index && index < t.To && seq < t.control.Seq {
			list = append(list, t)
		}
	}
	return list
}

// pointersOf returns the pointers of grants.
func pointersOf(list []grant) (pointers []string) {
	for _, t := range list {
		pointers = append(pointers, t.Pointers...)
	}
	return pointers
}
