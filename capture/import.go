package capture

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"io"
	"slices"
	"sync/atomic"

	"toolledger/chain"
	"toolledger/db"
)

// An Import says how a file is imported.
type Import struct {
	// Restore takes a whole export into a ledger that was opened to be restored.
	Restore bool
	// Name is the file's, for the entry that the ledger writes of the import.
	Name string
	// Session is the session of calls that name none: those of a transcript.
	Session string
	// KeepGoing leaves out the lines that are refused. Otherwise nothing of a file is
	// imported in which one is.
	KeepGoing bool
	// Refused, if not nil, is told of each line that is left out.
	Refused func(*LineError)
	// Progress, if not nil, is told how many bytes are read and entries added.
	Progress func(bytes int64, entries uint64)
}

// An Imported is what became of a file.
type Imported struct {
	Added   uint64 // entries
	Known   uint64 // lines whose entry the ledger had
	Skipped int64  // bytes at the beginning that an earlier import read
	Refused uint64 // lines
	Own     uint64 // lines of another ledger's own session, which are left out
}

// importAction is the action of the entries that a ledger writes of its imports.
const importAction = "import"

// A source is what such an entry says: how many bytes were read, and what they were.
type source struct {
	Name   string `json:"name"`
	Bytes  int64  `json:"bytes"`
	SHA256 string `json:"sha256"`
	Added  uint64 `json:"added"`

	// Refused is how many lines were left out: they are refused again.
	Refused uint64 `json:"refused,omitempty"`

	// Session is the session that calls without one were put into, if there were any.
	Session string `json:"session,omitempty"`
}

// Run reads a file of entries, or a transcript, into a ledger: all of it or nothing,
// unless it keeps going. What the ledger has already is not added again: lines with an
// index are compared with the entry there, and a file that begins with all the bytes
// of an earlier import is read on from there.
func (im *Import) Run(ctx context.Context, led *db.Ledger, r io.ReadSeeker) (Imported, error) {
	var done Imported
	earlier, err := sources(ctx, led)
	if err != nil {
		return done, err
	}
	sum := sha256.New()
	earlier = slices.DeleteFunc(earlier, func(s source) bool { return s.Session != "" && s.Session != im.Session })
	lines, err := skipKnown(r, earlier, sum, &done)
	if err != nil {
		return done, err
	}
	in := &counter{ctx: ctx, r: io.TeeReader(r, sum), n: done.Skipped}
	w, err := led.NewLoader(ctx)
	if err != nil {
		return done, err
	}
	p := &parser{session: im.Session, restore: im.Restore}
	if err := im.load(w, p, in, lines, &done); err != nil {
		w.Abort()
		return done, err
	}
	if im.Restore {
		err := w.Finish("", "")
		if cannot := (*db.RefusedError)(nil); errors.As(err, &cannot) && cannot.Line > 0 {
			err = &LineError{cannot.Line, err}
		}
		return done, err
	}
	of := source{Name: im.Name, Bytes: in.n, SHA256: hex.EncodeToString(sum.Sum(nil)), Added: done.Added, Refused: done.Refused}
	if p.used.Load() {
		of.Session = im.Session
	}
	args, err := json.Marshal(of)
	if err != nil {
		w.Abort()
		return done, err
	}
	return done, w.Finish(importAction, string(args))
}

// load adds the lines of in to a load. before is how many lines came before them.
func (im *Import) load(w *db.Loader, p *parser, in *counter, before int, done *Imported) error {
	for line, err := range LinesUpTo(in, MaxEvidence, p.lines) {
		if err == nil {
			err = im.add(w, line, done)
		}
		if err != nil {
			if err := im.leaveOut(err, before, done); err != nil {
				return err
			}
		}
		if im.Progress != nil {
			im.Progress(in.n, done.Added)
		}
	}
	return nil
}

// leaveOut returns an error, unless it is that of a line which may be left out.
func (im *Import) leaveOut(err error, before int, done *Imported) error {
	var refused *LineError
	if !errors.As(err, &refused) {
		return err
	}
	refused = &LineError{refused.Number + before, refused.Err}
	if !im.KeepGoing || im.Restore {
		return refused
	}
	done.Refused++
	if im.Refused != nil {
		im.Refused(refused)
	}
	return nil
}

// add adds one line; a *LineError tells that it is refused.
func (im *Import) add(w *db.Loader, line *Line[parsed], done *Imported) error {
	var added bool
	var err error
	switch {
	case im.Restore:
		if line.Value.evidence == nil {
			return &LineError{line.Number, errors.New("expected a line of an export")}
		}
		added, err = true, w.Restore(line.Value.evidence, line.Number)
	case line.Value.own:
		done.Own++
		return nil
	default:
		added, err = w.Add(&line.Value.input)
	}
	switch {
	case err != nil:
		return ofLine(line.Number, err)
	case added:
		done.Added++
	default:
		done.Known++
	}
	return nil
}

// ofLine makes a *LineError of what is wrong with a line, or with one before it.
func ofLine(number int, err error) error {
	var conflict *db.ConflictError
	var cannot *db.RefusedError
	switch {
	case errors.As(err, &cannot) && cannot.Line > 0:
		return &LineError{cannot.Line, err}
	case errors.As(err, &conflict), errors.As(err, &cannot):
		return &LineError{number, err}
	}
	return err
}

// A parser turns lines into entries. It is used by several goroutines.
type parser struct {
	session string
	restore bool
	used    atomic.Bool // whether a line took the session
}

// A parsed is what a line has.
type parsed struct {
	input    db.Input
	evidence *chain.Evidence // to be restored
	own      bool            // of another ledger's own session
}

// lines returns a parser for lines that follow each other.
func (p *parser) lines() Parser[parsed] {
	var d db.InputDecoder
	general := Parse(p.parse)()
	return func(dst, line []byte, value *parsed) ([]byte, error) {
		if out, ok := d.Decode(dst, line, &value.input); ok {
			return out, nil
		}
		return general(dst, line, value)
	}
}

func (p *parser) parse(text *chain.Text) (out parsed, err error) {
	switch {
	case chain.IsEvidence(text):
		e, err := chain.ParseEvidence(text)
		if err != nil {
			return out, err
		}
		if p.restore {
			out.evidence = &e
			return out, nil
		}
		if broken := e.Check(new(chain.Committer)); broken != nil {
			return out, broken // what does not verify must not look as if it had
		}
		out.own = e.Entry.SessionName()[0] == db.OwnSession[0]
		if !out.own {
			out.input = db.Rechain(&e)
		}
		return out, err
	}
	out.input, err = db.ParseInput(text)
	if errors.Is(err, db.ErrNoSession) && p.session != "" {
		p.used.Store(true)
		out.input, err = p.call(text)
	}
	return out, err
}

// call reads a line of a transcript.
func (p *parser) call(line *chain.Text) (db.Input, error) {
	c, err := chain.ParseCall(line, false)
	if err != nil {
		return db.Input{}, err
	}
	text := append(append([]byte(`{"args":`), c.Args...), `,"index":`...)
	text = append(fmt.Append(text, c.Index), `,"response":`...)
	text = append(append(text, c.Response...), `,"session":`...)
	text = append(append(text, chain.Quote(p.session)...), `,"tool":`...)
	return db.ParseInput(chain.TextOf(append(append(text, c.Tool...), '}')))
}

// sources returns what was imported before.
func sources(ctx context.Context, led *db.Ledger) ([]source, error) {
	s, err := led.Snapshot()
	if err != nil {
		return nil, err
	}
	defer s.Close()
	head, err := s.Session(db.OwnSession)
	if errors.Is(err, db.ErrNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var list []source
	for i := range head.Count {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		r, err := s.Entry(db.OwnSession, i)
		if err != nil {
			return nil, err
		}
		var of source
		if string(r.Members[chain.Action]) == `"`+importAction+`"` && json.Unmarshal(r.Members[chain.Args], &of) == nil && of.Bytes > 0 {
			list = append(list, of)
		}
	}
	slices.SortFunc(list, func(a, b source) int { return int(a.Bytes - b.Bytes) })
	return list, nil
}

// skipKnown reads r up to the end of the longest earlier import that it begins with,
// leaves it there, and returns how many lines that were. sum takes what is skipped.
func skipKnown(r io.ReadSeeker, earlier []source, sum hash.Hash, done *Imported) (lines int, err error) {
	if len(earlier) == 0 {
		return 0, nil
	}
	start, err := r.Seek(0, io.SeekCurrent)
	if err != nil {
		return 0, err
	}
	var count lineCounter
	var state []byte
	read := int64(0)
	for _, e := range earlier {
		n, err := io.CopyN(io.MultiWriter(sum, &count), r, e.Bytes-read)
		read += n
		if err == io.EOF {
			break
		}
		if err != nil {
			return 0, err
		}
		if hex.EncodeToString(sum.Sum(nil)) != e.SHA256 || !count.atEnd(r) {
			continue
		}
		done.Skipped, done.Refused, lines = read, e.Refused, count.lines
		if state, err = sum.(interface{ MarshalBinary() ([]byte, error) }).MarshalBinary(); err != nil {
			return 0, err
		}
	}
	sum.Reset()
	if state != nil {
		if err := sum.(interface{ UnmarshalBinary([]byte) error }).UnmarshalBinary(state); err != nil {
			return 0, err
		}
	}
	_, err = r.Seek(start+done.Skipped, io.SeekStart)
	return lines, err
}

// A lineCounter counts lines.
type lineCounter struct {
	lines int
	last  byte
}

func (c *lineCounter) Write(p []byte) (int, error) {
	c.lines += bytes.Count(p, []byte("\n"))
	if len(p) > 0 {
		c.last = p[len(p)-1]
	}
	return len(p), nil
}

// atEnd tells whether what was counted ends where a line does: a file whose last line
// lacked its newline may have grown in the middle of it.
func (c *lineCounter) atEnd(r io.ReadSeeker) bool {
	if c.last == '\n' {
		return true
	}
	var next [1]byte
	n, err := r.Read(next[:])
	if n == 1 {
		_, err = r.Seek(-1, io.SeekCurrent)
	}
	return n == 0 || err == nil && next[0] == '\n'
}

// A counter counts bytes, and stops when its context ends.
type counter struct {
	ctx context.Context
	r   io.Reader
	n   int64
}

func (c *counter) Read(p []byte) (int, error) {
	if err := c.ctx.Err(); err != nil {
		return 0, err
	}
	n, err := c.r.Read(p)
	c.n += int64(n)
	return n, err
}
