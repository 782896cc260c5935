package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strconv"

	"github.com/cespare/xxhash/v2"
)

// An input is a file, or standard input, named on the command line.
type input struct {
	*os.File
	name string
}

// open opens the file of that name; - is standard input.
func open(std stdio, name string) (*input, error) {
	if name == "-" {
		return &input{std.in, "standard input"}, nil
	}
	f, err := os.Open(name)
	if err != nil {
		if name == "" {
			name = strconv.Quote(name)
		}
		return nil, fmt.Errorf("cannot open %s: %w", name, cause(err))
	}
	if info, err := f.Stat(); err == nil && info.IsDir() {
		f.Close()
		return nil, fmt.Errorf("expected a file, but %s is a directory", name)
	}
	return &input{f, name}, nil
}

// cause takes the operation and path off an error, where a message has them already.
func cause(err error) error {
	var path *fs.PathError
	if errors.As(err, &path) {
		return path.Err
	}
	return err
}

func (in *input) Read(p []byte) (int, error) {
	n, err := in.File.Read(p)
	if err != nil && err != io.EOF {
		err = fmt.Errorf("cannot read %s: %w", in.name, cause(err))
	}
	return n, err
}

// A replayable is an input that is read twice: a file from where it stands, a
// pipe by way of a temporary file. Sums of what was read tell whether both times
// gave the same.
type replayable struct {
	in     *input
	temp   *os.File
	start  int64
	size   int64 // read the first time
	first  xxhash.Digest
	second xxhash.Digest
}

func newReplayable(in *input) (*replayable, error) {
	r := &replayable{in: in}
	r.first.Reset()
	info, err := in.Stat()
	if err == nil && info.Mode().IsRegular() {
		if r.start, err = in.Seek(0, io.SeekCurrent); err == nil {
			return r, nil
		}
	}
	r.temp, err = tempFile()
	return r, err
}

// Read reads the first time.
func (r *replayable) Read(p []byte) (int, error) {
	n, err := r.in.Read(p)
	r.size += int64(n)
	r.first.Write(p[:n])
	if r.temp != nil && n > 0 {
		if _, err := r.temp.Write(p[:n]); err != nil {
			return n, tempError(err)
		}
	}
	return n, err
}

// again returns a reader of what was read the first time.
func (r *replayable) again() (io.Reader, error) {
	from, start := r.in.File, r.start
	if r.temp != nil {
		from, start = r.temp, 0
	}
	if _, err := from.Seek(start, io.SeekStart); err != nil {
		return nil, fmt.Errorf("cannot read %s a second time: %w", r.in.name, cause(err))
	}
	r.second.Reset()
	return io.TeeReader(io.LimitReader(from, r.size), &r.second), nil
}

// changed tells, after the second time, whether it gave something else.
func (r *replayable) changed() bool { return r.first.Sum64() != r.second.Sum64() }

func (r *replayable) close() {
	if r.temp != nil {
		closeTemp(r.temp)
	}
	r.in.Close()
}
