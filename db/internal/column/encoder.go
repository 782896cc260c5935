package column

import (
	"bytes"
	"encoding/binary"
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

// Encode encodes one value for each row; nil is an absent one. No page is longer
// than 512 KiB. What it returns is valid until the next call. It panics if there
// are more than MaxRows rows, or a value is longer than MaxValue.
func (e *Encoder) Encode(rows [][]byte) (meta []byte, pages [][]byte) { return e.EncodeLike(rows, nil) }

// EncodeLike is Encode of rows that are to be compared with a column that is stored. Its codes
// are not packed again if they are those of the rows: to read them costs a fraction.
func (e *Encoder) EncodeLike(rows [][]byte, stored *Reader) (meta []byte, pages [][]byte) {
	if len(rows) > MaxRows {
		panic("column: more rows than a block has")
	}
	total := e.number(rows)
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
	meta = binary.AppendUvarint(meta, uint64(len(rows)))
	meta = binary.AppendUvarint(meta, uint64(len(values)))
	meta = binary.AppendUvarint(meta, uint64(len(pages)))
	e.buf = append(meta, w.meta...)
	e.table.release()
	return e.buf, pages
}

// number gives every row a code, and returns the size of the distinct values.
func (e *Encoder) number(rows [][]byte) (total int) {
	e.table.reset()
	e.codes = e.codes[:0]
	var before []byte
	var code uint16
	for _, v := range rows {
		switch {
		case v == nil:
			code, before = 0, nil
		case before != nil && bytes.Equal(v, before):
			// Neighbours often share a value.
		case len(v) > MaxValue:
			panic("column: value over the limit")
		default:
			known := len(e.table.values)
			ordinal := e.table.ordinal(v)
			if ordinal == known {
				total += len(v)
			}
			code, before = uint16(ordinal+1), v
		}
		e.codes = append(e.codes, code)
	}
	return total
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
