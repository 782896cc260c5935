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
	"hash/maphash"
	"io"
	"slices"
	"sync/atomic"

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

// OwnKind is the kind of lines that are skipped because they are of another ledger's own session.
const OwnKind = "of a ledger's own session"

// importAction is the action of the entries that a ledger writes of its imports.
const importAction = "import"

// A source is what such an entry says: how many bytes were read, and what they were.
type source struct {
	Name   string `json:"name"`
	Bytes  int64  `json:"bytes"`
	SHA256 string `json:"sha256"`
	Added  uint64 `json:"added"`

	// Format is that of another program; "": the lines were entries.
	Format string `json:"format,omitempty"`

	// Refused is how many lines were left out: they are refused again.
	Refused uint64 `json:"refused,omitempty"`

	// Session is the session that calls without one were put into, if there were any.
	Session string `json:"session,omitempty"`
}

// Run reads a file into a ledger: all of it or nothing, unless it keeps going. What the
// ledger has already is not added again: lines with an index are compared with the entry
// there, and a file of entries that begins with all the bytes of an earlier import is read on from
// there. Where the ledger is nil, nothing is added, and only the report is made.
func (im *Import) Run(ctx context.Context, led *db.Ledger, r io.ReadSeeker) (*Report, error) {
	f := im.Format
	if f == nil {
		var err error
		if f, err = Detect(r); err != nil {
			return nil, err
		}
	}
	report := &Report{File: im.Name, Format: f.Name}
	if f.New != nil {
		return report, im.convert(ctx, f, led, r, report)
	}
	return report, im.entries(ctx, led, r, report)
}

// entries imports a file whose lines are entries.
func (im *Import) entries(ctx context.Context, led *db.Ledger, r io.ReadSeeker, done *Report) error {
	sum := sha256.New()
	lines := 0
	var w *db.Loader
	if led != nil {
		earlier, err := sources(ctx, led)
		if err != nil {
			return err
		}
		earlier = slices.DeleteFunc(earlier, func(s source) bool { return s.Format != "" || s.Session != "" && s.Session != im.session() })
		if lines, err = skipKnown(r, earlier, sum, done); err != nil {
			return err
		}
		if w, err = led.NewLoader(ctx); err != nil {
			return err
		}
	}
	in := &counter{ctx: ctx, r: io.TeeReader(r, sum), n: done.Before}
	p := &parser{session: im.session(), restore: im.Restore}
	if err := im.load(w, p, in, lines, done); err != nil {
		if w != nil {
			w.Abort()
		}
		return err
	}
	switch {
	case w == nil:
		return nil
	case im.Restore:
		err := w.Finish("", "")
		if cannot := (*db.RefusedError)(nil); errors.As(err, &cannot) && cannot.Line > 0 {
			err = &LineError{cannot.Line, err}
		}
		return err
	}
	of := source{Name: im.Name, Bytes: in.n, SHA256: hex.EncodeToString(sum.Sum(nil)), Added: done.Added, Refused: uint64(done.Refused)}
	if p.used.Load() {
		of.Session = im.session()
	}
	return finish(w, of)
}

// convert imports a file of another program.
func (im *Import) convert(ctx context.Context, f *Format, led *db.Ledger, r io.Reader, done *Report) error {
	sum := sha256.New()
	in := &counter{ctx: ctx, r: io.TeeReader(r, sum)}
	seed := maphash.MakeSeed()
	c := &Conversion{Name: im.Session, Agent: im.Agent, Links: im.Links, prefix: im.Prefix, seed: seed, report: done, tally: newTally(done),
		sessions: map[string]*Session{}, requests: map[string]bool{}, known: known{ctx: ctx, seed: seed, sessions: map[string]map[uint64]knownEntry{}}}
	if c.Links == nil {
		c.Links = new(Links)
	}
	var w *db.Loader
	if led != nil {
		there, err := led.Snapshot()
		if err != nil {
			return err
		}
		defer there.Close()
		c.known.ledger = there
		if w, err = led.NewLoader(ctx); err != nil {
			return err
		}
		c.sink = func(e *db.Input) error {
			_, err := w.Add(e)
			return err
		}
	}
	err := c.run(ctx, f, in, im.Refused, func() {
		if im.Progress != nil {
			im.Progress(in.n, done.Added)
		}
	})
	switch {
	case w == nil:
		return err
	case err != nil:
		w.Abort()
		return err
	}
	return finish(w, source{Name: im.Name, Bytes: in.n, SHA256: hex.EncodeToString(sum.Sum(nil)), Added: done.Added, Refused: uint64(done.Refused), Format: f.Name})
}

// finish ends a load with the ledger's entry of it.
func finish(w *db.Loader, of source) error {
	args, err := json.Marshal(of)
	if err != nil {
		w.Abort()
		return err
	}
	return w.Finish(importAction, string(args))
}

// session returns the name of the session of calls that name none.
func (im *Import) session() string {
	if im.Session == "" {
		return ""
	}
	return im.Prefix + im.Session
}

// load adds the lines of in to a load. before is how many lines came before them.
func (im *Import) load(w *db.Loader, p *parser, in *counter, before int, done *Report) error {
	lines, own := 0, SkippedKind{Kind: OwnKind}
	for line, err := range LinesUpTo(in, MaxEvidence, p.lines, &lines) {
		if err == nil {
			err = im.add(w, line, done, &own)
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
	done.Lines = before + lines
	done.Entries = uint64(done.Source)
	blank := SkippedKind{Kind: "blank", Lines: done.Lines - done.Source - done.Repeated - done.Refused - own.Lines}
	for _, kind := range []SkippedKind{own, blank} {
		if kind.Lines > 0 {
			done.Skipped += kind.Lines
			done.SkippedKinds = append(done.SkippedKinds, kind)
		}
	}
	return nil
}

// leaveOut returns an error, unless it is that of a line which may be left out.
func (im *Import) leaveOut(err error, before int, done *Report) error {
	var line *LineError
	if !errors.As(err, &line) {
		return err
	}
	line = &LineError{line.Number + before, line.Err}
	if !im.KeepGoing || im.Restore {
		return line
	}
	done.refuse(line)
	if im.Refused != nil {
		im.Refused(line)
	}
	return nil
}

// refuse counts a line that is left out.
func (r *Report) refuse(line *LineError) {
	r.Refused++
	r.reason(line)
}

func (r *Report) reason(line *LineError) {
	if len(r.RefusedLines) < maxRefusedLines {
		r.RefusedLines = append(r.RefusedLines, RefusedLine{line.Number, line.Err.Error()})
	}
}

// add adds one line; a *LineError tells that it is refused.
func (im *Import) add(w *db.Loader, line *Line[parsed], done *Report, own *SkippedKind) error {
	added := true
	var err error
	switch {
	case im.Restore:
		if line.Value.evidence == nil {
			return &LineError{line.Number, errors.New("expected a line of an export")}
		}
		err = w.Restore(line.Value.evidence, line.Number)
	case line.Value.own:
		if own.Lines++; own.Lines == 1 {
			own.First = line.Number
		}
		return nil
	case w == nil:
		added, err = false, line.Value.input.CheckHeader()
	default:
		added, err = w.Add(&line.Value.input)
	}
	switch {
	case err != nil:
		return ofLine(line.Number, err)
	case added:
		done.Added++
	case w != nil:
		done.Known++
	}
	done.Source++
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
func skipKnown(r io.ReadSeeker, earlier []source, sum hash.Hash, done *Report) (lines int, err error) {
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
		done.Before, done.Refused, lines = read, int(e.Refused), count.lines
		done.Repeated = lines - done.Refused
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
	_, err = r.Seek(start+done.Before, io.SeekStart)
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
