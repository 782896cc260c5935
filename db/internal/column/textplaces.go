package column

import "bytes"

// In which pages a word is, so that one who looks for rare words reads few pages: of each word
// of the dictionary, in order, a bit a page, from the lowest of the first byte on. It is left
// out where it would be large beside the codes, since then it cannot save what it costs.
const (
	maxPlaces  = 64 << 10
	placeShare = 16 // of the codes: one part of so many it may take
)

// placesWidth returns how many bytes each word has.
func placesWidth(pages int) int { return (pages + 7) / 8 }

// appendPlaces appends the places of the words as a packed stream, which may be of no bytes.
// cuts is where the pages end in the tokens.
func (t *textPacker) appendPlaces(dst []byte, cuts []int, pack *packer) []byte {
	width := placesWidth(len(cuts))
	n := width * len(t.code)
	if len(cuts) < 2 || n > maxPlaces {
		return pack.append(dst, nil, best)
	}
	t.codes = append(t.codes[:0], make([]byte, n)...)
	start := 0
	for page, cut := range cuts {
		for _, token := range t.tokens[start:cut] {
			if token > 0 {
				t.codes[t.wordOf(t.code[token-1])*width+page/8] |= 1 << (page % 8)
			}
		}
		start = cut
	}
	before := len(dst)
	if dst = pack.append(dst, t.codes, best); len(dst)-before > t.size/placeShare {
		return pack.append(dst[:before], nil, best)
	}
	return dst
}

// wordOf returns the number in the dictionary of the word with a code.
func (t *textPacker) wordOf(code uint16) int {
	if code <= 255 {
		return int(code) - 1
	}
	return t.short + (int(code>>8)-t.short-1)*255 + int(code&255) - 1
}

// pagesWith tells which pages have a word of each set; nil if it is not known.
func (t *textReader) pagesWith(sets [][]bool) ([]byte, error) {
	s, rest, err := unpack(t.places, maxPlaces)
	if err != nil || len(rest) > 0 {
		return nil, corrupt("places of words")
	}
	defer s.release()
	if len(s.raw) == 0 {
		return nil, nil
	}
	width := placesWidth(len(t.pages))
	if len(s.raw) != t.words*width {
		return nil, corrupt("places of words")
	}
	all := bytes.Repeat([]byte{0xFF}, width)
	some := make([]byte, width)
	for _, set := range sets {
		clear(some)
		for n, in := range set {
			if in {
				for i, bits := range s.raw[n*width : (n+1)*width] {
					some[i] |= bits
				}
			}
		}
		for i := range all {
			all[i] &= some[i]
		}
	}
	return all, nil
}
