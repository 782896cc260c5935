package db

import (
	"errors"
	"fmt"
	"time"

	"github.com/dgraph-io/badger/v4"

	"toolledger/db/internal/guard"
)

// Rekey changes the key of an encrypted ledger that nobody has open and that was closed
// cleanly. The keys of the data stay as they are, under the new key: whoever had the old
// key and a copy of the folder keeps what he has.
func Rekey(dir string, old, key []byte) error {
	opt := Options{Key: key}
	if err := opt.check(); err != nil || len(key) == 0 || len(old) == 0 {
		return errors.Join(errors.New("db: rekey: expected the old key and a new one"), err)
	}
	lock, err := guard.Lock(dir, false)
	if err != nil {
		return fmt.Errorf("db: rekey %w", err)
	}
	defer lock.Unlock()
	number, err := guard.ReadCurrent(dir)
	if err != nil {
		return fmt.Errorf("db: rekey %s: %w", dir, err)
	}
	if _, clean, err := guard.ReadClean(dir); err != nil || !clean {
		return errors.Join(fmt.Errorf("db: rekey %s: the ledger was not closed; open it once before", dir), err)
	}
	store := guard.StoreDir(dir, number)
	if err := guard.CheckStore(store, guard.Expect{Key: old, Clean: true}); err != nil {
		return fmt.Errorf("db: rekey %s: %w", dir, err)
	}
	registry := badger.KeyRegistryOptions{Dir: store, ReadOnly: true, EncryptionKey: old, EncryptionKeyRotationDuration: 10 * 24 * time.Hour}
	keys, err := badger.OpenKeyRegistry(registry)
	if err != nil {
		return fmt.Errorf("db: rekey %s: %w", dir, err)
	}
	registry.EncryptionKey, registry.ReadOnly = key, false
	if err := badger.WriteKeyRegistry(keys, registry); err != nil {
		return fmt.Errorf("db: rekey %s: %w", dir, err)
	}
	return keys.Close()
}
