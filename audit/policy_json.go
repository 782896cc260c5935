package audit

import (
	"fmt"
	"slices"

	"toolledger/chain"
	"toolledger/query"
)

// A jsonValue is a value of the JSON that a policy is written in. It knows where it stands.
type jsonValue struct {
	at     int    // bytes before it
	kind   byte   // what it begins with; '0' for any number
	text   string // of a string its characters; of a number and a word as it is written
	names  []*jsonValue
	values []*jsonValue // of the members, each beside its name, or of the elements
}

// parseJSON reads a text that [chain.Canonical] takes: no duplicate members, no broken UTF-8.
func parseJSON(text []byte) (*jsonValue, error) {
	if _, err := chain.Canonical(nil, text); err != nil {
		return nil, err
	}
	r := jsonReader{text: text}
	return r.value(), nil
}

// A jsonReader reads a text that is known to be JSON.
type jsonReader struct {
	text []byte
	at   int
}

// next returns what stands behind white space, commas and colons.
func (r *jsonReader) next() byte {
	for {
		switch b := r.text[r.at]; b {
		case ' ', '\t', '\n', '\r', ',', ':':
			r.at++
		default:
			return b
		}
	}
}

func (r *jsonReader) value() *jsonValue {
	kind := r.next()
	v := &jsonValue{at: r.at, kind: kind}
	switch kind {
	case '{', '[':
		r.at++
		for end := kind + 2; r.next() != end; { // ] and } stand two behind [ and {
			if kind == '{' {
				v.names = append(v.names, r.value())
			}
			v.values = append(v.values, r.value())
		}
		r.at++
	case '"':
		for r.at++; r.text[r.at] != '"'; r.at++ {
			if r.text[r.at] == '\\' {
				r.at++
			}
		}
		r.at++
		canonical, _ := chain.Canonical(nil, r.text[v.at:r.at]) // it is part of a text that is canonical
		v.text = chain.Unquote(canonical)
	default:
		for r.at < len(r.text) && !slices.Contains([]byte(" \t\n\r,]}"), r.text[r.at]) {
			r.at++
		}
		v.text = string(r.text[v.at:r.at])
		if kind == '-' || kind >= '1' && kind <= '9' {
			v.kind = '0'
		}
	}
	return v
}

// member returns a member of an object, nil if there is none.
func (v *jsonValue) member(name string) *jsonValue {
	for i, n := range v.names {
		if n.text == name {
			return v.values[i]
		}
	}
	return nil
}

// faultf is a fault at the place of v.
func (v *jsonValue) faultf(format string, args ...any) error {
	return &Fault{v.at, fmt.Sprintf(format, args...)}
}

// found names a value for a message.
func (v *jsonValue) found() string {
	switch v.kind {
	case '{':
		return "an object"
	case '[':
		return "an array"
	case '"':
		return "the string " + quoteText(v.text)
	case '0':
		return "the number " + visible(v.text)
	}
	return v.text
}

// object checks that v is an object that has no other members than those of these names.
func (v *jsonValue) object(what string, names ...string) error {
	if v.kind != '{' {
		return v.faultf("%s: expected an object, found %s", what, v.found())
	}
	for _, n := range v.names {
		if !slices.Contains(names, n.text) {
			return n.faultf("%s: unknown member %s%s", what, quoteText(n.text), query.DidYouMean(n.text, names))
		}
	}
	return nil
}

// string returns the characters of v.
func (v *jsonValue) string(what string) (string, error) {
	if v.kind != '"' {
		return "", v.faultf("%s: expected a string, found %s", what, v.found())
	}
	return v.text, nil
}

// strings returns the strings of an array that has at least one.
func (v *jsonValue) strings(what string) (list []string, err error) {
	if v.kind != '[' {
		return nil, v.faultf("%s: expected an array of strings, found %s", what, v.found())
	}
	for _, e := range v.values {
		if e.kind != '"' {
			return nil, e.faultf("%s: expected an array of strings, found %s in it", what, e.found())
		}
		list = append(list, e.text)
	}
	if list == nil {
		return nil, v.faultf("%s: expected at least one string", what)
	}
	return list, nil
}
