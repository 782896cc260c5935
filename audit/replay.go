package audit

import (
	"fmt"
	"iter"
	"slices"

	"toolledger/chain"
)

// The kinds of [Replay]'s findings, in the order in which they stand at one index, and that
// of what is no finding.
const (
	NonDeterminism = "non-determinism"
	RedundantCall  = "redundant-call"
	Unknown        = "unknown (removed)"
)

// DefaultMutating are the tools that change state where nothing else is said.
var DefaultMutating = []string{"write_file", "delete_file", "create_file", "move_file", "run_command"}

// Replay looks for calls that repeat. Calls are the same if tool and args are, in
// canonical form.
//
//   - non-determinism: the response differs from that of the first such call.
//   - redundant-call: the call just before is the same and changed no state.
//
// Where a value was removed that would have to be compared, the call has no finding but
// one of the kind [Unknown], which says what cannot be told.
type Replay struct {
	Calls      uint64  // how many were read
	Divergence *uint64 // the index of the first non-determinism, nil if there is none

	mutating map[string]bool // by canonical name, in quotes
	first    map[Fingerprint]original
	last     struct {
		index    uint64
		identity Fingerprint
		changed  bool // or there was no call before
	}
}

// An original is what is remembered of a distinct call: the first whose response is known, if
// there is one.
type original struct {
	index    uint64
	response Fingerprint
}

// NewReplay returns a Replay that waits for the first call. The tools named in
// mutating, as they are spelled in the calls, change state.
func NewReplay(mutating []string) *Replay { return newReplay(mutatingSet(mutating)) }

func newReplay(mutating map[string]bool) *Replay {
	r := &Replay{mutating: mutating, first: map[Fingerprint]original{}}
	r.last.changed = true
	return r
}

func mutatingSet(names []string) map[string]bool {
	set := map[string]bool{}
	for _, name := range names {
		set[string(chain.Quote(name))] = true
	}
	return set
}

// Findings reads the calls and yields the findings by index, then kind. It ends
// with the first error of calls.
func (r *Replay) Findings(calls iter.Seq2[Call, error]) iter.Seq2[Finding, error] {
	return func(yield func(Finding, error) bool) {
		for c, err := range calls {
			if err != nil {
				yield(Finding{}, err)
				return
			}
			for _, f := range r.add(c) {
				if !yield(f, nil) {
					return
				}
			}
		}
	}
}

func (r *Replay) add(c Call) (findings []Finding) {
	r.Calls++
	find := func(kind string, other *uint64, format string, args ...any) {
		findings = append(findings, Finding{c.Index, kind, fmt.Sprintf(format, args...), other})
	}
	if !c.Identity.Known() {
		find(Unknown, nil, "tool %s: an argument was removed, so that it is not known whether the call repeats another", quote(c.Tool))
		r.last.index, r.last.identity, r.last.changed = c.Index, c.Identity, true
		return findings
	}
	seen, ok := r.first[c.Identity]
	switch {
	case !ok:
		r.first[c.Identity] = original{c.Index, c.Response}
	case seen.response == c.Response && c.Response.Known():
	case seen.response.Known() && c.Response.Known():
		if r.Divergence == nil {
			index := c.Index
			r.Divergence = &index
		}
		find(NonDeterminism, &seen.index, "tool %s returned a different response than the identical call at index %d", quote(c.Tool), seen.index)
	}
	if !r.last.changed && r.last.identity == c.Identity {
		last := r.last.index
		find(RedundantCall, &last, "tool %s repeats the identical call at index %d with no state change between them", quote(c.Tool), last)
	}
	if ok && !(seen.response.Known() && c.Response.Known()) {
		find(Unknown, &seen.index, "tool %s: a response was removed, so that it is not known whether it differs from that of the identical call at index %d", quote(c.Tool), seen.index)
		if !seen.response.Known() && c.Response.Known() {
			r.first[c.Identity] = original{c.Index, c.Response}
		}
	}
	r.last.index, r.last.identity, r.last.changed = c.Index, c.Identity, r.mutating[string(c.Tool)]
	return findings
}

// Mutating returns the tools that change state where lists say otherwise than
// [DefaultMutating]: a list of names takes its place, and a list whose first name
// has a + in front adds to what there is.
func Mutating(lists ...[]string) ([]string, error) {
	var instead, also []string
	for _, list := range lists {
		adds := len(list) > 0 && len(list[0]) > 0 && list[0][0] == '+'
		for _, name := range list {
			plus := len(name) > 0 && name[0] == '+'
			if plus {
				name = name[1:]
			}
			switch {
			case name == "":
				return nil, fmt.Errorf("expected tool names, as write_file,run_command or +deploy, found an empty one")
			case adds:
				also = append(also, name)
			case plus:
				return nil, fmt.Errorf("expected + before the first name, to add to the default tools, or before none; found it before %q", name)
			default:
				instead = append(instead, name)
			}
		}
	}
	if instead == nil {
		instead = DefaultMutating
	}
	return slices.Concat(instead, also), nil
}
