package guard

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"os"
	"path/filepath"

	"github.com/dgraph-io/badger/v4"
	"github.com/dgraph-io/badger/v4/options"
	"github.com/dgraph-io/badger/v4/pb"
	"github.com/dgraph-io/badger/v4/table"
	"google.golang.org/protobuf/proto"
)

// Salvage copies a store that Badger cannot open, or would open with less than there is,
// into an empty folder, so that it can: with every table that is readable, whatever
// MANIFEST says, and the logs. It returns what it left behind, and why.
//
// The tables stand in level 0 of the copy, where Badger looks at all of them for the
// newest version of a key. What a compaction had dropped may be there again: so the copy
// is for a reader who knows what he looks for.
func Salvage(to, from string, key []byte) (left []string, err error) {
	s, err := listStore(from)
	if err != nil {
		return nil, err
	}
	if s.keys, err = readRegistry(from, key); err != nil && len(key) == 0 && !errors.Is(err, ErrKey) {
		s.keys = keys{0: nil} // has nothing that is needed; Badger makes another
	} else if err != nil {
		return nil, err
	} else if err := copyFile(filepath.Join(to, badger.KeyRegistryFileName), filepath.Join(from, badger.KeyRegistryFileName)); err != nil {
		return nil, err
	}
	s.manifest, _ = readManifest(from) // whose keys of tables are believed, if it can be read
	var set pb.ManifestChangeSet
	for _, id := range s.tables {
		name := table.IDToFilename(id)
		keyID, err := s.keyOf(id)
		if err == nil {
			err = copyFile(filepath.Join(to, name), filepath.Join(from, name))
		}
		if err != nil {
			left = append(left, fmt.Sprintf("%s: %v", name, err))
			continue
		}
		set.Changes = append(set.Changes, &pb.ManifestChange{Id: id, Op: pb.ManifestChange_CREATE, Level: 0,
			KeyId: keyID, EncryptionAlgo: pb.EncryptionAlgo_aes, Compression: uint32(options.None)})
	}
	for _, name := range s.logs {
		if filepath.Ext(name) != ".mem" {
			continue // the value log of a ledger is empty
		}
		if info, err := os.Stat(filepath.Join(from, name)); err == nil && info.Size() == 0 {
			continue // Badger would not open it
		}
		if err := copyFile(filepath.Join(to, name), filepath.Join(from, name)); err != nil {
			left = append(left, fmt.Sprintf("%s: %v", name, err))
		}
	}
	return left, writeManifest(to, &set)
}

// keyOf returns the number of the key with which a table can be read.
func (s *store) keyOf(id uint64) (keyID uint64, err error) {
	path := filepath.Join(s.dir, table.IDToFilename(id))
	if s.manifest != nil {
		if t, ok := s.manifest.tables[id]; ok {
			_, err := readTable(path, s.keys[t.KeyID], t.Compression)
			return t.KeyID, err
		}
	}
	err = errTable("needs a key that is not there")
	for keyID, key := range s.keys {
		if len(s.keys) > 1 && key == nil { // an encrypted store has no table without a key
			continue
		}
		if _, err = readTable(path, key, options.None); err == nil {
			return keyID, nil
		}
	}
	return 0, err
}

// writeManifest writes a MANIFEST of one record, as Badger's head of version 8 says.
func writeManifest(dir string, set *pb.ManifestChangeSet) error {
	record, err := proto.Marshal(set)
	if err != nil {
		return err
	}
	b := append([]byte("Bdgr"), 0, 0, 0, 8)
	b = binary.BigEndian.AppendUint32(b, uint32(len(record)))
	b = binary.BigEndian.AppendUint32(b, crc32.Checksum(record, castagnoli))
	if err := replaceFile(filepath.Join(dir, badger.ManifestFilename), append(b, record...)); err != nil {
		return err
	}
	_, err = readManifest(dir)
	return err
}
