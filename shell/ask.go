package shell

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"toolledger/query"
)

// ErrNoQuery is the error of a text that asks nothing and gives no name.
var ErrNoQuery = errors.New("expected a query, found none; .help tells what else there is")

// Ask runs the queries of a text and writes their results. line is the number of its first
// line, for what is said of it.
func (s *Shell) Ask(ctx context.Context, text string, line int) error {
	lang, release, err := s.Ledger.Language(query.Options{Memory: s.Settings.Memory, Before: s.given(), Line: line}, s.Safe)
	if lang == nil {
		return err
	}
	work := &aside{ctx: ctx}
	defer func() { work.then(release) }()
	damage := err
	if s.Typed() { // the prompt says it
		damage = nil
	}
	results, err := s.compile(work, lang, text)
	if err != nil {
		return err
	}
	lets := query.Lets(text)
	if len(results) == 0 && len(lets) == 0 {
		return ErrNoQuery
	}
	progress := s.progress(lang.Stats())
	defer progress.end()
	for i, r := range results {
		if err = s.answer(work, r, i > 0, lang.Stats(), progress); err != nil {
			break
		}
	}
	progress.end()
	if work.left != nil {
		return joined(damage, err)
	}
	s.broken = s.broken || lang.Broken()
	if err == nil {
		s.keep(lets)
	}
	for _, h := range lang.Hints() {
		s.say("hint: " + query.Visible(h))
	}
	return joined(damage, err)
}

// compile makes queries of a text. Where it asks for a table that a ledger has and there is
// none, the error says how to name one.
func (s *Shell) compile(work *aside, lang *query.Language, text string) ([]*query.Result, error) {
	type compiled struct {
		results []*query.Result
		err     error
	}
	params := s.Settings.Params
	c, err := beside(work, func() (c compiled) {
		c.results, c.err = lang.Compile(work.ctx, text, params)
		return c
	})
	if err == nil {
		err = c.err
	}
	if len(lang.Tables()) > 0 || err == nil {
		return c.results, err
	}
	for _, e := range OneByOne(err) {
		var fault *query.Error
		for _, t := range query.LedgerTables(nil) {
			if errors.As(e, &fault) && strings.HasPrefix(fault.Msg, "unknown table '"+t.Name+"'") {
				fault.Msg += "; " + s.Opens + " the ledger that has it"
			}
		}
	}
	return nil, err
}

// joined joins what is wrong with a ledger and what went wrong with a query.
func joined(damage, err error) error {
	switch {
	case damage == nil:
		return err
	case err == nil:
		return damage
	}
	return fmt.Errorf("%w; %w", damage, err)
}

// given are the names that statements before gave.
func (s *Shell) given() string {
	var b strings.Builder
	for _, l := range s.lets {
		b.WriteString(l.Text + ";\n")
	}
	return b.String()
}

// keep keeps names for the statements behind. One that is given anew comes last: what it is
// made of stands before it.
func (s *Shell) keep(lets []query.Let) {
	for _, l := range lets {
		s.lets = slices.DeleteFunc(s.lets, func(old query.Let) bool { return old.Name == l.Name })
		s.lets = append(s.lets, l)
	}
}

// answer writes a result. again tells that there is one before it.
func (s *Shell) answer(work *aside, r *query.Result, again bool, stats *query.Stats, progress *progress) (err error) {
	ctx, leave := context.WithCancel(work.ctx)
	defer leave()
	sink, err := s.sink(leave)
	if err != nil {
		return err
	}
	said := "" // behind what is shown
	defer func() {
		if err = sink.close(err); said != "" {
			s.say(said)
		}
	}()
	format := s.formatFor(r, sink)
	opt := query.FormatOptions{CSVSafe: s.Settings.CSVSafe, NoHead: s.Settings.NoHead, Null: s.Settings.Null, Width: s.Settings.Width}
	if sink.person {
		opt.Color = s.Settings.Color
		if opt.Width == 0 {
			opt.Width, _ = s.size()
		}
	} else if s.Settings.Color && !sink.named { // as was asked for
		opt.Color = true
	}
	if again && (format.Text || r.Plan && s.Settings.Format == "") {
		if _, err := io.WriteString(sink, "\n"); err != nil {
			return err
		}
	}
	to := io.Writer(sink)
	if sink.person && (format.Name == "csv" || format.Name == "tsv") {
		to = &visibleWriter{w: sink}
	}
	start, scanned, skipped := time.Now(), stats.Scanned.Load(), stats.Skipped.Load()
	w := r.Writer(format, to, opt)
	rows, more := int64(0), false
	err = w.Begin(r.Fields)
	for b, e := range besideEach(work, r.Batches(ctx)) {
		if err == nil {
			err = e
		}
		if err != nil {
			break
		}
		if most := s.Settings.MaxRows; most > 0 && rows+int64(b.N) > most {
			b, more = b.Head(int(most-rows)), true
		}
		rows += int64(b.N)
		progress.end()
		if err = w.Rows(b); more {
			break
		}
	}
	if err == nil {
		err = w.End()
	}
	s.answers++
	s.found = rows > 0 && !r.Plan
	if more {
		said = fmt.Sprintf("hint: .maxrows stops at %s, there are more; .maxrows 0 shows all", Counted(rows, "row", "rows"))
	}
	if s.Settings.Timer && err == nil {
		said = strings.TrimPrefix(said+"\n", "\n") + fmt.Sprintf("%s, %d entries scanned, %d skipped, %s", Counted(rows, "row", "rows"), stats.Scanned.Load()-scanned, stats.Skipped.Load()-skipped, time.Since(start).Round(time.Microsecond))
	}
	return err
}

// Counted is a number of something.
func Counted[N int64 | uint64](n N, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprint(n, " ", many)
}

// formatFor is the format of a result: as was asked for, as the file's name says, a table for
// a person, JSON Lines for a program. A plan is text.
func (s *Shell) formatFor(r *query.Result, to *sink) query.Format {
	name := s.Settings.Format
	if to.format != "" {
		name = to.format
	}
	switch {
	case name != "":
	case r.Plan:
		name = "raw"
	case to.person:
		name = "table"
	default:
		name = "jsonl"
	}
	return *query.FormatNamed(name)
}
