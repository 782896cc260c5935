package query

import (
	"strings"
	"sync"

	"toolledger/chain"
)

// A removedColumn has the pointers of the values that were removed of each row, null where none
// was.
type removedColumn struct{ at *blockAt }

func (c removedColumn) fill(v *Vector, rows []int) error {
	removed, err := c.at.removedIn()
	if err != nil {
		return err
	}
	if removed == nil {
		*v = *Repeated(NullOf(Dynamic))
		return nil
	}
	if rows == nil {
		rows = c.at.all()
	}
	values := make([]Value, len(rows))
	for i, row := range rows {
		values[i] = NullOf(Dynamic)
		if len(removed[row]) == 0 {
			continue
		}
		list := []byte{'['}
		for k, pointer := range removed[row] {
			if k > 0 {
				list = append(list, ',')
			}
			list = chain.AppendQuote(list, []byte(pointer))
		}
		values[i] = DynamicOf(string(append(list, ']')))
	}
	*v = *VectorOf(Dynamic, values)
	return nil
}

// removedIn returns the pointers of the values that were removed of each row of a block, nil if
// it has them all. They are read once.
func (b *blockAt) removedIn() ([][]string, error) {
	if b.removed == nil {
		b.removed = sync.OnceValues(func() ([][]string, error) {
			block, err := b.read()
			if err != nil {
				return nil, err
			}
			return block.Removed()
		})
	}
	return b.removed()
}

// isGone tells whether values were removed at or below a pointer, or with all that is above it.
func isGone(removed []string, pointer string) bool {
	for _, p := range removed {
		if p == pointer || strings.HasPrefix(p, pointer+"/") || strings.HasPrefix(pointer, p+"/") {
			return true
		}
	}
	return false
}

// markRemoved marks those values of some rows of a block, nil for all, that are absent since they
// were removed.
func markRemoved(v *Vector, at *blockAt, rows []int, pointer string) error {
	removed, err := at.removedIn()
	if removed == nil || err != nil {
		return err
	}
	if rows == nil {
		rows = at.all()
	}
	values := make([]Value, len(rows))
	for i, row := range rows {
		values[i] = v.At(i)
		if absent := values[i].Null || values[i].Kind == String && values[i].S == ""; absent && isGone(removed[row], pointer) {
			values[i] = removedOf(v.Kind)
		}
	}
	*v = *VectorOf(v.Kind, values)
	return nil
}
