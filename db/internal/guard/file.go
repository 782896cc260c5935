package guard

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// replaceFile gives path new content: all of it or, after a crash, none.
func replaceFile(path string, data []byte) error {
	tmp := path + ".tmp"
	f, err := os.OpenFile(tmp, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if err = errors.Join(err, syncAndClose(f, err)); err != nil {
		os.Remove(tmp)
		return err
	}
	if err := os.Rename(tmp, path); err != nil {
		return err
	}
	return syncDir(filepath.Dir(path))
}

// syncAndClose makes a file durable, unless writing it already failed.
func syncAndClose(f *os.File, failed error) error {
	var err error
	if failed == nil {
		err = f.Sync()
	}
	return errors.Join(err, f.Close())
}

// copyChunk is the unit in which copyFile looks for holes.
const copyChunk = 64 << 10

// copyFile makes a durable copy that shares nothing with its source. Badger's logs
// are sparse, twice as long as what they may hold, so zeros become a hole.
func copyFile(dst, src string) error {
	in, err := os.Open(src)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.OpenFile(dst, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	err = copySparse(out, in)
	if err = errors.Join(err, syncAndClose(out, err)); err != nil {
		return fmt.Errorf("copy %s: %w", src, err)
	}
	return nil
}

func copySparse(out *os.File, in io.Reader) error {
	buf, zeros := make([]byte, copyChunk), make([]byte, copyChunk)
	var size int64
	for {
		n, err := io.ReadFull(in, buf)
		if !bytes.Equal(buf[:n], zeros[:n]) {
			if _, err := out.WriteAt(buf[:n], size); err != nil {
				return err
			}
		}
		size += int64(n)
		if err == io.EOF || err == io.ErrUnexpectedEOF {
			return out.Truncate(size) // sets the size where a hole is last
		}
		if err != nil {
			return err
		}
	}
}
