package guard

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"

	"github.com/dgraph-io/badger/v4/fb"
	"github.com/dgraph-io/badger/v4/table"
	"github.com/dgraph-io/ristretto/v2"
)

// VerifyTables reads every block of every table that MANIFEST names and compares
// its checksum. [CheckStore] must have passed.
//
// Badger can do this when it opens, but a block that does not even decode then
// ends the process: it panics in a goroutine of its own. And it reads through a
// memory map, where a bad sector is a signal. So its code is called from here, on
// a table in memory, and a panic is a damaged table. Badger itself can then open
// with options.NoVerification.
func VerifyTables(ctx context.Context, dir string, key []byte) error {
	m, err := readManifest(dir)
	if err != nil {
		return err
	}
	ks, err := readRegistry(dir, key)
	if err != nil {
		return err
	}
	// Badger insists on a cache for the index of an encrypted table.
	cache, err := ristretto.NewCache(&ristretto.Config[uint64, *fb.TableIndex]{
		NumCounters: 1000, MaxCost: 32 << 20, BufferItems: 64,
	})
	if err != nil {
		return err
	}
	defer cache.Close()
	verify := func(id uint64) error {
		t := m.tables[id]
		return verifyTable(table.NewFilename(id, dir), id, table.Options{
			Compression: t.Compression,
			DataKey:     ks[t.KeyID],
			BlockSize:   4096, // only a guess at how much a block grows when decompressed
			IndexCache:  cache,
		})
	}
	return eachTable(ctx, m, verify)
}

// eachTable calls verify for every table, on all processors.
func eachTable(ctx context.Context, m *manifest, verify func(id uint64) error) error {
	ids := make(chan uint64)
	var mu sync.Mutex
	var all []error
	var wg sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		wg.Go(func() {
			for id := range ids {
				if err := verify(id); err != nil {
					mu.Lock()
					all = append(all, err)
					mu.Unlock()
				}
			}
		})
	}
	for id := range m.tables {
		if ctx.Err() != nil {
			break
		}
		ids <- id
	}
	close(ids)
	wg.Wait()
	slices.SortFunc(all, func(a, b error) int { return strings.Compare(a.Error(), b.Error()) })
	return errors.Join(append(all, ctx.Err())...)
}

func verifyTable(path string, id uint64, opt table.Options) (err error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return fmt.Errorf("verify table: %w", err)
	}
	defer func() {
		if r := recover(); r != nil {
			err = damage(path, "has a block that cannot be decoded; %s", adviseRestore)
		}
	}()
	t, err := table.OpenInMemoryTable(data, id, &opt)
	if err == nil {
		err = t.VerifyChecksum()
	}
	if err != nil {
		return damage(path, "has a block that does not match its checksum (%v); %s", err, adviseRestore)
	}
	return nil
}
