package guard

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/cespare/xxhash/v2"
	"github.com/dgraph-io/badger/v4"
	"github.com/dgraph-io/badger/v4/pb"
	"google.golang.org/protobuf/proto"
)

// A manifest is what MANIFEST says: which tables there are, and which there were.
//
// The file is a head of 8 bytes, then records, each a set of tables made and
// deleted that counts as a whole:
//
//	| length u32 | crc32c u32 | pb.ManifestChangeSet |
//
// The first record is where the file was last rewritten; only it may be empty.
type manifest struct {
	path    string
	tables  map[uint64]badger.TableManifest
	made    map[uint64]int64 // where the record is that last made a table
	deleted map[uint64]bool
	data    []byte // the whole records
	size    int64
}

const manifestHead = 8

// torn reports whether the file ends within a record.
func (m *manifest) torn() bool { return int64(len(m.data)) < m.size }

// readManifest reads the MANIFEST of a store. A torn end is not yet an error.
func readManifest(dir string) (*manifest, error) {
	path := filepath.Join(dir, badger.ManifestFilename)
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	// Badger's own reader first: what it refuses, it refuses.
	replayed, end, err := badger.ReplayManifestFile(f, 0, badger.Options{})
	if err != nil {
		return nil, damage(path, "cannot be read (%v); %s", err, adviseRestore)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	m := &manifest{
		path: path, tables: replayed.Tables,
		made: map[uint64]int64{}, deleted: map[uint64]bool{},
		data: data[:end], size: int64(len(data)),
	}
	return m, m.readHistory()
}

// readHistory goes through the records again, for what Badger's reader does not
// tell, and for zeros: eight of them are a record to it, without tables and with
// the right checksum, so that a zeroed end of the file looks whole.
func (m *manifest) readHistory() error {
	for at := manifestHead; at < len(m.data); {
		n := int(binary.BigEndian.Uint32(m.data[at:]))
		if n == 0 && at > manifestHead {
			return damage(m.path, "has zeros for a record at byte %d, so that tables it named are lost to Badger; %s", at, adviseRestore)
		}
		var set pb.ManifestChangeSet
		if err := proto.Unmarshal(m.data[at+8:at+8+n], &set); err != nil {
			return damage(m.path, "has a record at byte %d that is none (%v); %s", at, err, adviseRestore)
		}
		for _, c := range set.Changes {
			if c.Op == pb.ManifestChange_DELETE {
				m.deleted[c.Id] = true
			} else {
				m.made[c.Id] = int64(at)
			}
		}
		at += 8 + n
	}
	return nil
}

// A Mark is a place in MANIFEST, taken before Badger opens; see [LostTables].
type Mark struct {
	end  int
	sum  uint64 // of the bytes before end, which change if it is rewritten
	last uint64 // greatest table: Badger's next is one more
}

// MarkTables returns a mark at the end of a store's MANIFEST.
func MarkTables(dir string) (Mark, error) {
	m, err := readManifest(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return Mark{}, nil
	}
	if err != nil {
		return Mark{}, err
	}
	mark := Mark{end: len(m.data), sum: xxhash.Sum64(m.data)}
	for id := range m.tables {
		mark.last = max(mark.last, id)
	}
	return mark, nil
}

// LostTables returns the numbers that no table got since the mark although later
// ones did. Badger takes a number, makes the file and then names it in MANIFEST.
// Where a compaction cannot make the file (no descriptor, no inode, a failed sync)
// Badger goes on without it and deletes the source: the rows of that table are
// gone, and no line is logged. So call it after Badger was closed, and believe a
// gap to be a loss until every row was counted: a compaction that failed and was
// undone leaves one, too. The last table of all leaves none when it is lost.
func LostTables(dir string, since Mark) ([]uint64, error) {
	m, err := readManifest(dir)
	if err != nil {
		return nil, fmt.Errorf("look for lost tables: %w", err)
	}
	if len(m.data) < since.end || xxhash.Sum64(m.data[:since.end]) != since.sum {
		since = m.rewritten(since)
	}
	var last uint64
	for id, at := range m.made {
		if at >= int64(since.end) {
			last = max(last, id)
		}
	}
	var lost []uint64
	for id := since.last + 1; id < last; id++ {
		if at, ok := m.made[id]; !ok || at < int64(since.end) {
			lost = append(lost, id)
		}
	}
	return lost, nil
}

// rewritten moves a mark behind the first record, if that is what MANIFEST was
// rewritten to: what came before is forgotten.
func (m *manifest) rewritten(since Mark) Mark {
	since.end = manifestHead + 1
	for id, at := range m.made {
		if at == manifestHead {
			since.last = max(since.last, id)
		}
	}
	return since
}
