package db

import (
	"bytes"
	"encoding/binary"
	"slices"

	"toolledger/chain"
	"toolledger/db/internal/column"
)

const (
	blockRows  = column.MaxRows
	blockBytes = 8 << 20 // of canonical entries
	maxSubs    = 64      // members of args, metadata and response that get a column, in a block
)

// A colKind says how the values of a column become those of a member.
type colKind uint8

const (
	colText    colKind = iota // the characters of a string
	colJSON                   // canonical JSON; a string as its characters with a quote in front
	colTicks                  // ticks of times, one a row
	colRest                   // nanoseconds of times, one a row
	colIndex                  // the index where a session begins in the block, else 0
	colRemoved                // what is left in place of values that were removed, see removal.go
)

// A colName names a column: a member of the entry, and with sub, which is a name
// in canonical JSON, a member of that.
type colName struct {
	member chain.Member
	kind   colKind
	sub    string
}

// kindOf returns how a member is stored.
func kindOf(m chain.Member) colKind {
	switch m {
	case chain.Args, chain.Context, chain.DurationMS, chain.Metadata, chain.Response, chain.SampleRate:
		return colJSON
	}
	return colText
}

// isAsked tells whether a scan asks the column what it may have: texts, and members of objects
// that have a column. What JSON is beside those has to be read.
func (n colName) isAsked() bool { return n.kind == colText || n.sub != "" }

// A colDir is what the directory of a block says of a column.
type colDir struct {
	colName
	name  []byte // sub
	pages uint16
	meta  []byte // package column's, or the integers themselves
}

// A blockHead has a key of its own, as page 0 of column 0: what opening a ledger and looking for an entry
// have to know of a block.
//
//	first(8) rows(2) columns(2) pages of the directory(2) least(8) greatest(8) generation(4)
type blockHead struct {
	first           uint64 // seq of the first row
	rows            int
	columns, dirs   int
	least, greatest int64  // ticks of the rows' times: a scan of a time leaves the block out by them
	generation      uint32 // how often it was made again
}

// blockHeadSize is how many bytes a head has.
const blockHeadSize = 34

func (h *blockHead) encode() []byte {
	b := binary.BigEndian.AppendUint64(make([]byte, 0, blockHeadSize+checksumSize), h.first)
	for _, n := range [...]int{h.rows, h.columns, h.dirs} {
		b = binary.BigEndian.AppendUint16(b, uint16(n))
	}
	b = binary.BigEndian.AppendUint64(b, uint64(h.least))
	b = binary.BigEndian.AppendUint64(b, uint64(h.greatest))
	return binary.BigEndian.AppendUint32(b, h.generation)
}

func decodeBlockHead(block uint64, b []byte) (h blockHead, err error) {
	if len(b) != blockHeadSize {
		return h, damaged("the head of block %d has %d bytes", block, len(b))
	}
	number := func(at int) int { return int(binary.BigEndian.Uint16(b[at:])) }
	h = blockHead{binary.BigEndian.Uint64(b), number(8), number(10), number(12), int64(binary.BigEndian.Uint64(b[14:])), int64(binary.BigEndian.Uint64(b[22:])), binary.BigEndian.Uint32(b[30:])}
	if h.rows == 0 || h.rows > blockRows {
		return h, damaged("the head of block %d says that it has %d rows", block, h.rows)
	}
	return h, nil
}

// A blockDir is head and directory of a block. The directory is the other pages of column
// 0:
//
//	of each column: member(1) kind(1) length of sub(2) sub pages(2) length of meta(4) meta
type blockDir struct {
	blockHead
	cols []colDir
}

func (d *blockDir) encode() (b []byte) {
	for _, c := range d.cols {
		b = append(b, byte(c.member), byte(c.kind))
		b = append(binary.BigEndian.AppendUint16(b, uint16(len(c.sub))), c.sub...)
		b = binary.BigEndian.AppendUint16(b, c.pages)
		b = append(binary.BigEndian.AppendUint32(b, uint32(len(c.meta))), c.meta...)
	}
	return b
}

func decodeBlockDir(block uint64, head blockHead, b []byte) (*blockDir, error) {
	bad := damaged("the directory of block %d cannot be read", block)
	d := &blockDir{blockHead: head, cols: make([]colDir, 0, head.columns)}
	for range head.columns {
		if len(b) < 4 || b[0] >= chain.NumMembers || b[1] > byte(colRemoved) {
			return nil, bad
		}
		c := colDir{colName: colName{member: chain.Member(b[0]), kind: colKind(b[1])}}
		sub := int(binary.BigEndian.Uint16(b[2:]))
		if len(b) < 10+sub {
			return nil, bad
		}
		c.sub = string(b[4 : 4+sub])
		c.name = []byte(c.sub)
		c.pages = binary.BigEndian.Uint16(b[4+sub:])
		meta := int(binary.BigEndian.Uint32(b[6+sub:]))
		if b = b[10+sub:]; len(b) < meta {
			return nil, bad
		}
		c.meta, b = b[:meta:meta], b[meta:]
		d.cols = append(d.cols, c)
	}
	if len(b) > 0 {
		return nil, bad
	}
	return d, nil
}

// A blockEncoder makes blocks. It keeps its memory for the next one.
type blockEncoder struct {
	columns column.Encoder
	runs    []column.Run
	text    []byte // of values that are not a piece of their entry
	object  objectSplit
	entry   blockDir
	pages   []page
	like    *Block // that the block is to be compared with; nil: it is to be stored
}

// A page is one value of a block as it is stored.
type page struct {
	column, page uint16
	value        []byte // with room for a checksum
}

// encode returns the pages of a block of rows, its directory included. They are
// valid until the next call.
func (e *blockEncoder) encode(rows *rowSet) []page {
	e.entry = blockDir{blockHead: blockHead{first: rows.rows[0].seq, rows: len(rows.rows), generation: rows.generation}}
	e.entry.least, e.entry.greatest = rows.span()
	e.pages, e.text = e.pages[:0], e.text[:0]
	e.ints(colName{member: chain.Index, kind: colIndex}, indexStarts(rows.rows))
	e.column(removedColumn, e.removals(rows))
	e.times(rows.rows, chain.At, func(r *position) chain.Time { return r.at })
	e.times(rows.rows, chain.Recorded, func(r *position) chain.Time { return r.recorded })
	for m := chain.Member(0); m < chain.NumMembers; m++ {
		switch m {
		case chain.Index, chain.At, chain.Recorded:
		case chain.Args, chain.Metadata, chain.Response:
			e.encodeObject(rows, m)
		default:
			e.column(colName{member: m, kind: kindOf(m)}, e.members(rows, m))
		}
	}
	e.putDir()
	return e.pages
}

// members returns what a member's column stores.
func (e *blockEncoder) members(rows *rowSet, m chain.Member) []column.Run {
	kind := kindOf(m)
	e.runs = e.runs[:0]
	for _, run := range rows.runs[m] {
		e.runs = append(e.runs, column.Run{First: run.First, Value: e.value(kind, run.Value)})
	}
	return e.runs
}

// putDir adds column 0.
func (e *blockEncoder) putDir() {
	head := len(e.pages)
	e.put(0, nil, e.entry.encode())
	e.entry.columns, e.entry.dirs = len(e.entry.cols), len(e.pages)-head-1
	e.pages[head].value = e.entry.blockHead.encode()
}

// put adds a column's bytes, cut into pages.
func (e *blockEncoder) put(col uint16, pages ...[]byte) {
	n := uint16(0)
	for _, p := range pages {
		for first := true; first || len(p) > 0; first = false {
			part := p[:min(len(p), maxValue)]
			p = p[len(part):]
			e.pages = append(e.pages, page{col, n, append(make([]byte, 0, len(part)+checksumSize), part...)})
			n++
		}
	}
}

// column encodes values, unless all are absent.
func (e *blockEncoder) column(name colName, runs []column.Run) {
	if !slices.ContainsFunc(runs, func(r column.Run) bool { return r.Value != nil }) {
		return
	}
	e.columns.Unasked = !name.isAsked()
	meta, pages := e.columns.EncodeRuns(e.entry.rows, runs, e.stored(name))
	e.entry.cols = append(e.entry.cols, colDir{name, nil, uint16(len(pages)), append([]byte(nil), meta...)})
	e.put(uint16(len(e.entry.cols)), pages...)
}

// stored returns the column of the block that is compared with, if it has it in that place.
func (e *blockEncoder) stored(name colName) *column.Reader {
	i := len(e.entry.cols)
	if e.like == nil || i >= len(e.like.dir.cols) || e.like.dir.cols[i].colName != name {
		return nil
	}
	r, err := e.like.reader(i)
	if err != nil {
		return nil
	}
	return r
}

func (e *blockEncoder) ints(name colName, values []int64) {
	e.entry.cols = append(e.entry.cols, colDir{name, nil, 0, column.AppendInts(nil, values)})
}

func (e *blockEncoder) times(rows []position, m chain.Member, of func(*position) chain.Time) {
	ticks, rest := make([]int64, len(rows)), make([]int64, len(rows))
	for i := range rows {
		t := of(&rows[i])
		ticks[i], rest[i] = t.Ticks, int64(t.Rest)
	}
	e.ints(colName{member: m, kind: colTicks}, ticks)
	if slices.ContainsFunc(rest, func(n int64) bool { return n != 0 }) {
		e.ints(colName{member: m, kind: colRest}, rest)
	}
}

// indexStarts returns the index of the first row of each session in the block, and 0
// for the others, which follow each other.
func indexStarts(rows []position) []int64 {
	values := make([]int64, len(rows))
	seen := make(map[string]bool)
	for i := range rows {
		if !seen[rows[i].session] {
			seen[rows[i].session] = true
			values[i] = int64(rows[i].index)
		}
	}
	return values
}

// value returns a member's value as its column stores it.
func (e *blockEncoder) value(kind colKind, v []byte) []byte {
	switch {
	case v == nil:
		return nil
	case kind == colText && bytes.IndexByte(v, '\\') < 0:
		return unquoted(v)
	case kind == colText:
		return e.keep(nil, chain.Unquote(v))
	case v[0] != '"':
		return v
	case bytes.IndexByte(v, '\\') < 0:
		return v[:len(v)-1]
	}
	return e.keep([]byte{'"'}, chain.Unquote(v))
}

// keep copies a value to where it stays until the next block.
func (e *blockEncoder) keep(before []byte, text string) []byte {
	start := len(e.text)
	e.text = append(append(e.text, before...), text...)
	return e.text[start:len(e.text):len(e.text)]
}

// restore is the opposite of value: it appends the member's canonical JSON.
func restore(dst []byte, kind colKind, v []byte) []byte {
	switch {
	case kind == colText:
		return chain.AppendQuote(dst, v)
	case len(v) > 0 && v[0] == '"':
		return chain.AppendQuote(dst, v[1:])
	}
	return append(dst, v...)
}
