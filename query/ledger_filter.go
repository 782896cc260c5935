package query

import (
	"slices"
	"strings"

	"toolledger/chain"
	"toolledger/db"
)

// rangeOfFilters returns what of the filters a scan by session and time can use.
func rangeOfFilters(filters []filter) (r db.Range) {
	for _, f := range filters {
		if f.member != "" || len(f.values) != 1 || f.values[0].Null {
			continue
		}
		v := f.values[0]
		t := chain.Time{Ticks: v.N, Rest: v.Rest}
		switch {
		case f.column == "session" && f.op == "==" && v.Kind == String && v.S != "":
			r.Session = v.S
		case f.column != "time" || v.Kind != Datetime:
		case f.op == ">" || f.op == ">=" || f.op == "==":
			if r.Since == nil || r.Since.Compare(t) < 0 {
				r.Since = &t
			}
		}
		if f.column == "time" && v.Kind == Datetime && (f.op == "<" || f.op == "<=" || f.op == "==") {
			end := chain.Time{Ticks: v.N + 1} // not before: a scan's end is left out
			if r.Until == nil || r.Until.Compare(end) > 0 {
				r.Until = &end
			}
		}
	}
	return r
}

// finder returns how a column of text finds the values that may pass a filter without
// decoding one; nil where it cannot.
func (f *filter) finder() func(c *db.Column, text []byte) (ordinals []bool, ok bool, err error) {
	_, skip := f.skip()
	switch {
	case skip == nil || len(f.values) != 1:
		return nil
	case skip == byWords:
		return (*db.Column).Having
	case skip == byParts:
		return (*db.Column).Containing
	}
	return nil
}

// rowsFinding returns those of rows, nil for all, that may pass a filter.
func rowsFinding(b *db.Block, f *filter, rows []int) ([]int, error) {
	find := f.finder()
	if find == nil {
		return rows, nil
	}
	m, _ := chain.MemberOf(f.column)
	c, err := b.Column(m, f.member)
	if err != nil || c == nil {
		return rows, err
	}
	found, ok, err := find(c, []byte(f.values[0].S))
	if err != nil || !ok {
		return rows, err
	}
	if !slices.Contains(found, true) {
		return []int{}, nil
	}
	codes, err := c.Codes()
	if err != nil {
		return nil, err
	}
	if rows == nil {
		kept := []int{}
		for row, code := range codes {
			if code != 0 && found[code-1] {
				kept = append(kept, row)
			}
		}
		return kept, nil
	}
	kept := rows[:0]
	for _, row := range rows {
		if code := codes[row]; code != 0 && found[code-1] {
			kept = append(kept, row)
		}
	}
	return kept, nil
}

// excluded tells whether no row of a block can pass the filters.
func excluded(b *db.Block, filters []filter) (bool, error) {
	for _, f := range filters {
		may, err := mayPass(b, &f)
		if err != nil || !may {
			return err == nil, err
		}
	}
	return false, nil
}

// mayPass tells whether a row of b may pass a filter. It looks at dictionaries and
// filters of text, not at rows.
func mayPass(b *db.Block, f *filter) (bool, error) {
	m, skip := f.skip()
	if skip == nil {
		return true, nil
	}
	c, err := b.Column(m, f.member)
	if err != nil || c == nil && f.member != "" { // a member without a column stands in the rest
		return true, err
	}
	if c == nil {
		return matchesEmpty(f), nil
	}
	return f.may(c, skip)
}

// A skipTest is what the skip data of a column can say: that no value of a block passes.
type skipTest struct {
	by  string // what says it
	may func(c *db.Column, text []byte) (bool, error)
}

var (
	byValues = &skipTest{"distinct values", (*db.Column).MayEqual}
	byWords  = &skipTest{"words", (*db.Column).MayHaveTerm}
	byParts  = &skipTest{"parts of texts", (*db.Column).MayContain}
)

// skipTests has the operators that no text passes which has not a value that is asked
// for, or is it, with what to ask of a block.
var skipTests = map[string]*skipTest{
	"==": byValues, "in": byValues,
	"has": byWords, "has_cs": byWords, "has_any": byWords, "has_all": byWords,
	"=~": byParts, "in~": byParts, "contains": byParts, "contains_cs": byParts, "startswith": byParts, "startswith_cs": byParts, "endswith": byParts, "endswith_cs": byParts,
	"hasprefix": byParts, "hasprefix_cs": byParts, "hassuffix": byParts, "hassuffix_cs": byParts,
}

// skip returns the member of an entry that a filter is about, and what its columns can
// say; nil where they say nothing.
func (f *filter) skip() (chain.Member, *skipTest) {
	m, ok := chain.MemberOf(f.column)
	kind, known := kindOfMember(m)
	if !ok || !known || kind != String && (kind != Dynamic || f.member == "") {
		return m, nil
	}
	asked := 0
	for _, v := range f.values {
		if f.asks(v) {
			asked++
		}
	}
	if asked == 0 || asked < len(f.values) && f.op != "has_all" {
		return m, nil
	}
	return m, skipTests[f.op]
}

// asks tells whether a block can be asked for a value: text, which a member may have as
// something else than a string.
func (f *filter) asks(v Value) bool {
	return v.Kind == String && v.S != "" && !(f.member != "" && spelledAnew(v.S, f.op))
}

// matchesEmpty tells whether an absent text, which is an empty one, may pass.
func matchesEmpty(f *filter) bool {
	for _, v := range f.values {
		if v.S == "" || v.Kind != String {
			return true
		}
	}
	return skipTests[f.op] == nil
}

// spelledAnew tells whether a text that is asked for may be found in one that is not stored
// as it is: that of a number, or all of a value that is no string.
func spelledAnew(text, op string) bool {
	if strings.ContainsAny(text, "0123456789") && strings.Trim(text, "+-.0123456789eE") == "" {
		return true
	}
	return (op == "==" || op == "in") && strings.ContainsRune("tTfFnN[{\"", rune(text[0]))
}

// may asks a column whether a value may pass. A member of a dynamic has a quote before the
// characters of a string.
func (f *filter) may(c *db.Column, skip *skipTest) (bool, error) {
	ask := func(v Value) (bool, error) {
		if !f.asks(v) {
			return true, nil
		}
		text := []byte(v.S)
		if f.member != "" && skip == byValues {
			text = append([]byte{'"'}, text...)
		}
		return skip.may(c, text)
	}
	for _, v := range f.values {
		may, err := ask(v)
		if err != nil || may != (f.op == "has_all") {
			return may || err != nil, err
		}
	}
	return f.op == "has_all", nil
}
