package db

import (
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/cespare/xxhash/v2"
	"github.com/dgraph-io/badger/v4"
)

// maxValue is how large a stored value may be. What is larger is cut into parts,
// so that no transaction and no memory table overflows and Badger's value log
// stays empty.
const maxValue = 512 << 10

const checksumSize = 8

// seal appends the checksum over key and value to a value. Badger's own checks let
// some damage through, and none of them covers a value under another's key.
func seal(key, value []byte) []byte {
	return binary.BigEndian.AppendUint64(value, checksum(key, value))
}

func checksum(key, value []byte) uint64 {
	var d xxhash.Digest
	d.ResetWithSeed(uint64(len(key)))
	d.Write(key)
	d.Write(value)
	return d.Sum64()
}

// unseal checks a stored value and takes the checksum off.
func unseal(key, stored []byte) ([]byte, error) {
	n := len(stored) - checksumSize
	if n < 0 || binary.BigEndian.Uint64(stored[n:]) != checksum(key, stored[:n]) {
		return nil, damaged("the value of key %s fails its checksum", keyText(key))
	}
	return stored[:n:n], nil
}

// keyText shows a key in an error.
func keyText(key []byte) string { return fmt.Sprintf("%c %q", key[0], key[1:]) }

// get returns the value of a key, checked. The value is valid until txn ends. A
// key that is not there is errNoKey: the caller knows whether it must be.
func get(txn *badger.Txn, key []byte) (value []byte, err error) {
	defer caught(&err, key)
	item, err := txn.Get(key)
	if errors.Is(err, badger.ErrKeyNotFound) {
		return nil, errNoKey
	}
	if err != nil {
		return nil, fmt.Errorf("db: read key %s: %w", keyText(key), err)
	}
	return itemValue(item)
}

// caught makes damage of what Badger does in this goroutine: it trusts what stands in
// its tables.
func caught(err *error, key []byte) {
	if r := recover(); r != nil {
		*err = damaged("reading key %s ends with: %v", keyText(key), r)
	}
}

var errNoKey = errors.New("db: no such key")

// must is get for a key that has to be there.
func must(txn *badger.Txn, key []byte) ([]byte, error) {
	value, err := get(txn, key)
	if errors.Is(err, errNoKey) {
		return nil, damaged("key %s is missing", keyText(key))
	}
	return value, err
}

func itemValue(item *badger.Item) (value []byte, err error) {
	defer caught(&err, item.Key())
	err = item.Value(func(stored []byte) (err error) {
		value, err = unseal(item.Key(), stored)
		return err
	})
	if err != nil && !isDamaged(err) {
		err = damaged("the value of key %s cannot be read: %v", keyText(item.Key()), err)
	}
	return value, err
}

// errStop ends a walk whose consumer wants no more.
var errStop = errors.New("db: stop")

// each walks the keys with a prefix, from one on, and calls use with each key, which is
// valid until it returns, and a function that reads its value. It ends with the first
// error of use; errStop is none.
func each(txn *badger.Txn, prefix, from []byte, use func(key []byte, value func() ([]byte, error)) error) error {
	opt := badger.DefaultIteratorOptions
	opt.Prefix, opt.PrefetchValues = prefix, false
	it := txn.NewIterator(opt)
	defer it.Close()
	move := func(by func()) (valid bool, err error) {
		defer caught(&err, prefix)
		by()
		return it.ValidForPrefix(prefix), nil
	}
	valid, err := move(func() { it.Seek(from) })
	for err == nil && valid {
		item := it.Item()
		if err = use(item.Key(), func() ([]byte, error) { return itemValue(item) }); err == nil {
			valid, err = move(it.Next)
		}
	}
	if err == errStop {
		return nil
	}
	return err
}

// A batch collects what is to be written. Keys and values must not be changed
// until it is committed: Badger reads them then.
type batch struct {
	keys, values [][]byte // a nil value deletes
	size         int
}

func (b *batch) set(key, value []byte) {
	b.add(key, seal(key, value))
}

func (b *batch) delete(key []byte) { b.add(key, nil) }

func (b *batch) add(key, stored []byte) {
	b.keys, b.values = append(b.keys, key), append(b.values, stored)
	b.size += len(key) + len(stored) + 64 // and what Badger adds
}

// commit writes all of b in one transaction.
func (b *batch) commit(store *badger.DB) error {
	txn := store.NewTransaction(true)
	defer txn.Discard()
	for i, key := range b.keys {
		if err := b.put(txn, i); err != nil {
			return fmt.Errorf("db: write key %s: %w", keyText(key), err)
		}
	}
	if err := txn.Commit(); err != nil {
		return fmt.Errorf("db: commit: %w", err)
	}
	*b = batch{}
	return nil
}

func (b *batch) put(txn *badger.Txn, i int) error {
	if b.values[i] == nil {
		return txn.Delete(b.keys[i])
	}
	return txn.Set(b.keys[i], b.values[i])
}

// flush writes b in as many transactions as it takes, if it is large or all is
// true. Only what is invisible until a later commit may be written so.
func (b *batch) flush(store *badger.DB, all bool) error {
	limit := int(store.MaxBatchSize()) / 2
	if !all && b.size < limit && int64(len(b.keys)) < store.MaxBatchCount()/2 {
		return nil
	}
	for start := 0; start < len(b.keys); {
		part, end := batch{}, start
		for end < len(b.keys) && (end == start || part.size+len(b.values[end]) < limit) && int64(end-start) < store.MaxBatchCount()/2 {
			part.add(b.keys[end], b.values[end])
			end++
		}
		if err := part.commit(store); err != nil {
			return err
		}
		start = end
	}
	*b = batch{}
	return nil
}
