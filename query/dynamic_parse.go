package query

import (
	"unicode/utf16"
	"unicode/utf8"
)

// maxNesting is how deep arrays and bags may be nested in a JSON text.
const maxNesting = 512

// parseJSON returns a JSON text in the form of dynamic values: without white space, and
// without escapes that are not needed. Members keep their order; of those with the same
// name the last counts, in the place of the first.
func parseJSON(text string) (compact string, ok bool) {
	if !utf8.ValidString(text) {
		return "", false
	}
	p := jsonParser{text: text, out: make([]byte, 0, len(text))}
	p.space()
	if !p.value(0) {
		return "", false
	}
	if p.space(); p.i != len(text) {
		return "", false
	}
	if string(p.out) == text {
		return text, true
	}
	return string(p.out), true
}

// A jsonParser reads a JSON text, as strictly as RFC 8259, and writes it anew.
type jsonParser struct {
	text  string
	i     int
	out   []byte
	spans []memberSpan // of the bags that are open
}

// A memberSpan tells where a member stands in out: its name from name to colon, its value
// up to end.
type memberSpan struct{ name, colon, end int }

func (p *jsonParser) peek() byte {
	if p.i < len(p.text) {
		return p.text[p.i]
	}
	return 0
}

func (p *jsonParser) space() {
	for p.i < len(p.text) {
		switch p.text[p.i] {
		case ' ', '\t', '\n', '\r':
			p.i++
		default:
			return
		}
	}
}

// take reads b, and writes it.
func (p *jsonParser) take(b byte) bool {
	if p.peek() != b || p.i >= len(p.text) {
		return false
	}
	p.i++
	p.out = append(p.out, b)
	return true
}

func (p *jsonParser) value(depth int) bool {
	switch b := p.peek(); {
	case depth > maxNesting:
		return false
	case b == '{':
		return p.bag(depth)
	case b == '[':
		return p.array(depth)
	case b == '"':
		return p.string()
	case b == '-' || b-'0' <= 9:
		return p.number()
	}
	return p.word("true") || p.word("false") || p.word("null")
}

func (p *jsonParser) word(w string) bool {
	if len(p.text)-p.i < len(w) || p.text[p.i:p.i+len(w)] != w {
		return false
	}
	p.i += len(w)
	p.out = append(p.out, w...)
	return true
}

func (p *jsonParser) array(depth int) bool {
	p.take('[')
	if p.space(); p.take(']') {
		return true
	}
	for {
		p.space()
		if !p.value(depth + 1) {
			return false
		}
		if p.space(); !p.take(',') {
			return p.take(']')
		}
	}
}

func (p *jsonParser) bag(depth int) bool {
	first := len(p.spans)
	start := len(p.out)
	p.take('{')
	if p.space(); p.take('}') {
		return true
	}
	for {
		p.space()
		span := memberSpan{name: len(p.out)}
		if p.peek() != '"' || !p.string() {
			return false
		}
		span.colon = len(p.out)
		if p.space(); !p.take(':') {
			return false
		}
		p.space()
		if !p.value(depth + 1) {
			return false
		}
		span.end = len(p.out)
		p.spans = append(p.spans, span)
		if p.space(); !p.take(',') {
			break
		}
	}
	if !p.take('}') {
		return false
	}
	p.unique(start, p.spans[first:])
	p.spans = p.spans[:first]
	return true
}

// unique removes the members of the bag at start that have the name of a later one.
func (p *jsonParser) unique(start int, spans []memberSpan) {
	name := func(s memberSpan) string { return string(p.out[s.name:s.colon]) }
	if len(spans) <= 16 { // no map for the many small bags
		if !p.hasTwins(spans) {
			return
		}
	}
	last := make(map[string]int, len(spans))
	for i, s := range spans {
		last[name(s)] = i
	}
	if len(last) == len(spans) {
		return
	}
	bag := []byte{'{'}
	for _, s := range spans {
		i, ok := last[name(s)]
		if !ok {
			continue // its value stands where the name was first
		}
		if len(bag) > 1 {
			bag = append(bag, ',')
		}
		bag = append(bag, p.out[s.name:s.colon]...)
		bag = append(bag, p.out[spans[i].colon:spans[i].end]...)
		delete(last, name(s))
	}
	p.out = append(append(p.out[:start], bag...), '}')
}

func (p *jsonParser) hasTwins(spans []memberSpan) bool {
	for i, s := range spans {
		for _, t := range spans[:i] {
			if s.colon-s.name == t.colon-t.name && string(p.out[s.name:s.colon]) == string(p.out[t.name:t.colon]) {
				return true
			}
		}
	}
	return false
}

// number reads a number; its digits are kept as they are.
func (p *jsonParser) number() bool {
	start := p.i
	if p.peek() == '-' {
		p.i++
	}
	if p.peek() == '0' {
		p.i++
	} else if !p.digits() {
		return false
	}
	if p.peek() == '.' {
		p.i++
		if !p.digits() {
			return false
		}
	}
	if b := p.peek(); b == 'e' || b == 'E' {
		p.i++
		if b := p.peek(); b == '+' || b == '-' {
			p.i++
		}
		if !p.digits() {
			return false
		}
	}
	p.out = append(p.out, p.text[start:p.i]...)
	return true
}

func (p *jsonParser) digits() bool {
	start := p.i
	for p.peek()-'0' <= 9 {
		p.i++
	}
	return p.i > start
}

func (p *jsonParser) string() bool {
	p.take('"')
	for start := p.i; p.i < len(p.text); {
		switch b := p.text[p.i]; {
		case b < ' ':
			return false
		case b == '"':
			p.out = append(p.out, p.text[start:p.i]...)
			return p.take('"')
		case b == '\\':
			p.out = append(p.out, p.text[start:p.i]...)
			if !p.escape() {
				return false
			}
			start = p.i
		default:
			p.i++
		}
	}
	return false
}

// escape reads an escape, and writes its character in the one form that we use.
func (p *jsonParser) escape() bool {
	if p.i+1 >= len(p.text) {
		return false
	}
	b := p.text[p.i+1]
	if b != 'u' {
		r, ok := plainEscape(b)
		p.i += 2
		p.out = appendEscaped(p.out, r)
		return ok
	}
	r, ok := hexRune(p.text[p.i+2:])
	if !ok {
		return false
	}
	p.i += 6
	if utf16.IsSurrogate(r) {
		if rest := p.text[p.i:]; len(rest) >= 6 && rest[:2] == `\u` {
			low, ok := hexRune(rest[2:])
			if pair := utf16.DecodeRune(r, low); ok && pair != utf8.RuneError {
				p.i += 6
				p.out = utf8.AppendRune(p.out, pair)
				return true
			}
		}
	}
	p.out = appendEscaped(p.out, r)
	return true
}
