package column

import (
	"encoding/binary"
	"math/bits"
	"unicode"
	"unicode/utf8"
)

// A class is what a token is made of.
type class uint8

const (
	gap  class = iota // all else, bytes that are no UTF-8 included
	word              // letters and digits
	sign              // one letter of a script that is written without spaces
	wide              // only in byteClasses: the byte of a longer rune
)

var byteClasses = func() (t [256]class) {
	for b := range t {
		switch {
		case b >= utf8.RuneSelf:
			t[b] = wide
		case 'a' <= b|0x20 && b|0x20 <= 'z', '0' <= b && b <= '9':
			t[b] = word
		}
	}
	return t
}()

// runeClass tells what a rune that is not ASCII belongs to.
func runeClass(r rune) class {
	switch {
	case 0x4E00 <= r && r <= 0x9FEF || 0x3041 <= r && r <= 0x3096 || 0x30A1 <= r && r <= 0x30FA || 0xAC00 <= r && r <= 0xD7A3:
		return sign // the usual ones, with no look at the tables
	case r == utf8.RuneError || !unicode.IsLetter(r) && !unicode.IsNumber(r):
		return gap
	case 0x0E00 <= r && r <= 0x0EFF, 0x1000 <= r && r <= 0x109F, 0x1780 <= r && r <= 0x17FF, // Thai, Lao, Burmese, Khmer
		0x3041 <= r && r <= 0x30FF, 0x3400 <= r && r <= 0x9FFF, 0xF900 <= r && r <= 0xFAFF, // Kana, Han
		0x20000 <= r && r <= 0x3FFFF:
		return sign
	}
	return word
}

// nextToken returns the end and the class of the token of s that starts at i:
// the longest run of one class, or one sign. Any two tokens side by side differ in
// class, or are signs.
func nextToken(s []byte, i int) (end int, c class) {
	if c = byteClasses[s[i]]; c != wide {
		for end = i + 1; end < len(s) && byteClasses[s[end]] == c; end++ {
		}
		if end == len(s) || byteClasses[s[end]] != wide {
			return end, c
		}
		return endOf(s, end, c), c
	}
	c, size := classAt(s, i)
	if c == sign {
		return i + size, c
	}
	return endOf(s, i+size, c), c
}

// shortWordAt returns the length and the key of the word that begins at s[i], at least 8 bytes
// before the end, if it is one of up to shortWord bytes, all of them ASCII, and so is the
// byte behind it; else 0.
func shortWordAt(s []byte, i int) (n int, key uint64) {
	const all = 0x0101010101010101
	x := binary.LittleEndian.Uint64(s[i:])
	letter := x | 0x20*all
	// The top bit of each byte: is it a letter, a digit? A byte over 0x7F spoils those after it,
	// at which the word has ended.
	letters := (letter + (0x80-'a')*all) &^ (letter + (0x7F-'z')*all)
	digits := (x + (0x80-'0')*all) &^ (x + (0x7F-'9')*all)
	ends := ^(letters | digits) & (0x80 * all)
	wide := x & (0x80 * all)
	n = bits.TrailingZeros64(ends|wide) / 8
	if n == 8 || wide>>(8*n)&0x80 != 0 {
		return 0, 0
	}
	return n, x&(1<<(8*n)-1) | uint64(n+1)<<56
}

// endOf returns where the run of class c ends that goes on at s[end], if it does.
func endOf(s []byte, end int, c class) int {
	for end < len(s) {
		next, size := classAt(s, end)
		if next != c {
			break
		}
		end += size
	}
	return end
}

// classAt returns the class and the size of the rune at s[i].
func classAt(s []byte, i int) (class, int) {
	if c := byteClasses[s[i]]; c != wide {
		return c, 1
	}
	r, size := utf8.DecodeRune(s[i:])
	return runeClass(r), size
}
