package column

import "slices"

// A part is a stretch of all values of a template.
type part struct {
	kind   partKind
	text   []byte    // literal
	width  int       // padded, hexLower, hexUpper: digits
	choice wordTable // choice, when it is packed
}

type partKind byte

const (
	literal  partKind = iota
	number            // decimal, no leading zeros
	signed            // the same, and a minus unless it is 0
	padded            // decimal, of a fixed width
	hexLower          // 0-9a-f, of a fixed width
	hexUpper          // 0-9A-F
	choice            // one of a few words of ASCII letters and digits
)

const (
	maxParts   = 24
	maxChoices = 3 // parts of that kind; more is text
	maxChoice  = 512
	maxDecimal = 18 // digits that always fit an int64
	maxHex     = 16 // digits that fit 64 bits
	minHex     = 4
	// Letters and runs of digits in one run, as in 01T00.
	maxSkeleton = 16
	// More text than this in a template's values is no id.
	maxShape = 512
)

// A run is a maximal run of ASCII letters and digits, or what is between two.
type run struct {
	start, end int
	alnum      bool
}

func splitRuns(runs []run, v []byte) []run {
	for i := 0; i < len(v) && len(runs) <= 2*maxParts; {
		start, alnum := i, byteClasses[v[i]] == word
		for i++; i < len(v) && (byteClasses[v[i]] == word) == alnum; i++ {
		}
		runs = append(runs, run{start, i, alnum})
	}
	return runs
}

// traits are what the runs at one place have in common.
type traits struct {
	same, digits, lower, upper, fixed bool
	numeral                           bool // one of them has a digit
	first                             []byte
	// The letters, with a 0 for each run of digits; "" if they differ in it.
	skeleton string
}

func traitsOf(s []byte) traits {
	t := traits{same: true, digits: true, lower: true, upper: true, fixed: true, first: s}
	var skeleton [maxSkeleton]byte
	n := 0
	for _, b := range s {
		decimal := '0' <= b && b <= '9'
		t.digits = t.digits && decimal
		t.numeral = t.numeral || decimal
		t.lower = t.lower && (decimal || 'a' <= b && b <= 'f')
		t.upper = t.upper && (decimal || 'A' <= b && b <= 'F')
		if decimal {
			b = '0'
		}
		if !decimal || n == 0 || n < maxSkeleton && skeleton[n-1] != '0' {
			if n < maxSkeleton {
				skeleton[n] = b
			}
			n++
		}
	}
	if t.numeral && n <= maxSkeleton {
		t.skeleton = string(skeleton[:n])
	}
	return t
}

// meet narrows t to what u has too.
func (t *traits) meet(u traits) {
	if t.skeleton != u.skeleton {
		t.skeleton = ""
	}
	t.same = t.same && string(t.first) == string(u.first)
	t.digits = t.digits && u.digits
	t.lower = t.lower && u.lower
	t.upper = t.upper && u.upper
	t.fixed = t.fixed && len(t.first) == len(u.first)
	t.numeral = t.numeral || u.numeral
}

// learn returns the template that the sample has in common, or nil.
func learn(sample [][]byte) []part {
	if len(sample[0]) > maxShape {
		return nil
	}
	shape := splitRuns(nil, sample[0])
	if len(shape) > maxParts {
		return nil
	}
	all := make([]traits, len(shape))
	for i, r := range shape {
		all[i] = traitsOf(sample[0][r.start:r.end])
	}
	var runs []run
	for _, v := range sample[1:] {
		if runs = splitRuns(runs[:0], v); len(runs) != len(shape) {
			return nil
		}
		for i, r := range runs {
			if r.alnum != shape[i].alnum {
				return nil
			}
			all[i].meet(traitsOf(v[r.start:r.end]))
		}
	}
	var parts []part
	choices := 0
	for i, t := range all {
		if !shape[i].alnum && !t.same {
			return nil
		}
		parts = t.appendParts(parts, shape[i].alnum)
		if parts[len(parts)-1].kind == choice {
			choices++
		}
	}
	variable := slices.ContainsFunc(parts, func(p part) bool { return p.kind != literal })
	if !variable || choices > maxChoices || len(parts) > maxParts {
		return nil
	}
	return parts
}

// appendParts appends the parts that runs of such traits are made of.
func (t *traits) appendParts(parts []part, alnum bool) []part {
	switch n := len(t.first); {
	case !alnum || t.same && !t.digits:
		return appendLiteral(parts, t.first)
	case t.digits && (n <= maxDecimal || !t.fixed):
		return append(parts, part{kind: number})
	case t.fixed && n >= minHex && t.numeral && (t.lower || t.upper):
		kind := hexLower
		if !t.lower {
			kind = hexUpper
		}
		for ; n > 0; n -= maxHex {
			parts = append(parts, part{kind: kind, width: min(n, maxHex)})
		}
		return parts
	case t.skeleton != "":
		for i := range len(t.skeleton) {
			if t.skeleton[i] == '0' {
				parts = append(parts, part{kind: number})
			} else {
				parts = appendLiteral(parts, []byte{t.skeleton[i]})
			}
		}
		return parts
	}
	return append(parts, part{kind: choice})
}

func appendLiteral(parts []part, text []byte) []part {
	if n := len(parts); n > 0 && parts[n-1].kind == literal {
		parts[n-1].text = append(parts[n-1].text, text...)
		return parts
	}
	return append(parts, part{kind: literal, text: slices.Clone(text)})
}
