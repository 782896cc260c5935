package column

import "bytes"

// Having tells which of the distinct values have a term or a phrase, in any case, as
// [Reader.MayHaveTerm] means it. It looks at codes, and decodes no value. ok is false where
// only decoding could tell.
func (r *Reader) Having(term []byte) (ordinals []bool, ok bool, err error) {
	t, isText := r.values.(*textReader)
	if !isText || r.oldUnicode && !isASCII(term) {
		return nil, false, nil
	}
	tokens, ok := phraseOf(term)
	if !ok {
		return nil, false, nil
	}
	ordinals, err = t.having(tokens)
	return ordinals, true, err
}

// phraseOf cuts a phrase into the tokens that stand in a text that has it. It must begin
// and end with a word: what else stands at its ends may be a part of a token.
func phraseOf(term []byte) (tokens [][]byte, ok bool) {
	last := gap
	for i := 0; i < len(term); {
		end, c := nextToken(term, i)
		if c == sign || i == 0 && c != word {
			return nil, false
		}
		token := term[i:end]
		between := i > 0 && end < len(term) && len(token) == 1 && token[0] == ' '
		if c == word {
			token = appendFold(nil, token)
		}
		if !between { // a space between words has no code
			tokens = append(tokens, token)
		}
		last, i = c, end
	}
	return tokens, last == word
}

// having looks for the codes of tokens one after the other.
func (t *textReader) having(tokens [][]byte) ([]bool, error) {
	if err := t.load(); err != nil {
		return nil, err
	}
	found := make([]bool, t.r.distinct)
	sets, ok := t.codesOf(tokens)
	if !ok {
		return found, nil
	}
	spellings, few := t.spellings(sets)
	for i := range t.pages {
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
			found[p.first+k] = (!few || containsAny(value, spellings)) && t.match(value, sets)
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

// codesOf returns, for each token, which words of the dictionary it is, in any case; ok is
// false if one is none of them.
func (t *textReader) codesOf(tokens [][]byte) (sets [][]bool, ok bool) {
	var folded []byte
	sets = make([][]bool, len(tokens))
	for n, token := range tokens {
		sets[n] = make([]bool, len(t.spans))
		c, _ := classAt(token, 0)
		any := false
		for i, s := range t.spans {
			w := t.text[s.start:s.end]
			if c == word {
				if len(w) != len(token) && isASCII(w) {
					continue
				}
				folded = appendFold(folded[:0], w)
				w = folded
			}
			if bytes.Equal(w, token) {
				sets[n][i], any = true, true
			}
		}
		if !any {
			return nil, false
		}
	}
	return sets, true
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
