package query

import "slices"

// hasAll returns what tells whether a text has all of patterns, as has does.
func hasAll(patterns []string) func(text string) bool {
	match := matchers("has", patterns)
	return func(text string) bool {
		for _, m := range match {
			if !m(text) {
				return false
			}
		}
		return true
	}
}

// hasAny returns what tells whether a text has one of patterns, as has does.
func hasAny(patterns []string) func(text string) bool {
	set, others := newWordSet(patterns)
	alone, each := matchers("has", others), matchers("has", patterns)
	one := func(match []func(string) bool, text string) bool {
		return slices.ContainsFunc(match, func(m func(string) bool) bool { return m(text) })
	}
	return func(text string) bool {
		found, known := set.in(text)
		if !known {
			return one(each, text)
		}
		return found || one(alone, text)
	}
}

func matchers(op string, patterns []string) (match []func(string) bool) {
	for _, p := range patterns {
		match = append(match, matcher(op, p))
	}
	return match
}

// maxWord is how long a word of a wordSet may be, in bytes.
const maxWord = 32

// A wordSet finds whether a text has one of many words, in one walk over its terms. With one
// needle a word, a list of fifty reads each text fifty times.
type wordSet struct {
	words  map[string]bool
	begins [maxWord + 1]uint64 // by length: a bit for each byte that a word begins with, see bit
}

// newWordSet returns the set of words without regard to case, and what of patterns has to be
// looked for by itself: what is not a single term of ASCII.
func newWordSet(patterns []string) (set *wordSet, others []string) {
	set = &wordSet{words: map[string]bool{}}
	for _, p := range patterns {
		word, ok := lowerWord(p)
		if !ok {
			others = append(others, p)
			continue
		}
		set.words[word] = true
		set.begins[len(word)] |= bit(word[0])
	}
	return set, others
}

// lowerWord returns a word in lower case, false if it is not one.
func lowerWord(s string) (string, bool) {
	if s == "" || len(s) > maxWord {
		return "", false
	}
	b := []byte(s)
	for i, c := range b {
		if b[i] = wordBytes[c]; b[i] == 0 {
			return "", false
		}
	}
	return string(b), true
}

func bit(c byte) uint64 { return 1 << (c & 63) }

// wordBytes has the lower case of the bytes that a term of ASCII has, 0 for others.
var wordBytes = func() (of [256]byte) {
	for c := range byte(128) {
		if isTermRune(rune(c)) {
			of[c] = byte(foldRune(rune(c)))
		}
	}
	return of
}()

// in tells whether text has one of the words as a term. It does not know of a text with
// something beyond ASCII, whose letters may go on a term or be an ASCII letter's other case.
func (s *wordSet) in(text string) (found, known bool) {
	var word [maxWord]byte
	for i := 0; i < len(text); {
		c := wordBytes[text[i]]
		if c == 0 {
			if text[i] >= 0x80 {
				return false, false
			}
			i++
			continue
		}
		from := i
		for i++; i < len(text) && wordBytes[text[i]] != 0; i++ {
		}
		n := i - from
		if n > maxWord || s.begins[n]&bit(c) == 0 {
			continue
		}
		for k := range n {
			word[k] = wordBytes[text[from+k]]
		}
		if s.words[string(word[:n])] && (i == len(text) || text[i] < 0x80) {
			return true, true // no rune is before it: the walk would have ended there
		}
	}
	return false, true
}
