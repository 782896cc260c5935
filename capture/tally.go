package capture

import "unicode/utf8"

// A Report says what became of a file. Each of its lines is one of: source of an entry, context
// of entries, repeated, skipped, refused; so the five numbers add up to Lines.
type Report struct {
	File   string `json:"file,omitempty"`
	Format string `json:"format,omitempty"`

	// Before is how many bytes at the beginning an earlier import read.
	Before int64 `json:"bytes_before,omitempty"`

	Lines    int `json:"lines"`
	Source   int `json:"source"`
	Context  int `json:"context"`
	Repeated int `json:"repeated"`
	Skipped  int `json:"skipped"`
	Refused  int `json:"refused"`

	SkippedKinds []SkippedKind `json:"skipped_kinds,omitempty"` // in the order of their first lines
	RefusedLines []RefusedLine `json:"refused_lines,omitempty"` // the first hundred

	Sessions   int    `json:"sessions"`
	Entries    uint64 `json:"entries"`    // that the file has
	Added      uint64 `json:"added"`      // to the ledger
	Known      uint64 `json:"known"`      // that the ledger had
	Calls      uint64 `json:"calls"`      // with an ATTEMPT
	Unanswered uint64 `json:"unanswered"` // without result or error
	Denied     uint64 `json:"denied"`
	Errors     uint64 `json:"errors"`
}

// A SkippedKind is lines that hold nothing for a ledger, for the same reason.
type SkippedKind struct {
	Kind  string `json:"kind"`
	Lines int    `json:"lines"`
	First int    `json:"first_line"`
	Text  string `json:"first_text,omitempty"` // how that line begins
}

// A RefusedLine is a line that could not be read, or of which an entry was refused.
type RefusedLine struct {
	Line   int    `json:"line"`
	Reason string `json:"reason"`
}

const maxRefusedLines = 100

// Add adds the numbers of another file.
func (r *Report) Add(of *Report) {
	r.Before += of.Before
	r.Lines += of.Lines
	r.Source += of.Source
	r.Context += of.Context
	r.Repeated += of.Repeated
	r.Skipped += of.Skipped
	r.Refused += of.Refused
	r.Sessions += of.Sessions
	r.Entries += of.Entries
	r.Added += of.Added
	r.Known += of.Known
	r.Calls += of.Calls
	r.Unanswered += of.Unanswered
	r.Denied += of.Denied
	r.Errors += of.Errors
}

// reason keeps why a line is refused.
func (r *Report) reason(line *LineError) {
	if len(r.RefusedLines) < maxRefusedLines {
		r.RefusedLines = append(r.RefusedLines, RefusedLine{line.Number, line.Err.Error()})
	}
}

// A tally counts lines by what became of them. Lines are told in order, but one may be told
// several times: as the last of a record, and as the first of the next.
type tally struct {
	report *Report
	first  int        // number of the first line in lines
	lines  []lineMark // not counted yet
	kinds  map[string]int
}

// A lineMark is what is known of a line so far.
type lineMark struct {
	class class
	kind  string
	text  string // how the line begins, if it is the first of its kind
}

func newTally(r *Report) *tally { return &tally{report: r, first: 1, kinds: map[string]int{}} }

// note says that the lines from first to last are of a class.
func (t *tally) note(first, last int, c class, kind string, text Value) {
	for len(t.lines) <= last-t.first {
		t.lines = append(t.lines, lineMark{})
	}
	mark := lineMark{class: c, kind: kind}
	if _, ok := t.kinds[kind]; c == skipped && !ok {
		mark.text = beginning(text)
	}
	for n := max(first, t.first); n <= last; n++ {
		if l := &t.lines[n-t.first]; c > l.class {
			*l = mark
		}
	}
}

// kind returns what the report has of a kind of lines. It is there as soon as one line is of it.
func (t *tally) kind(l lineMark, line int) *SkippedKind {
	k, ok := t.kinds[l.kind]
	if !ok {
		k = len(t.report.SkippedKinds)
		t.kinds[l.kind] = k
		t.report.SkippedKinds = append(t.report.SkippedKinds, SkippedKind{Kind: l.kind, First: line, Text: l.text})
	}
	return &t.report.SkippedKinds[k]
}

// beginning returns how a text begins.
func beginning(text []byte) string {
	const most = 100
	if len(text) <= most {
		return string(text)
	}
	n := most
	for n > 0 && !utf8.RuneStart(text[n]) {
		n--
	}
	return string(text[:n]) + "…"
}

// end counts the lines before the given one, which get no other class any more.
// What nothing was said of is blank, or holds only brackets.
func (t *tally) end(before int) {
	for t.first < before {
		l := lineMark{}
		if len(t.lines) > 0 {
			l, t.lines = t.lines[0], t.lines[1:]
		}
		if l.class == unread {
			l = lineMark{class: skipped, kind: "blank, or structure"}
		}
		if l.class == skipped {
			t.kind(l, t.first).Lines++
		}
		t.report.count(l.class)
		t.first++
	}
	if len(t.lines) == 0 {
		t.lines = nil // its beginning was cut off
	}
}

func (r *Report) count(c class) {
	r.Lines++
	switch c {
	case skipped:
		r.Skipped++
	case repeated:
		r.Repeated++
	case isContext:
		r.Context++
	case isSource:
		r.Source++
	case refused:
		r.Refused++
	}
}
