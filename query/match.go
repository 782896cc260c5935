package query

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// A textOp is a string operator: how a text is tested for a pattern.
type textOp struct {
	fold bool // without regard to case
	test func(n *needle, text string) bool
}

// textOps has the operators without their negations. A term is a run of letters and
// digits as long as it can be; an underscore ends one. Case is folded rune by rune, so
// that "ß" is not "SS", and there is no normalisation.
var textOps = map[string]textOp{
	"=~":            {true, (*needle).equals},
	"contains":      {true, (*needle).contains},
	"contains_cs":   {false, (*needle).contains},
	"endswith":      {true, (*needle).endsText},
	"endswith_cs":   {false, (*needle).endsText},
	"has":           {true, func(n *needle, text string) bool { return n.hasTerm(text, true, true) }},
	"has_cs":        {false, func(n *needle, text string) bool { return n.hasTerm(text, true, true) }},
	"hasprefix":     {true, func(n *needle, text string) bool { return n.hasTerm(text, true, false) }},
	"hasprefix_cs":  {false, func(n *needle, text string) bool { return n.hasTerm(text, true, false) }},
	"hassuffix":     {true, func(n *needle, text string) bool { return n.hasTerm(text, false, true) }},
	"hassuffix_cs":  {false, func(n *needle, text string) bool { return n.hasTerm(text, false, true) }},
	"startswith":    {true, (*needle).startsText},
	"startswith_cs": {false, (*needle).startsText},
}

// matcher prepares a string operator for one pattern. It returns nil if there is no such
// operator.
func matcher(op, pattern string) func(text string) bool {
	o, ok := textOps[op]
	if !ok {
		return nil
	}
	n := newNeedle(pattern, o.fold)
	return func(text string) bool { return o.test(n, text) }
}

// A needle is a pattern made ready to be looked for. Few texts and patterns have anything
// beyond ASCII, so those that have take a slow path, rune by rune.
type needle struct {
	text   string // the pattern; if its case is folded, ASCII letters are lower case
	fold   bool
	runes  []rune // if case is folded and the pattern is not ASCII: its runes, folded
	rare   int    // where in an ASCII pattern the byte is that texts have least
	lower  byte   // that byte
	upper  byte   // and its upper case, or the same
	alien  bool   // has a k or s, which the Kelvin sign and the long s fold to
	opens  bool   // the pattern begins with a rune of a term
	closes bool   // it ends with one
}

func newNeedle(pattern string, fold bool) *needle {
	n := &needle{text: pattern, fold: fold}
	first, _ := utf8.DecodeRuneInString(pattern)
	last, _ := utf8.DecodeLastRuneInString(pattern)
	n.opens, n.closes = isTermRune(first), isTermRune(last)
	switch {
	case !fold || pattern == "":
	case isCaseless(pattern):
		n.fold = false
	case !isASCII(pattern):
		n.runes = foldRunes(pattern)
	default:
		n.text = strings.ToLower(pattern)
		n.alien = strings.ContainsAny(n.text, "ks")
		n.findRare()
	}
	return n
}

// byteOrder has letters and marks by how often texts have them; others are rare.
const byteOrder = " etaoinsrhldcumfpgwyb,.v0k12-_/:\"'5843967xjqz"

// findRare chooses the byte that candidates are found by.
func (n *needle) findRare() {
	best := -1
	for i := range len(n.text) {
		rank := strings.IndexByte(byteOrder, n.text[i])
		if rank < 0 {
			rank = len(byteOrder)
		}
		if rank > best {
			best, n.rare, n.lower = rank, i, n.text[i]
		}
	}
	n.upper = n.lower
	if n.lower-'a' < 26 {
		n.upper -= 'a' - 'A'
	}
}

// slow tells whether text must be compared rune by rune, and gives the runes to find.
func (n *needle) slow(text string) []rune {
	if n.alien && (hasRune(text, "\u212a") || hasRune(text, "\u017f")) {
		return foldRunes(n.text)
	}
	return n.runes
}

// hasRune looks for the first byte of a rare rune before it looks for the rune.
func hasRune(text, r string) bool {
	return strings.IndexByte(text, r[0]) >= 0 && strings.Contains(text, r)
}

// A finder goes through the places of a text where a needle is.
type finder struct {
	n            *needle
	text         string
	runes        []rune // nil: byte by byte
	lower, upper int    // the next rare byte in lower and upper case, from which to look on
	from         int    // where to look on, except by rare bytes
}

func (n *needle) in(text string) finder {
	f := finder{n: n, text: text}
	if !n.fold {
		return f
	}
	if f.runes = n.slow(text); f.runes == nil {
		f.lower = f.byteFrom(n.rare, n.lower)
		f.upper = len(text)
		if n.upper != n.lower {
			f.upper = f.byteFrom(n.rare, n.upper)
		}
	}
	return f
}

// byteFrom returns where b is in the text, from i, or the text's length.
func (f *finder) byteFrom(i int, b byte) int {
	if i >= len(f.text) {
		return len(f.text)
	}
	if k := strings.IndexByte(f.text[i:], b); k >= 0 {
		return i + k
	}
	return len(f.text)
}

// next returns where the needle is next, or -1.
func (f *finder) next() (start, end int) {
	switch {
	case !f.n.fold:
		k := strings.Index(f.text[f.from:], f.n.text)
		if k < 0 {
			return -1, -1
		}
		start = f.from + k
		_, size := utf8.DecodeRuneInString(f.text[start:])
		f.from = start + size
		return start, start + len(f.n.text)
	case f.runes != nil:
		return f.nextRunes()
	}
	n := f.n
	for {
		at := min(f.lower, f.upper)
		start, end = at-n.rare, at-n.rare+len(n.text)
		if end > len(f.text) || at == len(f.text) {
			return -1, -1
		}
		if at == f.lower {
			f.lower = f.byteFrom(at+1, n.lower)
		} else {
			f.upper = f.byteFrom(at+1, n.upper)
		}
		if equalLower(f.text[start:end], n.text) {
			return start, end
		}
	}
}

func (f *finder) nextRunes() (start, end int) {
	for f.from < len(f.text) {
		start = f.from
		_, size := utf8.DecodeRuneInString(f.text[start:])
		f.from += size
		if n := prefixRunes(f.text[start:], f.runes); n >= 0 {
			return start, start + n
		}
	}
	return -1, -1
}

func (n *needle) contains(text string) bool {
	if n.text == "" {
		return true
	}
	f := n.in(text)
	start, _ := f.next()
	return start >= 0
}

// hasTerm tells whether text has the pattern where no term goes on before it, or after
// it. A pattern that begins or ends with something else than a term is not bounded there.
func (n *needle) hasTerm(text string, before, after bool) bool {
	if n.text == "" {
		return true
	}
	before, after = before && n.opens, after && n.closes
	for f := n.in(text); ; {
		start, end := f.next()
		if start < 0 {
			return false
		}
		if (!before || !endsInTerm(text[:start])) && (!after || !beginsInTerm(text[end:])) {
			return true
		}
	}
}

func (n *needle) startsText(text string) bool {
	if !n.fold {
		return strings.HasPrefix(text, n.text)
	}
	if runes := n.slow(text); runes != nil {
		return prefixRunes(text, runes) >= 0
	}
	return len(text) >= len(n.text) && equalLower(text[:len(n.text)], n.text)
}

func (n *needle) endsText(text string) bool {
	if !n.fold {
		return strings.HasSuffix(text, n.text)
	}
	runes := n.slow(text)
	if runes == nil {
		return len(text) >= len(n.text) && equalLower(text[len(text)-len(n.text):], n.text)
	}
	for i := len(runes) - 1; i >= 0; i-- {
		r, size := utf8.DecodeLastRuneInString(text)
		if size == 0 || foldRune(r) != runes[i] {
			return false
		}
		text = text[:len(text)-size]
	}
	return true
}

func (n *needle) equals(text string) bool { return strings.EqualFold(text, n.text) }

// prefixRunes returns how long the beginning of text is that folds to runes, or -1.
func prefixRunes(text string, runes []rune) int {
	n := 0
	for _, want := range runes {
		r, size := utf8.DecodeRuneInString(text[n:])
		if size == 0 || foldRune(r) != want {
			return -1
		}
		n += size
	}
	return n
}

// equalLower compares with a pattern of the same length whose ASCII letters are lower.
func equalLower(text, lower string) bool {
	for i := range len(lower) {
		c := text[i]
		if c-'A' < 26 {
			c += 'a' - 'A'
		}
		if c != lower[i] {
			return false
		}
	}
	return true
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

func foldRunes(s string) []rune {
	runes := []rune(s)
	for i, r := range runes {
		runes[i] = foldRune(r)
	}
	return runes
}

// isCaseless tells whether a text that is equal to s without regard to case is s, byte for
// byte: Chinese is, digits and marks are. What is no UTF-8 is not, since all of it is equal
// to U+FFFD.
func isCaseless(s string) bool {
	for _, r := range s {
		if r == utf8.RuneError || unicode.SimpleFold(r) != r {
			return false
		}
	}
	return true
}

// foldRune returns the one rune that stands for all that differ in case only: the lower
// case of an ASCII letter, else the first of them.
func foldRune(r rune) rune {
	if r < utf8.RuneSelf {
		if 'A' <= r && r <= 'Z' {
			r += 'a' - 'A'
		}
		return r
	}
	least := r
	for next := unicode.SimpleFold(r); next != r; next = unicode.SimpleFold(next) {
		least = min(least, next)
	}
	if least < utf8.RuneSelf {
		return unicode.ToLower(least)
	}
	return least
}

// isTermRune tells whether a term may have r in it.
func isTermRune(r rune) bool {
	if r < utf8.RuneSelf {
		return r|0x20-'a' < 26 && r|0x20 >= 'a' || r >= '0' && r <= '9'
	}
	return r != utf8.RuneError && (unicode.IsLetter(r) || unicode.IsDigit(r))
}

func endsInTerm(s string) bool {
	if s == "" {
		return false
	}
	r, _ := utf8.DecodeLastRuneInString(s)
	return isTermRune(r)
}

func beginsInTerm(s string) bool {
	if s == "" {
		return false
	}
	r, _ := utf8.DecodeRuneInString(s)
	return isTermRune(r)
}
