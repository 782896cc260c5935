package guard

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/dgraph-io/badger/v4"
	"github.com/dgraph-io/badger/v4/options"
	"github.com/dgraph-io/badger/v4/table"
)

// Expect is what the caller of [CheckStore] knows of a store.
type Expect struct {
	Key   []byte // nil: it is not encrypted
	Clean bool   // its last writer closed it; see ReadClean
}

// CheckStore looks at a store's files before Badger opens it, and refuses what
// Badger would repair by deleting or end the process over. An empty folder is a
// new store. The caller has the ledger's lock; after an unclean stop it has it
// alone, since empty logs are removed then.
//
// What it cannot see: a log that is missing or damaged behind its head, which the
// ring of heads shows, and a damaged block, which VerifyTables shows.
//
// The error is one *[DamageError], or several joined, or an [ErrKey].
func CheckStore(dir string, want Expect) error {
	s, err := listStore(dir)
	if err != nil {
		return err
	}
	if s.manifest, err = readManifest(dir); errors.Is(err, fs.ErrNotExist) {
		return s.checkNew(want)
	} else if err != nil {
		return err
	}
	if s.keys, err = readRegistry(dir, want.Key); errors.Is(err, fs.ErrNotExist) {
		return s.checkUnstarted(want)
	} else if err != nil {
		return err
	}
	if err := s.checkManifest(want); err != nil {
		return err
	}
	versions, err := s.checkTables()
	if err != nil {
		return err
	}
	oldest, err := s.checkLogs(want)
	if err != nil {
		return err
	}
	return s.checkUnnamed(want, versions, oldest)
}

// A store is what is in its folder.
type store struct {
	dir      string
	tables   []uint64
	logs     []string // names of .mem and .vlog files
	registry bool
	manifest *manifest
	keys     keys
}

// listStore reads the folder. A name that ends as Badger's files do and is not one
// that Badger makes would stop it, some with the whole process.
func listStore(dir string) (*store, error) {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, damage(dir, "is missing, although the ledger names it as its store; %s", adviseRestore)
	}
	if err != nil {
		return nil, err
	}
	s := &store{dir: dir}
	for _, e := range entries {
		name, ext := e.Name(), filepath.Ext(e.Name())
		var id uint64
		n, _ := fmt.Sscanf(strings.TrimSuffix(name, ext), "%d", &id)
		made := true
		switch ext {
		case ".sst":
			s.tables = append(s.tables, id)
			made = name == table.IDToFilename(id)
		case ".mem":
			s.logs = append(s.logs, name)
			made = name == fmt.Sprintf("%05d.mem", id)
		case ".vlog":
			s.logs = append(s.logs, name)
			made = name == fmt.Sprintf("%06d.vlog", id)
		default:
			s.registry = s.registry || name == badger.KeyRegistryFileName
			continue
		}
		if !made || n != 1 || !e.Type().IsRegular() {
			return nil, damage(filepath.Join(dir, name), "is not a file that Badger made; move it out of this folder")
		}
	}
	return s, nil
}

// checkNew is for a folder without MANIFEST, which is the first file that Badger
// makes: nothing else may be there, or Badger deletes it.
func (s *store) checkNew(want Expect) error {
	if len(s.tables) == 0 && len(s.logs) == 0 && !s.registry && !want.Clean {
		return nil
	}
	return damage(filepath.Join(s.dir, badger.ManifestFilename), "is missing, so that Badger would delete every table; %s", adviseRestore)
}

// checkUnstarted is for a store without KEYREGISTRY, which is the second file, and
// durable before any log or table is made.
func (s *store) checkUnstarted(want Expect) error {
	if len(s.tables) == 0 && len(s.logs) == 0 && len(s.manifest.tables) == 0 && !want.Clean {
		return nil
	}
	return damage(filepath.Join(s.dir, badger.KeyRegistryFileName), "is missing; %s", adviseRestore)
}

// pageSize is where a write may end that a kill or a power cut interrupts: the
// system copies and writes back by pages. Larger pages are multiples of this.
const pageSize = 4096

// checkManifest refuses a torn end. Badger would cut it off, with all tables that
// it made. It is believed to be a crash's if it ends with a page; what it named is
// then still in the folder, unnamed, and looked at there.
func (s *store) checkManifest(want Expect) error {
	m := s.manifest
	if !m.torn() || !want.Clean && m.size%pageSize == 0 {
		return nil
	}
	return damage(m.path, "ends within a record: its whole records end at byte %d of %d, and Badger would delete the tables named behind that; %s", len(m.data), m.size, adviseRestore)
}

// checkTables requires every table that MANIFEST names and returns their newest
// versions.
func (s *store) checkTables() (map[uint64]uint64, error) {
	versions := make(map[uint64]uint64, len(s.manifest.tables))
	var all []error
	for id, t := range s.manifest.tables {
		path := table.NewFilename(id, s.dir)
		if err := s.keys.check(path, t.KeyID); err != nil {
			all = append(all, err)
			continue
		}
		version, err := readTable(path, s.keys[t.KeyID], t.Compression)
		var bad errTable
		switch {
		case errors.Is(err, fs.ErrNotExist):
			err = damage(path, "is missing, although MANIFEST names it; %s", adviseRestore)
		case errors.As(err, &bad):
			err = damage(path, "%v; %s", err, adviseRestore)
		}
		if err != nil {
			all = append(all, err)
		}
		versions[id] = version
	}
	slices.SortFunc(all, func(a, b error) int { return strings.Compare(a.Error(), b.Error()) })
	return versions, errors.Join(all...)
}

// checkLogs removes empty logs, over which Badger fails once, and returns the
// oldest version that a .mem holds; 0 if there is none.
func (s *store) checkLogs(want Expect) (oldest uint64, err error) {
	removed := false
	for _, name := range s.logs {
		path := filepath.Join(s.dir, name)
		mem := filepath.Ext(name) == ".mem"
		if mem && want.Clean {
			return 0, damage(path, "was not there when the ledger was closed; move it out of this folder")
		}
		info, err := os.Stat(path)
		if err != nil {
			return 0, err
		}
		if info.Size() == 0 && !want.Clean {
			if err := os.Remove(path); err != nil {
				return 0, err
			}
			removed = true
			continue
		}
		keyID, version, err := readWAL(path, s.keys)
		if errors.Is(err, errHead) {
			return 0, damage(path, "%v; %s", err, adviseRestore)
		}
		if err == nil {
			err = s.keys.check(path, keyID)
		}
		if err != nil {
			return 0, err
		}
		if mem && version > 0 && (oldest == 0 || version < oldest) {
			oldest = version
		}
	}
	if removed {
		err = syncDir(s.dir)
	}
	return oldest, err
}

// checkUnnamed refuses tables that MANIFEST does not name, which Badger deletes,
// unless a crash explains them. A table is made and synced before MANIFEST names
// it, and removed after MANIFEST says that it is deleted, so a crash may leave
//
//   - an empty file: just made, or emptied to be removed;
//   - a table that MANIFEST says was deleted;
//   - a table that is not whole, since it was not yet synced;
//   - a table flushed from a .mem, which is removed only after MANIFEST names it;
//   - tables that a compaction made, whose sources MANIFEST still names.
//
// What a flush or a compaction made is told from a table whose record MANIFEST
// lost by versions, which only grow. Of a compaction they are at most those of its
// sources. Of a flush they are at least the first in its .mem. A table that was
// named, and whose record was lost, is newer than all named tables, since its
// record came later; and older than every .mem, since its own is gone. This needs
// logs that are synced with every commit: a power cut takes others away.
func (s *store) checkUnnamed(want Expect, named map[uint64]uint64, oldest uint64) error {
	var newest uint64
	for _, v := range named {
		newest = max(newest, v)
	}
	var all []error
	for _, id := range s.tables {
		if _, ok := s.manifest.tables[id]; ok {
			continue
		}
		path := table.NewFilename(id, s.dir)
		if want.Clean {
			all = append(all, damage(path, "is not named by MANIFEST, so that Badger would delete it; %s", adviseManifest))
			continue
		}
		if s.manifest.deleted[id] {
			continue
		}
		version, ok, err := s.unnamedVersion(path)
		if err != nil {
			return err
		}
		if ok && version > newest && (oldest == 0 || version < oldest) {
			all = append(all, damage(path, "is not named by MANIFEST, so that Badger would delete it, and its rows are nowhere else; %s", adviseManifest))
		}
	}
	return errors.Join(all...)
}

// unnamedVersion returns the newest version of a table, and false if it is not
// whole. Only MANIFEST tells a table's key; one that was being made has the newest.
func (s *store) unnamedVersion(path string) (version uint64, ok bool, err error) {
	var newest uint64
	for id := range s.keys {
		newest = max(newest, id)
	}
	version, err = readTable(path, s.keys[newest], options.Snappy)
	var bad errTable
	if errors.As(err, &bad) {
		return 0, false, nil
	}
	return version, err == nil, err
}
