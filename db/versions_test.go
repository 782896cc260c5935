package db

import (
	"bytes"
	"context"
	"path/filepath"
	"testing"

	"github.com/dgraph-io/badger/v4"

	"toolledger/db/internal/guard"
)

// TestOneVersion: in a store that was closed each key has one version. Where the newest cannot
// be found in a damaged table, Badger gives an older one, and nothing would tell.
func TestOneVersion(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "l")
	var texts [][]byte
	for i := range uint64(2 * minBlockRows) {
		texts = append(texts, made([]string{"a", "b"}[i%2], i/2))
	}
	l := open(t, dir, Options{Load: true})
	if _, err := load(l, texts); err != nil {
		t.Fatal(err)
	}
	for round := range uint64(3) {
		if err := l.Close(); err != nil {
			t.Fatal(err)
		}
		checkVersions(t, l)
		l = open(t, dir, Options{})
		for i := range uint64(20) {
			if _, err := l.AppendJSON(context.Background(), made("a", minBlockRows+20*round+i)); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	checkVersions(t, l)
}

func checkVersions(t *testing.T, l *Ledger) {
	t.Helper()
	store, err := badger.Open((&Options{ReadOnly: true}).badgerOptions(l.storeDir, new(guard.Log)))
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	txn := store.NewTransaction(false)
	defer txn.Discard()
	opt := badger.DefaultIteratorOptions
	opt.AllVersions, opt.PrefetchValues = true, false
	it := txn.NewIterator(opt)
	defer it.Close()
	var before []byte
	for it.Rewind(); it.Valid(); it.Next() {
		if key := it.Item().Key(); before != nil && bytes.Equal(key, before) {
			t.Errorf("key %s has more than one version", keyText(key))
		}
		before = it.Item().KeyCopy(before)
	}
}
