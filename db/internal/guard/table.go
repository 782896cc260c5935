package guard

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"os"

	"github.com/dgraph-io/badger/v4/fb"
	"github.com/dgraph-io/badger/v4/options"
	"github.com/dgraph-io/badger/v4/pb"
	"github.com/dgraph-io/badger/v4/y"
	"google.golang.org/protobuf/proto"
)

// A table ends with its index and where to find that:
//
//	| blocks | index | its size u32 | pb.Checksum of the index | its size u32 |
//
// and a block with its own:
//
//	| entries | where they begin, 4 bytes each | their number u32 | pb.Checksum of all that | its size u32 |
//
// Badger takes these sizes as they are; where they are wrong it ends the process. When it
// opens a table it reads the index, and the last block for its greatest key: so a table
// of which these two check is one that Badger can open.

// errTable is why a file is not a whole table.
type errTable string

func (e errTable) Error() string { return string(e) }

// readTable checks the end of a table and returns the newest version in it. Of one whose
// compression is not known to be none, only the index is checked.
func readTable(path string, key *pb.DataKey, compression options.CompressionType) (version uint64, err error) {
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
		if index, err = decrypt(index, key); err != nil {
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
	root := fb.GetRootAsTableIndex(index, 0)
	if compression == options.None {
		err = checkLastBlock(f, root, key)
	}
	return root.MaxVersion(), err
}

// checkLastBlock checks the block that Badger looks into when it opens a table.
func checkLastBlock(f *os.File, index *fb.TableIndex, key *pb.DataKey) error {
	var at fb.BlockOffset
	n := index.OffsetsLength()
	if n == 0 || !index.Offsets(&at, n-1) {
		return errTable("has no block")
	}
	block := make([]byte, at.Len())
	if _, err := f.ReadAt(block, int64(at.Offset())); err != nil {
		return err
	}
	if key != nil {
		var err error
		if block, err = decrypt(block, key); err != nil {
			return err
		}
	}
	r := bytes.NewReader(block)
	sum, end, err := readSized(r, int64(len(block)))
	if err != nil {
		return errTable("has a last block that " + err.Error())
	}
	var want pb.Checksum
	if proto.Unmarshal(sum, &want) != nil || want.Algo > pb.Checksum_XXHash64 || y.VerifyChecksum(block[:end], &want) != nil {
		return errTable("has a last block that does not match its checksum")
	}
	return nil
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
func readSized(f io.ReaderAt, end int64) ([]byte, int64, error) {
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

// decrypt undoes AES-CTR; the IV is behind the data.
func decrypt(data []byte, key *pb.DataKey) ([]byte, error) {
	n := len(data) - 16
	if n <= 0 {
		return nil, errTable("has a part that is not encrypted")
	}
	return y.XORBlockAllocate(data[:n], key.Data, data[n:])
}
