package guard

import (
	"encoding/binary"
	"fmt"
	"io"
	"os"

	"github.com/dgraph-io/badger/v4/fb"
	"github.com/dgraph-io/badger/v4/pb"
	"github.com/dgraph-io/badger/v4/y"
	"google.golang.org/protobuf/proto"
)

// A table ends with its index and where to find that:
//
//	| blocks | index | its size u32 | pb.Checksum of the index | its size u32 |
//
// Badger takes these sizes as they are; where they are wrong it ends the process.
// So a table whose index checks is a table that Badger can open.

// errTable is why a file is not a whole table.
type errTable string

func (e errTable) Error() string { return string(e) }

// readTable checks the end of a table and returns the newest version in it.
func readTable(path string, key *pb.DataKey) (version uint64, err error) {
	f, err := os.Open(path)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	index, err := readIndex(f)
	if err != nil {
		return 0, err
	}
	if key != nil {
		if index, err = decryptIndex(index, key); err != nil {
			return 0, err
		}
	}
	// The checksum is right, so this is an index; a wrong key would yield
	// anything, and an accessor of flatbuffers that runs out of its bytes panics.
	defer func() {
		if recover() != nil {
			err = errTable("has an index that cannot be read")
		}
	}()
	return fb.GetRootAsTableIndex(index, 0).MaxVersion(), nil
}

// readIndex returns the index as stored.
func readIndex(f *os.File) ([]byte, error) {
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, errTable("is not a file")
	}
	end := info.Size()
	sum, end, err := readSized(f, end)
	if err != nil {
		return nil, err
	}
	index, end, err := readSized(f, end)
	if err != nil {
		return nil, err
	}
	var want pb.Checksum
	if proto.Unmarshal(sum, &want) != nil || want.Algo > pb.Checksum_XXHash64 || end == 0 {
		return nil, errTable("has no index at its end")
	}
	if y.VerifyChecksum(index, &want) != nil {
		return nil, errTable("has an index that does not match its checksum")
	}
	return index, nil
}

// readSized reads bytes that stand before their size, which stands before end, and
// returns where they begin.
func readSized(f *os.File, end int64) ([]byte, int64, error) {
	var size [4]byte
	if end < 4 {
		return nil, 0, errTable(fmt.Sprintf("is too short, %d bytes", end))
	}
	if _, err := f.ReadAt(size[:], end-4); err != nil {
		return nil, 0, err
	}
	end -= 4
	n := int64(binary.BigEndian.Uint32(size[:]))
	if n == 0 || n > end {
		return nil, 0, errTable(fmt.Sprintf("is cut short or overwritten: %d bytes before byte %d", n, end))
	}
	data, err := io.ReadAll(io.NewSectionReader(f, end-n, n))
	if err == nil && int64(len(data)) < n {
		err = io.ErrUnexpectedEOF
	}
	return data, end - n, err
}

// decryptIndex undoes AES-CTR; the IV is behind the data.
func decryptIndex(index []byte, key *pb.DataKey) ([]byte, error) {
	n := len(index) - 16
	if n <= 0 {
		return nil, errTable("has an index that is not encrypted")
	}
	return y.XORBlockAllocate(index[:n], key.Data, index[n:])
}
