package capture

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"iter"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"toolledger/chain"
)

// MaxDocument is how many bytes one value of a document may have; of an array, one element.
const MaxDocument = 256 << 20

// headSize is how much of a file is looked at to tell lines from a document.
const headSize = 1 << 20

// A splitter makes records of a file; lines becomes the number of its lines.
type splitter func(r io.Reader, lines *int) iter.Seq2[*Record, error]

// records reads a file: JSON Lines, or documents that span lines. Of a document that is an array,
// each element is a record.
func records(r io.Reader, lines *int) iter.Seq2[*Record, error] {
	in := bufio.NewReaderSize(r, headSize)
	if mark, err := in.Peek(3); err == nil && string(mark) == "\ufeff" {
		in.Discard(3)
	}
	if head, _ := in.Peek(headSize); isDocument(head) {
		return documentRecords(&newlines{r: in}, lines)
	}
	return lineRecords(in, lines)
}

// isDocument tells whether the beginning of a file is that of a value which spans lines, or
// of an array that stands alone.
func isDocument(head []byte) bool {
	whole := len(head) < headSize
	head = bytes.TrimLeft(head, " \t\r\n")
	if len(head) == 0 || head[0] != '{' && head[0] != '[' {
		return false
	}
	line, rest, more := bytes.Cut(head, []byte("\n"))
	if !more {
		return head[0] == '['
	}
	d := jsontext.NewDecoder(bytes.NewReader(line), lenient...)
	if _, err := d.ReadValue(); err == nil {
		return line[0] == '[' && whole && len(bytes.TrimSpace(rest)) == 0
	}
	d = jsontext.NewDecoder(bytes.NewReader(head), lenient...)
	for d.InputOffset() < int64(len(line)) {
		if _, err := d.ReadToken(); err != nil {
			return errors.Is(err, io.ErrUnexpectedEOF) && !whole
		}
	}
	return true
}

// lenient reads what other programs read.
var lenient = []jsontext.Options{jsontext.AllowInvalidUTF8(true), jsontext.AllowDuplicateNames(true)}

func lineRecords(in io.Reader, lines *int) iter.Seq2[*Record, error] {
	return func(yield func(*Record, error) bool) {
		for line, err := range LinesUpTo(in, MaxLine, readRecords, lines) {
			var long *LineError
			switch {
			case errors.As(err, &long):
				if !yield(&Record{Line: long.Number, last: long.Number, err: long.Err}, nil) {
					return
				}
				continue
			case err != nil:
				yield(nil, err)
				return
			}
			if line.Value.err != nil && !yield(&Record{Line: line.Number, last: line.Number, err: line.Value.err, noise: line.Value.noise}, nil) {
				return
			}
			for _, v := range line.Value.values {
				if !yield(&Record{Value: v, Line: line.Number, last: line.Number, Repaired: line.Value.repaired}, nil) {
					return
				}
			}
		}
	}
}

func documentRecords(in *newlines, lines *int) iter.Seq2[*Record, error] {
	return func(yield func(*Record, error) bool) {
		d := jsontext.NewDecoder(in, lenient...)
		for document := 0; ; {
			in.limit = d.InputOffset() + MaxDocument
			r, err := nextRecord(d, in)
			if r != nil {
				r.Document = document
			}
			if d.StackDepth() == 0 {
				document++
			}
			if r == nil && err == nil {
				continue
			}
			if errors.Is(err, io.EOF) {
				break
			}
			if syntax := (*jsontext.SyntacticError)(nil); errors.As(err, &syntax) || errors.Is(err, errTooLong) || errors.Is(err, io.ErrUnexpectedEOF) {
				// What follows cannot be told from what is wrong.
				at := in.lineAt(d.InputOffset())
				if syntax != nil {
					at = in.lineAt(syntax.ByteOffset)
					err = fmt.Errorf("byte %d: %w; from here on, nothing of the document can be read", syntax.ByteOffset, syntax.Err)
				}
				in.limit = 0
				if _, err := io.Copy(io.Discard, in); err != nil {
					yield(nil, err)
					return
				}
				if !yield(&Record{Line: at, last: in.lines(), err: err}, nil) {
					return
				}
				break
			}
			if err != nil {
				yield(nil, err)
				return
			}
			if !yield(r, nil) {
				return
			}
		}
		*lines = in.lines()
	}
}

// nextRecord reads the next value: at the top, or in an array there; nil at its brackets.
func nextRecord(d *jsontext.Decoder, in *newlines) (*Record, error) {
	kind := d.PeekKind()
	if d.StackDepth() == 0 && kind == '[' || kind == ']' {
		_, err := d.ReadToken()
		return nil, err
	}
	raw, err := d.ReadValue()
	if err != nil {
		return nil, err
	}
	end := d.InputOffset()
	r := &Record{Line: in.lineAt(end - int64(len(raw))), raw: raw}
	r.last = r.Line + bytes.Count(raw, []byte("\n"))
	if r.Value, err = chain.Canonical(nil, raw); err != nil {
		values, bad := repair(raw)
		if bad != nil {
			return &Record{Line: r.Line, last: r.last, err: err}, nil
		}
		r.Value, r.Repaired = values[0], true
	}
	return r, nil
}

var errTooLong = fmt.Errorf("a value of the document is longer than %d bytes (256 MiB), the most that one may have", MaxDocument)

// newlines counts the lines that are read, and keeps where they end as long as somebody may ask.
type newlines struct {
	r     io.Reader
	read  int64
	count int
	ends  []int64 // offsets of newlines, of those that may be asked for
	gone  int     // newlines before those
	open  bool    // the last line has no newline
	limit int64   // offset beyond which nothing is read; 0: none
}

func (c *newlines) Read(p []byte) (int, error) {
	if c.limit > 0 && c.read > c.limit {
		return 0, errTooLong
	}
	n, err := c.r.Read(p)
	for at := 0; ; {
		i := bytes.IndexByte(p[at:n], '\n')
		if i < 0 {
			break
		}
		at += i + 1
		c.count++
		c.ends = append(c.ends, c.read+int64(at)-1)
	}
	if n > 0 {
		c.open = p[n-1] != '\n'
	}
	c.read += int64(n)
	return n, err
}

// lines returns how many lines were read.
func (c *newlines) lines() int {
	if c.open {
		return c.count + 1
	}
	return c.count
}

// lineAt returns the number of the line that an offset is in. Offsets only grow.
func (c *newlines) lineAt(offset int64) int {
	n := 0
	for n < len(c.ends) && c.ends[n] < offset {
		n++
	}
	c.ends, c.gone = c.ends[n:], c.gone+n
	return c.gone + 1
}

// places sets the first and last line of each part of the record that is asked for by its pointer.
func (r *Record) places(want map[string][2]int) {
	deepest := 0
	for pointer := range want {
		deepest = max(deepest, strings.Count(pointer, "/"))
	}
	d := jsontext.NewDecoder(bytes.NewReader(r.raw), lenient...)
	line, at := r.Line, int64(0) // at: the offset up to which lines are counted
	first := make([]int, deepest+1)
	for {
		kind := d.PeekKind()
		if _, err := d.ReadToken(); err != nil {
			return
		}
		line += bytes.Count(r.raw[at:d.InputOffset()], []byte("\n"))
		at = d.InputOffset()
		depth := d.StackDepth()
		if kind == '{' || kind == '[' {
			depth--
		}
		if depth > deepest {
			continue
		}
		if kind != '}' && kind != ']' {
			first[depth] = line
		}
		if kind == '{' || kind == '[' {
			continue
		}
		pointer := string(d.StackPointer())
		if _, ok := want[pointer]; ok {
			want[pointer] = [2]int{first[depth], line}
		}
	}
}
