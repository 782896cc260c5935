package query

import (
	"strings"
)

// How a text is taken apart by the pattern of parse. The whole text must have it: what
// may stand before or behind is for a * to skip.

// simple returns a matcher of literals that are texts. If it is relaxed, a value that is
// not of its column's type is null; else the text has not the pattern.
func (pattern textPattern) simple(relaxed bool) textMatcher {
	return func(text string, values []Value) bool {
		for i := 0; i < len(pattern); i++ {
			part := pattern[i]
			if part.what == partLiteral {
				var ok bool
				if text, ok = strings.CutPrefix(text, part.text); !ok {
					return false
				}
				continue
			}
			var value string
			switch {
			case i+1 == len(pattern):
				value, text = text, ""
			case pattern[i+1].what == partStar:
				value, text = cutPrefixOf(text, part.kind)
			default:
				i++
				var ok bool
				if value, text, ok = pattern.cutAt(i, text, part.kind); !ok {
					return false
				}
			}
			if part.what == partStar {
				continue
			}
			v := convert(StringOf(value), part.kind)
			if v.Null && !relaxed {
				return false
			}
			values[part.col] = v
		}
		return text == ""
	}
}

// cutAt cuts a text before and behind the literal pattern[i], where it is first; if
// nothing may follow it, where the text ends.
func (pattern textPattern) cutAt(i int, text string, kind Kind) (before, after string, ok bool) {
	literal := pattern[i].text
	if i+1 == len(pattern) {
		before, ok = strings.CutSuffix(text, literal)
		return before, "", ok
	}
	before, after, ok = strings.Cut(text, literal)
	if !ok || !kind.isNumber() || !convert(StringOf(before), kind).Null {
		return before, after, ok
	}
	// The minus of a number may be the literal that ends it.
	if number, rest := cutPrefixOf(text, kind); number != "" && strings.HasPrefix(rest, literal) {
		return number, rest[len(literal):], true
	}
	return before, after, ok
}

// prefixOf has how long the value is that a text begins with, for the kinds that show
// where they end.
var prefixOf = [NumKinds]func(text string) int{
	Bool: boolPrefix, Int: wholePrefix, Long: wholePrefix, Real: realPrefix,
	Guid: func(text string) int { return min(len(text), 36) },
}

func cutPrefixOf(text string, kind Kind) (value, rest string) {
	if prefixOf[kind] == nil {
		return "", text
	}
	n := prefixOf[kind](text)
	return text[:n], text[n:]
}

func boolPrefix(text string) int {
	for _, word := range []string{"true", "false"} {
		if len(text) >= len(word) && strings.EqualFold(text[:len(word)], word) {
			return len(word)
		}
	}
	return wholePrefix(text)
}

func wholePrefix(text string) int {
	n := signPrefix(text)
	digits := digitsPrefix(text[n:])
	if digits == 0 {
		return 0
	}
	return n + digits
}

func realPrefix(text string) int {
	n := wholePrefix(text)
	if n == 0 {
		return 0
	}
	if strings.HasPrefix(text[n:], ".") {
		n += 1 + digitsPrefix(text[n+1:])
	}
	if n < len(text) && text[n]|0x20 == 'e' {
		sign := signPrefix(text[n+1:])
		if digits := digitsPrefix(text[n+1+sign:]); digits > 0 {
			n += 1 + sign + digits
		}
	}
	return n
}

func signPrefix(text string) int {
	if text != "" && (text[0] == '-' || text[0] == '+') {
		return 1
	}
	return 0
}

func digitsPrefix(text string) (n int) {
	for n < len(text) && isDigit(text[n]) {
		n++
	}
	return n
}

// groupOf has the groups of a regular expression that columns become. A string takes as
// much as it can.
func groupOf(k Kind) string {
	switch k {
	case Int, Long:
		return `(-?\d+)`
	case Real:
		return `([-+]?[0-9.]+(?:[eE][-+]?[0-9]+)?)`
	}
	return `(.*)`
}

// regex returns a matcher of literals that are regular expressions: with the columns they
// make one.
func (pattern textPattern) regex(flags string) (textMatcher, error) {
	var expr strings.Builder
	if flags != "" {
		expr.WriteString("(?" + flags + ")")
	}
	expr.WriteString(`\A(?:`)
	groups := 0
	var columns []patternPart
	var at []int // the group of each column
	for _, part := range pattern {
		switch part.what {
		case partStar:
			expr.WriteString(".*?")
		case partColumn:
			groups++
			columns, at = append(columns, part), append(at, groups)
			expr.WriteString(groupOf(part.kind))
		default:
			n, err := part.groups()
			if err != nil {
				return nil, err
			}
			groups += n
			expr.WriteString(part.text)
		}
	}
	expr.WriteString(`)\z`)
	re, err := newRegex(expr.String())
	if err != nil {
		return nil, err
	}
	return func(text string, values []Value) bool {
		m := re.findFirst(text)
		for i, c := range columns {
			if m == nil {
				return false
			}
			v := NullOf(c.kind)
			if from := m[2*at[i]]; from >= 0 {
				v = convert(StringOf(text[from:m[2*at[i]+1]]), c.kind)
			}
			if v.Null {
				return false
			}
			values[c.col] = v
		}
		return m != nil
	}, nil
}

// groups returns how many groups a literal of kind=regex has.
func (n patternPart) groups() (int, error) {
	re, err := newRegex(n.text)
	if err != nil {
		return 0, errorAt(n, "%v", err)
	}
	if hasAlternatives(n.text) {
		return 0, errorAt(n, "a | outside of parentheses is not supported here")
	}
	return re.re.NumSubexp(), nil
}

// hasAlternatives tells whether a | stands outside of all groups: it would divide the
// whole expression.
func hasAlternatives(expr string) bool {
	depth, class := 0, false
	for i := 0; i < len(expr); i++ {
		switch c := expr[i]; {
		case c == '\\':
			i++
		case class:
			class = c != ']'
		case c == '[':
			class = true
		case c == '(':
			depth++
		case c == ')':
			depth--
		case c == '|' && depth == 0:
			return true
		}
	}
	return false
}
