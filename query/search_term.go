package query

import (
	"regexp"
	"strings"
)

// term looks for a term in some columns: x* is the beginning of a word, *x its end, *x*
// any part of the text, and a*b a word that begins with a up to one that ends with b.
func (s *searchBinder) term(n node, term string, columns ...expr) (expr, error) {
	op, inner := "has", strings.Trim(term, "*")
	begins, ends := strings.HasPrefix(term, "*"), strings.HasSuffix(term, "*")
	switch {
	case term != "" && inner == "":
		return &constExpr{BoolOf(true)}, nil
	case strings.Contains(inner, "*") && (begins || ends):
		return nil, errorAt(n, "a * at an end of a term and one within it is not supported here")
	case strings.Contains(inner, "*"):
		return s.wildcard(n, inner, columns)
	case begins && ends:
		op = "contains"
	case begins:
		op = "hassuffix"
	case ends:
		op = "hasprefix"
	}
	s.hintWords(op, inner)
	if s.exact {
		op = exactOps[op]
	}
	return &termExpr{columns, matcher(op, inner)}, nil
}

func (s *searchBinder) wildcard(n node, term string, columns []expr) (expr, error) {
	parts := strings.Split(term, "*")
	for i, p := range parts {
		parts[i] = regexp.QuoteMeta(p)
	}
	pattern := `\b` + strings.Join(parts, ".*") + `\b`
	if !s.exact {
		pattern = "(?i)" + pattern
	}
	re, err := newRegex(pattern)
	if err != nil {
		return nil, errorAt(n, "%v", err)
	}
	return &termExpr{columns, re.MatchString}, nil
}

// A termExpr tells whether any of some columns, as a text, passes a test.
type termExpr struct {
	columns []expr
	match   func(text string) bool
}

func (e *termExpr) kind() Kind { return Bool }

func (e *termExpr) eval(b *Batch) (*Vector, error) {
	found := make([]Value, b.N)
	for row := range found {
		found[row] = BoolOf(false)
	}
	for _, c := range e.columns {
		v, err := c.eval(b)
		if err != nil {
			return nil, err
		}
		e.mark(found, v)
	}
	return VectorOf(Bool, found), nil
}

// mark sets the rows that a column has a match in. Each value is tested once at most.
func (e *termExpr) mark(found []Value, v *Vector) {
	const unknown, no, yes = 0, 1, 2
	v = v.boxed()
	tested := make([]uint8, len(v.values))
	for row := range found {
		if found[row].N != 0 {
			continue
		}
		i := row
		switch {
		case v.one:
			i = 0
		case v.codes != nil:
			i = int(v.codes[row])
		}
		if tested[i] == unknown {
			tested[i] = no
			if e.match(toString(v.values[i])) {
				tested[i] = yes
			}
		}
		if tested[i] == yes {
			found[row].N = 1
		}
	}
}
