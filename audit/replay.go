package audit

import (
	"fmt"
	"iter"
	"slices"

	"toolledger/chain"
)

// The kinds of [Replay]'s findings, in the order in which they stand at one index.
const (
	NonDeterminism = "non-determinism"
	RedundantCall  = "redundant-call"
)

// DefaultMutating are the tools that change state where nothing else is said.
var DefaultMutating = []string{"write_file", "delete_file", "create_file", "move_file", "run_command"}

// Replay looks for calls that repeat. Calls are the same if tool and args are, in
// canonical form.
//
//   - non-determinism: the response differs from that of the first such call.
//   - redundant-call: the call just before is the same and changed no state.
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

// An original is what is remembered of a distinct call.
type original struct {
	index    uint64
	response Fingerprint
}

// NewReplay returns a Replay that waits for the first call. The tools named in
// mutating, as they are spelled in the calls, change state.
func NewReplay(mutating []string) *Replay {
	r := &Replay{mutating: map[string]bool{}, first: map[Fingerprint]original{}}
	for _, name := range mutating {
		r.mutating[string(chain.Quote(name))] = true
	}
	r.last.changed = true
	return r
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
	switch seen, ok := r.first[c.Identity]; {
	case !ok:
		r.first[c.Identity] = original{c.Index, c.Response}
	case seen.response != c.Response:
		if r.Divergence == nil {
			index := c.Index
			r.Divergence = &index
		}
		findings = append(findings, Finding{c.Index, NonDeterminism,
			fmt.Sprintf("tool %s returned a different response than the identical call at index %d", quote(c.Tool), seen.index)})
	}
	if !r.last.changed && r.last.identity == c.Identity {
		findings = append(findings, Finding{c.Index, RedundantCall,
			fmt.Sprintf("tool %s repeats the identical call at index %d with no state change between them", quote(c.Tool), r.last.index)})
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
