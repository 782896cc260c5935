package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
)

// write writes text to standard output.
func write(w io.Writer, text string) error {
	_, err := io.WriteString(w, text)
	return outputError(err)
}

func outputError(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("cannot write standard output: %w", cause(err))
}

// spillSize is how much a spill keeps in memory.
const spillSize = 1 << 20

// A spill holds output that has to wait for lines above it: in memory, and in a
// file without a name once that is much.
type spill struct {
	buf  bytes.Buffer
	file *os.File
}

func (s *spill) Write(p []byte) (int, error) {
	if s.buf.Len()+len(p) > spillSize {
		if s.file == nil {
			f, err := tempFile()
			if err != nil {
				return 0, err
			}
			s.file = f
		}
		if _, err := s.buf.WriteTo(s.file); err != nil {
			return 0, tempError(err)
		}
	}
	return s.buf.Write(p)
}

// copyTo writes what s holds to standard output.
func (s *spill) copyTo(w io.Writer) error {
	if s.file != nil {
		if _, err := s.file.Seek(0, io.SeekStart); err != nil {
			return tempError(err)
		}
		if _, err := io.Copy(w, s.file); err != nil {
			return outputError(err)
		}
	}
	_, err := s.buf.WriteTo(w)
	return outputError(err)
}

func (s *spill) close() {
	if s.file != nil {
		closeTemp(s.file)
	}
}

// tempFile makes a file that no other process finds, nor a crash leaves, where the
// system lets an open file lose its name.
func tempFile() (*os.File, error) {
	f, err := os.CreateTemp("", "toolledger-")
	if err != nil {
		return nil, tempError(err)
	}
	os.Remove(f.Name())
	return f, nil
}

func tempError(err error) error {
	return fmt.Errorf("cannot keep a temporary file in %s (TMPDIR names another folder): %w", os.TempDir(), cause(err))
}

func closeTemp(f *os.File) {
	f.Close()
	os.Remove(f.Name()) // where it could not be removed while open
}
