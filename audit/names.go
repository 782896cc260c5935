package audit

import "strings"

// names keeps each of many texts once and gives it a number, which is 0 for "".
type names struct {
	number map[string]uint32
	texts  []string
	size   int // bytes that it takes, about
	last   [16]struct {
		text   string
		number uint32
	}
}

// nameSize is what a text takes beside its bytes.
const nameSize = 64

func newNames() *names { return &names{number: map[string]uint32{"": 0}, texts: []string{""}} }

// next returns the number of a text of a column, of which there are 16: mostly that of the row before
// has the same.
func (n *names) next(column int, text string) uint32 {
	last := &n.last[column]
	if text != last.text {
		last.text, last.number = text, n.of(text)
	}
	return last.number
}

// of returns the number of a text.
func (n *names) of(text string) uint32 {
	if k, ok := n.number[text]; ok {
		return k
	}
	text = strings.Clone(text) // it may be a part of a longer one, which it would keep
	k := uint32(len(n.texts))
	n.number[text] = k
	n.texts = append(n.texts, text)
	n.size += nameSize + len(text)
	return k
}
