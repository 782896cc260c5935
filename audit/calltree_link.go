package audit

import (
	"cmp"
	"slices"
)

// A treeNote is what is odd about a call.
type treeNote uint8

const (
	noteOrphan    treeNote = 1 << iota // its parent is not there
	noteCycle                          // its parent is below it
	noteOther                          // its parent is of another session
	noteLater                          // its parent begins after it
	noteNoAttempt                      // its first entry is not an attempt
)

// link finds the parent of each call that names one.
func (f *forest) link() error {
	if children, err := f.list(func(c *treeCall) bool { return c.parent != 0 }); err != nil || len(children) == 0 {
		return err
	}
	all, err := f.list(func(c *treeCall) bool { return c.request != 0 })
	if err != nil {
		return err
	}
	own := slices.Clone(all)
	err = f.order(all, func(a, b int32) int {
		return cmp.Or(cmp.Compare(f.at(a).request, f.at(b).request), f.compare(a, b))
	})
	if err != nil {
		return err
	}
	err = f.order(own, func(a, b int32) int {
		x, y := f.at(a), f.at(b)
		return cmp.Or(cmp.Compare(x.request, y.request), cmp.Compare(x.session, y.session), f.compare(a, b))
	})
	if err != nil {
		return err
	}
	return f.each(func(i int32) {
		if c := f.at(i); c.parent != 0 {
			f.linkCall(i, f.some(all, c, false), f.some(own, c, true))
		}
	})
}

// some returns those of a sorted list that have the request of the parent of c, perhaps only
// those of its session.
func (f *forest) some(list []int32, c *treeCall, own bool) []int32 {
	compare := func(i int32, _ bool) int {
		x := f.at(i)
		n := cmp.Compare(x.request, c.parent)
		if n == 0 && own {
			n = cmp.Compare(x.session, c.session)
		}
		return n
	}
	from, found := slices.BinarySearchFunc(list, true, compare)
	if !found {
		return nil
	}
	to, _ := slices.BinarySearchFunc(list[from:], true, func(i int32, _ bool) int {
		if compare(i, true) == 0 {
			return -1
		}
		return 1
	})
	return list[from : from+to]
}

// linkCall chooses the parent of a call among the calls that have its request, and among those
// of its own session.
func (f *forest) linkCall(i int32, all, own []int32) {
	c := f.at(i)
	c.among = int32(len(all))
	up, ok := nearest(i, own, all, f.compare)
	switch {
	case ok:
		c.up = up
		if f.at(up).session != c.session {
			c.note |= noteOther
		}
		if f.compare(up, i) > 0 {
			c.note |= noteLater
		}
	case len(all) > 0: // itself alone
		c.note |= noteCycle
	default:
		c.note |= noteOrphan
	}
}

// cut makes a root of the first call of each circle, so that every call has a place.
func (f *forest) cut() error {
	way := make([]int32, f.calls.Len()) // on which a call was met, from 1
	return f.each(func(i int32) {
		k := i
		for k != none && way[k] == 0 {
			way[k] = i + 1
			k = f.at(k).up
		}
		if k == none || way[k] != i+1 {
			return
		}
		first := k
		for next := f.at(k).up; next != k; next = f.at(next).up {
			if f.compare(next, first) < 0 {
				first = next
			}
		}
		f.at(first).up = none
		f.at(first).note |= noteCycle
	})
}
