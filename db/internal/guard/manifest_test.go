package guard

import (
	"encoding/binary"
	"hash/crc32"
	"path/filepath"
	"slices"
	"testing"

	"github.com/dgraph-io/badger/v4"
	"github.com/dgraph-io/badger/v4/pb"
	"github.com/dgraph-io/badger/v4/table"
	"google.golang.org/protobuf/proto"
)

// TestZeroRecordIsBadgers holds what makes zeros dangerous: to Badger they are a
// record. If this fails, Badger has learned, and readHistory may be shorter.
func TestZeroRecordIsBadgers(t *testing.T) {
	dir := closed(t, kinds["plain"])
	edit(t, filepath.Join(dir, "MANIFEST"), zeroRecord)
	db := openBadger(t, testOptions(dir, kinds["plain"]))
	defer db.Close()
	if n := count(t, db); n == 3000 {
		t.Error("Badger has every row, want some lost")
	}
}

func TestLostTables(t *testing.T) {
	dir := closed(t, kinds["plain"])
	mark, err := MarkTables(dir)
	if err != nil {
		t.Fatal(err)
	}
	// A compaction that cannot make its second and third file. They come after
	// Badger has opened, since it deletes what MANIFEST does not name.
	second, third := mark.last+2, mark.last+3
	log := new(Log)
	db := openBadger(t, testOptions(dir, kinds["plain"]).WithNumCompactors(0).WithLogger(log))
	put(table.IDToFilename(second), "")(t, dir)
	put(table.IDToFilename(third), "")(t, dir)
	closeBadger(t, db)
	if err := log.Failed(); err != nil {
		t.Logf("Badger has learned to say so: %v", err)
	}
	lost, err := LostTables(dir, mark)
	if err != nil || !slices.Equal(lost, []uint64{second, third}) {
		t.Errorf("LostTables = %v, %v, want %d and %d", lost, err, second, third)
	}
	wantFault(t, CheckStore(dir, Expect{Clean: true}), table.IDToFilename(second), "is not named")
}

// TestLostTablesRewritten: a MANIFEST that Badger rewrote since the mark begins
// anew, with every table in its first record.
func TestLostTablesRewritten(t *testing.T) {
	dir := t.TempDir()
	record := func(changes ...*pb.ManifestChange) []byte {
		data, err := proto.Marshal(&pb.ManifestChangeSet{Changes: changes})
		if err != nil {
			t.Fatal(err)
		}
		head := binary.BigEndian.AppendUint32(nil, uint32(len(data)))
		return append(binary.BigEndian.AppendUint32(head, crc32.Checksum(data, castagnoli)), data...)
	}
	made := func(id uint64) *pb.ManifestChange { return &pb.ManifestChange{Id: id, Level: 1} }
	gone := func(id uint64) *pb.ManifestChange {
		return &pb.ManifestChange{Id: id, Op: pb.ManifestChange_DELETE}
	}
	store := func(records ...[]byte) {
		data := []byte("Bdgr\x00\x00\x00\x08")
		for _, r := range records {
			data = append(data, r...)
		}
		put(badger.ManifestFilename, string(data))(t, dir)
	}
	store(record(), record(made(1)), record(made(2)), record(made(3), gone(1), gone(2)), record(made(7), gone(7)))
	mark, err := MarkTables(dir)
	if err != nil || mark.last != 3 {
		t.Fatalf("MarkTables = %+v, %v, want last table 3", mark, err)
	}
	for _, tt := range []struct {
		name    string
		records [][]byte
		want    int
	}{
		{"nothing since", [][]byte{record(), record(made(1)), record(made(2)), record(made(3), gone(1), gone(2)), record(made(7), gone(7))}, 0},
		{"numbers used again", [][]byte{record(), record(made(1)), record(made(2)), record(made(3), gone(1), gone(2)), record(made(7), gone(7)), record(made(4)), record(made(5))}, 0},
		{"a gap", [][]byte{record(), record(made(1)), record(made(2)), record(made(3), gone(1), gone(2)), record(made(7), gone(7)), record(made(4)), record(made(6))}, 1},
		{"a gap where a number was used before", [][]byte{record(), record(made(1)), record(made(2)), record(made(3), gone(1), gone(2)), record(made(7), gone(7)), record(made(4)), record(made(5)), record(made(6)), record(made(8))}, 1},
		{"rewritten, no gap", [][]byte{record(made(3), made(9)), record(made(10)), record(made(11))}, 0},
		{"rewritten, a gap", [][]byte{record(made(3), made(9)), record(made(10)), record(made(12))}, 1},
	} {
		store(tt.records...)
		if lost, err := LostTables(dir, mark); len(lost) != tt.want || err != nil {
			t.Errorf("%s: LostTables = %v, %v, want %d", tt.name, lost, err, tt.want)
		}
	}
}
