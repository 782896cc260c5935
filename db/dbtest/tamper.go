// Package dbtest does to ledgers what no part of the program does, for tests.
package dbtest

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"path/filepath"

	"github.com/cespare/xxhash/v2"
	"github.com/dgraph-io/badger/v4"
)

// Tamper changes a text in the one entry that has it, in the tail of a closed ledger, and the
// checksum with it: what somebody does who knows the format and has the files. The texts are
// equally long.
func Tamper(dir, old, new string) error {
	if len(old) != len(new) {
		return fmt.Errorf("%q and %q are not equally long", old, new)
	}
	store, err := badger.Open(badger.DefaultOptions(filepath.Join(dir, "badger.1")).WithLogger(nil))
	if err != nil {
		return err
	}
	changed := 0
	err = store.Update(func(txn *badger.Txn) error {
		it := txn.NewIterator(badger.IteratorOptions{Prefix: []byte{'t'}})
		defer it.Close()
		for it.Rewind(); it.Valid(); it.Next() {
			key := it.Item().KeyCopy(nil)
			value, err := it.Item().ValueCopy(nil)
			if err != nil {
				return err
			}
			value = value[:len(value)-8] // the checksum
			if !bytes.Contains(value, []byte(old)) {
				continue
			}
			changed++
			value = bytes.Replace(value, []byte(old), []byte(new), 1)
			var sum xxhash.Digest
			sum.ResetWithSeed(uint64(len(key)))
			sum.Write(key)
			sum.Write(value)
			if err := txn.Set(key, binary.BigEndian.AppendUint64(value, sum.Sum64())); err != nil {
				return err
			}
		}
		return nil
	})
	if e := store.Close(); err == nil {
		err = e
	}
	if err == nil && changed != 1 {
		err = fmt.Errorf("%d entries have %q", changed, old)
	}
	return err
}
