package audit

import "strings"

// names keeps each of many texts once and gives it a number, which is 0 for "".
type names struct {
	number map[string]uint32
	texts  []string
	size   int    // bytes that it takes, about
	last   string // that was asked for, with its number: texts often follow themselves
	code   uint32
}

// nameSize is what a text takes beside its bytes.
const nameSize = 64

func newNames() *names { return &names{number: map[string]uint32{"": 0}, texts: []string{""}} }

// of returns the number of a text.
func (n *names) of(text string) uint32 {
	if text == n.last {
		return n.code
	}
	k, ok := n.number[text]
	if !ok {
		text = strings.Clone(text) // it may be a part of a longer one, which it would keep
		k = uint32(len(n.texts))
		n.number[text] = k
		n.texts = append(n.texts, text)
		n.size += nameSize + len(text)
	}
	n.last, n.code = n.texts[k], k
	return k
}
