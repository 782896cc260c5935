package column

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"slices"
	"unicode/utf8"
)

// Text is stored as codes of words. A dictionary for the column holds all its
// tokens (see nextToken); a value is the codes of its tokens and a 0. Between two
// words there is one space, which has no code: any other gap is a token.
//
//	words (uvarint) short (uvarint)
//	dictionary                           section, see appendDictionary and appendPlaces
//	filter                               section, may be empty
//	pages (uvarint), for each of them
//	    values (uvarint) codes           section: a packed stream
//
// The most frequent words have the codes 1 to short. The others have two bytes: the
// first from short+1 on, the second from 1 on, so that 0 only ends values.
const (
	maxWords      = 40_000
	maxDictionary = 512 << 10
	textPage      = 6 << 10
	// With more words than this, a filter saves reading the dictionary.
	manyWords = 1000
	// A dictionary that is this large must be under 3/4 of the text so far, or we
	// give up early. At the end it must be at most half.
	earlyDictionary = 8 << 10
)

// A textPacker packs text. It keeps its buffers; its zero value is ready.
type textPacker struct {
	words wordTable
	// The values as numbers of words plus one; 0 ends a value.
	tokens []uint16
	hashes hashSet
	signs  bool // whether the text has signs
	order  []wordOrder
	count  []uint32 // how often each word came
	code   []uint16 // of each word: one byte, or the first of two in the high half
	short  int      // words with a code of one byte
	size   int      // of all codes
	codes  []byte
	buf    []byte
	fields [2][]byte
}

// encode writes the values, if they are text, and reports whether they are.
func (t *textPacker) encode(w *sectionWriter, values [][]byte, total int, filtered bool, pack *packer) bool {
	if !t.scan(values, total) {
		return false
	}
	t.assign()
	w.meta = append(w.meta, byte(encodingText))
	w.meta = binary.AppendUvarint(w.meta, uint64(len(t.code)))
	w.meta = binary.AppendUvarint(w.meta, uint64(t.short))
	cuts := t.cutPages()
	t.buf = t.appendDictionary(t.buf[:0], pack)
	t.buf = t.appendPlaces(t.buf, cuts, pack)
	w.add(t.buf, false)
	t.buf = t.buf[:0]
	if filtered {
		t.buf = t.filter(t.buf)
	}
	w.add(t.buf, true)
	t.writePages(w, cuts, pack)
	return true
}

// scan turns the values into tokens. It gives up where they are not like text.
func (t *textPacker) scan(values [][]byte, total int) bool {
	t.words.reset()
	t.hashes.reset()
	t.tokens, t.signs = t.tokens[:0], false
	limit := min(maxDictionary, total/2)
	scanned := 0
	for _, v := range values {
		t.scanValue(v)
		t.tokens = append(t.tokens, 0)
		scanned += len(v)
		size := len(t.words.text)
		if size > limit || len(t.words.ends) > maxWords || size > earlyDictionary && size > scanned/4*3 {
			return false
		}
	}
	return true
}

func (t *textPacker) scanValue(v []byte) {
	before := gap
	var sign1 rune
	for i := 0; i < len(v); {
		if i+8 <= len(v) { // most words are short and have letters of ASCII alone
			if n, key := shortWordAt(v, i); n > 0 {
				t.tokens = append(t.tokens, uint16(t.words.idOf(key, v, i, i+n)+1))
				before = word
				if i += n; i+1 < len(v) && v[i] == ' ' && byteClasses[v[i+1]] == word {
					i++ // the space goes without saying
				}
				continue
			}
		}
		end, c := nextToken(v, i)
		if before == word && end == i+1 && v[i] == ' ' && end < len(v) {
			if next, _ := classAt(v, end); next == word {
				i = end // the space goes without saying
				end, c = nextToken(v, i)
			}
		}
		t.tokens = append(t.tokens, uint16(t.words.id(v, i, end)+1))
		if c == sign {
			r, _ := utf8.DecodeRune(v[i:])
			if before == sign {
				t.hashes.add(gramHash(hasPairs, pair(fold(sign1), fold(r))))
			}
			t.signs, sign1 = true, r
		}
		if len(t.words.ends) > maxWords {
			return // the caller gives up
		}
		before = c
		i = end
	}
}

// A wordOrder is a word to be sorted by its bytes.
type wordOrder struct {
	prefix uint64 // its first bytes
	id     uint32
}

// assign gives the words their codes, and t.order the order of the dictionary.
func (t *textPacker) assign() {
	n := len(t.words.ends)
	t.order = slices.Grow(t.order[:0], n)[:n]
	for id := range t.order {
		t.order[id].id = uint32(id)
	}
	t.short = n
	if n > 255 {
		// k first bytes of two-byte codes make room for 255k words.
		k := (n - 255 + 253) / 254
		t.short = 255 - k
		t.count = t.words.counts(t.count)
		slices.SortFunc(t.order, func(a, b wordOrder) int {
			return cmp.Or(cmp.Compare(t.count[b.id], t.count[a.id]), cmp.Compare(a.id, b.id))
		})
	}
	t.sort(t.order[:t.short])
	t.sort(t.order[t.short:])
	t.code = slices.Grow(t.code[:0], n)[:n]
	for i, o := range t.order {
		if i < t.short {
			t.code[o.id] = uint16(i + 1)
		} else {
			k := i - t.short
			t.code[o.id] = uint16(t.short+1+k/255)<<8 | uint16(k%255+1)
		}
	}
}

// sort sorts by bytes, so that words share prefixes.
func (t *textPacker) sort(order []wordOrder) {
	for i := range order {
		var prefix [8]byte
		copy(prefix[:], t.words.word(int(order[i].id)))
		order[i].prefix = binary.BigEndian.Uint64(prefix[:])
	}
	slices.SortFunc(order, func(a, b wordOrder) int {
		if a.prefix != b.prefix {
			return cmp.Compare(a.prefix, b.prefix)
		}
		return bytes.Compare(t.words.word(int(a.id)), t.words.word(int(b.id)))
	})
}

// appendDictionary appends the words in the order of their codes, as three packed
// streams: for each word a byte, how much of the word before it begins with; twice
// the length of the rest (uvarint), plus one if the token is a word; and the rests.
func (t *textPacker) appendDictionary(dst []byte, pack *packer) []byte {
	prefixes, lengths, rests := t.fields[0][:0], t.fields[1][:0], t.codes[:0]
	var before []byte
	for _, o := range t.order {
		w := t.words.word(int(o.id))
		shared := 0
		for shared < min(len(before), len(w), 255) && before[shared] == w[shared] {
			shared++
		}
		prefixes = append(prefixes, byte(shared))
		isWord := uint64(0)
		if c, _ := classAt(w, 0); c == word {
			isWord = 1
		}
		lengths = binary.AppendUvarint(lengths, uint64(len(w)-shared)<<1|isWord)
		rests = append(rests, w[shared:]...)
		before = w
	}
	dst = pack.append(dst, prefixes, best)
	dst = pack.append(dst, lengths, best)
	dst = pack.append(dst, rests, best)
	t.fields[0], t.fields[1], t.codes = prefixes, lengths, rests
	return dst
}

// filter appends a filter of what the dictionary cannot tell, or not cheaply.
func (t *textPacker) filter(dst []byte) []byte {
	var kinds byte
	if t.signs {
		kinds |= hasPairs
	}
	if len(t.order) > manyWords {
		kinds |= hasTerms
		for id := range t.order {
			w := t.words.word(id)
			if c, _ := classAt(w, 0); c == word {
				t.codes = appendFold(t.codes[:0], w)
				t.hashes.add(termHash(t.codes))
			}
		}
	}
	if kinds == 0 || len(t.hashes.items) > maxFilterItems {
		return dst
	}
	return appendFilter(dst, kinds, t.hashes.items)
}

// cutPages returns where the pages end in the tokens, each after a value.
func (t *textPacker) cutPages() (cuts []int) {
	t.size = 0
	start := 0 // of the page
	for i, token := range t.tokens {
		t.size++
		if token > 0 {
			if t.code[token-1] > 255 {
				t.size++
			}
			continue
		}
		if t.size-start >= textPage || i+1 == len(t.tokens) {
			cuts = append(cuts, i+1)
			start = t.size
		}
	}
	return cuts
}

func (t *textPacker) writePages(w *sectionWriter, cuts []int, pack *packer) {
	w.meta = binary.AppendUvarint(w.meta, uint64(len(cuts)))
	learn := learner{e: best}
	start := 0
	for _, cut := range cuts {
		values := t.encodePage(t.tokens[start:cut])
		w.meta = binary.AppendUvarint(w.meta, uint64(values))
		t.buf = learn.append(t.buf[:0], t.codes, pack)
		w.add(t.buf, true)
		start = cut
	}
}

// encodePage puts the codes of tokens into t.codes and counts the values.
func (t *textPacker) encodePage(tokens []uint16) (values int) {
	codes := t.codes[:0]
	for _, token := range tokens {
		if token == 0 {
			codes = append(codes, 0)
			values++
			continue
		}
		code := t.code[token-1]
		if code > 255 {
			codes = append(codes, byte(code>>8))
		}
		codes = append(codes, byte(code))
	}
	t.codes = codes
	return values
}
