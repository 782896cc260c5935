package column

import "bytes"

// Having tells which of the distinct values may have a term or a phrase, in any case, as
// [Reader.MayHaveTerm] means it: false is certain. It looks at codes, and decodes no value.
// ok is false where only decoding could tell, or where so many have it that to leave the others
// out does not pay.
func (r *Reader) Having(term []byte) (ordinals []bool, ok bool, err error) { return r.find(term, true) }

// Containing tells which of the distinct values may have a text as a part, in any case, as
// [Reader.MayContain] means it; otherwise it is as Having.
func (r *Reader) Containing(part []byte) (ordinals []bool, ok bool, err error) {
	return r.find(part, false)
}

func (r *Reader) find(text []byte, whole bool) (ordinals []bool, ok bool, err error) {
	t, isText := r.values.(*textReader)
	if !isText || isVague(text) || r.oldUnicode && !isASCII(text) {
		return nil, false, nil
	}
	phrase := phraseOf(text, whole)
	if len(phrase) == 0 {
		return nil, false, nil
	}
	ordinals, err = t.having(phrase)
	return ordinals, ordinals != nil, err
}

// having looks for the codes of tokens one after the other; nil if more than three of four
// values have them, when it has looked at an eighth or more.
func (t *textReader) having(phrase []piece) ([]bool, error) {
	if err := t.foldWords(); err != nil {
		return nil, err
	}
	found, many := make([]bool, t.r.distinct), 0
	sets := make([][]bool, len(phrase))
	for i, p := range phrase {
		var any bool
		if sets[i], any = t.wordsWith(p); !any {
			return found, nil
		}
	}
	pages, err := t.pagesWith(sets)
	if err != nil {
		return nil, err
	}
	spellings, few := t.spellings(sets)
	for i := range t.pages {
		if pages != nil && pages[i/8]>>(i%8)&1 == 0 {
			continue
		}
		if err := t.readPage(i); err != nil {
			return nil, err
		}
		if few && !containsAny(t.codes, spellings) {
			continue
		}
		p, start := &t.pages[i], 0
		for k, end := range t.splitPage() {
			value := t.codes[start:end]
			start = int(end) + 1
			if (!few || containsAny(value, spellings)) && t.match(value, sets) {
				found[p.first+k] = true
				many++
			}
		}
		if seen := p.first + p.values; 8*seen >= len(found) && 4*many > 3*seen {
			return nil, nil
		}
	}
	return found, nil
}

// maxSpellings is how many are looked for: each is a pass over the bytes of a page, which is
// many times as fast as to look at its codes one by one.
const maxSpellings = 16

// spellings returns what bytes one after the other words of the sets can be; ok is false if
// they are too many. Where words have two bytes, others may have the same in their midst.
func (t *textReader) spellings(sets [][]bool) (list [][]byte, ok bool) {
	list = [][]byte{nil}
	for _, set := range sets {
		var longer [][]byte
		for n, in := range set {
			if !in {
				continue
			}
			if len(longer)+len(list) > maxSpellings {
				return nil, false
			}
			for _, before := range list {
				longer = append(longer, t.appendCode(before[:len(before):len(before)], n))
			}
		}
		list = longer
	}
	return list, true
}

// appendCode appends the code of a word.
func (t *textReader) appendCode(dst []byte, n int) []byte {
	if n < t.short {
		return append(dst, byte(n+1))
	}
	n -= t.short
	return append(dst, byte(t.short+1+n/255), byte(n%255+1))
}

func containsAny(s []byte, list [][]byte) bool {
	for _, part := range list {
		if bytes.Contains(s, part) {
			return true
		}
	}
	return false
}

// wordsWith returns which words of the dictionary a piece may be in; any is false if there is
// none.
func (t *textReader) wordsWith(p piece) (set []bool, any bool) {
	set = make([]bool, len(t.spans))
	start := 1 // in folded, of word n
	for n, at := 0, 1; ; at++ {
		i := bytes.Index(t.folded[at:], p.text)
		if i < 0 {
			return set, any
		}
		at += i
		for n < len(set)-1 && at >= int(t.foldedEnds[n]) {
			start = int(t.foldedEnds[n]) + 1
			n++
		}
		stop := at + len(p.text)
		if end := int(t.foldedEnds[n]); at >= start && stop <= end && (at == start || !p.left) && (stop == end || !p.right) {
			set[n], any = true, true
		}
	}
}

// match tells whether words of the sets stand one after the other in a value.
func (t *textReader) match(codes []byte, sets [][]bool) bool {
	var buf [64]int32
	words := buf[:0]
	for i := 0; i < len(codes); i++ {
		n := int(codes[i]) - 1
		if n >= t.short {
			if i++; i == len(codes) {
				return true // is refused where the value is decoded
			}
			n = t.short + (n-t.short)*255 + int(codes[i]) - 1
		}
		if n >= len(t.spans) {
			return true
		}
		if len(sets) == 1 {
			if sets[0][n] {
				return true
			}
			continue
		}
		words = append(words, int32(n))
	}
	for i := 0; i+len(sets) <= len(words); i++ {
		k := 0
		for k < len(sets) && sets[k][words[i+k]] {
			k++
		}
		if k == len(sets) {
			return true
		}
	}
	return false
}
