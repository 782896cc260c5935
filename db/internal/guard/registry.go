package guard

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"os"
	"path/filepath"

	"github.com/dgraph-io/badger/v4"
	"github.com/dgraph-io/badger/v4/pb"
	"google.golang.org/protobuf/proto"
)

// KEYREGISTRY holds the keys that data is encrypted with, under the ledger's key.
// An unencrypted store has one, too, without keys:
//
//	| IV (16) | "Hello Badger", encrypted (12) | records as in MANIFEST, each a pb.DataKey |
const (
	registryHead   = 16
	registrySanity = "Hello Badger"
)

// ErrKey is a key that is not the store's, or one missing where there is one.
var ErrKey = errors.New("wrong key for this ledger")

// keys are the data keys of a store by number. Number 0, no key, is always there.
type keys map[uint64]*pb.DataKey

// readRegistry checks KEYREGISTRY and returns the keys in it.
func readRegistry(dir string, key []byte) (keys, error) {
	path := filepath.Join(dir, badger.KeyRegistryFileName)
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	if len(data) < registryHead+len(registrySanity) {
		return nil, damage(path, "is cut short to %d bytes; %s", len(data), adviseRestore)
	}
	records := data[registryHead+len(registrySanity):]
	if n := len(key); n != 0 && n != 16 && n != 24 && n != 32 {
		return nil, fmt.Errorf("%w: it has %d bytes, not 16, 24 or 32", ErrKey, n)
	}
	plain := string(data[registryHead:len(data)-len(records)]) == registrySanity
	if plain == (len(key) > 0) {
		if plain {
			return nil, fmt.Errorf("%s: %w: the store is not encrypted", path, ErrKey)
		}
		return nil, fmt.Errorf("%s: %w: the store is encrypted, or this file is damaged", path, ErrKey)
	}
	ids, err := checkRecords(path, records, int64(len(data)-len(records)))
	if err != nil {
		return nil, err
	}
	return openRegistry(dir, key, ids)
}

// checkRecords goes through the records and returns the numbers of the keys, since
// Badger's reader takes a file that ends after a record's length as whole, and
// zeros as a key.
func checkRecords(path string, records []byte, at int64) (ids []uint64, err error) {
	for len(records) > 0 {
		var size uint64
		if len(records) >= 8 {
			size = uint64(binary.BigEndian.Uint32(records))
		}
		if size == 0 || uint64(len(records)) < 8+size ||
			crc32.Checksum(records[8:8+size], castagnoli) != binary.BigEndian.Uint32(records[4:]) {
			return nil, damage(path, "has no whole record at byte %d; %s", at, adviseRestore)
		}
		var key pb.DataKey
		if err := proto.Unmarshal(records[8:8+size], &key); err != nil {
			return nil, damage(path, "has a record at byte %d that is none (%v); %s", at, err, adviseRestore)
		}
		ids = append(ids, key.KeyId)
		records = records[8+size:]
		at += 8 + int64(size)
	}
	return ids, nil
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// openRegistry lets Badger decrypt the keys of these numbers.
func openRegistry(dir string, key []byte, ids []uint64) (keys, error) {
	path := filepath.Join(dir, badger.KeyRegistryFileName)
	r, err := badger.OpenKeyRegistry(badger.KeyRegistryOptions{Dir: dir, ReadOnly: true, EncryptionKey: key})
	switch {
	case errors.Is(err, badger.ErrEncryptionKeyMismatch):
		return nil, fmt.Errorf("%s: %w", path, ErrKey)
	case err != nil:
		return nil, damage(path, "cannot be read (%v); %s", err, adviseRestore)
	}
	all := keys{0: nil}
	for _, id := range ids {
		if all[id], err = r.DataKey(id); err != nil {
			return nil, damage(path, "has no key of number %d (%v); %s", id, err, adviseRestore)
		}
	}
	return all, nil
}

// check reports a file that is encrypted with a key we do not have.
func (k keys) check(file string, id uint64) error {
	if _, ok := k[id]; !ok {
		return damage(file, "needs data key %d, which %s does not hold; bring both files back from one copy", id, badger.KeyRegistryFileName)
	}
	return nil
}
