package audit

import (
	"cmp"
	"slices"
	"sort"
)

// align pairs the elements of two sequences that are the same, such that both orders are kept:
// it returns for each of a its partner's place in b, -1 where it has none. check, which is
// called now and then, ends it.
//
// What both begin and end with is paired first. Of what is between, the fewest insertions and
// removals are found (Myers, "An O(ND) Difference Algorithm and Its Variations", 1986) where
// maxEdits of them suffice. Elsewhere, elements that are once in each are anchors, or if there
// are none, the first with the first, the second with the second and so on of each that is in
// both; the most anchors that are in one order are paired (patience diff: a longest increasing
// subsequence), and what is between two of them is aligned the same way, maxDepth times at
// most. So whatever the sequences are, it takes maxEffort steps of the first kind, and
// maxDepth sorts of them of the second: of two that have 100,000 elements, less than a second or
// two. It holds alignSize for each element, and alignTrace.
func align(a, b []uint32, check func() error) ([]int32, error) {
	al := &aligner{a: a, b: b, partner: make([]int32, len(a)), effort: maxEffort, check: check}
	for i := range al.partner {
		al.partner[i] = -1
	}
	err := al.span(0, len(a), 0, len(b), 0)
	return al.partner, err
}

const (
	maxEdits  = 1024
	maxDepth  = 32
	maxEffort = 1 << 28

	alignSize  = 64
	alignTrace = 4 * (maxEdits*(maxEdits+1)/2 + 4*maxEdits)
)

type aligner struct {
	a, b    []uint32
	partner []int32
	effort  int // steps that exact may still take
	check   func() error

	furthest []int32 // by diagonal, see exact
	trace    []int32
}

// span aligns a[alo:ahi] and b[blo:bhi].
func (al *aligner) span(alo, ahi, blo, bhi, depth int) error {
	for alo < ahi && blo < bhi && al.a[alo] == al.b[blo] {
		al.partner[alo] = int32(blo)
		alo, blo = alo+1, blo+1
	}
	for alo < ahi && blo < bhi && al.a[ahi-1] == al.b[bhi-1] {
		ahi, bhi = ahi-1, bhi-1
		al.partner[ahi] = int32(bhi)
	}
	if alo == ahi || blo == bhi || depth == maxDepth {
		return nil
	}
	if err := al.check(); err != nil {
		return err
	}
	if al.exact(alo, ahi, blo, bhi) {
		return nil
	}
	anchors := al.anchors(alo, ahi, blo, bhi)
	for _, p := range anchors {
		al.partner[p.a] = p.b
		if err := al.span(alo, int(p.a), blo, int(p.b), depth+1); err != nil {
			return err
		}
		alo, blo = int(p.a)+1, int(p.b)+1
	}
	if len(anchors) == 0 {
		return nil
	}
	return al.span(alo, ahi, blo, bhi, depth+1)
}

// exact finds the fewest edits, if there are not too many. In round d, furthest has, of each
// diagonal x-y, how far d edits come; trace keeps the diagonals -d, -d+2 ... d of each round.
func (al *aligner) exact(alo, ahi, blo, bhi int) bool {
	a, b := al.a[alo:ahi], al.b[blo:bhi]
	limit := min(len(a)+len(b), maxEdits)
	if al.furthest == nil {
		al.furthest = make([]int32, 2*maxEdits+3)
	}
	v, off := al.furthest, maxEdits+1
	v[off+1] = 0
	al.trace = al.trace[:0]
	for d := 0; d <= limit && al.effort > 0; d++ {
		for k := -d; k <= d; k += 2 {
			x := v[off+k+1]
			if k != -d && (k == d || v[off+k-1] >= x) {
				x = v[off+k-1] + 1
			}
			from := x
			for int(x) < len(a) && int(x)-k < len(b) && a[x] == b[int(x)-k] {
				x++
			}
			al.effort -= int(x-from) + 1
			v[off+k] = x
			if int(x) >= len(a) && int(x)-k >= len(b) {
				al.back(alo, ahi, blo, bhi, d)
				return true
			}
		}
		for k := -d; k <= d; k += 2 {
			al.trace = append(al.trace, v[off+k])
		}
	}
	return false
}

// back follows the trace from the end of round d and pairs what is on the way.
func (al *aligner) back(alo, ahi, blo, bhi, d int) {
	x, y := ahi-alo, bhi-blo
	for ; d > 0; d-- {
		round := al.trace[(d-1)*d/2 : d*(d+1)/2] // that before, with the diagonals -(d-1) ... d-1
		at := func(k int) int { return int(round[(k+d-1)/2]) }
		k := x - y
		before := k + 1
		if k != -d && (k == d || at(k-1) >= at(k+1)) {
			before = k - 1
		}
		fromX := at(before)
		for x > fromX && y > fromX-before {
			x, y = x-1, y-1
			al.partner[alo+x] = int32(blo + y)
		}
		x, y = fromX, fromX-before
	}
	for x > 0 {
		x, y = x-1, y-1
		al.partner[alo+x] = int32(blo + y)
	}
}

// A pairing is two places, in a and in b.
type pairing struct{ a, b int32 }

// anchors returns pairs in order of both places.
func (al *aligner) anchors(alo, ahi, blo, bhi int) []pairing {
	type places struct {
		inA, inB int
		b        []int32
	}
	of := map[uint32]*places{}
	for i := alo; i < ahi; i++ {
		p := of[al.a[i]]
		if p == nil {
			p = new(places)
			of[al.a[i]] = p
		}
		p.inA++
	}
	for j := blo; j < bhi; j++ {
		if p := of[al.b[j]]; p != nil {
			p.inB++
			p.b = append(p.b, int32(j))
		}
	}
	unique := false
	for _, p := range of {
		unique = unique || p.inA == 1 && p.inB == 1
	}
	var list []pairing
	for i := alo; i < ahi; i++ {
		p := of[al.a[i]]
		if unique && (p.inA != 1 || p.inB != 1) || len(p.b) == 0 {
			continue
		}
		list = append(list, pairing{int32(i), p.b[0]})
		p.b = p.b[1:]
	}
	return increasing(list)
}

// increasing returns the most of some pairs, which are in order of a, that are in order of b
// too.
func increasing(list []pairing) []pairing {
	var ends []int // of the sequences of each length, that whose last b is least
	before := make([]int, len(list))
	for i, p := range list {
		n := sort.Search(len(ends), func(k int) bool { return list[ends[k]].b >= p.b })
		before[i] = -1
		if n > 0 {
			before[i] = ends[n-1]
		}
		if n == len(ends) {
			ends = append(ends, i)
		} else {
			ends[n] = i
		}
	}
	out := make([]pairing, 0, len(ends))
	if len(ends) > 0 {
		for i := ends[len(ends)-1]; i >= 0; i = before[i] {
			out = append(out, list[i])
		}
	}
	slices.SortFunc(out, func(p, q pairing) int { return cmp.Compare(p.a, q.a) })
	return out
}
