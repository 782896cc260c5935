package query

import (
	"iter"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// keyValues says how parse-kv divides a text.
type keyValues struct {
	pair, kv string
	quotes   [][2]rune // pairs of an opening and a closing one
	escapes  string    // characters before one that is meant as it is, in quotes
}

// keyMatcher returns a matcher of the values of keys: of those of one key, the first.
func keyMatcher(columns []Field, pairs func(text string) iter.Seq2[string, string]) textMatcher {
	return func(text string, values []Value) bool {
		seen := make([]bool, len(columns))
		for key, value := range pairs(text) {
			i := slices.IndexFunc(columns, func(f Field) bool { return f.Name == key })
			if i < 0 || seen[i] {
				continue
			}
			seen[i] = true
			values[i] = convert(StringOf(value), columns[i].Kind)
		}
		return true
	}
}

// pairs returns the keys and values of a text that delimiters divide. What has no key is
// passed over, white space around keys and values does not count.
func (o *keyValues) pairs(text string) iter.Seq2[string, string] {
	return func(yield func(key, value string) bool) {
		for rest := trimLeft(text); rest != ""; rest = trimLeft(rest) {
			key, after, ok := o.key(rest)
			if !ok {
				_, rest, _ = strings.Cut(after, o.pair)
				continue
			}
			var value string
			value, rest = o.value(trimLeft(after))
			if !yield(key, value) {
				return
			}
		}
	}
}

// key cuts a key and the delimiter behind it off a text.
func (o *keyValues) key(text string) (key, rest string, ok bool) {
	if key, rest, ok = o.quoted(text); ok {
		after, ok := strings.CutPrefix(trimLeft(rest), o.kv)
		if !ok {
			return "", rest, false
		}
		return key, after, true
	}
	at := strings.Index(text, o.kv)
	if at < 0 {
		return "", "", false
	}
	// A pair that ends before is none, unless what ends it is but the space before the
	// delimiter.
	key = strings.TrimSpace(text[:at])
	if strings.Contains(key, o.pair) {
		return "", text, false
	}
	return key, text[at+len(o.kv):], true
}

// value cuts a value and the delimiter behind it off a text.
func (o *keyValues) value(text string) (value, rest string) {
	value, after, quoted := o.quoted(text)
	if quoted {
		_, after, _ = strings.Cut(after, o.pair)
		return value, after
	}
	value, after, _ = strings.Cut(text, o.pair)
	return strings.TrimSpace(value), after
}

// quoted cuts what stands in quotes off a text.
func (o *keyValues) quoted(text string) (inner, rest string, ok bool) {
	first, size := utf8.DecodeRuneInString(text)
	i := slices.IndexFunc(o.quotes, func(q [2]rune) bool { return q[0] == first })
	if i < 0 || size == 0 || !strings.ContainsRune(text[size:], o.quotes[i][1]) {
		return "", text, false
	}
	var b strings.Builder
	escaped := false
	for at, r := range text[size:] {
		switch {
		case escaped:
			escaped = false
		case strings.ContainsRune(o.escapes, r):
			escaped = true
			continue
		case r == o.quotes[i][1]:
			return b.String(), text[size+at+utf8.RuneLen(r):], true
		}
		b.WriteRune(r)
	}
	return "", text, false
}

// words returns what follows each word that is a key: the next word, or what is in quotes.
func (o *keyValues) words(columns []Field) func(string) iter.Seq2[string, string] {
	isKey := func(word string) bool {
		return slices.ContainsFunc(columns, func(f Field) bool { return f.Name == word })
	}
	return func(text string) iter.Seq2[string, string] {
		return func(yield func(key, value string) bool) {
			key := ""
			for text := text; text != ""; {
				word, rest, ok := o.quoted(text)
				if !ok {
					word, rest = cutWord(text)
				}
				if word == "" && !ok { // a delimiter
					_, size := utf8.DecodeRuneInString(text)
					text = text[size:]
					continue
				}
				text = rest
				switch {
				case key != "":
					if !yield(key, word) {
						return
					}
					key = ""
				case isKey(word):
					key = word
				}
			}
		}
	}
}

// cutWord cuts the letters and digits off a text that it begins with.
func cutWord(text string) (word, rest string) {
	end := strings.IndexFunc(text, func(r rune) bool { return !isTermRune(r) })
	if end < 0 {
		end = len(text)
	}
	return text[:end], text[end:]
}

// regexPairs returns the pairs that a regular expression with two groups finds.
func regexPairs(n *literalNode) (func(string) iter.Seq2[string, string], error) {
	re, err := newRegex(n.value.S)
	if err != nil {
		return nil, errorAt(n, "%v", err)
	}
	if groups := re.re.NumSubexp(); groups != 2 {
		return nil, errorAt(n, "the regex of parse-kv has two groups, a key and a value; this has %d", groups)
	}
	return func(text string) iter.Seq2[string, string] {
		return func(yield func(key, value string) bool) {
			for _, m := range re.findAll(text) {
				if !yield(strings.TrimSpace(group(text, m, 1)), strings.TrimSpace(group(text, m, 2))) {
					return
				}
			}
		}
	}, nil
}

func trimLeft(text string) string { return strings.TrimLeftFunc(text, unicode.IsSpace) }
