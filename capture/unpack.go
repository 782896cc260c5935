package capture

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"os"

	"github.com/klauspost/compress/zstd"
)

// packings are how files are packed, by how they begin.
var packings = []struct {
	name  string
	magic []byte
	open  func(io.Reader) (io.Reader, error)
}{
	{"gzip", []byte{0x1f, 0x8b}, func(r io.Reader) (io.Reader, error) { return gzip.NewReader(r) }},
	{"zstd", []byte{0x28, 0xb5, 0x2f, 0xfd}, func(r io.Reader) (io.Reader, error) {
		return zstd.NewReader(r, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(128<<20))
	}},
}

// A packed file may hold this many times its own size, and unpackedFree besides: logs do not, and what
// does is made to fill a disk.
const (
	unpackedTimes = 1000
	unpackedFree  = 64 << 20
)

// Unpack returns what a file of gzip or zstd holds, nil if it is neither. It reads the file from
// where it stands. What is read may end in an error: that it is damaged, or far larger than a log gets.
func Unpack(f *os.File) (io.Reader, error) {
	start, err := f.Seek(0, io.SeekCurrent)
	if err != nil {
		return nil, err
	}
	head := make([]byte, 4)
	n, err := io.ReadFull(f, head)
	if err != nil && err != io.EOF && err != io.ErrUnexpectedEOF {
		return nil, err
	}
	if _, err := f.Seek(start, io.SeekStart); err != nil {
		return nil, err
	}
	for _, p := range packings {
		if !bytes.HasPrefix(head[:n], p.magic) {
			continue
		}
		info, err := f.Stat()
		if err != nil {
			return nil, err
		}
		r, err := p.open(f)
		return &bounded{r, info.Size()*unpackedTimes + unpackedFree, p.name}, err
	}
	return nil, nil
}

// A bounded reader ends in an error where it would give more than is left.
type bounded struct {
	r    io.Reader
	left int64
	name string
}

func (b *bounded) Read(p []byte) (int, error) {
	n, err := b.r.Read(p[:min(int64(len(p)), b.left+1)])
	if b.left -= int64(n); b.left < 0 {
		return 0, fmt.Errorf("it holds over %d times its own size; if that is meant, unpack it with %s and import what comes", unpackedTimes, b.name)
	}
	return n, err
}
