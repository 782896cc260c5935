package audit

import "slices"

// nearest chooses the parent of a call among those that have the request which it names: in
// all sessions, and in its own. Both lists are in the order of compare, that of the calls'
// first entries, and may have the call itself, which is not its own parent.
//
// It is the nearest call before it of its own session; where there is none, the nearest before
// it in the ledger; else the nearest behind it, its own session first.
func nearest[C any](c C, own, all []C, compare func(a, b C) int) (up C, ok bool) {
	before := func(list []C) bool {
		n, _ := slices.BinarySearchFunc(list, c, compare)
		if n > 0 {
			up = list[n-1]
		}
		return n > 0
	}
	after := func(list []C) bool {
		n, found := slices.BinarySearchFunc(list, c, compare)
		if found {
			n++
		}
		if n < len(list) {
			up = list[n]
		}
		return n < len(list)
	}
	ok = before(own) || before(all) || after(own) || after(all)
	return up, ok
}
