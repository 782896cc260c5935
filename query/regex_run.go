package query

import (
	"regexp/syntax"
	"slices"
	"unicode/utf8"
)

// MatchString tells whether text has a match.
func (r *regex) MatchString(text string) bool {
	if r.prog == nil || isASCII(text) {
		return r.re.MatchString(text)
	}
	return r.backtracker(text).find(0) != nil
}

// findFirst returns where the first match and its groups are, as
// [regexp.Regexp.FindStringSubmatchIndex] does.
func (r *regex) findFirst(text string) []int {
	if r.prog == nil || isASCII(text) {
		return r.re.FindStringSubmatchIndex(text)
	}
	return r.backtracker(text).find(0)
}

// findAll returns all matches, as [regexp.Regexp.FindAllStringSubmatchIndex] does.
func (r *regex) findAll(text string) [][]int {
	if r.prog == nil || isASCII(text) {
		return r.re.FindAllStringSubmatchIndex(text, -1)
	}
	return r.runAll(text)
}

func (r *regex) runAll(text string) (all [][]int) {
	b := r.backtracker(text)
	for at, last := 0, -1; at <= len(text); {
		m := b.find(at)
		if m == nil {
			break
		}
		if at = m[1]; m[1] > m[0] || m[1] != last {
			all = append(all, m)
		}
		if m[1] == m[0] {
			_, size := utf8.DecodeRuneInString(text[at:])
			at += max(size, 1)
		}
		last = m[1]
	}
	return all
}

// A backtracker runs a program on a text, as package regexp does with small ones: it goes
// back where a way does not lead on, and never the same way twice. Only it knows the
// borders of words that are not ASCII.
type backtracker struct {
	prog    *syntax.Prog
	text    string
	visited []uint64 // a bit for each place and instruction
	touched []int    // which of visited are not zero
	groups  []int
	jobs    []backtrack
}

// A backtrack is where to go on: an instruction at a place of the text, or, if pc is
// negative, the group -pc-1 to set back to at.
type backtrack struct{ pc, at int }

func (r *regex) backtracker(text string) *backtracker {
	return &backtracker{
		prog:    r.prog,
		text:    text,
		visited: make([]uint64, (len(r.prog.Inst)*(len(text)+1)+63)/64),
		groups:  make([]int, 2*(r.re.NumSubexp()+1)),
	}
}

// find returns the first match at or after from.
func (b *backtracker) find(from int) []int {
	for _, i := range b.touched {
		b.visited[i] = 0
	}
	b.touched = b.touched[:0]
	for at := from; at <= len(b.text); {
		for i := range b.groups {
			b.groups[i] = -1
		}
		if end := b.run(at); end >= 0 {
			b.groups[0], b.groups[1] = at, end
			return slices.Clone(b.groups)
		}
		_, size := utf8.DecodeRuneInString(b.text[at:])
		at += max(size, 1)
	}
	return nil
}

// run returns where the match ends that begins at a place, or -1.
func (b *backtracker) run(at int) (end int) {
	b.jobs = append(b.jobs[:0], backtrack{b.prog.Start, at})
	for len(b.jobs) > 0 {
		j := b.jobs[len(b.jobs)-1]
		b.jobs = b.jobs[:len(b.jobs)-1]
		if j.pc < 0 {
			b.groups[-j.pc-1] = j.at
			continue
		}
		if end := b.follow(j.pc, j.at); end >= 0 {
			return end
		}
	}
	return -1
}

// follow goes one way to its end and notes where others branch off.
func (b *backtracker) follow(pc, at int) (end int) {
	for {
		if !b.visit(at*len(b.prog.Inst) + pc) {
			return -1
		}
		inst := &b.prog.Inst[pc]
		switch inst.Op {
		case syntax.InstMatch:
			return at
		case syntax.InstFail:
			return -1
		case syntax.InstAlt, syntax.InstAltMatch:
			b.jobs = append(b.jobs, backtrack{int(inst.Arg), at})
		case syntax.InstCapture:
			if g := int(inst.Arg); g < len(b.groups) {
				b.jobs = append(b.jobs, backtrack{-g - 1, b.groups[g]})
				b.groups[g] = at
			}
		case syntax.InstEmptyWidth:
			if syntax.EmptyOp(inst.Arg)&^b.context(at) != 0 {
				return -1
			}
		case syntax.InstNop:
		default:
			r, size := utf8.DecodeRuneInString(b.text[at:])
			if size == 0 || !inst.MatchRune(r) {
				return -1
			}
			at += size
		}
		pc = int(inst.Out)
	}
}

// visit tells whether it is the first time, and notes it.
func (b *backtracker) visit(bit int) bool {
	word, mask := &b.visited[bit/64], uint64(1)<<(bit%64)
	if *word&mask != 0 {
		return false
	}
	if *word == 0 {
		b.touched = append(b.touched, bit/64)
	}
	*word |= mask
	return true
}

// context returns the conditions that hold at a place.
func (b *backtracker) context(at int) syntax.EmptyOp {
	before, after := rune(-1), rune(-1)
	if at > 0 {
		before, _ = utf8.DecodeLastRuneInString(b.text[:at])
	}
	if at < len(b.text) {
		after, _ = utf8.DecodeRuneInString(b.text[at:])
	}
	is := syntax.EmptyOpContext(before, after) &^ (syntax.EmptyWordBoundary | syntax.EmptyNoWordBoundary)
	if isWordRune(before) != isWordRune(after) {
		return is | syntax.EmptyWordBoundary
	}
	return is | syntax.EmptyNoWordBoundary
}
