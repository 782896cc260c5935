package capture

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"toolledger/db"
)

// A Follow imports a file of lines, and then what is written to it, until its context ends.
//
// Each time that whole lines are there, they are imported as one load, with an entry of the ledger's
// own that tells how far; so a stop at any moment loses nothing and adds nothing twice. A
// file that got shorter is read from its beginning, and one that was renamed, with another in its
// place, to its end, and then the other. A line without its newline waits.
type Follow struct {
	Import *Import
	Ledger *db.Ledger
	Path   string
	// Wait returns when it is time to look again, with an error when the context ended.
	Wait func(context.Context) error
	// Batch, if not nil, is told after each load.
	Batch func(*Report)
}

// Run follows the file, and returns nil when the context ends.
func (f *Follow) Run(ctx context.Context) error {
	for {
		file, err := os.Open(f.Path)
		if err != nil {
			return err
		}
		err = f.file(ctx, file)
		file.Close()
		switch {
		case ctx.Err() != nil && (err == nil || errors.Is(err, ctx.Err())):
			return nil
		case err != nil:
			return err
		}
	}
}

// file follows one file, until there is another in its place.
func (f *Follow) file(ctx context.Context, file *os.File) error {
	for {
		if n, err := wholeLines(file, 0); n > 0 || err != nil {
			break
		}
		if gone, err := f.replaced(file); gone || err != nil {
			return err
		}
		if err := f.Wait(ctx); err != nil {
			return err
		}
	}
	head := make([]byte, headSize)
	n, err := file.ReadAt(head, 0)
	if err != nil && err != io.EOF {
		return err
	}
	if isDocument(head[:n]) {
		return fmt.Errorf("%s: is one document, and not lines: only lines can be followed", f.Path)
	}
	j, err := f.Import.begin(ctx, f.Ledger, file)
	if err != nil {
		return err
	}
	for {
		gone, err := f.replaced(file)
		if err != nil {
			return err
		}
		n, err := wholeLines(file, j.bytes)
		if err != nil {
			return err
		}
		if gone { // what came last, with or without its newline
			info, err := file.Stat()
			if err != nil {
				return err
			}
			n = max(n, info.Size()-j.bytes)
		}
		if n < 0 {
			return nil // it got shorter: from the beginning
		}
		if n > 0 || gone {
			// What was begun is finished.
			err := j.batch(context.WithoutCancel(ctx), io.NewSectionReader(file, j.bytes, n), lineRecords, gone)
			if err != nil {
				return err
			}
			if f.Batch != nil {
				f.Batch(j.report)
			}
		}
		if gone {
			return nil
		}
		if n == 0 || ctx.Err() != nil {
			if err := f.Wait(ctx); err != nil {
				return err
			}
		}
	}
}

// replaced tells whether the path names another file by now.
func (f *Follow) replaced(file *os.File) (bool, error) {
	now, err := os.Stat(f.Path)
	if errors.Is(err, os.ErrNotExist) {
		return false, nil // between two names
	}
	if err != nil {
		return false, err
	}
	was, err := file.Stat()
	return err == nil && !os.SameFile(now, was), err
}

// maxBatch is how much of a file is one load, if its lines are not longer.
const maxBatch = 64 << 20

// wholeLines returns how many bytes of whole lines stand in a file from an offset on, at most some
// maxBatch; -1 if the file is shorter.
func wholeLines(file *os.File, from int64) (int64, error) {
	info, err := file.Stat()
	if err != nil {
		return 0, err
	}
	if info.Size() < from {
		return -1, nil
	}
	size := info.Size() - from
	buf := make([]byte, min(size, blockSize))
	// Backwards from where the batch may end, else forwards from there: a line may be long.
	for end := min(size, maxBatch); end > 0; {
		start := max(0, end-int64(len(buf)))
		n, err := file.ReadAt(buf[:end-start], from+start)
		if err != nil && err != io.EOF {
			return 0, err
		}
		if i := bytes.LastIndexByte(buf[:n], '\n'); i >= 0 {
			return start + int64(i) + 1, nil
		}
		end = start
	}
	for start := int64(maxBatch); start < size; start += int64(len(buf)) {
		n, err := file.ReadAt(buf[:min(int64(len(buf)), size-start)], from+start)
		if err != nil && err != io.EOF {
			return 0, err
		}
		if i := bytes.IndexByte(buf[:n], '\n'); i >= 0 {
			return start + int64(i) + 1, nil
		}
	}
	return 0, nil
}
