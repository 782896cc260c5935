package capture

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"

	"toolledger/chain"
)

// A Record is one value of a file: a line, or an element of a document.
type Record struct {
	// Value is the record in canonical form. It is valid until the next one is read.
	Value Value
	// Line is the number of its first line, from 1.
	Line int
	// Document is the number of the document that it is of, from 0: all elements of an array are of
	// one. Lines are all of 0.
	Document int
	// Repaired tells that the text was no strict JSON: it had a member twice, of which the
	// last is taken, or no valid Unicode, which is U+FFFD here.
	Repaired bool

	last  int    // number of its last line
	raw   []byte // as it stands in the file, where it has more than one line
	err   error  // it is no JSON value
	noise bool   // it does not even begin like one
	place string // pointer to the part that is read
	marks []mark
	later []postponed

	resumed bool // a part: it was read
}

// A postponed part is what is read later than the record that it stands in.
type postponed struct {
	place  string
	record *Record
}

// A class is what became of a line. Of two that a line has, the greater counts.
type class uint8

const (
	unread class = iota
	skipped
	repeated
	isContext
	isSource
	refused
)

// A mark is the class of a part of a record.
type mark struct {
	place string
	class class
	kind  string // of what is skipped
}

// At says which part of the record is read from here on: the one at a JSON pointer. So a
// document that has a line a value is accounted for line by line.
func (r *Record) At(pointer string) { r.place = pointer }

// Context says that the part became context of entries: a message, a name, a time.
func (r *Record) Context() { r.mark(isContext, "") }

// Repeated says that the part was there before, in this file.
func (r *Record) Repeated() { r.mark(repeated, "") }

// Skip says that the part holds nothing for a ledger. Kind is a short name of what it is.
func (r *Record) Skip(kind string) { r.mark(skipped, kind) }

// Later returns the part of the record at a pointer as a record of its own, without a value. It is read
// when the reader resumes it, at the end or at a pause, and the lines that it has are counted then.
func (r *Record) Later(pointer string) *Record {
	p := &Record{Repaired: r.Repaired}
	r.later = append(r.later, postponed{pointer, p})
	return p
}

func (r *Record) mark(c class, kind string) {
	if n := len(r.marks); n > 0 && r.marks[n-1] == (mark{r.place, c, kind}) {
		return
	}
	r.marks = append(r.marks, mark{r.place, c, kind})
}

// A reading is what a line of a file holds: mostly one value.
type reading struct {
	values   []Value // of records that are glued together more than one
	one      [1]Value
	repaired bool
	noise    bool
	err      error
}

// readRecords parses lines. It refuses none itself: what is wrong with a line is in the reading.
func readRecords() Parser[reading] {
	var text chain.Text
	return func(dst, line []byte, r *reading) ([]byte, error) {
		*r = reading{}
		out, err := text.Canonical(dst, line)
		if err == nil {
			r.one[0] = text.Bytes
			r.values = r.one[:]
			return out, nil
		}
		start := bytes.TrimLeft(line, padding)
		r.noise = len(start) == 0 || start[0] != '{' && start[0] != '['
		if r.values, r.err = repair(line); r.err != nil {
			r.err = err // it names the place as all messages do
		}
		r.repaired = true
		return dst, nil
	}
}

// padding is what may stand around the value of a line: zero bytes too, which a file system leaves where
// a crash came between the growth of a file and its data.
const padding = " \t\r\n\x00"

// repair reads values as most programs do: with members that stand twice, surrogates alone and
// bytes that are no UTF-8, several values without a space between them, and zero bytes around.
func repair(text []byte) (values []Value, err error) {
	d := json.NewDecoder(bytes.NewReader(bytes.Trim(text, padding)))
	d.UseNumber()
	for {
		var v any
		if err := d.Decode(&v); errors.Is(err, io.EOF) && len(values) > 0 {
			return values, nil
		} else if err != nil {
			return nil, err
		}
		var out bytes.Buffer
		e := json.NewEncoder(&out)
		e.SetEscapeHTML(false)
		if err := e.Encode(v); err != nil {
			return nil, err
		}
		canonical, err := chain.Canonical(nil, out.Bytes())
		if err != nil {
			return nil, err
		}
		values = append(values, canonical)
	}
}
