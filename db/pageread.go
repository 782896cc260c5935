package db

import (
	"bytes"
	"slices"
	"sync"

	"github.com/dgraph-io/badger/v4"
)

// A pageReader reads pages of blocks in one transaction, for several goroutines. Badger's Get
// makes three copies of a value, each in memory of its own; an iterator makes two, in memory
// that it uses again. So a reader keeps as many iterators as there were readings at a time.
type pageReader struct {
	txn  *badger.Txn
	mu   sync.Mutex // guards free
	free []*pageIterator
}

// A pageIterator stands on the key that was read last: it has copied the next one too.
type pageIterator struct {
	*badger.Iterator
	last []byte // the key that it stands on, nil if on none
}

// read returns what keep makes of a page, which is checked. What an iterator does not find is asked for
// on its own: it also reads what follows, which may be what is damaged.
func (r *pageReader) read(key []byte, keep func(value []byte) []byte) ([]byte, error) {
	it := r.take(key)
	defer r.put(it)
	stored, ok := it.find(key)
	if !ok {
		return must(r.txn, key)
	}
	value, err := unseal(key, stored)
	if err != nil {
		return must(r.txn, key)
	}
	return keep(value), nil
}

// take returns an iterator that nobody uses: best one that stands on the page before.
func (r *pageReader) take(key []byte) *pageIterator {
	r.mu.Lock()
	defer r.mu.Unlock()
	n := len(r.free) - 1
	if n < 0 {
		opt := badger.DefaultIteratorOptions
		opt.Prefix, opt.PrefetchValues = []byte{spaceColumn}, false
		return &pageIterator{Iterator: r.txn.NewIterator(opt)}
	}
	i := max(0, slices.IndexFunc(r.free, func(it *pageIterator) bool { return isNextPage(it.last, key) }))
	it := r.free[i]
	r.free[i] = r.free[n]
	r.free = r.free[:n]
	return it
}

func (r *pageReader) put(it *pageIterator) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.free = append(r.free, it)
}

// close ends the iterators. Nobody may be reading.
func (r *pageReader) close() {
	for _, it := range r.free {
		it.Close()
	}
	r.free = nil
}

// find returns the stored value of a key, valid until the iterator is used again. If not ok, it
// cannot tell whether there is one.
func (it *pageIterator) find(key []byte) (stored []byte, ok bool) {
	next := isNextPage(it.last, key)
	it.last = it.last[:0] // of an iterator that fails nothing is known
	err := func() (err error) {
		defer caught(&err, key)
		if next {
			it.Next()
		} else {
			it.Seek(key)
		}
		if !it.Valid() || !bytes.Equal(it.Item().Key(), key) {
			return errNoKey
		}
		return it.Item().Value(func(value []byte) error { stored = value; return nil })
	}()
	if err == nil {
		it.last = append(it.last, key...)
	}
	return stored, err == nil
}

// isNextPage tells whether a key is that of the page after another of the same column.
func isNextPage(last, key []byte) bool {
	block, generation, column, page, ok := parseColumnKey(last)
	return ok && bytes.Equal(key, columnKey(block, generation, column, page+1))
}

// A pageRoom is where the pages of a block are, until it is released.
type pageRoom struct {
	chunks []*[roomChunk]byte
	used   int // of the last chunk
}

// roomChunk has room for most columns of a block.
const roomChunk = 128 << 10

var roomChunks = sync.Pool{New: func() any { return new([roomChunk]byte) }}

// keep returns a copy of a page.
func (r *pageRoom) keep(value []byte) []byte {
	n := len(value)
	if n > roomChunk/2 {
		return bytes.Clone(value)
	}
	if len(r.chunks) == 0 || r.used+n > roomChunk {
		r.chunks, r.used = append(r.chunks, roomChunks.Get().(*[roomChunk]byte)), 0
	}
	out := r.chunks[len(r.chunks)-1][r.used : r.used+n : r.used+n]
	copy(out, value)
	r.used += n
	return out
}

// release gives the room back: nobody may use pages that are in it any more.
func (r *pageRoom) release() {
	for _, chunk := range r.chunks {
		roomChunks.Put(chunk)
	}
	*r = pageRoom{}
}
