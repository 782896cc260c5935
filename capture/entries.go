package capture

import (
	"bytes"
	"errors"
	"fmt"
	"sync/atomic"

	"toolledger/chain"
	"toolledger/db"
)

// OwnKind is the kind of lines that are skipped because they are of another ledger's own session.
const OwnKind = "of a ledger's own session"

// entries adds the lines of in, which follow those that the report has.
func (j *job) entries(in *counter) error {
	done, before, lines := j.report, j.report.Lines, 0
	for line, err := range LinesUpTo(in, MaxEvidence, j.parser.lines, &lines) {
		if refused := (*LineError)(nil); errors.As(err, &refused) {
			err = &LineError{refused.Number + before, refused.Err}
		}
		if err == nil {
			line.Number += before
			err = j.add(line)
		}
		if err != nil {
			if err := j.leaveOut(err); err != nil {
				return err
			}
		}
		j.progress(in)
	}
	done.Lines += lines
	done.Entries = uint64(done.Source)
	done.skip("blank", done.Lines-done.Source-done.Repeated-done.Refused-done.Skipped, 0)
	return nil
}

// skip counts lines that hold nothing for a ledger.
func (r *Report) skip(kind string, lines, first int) {
	if lines == 0 {
		return
	}
	r.Skipped += lines
	for i := range r.SkippedKinds {
		if k := &r.SkippedKinds[i]; k.Kind == kind {
			k.Lines += lines
			return
		}
	}
	r.SkippedKinds = append(r.SkippedKinds, SkippedKind{Kind: kind, Lines: lines, First: first})
}

// leaveOut returns an error, unless it is that of a line which may be left out.
func (j *job) leaveOut(err error) error {
	var line *LineError
	if !errors.As(err, &line) || !j.im.KeepGoing || j.im.Restore {
		return err
	}
	j.report.Refused++
	j.report.reason(line)
	if j.im.Refused != nil {
		j.im.Refused(line)
	}
	return nil
}

// add adds one line; a *LineError tells that it is refused.
func (j *job) add(line *Line[parsed]) error {
	done, added := j.report, true
	err := j.follows(line.Value.link)
	switch {
	case err != nil: // refused below
	case j.im.Restore:
		if line.Value.evidence == nil {
			return &LineError{line.Number, errors.New("expected a line of an export")}
		}
		err = j.w.Restore(line.Value.evidence, line.Number)
	case line.Value.own:
		done.skip(OwnKind, 1, line.Number)
		return nil
	case j.w == nil:
		added, err = false, line.Value.input.CheckHeader()
	default:
		added, err = j.w.Add(&line.Value.input)
	}
	switch {
	case err != nil:
		return ofLine(line.Number, err)
	case added:
		done.Added++
	case j.w != nil:
		done.Known++
	}
	done.Source++
	return nil
}

// follows checks that a sealed line follows from the one before it. Of a file that was read up to some line in an
// earlier import, the rest is checked.
func (j *job) follows(l *chain.Link) error {
	if l == nil {
		return nil
	}
	if j.seal == nil {
		j.seal = chain.NewVerifier()
		if j.report.Before > 0 {
			j.seal = chain.ResumeVerifier(*l)
		}
	}
	j.seal.Check(*l)
	if err := j.seal.Broken(); err != nil {
		return err
	}
	return nil
}

// ofLine makes a *LineError of what is wrong with a line, or with one before it.
func ofLine(number int, err error) error {
	var conflict *db.ConflictError
	var cannot *db.RefusedError
	var broken *chain.BreakError
	switch {
	case errors.As(err, &cannot) && cannot.Line > 0:
		return &LineError{cannot.Line, err}
	case errors.As(err, &conflict), errors.As(err, &cannot), errors.As(err, &broken):
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
	link     *chain.Link     // of a sealed transcript
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
	sealed := p.session != "" && isSealed(text)
	if !sealed {
		out.input, err = db.ParseInput(text)
	}
	if sealed || errors.Is(err, db.ErrNoSession) && p.session != "" {
		p.used.Store(true)
		return p.call(text, sealed)
	}
	return out, err
}

// isSealed tells whether a line is of a sealed transcript: it names no session, and has a digest.
func isSealed(line *chain.Text) bool {
	v := Value(line.Bytes)
	return v.Get("digest") != nil && v.Get("session") == nil
}

// call reads a line of a transcript, sealed or not. The digest of a sealed one goes on in metadata.source_digest, as
// that of an export's line.
func (p *parser) call(line *chain.Text, sealed bool) (out parsed, err error) {
	c, err := chain.ParseCall(line, sealed)
	if err != nil {
		return out, err
	}
	text := append(append([]byte(`{"args":`), c.Args...), `,"index":`...)
	text = fmt.Append(text, c.Index)
	if sealed {
		l := chain.NewLink(&c)
		l.Digest, l.Prev = bytes.Clone(l.Digest), bytes.Clone(l.Prev) // the line's text is used again
		out.link = &l
		text = append(append(append(text, `,"metadata":{"source_digest":`...), c.Digest...), '}')
	}
	text = append(append(append(text, `,"response":`...), c.Response...), `,"session":`...)
	text = append(append(text, chain.Quote(p.session)...), `,"tool":`...)
	out.input, err = db.ParseInput(chain.TextOf(append(append(text, c.Tool...), '}')))
	return out, err
}
