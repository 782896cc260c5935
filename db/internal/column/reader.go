package column

import (
	"bytes"
	"slices"
	"unicode/utf8"
)

// A Reader reads one column, a page when it is needed. It is for one goroutine at a
// time. It keeps the slices that page returns, and never writes to them.
type Reader struct {
	fetch                 func(i int) ([]byte, error)
	rows, distinct, pages int
	least, most           int64
	integers              bool
	oldUnicode            bool // see unicodeVersion
	codeSection           section
	codes                 []uint16 // nil until needed
	page                  int      // that was fetched last, and its bytes
	data                  []byte
	values                valuesReader
}

// A valuesReader reads the distinct values, in one of the encodings. Its ordinals
// are in range. A may method that returns an error says true.
type valuesReader interface {
	appendValue(dst []byte, ordinal int) ([]byte, error)
	mayEqual(value []byte) (bool, error)
	may(q query) (bool, error)
	release()
}

// Open reads the meta of a column. The function returns one of its pages; nothing
// is read before it is asked for.
func Open(meta []byte, page func(i int) ([]byte, error)) (*Reader, error) {
	c := cursor{data: meta}
	if c.byte() != version {
		return nil, corrupt("version of a column")
	}
	r := &Reader{fetch: page, oldUnicode: c.byte() != unicodeVersion}
	r.rows = c.uvarint(MaxRows)
	r.distinct = c.uvarint(uint64(r.rows))
	r.pages = c.uvarint(maxPages)
	if r.integers = c.byte() == 1; r.integers {
		r.least, r.most = c.varint(), c.varint()
	}
	r.codeSection = c.section(r.pages)
	switch encoding(c.byte()) {
	case encodingNone:
		if r.distinct != 0 {
			c.fail()
		}
	case encodingValues:
		r.values = parseValues(r, &c)
	case encodingTemplate:
		r.values = parseTemplate(r, &c)
	case encodingText:
		r.values = parseText(r, &c)
	default:
		c.fail()
	}
	if !c.end() {
		return nil, corrupt("meta of a column")
	}
	return r, nil
}

// maxPages is more than any column has: MaxRows values of MaxValue bytes.
const maxPages = MaxRows * (MaxValue/maxPage + 2)

// Release gives back what r has read of its values; it may be used on. Codes that it gave
// may not.
func (r *Reader) Release() {
	if r.fetch != nil { // those of plain rows are read from nowhere
		releaseCodes(r.codes)
		r.codes = nil
	}
	if r.values != nil {
		r.values.release()
	}
}

// Rows returns how many rows the column has.
func (r *Reader) Rows() int { return r.rows }

// Distinct returns how many different values are present.
func (r *Reader) Distinct() int { return r.distinct }

// Pages returns how many pages the column has.
func (r *Reader) Pages() int { return r.pages }

// IntRange returns the least and the greatest value, if there are values and all
// are integers as JSON writes them, and fit.
func (r *Reader) IntRange() (least, most int64, ok bool) {
	return r.least, r.most, r.integers
}

// Codes returns for each row 0, if its value is absent, else one more than the
// value's ordinal in order of first appearance. The slice belongs to the Reader.
func (r *Reader) Codes() ([]uint16, error) {
	if r.codes != nil || r.rows == 0 {
		return r.codes, nil
	}
	data, err := r.read(r.codeSection)
	if err != nil {
		return nil, err
	}
	codes, err := decodeCodes(takeCodes(r.rows), data, r.rows, r.distinct, nil, nil)
	if err == nil {
		r.codes = codes
	}
	return r.codes, err
}

// packedCodes returns the codes as they are stored, if they are those given.
func (r *Reader) packedCodes(codes []uint16) (packed []byte, same bool) {
	if r == nil || r.fetch == nil {
		return nil, false
	}
	stored, err := r.Codes()
	if err != nil || !slices.Equal(stored, codes) {
		return nil, false
	}
	packed, err = r.read(r.codeSection)
	return packed, err == nil
}

// CodesAt appends the codes of some rows, which are in order, to dst. For a few rows it
// costs much less than Codes. With a memo, which may be nil, rows and what is returned must
// not be changed while the memo is in use.
func (r *Reader) CodesAt(dst, rows []uint16, memo *CodeMemo) ([]uint16, error) {
	if n := len(rows); n > 0 && int(rows[n-1]) >= r.rows {
		panic("column: no such row")
	}
	if r.codes != nil || len(rows) == 0 {
		for _, row := range rows {
			dst = append(dst, r.codes[row])
		}
		return dst, nil
	}
	data, err := r.read(r.codeSection)
	if err != nil {
		return dst, err
	}
	return decodeCodes(dst, data, r.rows, r.distinct, rows[:len(rows):len(rows)], memo)
}

// RowsWith appends the rows that have a code from 1 to Distinct to dst, in order.
func (r *Reader) RowsWith(dst []uint16, code uint16) ([]uint16, error) {
	if code == 0 || int(code) > r.distinct {
		panic("column: no such code")
	}
	if r.codes != nil {
		for row, c := range r.codes {
			if c == code {
				dst = append(dst, uint16(row))
			}
		}
		return dst, nil
	}
	data, err := r.read(r.codeSection)
	if err != nil {
		return dst, err
	}
	return decodeRows(dst, data, r.rows, r.distinct, code)
}

// Value appends the value of a code from 1 to Distinct.
func (r *Reader) Value(dst []byte, code uint16) ([]byte, error) {
	if code == 0 || int(code) > r.distinct {
		panic("column: no such code")
	}
	return r.values.appendValue(dst, int(code)-1)
}

// Find returns the code of a value; 0 if no row has it.
func (r *Reader) Find(value []byte) (code uint16, err error) {
	if r.distinct == 0 {
		return 0, nil
	}
	if t, ok := r.values.(*templateReader); ok {
		ordinal, found, err := t.find(value)
		if found {
			return uint16(ordinal + 1), err
		}
		return 0, err
	}
	var v []byte
	for ordinal := range r.distinct {
		if v, err = r.values.appendValue(v[:0], ordinal); err != nil {
			return 0, err
		}
		if bytes.Equal(v, value) {
			return uint16(ordinal + 1), nil
		}
	}
	return 0, nil
}

// Row appends the value of row i; ok is false if it is absent.
func (r *Reader) Row(dst []byte, i int) (value []byte, ok bool, err error) {
	codes, err := r.Codes()
	if err != nil || codes[i] == 0 {
		return dst, false, err
	}
	value, err = r.Value(dst, codes[i])
	return value, err == nil, err
}

// MayEqual reports whether a row may have the value. As with the other May methods,
// false is certain; and after an error the answer is true.
func (r *Reader) MayEqual(value []byte) (bool, error) {
	if r.distinct == 0 {
		return false, nil
	}
	if r.oldUnicode && !isASCII(value) {
		return true, nil
	}
	return r.values.mayEqual(value)
}

// MayHaveTerm reports whether a value may have the term, in any case, where no
// letter or digit is beside it. Letters and digits are those of ASCII, and any
// other rune that Unicode calls a letter or a number.
func (r *Reader) MayHaveTerm(term []byte) (bool, error) { return r.may(term, true) }

// MayContain reports whether a value may have sub as a part, in any case.
func (r *Reader) MayContain(sub []byte) (bool, error) { return r.may(sub, false) }

func (r *Reader) may(text []byte, whole bool) (bool, error) {
	switch {
	case r.distinct == 0:
		return false, nil
	case len(text) == 0 || isVague(text) || r.oldUnicode && !isASCII(text):
		return true, nil
	}
	return r.values.may(newQuery(text, whole))
}

func isASCII(s []byte) bool {
	for _, b := range s {
		if b >= utf8.RuneSelf {
			return false
		}
	}
	return true
}
