package db

import (
	"cmp"
	"context"
	"maps"
	"slices"

	"github.com/dgraph-io/badger/v4"
)

// A Size is what one kind of data takes in the store.
type Size struct {
	Kind  string // as runs, or columns/args
	Keys  uint64
	Bytes int64 // of keys and values
}

// Sizes returns what takes how much of the store, the largest first: a look at every key,
// not at the values.
func (l *Ledger) Sizes(ctx context.Context) (sizes []Size, err error) {
	s, err := l.Snapshot()
	if err != nil {
		return nil, err
	}
	defer s.Close()
	defer caught(&err, nil)
	of := map[string]*Size{}
	opt := badger.DefaultIteratorOptions
	opt.PrefetchValues = false
	it := s.txn.NewIterator(opt)
	defer it.Close()
	for it.Rewind(); it.Valid(); it.Next() {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		kind, err := s.kindOf(it.Item().Key())
		if err != nil {
			return nil, err
		}
		if of[kind] == nil {
			of[kind] = &Size{Kind: kind}
		}
		of[kind].Keys++
		of[kind].Bytes += it.Item().KeySize() + it.Item().ValueSize()
	}
	for _, size := range slices.SortedFunc(maps.Values(of), func(a, b *Size) int {
		return cmp.Or(cmp.Compare(b.Bytes, a.Bytes), cmp.Compare(a.Kind, b.Kind))
	}) {
		sizes = append(sizes, *size)
	}
	return sizes, nil
}

// kindOf returns what a key is of. Of a block it is the member whose columns the key has
// a page of.
func (s *Snapshot) kindOf(key []byte) (string, error) {
	name, ok := spaceNames[key[0]]
	if !ok {
		return "unknown", nil
	}
	block, generation, column, _, ok := parseColumnKey(key)
	if !ok {
		return name, nil
	}
	if column == 0 || block >= s.state.blocks {
		return name + "/directory", nil
	}
	b, err := s.lastBlock(block)
	if err != nil {
		return "", err
	}
	if generation != b.dir.generation {
		return name + "/of before a removal", nil
	}
	if int(column) > len(b.dir.cols) {
		return "", damaged("block %d has a page of column %d of %d", block, column, len(b.dir.cols))
	}
	return name + "/" + b.dir.cols[column-1].member.String(), nil
}
