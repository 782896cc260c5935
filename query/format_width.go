package query

import (
	"slices"
	"unicode/utf8"

	"github.com/rivo/uniseg"
)

// measure returns how many columns of a terminal text takes, and where its last grapheme
// cluster begins: wide characters take two columns, combining ones none.
func measure(text []byte) (width, last int) {
	if allASCII(text) {
		return len(text), max(len(text)-1, 0)
	}
	for rest, state, at := text, -1, 0; len(rest) > 0; {
		var cluster []byte
		var w int
		cluster, rest, w, state = uniseg.FirstGraphemeCluster(rest, state)
		width += w
		last = at
		at += len(cluster)
	}
	return width, last
}

func allASCII(text []byte) bool {
	for _, c := range text {
		if c >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// cutText returns the length and width of the longest front of whole clusters that leaves a
// column of width free, for the … .
func cutText(text []byte, width int) (n, w int) {
	for rest, state := text, -1; len(rest) > 0; {
		var cluster []byte
		var more int
		cluster, rest, more, state = uniseg.FirstGraphemeCluster(rest, state)
		if w+more > width-1 {
			break
		}
		n += len(cluster)
		w += more
	}
	return n, w
}

// minWidth is what a column needs at least, if its values are not narrower: with less
// nobody can read a table.
const minWidth = 6

// squeeze makes columns narrower, the widest first, until they take room at most. It
// reports false if they do not fit.
func squeeze(widths []int, room int) bool {
	order := slices.Sorted(slices.Values(widths))
	for i, w := range order {
		left := len(order) - i // those that are at least as wide
		if w*left <= room {
			room -= w
			continue
		}
		most := room / left
		if most < minWidth {
			return false
		}
		extra := room % left
		for c := range widths {
			if widths[c] > most {
				widths[c] = most
				if extra > 0 {
					widths[c]++
					extra--
				}
			}
		}
		return true
	}
	return true
}

// Width returns how many columns of a terminal a text takes in which nothing acts on it: see
// Visible.
func Width(text string) int {
	w, _ := measure([]byte(text))
	return w
}

// Cut returns a text that takes width columns at most: itself, or its front and … .
func Cut(text string, width int) string {
	if Width(text) <= width {
		return text
	}
	n, _ := cutText([]byte(text), width)
	return text[:n] + "…"
}
