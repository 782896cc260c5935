package column

import (
	"bytes"
	"slices"
	"unicode"
	"unicode/utf8"
)

// fold maps all runes that differ in case only to one of them, whichever way case
// is compared: by lower case, by upper case or by simple folding. A filter may not
// say no where any of them says yes.
func fold(r rune) rune {
	if r < utf8.RuneSelf {
		if 'A' <= r && r <= 'Z' {
			r += 'a' - 'A'
		}
		return r
	}
	if 0x2E80 <= r && r <= 0xA63F || 0xAC00 <= r && r <= 0xD7FF {
		return r // Han, Kana, Hangul: no case
	}
	if r == ypogegrammeni {
		return r // or a mark would become a letter
	}
	r = unicode.ToLower(unicode.ToUpper(r))
	least := r
	for f := unicode.SimpleFold(r); f != r; f = unicode.SimpleFold(f) {
		least = min(least, f)
	}
	return unicode.ToLower(unicode.ToUpper(least))
}

// appendFold appends s folded. Bytes that are no UTF-8 stay.
func appendFold(dst, s []byte) []byte {
	for i := 0; i < len(s); {
		b := s[i]
		if b < utf8.RuneSelf {
			if 'A' <= b && b <= 'Z' {
				b += 'a' - 'A'
			}
			dst = append(dst, b)
			i++
			continue
		}
		r, size := utf8.DecodeRune(s[i:])
		if r == utf8.RuneError && size == 1 {
			dst = append(dst, b)
		} else {
			dst = utf8.AppendRune(dst, fold(r))
		}
		i += size
	}
	return dst
}

// A query is a text that a column may hold, taken apart.
type query struct {
	text   []byte // folded
	pieces []piece
	// whole: the text is a term, not a part of one, or a whole value.
	whole bool
}

// A piece is a token of a query, folded. On a closed side a value's token ends there too.
type piece struct {
	text        []byte
	class       class
	left, right bool
}

func newQuery(text []byte, whole bool) query {
	pieces := slices.DeleteFunc(phraseOf(text, whole), func(p piece) bool { return p.class == gap })
	return query{text: appendFold(nil, text), pieces: pieces, whole: whole}
}

// phraseOf returns the tokens of a query, as those of a value that has it follow each other.
// The single space between two words is none, nor is one beside a word at an end, since it may
// be part of such.
func phraseOf(text []byte, whole bool) (pieces []piece) {
	before := word
	for i := 0; i < len(text); {
		end, c := nextToken(text, i)
		between := end-i == 1 && text[i] == ' ' && before == word
		if between && end < len(text) {
			next, _ := classAt(text, end)
			between = next == word
		}
		if !between {
			pieces = append(pieces, piece{
				text:  appendFold(nil, text[i:end]),
				class: c,
				left:  whole && c != gap || i > 0 || c == sign,
				right: whole && c != gap || end < len(text) || c == sign,
			})
		}
		before, i = c, end
	}
	return pieces
}

// isVague reports whether it depends on what one makes of bytes that are no UTF-8,
// or of a letter with a form that is none, which values have the text. Then nothing
// can be ruled out.
func isVague(text []byte) bool {
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRune(text[i:])
		if r == utf8.RuneError || fold(r) == iota_ || r == ypogegrammeni {
			return true
		}
		i += size
	}
	return false
}

// Of all runes that differ in case only, these alone are part letter, part not:
// the combining iota below a vowel has the capital iota for its upper case.
const (
	ypogegrammeni = '\u0345'
	iota_         = '\u03B9'
)

// hasTerm reports whether term, which is not empty, stands in text, both folded,
// where neither of its ends cuts through a run of letters and digits.
func hasTerm(text, term []byte) bool {
	first, _ := utf8.DecodeRune(term)
	last, _ := utf8.DecodeLastRune(term)
	for at := 0; ; {
		i := bytes.Index(text[at:], term)
		if i < 0 {
			return false
		}
		start, end := at+i, at+i+len(term)
		before, _ := utf8.DecodeLastRune(text[:start])
		after, _ := utf8.DecodeRune(text[end:])
		if !(inTerm(before) && inTerm(first)) && !(inTerm(last) && inTerm(after)) {
			return true
		}
		at = start + 1
	}
}

func inTerm(r rune) bool {
	if r < utf8.RuneSelf {
		return byteClasses[r] == word
	}
	return runeClass(r) != gap
}
