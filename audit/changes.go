package audit

import (
	"bytes"
	"slices"
	"strconv"

	"toolledger/chain"
)

// A change is a place at which two JSON texts differ. What is not there is nil.
type change struct {
	path string // as the query language writes it: args.path, args["a b"], args.list[0]
	a, b []byte // in canonical form
}

// maxChanges is how many changes of a pair are listed.
const maxChanges = 100

// changes lists where two texts in canonical form differ, nil for one that is absent: members of
// objects by name, elements of arrays by place. It counts those that it does not list.
type changes struct {
	list []change
	more int
}

// compare adds the changes between a and b, which stand at path.
func (c *changes) compare(path string, a, b []byte) {
	switch {
	case bytes.Equal(a, b) && (a == nil) == (b == nil):
	case isContainer(a, '{') && isContainer(b, '{'):
		c.objects(path, a, b)
	case isContainer(a, '[') && isContainer(b, '['):
		c.arrays(path, a, b)
	case len(c.list) == maxChanges:
		c.more++
	default:
		c.list = append(c.list, change{path, a, b})
	}
}

func isContainer(text []byte, begin byte) bool { return len(text) > 0 && text[0] == begin }

func (c *changes) objects(path string, a, b []byte) {
	inB := map[string][]byte{}
	for name, value := range chain.Members(b) {
		inB[string(name)] = value
	}
	for name, value := range chain.Members(a) {
		c.compare(memberPath(path, name), value, inB[string(name)])
		delete(inB, string(name))
	}
	for name, value := range chain.Members(b) { // in order
		if _, left := inB[string(name)]; left {
			c.compare(memberPath(path, name), nil, value)
		}
	}
}

func (c *changes) arrays(path string, a, b []byte) {
	var inB [][]byte
	for _, value := range chain.Elements(b) {
		inB = append(inB, value)
	}
	n := 0
	for i, value := range chain.Elements(a) {
		var other []byte
		if i < len(inB) {
			other = inB[i]
		}
		c.compare(path+"["+strconv.Itoa(i)+"]", value, other)
		n++
	}
	for i := n; i < len(inB); i++ {
		c.compare(path+"["+strconv.Itoa(i)+"]", nil, inB[i])
	}
}

// memberPath returns the path of a member, whose name is in quotes.
func memberPath(path string, name []byte) string {
	plain := name[1 : len(name)-1]
	if len(plain) == 0 || plain[0] >= '0' && plain[0] <= '9' || slices.ContainsFunc(plain, notWord) {
		return path + "[" + string(name) + "]"
	}
	return path + "." + string(plain)
}

func notWord(c byte) bool {
	return c != '_' && (c < '0' || c > '9') && (c < 'a' || c > 'z') && (c < 'A' || c > 'Z')
}

// JSON returns the changes as an array; what is not listed is counted in a last element.
func (c *changes) JSON() string {
	out := []byte{'['}
	for i, x := range c.list {
		if i > 0 {
			out = append(out, ',')
		}
		out = append(append(out, `{"path":`...), chain.Quote(x.path)...)
		if x.a != nil {
			out = append(append(out, `,"a":`...), x.a...)
		}
		if x.b != nil {
			out = append(append(out, `,"b":`...), x.b...)
		}
		out = append(out, '}')
	}
	if c.more > 0 {
		out = append(strconv.AppendInt(append(out, `,{"more":`...), int64(c.more), 10), '}')
	}
	return string(append(out, ']'))
}
