package column

import (
	"bytes"
	"encoding/binary"
	"slices"
	"strconv"
	"strings"
	"unicode"
)

const (
	// MaxRows is how many rows a block has at most.
	MaxRows = 8192
	// MaxValue is how long a value may be.
	MaxValue = 64 << 20
)

// version is the first byte of every meta.
const version = 1

// An encoding is how the distinct values are stored.
type encoding byte

const (
	encodingNone encoding = iota // there are no values
	encodingValues
	encodingTemplate
	encodingText
)

// Below this many bytes, all values are stored as they are: no other encoding
// could save much, and skipping is exact.
const smallColumn = 4 << 10

// Text below this size hardly pays for its dictionary.
const minText = 8 << 10

// An Encoder encodes columns, one at a time. It keeps its buffers, so it should be
// used again; its zero value is ready.
type Encoder struct {
	// Unasked leaves filters out of columns that nobody asks what they may have: of large
	// results, which repeat nothing, a filter has most of the work and a part of the size.
	Unasked bool

	table    valueTable
	codes    []uint16
	pack     packer
	sections sectionWriter
	buf      []byte

	codePack     codePacker
	valuePack    valuePacker
	templatePack templatePacker
	textPack     textPacker
}

// A Run is the value of the rows from First up to the next run; nil is an absent one.
type Run struct {
	First int
	Value []byte
}

// runsOf makes a run of each row.
func runsOf(rows [][]byte) []Run {
	runs := make([]Run, len(rows))
	for i, v := range rows {
		runs[i] = Run{i, v}
	}
	return runs
}

// Encode encodes one value for each row; nil is an absent one. No page is longer
// than 512 KiB. What it returns is valid until the next call. It panics if there
// are more than MaxRows rows, or a value is longer than MaxValue.
func (e *Encoder) Encode(rows [][]byte) (meta []byte, pages [][]byte) {
	return e.EncodeRuns(len(rows), runsOf(rows), nil)
}

// EncodeRuns is Encode of rows that come in runs, the first of which begins with row 0; those
// that follow each other may have the same value. If the rows are to be compared with a column that is stored, its codes are not
// packed again if they are those of the rows: to read them costs a fraction.
func (e *Encoder) EncodeRuns(rows int, runs []Run, stored *Reader) (meta []byte, pages [][]byte) {
	total := e.number(rows, runs)
	values := e.table.values
	least, most, integers := intRange(values)

	w := &e.sections
	w.reset()
	if integers {
		w.meta = append(w.meta, 1)
		w.meta = binary.AppendVarint(w.meta, least)
		w.meta = binary.AppendVarint(w.meta, most)
	} else {
		w.meta = append(w.meta, 0)
	}
	if packed, same := stored.packedCodes(e.codes); same {
		w.add(packed, false)
	} else {
		e.buf = e.codePack.append(e.buf[:0], e.codes, &e.pack)
		w.add(e.buf, false)
	}
	e.encodeValues(values, total, integers)
	pages = w.finish()

	meta = append(e.buf[:0], version, unicodeVersion)
	meta = binary.AppendUvarint(meta, uint64(len(e.codes)))
	meta = binary.AppendUvarint(meta, uint64(len(values)))
	meta = binary.AppendUvarint(meta, uint64(len(pages)))
	e.buf = append(meta, w.meta...)
	e.table.release()
	return e.buf, pages
}

// number gives every row a code, and returns the size of the distinct values.
func (e *Encoder) number(rows int, runs []Run) (total int) {
	e.table.reset()
	if rows > MaxRows {
		panic("column: more rows than a block has")
	}
	e.codes = slices.Grow(e.codes[:0], rows)
	var last []byte // of the values, and its code
	var lastCode uint16
	for i, r := range runs {
		code := lastCode
		switch {
		case r.Value == nil:
			code = 0
		case last != nil && bytes.Equal(r.Value, last):
			// A value that comes again mostly came lately.
		default:
			known := len(e.table.values)
			ordinal := e.table.ordinal(r.Value)
			if ordinal == known {
				total += len(r.Value)
			}
			code = uint16(ordinal + 1)
			last, lastCode = r.Value, code
		}
		e.codes = appendCode(e.codes, code, runs[i:], rows)
	}
	return total
}

// appendCode appends the code of the rows of the first of the runs that are left.
func appendCode(codes []uint16, code uint16, runs []Run, rows int) []uint16 {
	end := rows
	if len(runs) > 1 {
		end = runs[1].First
	}
	for range end - runs[0].First {
		codes = append(codes, code)
	}
	return codes
}

func (e *Encoder) encodeValues(values [][]byte, total int, integers bool) {
	w := &e.sections
	switch {
	case len(values) == 0:
		w.meta = append(w.meta, byte(encodingNone))
	case total >= smallColumn && e.templatePack.encode(w, values, integers, &e.pack):
	case total >= minText && e.textPack.encode(w, values, total, !e.Unasked, &e.pack):
	default:
		e.valuePack.encode(w, values, total, !e.Unasked, &e.pack)
	}
}

// intRange returns the least and the greatest of the values, if all are integers.
func intRange(values [][]byte) (least, most int64, ok bool) {
	for i, v := range values {
		n, size := integer(v)
		if size == 0 || size != len(v) {
			return 0, 0, false
		}
		if i == 0 {
			least, most = n, n
		}
		least, most = min(least, n), max(most, n)
	}
	return least, most, len(values) > 0
}

// What is a letter, and what its case, was decided by the tables of one version of
// Unicode. Under another, filters are asked about ASCII only.
var unicodeVersion = func() byte {
	major, _, _ := strings.Cut(unicode.Version, ".")
	n, err := strconv.ParseUint(major, 10, 8)
	if err != nil {
		panic(err) // it has never been anything but numbers
	}
	return byte(n)
}()
