package capture

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"hash"
	"io"
	"slices"

	"toolledger/chain"
	"toolledger/db"
)

// An Import says how a file is imported.
type Import struct {
	// Format is that of the file; nil: by its content.
	Format *Format
	// Restore takes a whole export into a ledger that was opened to be restored.
	Restore bool
	// Name is the file's, for the entry that the ledger writes of the import.
	Name string
	// Session is the session of calls that name none.
	Session string
	// Prefix stands before the name of each session that is not the file's own word: of all formats but entry.
	Prefix string
	// Agent is who acted, where the source does not tell.
	Agent string
	// Links are what files of one import tell of each other; nil: there is one file.
	Links *Links
	// KeepGoing leaves out the lines that are refused. Otherwise nothing of a file of entries is
	// imported in which one is. Other programs' logs have broken lines, by which the rest is
	// no less true: there, it is always so.
	KeepGoing bool
	// Refused, if not nil, is told of each line that is left out.
	Refused func(*LineError)
	// Progress, if not nil, is told how many bytes are read and entries added.
	Progress func(bytes int64, entries uint64)
}

// Run reads a file into a ledger: all of it or nothing, unless it keeps going. What the
// ledger has already is not added again: lines with an index are compared with the entry
// there, and a file of entries that begins with all the bytes of an earlier import is read on from
// there. Where the ledger is nil, nothing is added, and only the report is made.
func (im *Import) Run(ctx context.Context, led *db.Ledger, r io.ReadSeeker) (*Report, error) {
	j, err := im.begin(ctx, led, r)
	if err != nil {
		return nil, err
	}
	return j.report, j.batch(ctx, r, records, true)
}

// A job is the import of one file: in one load or, where the file is followed, in many.
type job struct {
	im     *Import
	format *Format
	led    *db.Ledger // nil: nothing is added
	report *Report
	sum    hash.Hash // of what is read
	bytes  int64     // read
	w      *db.Loader

	parser     parser          // of lines that are entries
	seal       *chain.Verifier // of a sealed transcript, from its first line
	conversion *Conversion     // of other records
	reader     Reader
}

// begin finds the format of a file, and leaves the file where there is something new.
func (im *Import) begin(ctx context.Context, led *db.Ledger, r io.ReadSeeker) (*job, error) {
	f := im.Format
	if f == nil {
		var err error
		if f, err = Detect(r); err != nil {
			return nil, err
		}
	}
	j := &job{im: im, format: f, led: led, report: &Report{File: im.Name, Format: f.Name}, sum: sha256.New()}
	if f.New != nil {
		j.conversion = newConversion(im, j.report)
		j.reader = f.New(j.conversion)
		return j, nil
	}
	j.parser.session, j.parser.restore = im.session(), im.Restore
	if led == nil {
		return j, nil
	}
	earlier, err := sources(ctx, led)
	if err != nil {
		return nil, err
	}
	earlier = slices.DeleteFunc(earlier, func(s source) bool { return s.Format != "" || s.Session != "" && s.Session != im.session() })
	j.report.Lines, err = skipKnown(r, earlier, j.sum, j.report)
	j.bytes = j.report.Before
	return j, err
}

// batch imports what r has. The last batch of a file ends it.
func (j *job) batch(ctx context.Context, r io.Reader, split splitter, last bool) (err error) {
	in := &counter{ctx: ctx, r: io.TeeReader(r, j.sum), n: j.bytes}
	if j.led != nil {
		if j.conversion != nil {
			if j.conversion.known.ledger, err = j.led.Snapshot(); err != nil {
				return err
			}
			defer j.conversion.known.ledger.Close()
		}
		if j.w, err = j.led.NewLoader(ctx); err != nil {
			return err
		}
	}
	if j.conversion != nil {
		err = j.convert(ctx, in, split, last)
	} else {
		err = j.entries(in)
	}
	j.bytes = in.n
	switch {
	case j.w == nil:
		return err
	case err != nil:
		j.w.Abort()
		return err
	}
	return j.finish()
}

// convert imports the records of another program.
func (j *job) convert(ctx context.Context, in *counter, split splitter, last bool) error {
	c := j.conversion
	if j.w != nil {
		c.sink = func(e *db.Input) error {
			_, err := j.w.Add(e)
			return err
		}
	}
	err := c.read(ctx, split, in, j.reader, j.format.Noise, func() { j.progress(in) })
	switch {
	case err == nil && last:
		c.finish(j.reader)
	case err == nil:
		c.pause(j.reader)
	}
	c.end()
	return errors.Join(err, c.err)
}

func (j *job) progress(in *counter) {
	if j.im.Progress != nil {
		j.im.Progress(in.n, j.report.Added)
	}
}

// finish ends the load with the ledger's entry of it.
func (j *job) finish() error {
	if j.im.Restore {
		err := j.w.Finish("", "")
		if cannot := (*db.RefusedError)(nil); errors.As(err, &cannot) && cannot.Line > 0 {
			err = &LineError{cannot.Line, err}
		}
		return err
	}
	of := source{Name: j.im.Name, Bytes: j.bytes, SHA256: hex.EncodeToString(j.sum.Sum(nil)), Added: j.report.Added, Refused: uint64(j.report.Refused)}
	if j.conversion != nil {
		of.Format = j.format.Name
	}
	if j.parser.used.Load() {
		of.Session = j.im.session()
	}
	args, err := json.Marshal(of)
	if err != nil {
		j.w.Abort()
		return err
	}
	return j.w.Finish(importAction, string(args))
}

// session returns the name of the session of calls that name none.
func (im *Import) session() string {
	if im.Session == "" {
		return ""
	}
	return im.Prefix + im.Session
}
