package column

import (
	"bytes"
	"slices"
)

// A CodeMemo remembers the codes of some rows of the columns of one block, for somebody who
// asks all columns for the same rows: those of columns that change in the same rows are
// often stored as the same bytes. Its zero value is ready.
type CodeMemo struct{ parts []codePart }

// A codePart is what was decoded of one part.
type codePart struct {
	packed []byte
	first  int
	wanted []uint16
	codes  []uint16
}

// find returns the codes of the rows that are wanted of a part, nil if it is not known.
func (m *CodeMemo) find(packed []byte, first int, wanted []uint16, distinct int) []uint16 {
	if m == nil {
		return nil
	}
	for i := range m.parts {
		p := &m.parts[i]
		if p.first == first && bytes.Equal(p.packed, packed) && slices.Equal(p.wanted, wanted) {
			if int(slices.Max(p.codes)) > distinct {
				return nil // is damaged, as decoding it tells
			}
			return p.codes
		}
	}
	return nil
}

// add remembers a part. What it is given must stay.
func (m *CodeMemo) add(packed []byte, first int, wanted, codes []uint16) {
	if m != nil && len(codes) > 0 {
		m.parts = append(m.parts, codePart{packed, first, wanted, codes})
	}
}
